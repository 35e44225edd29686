//! Lines of equal height of a function in the plane, by marching squares, and the areas between
//! them.

use std::collections::BTreeMap;

use crate::data::Point;

/// A function on a square grid of points.
pub(crate) struct Field {
    /// Points along each side.
    side: usize,
    low: Point,
    high: Point,
    values: Vec<f64>,
}

/// The area inside a closed line, and which band between two levels it belongs to where it begins.
pub(crate) struct Area {
    pub(crate) outline: Vec<(f64, f64)>,
    pub(crate) band: usize,
}

/// A place on the grid's lines where the function passes a level: the lower of the two points, and
/// whether the other is above it.
type Crossing = (usize, usize, bool);

impl Field {
    pub(crate) fn sample<E>(
        side: usize,
        low: Point,
        high: Point,
        f: impl Fn(Point) -> Result<f64, E>,
    ) -> Result<Self, E> {
        let mut field = Self { side, low, high, values: Vec::new() };
        field.values = (0..side * side)
            .map(|k| f(field.place(k % side + 1, k / side + 1)))
            .collect::<Result<_, _>>()?;
        Ok(field)
    }

    pub(crate) fn largest(&self) -> f64 {
        self.values.iter().copied().fold(f64::MIN, f64::max)
    }

    pub(crate) fn least(&self) -> f64 {
        self.values.iter().copied().fold(f64::MAX, f64::min)
    }

    /// The areas above each of the ascending levels, and the holes in them, the largest first:
    /// drawn in this order, what is seen in the end are the bands. Band 0 is below all levels.
    pub(crate) fn areas(&self, levels: &[f64]) -> Vec<Area> {
        let mut areas: Vec<(f64, Area)> = Vec::new();
        for (number, &level) in levels.iter().enumerate() {
            for outline in self.outlines(level) {
                let size = signed_area(&outline);
                // What is above lies to the left of its outline.
                let band = if size > 0.0 { number + 1 } else { number };
                areas.push((size.abs(), Area { outline, band }));
            }
        }
        areas.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        areas.into_iter().map(|(_, area)| area).collect()
    }

    /// Where the function is at a level: the outlines without what follows the edge of the grid.
    pub(crate) fn lines(&self, level: f64) -> Vec<Vec<(f64, f64)>> {
        let at_edge = |(x, y): (f64, f64)| {
            x == self.low[0] || x == self.high[0] || y == self.low[1] || y == self.high[1]
        };
        let mut lines = Vec::new();
        for mut outline in self.outlines(level) {
            // Begins at the edge, if it reaches that, and ends where it began.
            let start = outline.iter().position(|&place| at_edge(place)).unwrap_or(0);
            outline.rotate_left(start);
            outline.extend(outline.first().copied());
            let inside = outline.chunk_by(|&a, &b| !(at_edge(a) && at_edge(b)));
            lines.extend(inside.filter(|line| line.len() > 1).map(|line| line.to_vec()));
        }
        lines
    }

    /// Closed lines around all that is above a level. Where it reaches the edge of the grid, they
    /// follow that.
    pub(crate) fn outlines(&self, level: f64) -> Vec<Vec<(f64, f64)>> {
        let mut next: BTreeMap<Crossing, Crossing> = BTreeMap::new();
        for j in 0..=self.side {
            for i in 0..=self.side {
                next.extend(self.crossings_of_cell(i, j, level));
            }
        }
        let mut outlines = Vec::new();
        while let Some((start, mut at)) = next.pop_first() {
            let mut outline = vec![self.crossing_place(start, level)];
            while at != start {
                outline.push(self.crossing_place(at, level));
                let Some(onward) = next.remove(&at) else { break };
                at = onward;
            }
            outlines.push(simplified(&outline, self.tolerance()));
        }
        outlines
    }

    /// By how much an outline may be off: less than a pixel.
    fn tolerance(&self) -> f64 {
        (self.high[0] - self.low[0]) / 1500.0
    }

    /// Where lines enter and leave the cell above and to the right of a point, what is above the
    /// level being to the left.
    fn crossings_of_cell(&self, i: usize, j: usize, level: f64) -> Vec<(Crossing, Crossing)> {
        let above = |i, j| self.value(i, j) >= level;
        let (bottom, right) = ((i, j, false), (i + 1, j, true));
        let (top, left) = ((i, j + 1, false), (i, j, true));
        // Counter-clockwise from the corner at the lower left.
        let corners = [above(i, j), above(i + 1, j), above(i + 1, j + 1), above(i, j + 1)];
        match corners {
            [false, false, false, false] | [true, true, true, true] => vec![],
            [true, false, false, false] => vec![(bottom, left)],
            [false, true, false, false] => vec![(right, bottom)],
            [false, false, true, false] => vec![(top, right)],
            [false, false, false, true] => vec![(left, top)],
            [true, true, false, false] => vec![(right, left)],
            [false, true, true, false] => vec![(top, bottom)],
            [false, false, true, true] => vec![(left, right)],
            [true, false, false, true] => vec![(bottom, top)],
            [false, true, true, true] => vec![(left, bottom)],
            [true, false, true, true] => vec![(bottom, right)],
            [true, true, false, true] => vec![(right, top)],
            [true, true, true, false] => vec![(top, left)],
            // Two corners opposite each other: apart, which at this resolution nobody can tell from
            // together.
            [true, false, true, false] => vec![(bottom, left), (top, right)],
            [false, true, false, true] => vec![(right, bottom), (left, top)],
        }
    }

