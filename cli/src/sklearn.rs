//! A `KernelPCA` of scikit-learn, as the snippet in `docs/SKLEARN.md` dumps it.

use std::path::Path;

use anyhow::{Result, anyhow, bail, ensure};
use mercer::detect::{Threshold, scaling};
use mercer::kernel::{BlockKernel, gram};
use mercer::kpca::ExpansionHeader;
use mercer::{Error, Kernel};
use serde::Deserialize;

use crate::bounded::{MOST_JSON, read_text};
use crate::choices::Choices;
use crate::file::LONGEST_FAULT;
use crate::grid::Grid;
use crate::kernel::with_kernel;
use crate::learn::{are_affordable, calibrate, explain_option};
use crate::memory::Weights;
use crate::model::Model;
use crate::progress::Progress;
use crate::spread::spreads;
use crate::text::{excerpt, shorten};
use crate::training::Training;
use crate::{KernelSpec, Number};

/// What the snippet in `docs/SKLEARN.md` writes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dump {
    kernel: String,
    gamma: Option<f64>,
    degree: Option<f64>,
    coef0: Option<f64>,
    /// `X_fit_`: a row for each sample.
    samples: Vec<Vec<f64>>,
    /// `eigenvalues_`, descending.
    eigenvalues: Vec<f64>,
    /// `eigenvectors_`: a row for each sample, a column for each component.
    eigenvectors: Vec<Vec<f64>>,
    columns: Option<Vec<String>>,
    scaler: Option<Scaler>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scaler {
    mean: Option<Vec<f64>>,
    scale: Option<Vec<f64>>,
}

