//! `mercer score`: how unusual each row is, and because of which column.

use anyhow::Result;
use mercer::detect::{PartialVerdict, Suspect};

use super::answer::{Input, Written, answer};
use super::line::Line;
use crate::missing::Missing;
use crate::model::{Model, with_model};
use crate::watch::{AlarmChoice, Watch};
use crate::{Number, file};

/// Score each row: CSV `row,spe,t2,abs_sum,unusual,alarm` on standard output.
///
/// spe is SPE, the squared prediction error: what of a reading the components of the model do not
/// explain. t2 is T², how far out the reading is along the components. abs_sum is Σ|f|, the sum of
/// the sizes of its projections on them. unusual is 1 if SPE is above the threshold, else 0; alarm
/// is 1 while the alarm is up, which looks at one row after the other: at those that are scored,
/// and no others. With a model of raw samples each line is for a window, and `row` is the first of
/// its rows. With --missing impute, a column `missing` names the inputs that a row was scored
/// without, separated by semicolons.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    written: Written,
    /// Add columns `suspect,expected,fall`: for rows above the threshold the input to blame, what
    /// it should have read by what the others say, and by how much SPE falls with that. Then
    /// `why:NAME` for each input (with control characters escaped): its contribution, a slope
    /// of SPE; contributions do not add up to SPE
    #[arg(long)]
    why: bool,
    #[command(flatten)]
    alarm: AlarmChoice,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => score(&model, arguments))
}

fn score<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let &Arguments { ref input, ref written, why, ref alarm } = arguments;
    let is_imputed = input.rows.missing == Some(Missing::Impute);
    let watch = Watch::new(alarm.config()?)?;
    let mut columns = ["spe", "t2", "abs_sum", "unusual", "alarm"].map(String::from).to_vec();
    columns.extend(is_imputed.then(|| "missing".into()));
    if why {
        columns.extend(["suspect", "expected", "fall"].map(String::from));
        columns.extend(model.columns.iter().map(|input| format!("why:{input}")));
    }
    answer(model, (input, written), columns, Some(watch), |scorer, x, line| {
        let PartialVerdict { verdict, missing: lost, .. } = scorer.score_available(x)?;
        let score = verdict.score;
        [score.spe, score.t2, score.abs_sum].into_iter().for_each(|score| line.number(score));
        line.flag(verdict.unusual);
        // What the alarm says of it.
        line.later();
        if is_imputed {
            let name = |input: usize| model.columns[input].as_str();
            line.list(&lost.iter().map(name).collect::<Vec<_>>());
        }
        if why {
            let suspect = if verdict.unusual { Some(scorer.suspect(x)?) } else { None };
            push_suspect(line, model, suspect);
            scorer.explain(x)?;
            scorer.contributions.iter().for_each(|&contribution| line.number(contribution));
        }
        Ok(Some(verdict))
    })
}

/// Cells on the input to blame, empty if there is none.
fn push_suspect<T: Number>(line: &mut Line, model: &Model<T>, suspect: Option<Suspect<T>>) {
    let Some(suspect) = suspect else { return (0..3).for_each(|_| line.nothing()) };
    line.text(&model.columns[suspect.input]);
    line.number(suspect.expected);
    line.number(suspect.fall);
}
