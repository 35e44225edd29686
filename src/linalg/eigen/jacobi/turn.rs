//! Plane rotations: which one makes a symmetric 2 × 2 matrix diagonal, and turning rows by one or by four of them.
//!
//! A rotation by `θ` is three shears, `x −= τy`, `y += sx`, `x −= τy` with `s = sin θ` and `τ = tan(θ/2)`: three multiply-adds a pair where
//! the usual form has four products, and corrections that are as small as the angle, which is tiny in the last sweeps.

use crate::math::Real;

/// How many rotations are done together.
pub(super) const TOGETHER: usize = 4;

/// How many columns a pass of the loop over four rows takes.
const UNROLL: usize = 4;

/// The rotation `(x, y) ← (x cos θ − y sin θ, x sin θ + y cos θ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn<T> {
    sine: T,
    tangent_of_half: T,
}

impl<T: Real> Turn<T> {
    /// Leaves everything as it is, to the bit (unless it is −0).
    pub(super) const NONE: Self = Self { sine: T::ZERO, tangent_of_half: T::ZERO };

    /// Makes `[[a, off], [off, b]]` diagonal by a rotation of at most 45°; an `off` up to the threshold is left alone.
    pub(super) fn annihilate(a: &mut T, b: &mut T, off: &mut T, threshold: T) -> Self {
        if off.abs() <= threshold {
            return Self::NONE;
        }
        // tan 2θ = 2 off/(b − a); of these two the smaller is divided by the larger, so nothing overflows.
        let (gap, twice) = (*b - *a, *off + *off);
        let steep = twice.abs() > gap.abs();
        let ratio = if steep { gap } else { twice } / if steep { twice } else { gap };
        let square = T::ONE + ratio * ratio;
        let hypotenuse = square * inverse_root(square);
        let tangent = match steep {
            false => ratio / (T::ONE + hypotenuse),
            true if ratio < T::ZERO => T::ONE / (ratio - hypotenuse),
            true => T::ONE / (ratio + hypotenuse),
        };

        let cosine = inverse_root(T::ONE + tangent * tangent);
        let sine = tangent * cosine;
        let change = tangent * *off;
        (*a, *b, *off) = (*a - change, *b + change, T::ZERO);
        Self { sine, tangent_of_half: sine / (T::ONE + cosine) }
    }

    /// Turns a pair in place.
    #[inline(always)]
    pub(super) fn apply(self, x: &mut T, y: &mut T) {
        (*x, *y) = self.turned(*x, *y);
    }

    #[inline(always)]
    fn turned(self, x: T, y: T) -> (T, T) {
        let x = x - self.tangent_of_half * y;
        let y = y + self.sine * x;
        (x - self.tangent_of_half * y, y)
    }
}

/// `1/√x` for `x` from 1 to 2, to about a unit in the last place: Newton's method from the best parabola.
///
/// That one is off by 3.2e-3, and a relative error `e` becomes `1.5e²`: 1.6e-5, 3.5e-10, 1.9e-19. Each rotation needs two of them; a square root and
/// a division would cost three times as much.
#[inline(always)]
fn inverse_root<T: Real>(x: T) -> T {
    let (c0, c1, c2) = (T::from_f64(0.9968124), T::from_f64(-0.4351392), T::from_f64(0.1476876));
    let steps = if T::EPSILON > T::from_f64(1e-9) { 2 } else { 3 };
    let z = x - T::ONE;
    let mut y = c0 + z * (c1 + z * c2);
    for _ in 0..steps {
        y += T::from_f64(0.5) * y * (T::ONE - x * y * y);
    }
    y
}

/// `x` turns with each `y` in order.
#[inline(always)]
pub(super) fn turn_four<T: Real>(
    x: T,
    [y0, y1, y2, y3]: [T; TOGETHER],
    [t0, t1, t2, t3]: [Turn<T>; TOGETHER],
) -> (T, [T; TOGETHER]) {
    let (x, y0) = t0.turned(x, y0);
    let (x, y1) = t1.turned(x, y1);
    let (x, y2) = t2.turned(x, y2);
    let (x, y3) = t3.turned(x, y3);
    (x, [y0, y1, y2, y3])
}

