//! `mercer score`: how unusual each row is, and because of which column.

use anyhow::Result;
use mercer::detect::{InputSet, PartialVerdict, Suspect};

use super::answer::{Input, answer};
use crate::missing::Missing;
use crate::model::{Model, with_model};
use crate::text::push_cell;
use crate::watch::{AlarmChoice, Watch};
use crate::{Number, escape, file};

/// Score each row: CSV `row,spe,t2,abs_sum,unusual,alarm` on standard output.
///
/// unusual is 1 if SPE is above the threshold, else 0; alarm is 1 while the alarm is up, which
/// looks at one row after the other: at those that are scored, and no others. With a model of raw
/// samples each line is for a window, and `row` is the first of its rows.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Add columns `suspect,expected,fall`: for rows above the threshold the input to blame, what it should have
    /// read by what the others say, and by how much SPE falls with that. Then one for each input, of the same name
    /// (with control characters escaped): its contribution, a slope of SPE; contributions do not add up to SPE
    #[arg(long)]
    why: bool,
    /// What becomes of rows with cells that are empty, n/a, NaN or the like. With `impute` there is a column `missing`
    /// of the inputs that a row was scored without, separated by semicolons. With a model of raw samples, `skip` begins
    /// a new window after such a row, as a device does [default: error; skip for raw samples]
    #[arg(long, value_enum, value_name = "WHAT")]
    missing: Option<Missing>,
    #[command(flatten)]
    alarm: AlarmChoice,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => score(&model, arguments))
}

fn score<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let &Arguments { ref input, why, missing, ref alarm } = arguments;
    let mut watch = Watch::new(alarm.config()?)?;
    let mut header = String::from(",spe,t2,abs_sum,unusual,alarm");
    if missing == Some(Missing::Impute) {
        header += ",missing";
    }
    if why {
        header += ",suspect,expected,fall";
        model.columns.iter().for_each(|name| header += &format!(",{}", escape::csv(name)));
    }
    answer(model, input, &header, missing, |scorer, x, recording, text| {
        let PartialVerdict { verdict, missing: lost, .. } = scorer.score_available(x)?;
        let score = verdict.score;
        [score.spe, score.t2, score.abs_sum].iter().for_each(|score| push_cell(text, score));
        for yes in [verdict.unusual, watch.see(&verdict, recording).active] {
            text.push_str(if yes { ",1" } else { ",0" });
        }
        if missing == Some(Missing::Impute) {
            push_names(text, model, &lost);
        }
        if why {
            let suspect = if verdict.unusual { Some(scorer.suspect(x)?) } else { None };
            push_suspect(text, model, suspect);
            scorer.explain(x)?;
            scorer.contributions.iter().for_each(|c| push_cell(text, c));
        }
        Ok(())
    })
}

/// A cell with the names of some inputs.
fn push_names<T>(text: &mut String, model: &Model<T>, inputs: &InputSet) {
    let names: Vec<&str> = inputs.iter().map(|input| model.columns[input].as_str()).collect();
    text.push(',');
    text.push_str(&escape::csv(&names.join(";")));
}

/// Cells on the input to blame, empty if there is none.
fn push_suspect<T: Number>(text: &mut String, model: &Model<T>, suspect: Option<Suspect<T>>) {
    let Some(suspect) = suspect else { return text.push_str(",,,") };
    text.push(',');
    text.push_str(&escape::csv(&model.columns[suspect.input]));
    push_cell(text, &suspect.expected);
    push_cell(text, &suspect.fall);
}
