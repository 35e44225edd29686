//! Energies in bands of frequencies.
//!
//! **Method.** The samples less their mean are weighted by a periodic Hann window, `h_i = ½ − ½
//! cos(2πi/n)`, and transformed: `P_k = w_k|X_k|²/(n Σh²)`, with `w_k = 1` for the first and the
//! last of the `K = n/2` bins after bin 0, else 2, so that their sum is about the variance. Band
//! `b` of `B` adds up the bins from `1 + ⌊bK/B⌋` to `⌊(b+1)K/B⌋`; bin 0 belongs to none. A band
//! without bins has no energy.
//!
//! **Source.** Welch, *The Use of Fast Fourier Transform for the Estimation of Power Spectra*, IEEE
//! Transactions on Audio and Electroacoustics 15, 1967, of a single segment.
//!
//! **Domain.** A power of two of samples. Energies are in squares of the samples' unit; inside,
//! they are in squares of a unit that is about their range, and logarithms are taken there.
//!
//! **Bound.** 5e-6 of the sum of all bins, and 7e-5 in the logarithm of a band with more than 1e-4
//! of it: what `tests/signal.rs` holds them to.

use core::num::NonZero;

use crate::linalg::slices::{entry, set};
use crate::math::{Real, sum};
use crate::signal::fft::{Complex, Order, powers};
use crate::signal::statistics::Centre;
use crate::signal::window::{Channel, Stored};

/// The powers of a channel's frequencies, in memory of the caller's.
pub(crate) struct Spectrum<'a> {
    /// As [`powers`] leaves them; none if all samples are equal.
    bins: &'a [Complex],
    /// The natural logarithm of what brings them to energies.
    log_factor: f32,
}

impl<'a> Spectrum<'a> {
    /// Transforms a channel of `2 turn.len()` samples, in as much memory as `turn` has.
    pub(crate) fn of<T: Stored>(
        channel: &Channel<'_, T>,
        centre: &Centre,
        turn: &[Complex],
        memory: &'a mut [Complex],
    ) -> Self {
        if centre.is_constant() {
            return Self { bins: &[], log_factor: 0.0 };
        }
        debug_assert!(channel.len() == 2 * turn.len() && memory.len() == turn.len());
        weigh(channel, centre, turn, memory);
        powers(memory, turn);
        // n Σh²; Σh² is 3n/8, but for the shortest window that has a spectrum.
        let samples = channel.len() as f32;
        let norm = samples * if channel.len() > 2 { 0.375 * samples } else { 1.0 };
        Self { bins: memory, log_factor: 2.0 * centre.log_unit() - Real::ln(norm) }
    }

    /// The natural logarithm of the energy in a band, one of so many; −∞ where there is none.
    pub(crate) fn log_energy(&self, band: usize, of: NonZero<usize>) -> f32 {
        let last = self.bins.len();
        let (from, to) = (1 + band * last / of, (band + 1) * last / of);
        let inside = self.bins.get(from..=to.min(last.saturating_sub(1))).unwrap_or_default();
        let nyquist = match self.bins.first() {
            Some([_, nyquist]) if to == last => *nyquist,
            _ => 0.0,
        };
        Real::ln(sum(inside.iter().map(|[power, _]| *power)) + nyquist) + self.log_factor
    }
}

/// Writes `h_i c_i`, the samples in the order that the transform takes.
fn weigh<T: Stored>(
    channel: &Channel<'_, T>,
    centre: &Centre,
    turn: &[Complex],
    memory: &mut [Complex],
) {
    let order = Order::of_pairs(memory.len());
    let samples = memory.as_flattened_mut();
    let (half, mut i) = (turn.len(), 0);
    channel.each(|x| {
        // The second half of a turn is the first one with the signs changed.
        let (at, sign) = if i < half { (i, -0.5) } else { (i - half, 0.5) };
        let [cosine, _] = entry(turn, at);
        let weighted = centre.apply(x) * (0.5 + sign * cosine);
        set(samples, order.place(i), weighted);
        i += 1;
    });
}
