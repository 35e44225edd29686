//! A `KernelPCA` of scikit-learn, as the snippet in the README dumps it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use mercer::Error;
use mercer::detect::Thresholds;
use mercer::kernel::{BlockKernel, gram};
use mercer::kpca::ExpansionHeader;
use serde::Deserialize;

use crate::choices::Choices;
use crate::grid::Grid;
use crate::kernel::with_kernel;
use crate::learn::calibrate;
use crate::memory::Weights;
use crate::model::{Model, Training, fold_order_name};
use crate::progress::Progress;
use crate::{KernelSpec, Number};

/// What the snippet in the README writes.
#[derive(Debug, Deserialize)]
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
struct Scaler {
    mean: Option<Vec<f64>>,
    scale: Option<Vec<f64>>,
}

impl Dump {
    /// Reads and checks a dump.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let text = fs::read_to_string(path).with_context(|| name.to_string())?;
        let dump: Self = serde_json::from_str(&text)
            .map_err(|error| anyhow!("{name}: not a dump of a scikit-learn model: {error}"))?;
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
        ensure!(self.rank() > 0, "no component has any variance");
        let mut names = self.columns.clone().unwrap_or_default();
        names.sort();
        let count = names.len();
        names.dedup();
        ensure!(names.len() == count, "two columns have the same name");
        Ok(())
    }

    fn inputs(&self) -> usize {
        self.samples.first().map_or(0, Vec::len)
    }

    /// Components that have variance; scikit-learn may list others, on which everything projects to 0.
    pub(crate) fn rank(&self) -> usize {
        let largest = self.eigenvalues.first().copied().unwrap_or_default();
        self.eigenvalues.iter().take_while(|&&value| value > 1e-12 * largest).count()
    }

    fn kernel<T: Number>(&self) -> Result<KernelSpec<T>> {
        let gamma = T::from_f64(self.gamma.unwrap_or(1.0 / self.inputs() as f64));
        let coef0 = T::from_f64(self.coef0.unwrap_or(1.0));
        Ok(match self.kernel.as_str() {
            "linear" => KernelSpec::Linear,
            "cosine" => KernelSpec::Cosine,
            "rbf" => KernelSpec::Rbf { gamma },
            "laplacian" => KernelSpec::Laplacian { gamma },
            "sigmoid" => KernelSpec::Sigmoid { gamma, coef0 },
            "poly" => {
                let degree = self.degree.unwrap_or(3.0);
                ensure!(
                    degree >= 1.0 && degree.fract() == 0.0,
                    "degree {degree} is not a whole number"
                );
                KernelSpec::Poly { gamma, coef0, degree: degree as u32 }
            }
            other => bail!("kernel \"{other}\" is not known here"),
        })
    }

    /// The model, with thresholds by cross-fit on the samples that the dump carries.
    pub(crate) fn into_model<T: Number>(self, choices: &Choices) -> Result<Model<T>> {
        let kernel = self.kernel::<T>()?;
        let (inputs, rank) = (self.inputs(), self.rank());
        let mut points = Grid::new(inputs);
        for sample in &self.samples {
            points.push(&numbers(sample));
        }
        let weights = with_kernel!(kernel, T, kernel => self.weights(kernel, &points))?;
        let calibrated = with_kernel!(kernel, T, kernel => {
            let mut progress = Progress::new("calibrating", 0);
            calibrate(&points, kernel, choices, &mut || progress.step())
        });
        let mut warnings = Vec::new();
        if rank < self.eigenvalues.len() {
            let dropped = self.eigenvalues.len() - rank;
            warnings.push(format!("{dropped} components without variance were left out"));
        }
        let thresholds = match calibrated {
            Ok(thresholds) => Some(thresholds),
            Err(error @ Error::Parameter { .. }) => return Err(error.into()),
            Err(error) => {
                warnings.push(format!("the thresholds could not be calibrated: {error}"));
                None
            }
        };
        let explained: f64 = self.eigenvalues.iter().take(rank).sum::<f64>()
            / (self.samples.len() as f64 * weights.header.total_variance.to_f64());
        let scaler = self.scaler.as_ref();
        Ok(Model {
            columns: self
                .columns
                .clone()
                .unwrap_or_else(|| (0..inputs).map(|i| format!("x{i}")).collect()),
            kernel,
            mean: scaler
                .and_then(|s| s.mean.as_deref().map(numbers))
                .unwrap_or_else(|| vec![T::ZERO; inputs]),
            deviation: scaler
                .and_then(|s| s.scale.as_deref().map(numbers))
                .unwrap_or_else(|| vec![T::ONE; inputs]),
            points,
            weights,
            thresholds: thresholds.unwrap_or(Thresholds::EMPTY),
            training: Training {
                samples: self.samples.len(),
                trimmed: 0,
                explained,
                unspanned: 0.0,
                rank,
                false_alarms: thresholds.map(|_| choices.alpha),
                folds: choices.folds,
                fold_order: fold_order_name(choices.fold_order.into()).into(),
                warnings,
            },
        })
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

fn numbers<T: Number>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}