/// Row `x` turns with each row `y` in order, over the length of `x`; nothing happens if a `y` is shorter.
///
/// One load and store of `x` serves four rotations.
#[inline(never)]
pub(super) fn turn_four_rows<T: Real>(
    x: &mut [T],
    [y0, y1, y2, y3]: [&mut [T]; TOGETHER],
    turns: [Turn<T>; TOGETHER],
) {
    let n = x.len();
    let (Some(y0), Some(y1), Some(y2), Some(y3)) =
        (y0.get_mut(..n), y1.get_mut(..n), y2.get_mut(..n), y3.get_mut(..n))
    else {
        return;
    };
    let (x, x_rest) = x.as_chunks_mut::<UNROLL>();
    let (y0, y0_rest) = y0.as_chunks_mut::<UNROLL>();
    let (y1, y1_rest) = y1.as_chunks_mut::<UNROLL>();
    let (y2, y2_rest) = y2.as_chunks_mut::<UNROLL>();
    let (y3, y3_rest) = y3.as_chunks_mut::<UNROLL>();
    for ((((x, y0), y1), y2), y3) in x.iter_mut().zip(y0).zip(y1).zip(y2).zip(y3) {
        let ([xa, xb, xc, xd], [ya, yb, yc, yd]) = (x, y0);
        let ([za, zb, zc, zd], [va, vb, vc, vd], [wa, wb, wc, wd]) = (y1, y2, y3);
        (*xa, [*ya, *za, *va, *wa]) = turn_four(*xa, [*ya, *za, *va, *wa], turns);
        (*xb, [*yb, *zb, *vb, *wb]) = turn_four(*xb, [*yb, *zb, *vb, *wb], turns);
        (*xc, [*yc, *zc, *vc, *wc]) = turn_four(*xc, [*yc, *zc, *vc, *wc], turns);
        (*xd, [*yd, *zd, *vd, *wd]) = turn_four(*xd, [*yd, *zd, *vd, *wd], turns);
    }
    let rest = x_rest.iter_mut().zip(y0_rest).zip(y1_rest).zip(y2_rest).zip(y3_rest);
    for ((((x, y0), y1), y2), y3) in rest {
        (*x, [*y0, *y1, *y2, *y3]) = turn_four(*x, [*y0, *y1, *y2, *y3], turns);
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn inverse_roots_are_good_to_their_bound() {
        let (mut single, mut double) = (0.0_f64, 0.0_f64);
        for step in 0..=10_000 {
            let x = 1.0 + f64::from(step) / 10_000.0;
            let x32 = x as f32;
            let exact = 1.0 / libm::sqrt(f64::from(x32));
            single = single.max((f64::from(inverse_root(x32)) / exact - 1.0).abs());
            double = double.max((inverse_root(x) * libm::sqrt(x) - 1.0).abs());
        }
        assert!(single < 1.5 * f64::from(f32::EPSILON), "{single:e}");
        assert!(double < 2.0 * f64::EPSILON, "{double:e}");
    }

    #[test]
    fn a_rotation_is_orthogonal_and_makes_a_matrix_diagonal_at_any_scale() {
        for scale in [1e-300, 1.0, 1e300] {
            for step in 0..64 {
                let angle = 0.1 + f64::from(step) / 10.0;
                let (a, b, off) = (libm::cos(angle), 0.5, libm::sin(3.0 * angle));
                let (mut x, mut y, mut z) = (a * scale, b * scale, off * scale);
                let turn = Turn::annihilate(&mut x, &mut y, &mut z, 0.0);
                let ([c, s], [minus_s, same_c]) =
                    (turn.turned(1.0, 0.0).into(), turn.turned(0.0, 1.0).into());
                assert_eq!(z, 0.0);
                assert!(c >= 0.707 && (c * c + s * s - 1.0).abs() < 1e-15);
                assert!((c - same_c).abs() < 1e-15 && (s + minus_s).abs() < 1e-15);
                assert!((c * s * (a - b) + (c * c - s * s) * off).abs() < 1e-15);
                assert!((x / scale - (c * c * a - 2.0 * c * s * off + s * s * b)).abs() < 1e-15);
                assert!((y / scale - (s * s * a + 2.0 * c * s * off + c * c * b)).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn entries_up_to_the_threshold_are_left_alone() {
        let (mut a, mut b, mut off) = (1.0_f32, 2.0, -0.25);
        assert_eq!(Turn::annihilate(&mut a, &mut b, &mut off, 0.25), Turn::NONE);
        assert_eq!((a, b, off), (1.0, 2.0, -0.25));
        assert_ne!(Turn::annihilate(&mut a, &mut b, &mut off, 0.2), Turn::NONE);
    }

    #[test]
    fn four_rows_turn_like_one_after_the_other_at_every_length() {
        let turns = [0.3, -0.7, 0.1, 0.5]
            .map(|off| Turn::annihilate(&mut 1.0_f32, &mut -0.4, &mut { off }, 0.0));
        for n in 0..14 {
            let row = |r: usize| (0..n).map(|j| ((5 * r + 3 * j) % 17) as f32 - 7.5).collect();
            let mut rows: [Vec<f32>; 5] = core::array::from_fn(row);
            let mut plain = rows.clone();
            let [x, y0, y1, y2, y3] = &mut rows;
            turn_four_rows(x, [y0, y1, y2, y3], turns);
            let (x, ys) = plain.split_first_mut().unwrap();
            for (y, turn) in ys.iter_mut().zip(turns) {
                x.iter_mut().zip(y).for_each(|(x, y)| turn.apply(x, y));
            }
            assert_eq!(rows, plain);
        }
    }
}
