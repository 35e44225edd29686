//! mercer's part.

use anyhow::Result;
use mercer::KernelPca;
use mercer::detect::Scaling;
use mercer::kernel::{Rbf, gram};
use mercer::kpca::leading::{self, LeadingScratch};
use mercer::kpca::{
    Components, ExpansionHeader, ExpansionMut, LandmarkWorkspace, Landmarks, LeadingWorkspace,
};
use mercer::linalg::MatrixViewMut;
use mercer::linalg::eigen::{self, LanczosScratch};

use crate::LEADING;
use crate::data::{GAMMA, LARGE, Reading, SIZES, readings};
use crate::table::{Sizes, Times};
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

/// Memory for the leading eigenpairs.
struct Room {
    n: usize,
    steps: usize,
    basis: Vec<f64>,
    projected: Vec<f64>,
    rotation: Vec<f64>,
    values: Vec<f64>,
    beside: [Vec<f64>; 2],
    vectors: [Vec<f64>; 2],
}

impl Room {
    fn new(n: usize, wanted: usize) -> Self {
        let steps = 4 * wanted;
        Self {
            n,
            steps,
            basis: vec![0.0; steps * n],
            projected: vec![0.0; steps * steps],
            rotation: vec![0.0; steps * steps],
            values: vec![0.0; steps],
            beside: [(); 2].map(|()| vec![0.0; steps]),
            vectors: [(); 2].map(|()| vec![0.0; n]),
        }
    }

    fn scratch(&mut self) -> Result<LanczosScratch<'_, f64>> {
        let (n, steps) = (self.n, self.steps);
        let [diagonal, beside] = &mut self.beside;
        let [vector, pivots] = &mut self.vectors;
        Ok(LanczosScratch {
            basis: MatrixViewMut::new(&mut self.basis, steps, n)?,
            projected: MatrixViewMut::new(&mut self.projected, steps, steps)?,
            rotation: MatrixViewMut::new(&mut self.rotation, steps, steps)?,
            values: &mut self.values,
            diagonal,
            beside,
            vector,
            pivots,
        })
    }
}

/// Times, and residuals `max ‖A v − λ v‖` over the largest eigenvalue.
pub(crate) fn eigenpairs(wanted: usize, sizes: Sizes) -> Result<(Times, Times)> {
    let (mut times, mut residuals) = (Times::default(), Times::default());
    for ((n, time), residual) in sizes.into_iter().zip(&mut times).zip(&mut residuals) {
        let matrix = centred_gram(n)?;
        let mut room = Room::new(n, wanted);
        *time = milliseconds(
            || matrix.clone(),
            |mut matrix| {
                let mut matrix = MatrixViewMut::new(&mut matrix, n, n)?;
                Ok(eigen::leading(&mut matrix, wanted, 0.0, &mut room.scratch()?)?)
            },
        )?;
        let pairs = room.values.iter().zip(room.basis.chunks(n)).take(wanted);
        let worst = pairs.map(|(&value, vector)| error(&matrix, value, vector)).fold(0.0, f64::max);
        *residual = worst / room.values[0];
    }
    Ok((times, residuals))
}

/// The leading components of many samples, Gram matrix and weights included.
pub(crate) fn fit_leading(wanted: usize) -> Result<Times> {
    let mut times = Times::default();
    for (n, time) in LARGE.into_iter().zip(&mut times) {
        let samples = readings(n, n as u64);
        let (mut gram, mut means, mut room) =
            (vec![0.0; n * n], vec![0.0; n], Room::new(n, wanted));
        let mut header = ExpansionHeader::default();
        let mut numbers = vec![0.0; ExpansionMut::<f64>::numbers(n, wanted)];
        *time = milliseconds(
            || (),
            |()| {
                let gram = MatrixViewMut::new(&mut gram, n, n)?;
                let mut scratch =
                    LeadingScratch { gram, means: &mut means, lanczos: room.scratch()? };
                let mut model = ExpansionMut::over(n, wanted, &mut header, &mut numbers)?;
                let (kernel, wish) = (Rbf::new(GAMMA), Components::Fixed(wanted));
                Ok(leading::fit(&kernel, samples.as_slice(), wish, &mut scratch, &mut model)?)
            },
        )?;
    }
    Ok(times)
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
