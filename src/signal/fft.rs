//! The power spectrum of a real signal whose length is a power of two.
//!
//! **Method.** Neighbouring samples are the real and imaginary parts of half as many complex
//! numbers. Their transform is taken in place, two layers of butterflies at a time, from numbers
//! that stand in bit-reversed order; the spectrum of the real signal then follows from pairs of
//! bins, and only its squared sizes are kept. One table of half a turn serves all layers, the pairs
//! of bins and the [Hann window](super::bands).
//!
//! **Source.** Cooley & Tukey, *An Algorithm for the Machine Calculation of Complex Fourier
//! Series*, Mathematics of Computation 19, 1965; real signals: Press et al., *Numerical Recipes*,
//! section 12.3.
//!
//! **Domain.** 2, 4, 8, … samples of about 1 in size.
//!
//! **Bound.** A bin differs by at most 5e-6 of the sum of all, which `tests/signal.rs` holds it to.
//!
//! **Why not a crate.** Instructions on a Cortex-M4F for 128, 256 and 512 samples at opt-level 3, s
//! and z, with the powers, which the others leave to the caller, and without putting samples in
//! order, which the Hann window does on its way (`docs/bench.csv` has [`power_spectrum`] with
//! both); microfft is version 0.6, and CMSIS is `arm_rfft_fast_f32` at −O2:
//!
//! | | 128 | 256 | 512 |
//! |---|---|---|---|
//! | this, 3 | 4,766 | 9,746 | 23,813 |
//! | this, s | 4,324 | 9,594 | 21,690 |
//! | microfft, 3 | 4,017 | 9,238 | 21,851 |
//! | microfft, s | 4,897 | 11,357 | 26,003 |
//! | microfft, z | 7,061 | 16,369 | 38,101 |
//! | CMSIS | 4,575 | 11,330 | 24,217 |
//!
//! For 256 samples this takes 4.4 KB of flash at 3 and 2.8 KB at s, microfft 6.3 and 2.9 KB, the
//! tables included; its table is that of the largest size that any crate asks for. At z, microfft
//! keeps a panic path, on a Cortex-M0 as well; it has a function for each length, so that the
//! length cannot be read at run time, and needs `unsafe`.

use core::num::NonZero;

use crate::error::{Error, require_shape};
use crate::linalg::slices::{set, split_mut};

const FOUR: NonZero<usize> = NonZero::new(4).unwrap();
const EIGHT: NonZero<usize> = NonZero::new(8).unwrap();

/// A complex number: its real and its imaginary part.
pub(crate) type Complex = [f32; 2];

/// `cos` and `sin` of `2πk/n`, for `k` from 0 to `n/2 − 1`, one after the other: what spectra of
/// windows of `n = table.len()` samples need, for [`Features`](crate::signal::Features). A device
/// has the table of its window in flash.
pub const fn fill_turn(table: &mut [f32]) {
    let (table, _) = table.as_chunks_mut::<2>();
    let samples = 2 * table.len();
    let mut k = 0;
    while k < table.len() {
        table[k] = turn(k, samples);
        k += 1;
    }
}

/// The squared sizes of a signal's frequencies, for features of one's own: `w_k|X_k|²`, where `w_k`
/// is 1 for the first and the last bin, else 2, for the negative frequencies.
///
/// `out`, which is as long as `samples`, gets bin `k` at `2k`, for `k` from 0 to `n/2 − 1`, and bin
/// `n/2` at 1; what stands at the other places means nothing. `turn` is what [`fill_turn`] makes
/// for as many samples.
///
/// ```
/// use mercer::signal::{fill_turn, power_spectrum};
/// let (mut turn, mut powers) = ([0.0; 8], [0.0; 8]);
/// fill_turn(&mut turn);
/// power_spectrum(&[1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0], &turn, &mut powers)?;
/// // A quarter of a turn each: all of it is in bin 2, where |X|² is 16.
/// assert!((powers[2 * 2] - 32.0).abs() < 1e-5 && powers[2 * 1] < 1e-5);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] unless there is a power of two of samples, at least 2; [`Error::Shape`] if
/// the lengths differ.
pub fn power_spectrum(samples: &[f32], turn: &[f32], out: &mut [f32]) -> Result<(), Error> {
    if samples.len() < 2 || !samples.len().is_power_of_two() {
        return Err(Error::Parameter {
            name: "samples",
            rule: "a power of two of them, 2 or more",
        });
    }
    require_shape("turn", samples.len(), turn.len())?;
    require_shape("powers", samples.len(), out.len())?;
    let order = Order::of_pairs(samples.len() / 2);
    for (i, &sample) in samples.iter().enumerate() {
        set(out, order.place(i), sample);
    }
    powers(out.as_chunks_mut().0, turn.as_chunks().0);
    Ok(())
}

