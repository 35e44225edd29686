//! `mercer project`: what the components see of each row.

use anyhow::Result;

use super::answer::{Input, With, answer};
use crate::missing::Missing;
use crate::model::{Model, component_name, with_model};
use crate::text::push_cell;
use crate::{Number, file};

/// Project each row on the components: CSV `row,f0,f1,…` on standard output.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    with: With,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => project(&model, arguments))
}

fn project<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let Arguments { input, with } = arguments;
    let is_imputed = input.rows.missing == Some(Missing::Impute);
    let header: String =
        (0..model.components()).map(|j| format!(",{}", component_name(j))).collect();
    answer(model, (input, with), &header, |scorer, x, _, text| {
        if is_imputed {
            scorer.score_available(x)?;
        }
        scorer.project(x)?;
        scorer.projection.iter().for_each(|f| push_cell(text, f));
        Ok(())
    })
}
