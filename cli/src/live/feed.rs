//! Reads and scores, at the pace of the stream or of a recording, and sends what comes of it.

use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use mercer::AlarmConfig;

use super::{Blamed, News, Scored};
use crate::Number;
use crate::intake::Intake;
use crate::model::Model;
use crate::watch::Watch;

/// Seconds from one reading to the next when a file is played; none to play it as fast as it can
/// be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace(pub(crate) Option<f64>);

impl Pace {
    /// Waits until it is time for a reading, counted from 0.
    fn wait(self, began: Instant, reading: u64) {
        let Some(seconds) = self.0 else { return };
        let due = Duration::try_from_secs_f64(seconds * reading as f64).unwrap_or(Duration::MAX);
        thread::sleep(due.saturating_sub(began.elapsed()));
    }
}

/// Sends all readings.
///
/// # Errors
/// What is wrong with the data. Nobody may be listening any more, which is one too.
pub(crate) fn feed<T: Number>(
    model: &Model<T>,
    mut intake: Intake<'_, T>,
    config: AlarmConfig,
    pace: Pace,
    news: &SyncSender<News>,
) -> Result<()> {
    let send = |item| news.send(item).map_err(|_| anyhow!("nobody is watching"));
    let mut watch = Watch::new(config)?;
    let mut scorer = model.scorer();
    let (began, mut told) = (Instant::now(), Vec::new());
    for reading in 0.. {
        if !intake.advance()? {
            break;
        }
        pace.wait(began, reading);
        let x = intake.x.clone();
        let verdict = scorer.score(&x).map_err(|error| intake.misfit(error))?;
        let seen = watch.see(&verdict, intake.recording());
        let suspect = match verdict.unusual {
            true => Some(scorer.suspect(&x).map_err(|error| intake.misfit(error))?),
            false => None,
        };
        let threshold = verdict.threshold.spe.to_f64();
        send(News::Scored(Scored {
            row: intake.number(),
            time: intake.time().into(),
            score: verdict.score.spe.to_f64() / threshold,
            smoothed: watch.smoothed().map(|smoothed| smoothed.to_f64() / threshold),
            alarm: seen.active,
            suspect: suspect.map(|suspect| Blamed {
                input: model.columns[suspect.input].clone(),
                read: suspect.read.to_f64(),
                expected: suspect.expected.to_f64(),
            }),
        }))?;
        let omissions = intake.omissions();
        if omissions != told {
            send(News::Omitted(omissions.clone()))?;
            told = omissions;
        }
    }
    send(News::Omitted(intake.omissions()))
}
