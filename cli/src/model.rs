//! A fitted detector on the host, and what can be asked of it.

use std::collections::HashSet;

use anyhow::{Result, bail, ensure};
use mercer::detect::cost::detector_size;
use mercer::detect::{Cost, DetectorView, PartialVerdict, Suspect, Threshold};
use mercer::kernel::BlockKernel;
use mercer::kpca::{ExpansionView, KernelPcaView};
use mercer::{Error, Verdict};

use crate::front::Front;
use crate::grid::Grid;
use crate::kernel::with_kernel;
use crate::logs::logarithmic;
use crate::memory::Weights;
use crate::spread::{self, Spread};
use crate::text::excerpt;
use crate::training::Training;
use crate::{KernelSpec, Number, Precision};

/// Scaling, points, weights and threshold, with the names of the inputs and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model<T> {
    /// What makes readings of raw samples; none if rows are readings.
    pub front: Option<Front>,
    /// Names of the inputs.
    pub columns: Vec<String>,
    /// The kernel.
    pub kernel: KernelSpec<T>,
    /// What is subtracted from each input.
    pub mean: Vec<T>,
    /// What each input is divided by afterwards.
    pub deviation: Vec<T>,
    /// Below this a logarithmic input counts as this, before its logarithm is taken and all else
    /// is done; 0 for an input that is not logarithmic. Empty if none is.
    pub floor: Vec<T>,
    /// Which raw values each input had in training.
    pub quantiles: Vec<Spread<T>>,
    /// The points, scaled.
    pub points: Grid<T>,
    /// Their weights.
    pub weights: Weights<T>,
    /// Where unusual readings begin.
    pub threshold: Threshold<T>,
    /// How it was fitted.
    pub training: Training,
}

/// What a component is called where projections are: in columns of a table, and in exported source.
pub(crate) fn component_name(component: usize) -> String {
    format!("f{component}")
}

/// Characters of a column's name.
pub(crate) const LONGEST_NAME: usize = 256;

impl<T: Number> Model<T> {
    /// The number of inputs.
    pub(crate) fn inputs(&self) -> usize {
        self.columns.len()
    }

    /// The number of components.
    pub(crate) fn components(&self) -> usize {
        self.weights.variances.len()
    }

