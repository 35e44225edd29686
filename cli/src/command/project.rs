//! `mercer project`: what the components see of each row.

use anyhow::Result;

use super::answer::{Input, Written, answer};
use crate::missing::Missing;
use crate::model::{Model, component_name, with_model};
use crate::{Number, file};

/// Project each row on the components: CSV `row,f0,f1,…` on standard output.
///
/// Components are the directions in which normal readings differ from each other, the strongest
/// first.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    written: Written,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => project(&model, arguments))
}

fn project<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let Arguments { input, written } = arguments;
    let is_imputed = input.rows.missing == Some(Missing::Impute);
    let columns = (0..model.components()).map(component_name).collect();
    answer(model, (input, written), columns, None, |scorer, x, line| {
        if is_imputed {
            scorer.score_available(x)?;
        }
        scorer.project(x)?;
        scorer.projection.iter().for_each(|&f| line.number(f));
        Ok(None)
    })
}
