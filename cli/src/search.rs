//! Candidates for a fit, and how good each of them is on samples that it has not seen.

use anyhow::{Result, ensure};
use mercer::Error;
use mercer::detect::{FoldOrder, logs, scaling};
use mercer::kernel::{Indexed, Rbf, Samples};
use mercer::kpca::{Components, KernelPcaView, Landmarks, landmark};

use crate::grid::Grid;
use crate::learn::explain;
use crate::loaded::Loaded;
use crate::logs::LogChoice;
use crate::memory::Memory;
use crate::quality::auroc;
use crate::text::thousands;

/// Multiples of `1/(8·d)`.
const WIDTHS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
const VARIANCES: [f64; 4] = [0.9, 0.95, 0.99, 0.999];
const LANDMARKS: [usize; 7] = [8, 16, 24, 32, 48, 64, 96];
/// More rows than this say little more about which candidate is best.
const MOST_ROWS: usize = 1024;
/// How far a fault moves an input, in deviations.
const FAULT: f32 = 3.0;

/// What a fit can be made with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) gamma: f64,
    pub(crate) variance: f64,
    pub(crate) landmarks: usize,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) candidate: Candidate,
    /// The most that a fold needed.
    pub(crate) components: usize,
    /// Mean AUROC over the folds.
    pub(crate) quality: f64,
}

/// Rows to fit and judge candidates with.
pub(crate) struct Search {
    normal: Grid<f32>,
    /// Which row of the file each of them is.
    normal_rows: Vec<usize>,
    /// None: faults are made from held-out rows.
    anomalous: Option<Grid<f32>>,
    anomalous_rows: Vec<usize>,
    folds: usize,
    order: FoldOrder,
    all_rows: usize,
}

impl Search {
    /// Inputs become logarithmic by all normal rows, as they do in a fit.
    pub(crate) fn new(
        data: &Loaded<f32>,
        is_normal: &[bool],
        log: &LogChoice,
        folds: usize,
        order: FoldOrder,
    ) -> Result<Self> {
        let of = |kind: bool| -> Vec<usize> {
            let all = is_normal.iter().enumerate();
            all.filter(|(_, normal)| **normal == kind).map(|(row, _)| row).collect()
        };
        let (all, anomalous) = (of(true), of(false));
        let samples = with_logs(data, &all, log)?;
        let (normal, normal_rows) = thinned(&samples, &all);
        let needed = folds.saturating_mul(4);
        ensure!(
            normal.rows() >= needed,
            "{}: {} normal rows are too few, it takes at least {needed} (four for each fold)",
            data.name,
            normal.rows()
        );
        let (anomalous, anomalous_rows) = thinned(&samples, &anomalous);
        let anomalous = (anomalous.rows() > 0).then_some(anomalous);
        let all_rows = all.len();
        Ok(Self { normal, normal_rows, anomalous, anomalous_rows, folds, order, all_rows })
    }

