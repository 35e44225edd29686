//! `mercer score`: how unusual each row is, and because of which column.

use anyhow::Result;

use super::answer::{Input, answer};
use crate::model::{Model, with_model};
use crate::text::push_cell;
use crate::{Number, escape, file};

/// Score each row: CSV `row,spe,t2,abs_sum,alarm` on standard output; alarm is 1 above the threshold, else 0.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Add a column for each input, of the same name (with control characters escaped): how much it
    /// contributes to SPE
    #[arg(long)]
    why: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { input, why } = arguments;
    with_model!(file::read(&input.model)?, model => score(&model, input, *why))
}

fn score<T: Number>(model: &Model<T>, input: &Input, why: bool) -> Result<()> {
    let mut header = String::from(",spe,t2,abs_sum,alarm");
    if why {
        model.columns.iter().for_each(|name| header += &format!(",{}", escape::csv(name)));
    }
    answer(model, input, &header, |scorer, x, text| {
        let reading = if why { scorer.explain(x)? } else { scorer.score(x)? };
        let score = reading.score;
        [score.spe, score.t2, score.abs_sum].iter().for_each(|score| push_cell(text, score));
        text.push_str(if reading.unusual { ",1" } else { ",0" });
        if why {
            scorer.contributions.iter().for_each(|c| push_cell(text, c));
        }
        Ok(())
    })
}