    /// The weights, for the library to read.
    pub(crate) fn expansion(&self) -> Result<ExpansionView<'_, T>, Error> {
        let Weights { header, weights, centre, offsets, variances } = &self.weights;
        ExpansionView::new(*header, weights.view(), centre, offsets, variances)
    }

    /// What the kernel keeps beside the points.
    pub(crate) fn memos(&self) -> Vec<T> {
        let mut memos = vec![T::ZERO; self.points.rows()];
        let near = with_kernel!(self.kernel, T, kernel => {
            let view = self.expansion().and_then(|expansion| {
                KernelPcaView::new(kernel, &self.points, expansion, &mut memos)
            });
            view.map_or(0, |view| view.memos().len())
        });
        memos.truncate(near);
        memos
    }

    /// The detector with one of the library's kernels, and what that keeps beside the points.
    fn detector<'a, K>(
        &'a self,
        kernel: &'a K,
        memos: &'a [T],
    ) -> Result<DetectorView<'a, K, Grid<T>>, Error>
    where
        K: BlockKernel<[T], Scalar = T>,
    {
        Ok(DetectorView {
            mean: &self.mean,
            deviation: &self.deviation,
            floor: &self.floor,
            model: KernelPcaView::with_memos(kernel, &self.points, memos, self.expansion()?)?,
            threshold: self.threshold,
        })
    }

    /// The bytes that a device reads; see `mercer::detect::persist`.
    pub(crate) fn device_bytes(&self) -> Result<Vec<u8>, Error> {
        with_kernel!(self.kernel, T, kernel => {
            let detector = self.detector(kernel, &[])?;
            let mut bytes = vec![0; detector.encoded_len()];
            detector.write_to(&mut bytes)?;
            Ok(bytes)
        })
    }

    /// The checksum of a file in the device's byte form: it stands in its last four bytes.
    pub(crate) fn checksum(&self) -> Result<u32, Error> {
        let bytes = self.device_bytes()?;
        let last = bytes.last_chunk().copied().unwrap_or_default();
        Ok(u32::from_le_bytes(last))
    }

    /// Bytes of it as a `static` on a device.
    pub(crate) fn flash(&self) -> usize {
        let (d, r, p) = (self.inputs(), self.points.rows(), self.components());
        fn of<K: BlockKernel<[T], Scalar = T>, T: Number>(
            _: &K,
            d: usize,
            r: usize,
            p: usize,
        ) -> usize {
            detector_size::<K, T>(d, r, p)
        }
        let detector = with_kernel!(self.kernel, T, kernel => of::<_, T>(kernel, d, r, p));
        detector + size_of_val(self.floor.as_slice())
    }

    /// How many inputs are logarithmic.
    fn logs(&self) -> usize {
        logarithmic(&self.columns, &self.floor).count()
    }

    /// What a score costs on a device; known for Gaussian kernels in `f32`.
    pub(crate) fn cost(&self) -> Option<Cost> {
        let known = matches!(self.kernel, KernelSpec::Rbf { .. }) && T::PRECISION == Precision::F32;
        let (inputs, points, components) = (self.inputs(), self.points.rows(), self.components());
        known.then(|| Cost::gaussian(inputs, points, components).with_logs(self.logs()))
    }

    /// Bytes of stack that a score takes on a device: a bound where [`cost`](Self::cost) is known,
    /// else about.
    pub(crate) fn stack(&self) -> usize {
        let in_f32 = Cost::gaussian(self.inputs(), self.points.rows(), self.components()).ram;
        in_f32 * size_of::<T>() / size_of::<f32>()
    }

    /// Everything that must hold before it is put to work, wherever it comes from.
    pub(crate) fn validate(&self) -> Result<()> {
        self.validate_front()?;
        self.validate_names()?;
        self.validate_sizes()?;
        spread::validate(&self.quantiles, self.inputs())?;
        self.validate_refusal()?;
        self.training.validate(self.components(), self.weights.header.indefinite)?;
        Ok(with_kernel!(self.kernel, T, kernel => {
            self.detector(kernel, &[])?.validate()
        })?)
    }

    fn validate_front(&self) -> Result<()> {
        let Some(front) = &self.front else { return Ok(()) };
        front.validate()?;
        ensure!(front.names() == self.columns, "columns are not what the front end makes");
        Ok(())
    }

    fn validate_names(&self) -> Result<()> {
        let mut known = HashSet::new();
        for name in &self.columns {
            let shown = excerpt(name);
            ensure!(
                name.chars().nth(LONGEST_NAME).is_none(),
                "the name of a column has more than {LONGEST_NAME} characters: {shown:?}"
            );
            ensure!(name.trim() == name, "white space around the name of a column: {shown:?}");
            ensure!(known.insert(name), "two columns are called {shown:?}");
        }
        Ok(())
    }

    fn validate_sizes(&self) -> Result<()> {
        let Weights { weights, centre, offsets, .. } = &self.weights;
        let (inputs, points, components) = (self.inputs(), self.points.rows(), self.components());
        ensure!(inputs > 0 && components > 0 && points > 0, "a model of nothing");
        ensure!(components <= points, "{components} components of only {points} points");
        for (what, expected, given) in [
            ("inputs of a point", inputs, self.points.columns()),
            ("means", inputs, self.mean.len()),
            ("deviations", inputs, self.deviation.len()),
            ("weights", points, weights.rows()),
            ("weights of a point", components, weights.columns()),
            ("weights of the centre", points, centre.len()),
            ("offsets", components, offsets.len()),
        ] {
            if given != expected {
                return Err(Error::Shape { what, expected, given }.into());
            }
        }
        if !self.floor.is_empty() {
            let (expected, given) = (inputs, self.floor.len());
            let floors = Error::Shape { what: "floors", expected, given };
            ensure!(given == expected, floors);
            ensure!(self.logs() > 0, "floors, but none of a logarithmic input");
        }
        let samples = self.training.samples;
        ensure!(points <= samples, "{points} points of only {samples} samples");
        Ok(())
    }

    /// What cannot tell readings apart is never quiet.
    fn validate_refusal(&self) -> Result<(), Error> {
        if self.training.refused.is_none() || self.threshold == Threshold::EMPTY {
            return Ok(());
        }
        Err(Error::Parameter { name: "threshold", rule: "0 in a model that was refused" })
    }

    /// Refuses what learning refused, unless it is wanted all the same.
    pub(crate) fn require_accepted(&self, origin: &str, force: bool) -> Result<()> {
        match &self.training.refused {
            Some(why) if !force => bail!(
                "{origin}: the model was refused, nothing is written: {why} (--force writes a model that only projects)"
            ),
            _ => Ok(()),
        }
    }

    /// To score many readings one after the other.
    pub(crate) fn scorer(&self) -> Scorer<'_, T> {
        Scorer {
            model: self,
            memos: self.memos(),
            row: vec![T::ZERO; self.points.rows()],
            scaled: vec![T::ZERO; self.inputs()],
            projection: vec![T::ZERO; self.components()],
            contributions: vec![T::ZERO; self.inputs()],
        }
    }
}

