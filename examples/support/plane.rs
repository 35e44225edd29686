//! Points of the plane: two rings, and a picture of them.

use crate::random::Random;
use crate::support::say;

/// Evenly spaced points of two rings of radius 1 and 0.3, off by up to 0.1; those with even numbers
/// are of the outer one.
pub(crate) fn rings<const N: usize>(seed: u32) -> [[f32; 2]; N] {
    let mut random = Random::new(seed);
    core::array::from_fn(|i| {
        let (radius, turn) = if i.is_multiple_of(2) { (1.0, 0.0) } else { (0.3, 0.3) };
        let angle = core::f32::consts::TAU * (i / 2) as f32 / (N / 2) as f32 + turn;
        [libm::cosf(angle), libm::sinf(angle)]
            .map(|direction| radius * direction + 0.2 * random.uniform() - 0.1)
    })
}

/// Draws points in the square from −1.2 to 1.2, each as the letter that `mark` gives to its number.
#[inline(never)]
pub(crate) fn show(points: &[[f32; 2]], mark: impl Fn(usize) -> u8) {
    const COLUMNS: usize = 48;
    const ROWS: usize = 20;
    let cell = |value: f32, cells: usize| ((value + 1.2) / 2.4 * cells as f32) as usize;
    for row in (0..ROWS).rev() {
        let mut line = [b' '; COLUMNS];
        for (i, &[x, y]) in points.iter().enumerate() {
            if cell(y, ROWS) == row
                && let Some(place) = line.get_mut(cell(x, COLUMNS))
            {
                *place = mark(i);
            }
        }
        say!("  {}", core::str::from_utf8(&line).unwrap_or_default().trim_end());
    }
}
