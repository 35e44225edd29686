//! How often something happens a day, at the rate at which readings come.

use anyhow::{Context, Result};
use clap::Args;

use crate::front::Front;
use crate::text::{short, thousands};
use crate::training::Training;

const SECONDS_A_DAY: f64 = 86_400.0;

/// `--per-day`.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct PerDay {
    /// Say how often a day, too; takes --rate, unless the model knows it
    #[arg(long)]
    per_day: bool,
    /// Rows a second, such as 10 or 1/60 [default: that of the model's raw samples]
    #[arg(long, value_name = "HZ", value_parser = rate, requires = "per_day")]
    rate: Option<f64>,
}

/// Reads `--rate`: a number or a fraction.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let rate = match text.split_once('/') {
        Some((over, under)) => number(over).zip(number(under)).map(|(over, under)| over / under),
        None => number(text),
    };
    rate.filter(|rate| rate.is_finite() && *rate > 0.0)
        .ok_or_else(|| "a number > 0, or a fraction such as 1/60".into())
}

impl PerDay {
    /// Readings a day, if somebody asks.
    pub(crate) fn readings(&self, front: Option<&Front>) -> Result<Option<f64>> {
        if !self.per_day {
            return Ok(None);
        }
        readings_a_day(self.rate, front).map(Some)
    }
}

/// Readings a day at so many rows a second.
pub(crate) fn readings_a_day(rate: Option<f64>, front: Option<&Front>) -> Result<f64> {
    let rate = rate.or(front.and_then(|front| front.rate));
    let rate = rate.context("--per-day takes the rows a second: --rate HZ, such as 10 or 1/60")?;
    Ok(SECONDS_A_DAY * rate / front.map_or(1.0, |front| front.hop as f64))
}

/// So many of them a day.
pub(crate) fn a_day(share: f64, readings: f64) -> String {
    format!("{} a day", shown(share * readings))
}

fn shown(count: f64) -> String {
    if count >= 100.0 { thousands(count.round() as usize) } else { short(count) }
}

/// What a model's promise comes to.
pub(crate) fn in_words(training: &Training, readings: f64) -> String {
    let count = |share: f64| shown(share * readings);
    let all = thousands(readings.round() as usize);
    let unusual = training
        .false_alarms
        .map(|share| format!("{} of {all} normal readings unusual", count(share)));
    let seen = training.later.as_ref().map_or(training.samples, |later| later.readings);
    let alarm = |alarms: usize| {
        let share = alarms as f64 / seen.max(1) as f64;
        format!("the alarm raised {} times, as often as it was seen", count(share))
    };
    let told: Vec<String> = unusual.into_iter().chain(training.alarms.map(alarm)).collect();
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_numbers_or_fractions() {
        assert_eq!(
            [rate("10"), rate("1/60"), rate(" 3 / 2 ")],
            [Ok(10.0), Ok(1.0 / 60.0), Ok(1.5)]
        );
        for bad in ["", "0", "-1", "1/0", "x", "1/2/3", "inf", "NaN"] {
            assert!(rate(bad).is_err(), "{bad}");
        }
        assert_eq!(readings_a_day(Some(1.0 / 60.0), None).unwrap(), 1440.0);
        assert_eq!(
            [a_day(0.05, 1440.0), a_day(0.5, 1_728_000.0)],
            ["72.00 a day", "864,000 a day"]
        );
    }
}
