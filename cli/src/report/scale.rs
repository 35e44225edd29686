//! From values to heights, and numbers beside them.

use std::ops::Range;

use crate::text::thousands;

/// Values that a chart has room for, even or by their logarithms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    pub(super) is_logarithmic: bool,
}

impl Scale {
    /// Even, with a margin around the values.
    pub(super) fn even(values: impl Iterator<Item = f64>) -> Self {
        let Range { start, end } = range(values);
        let margin = if end > start { 0.05 * (end - start) } else { 0.5 * end.abs().max(1.0) };
        // Values at the ends of what a number can be leave no room for a margin.
        let [low, high] =
            [start - margin, end + margin].map(|x| x.clamp(f64::MIN / 4.0, f64::MAX / 4.0));
        Self { low, high, is_logarithmic: false }
    }

    /// By logarithms; values below `floor`, which is above 0, count as `floor`.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64>, floor: f64) -> Self {
        let Range { start, end } = range(values.map(|value| value.max(floor)));
        Self { low: start / 1.1, high: end.min(f64::MAX / 4.0) * 1.1, is_logarithmic: true }
    }

    pub(super) fn low(&self) -> f64 {
        self.low
    }

    pub(super) fn high(&self) -> f64 {
        self.high
    }

    /// How far up a value stands, from 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = match self.is_logarithmic {
            true => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0)
    }

    /// About so many values with the texts to write beside them, two at least: one alone tells no
    /// distance.
    pub(super) fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        let tries = (count..count + 6).map(|count| self.about(count));
        tries.into_iter().find(|ticks| ticks.len() > 1).unwrap_or_default()
    }

    fn about(&self, count: usize) -> Vec<(f64, String)> {
        if self.is_logarithmic {
            self.decades(count)
        } else {
            round_values(self.low..self.high, count)
        }
    }

    fn decades(&self, count: usize) -> Vec<(f64, String)> {
        let [first, last] = [self.low, self.high].map(|value| value.log10());
        let decades = |every: i32, steps: &[f64]| -> Vec<f64> {
            let all =
                (first.floor() as i32..=last.ceil() as i32).filter(|d| d.rem_euclid(every) == 0);
            let values = all.flat_map(|d| steps.iter().map(move |step| step * 10_f64.powi(d)));
            values.filter(|value| (self.low..=self.high).contains(value)).collect()
        };
        let fine = decades(1, &[1.0, 2.0, 5.0]);
        let chosen = match fine.len() {
            0 | 1 => return round_values(self.low..self.high, count),
            many if many <= count + 2 => fine,
            _ => {
                let every = ((last - first) / count as f64).ceil().max(1.0) as i32;
                decades(every, &[1.0])
            }
        };
        chosen.into_iter().map(|value| (value, number(value, value))).collect()
    }
}

/// The least and the largest value; both 0 if there is none.
fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let ends = values.fold(None, |ends: Option<(f64, f64)>, value| {
        Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    });
    ends.map_or(0.0..0.0, |(low, high)| low..high)
}

/// Multiples of 1, 2 or 5 times a power of ten within a range, at most so many, with their texts.
pub(super) fn round_values(Range { start, end }: Range<f64>, most: usize) -> Vec<(f64, String)> {
    let step = round_step((end - start) / most.max(1) as f64);
    let (first, last) = ((start / step).ceil(), (end / step).floor());
    if !(step > 0.0 && (last - first).abs() < 1000.0) {
        return Vec::new();
    }
    let value = |k: i32| (first + f64::from(k)) * step;
    (0..=(last - first) as i32).map(|k| (value(k), number(value(k), step))).collect()
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below this.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    // A step that is meant to be 1 may come out as 0.9999999.
    power
        * factors.into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9)).unwrap_or(10.0)
}

/// A value with the digits that tell it from others at this distance, and no more.
pub(super) fn number(value: f64, step: f64) -> String {
    let value = if value.abs() < 1e-6 * step { 0.0 } else { value };
    let place = (step.log10() + 1e-9).floor() as i32;
    if value.abs() >= 1e15 || place < -5 {
        let leading = value.abs().max(step).log10().floor() as i32;
        return format!("{value:.*e}", (leading - place).clamp(0, 15) as usize);
    }
    let text = format!("{:.*}", (-place).max(0) as usize, value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if value < 0.0 { "−" } else { "" };
    match whole.parse::<usize>() {
        Ok(count) if count >= 10_000 => format!("{sign}{}{rest}", thousands(count)),
        _ => format!("{sign}{whole}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: &[(f64, String)]) -> Vec<&str> {
        ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn numbers_are_round_and_told_apart() {
        let of = |range, most| round_values(range, most);
        assert_eq!(texts(&of(0.0..10.0, 5)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(&of(-0.3..0.31, 4)), ["−0.2", "0.0", "0.2"]);
        assert_eq!(texts(&of(0.0..100_000.0, 4)), ["0", "50,000", "100,000"]);
        let epochs = of(1_583_748_840.0..1_583_748_880.0, 4);
        assert_eq!(texts(&epochs)[..2], ["1,583,748,840", "1,583,748,850"]);
        assert_eq!(texts(&of(1e-9..3.1e-9, 4)), ["1e-9", "2e-9", "3e-9"]);
        assert_eq!(texts(&of(1.0e20..1.02e20, 2)), ["1.00e20", "1.01e20", "1.02e20"]);
        for (start, end) in [(0.0, 1.0), (3.0, 3.7), (-1e9, 1e-9), (1e300, 2e300), (5.0, 5.0)] {
            for most in [1, 2, 5, 9] {
                let ticks = of(start..end, most);
                assert!(ticks.len() <= most + 1, "{start} {end} {most}: {ticks:?}");
                let mut known = texts(&ticks);
                known.dedup();
                assert_eq!(known.len(), ticks.len(), "{ticks:?}");
            }
        }
    }

    #[test]
    fn logarithms_have_decades() {
        let scale = Scale::logarithmic([0.0, 50.0].into_iter(), 0.01);
        assert_eq!(texts(&scale.ticks(5)), ["0.01", "0.1", "1", "10"]);
        assert_eq!(scale.share(0.0), 0.0);
        assert!(
            (scale.share(0.1) - scale.share(0.01) - scale.share(10.0) + scale.share(1.0)).abs()
                < 1e-12
        );
        let close = Scale::logarithmic([0.3, 2.5].into_iter(), 0.01);
        assert_eq!(texts(&close.ticks(5)), ["0.5", "1", "2"]);
        let far = Scale::logarithmic([1e-2, 1e30].into_iter(), 0.01);
        assert!((3..9).contains(&far.ticks(5).len()), "{:?}", far.ticks(5));
    }

    #[test]
    fn any_values_have_room() {
        for values in
            [vec![], vec![0.0], vec![5.0; 3], vec![f64::MAX, f64::MIN], vec![1e-300, 2e-300]]
        {
            let scale = Scale::even(values.iter().copied());
            assert!(scale.high() > scale.low(), "{values:?}");
            assert!(values.iter().all(|&value| (0.0..=1.0).contains(&scale.share(value))));
        }
    }
}