/// A model with memory for one reading.
pub(crate) struct Scorer<'a, T> {
    model: &'a Model<T>,
    memos: Vec<T>,
    /// The kernel values of the reading that is being explained.
    row: Vec<T>,
    scaled: Vec<T>,
    /// The projections of the last reading.
    pub projection: Vec<T>,
    /// The contributions of the last reading that was explained.
    pub contributions: Vec<T>,
}

impl<T: Number> Scorer<'_, T> {
    /// Projects a raw reading.
    pub(crate) fn project(&mut self, x: &[T]) -> Result<(), Error> {
        self.scaled.copy_from_slice(x);
        let Self { model, memos, scaled, projection, .. } = self;
        with_kernel!(model.kernel, T, kernel => {
            model.detector(kernel, memos)?.project(scaled, projection)
        })
    }

    /// Projects and scores a raw reading.
    pub(crate) fn score(&mut self, x: &[T]) -> Result<Verdict<T>, Error> {
        self.scaled.copy_from_slice(x);
        let Self { model, memos, scaled, projection, .. } = self;
        with_kernel!(model.kernel, T, kernel => {
            model.detector(kernel, memos)?.score(scaled, projection)
        })
    }

    /// The landmark that the reading scored last is, if it is one.
    pub(crate) fn landmark(&self) -> Option<usize> {
        self.model.points.iter_rows().position(|point| point == self.scaled)
    }

    /// Scores a raw reading of which inputs may be missing; these are filled in.
    pub(crate) fn score_available(&mut self, x: &mut [T]) -> Result<PartialVerdict<T>, Error> {
        self.scaled.copy_from_slice(x);
        let Self { model, memos, scaled, projection, .. } = self;
        let partial = with_kernel!(model.kernel, T, kernel => {
            model.detector(kernel, memos)?.score_available(scaled, projection)
        })?;
        partial.missing.iter().for_each(|input| x[input] = scaled[input]);
        Ok(partial)
    }

    /// The input to blame for a raw reading.
    pub(crate) fn suspect(&mut self, x: &[T]) -> Result<Suspect<T>, Error> {
        let Self { model, memos, scaled, projection, .. } = self;
        with_kernel!(model.kernel, T, kernel => {
            model.detector(kernel, memos)?.suspect(x, scaled, projection)
        })
    }

    /// Writes the contributions of the inputs of a raw reading.
    pub(crate) fn explain(&mut self, x: &[T]) -> Result<(), Error> {
        self.scaled.copy_from_slice(x);
        let Self { model, memos, row, scaled, projection, contributions } = self;
        with_kernel!(model.kernel, T, kernel => {
            model.detector(kernel, memos)?.contributions(scaled, row, projection, contributions)
        })
    }
}

/// A model of either precision.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnyModel {
    /// In single precision.
    F32(Model<f32>),
    /// In double precision.
    F64(Model<f64>),
}

/// Evaluates an expression with a model of whichever precision it has.
macro_rules! with_model {
    ($any:expr, $model:ident => $body:expr) => {
        match $any {
            $crate::model::AnyModel::F32($model) => $body,
            $crate::model::AnyModel::F64($model) => $body,
        }
    };
}
pub(crate) use with_model;

impl From<Model<f32>> for AnyModel {
    fn from(model: Model<f32>) -> Self {
        Self::F32(model)
    }
}

impl From<Model<f64>> for AnyModel {
    fn from(model: Model<f64>) -> Self {
        Self::F64(model)
    }
}
