//! The alarm over the rows of a recording, as options and at work.

use std::fmt;

use anyhow::{Result, ensure};
use clap::Args;
use mercer::detect::AlarmRule;
use mercer::{Alarm, AlarmConfig, AlarmState, Error, Verdict};

use crate::Number;

/// What raises the alarm.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct AlarmChoice {
    /// What raises the alarm. smoothed: a smoothed score above the threshold; MofN, e.g. 3of5: so
    /// many unusual rows among the last (N up to 32), ended by half as many [default: smoothed]
    #[arg(long = "alarm", value_name = "smoothed|MofN", value_parser = kind)]
    kind: Option<Kind>,
    /// How slowly the smoothed score follows, 0 to 8: each row moves it by 1/2^S of the way
    /// [default: 3]
    #[arg(long = "alarm-shift", value_name = "S", value_parser = clap::value_parser!(u8).range(0..=8))]
    shift: Option<u8>,
    /// Below so many percent of the threshold the smoothed score ends the alarm, 1 to 100
    /// [default: 80]
    #[arg(long = "alarm-end", value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    end: Option<u8>,
}

/// `--alarm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Smoothed,
    Count { raise: u8, window: u8 },
}

fn kind(text: &str) -> Result<Kind, String> {
    let count = || {
        let (raise, window) = text.split_once("of")?;
        let (raise, window) = (raise.parse().ok()?, window.parse().ok()?);
        (0 < raise && raise <= window && window <= 32).then_some(Kind::Count { raise, window })
    };
    match text {
        "smoothed" => Ok(Kind::Smoothed),
        _ => count().ok_or_else(|| "`smoothed`, or M of N such as 3of5, 1 <= M <= N <= 32".into()),
    }
}

impl AlarmChoice {
    /// Does anything differ from the defaults?
    pub(crate) fn is_given(&self) -> bool {
        let Self { kind, shift, end } = self;
        kind.is_some() || shift.is_some() || end.is_some()
    }

    pub(crate) fn config(&self) -> Result<AlarmConfig> {
        let AlarmRule::Smoothed { shift, end } = AlarmRule::SMOOTHED else {
            unreachable!("it is called so");
        };
        let rule = match self.kind.unwrap_or(Kind::Smoothed) {
            Kind::Smoothed => AlarmRule::Smoothed {
                shift: self.shift.unwrap_or(shift),
                end: self.end.unwrap_or(end),
            },
            Kind::Count { raise, window } => {
                ensure!(
                    self.shift.is_none() && self.end.is_none(),
                    "--alarm-shift and --alarm-end are for --alarm smoothed"
                );
                AlarmRule::Count { window, raise, clear: (raise - 1) / 2 }
            }
        };
        Ok(AlarmConfig::DEFAULT.rule(rule))
    }
}

/// What raises and ends an alarm, in a few words.
pub(crate) struct InWords(pub(crate) AlarmConfig);

impl fmt::Display for InWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.rule {
            AlarmRule::Smoothed { shift, end } => write!(
                f,
                "smoothed score (1/{} of each reading) above the threshold, until below {end} % of it",
                1 << shift
            ),
            AlarmRule::Count { window, raise, clear } => write!(
                f,
                "{raise} of the last {window} readings unusual, until at most {clear} of them are"
            ),
            _ => Ok(()),
        }
    }
}

/// An alarm that sees row after row.
pub(crate) struct Watch<T> {
    alarm: Alarm<T>,
    recording: Option<String>,
}

/// What it says after a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The alarm is up.
    pub(crate) active: bool,
    /// It was raised by this very row.
    pub(crate) raised: bool,
    /// A recording begins with it.
    pub(crate) first: bool,
}

impl<T: Number> Watch<T> {
    pub(crate) fn new(config: AlarmConfig) -> Result<Self, Error> {
        Ok(Self { alarm: Alarm::new(config)?, recording: None })
    }

    /// What is compared with the threshold, if that is a smoothed score.
    pub(crate) fn smoothed(&self) -> Option<T> {
        self.alarm.smoothed()
    }

