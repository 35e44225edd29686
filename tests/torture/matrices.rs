//! The matrices, by the same operations as in `tests/data/torture/make.py`, and the scales they are
//! tried at.

use super::common::{Grid, Table, number};
use mercer::math::Real;

/// A matrix whose entries are numbers of the type in question, and its exact eigenvalues,
/// descending.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) matrix: Grid<f64>,
    pub(crate) values: Vec<f64>,
}

/// A symmetric matrix from its upper triangle.
fn fill(n: usize, entry: impl Fn(usize, usize) -> f64) -> Grid<f64> {
    Grid::from_fn(n, n, |i, j| entry(i.min(j), i.max(j)))
}

fn unit(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn whole(value: usize) -> f64 {
    value as f64
}

fn power(exponent: i32) -> f64 {
    2_f64.powi(exponent)
}

fn tridiagonal(
    n: usize,
    diagonal: impl Fn(usize) -> f64,
    beside: impl Fn(usize) -> f64,
) -> Grid<f64> {
    fill(n, |i, j| match j - i {
        0 => diagonal(i),
        1 => beside(i),
        _ => 0.0,
    })
}

fn hadamard(n: usize) -> Grid<f64> {
    fill(n, |i, j| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 })
}

fn graded(n: usize, bits: i32, rising: bool) -> Grid<f64> {
    let size = |i: usize| power(-bits * (if rising { n - 1 - i } else { i }) as i32);
    fill(n, |i, j| if i == j { 1.0 } else { 0.25 / whole(1 + j - i) } * (size(i) * size(j)))
}

fn rotated(spectrum: &[f64]) -> Grid<f64> {
    let n = spectrum.len();
    let square = whole((0..n).map(|i| (i + 1) * (i + 1)).sum());
    let basis = |i: usize, j: usize| unit(i == j) - 2.0 * whole((i + 1) * (j + 1)) / square;
    fill(n, |i, j| (0..n).fold(0.0, |sum, k| sum + basis(i, k) * spectrum[k] * basis(k, j)))
}

fn arrowhead(n: usize, diagonal: impl Fn(usize) -> f64) -> Grid<f64> {
    fill(n, |i, j| if i == j { diagonal(i) } else { unit(j == n - 1) })
}

/// `start, start + step, …`
fn spaced(start: f64, step: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| start + whole(k) * step).collect()
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |product, i| product * whole(n - i) / whole(i + 1))
}

fn make(single: bool) -> Vec<(&'static str, Grid<f64>)> {
    let rows = |rows: &[&[f64]]| Grid::from_rows(rows);
    let close = if single { power(-21) } else { 1e-12 };
    let far = power(-30);
    vec![
        ("one", rows(&[&[-3.0]])),
        ("two_equal", rows(&[&[1.0, power(-40)], &[power(-40), 1.0]])),
        ("two_swapped", rows(&[&[power(-60), 1.0], &[1.0, power(-60)]])),
        ("two_graded", rows(&[&[power(60), power(29)], &[power(29), 1.0]])),
        ("three_weak", rows(&[&[1.0, far, 0.0], &[far, 1.0, far], &[0.0, far, 1.0]])),
        ("three_cyclic", fill(3, |i, j| unit(i != j))),
        ("zero", fill(7, |_, _| 0.0)),
        ("identity", fill(9, |i, j| unit(i == j))),
        ("diagonal", fill(10, |i, j| if i == j { whole(7 * i % 10) - 4.0 } else { 0.0 })),
        ("ones", fill(13, |_, _| 1.0)),
        ("rank_one", fill(12, |i, j| whole((i + 1) * (j + 1)))),
        ("wilkinson21", tridiagonal(21, |i| whole(i.abs_diff(10)), |_| 1.0)),
        (
            "glued",
            tridiagonal(
                42,
                |i| whole((i % 21).abs_diff(10)),
                |i| match i {
                    20 => power(if single { -12 } else { -26 }),
                    _ => 1.0,
                },
            ),
        ),
        ("hilbert3", fill(3, |i, j| 1.0 / whole(i + j + 1))),
        ("hilbert8", fill(8, |i, j| 1.0 / whole(i + j + 1))),
        ("hilbert12", fill(12, |i, j| 1.0 / whole(i + j + 1))),
        ("hadamard4", hadamard(4)),
        ("hadamard16", hadamard(16)),
        ("hadamard32", hadamard(32)),
        ("graded_falling", graded(11, 5, false)),
        ("graded_rising", graded(11, 5, true)),
        ("graded_steep", graded(4, 17, false)),
        ("reflection", rotated(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0])),
        ("repeated", rotated(&[3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, -2.0, -2.0, -2.0])),
        ("clustered", rotated(&spaced(1.0, close, 10))),
        ("two_clusters", {
            let above = if single { power(-20) } else { 1e-12 };
            rotated(&[spaced(2.0, above, 5), spaced(-1.0, close, 5)].concat())
        }),
        ("arrowhead", arrowhead(12, whole)),
        ("arrowhead_equal", arrowhead(12, |_| 2.0)),
        ("exchange", fill(8, |i, j| unit(i + j == 7))),
        ("path", tridiagonal(16, |_| 0.0, |_| 1.0)),
        ("kac", tridiagonal(11, |_| 0.0, |i| whole((i + 1) * (10 - i)).sqrt())),
        ("differences", tridiagonal(20, |_| 2.0, |_| -1.0)),
        (
            "weak_links",
            tridiagonal(12, |i| whole(i % 3), |_| power(if single { -23 } else { -52 })),
        ),
        ("lehmer", fill(14, |i, j| whole(i + 1) / whole(j + 1))),
        ("pascal", fill(8, |i, j| binomial(i + j, i))),
        ("moler", fill(10, |i, j| if i == j { whole(i + 1) } else { whole(i) - 1.0 })),
    ]
}