/// The table of [`fill_turn`] for windows of `N` samples.
pub(crate) struct Turn<const N: usize>;

impl<const N: usize> Turn<N> {
    pub(crate) const TABLE: [f32; N] = {
        let mut table = [0.0; N];
        fill_turn(&mut table);
        table
    };
}

/// `cos` and `sin` of `2πk/n` for `k < n/2`, rounded once.
const fn turn(k: usize, n: usize) -> Complex {
    // In the first eighth of a turn the series are short; the others mirror it.
    let (cos, sin) = if 8 * k <= n {
        series(k, n)
    } else if 4 * k <= n {
        let (cos, sin) = series(n / 4 - k, n);
        (sin, cos)
    } else if 8 * k <= 3 * n {
        let (cos, sin) = series(k - n / 4, n);
        (-sin, cos)
    } else {
        let (cos, sin) = series(n / 2 - k, n);
        (-cos, sin)
    };
    [cos as f32, sin as f32]
}

/// `cos` and `sin` of `2πk/n` up to an eighth of a turn, by their series.
const fn series(k: usize, n: usize) -> (f64, f64) {
    let angle = core::f64::consts::TAU * (k as f64 / n as f64);
    let (mut cos, mut sin, mut term, mut i) = (1.0, 0.0, 1.0, 1);
    while i < 20 {
        term *= angle / i as f64;
        match i % 4 {
            0 => cos += term,
            1 => sin += term,
            2 => cos -= term,
            _ => sin -= term,
        }
        i += 1;
    }
    (cos, sin)
}

/// Where in memory a sample has to stand before [`powers`]: pairs of samples in bit-reversed order.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    shift: u32,
}

impl Order {
    /// For this many pairs, a power of two.
    pub(crate) fn of_pairs(pairs: usize) -> Self {
        Self { shift: usize::BITS - 1 - pairs.trailing_zeros() }
    }

    /// The place of sample `i`.
    #[inline(always)]
    pub(crate) fn place(self, i: usize) -> usize {
        // The bits of the pair reversed, less those that no pair has; the last bit says which of
        // the two it is.
        ((i & !1).reverse_bits().wrapping_shr(self.shift) << 1) | (i & 1)
    }
}

/// Turns samples, in the [`Order`] above, into `w_k|X_k|²`: bin `k` in the first part of entry `k`,
/// and the last bin (Nyquist's), for which there is no entry, in the second part of entry 0.
///
/// `turn` has as many entries as `z`.
pub(crate) fn powers(z: &mut [Complex], turn: &[Complex]) {
    debug_assert!(z.len().is_power_of_two() && z.len() == turn.len(), "{} numbers", z.len());
    let mut done = first_layers(z);
    while done.get() < z.len() {
        two_layers(z, done, turn);
        done = done.saturating_mul(FOUR);
    }
    squares(z, turn);
}

/// Transforms groups of four or eight, whose factors need no table, so that the number of layers
/// left is even; returns the size of a group.
fn first_layers(z: &mut [Complex]) -> NonZero<usize> {
    let is_odd = z.len().trailing_zeros() % 2 == 1;
    match z {
        [_] => {}
        [a, b] => (*a, *b) = (add(*a, *b), subtract(*a, *b)),
        z if is_odd => z.as_chunks_mut::<8>().0.iter_mut().for_each(eight),
        z => z.as_chunks_mut::<4>().0.iter_mut().for_each(four),
    }
    if is_odd { EIGHT } else { FOUR }
}

