//! `mercer score`: how unusual each row is, and because of which column.

use anyhow::Result;
use mercer::detect::{InputSet, PartialVerdict, Suspect};

use super::answer::{Input, With, answer};
use crate::missing::Missing;
use crate::model::{Model, with_model};
use crate::text::push_cell;
use crate::watch::{AlarmChoice, Watch};
use crate::{Number, escape, file};

/// Score each row: CSV `row,spe,t2,abs_sum,unusual,alarm` on standard output.
///
/// unusual is 1 if SPE is above the threshold, else 0; alarm is 1 while the alarm is up, which
/// looks at one row after the other: at those that are scored, and no others. With a model of raw
/// samples each line is for a window, and `row` is the first of its rows. With --missing impute, a
/// column `missing` names the inputs that a row was scored without, separated by semicolons.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    with: With,
    /// Add columns `suspect,expected,fall`: for rows above the threshold the input to blame, what it should have
    /// read by what the others say, and by how much SPE falls with that. Then `why:NAME` for each input
    /// (with control characters escaped): its contribution, a slope of SPE; contributions do not add up to SPE
    #[arg(long)]
    why: bool,
    #[command(flatten)]
    alarm: AlarmChoice,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => score(&model, arguments))
}

fn score<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let &Arguments { ref input, ref with, why, ref alarm } = arguments;
    let is_imputed = input.rows.missing == Some(Missing::Impute);
    let mut watch = Watch::new(alarm.config()?)?;
    let mut header = String::from(",spe,t2,abs_sum,unusual,alarm");
    if is_imputed {
        header += ",missing";
    }
    if why {
        header += ",suspect,expected,fall";
        let name = |input: &String| format!(",{}", escape::csv(&format!("why:{input}")));
        header.extend(model.columns.iter().map(name));
    }
    answer(model, (input, with), &header, |scorer, x, recording, text| {
        let PartialVerdict { verdict, missing: lost, .. } = scorer.score_available(x)?;
        let score = verdict.score;
        [score.spe, score.t2, score.abs_sum].iter().for_each(|score| push_cell(text, score));
        for yes in [verdict.unusual, watch.see(&verdict, recording).active] {
            text.push_str(if yes { ",1" } else { ",0" });
        }
        if is_imputed {
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