    /// Takes the next row, of this recording.
    pub(crate) fn see(&mut self, verdict: &Verdict<T>, recording: &str) -> Seen {
        let first = self.recording.as_deref() != Some(recording);
        if first {
            self.alarm.gap();
            self.recording = Some(recording.into());
        }
        let before = self.alarm.state();
        let state = self.alarm.update(verdict);
        let raised = state == AlarmState::Raised && before != AlarmState::Raised;
        Seen { active: state.is_active(), raised, first }
    }
}

/// Whether the alarm is up because of what came since a row, rather than left over from before: it
/// was raised since, or a score was above the threshold since.
#[derive(Debug, Default)]
pub(crate) struct Cause {
    has_evidence: bool,
}

impl Cause {
    /// Takes the next row, with what the alarm says that has seen all rows.
    pub(crate) fn is_cause<T>(&mut self, verdict: &Verdict<T>, seen: Seen) -> bool {
        self.has_evidence |= seen.raised || verdict.unusual;
        seen.active && self.has_evidence
    }
}

#[cfg(test)]
mod tests {
    use mercer::detect::Threshold;
    use mercer::kpca::Score;

    use super::*;

    fn verdict(spe: f32) -> Verdict<f32> {
        let mut score = Score::default();
        score.spe = spe;
        Threshold::new(1.0).with_usual(0.5).judge(score)
    }

    #[test]
    fn rules_are_understood() {
        let config = |text: &str| {
            kind(text).map(|kind| {
                AlarmChoice { kind: Some(kind), ..AlarmChoice::default() }.config().unwrap()
            })
        };
        assert_eq!(config("smoothed"), Ok(AlarmConfig::DEFAULT));
        let three = AlarmConfig::DEFAULT.rule(AlarmRule::THREE_OF_FIVE);
        assert_eq!(config("3of5"), Ok(three));
        for raise in 1..=32 {
            let config = config(&format!("{raise}of32")).unwrap();
            assert_eq!(config.validate(), Ok(()));
        }
        for bad in ["", "of", "0of5", "6of5", "3of33", "3 of 5", "-1of5", "3of", "of5", "Smoothed"]
        {
            assert!(kind(bad).is_err(), "{bad}");
        }
        let mixed = AlarmChoice {
            kind: Some(Kind::Count { raise: 3, window: 5 }),
            shift: Some(2),
            ..AlarmChoice::default()
        };
        assert!(mixed.config().is_err());
    }

    #[test]
    fn recordings_do_not_know_each_other() {
        let mut watch = Watch::new(AlarmConfig::DEFAULT).unwrap();
        let seen = |active, raised, first| Seen { active, raised, first };
        assert_eq!(watch.see(&verdict(9.0), "a"), seen(true, true, true));
        assert_eq!(watch.see(&verdict(0.9), "a"), seen(true, false, false));
        assert_eq!(watch.see(&verdict(0.9), "b"), seen(false, false, true));
        assert_eq!(watch.see(&verdict(9.0), "b"), seen(true, true, false));
        assert_eq!(watch.see(&verdict(9.0), "a"), seen(true, true, true), "another a");
    }

    #[test]
    fn an_alarm_from_before_is_no_finding() {
        let config = AlarmConfig::DEFAULT;
        let mut watch = Watch::new(config).unwrap();
        assert!(watch.see(&verdict(20.0), "").active);
        let mut cause = Cause::default();
        let mut next = |spe| {
            let seen = watch.see(&verdict(spe), "");
            (seen.active, cause.is_cause(&verdict(spe), seen))
        };
        // Usual scores do not end it at once, and did not raise it.
        assert_eq!(next(0.5), (true, false));
        assert_eq!(next(1.0), (true, false), "at the threshold, not above");
        // This one would not raise it alone, but says that something is wrong.
        assert_eq!(next(1.1), (true, true));
        assert_eq!(next(0.0), (true, true));
    }

    #[test]
    fn without_an_alarm_a_score_finds_nothing() {
        let mut watch = Watch::new(AlarmConfig::DEFAULT).unwrap();
        let mut cause = Cause::default();
        let seen = watch.see(&verdict(1.1), "");
        assert!(!cause.is_cause(&verdict(1.1), seen));
    }
}