    /// Around the grid there is one more row of points, in the same places as the outermost and
    /// below every level: all lines are closed.
    fn value(&self, i: usize, j: usize) -> f64 {
        let inside = |k: usize| (1..=self.side).contains(&k);
        if inside(i) && inside(j) { self.values[(j - 1) * self.side + i - 1] } else { f64::MIN }
    }

    fn place(&self, i: usize, j: usize) -> Point {
        let share = |k: usize| (k.clamp(1, self.side) - 1) as f64 / (self.side - 1) as f64;
        let along = |axis: usize, k| self.low[axis] + (self.high[axis] - self.low[axis]) * share(k);
        [along(0, i), along(1, j)]
    }

    fn crossing_place(&self, (i, j, upward): Crossing, level: f64) -> (f64, f64) {
        let (other_i, other_j) = if upward { (i, j + 1) } else { (i + 1, j) };
        let (a, b) = (self.value(i, j), self.value(other_i, other_j));
        let share = (level - a) / (b - a);
        let (from, to) = (self.place(i, j), self.place(other_i, other_j));
        (from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share)
    }
}

/// The line without points that are no further than `tolerance` from what is left of it (Ramer
/// 1972, Douglas & Peucker 1973).
fn simplified(line: &[(f64, f64)], tolerance: f64) -> Vec<(f64, f64)> {
    let (Some(&first), Some(&last)) = (line.first(), line.last()) else { return Vec::new() };
    let (dx, dy) = (last.0 - first.0, last.1 - first.1);
    let squared = dx * dx + dy * dy;
    let distance = |place: &(f64, f64)| {
        let (x, y) = (place.0 - first.0, place.1 - first.1);
        let along = if squared > 0.0 { ((x * dx + y * dy) / squared).clamp(0.0, 1.0) } else { 0.0 };
        let (x, y) = (x - along * dx, y - along * dy);
        (x * x + y * y).sqrt()
    };
    let distances = line.iter().map(distance).enumerate();
    match distances.max_by(|(_, a), (_, b)| a.total_cmp(b)) {
        Some((far, most)) if most > tolerance => {
            let mut kept = simplified(&line[..=far], tolerance);
            kept.pop();
            kept.extend(simplified(&line[far..], tolerance));
            kept
        }
        _ if line.len() > 1 => vec![first, last],
        _ => vec![first],
    }
}

/// Positive for an outline that goes counter-clockwise.
fn signed_area(outline: &[(f64, f64)]) -> f64 {
    let next = outline.iter().cycle().skip(1);
    outline.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    const LOW: Point = [-2.0, -2.0];
    const HIGH: Point = [2.0, 2.0];

    fn field(f: impl Fn(Point) -> f64) -> Field {
        Field::sample::<()>(81, LOW, HIGH, |x| Ok(f(x))).unwrap()
    }

    fn radius([x, y]: Point) -> f64 {
        (x * x + y * y).sqrt()
    }

    #[test]
    fn a_hill_has_one_outline_with_the_area_of_a_disc() {
        let outlines = field(|x| -radius(x)).outlines(-1.0);
        assert_eq!(outlines.len(), 1);
        assert!((signed_area(&outlines[0]) - PI).abs() < 0.02);
    }

    #[test]
    fn a_valley_is_a_hole_in_what_is_above() {
        let areas = field(radius).areas(&[1.0]);
        let bands: Vec<usize> = areas.iter().map(|area| area.band).collect();
        assert_eq!(bands, [1, 0]);
        assert!((signed_area(&areas[0].outline) - 16.0).abs() < 1e-9);
        assert!((signed_area(&areas[1].outline) + PI).abs() < 0.02);
    }

    #[test]
    fn bands_of_a_slope_are_drawn_from_the_largest() {
        let areas = field(|[x, _]| x).areas(&[-1.0, 0.0, 1.0]);
        let sizes: Vec<f64> = areas.iter().map(|area| signed_area(&area.outline)).collect();
        for (size, expected) in sizes.iter().zip([12.0, 8.0, 4.0]) {
            assert!((size - expected).abs() < 1e-9, "{sizes:?}");
        }
        assert!(areas.iter().map(|area| area.band).eq([1, 2, 3]));
    }

    #[test]
    fn lines_do_not_follow_the_edge() {
        let lines = field(|[x, _]| x).lines(0.5);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].iter().all(|&(x, _)| (x - 0.5).abs() < 1e-9), "{lines:?}");
        let ring = field(radius).lines(1.0);
        assert_eq!(ring.len(), 1);
        assert_eq!(ring[0].first(), ring[0].last());
        assert!(field(|[x, _]| x).lines(9.0).is_empty());
    }
}