/// All of them, rounded to numbers of type `T`.
pub(crate) fn cases<T: Limits>() -> Vec<Case> {
    let table = Table::read("torture/eigenvalues.csv");
    make(T::NAME == "f32")
        .into_iter()
        .map(|(name, matrix)| {
            let lines = (0..table.rows()).filter(|&row| {
                table.text(row, "case") == name && table.text(row, "precision") == T::NAME
            });
            let values: Vec<f64> = lines.map(|row| number(table.text(row, "value"))).collect();
            assert_eq!(values.len(), matrix.rows, "{name} is in the table");
            Case { name, matrix: matrix.cast::<T>().cast(), values }
        })
        .collect()
}

impl Case {
    pub(crate) fn n(&self) -> usize {
        self.matrix.rows
    }

    /// `‖A‖`.
    pub(crate) fn norm(&self) -> f64 {
        self.values.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
    }

    pub(crate) fn least(&self) -> f64 {
        self.values[self.n() - 1]
    }

    pub(crate) fn largest_entry(&self) -> f64 {
        self.matrix.data.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
    }

    /// The matrix times `2^exponent`, as numbers of type `T`.
    pub(crate) fn scaled<T: Limits>(&self, exponent: i32) -> Grid<T> {
        Grid::from_fn(self.n(), self.n(), |i, j| T::from_f64(shift(self.matrix.at(i, j), exponent)))
    }

    /// Powers of two to scale the matrix by: none, small and large ones, and those with which its
    /// largest entry is subnormal, as small as can be with a few digits, or its norm as large as
    /// can be.
    pub(crate) fn exponents<T: Limits>(&self) -> Vec<i32> {
        let above = |value: f64| value.log2().ceil() as i32;
        if self.norm() == 0.0 {
            return vec![0];
        }
        let (least, entry) = (T::SMALLEST, above(self.largest_entry()));
        let most = T::LARGEST - 1 - above(self.norm()).max(entry);
        vec![0, -60, 60, least + 12 - entry, least + T::DIGITS - entry, most]
    }
}

/// `value · 2^exponent`, also where the power is no number.
pub(crate) fn shift(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * power(half) * power(exponent - half)
}

/// What there is to know of a type of numbers.
pub(crate) trait Limits: Real {
    const NAME: &'static str;
    /// `2^SMALLEST` is the smallest number above 0.
    const SMALLEST: i32;
    /// All numbers are below `2^LARGEST`.
    const LARGEST: i32;
    /// Binary digits.
    const DIGITS: i32;

    /// How far apart numbers are next to 0, after a shift by the opposite of `exponent`.
    fn grain(exponent: i32) -> f64 {
        shift(1.0, (Self::SMALLEST - exponent).max(-1000))
    }
}

impl Limits for f32 {
    const NAME: &'static str = "f32";
    const SMALLEST: i32 = -149;
    const LARGEST: i32 = 128;
    const DIGITS: i32 = 24;
}

impl Limits for f64 {
    const NAME: &'static str = "f64";
    const SMALLEST: i32 = -1074;
    const LARGEST: i32 = 1024;
    const DIGITS: i32 = 53;
}