/// Joins groups of four transforms of `size` numbers, one layer of butterflies after the other
/// while the numbers are in registers.
fn two_layers(z: &mut [Complex], size: NonZero<usize>, turn: &[Complex]) {
    let (four, size) = (size.saturating_mul(FOUR).get(), size.get());
    // Half a turn is `size` steps of the inner layer, and twice as many of the outer one.
    let step = turn.len() >> (size.trailing_zeros() + 1);
    for group in z.chunks_exact_mut(four) {
        let (first, second) = split_mut(group, 2 * size);
        let ((a, b), (c, d)) = (split_mut(first, size), split_mut(second, size));
        let numbers = a.iter_mut().zip(b).zip(c.iter_mut().zip(d));
        for (j, ((a, b), (c, d))) in numbers.enumerate() {
            // Not through `slices`: to stop costs less than to go on with zeros.
            let (Some(outer), Some(inner)) = (turn.get(j * step), turn.get(2 * j * step)) else {
                debug_assert!(false, "step {j} of {size}");
                return;
            };
            let (b_turned, d_turned) = (back(*b, *inner), back(*d, *inner));
            let (sum, difference) = (add(*c, d_turned), subtract(*c, d_turned));
            let joined = [add(*a, b_turned), subtract(*a, b_turned)];
            [*a, *b, *c, *d] = butterflies(joined, back(sum, *outer), back(difference, *outer));
        }
    }
}

/// From the spectrum of pairs to the powers of the samples' own: `X_k = E_k + w^k O_k`, of the
/// transforms of the even and the odd samples, and `X_{m−k}` mirrors `E_k − w^k O_k`. All bins but
/// the first and the last count twice, for the negative frequencies.
fn squares(z: &mut [Complex], turn: &[Complex]) {
    let (low, high) = split_mut(z, z.len() / 2);
    if let ([_, low @ ..], [_, turn @ ..]) = (&mut *low, turn) {
        for ((p, q), &factor) in low.iter_mut().zip(high.iter_mut().rev()).zip(turn) {
            let ([a, b], [c, d]) = (*p, *q);
            let (even, odd) = ([a + c, b - d], back([b + d, c - a], factor));
            // Both are twice as large as they should be: a quarter of the square, counted twice.
            *p = [0.5 * square(add(even, odd)), 0.0];
            *q = [0.5 * square(subtract(even, odd)), 0.0];
        }
        if let [middle, ..] = high {
            *middle = [2.0 * square(*middle), 0.0];
        }
    }
    if let [[re, im], ..] = z {
        let (sum, difference) = (*re + *im, *re - *im);
        (*re, *im) = (sum * sum, difference * difference);
    }
}

/// A transform of four numbers in bit-reversed order.
#[inline(always)]
fn four(z: &mut [Complex; 4]) {
    let [a, b, c, d] = *z;
    *z = butterflies([add(a, b), subtract(a, b)], add(c, d), subtract(c, d));
}

/// A transform of eight numbers in bit-reversed order: pairs, then two layers on their sums, and
/// two on their differences, which are an eighth of a turn apart.
#[inline(always)]
fn eight(z: &mut [Complex; 8]) {
    let [a, b, c, d, e, f, g, h] = *z;
    let [a, c, e, g, b, d, f, h] = [
        add(a, b),
        add(c, d),
        add(e, f),
        add(g, h),
        subtract(a, b),
        subtract(c, d),
        subtract(e, f),
        subtract(g, h),
    ];
    let sums = butterflies([add(a, c), subtract(a, c)], add(e, g), subtract(e, g));
    let (d, h) = (quarter_back(d), quarter_back(h));
    let (sum, difference) = (eighth_back(add(f, h)), eighth_back(subtract(f, h)));
    let differences = butterflies([add(b, d), subtract(b, d)], sum, difference);
    for (pair, both) in z.as_chunks_mut::<2>().0.iter_mut().zip(sums.into_iter().zip(differences)) {
        *pair = both.into();
    }
}

/// The last layer: a transform of two numbers, `a` and `b`, joined with another one, `c` and `d`,
/// whose factors are in it but for the −i of `d`.
#[inline(always)]
fn butterflies([a, b]: [Complex; 2], c: Complex, d: Complex) -> [Complex; 4] {
    let d = quarter_back(d);
    [add(a, c), add(b, d), subtract(a, c), subtract(b, d)]
}

#[inline(always)]
fn add([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a + c, b + d]
}

#[inline(always)]
fn subtract([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a - c, b - d]
}

/// Times `cos − i sin`.
#[inline(always)]
fn back([re, im]: Complex, [cos, sin]: Complex) -> Complex {
    [re * cos + im * sin, im * cos - re * sin]
}

/// Times −i.
#[inline(always)]
fn quarter_back([re, im]: Complex) -> Complex {
    [im, -re]
}

/// Times `(1 − i)/√2`.
#[inline(always)]
fn eighth_back([re, im]: Complex) -> Complex {
    const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
    [HALF * (re + im), HALF * (im - re)]
}

#[inline(always)]
fn square([re, im]: Complex) -> f32 {
    re * re + im * im
}
