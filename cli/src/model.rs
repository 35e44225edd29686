//! A fitted detector on the host, and what can be asked of it.

use anyhow::{Result, anyhow};
use mercer::detect::cost::detector_size;
use mercer::detect::{Cost, DetectorView, FoldOrder, Thresholds, Watch};
use mercer::error::Fault;
use mercer::kernel::BlockKernel;
use mercer::kpca::{ExpansionView, KernelPcaView};
use mercer::{Error, Kernel, Verdict};
use serde::{Deserialize, Serialize};

use crate::grid::Grid;
use crate::kernel::with_kernel;
use crate::memory::Weights;
use crate::table::Row;
use crate::{KernelSpec, Number, Precision};

/// Scaling, points, weights and thresholds, with the names of the inputs and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model<T> {
    /// Names of the inputs.
    pub columns: Vec<String>,
    /// The kernel.
    pub kernel: KernelSpec<T>,
    /// What is subtracted from each input.
    pub mean: Vec<T>,
    /// What each input is divided by afterwards.
    pub deviation: Vec<T>,
    /// The points, scaled.
    pub points: Grid<T>,
    /// Their weights.
    pub weights: Weights<T>,
    /// Scores above these are anomalous.
    pub thresholds: Thresholds<T>,
    /// How it was fitted.
    pub training: Training,
}

/// What is known about the fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Training {
    /// How many samples it was fitted to.
    pub samples: usize,
    /// How many were left out as outliers.
    pub trimmed: usize,
    /// Share of the total variance that the components explain.
    pub explained: f64,
    /// Share of the total variance outside the span of the points.
    pub unspanned: f64,
    /// Components that could have been kept.
    pub rank: usize,
    /// The share of false alarms that the thresholds are for; none if they are not calibrated.
    pub false_alarms: Option<f64>,
    /// Folds of the cross-fit.
    pub folds: usize,
    /// How samples were dealt into folds: `contiguous` or `interleaved`.
    pub fold_order: String,
    /// What may not be as it was meant.
    pub warnings: Vec<String>,
}

/// The word for an order of folds in options and files.
pub(crate) fn fold_order_name(order: FoldOrder) -> &'static str {
    match order {
        FoldOrder::Contiguous => "contiguous",
        FoldOrder::Interleaved => "interleaved",
        other => unreachable!("{other:?} is newer than this program"),
    }
}

/// What there is of each score that is watched, SPE first.
pub(crate) fn watched<V>(watch: Watch, spe: V, t2: V) -> Vec<V> {
    let both = [(watch.watches_spe(), spe), (watch.watches_t2(), t2)];
    both.into_iter().filter_map(|(is_watched, value)| is_watched.then_some(value)).collect()
}

/// The word for what is watched in options and files.
pub(crate) fn watch_name(watch: Watch) -> &'static str {
    match watch {
        Watch::Spe => "spe",
        Watch::T2 => "t2",
        Watch::Both => "both",
        other => unreachable!("{other:?} is newer than this program"),
    }
}

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
    fn memos(&self) -> Vec<T> {
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
            model: KernelPcaView::with_memos(kernel, &self.points, memos, self.expansion()?)?,
            thresholds: self.thresholds,
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
        with_kernel!(self.kernel, T, kernel => of::<_, T>(kernel, d, r, p))
    }

    /// What a score costs on a device; known for Gaussian kernels in `f32`.
    pub(crate) fn cost(&self) -> Option<Cost> {
        let known = matches!(self.kernel, KernelSpec::Rbf { .. }) && T::PRECISION == Precision::F32;
        known.then(|| Cost::gaussian(self.inputs(), self.points.rows(), self.components()))
    }

    /// Bytes of stack that a score takes on a device: a bound where [`cost`](Self::cost) is known, else about.
    pub(crate) fn stack(&self) -> usize {
        let in_f32 = Cost::gaussian(self.inputs(), self.points.rows(), self.components()).ram;
        in_f32 * size_of::<T>() / size_of::<f32>()
    }

    /// Everything about its numbers that must hold before it is put to work.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        mercer::detect::scaling::validate(&self.mean, &self.deviation)?;
        let header = &self.weights.header;
        let thresholds = [self.thresholds.spe, self.thresholds.t2];
        for (name, values) in [
            ("points", self.points.view().iter_rows().flatten().copied().collect::<Vec<_>>()),
            ("weights", self.weights.weights.iter_rows().flatten().copied().collect()),
            ("centre", self.weights.centre.clone()),
            ("offsets", self.weights.offsets.clone()),
            ("thresholds", thresholds.to_vec()),
            ("header", vec![header.centre_norm, header.total_variance]),
        ] {
            if !values.iter().all(|value| value.is_finite()) {
                return Err(Error::Parameter { name, rule: "finite" });
            }
        }
        if !self.weights.variances.iter().all(|&v| v.is_finite() && v > T::ZERO) {
            return Err(Error::Parameter { name: "variances", rule: "finite and > 0" });
        }
        for (what, given) in [
            ("inputs of a point", self.points.columns()),
            ("means", self.mean.len()),
            ("deviations", self.deviation.len()),
        ] {
            if given != self.inputs() {
                return Err(Error::Shape { what, expected: self.inputs(), given });
            }
        }
        with_kernel!(self.kernel, T, kernel => {
            Kernel::<[T]>::validate(kernel)?;
            self.detector(kernel, &[]).map(|_| ())
        })
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
    /// The contributions to the SPE of the last reading that was explained.
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

    /// Projects, scores and explains a raw reading.
    pub(crate) fn explain(&mut self, x: &[T]) -> Result<Verdict<T>, Error> {
        let reading = self.score(x)?;
        self.scaled.copy_from_slice(x);
        let Self { model, memos, row, scaled, projection, contributions } = self;
        with_kernel!(model.kernel, T, kernel => {
            model.detector(kernel, memos)?.contributions(scaled, row, projection, contributions)
        })?;
        Ok(reading)
    }
}

/// An error about a reading, with the place of its row and the name of its column.
pub(crate) fn at_row(row: &Row<'_>, columns: &[usize], error: Error) -> anyhow::Error {
    match error {
        Error::Query(Fault::NotFinite { input } | Fault::ScaleOverflow { input }) => {
            row.fault(columns[input], "the value is too large to be scaled")
        }
        Error::Query(fault) => anyhow!("{}: {fault}", row.place()),
        other => anyhow!("{}: {other}", row.place()),
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