    /// What quality means here.
    pub(crate) fn description(&self, label: Option<&str>) -> String {
        let rows = match (self.normal.rows(), self.all_rows) {
            (used, all) if used == all => format!("{} normal rows", thousands(all)),
            (used, all) => format!("{} of {} normal rows", thousands(used), thousands(all)),
        };
        let against = match (&self.anomalous, label) {
            (Some(rows), Some(label)) => {
                format!("AUROC of {} rows that {label} calls anomalous", thousands(rows.rows()))
            }
            _ => format!("AUROC of faults, one input of a row moved by {FAULT} deviations,"),
        };
        format!("quality: {against} against {rows}, each scored by a model of the other folds")
    }

    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let default = 1.0 / (8.0 * self.normal.columns() as f64);
        let smallest_fit = self.normal.rows() - self.normal.rows().div_ceil(self.folds);
        let mut candidates = Vec::new();
        for width in WIDTHS {
            for variance in VARIANCES {
                for landmarks in LANDMARKS.into_iter().filter(|&r| r <= smallest_fit) {
                    candidates.push(Candidate { gamma: width * default, variance, landmarks });
                }
            }
        }
        candidates
    }

    /// Fits a candidate to each choice of folds.
    ///
    /// # Errors
    /// Those of fits and scores, which name rows as the file does.
    pub(crate) fn measure(&self, candidate: Candidate) -> Result<Found, Error> {
        let n = self.normal.rows();
        let (mut components, mut quality) = (0, 0.0);
        for fold in 0..self.folds {
            let in_fold = self.order.held_out(fold, n, self.folds);
            let (held_out, kept): (Vec<u32>, Vec<u32>) =
                (0..n as u32).partition(|&i| in_fold.contains(i as usize));
            let judged = self.judge(candidate, &kept, &held_out)?;
            components = components.max(judged.components);
            quality += judged.quality / self.folds as f64;
        }
        Ok(Found { candidate, components, quality })
    }

    /// Fits a candidate to some rows and judges it by others.
    fn judge(&self, candidate: Candidate, kept: &[u32], held_out: &[u32]) -> Result<Found, Error> {
        let inputs = self.normal.columns();
        let (mut mean, mut deviation) = (vec![0.0; inputs], vec![0.0; inputs]);
        let samples = Indexed { samples: &self.normal, rows: kept };
        scaling::learn(&samples, &mut mean, &mut deviation);
        let mut scaled = self.normal.clone();
        scaled.iter_rows_mut().for_each(|row| scaling::apply(row, &mean, &deviation));
        let samples = Indexed { samples: &scaled, rows: kept };

        let r = candidate.landmarks;
        let mut memory = Memory::new(kept.len(), r, r);
        let mut scratch = memory.scratch();
        let kernel = Rbf::new(candidate.gamma as f32);
        let wish = Components::Share(candidate.variance as f32);
        let (landmarks, storage) = (Landmarks::Room, &mut scratch.candidate);
        let row = |position: usize| self.normal_rows[kept[position] as usize];
        let report =
            landmark::fit(&kernel, &samples, landmarks, wish, &mut scratch.landmark, storage)
                .map_err(|error| match error {
                    Error::Sample { index, fault } => Error::Sample { index: row(index), fault },
                    Error::NotFinite { row: one, column: other } => {
                        Error::NotFinite { row: row(one), column: row(other) }
                    }
                    other => other,
                })?;
        let pivots = &scratch.landmark.pivots[..report.points];
        let points = Indexed { samples: &samples, rows: pivots };
        let mut memos = vec![Default::default(); scratch.candidate.view().points()];
        let model = KernelPcaView::new(&kernel, &points, scratch.candidate.view(), &mut memos)?;

        let mut projection = vec![0.0; report.components];
        let mut spe = |x: &[f32], index: usize| match model.score(x, &mut projection) {
            Ok(score) => Ok(f64::from(score.spe)),
            Err(Error::Query(fault)) => Err(Error::Sample { index, fault }),
            Err(other) => Err(other),
        };
        let (mut normal, mut anomalous) = (Vec::new(), Vec::new());
        for (i, x) in (Indexed { samples: &scaled, rows: held_out }).iter_samples().enumerate() {
            let row = self.normal_rows[held_out[i] as usize];
            normal.push(spe(x, row)?);
            if self.anomalous.is_none() {
                let mut fault = x.to_vec();
                // Each input in turn, up and down.
                fault[i % inputs] += if (i / inputs).is_multiple_of(2) { FAULT } else { -FAULT };
                anomalous.push(spe(&fault, row)?);
            }
        }
        for (x, &row) in self.anomalous.iter().flat_map(Grid::iter_rows).zip(&self.anomalous_rows) {
            let mut x = x.to_vec();
            scaling::apply(&mut x, &mean, &deviation);
            anomalous.push(spe(&x, row)?);
        }
        let quality = auroc(&normal, &anomalous).map_or(0.0, |estimate| estimate.value);
        Ok(Found { candidate, components: report.components, quality })
    }
}

/// All rows after the logarithms that suit the normal ones.
fn with_logs(data: &Loaded<f32>, normal: &[usize], log: &LogChoice) -> Result<Grid<f32>> {
    let wishes = log.of(&data.columns)?;
    let mut samples = data.samples.clone();
    let rows: Vec<u32> = normal.iter().map(|&row| row as u32).collect();
    let inputs = samples.columns();
    let (mut mean, mut deviation) = (vec![0.0; inputs], vec![0.0; inputs]);
    let mut floor = vec![0.0; inputs];
    let normal = Indexed { samples: &data.samples, rows: &rows };
    logs::learn(&normal, 0, |input| wishes[input], &mut mean, &mut deviation, &mut floor)
        .map_err(|error| explain(error, data))?;
    samples.iter_rows_mut().for_each(|row| logs::take(row, &floor));
    Ok(samples)
}

/// At most [`MOST_ROWS`] of some rows, evenly spread; and which they are.
fn thinned(samples: &Grid<f32>, rows: &[usize]) -> (Grid<f32>, Vec<usize>) {
    let stride = rows.len().div_ceil(MOST_ROWS).max(1);
    let rows: Vec<usize> = rows.iter().copied().step_by(stride).collect();
    let mut thinned = Grid::new(samples.columns());
    rows.iter().filter_map(|&row| samples.sample(row)).for_each(|row| thinned.push(row));
    (thinned, rows)
}
