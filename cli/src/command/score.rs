//! `mercer score`: how unusual each row is, and because of which column.

use anyhow::Result;

use super::answer::{Input, answer};
use crate::model::{Model, with_model};
use crate::text::push_cell;
use crate::watch::{AlarmChoice, Watch};
use crate::{Number, escape, file};

/// Score each row: CSV `row,spe,t2,abs_sum,unusual,alarm` on standard output.
///
/// unusual is 1 if SPE is above the threshold, else 0; alarm is 1 while the alarm is up, which
/// looks at one row after the other: at those that are scored, and no others.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Add a column for each input, of the same name (with control characters escaped): how much it
    /// contributes to SPE
    #[arg(long)]
    why: bool,
    #[command(flatten)]
    alarm: AlarmChoice,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => score(&model, arguments))
}

fn score<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let Arguments { input, why, alarm } = arguments;
    let why = *why;
    let mut watch = Watch::new(alarm.config()?)?;
    let mut header = String::from(",spe,t2,abs_sum,unusual,alarm");
    if why {
        model.columns.iter().for_each(|name| header += &format!(",{}", escape::csv(name)));
    }
    answer(model, input, &header, alarm.recording.as_deref(), |scorer, x, recording, text| {
        let reading = if why { scorer.explain(x)? } else { scorer.score(x)? };
        let score = reading.score;
        [score.spe, score.t2, score.abs_sum].iter().for_each(|score| push_cell(text, score));
        for yes in [reading.unusual, watch.see(&reading, recording).active] {
            text.push_str(if yes { ",1" } else { ",0" });
        }
        if why {
            scorer.contributions.iter().for_each(|c| push_cell(text, c));
        }
        Ok(())
    })
}
