//! Channels that may have been at the end of their range.

use crate::text::{percent, short};

/// A smaller share of samples at one value says nothing.
const SUSPICIOUS: f64 = 0.05;
/// Channels with so few values are switches or coarse counts, which are often at an end.
const FEW_VALUES: usize = 16;

/// The ends that the samples of a channel have reached, and how often.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ends {
    samples: usize,
    least: (f32, usize),
    largest: (f32, usize),
    /// The first few values.
    values: Vec<f32>,
}

impl Ends {
    pub(crate) fn see(&mut self, sample: f32) {
        if self.samples == 0 {
            (self.least.0, self.largest.0) = (sample, sample);
        }
        self.samples += 1;
        let is_further = [sample < self.least.0, sample > self.largest.0];
        for (end, is_further) in [&mut self.least, &mut self.largest].into_iter().zip(is_further) {
            if is_further {
                *end = (sample, 0);
            }
            end.1 += usize::from(sample == end.0);
        }
        if self.values.len() <= FEW_VALUES && !self.values.contains(&sample) {
            self.values.push(sample);
        }
    }

    /// Where it may have been saturated, in words. A channel may well rest at 0.
    pub(crate) fn warning(&self, channel: &str) -> Option<String> {
        if self.values.len() <= FEW_VALUES {
            return None;
        }
        let ends = [("least", self.least), ("largest", self.largest)];
        let share = |count: usize| count as f64 / self.samples as f64;
        let (which, (value, count)) =
            ends.into_iter().find(|(_, end)| end.0 != 0.0 && share(end.1) >= SUSPICIOUS)?;
        Some(format!(
            "channel {channel} is at its {which} value, {}, in {} of the samples: if it was saturated, faults beyond that are not seen; widen the range of the sensor",
            short(value.into()),
            percent(share(count))
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(samples: impl Iterator<Item = f32>) -> Option<String> {
        let mut ends = Ends::default();
        samples.for_each(|sample| ends.see(sample));
        ends.warning("ax")
    }

    #[test]
    fn clipped_channels_are_noticed() {
        let wave = |t: u16| 100.0 * (f32::from(t) * 0.37).sin();
        assert_eq!(warning((0..1000).map(wave)), None);
        let clipped = warning((0..1000).map(|t| wave(t).min(80.0))).expect("a warning");
        assert!(clipped.contains("channel ax is at its largest value, 80.00, in 2"), "{clipped}");
        assert!(warning((0..1000).map(|t| wave(t).max(-90.0))).is_some());
        // At rest, and switches.
        assert_eq!(warning((0..1000).map(|t| wave(t).max(0.0))), None);
        assert_eq!(warning((0..1000_u16).map(|t| f32::from(t % 2))), None);
        assert_eq!(warning(std::iter::empty()), None);
    }
}
