//! `mercer inspect`: what is in a model.

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use super::fit::summary;
use super::say;
use crate::choices::Order;
use crate::front::Front;
use crate::logs::logarithmic;
use crate::model::{Model, with_model};
use crate::samples::SampleType;
use crate::text::{percent, short, warn};
use crate::training::Later;
use crate::{KernelSpec, Number, Precision, escape, file};

/// Show kernel, sizes, eigenvalues, threshold, bytes and checksum of a model.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    /// A model that `mercer fit` wrote
    #[arg(value_name = "M.mercer")]
    model: PathBuf,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let text = with_model!(file::read(&arguments.model)?, model => match arguments.json {
        true => escape::json(&serde_json::to_string_pretty(&Facts::new(&model)?)?),
        false => {
            // That it was refused was said when it was read.
            model.training.warnings.iter().for_each(|warning| warn(warning));
            in_words(&model)?
        }
    });
    say!("{}", text.trim_end());
    Ok(())
}

/// All that `--json` prints.
#[derive(Serialize)]
struct Facts<T> {
    precision: Precision,
    kernel: KernelSpec<T>,
    /// What makes readings of raw samples, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    front_end: Option<Front>,
    inputs: Vec<String>,
    logarithmic: Vec<LogFacts<T>>,
    landmarks: usize,
    components: usize,
    eigenvalues: Vec<T>,
    explained_ratios: Vec<T>,
    explained: f64,
    unspanned: f64,
    total_variance: T,
    indefinite: bool,
    threshold: ThresholdFacts<T>,
    samples: usize,
    trimmed: usize,
    false_alarms: Option<f64>,
    /// What that share rests on.
    false_alarms_assume: Option<&'static str>,
    folds: usize,
    fold_order: Order,
    /// How many recordings the samples are of.
    recordings: usize,
    /// How often the alarm is raised by the scores that the threshold was calibrated on.
    alarms: Option<usize>,
    /// The readings after learning that the threshold was taken from, if it was.
    later: Option<Later>,
    refused: Option<String>,
    warnings: Vec<String>,
    flash_bytes: usize,
    stored_bytes: usize,
    stack_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<CostFacts>,
    checksum: String,
}

/// An input whose logarithm is taken, or that of its floor if it is below.
#[derive(Serialize)]
struct LogFacts<T> {
    input: String,
    floor: T,
}

#[derive(Serialize)]
struct ThresholdFacts<T> {
    spe: T,
    usual: T,
}

/// What a score costs at the most.
#[derive(Serialize)]
struct CostFacts {
    kernel_evaluations: usize,
    multiply_adds: usize,
    instructions: InstructionFacts,
}

#[derive(Serialize)]
struct InstructionFacts {
    cortex_m0: usize,
    cortex_m3: usize,
    cortex_m4f: usize,
    rv32imac: usize,
}

impl<T: Number> Facts<T> {
    fn new(model: &Model<T>) -> Result<Self> {
        let expansion = model.expansion()?;
        let (training, header) = (&model.training, expansion.header());
        Ok(Self {
            precision: T::PRECISION,
            kernel: model.kernel,
            front_end: model.front.clone(),
            inputs: model.columns.clone(),
            logarithmic: logarithmic(&model.columns, &model.floor)
                .map(|(input, floor)| LogFacts { input: input.clone(), floor })
                .collect(),
            landmarks: expansion.points(),
            components: expansion.components(),
            eigenvalues: expansion.variances().to_vec(),
            explained_ratios: expansion.explained_ratios().collect(),
            explained: training.explained,
            unspanned: training.unspanned,
            total_variance: header.total_variance,
            indefinite: header.indefinite,
            threshold: ThresholdFacts { spe: model.threshold.spe, usual: model.threshold.usual },
            samples: training.samples,
            trimmed: training.trimmed,
            false_alarms: training.false_alarms,
            false_alarms_assume: training.false_alarms.map(|_| training.assumption()),
            folds: training.folds,
            fold_order: training.fold_order,
            recordings: training.recordings,
            alarms: training.alarms,
            later: training.later.clone(),
            refused: training.refused.clone(),
            warnings: training.warnings.clone(),
            flash_bytes: model.flash(),
            stored_bytes: stored_bytes(model)?,
            stack_bytes: model.stack(),
            cost: model.cost().map(|cost| CostFacts {
                kernel_evaluations: cost.kernel_evaluations,
                multiply_adds: cost.multiply_adds,
                instructions: InstructionFacts {
                    cortex_m0: cost.instructions.cortex_m0,
                    cortex_m3: cost.instructions.cortex_m3,
                    cortex_m4f: cost.instructions.cortex_m4f,
                    rv32imac: cost.instructions.rv32imac,
                },
            }),
            checksum: format!("{:08x}", model.checksum()?),
        })
    }
}

/// Bytes of the form that a device reads, the front end included.
fn stored_bytes<T: Number>(model: &Model<T>) -> Result<usize> {
    let front = model.front.as_ref();
    let front = front.map_or(0, |front| front.view(SampleType::F32).encoded_len());
    Ok(front + model.device_bytes()?.len())
}

fn in_words<T: Number>(model: &Model<T>) -> Result<String> {
    let mut text = summary(model);
    let expansion = model.expansion()?;
    text += &format!("{:<22} {}\n", "precision", T::NAMES[0]);
    text += &format!("{:<22} {} bytes\n", "stored", stored_bytes(model)?);
    text += &format!("{:<22} {:08x}\n", "checksum", model.checksum()?);
    text += "\ncomponent  eigenvalue  explains  together\n";
    let mut together = 0.0;
    for (j, (value, ratio)) in
        expansion.variances().iter().zip(expansion.explained_ratios()).enumerate()
    {
        together += ratio.to_f64();
        let (value, ratio) = (short(value.to_f64()), percent(ratio.to_f64()));
        text += &format!("{j:>9}  {value:>10}  {ratio:>8}  {:>8}\n", percent(together));
    }
    Ok(text)
}
