//! `mercer project`: what the components see of each row.

use anyhow::Result;

use super::answer::{Input, answer};
use crate::model::{Model, with_model};
use crate::text::push_cell;
use crate::{Number, file};

/// Project each row on the components: CSV `row,f0,f1,…` on standard output.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => project(&model, &arguments.input))
}

fn project<T: Number>(model: &Model<T>, input: &Input) -> Result<()> {
    let header: String = (0..model.components()).map(|j| format!(",f{j}")).collect();
    answer(model, input, &header, None, |scorer, x, _, text| {
        scorer.project(x)?;
        scorer.projection.iter().for_each(|f| push_cell(text, f));
        Ok(())
    })
}
