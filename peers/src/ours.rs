//! mercer's part.

use anyhow::Result;
use mercer::KernelPca;
use mercer::detect::Scaling;
use mercer::kernel::{Rbf, gram};
use mercer::kpca::{Components, LandmarkWorkspace, Landmarks, LeadingWorkspace};
use mercer::linalg::MatrixViewMut;
use mercer::linalg::eigen::{self, LanczosScratch};

use crate::LEADING;
use crate::data::{GAMMA, Reading, SIZES, readings};
use crate::table::Times;
use crate::timing::milliseconds;

pub(crate) const NAME: &str = "mercer eigen::leading";
/// Steps between restarts.
const STEPS: usize = 4 * LEADING;
/// Landmarks and components of the default on devices.
const POINTS: usize = 48;

/// The centred Gram matrix of the problem of this size, row by row.
pub(crate) fn centred_gram(n: usize) -> Result<Vec<f64>> {
    let samples = readings(n, n as u64);
    let mut matrix = vec![0.0; n * n];
    let mut view = MatrixViewMut::new(&mut matrix, n, n)?;
    gram::fill(&Rbf::new(GAMMA), samples.as_slice(), &mut view)?;
    gram::centre(&mut view, &mut vec![0.0; n])?;
    Ok(matrix)
}

/// Times, and residuals `max ‖A v − λ v‖` over the largest eigenvalue.
pub(crate) fn eigenpairs(wanted: usize) -> Result<(Times, Times)> {
    let (mut times, mut residuals) = ([0.0; SIZES.len()], [0.0; SIZES.len()]);
    for ((&n, time), residual) in SIZES.iter().zip(&mut times).zip(&mut residuals) {
        let matrix = centred_gram(n)?;
        let (mut basis, mut vector, mut pivots) =
            (vec![0.0; STEPS * n], vec![0.0; n], vec![0.0; n]);
        let (mut projected, mut rotation) = (vec![0.0; STEPS * STEPS], vec![0.0; STEPS * STEPS]);
        let mut rest = [[0.0; STEPS]; 3];
        *time = milliseconds(
            || matrix.clone(),
            |mut matrix| {
                let [values, diagonal, beside] = &mut rest;
                let mut scratch = LanczosScratch {
                    basis: MatrixViewMut::new(&mut basis, STEPS, n)?,
                    projected: MatrixViewMut::new(&mut projected, STEPS, STEPS)?,
                    rotation: MatrixViewMut::new(&mut rotation, STEPS, STEPS)?,
                    values,
                    diagonal,
                    beside,
                    vector: &mut vector,
                    pivots: &mut pivots,
                };
                let mut matrix = MatrixViewMut::new(&mut matrix, n, n)?;
                Ok(eigen::leading(&mut matrix, wanted, 0.0, &mut scratch)?)
            },
        )?;
        let pairs = rest[0].iter().zip(basis.chunks(n)).take(wanted);
        let worst = pairs.map(|(&value, vector)| error(&matrix, value, vector)).fold(0.0, f64::max);
        *residual = worst / rest[0][0];
    }
    Ok((times, residuals))
}

/// `‖A v − λ v‖`.
fn error(matrix: &[f64], value: f64, vector: &[f64]) -> f64 {
    let rows = matrix.chunks(vector.len()).zip(vector);
    let product = |row: &[f64]| row.iter().zip(vector).map(|(a, v)| a * v).sum::<f64>();
    rows.map(|(row, v)| (product(row) - value * v).powi(2)).sum::<f64>().sqrt()
}

pub(crate) fn exact_detector() -> Result<Times> {
    Ok([exact::<128>()?, exact::<256>()?, exact::<512>()?])
}

pub(crate) fn landmark_detector() -> Result<Times> {
    Ok([landmarks::<128>()?, landmarks::<256>()?, landmarks::<512>()?])
}

/// Scaling, exact kernel PCA, and the scores of as many new readings.
fn exact<const N: usize>() -> Result<f64> {
    let mut model = Box::new(KernelPca::<Rbf<f64>, Reading, N, LEADING>::new());
    let mut workspace = Box::new(LeadingWorkspace::<f64, N, STEPS>::new());
    detector(N, &mut model, |model, samples| {
        let components = Components::Fixed(LEADING);
        model.fit_leading(Rbf::new(GAMMA), samples, components, &mut workspace)?;
        Ok(())
    })
}

fn landmarks<const N: usize>() -> Result<f64> {
    let mut model = Box::new(KernelPca::<Rbf<f64>, Reading, POINTS, LEADING>::new());
    let mut workspace = Box::new(LandmarkWorkspace::<f64, N, POINTS>::new());
    detector(N, &mut model, |model, samples| {
        let components = Components::Fixed(LEADING);
        model.fit_landmarks(
            Rbf::new(GAMMA),
            samples,
            Landmarks::Room,
            components,
            &mut workspace,
        )?;
        Ok(())
    })
}

fn detector<const R: usize>(
    n: usize,
    model: &mut KernelPca<Rbf<f64>, Reading, R, LEADING>,
    mut fit: impl FnMut(&mut KernelPca<Rbf<f64>, Reading, R, LEADING>, &[Reading]) -> Result<()>,
) -> Result<f64> {
    let (samples, queries) = (readings(n, n as u64), readings(n, 1 + n as u64));
    milliseconds(
        || samples.clone(),
        |mut samples| {
            let scaling = Scaling::<Reading>::learn(samples.as_slice());
            for sample in &mut samples {
                *sample = scaling.apply(sample);
            }
            fit(model, &samples)?;
            let mut sum = 0.0;
            for query in &queries {
                sum += model.score(&scaling.apply(query))?.spe;
            }
            Ok(sum)
        },
    )
}

/// One time for each size.
pub(crate) fn each(measure: impl Fn(usize) -> Result<f64>) -> Result<Times> {
    let [a, b, c] = SIZES;
    Ok([measure(a)?, measure(b)?, measure(c)?])
}
