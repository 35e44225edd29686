//! Arithmetic on rows, four entries or four rows at a time.
//!
//! Sums run in four lanes that are added up at the end, `(0 + 1) + (2 + 3)`: a fixed order, hence the same bits everywhere, that a
//! host can compute with vector instructions. Patterns instead of indices keep panics out and unroll at every opt-level.

use crate::math::Real;

/// Partial sums of four lanes.
type Lanes<T> = [T; 4];

fn add_up<T: Real>([a, b, c, d]: Lanes<T>) -> T {
    (a + b) + (c + d)
}

/// `lanes + x ∘ y`.
#[inline(always)]
fn accumulate<T: Real>(
    [a, b, c, d]: Lanes<T>,
    [x0, x1, x2, x3]: [T; 4],
    [y0, y1, y2, y3]: [T; 4],
) -> Lanes<T> {
    [a + x0 * y0, b + x1 * y1, c + x2 * y2, d + x3 * y3]
}

/// `x + factor·y`.
#[inline(always)]
fn add_multiple<T: Real>([x0, x1, x2, x3]: [T; 4], factor: T, [y0, y1, y2, y3]: [T; 4]) -> [T; 4] {
    [x0 + factor * y0, x1 + factor * y1, x2 + factor * y2, x3 + factor * y3]
}

/// `Σ xᵢ yᵢ`, over the shorter length.
pub(crate) fn dot<T: Real>(x: &[T], y: &[T]) -> T {
    let length = x.len().min(y.len());
    let (x, x_rest) = x.get(..length).unwrap_or_default().as_chunks::<4>();
    let (y, y_rest) = y.get(..length).unwrap_or_default().as_chunks::<4>();
    let lanes = x.iter().zip(y).fold([T::ZERO; 4], |lanes, (&x, &y)| accumulate(lanes, x, y));
    x_rest.iter().zip(y_rest).fold(add_up(lanes), |sum, (&x, &y)| sum + x * y)
}

/// `y ← y + factor·x`, over the shorter length.
pub(crate) fn add<T: Real>(y: &mut [T], factor: T, x: &[T]) {
    let length = x.len().min(y.len());
    let (x, x_rest) = x.get(..length).unwrap_or_default().as_chunks::<4>();
    let (y, y_rest) = y.get_mut(..length).unwrap_or_default().as_chunks_mut::<4>();
    for (y, &x) in y.iter_mut().zip(x) {
        *y = add_multiple(*y, factor, x);
    }
    for (y, &x) in y_rest.iter_mut().zip(x_rest) {
        *y += factor * x;
    }
}

/// `y ← y + factor·x` and returns `Σ xᵢ zᵢ`, with one look at each `xᵢ`: a row of a triangle as row and as column.
pub(crate) fn add_and_dot<T: Real>(y: &mut [T], factor: T, x: &[T], z: &[T]) -> T {
    let length = x.len().min(y.len()).min(z.len());
    let (x, x_rest) = x.get(..length).unwrap_or_default().as_chunks::<4>();
    let (z, z_rest) = z.get(..length).unwrap_or_default().as_chunks::<4>();
    let (y, y_rest) = y.get_mut(..length).unwrap_or_default().as_chunks_mut::<4>();
    let mut lanes = [T::ZERO; 4];
    for ((y, &x), &z) in y.iter_mut().zip(x).zip(z) {
        *y = add_multiple(*y, factor, x);
        lanes = accumulate(lanes, x, z);
    }
    let mut sum = add_up(lanes);
    for ((y, &x), &z) in y_rest.iter_mut().zip(x_rest).zip(z_rest) {
        *y += factor * x;
        sum += x * z;
    }
    sum
}

/// `y ← y + a·u + b·w`, over the shortest length.
pub(crate) fn add_two<T: Real>(y: &mut [T], a: T, u: &[T], b: T, w: &[T]) {
    let length = y.len().min(u.len()).min(w.len());
    let (u, u_rest) = u.get(..length).unwrap_or_default().as_chunks::<4>();
    let (w, w_rest) = w.get(..length).unwrap_or_default().as_chunks::<4>();
    let (y, y_rest) = y.get_mut(..length).unwrap_or_default().as_chunks_mut::<4>();
    for ((y, &u), &w) in y.iter_mut().zip(u).zip(w) {
        *y = add_multiple(add_multiple(*y, a, u), b, w);
    }
    for ((y, &u), &w) in y_rest.iter_mut().zip(u_rest).zip(w_rest) {
        *y = (*y + a * u) + b * w;
    }
}

/// `(x, y) ← (cx + sy, cy − sx)`, over the shorter length.
pub(crate) fn rotate<T: Real>(x: &mut [T], y: &mut [T], c: T, s: T) {
    let length = x.len().min(y.len());
    let (x, x_rest) = x.get_mut(..length).unwrap_or_default().as_chunks_mut::<4>();
    let (y, y_rest) = y.get_mut(..length).unwrap_or_default().as_chunks_mut::<4>();
    for (x, y) in x.iter_mut().zip(y) {
        let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (*x, *y);
        *x = [c * x0 + s * y0, c * x1 + s * y1, c * x2 + s * y2, c * x3 + s * y3];
        *y = [c * y0 - s * x0, c * y1 - s * x1, c * y2 - s * x2, c * y3 - s * x3];
    }
    for (x, y) in x_rest.iter_mut().zip(y_rest) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}