impl Dump {
    /// Reads and checks a dump.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let text = read_text(path, MOST_JSON)?;
        let dump: Self = serde_json::from_str(&text).map_err(|error| {
            let error = shorten(&error.to_string(), LONGEST_FAULT);
            anyhow!("{name}: not a dump of a scikit-learn model: {error}")
        })?;
        dump.check().map_err(|error| anyhow!("{name}: {error}"))?;
        Ok(dump)
    }

    fn check(&self) -> Result<()> {
        let (n, inputs, components) = (self.samples.len(), self.inputs(), self.eigenvalues.len());
        ensure!(n >= 2 && inputs > 0 && components > 0, "a model of nothing");
        let lengths = |rows: &[Vec<f64>], expected| rows.iter().all(|row| row.len() == expected);
        ensure!(lengths(&self.samples, inputs), "samples of different lengths");
        ensure!(
            self.eigenvectors.len() == n && lengths(&self.eigenvectors, components),
            "eigenvectors are not {n} rows of {components} columns"
        );
        let scaler = self.scaler.iter().flat_map(|s| [&s.mean, &s.scale]).flatten();
        ensure!(scaler.map(Vec::len).all(|len| len == inputs), "a scaler for other inputs");
        let names = self.columns.as_ref().map_or(inputs, Vec::len);
        ensure!(names == inputs, "{names} columns for {inputs} inputs");
        let numbers = self.samples.iter().chain(&self.eigenvectors).flatten();
        ensure!(numbers.chain(&self.eigenvalues).all(|v| v.is_finite()), "a number is not finite");
        for (what, parameter) in [("gamma", self.gamma), ("coef0", self.coef0)] {
            ensure!(parameter.is_none_or(f64::is_finite), "{what} is not finite");
        }
        let scaler = self.scaler.as_ref();
        let mean = scaler.and_then(|scaler| scaler.mean.as_deref()).unwrap_or_default();
        ensure!(mean.iter().all(|value| value.is_finite()), "a mean of the scaler is not finite");
        let scale = scaler.and_then(|scaler| scaler.scale.as_deref()).unwrap_or_default();
        let usable = |value: &f64| value.is_finite() && *value > 0.0;
        ensure!(scale.iter().all(usable), "a scale of the scaler is not finite and > 0");
        ensure!(self.rank() > 0, "no component has any variance");
        ensure!(self.eigenvalues.is_sorted_by(|a, b| a >= b), "eigenvalues do not descend");
        ensure!(are_affordable(n, n), "{n} samples are too many to be imported");
        Ok(())
    }

    fn inputs(&self) -> usize {
        self.samples.first().map_or(0, Vec::len)
    }

    /// Components that have variance; scikit-learn may list others, on which everything projects to
    /// 0.
    pub(crate) fn rank(&self) -> usize {
        let largest = self.eigenvalues.first().copied().unwrap_or_default();
        self.eigenvalues.iter().take_while(|&&value| value > 1e-12 * largest).count()
    }

    fn kernel<T: Number>(&self) -> Result<KernelSpec<T>> {
        let gamma = T::from_f64(self.gamma.unwrap_or(1.0 / self.inputs() as f64));
        let coef0 = T::from_f64(self.coef0.unwrap_or(1.0));
        let spec = match self.kernel.as_str() {
            "linear" => KernelSpec::Linear {},
            "cosine" => KernelSpec::Cosine {},
            "rbf" => KernelSpec::Rbf { gamma },
            "laplacian" => KernelSpec::Laplacian { gamma },
            "sigmoid" => KernelSpec::Sigmoid { gamma, coef0 },
            "poly" => {
                let degree = self.degree.unwrap_or(3.0);
                ensure!(
                    (1.0..=f64::from(u32::MAX)).contains(&degree) && degree.fract() == 0.0,
                    "degree {degree:?} is not a whole number that a model can have"
                );
                KernelSpec::Poly { gamma, coef0, degree: degree as u32 }
            }
            other => bail!("kernel {:?} is not known here", excerpt(other)),
        };
        with_kernel!(spec, T, kernel => Kernel::<[T]>::validate(kernel))?;
        Ok(spec)
    }

    /// The model, with a threshold by cross-fit on the samples that the dump carries.
    ///
    /// # Errors
    /// With `name`, that of the file, where that is to blame.
    pub(crate) fn into_model<T: Number>(self, choices: &Choices, name: &str) -> Result<Model<T>> {
        let about = |error: anyhow::Error| anyhow!("{name}: {error:#}");
        let kernel = self.kernel::<T>().map_err(about)?;
        self.require_kinship().map_err(about)?;
        let (inputs, rank) = (self.inputs(), self.rank());
        let mut points = Grid::new(inputs);
        for sample in &self.samples {
            points.push(&numbers(sample));
        }
        let weights = with_kernel!(kernel, T, kernel => self.weights(kernel, &points))
            .map_err(|error| about(error.into()))?;
        let calibrated = with_kernel!(kernel, T, kernel => {
            let mut progress = Progress::new("calibrating", 0);
            calibrate(&points, kernel, choices, &mut || progress.step())
        });
        let mut warnings = Vec::new();
        if rank < self.eigenvalues.len() {
            let dropped = self.eigenvalues.len() - rank;
            warnings.push(format!("{dropped} components without variance were left out"));
        }
        let (calibrated, refused) = match calibrated {
            Ok(calibrated) => (Some(calibrated), None),
            Err(error @ Error::Parameter { .. }) => return Err(explain_option(error, name)),
            Err(error) => (None, Some(format!("the threshold could not be calibrated: {error}"))),
        };
        let explained: f64 = self.eigenvalues.iter().take(rank).sum::<f64>()
            / (self.samples.len() as f64 * weights.header.total_variance.to_f64());
        let scaler = self.scaler.as_ref();
        let mean = scaler
            .and_then(|s| s.mean.as_deref().map(numbers))
            .unwrap_or_else(|| vec![T::ZERO; inputs]);
        let deviation = scaler
            .and_then(|s| s.scale.as_deref().map(numbers))
            .unwrap_or_else(|| vec![T::ONE; inputs]);
        let mut raw = points.clone();
        raw.iter_rows_mut().for_each(|row| scaling::undo(row, &mean, &deviation));
        Ok(Model {
            front: None,
            // As a header is read.
            columns: match &self.columns {
                Some(names) => names.iter().map(|name| name.trim().to_string()).collect(),
                None => (0..inputs).map(|i| format!("x{i}")).collect(),
            },
            kernel,
            mean,
            deviation,
            floor: Vec::new(),
            quantiles: spreads(&raw),
            points,
            weights,
            threshold: calibrated.as_ref().map_or(Threshold::EMPTY, |found| found.threshold),
            training: Training {
                samples: self.samples.len(),
                trimmed: 0,
                explained,
                unspanned: 0.0,
                rank,
                false_alarms: calibrated.as_ref().map(|found| found.false_alarms),
                alarms: calibrated.as_ref().map(|found| found.alarms),
                folds: choices.folds,
                fold_order: choices.fold_order,
                recordings: 1,
                later: None,
                refused,
                warnings,
            },
        })
    }

    /// Do the eigenvectors belong to the samples? Those of a model that was put together from parts
    /// of others, or whose samples were changed, do not; its scores would mean nothing.
    ///
    /// For each component, with the centred Gram matrix `G` of the samples in double precision: `‖G
    /// v − η v‖ ≤ 1e-3·η + 8·n·ε·η₁`, and `|vᵢ·vⱼ| ≤ 1e-3`, 1 for `i = j`, where `ε` is that of the
    /// numbers which scikit-learn computed with.
    fn require_kinship(&self) -> Result<()> {
        let (n, rank) = (self.samples.len(), self.rank());
        let mut samples = Grid::<f64>::new(self.inputs());
        self.samples.iter().for_each(|sample| samples.push(sample));
        let mut gram = Grid::<f64>::zeros(n, n);
        with_kernel!(self.kernel::<f64>()?, f64, kernel => {
            gram::fill(kernel, &samples, &mut gram.view_mut())
        })?;
        gram::centre(&mut gram.view_mut(), &mut vec![0.0; n])?;
        let column = |j: usize| self.eigenvectors.iter().map(|row| row[j]).collect::<Vec<f64>>();
        let vectors: Vec<Vec<f64>> = (0..rank).map(column).collect();
        let rounding = 8.0 * n as f64 * self.epsilon() * self.eigenvalues[0];
        for (j, (vector, &value)) in vectors.iter().zip(&self.eigenvalues).enumerate() {
            for (i, other) in vectors[..=j].iter().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                ensure!(
                    (dot(vector, other) - expected).abs() <= ACCURACY,
                    "eigenvectors {i} and {j} are not orthonormal"
                );
            }
            let squares = gram.iter_rows().zip(vector).map(|(row, v)| {
                let residual = dot(row, vector) - value * v;
                residual * residual
            });
            ensure!(
                squares.sum::<f64>().sqrt() <= ACCURACY * value + rounding,
                "eigenvector {j} does not belong to the samples (a model fitted by eigen_solver=\"randomized\" may be too coarse: use \"dense\")"
            );
        }
        Ok(())
    }

    /// The rounding of the numbers that scikit-learn computed with.
    fn epsilon(&self) -> f64 {
        let is_single = |value: &f64| f64::from(*value as f32) == *value;
        let mut numbers = self.eigenvectors.iter().flatten().chain(&self.eigenvalues);
        if numbers.all(is_single) { f32::EPSILON.into() } else { f64::EPSILON }
    }

    /// `α_j = v_j/√η_j`, `β_i = 1/n`, `b_j = Σ α_ji m_i`, `λ_j = η_j/n`, in the signs of the dump.
    fn weights<T, K>(&self, kernel: &K, points: &Grid<T>) -> Result<Weights<T>, Error>
    where
        T: Number,
        K: BlockKernel<[T], Scalar = T>,
    {
        let (n, rank) = (self.samples.len(), self.rank());
        let mut gram = Grid::zeros(n, n);
        let mut means = vec![T::ZERO; n];
        gram::fill(kernel, points, &mut gram.view_mut())?;
        let diagonal: f64 = (0..n).map(|i| gram.view().row(i)[i].to_f64()).sum();
        let grand_mean = gram::centre(&mut gram.view_mut(), &mut means)?;
        let mut weights = Weights::new(n, rank);
        for (j, &value) in self.eigenvalues.iter().take(rank).enumerate() {
            let mut offset = 0.0;
            for (i, vector) in self.eigenvectors.iter().enumerate() {
                let weight = vector[j] / value.sqrt();
                weights.weights.view_mut().row_mut(i)[j] = T::from_f64(weight);
                offset += weight * means[i].to_f64();
            }
            weights.offsets[j] = T::from_f64(offset);
            weights.variances[j] = T::from_f64(value / n as f64);
        }
        weights.centre.fill(T::from_f64(1.0 / n as f64));
        weights.header = ExpansionHeader::new(
            n as u32,
            rank as u32,
            grand_mean,
            T::from_f64(diagonal / n as f64 - grand_mean.to_f64()),
            self.kernel == "sigmoid",
        );
        Ok(weights)
    }
}

/// How far eigenvectors may be off, relative to what they should be.
const ACCURACY: f64 = 1e-3;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn numbers<T: Number>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}
