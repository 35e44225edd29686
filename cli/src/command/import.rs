//! `mercer import`: models that were fitted elsewhere.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};

use super::fit::{say_warnings, summary};
use super::tell;
use crate::choices::{Choices, Order, Points};
use crate::model::{AnyModel, Model, with_model};
use crate::sklearn::Dump;
use crate::whole::require_other;
use crate::{Number, Precision, file};

/// Take over a model that another library has fitted.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(subcommand)]
    origin: Origin,
}

#[derive(Subcommand, Debug)]
enum Origin {
    Sklearn(Sklearn),
}

/// A fitted KernelPCA of scikit-learn, and optionally its StandardScaler, dumped as JSON by the
/// snippet in docs/SKLEARN.md
///
/// The threshold is calibrated by cross-fit on the samples that the model carries.
#[derive(Args, Debug)]
struct Sklearn {
    /// The dumped model
    #[arg(value_name = "MODEL.json")]
    json: PathBuf,
    /// Where the model goes [default: beside the JSON, with the ending .mercer]
    #[arg(long, short, value_name = "M.mercer")]
    out: Option<PathBuf>,
    /// Write a model even if its threshold cannot be calibrated; whatever uses it repeats why
    #[arg(long)]
    force: bool,
    /// The numbers that the model is made of
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    precision: Precision,
    /// The share of normal readings that may be unusual (an alarm takes more than one)
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,
    /// Parts that the samples are dealt into to calibrate the threshold
    #[arg(long, value_name = "F", default_value_t = 4)]
    folds: usize,
    /// contiguous: for readings that follow each other in time; interleaved: for independent ones
    #[arg(long, value_enum, default_value_t = Order::Contiguous)]
    fold_order: Order,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let Origin::Sklearn(arguments) = &arguments.origin;
    let out = arguments.out.clone().unwrap_or_else(|| arguments.json.with_extension("mercer"));
    require_other(&out, [arguments.json.as_path()])?;
    let model: AnyModel = match arguments.precision {
        Precision::F32 => import::<f32>(arguments)?.into(),
        Precision::F64 => import::<f64>(arguments)?.into(),
    };
    let name = arguments.json.display().to_string();
    with_model!(&model, model => model.require_accepted(&name, arguments.force))?;
    file::write(&out, &model)?;
    with_model!(&model, model => say_warnings(model));
    tell!("{}", with_model!(&model, model => summary(model)).trim_end());
    Ok(())
}

fn import<T: Number>(arguments: &Sklearn) -> Result<Model<T>> {
    let dump = Dump::read(&arguments.json)?;
    let name = arguments.json.display().to_string();
    let choices = Choices {
        components: Some(dump.rank()),
        landmarks: Points::All,
        alpha: arguments.alpha,
        folds: arguments.folds,
        fold_order: arguments.fold_order,
        ..Choices::default()
    };
    dump.into_model(&choices, &name)
}
