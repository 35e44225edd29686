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
/// The share of normal rows above the threshold by which anomalies are found.
const FALSE_ALARMS: f64 = 0.05;

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
    pub(crate) auroc: f64,
    /// The share of anomalies above the threshold for [`FALSE_ALARMS`], which the held-out rows
    /// of all folds give together; the mean over the folds.
    pub(crate) detected: f64,
}

impl Found {
    /// What candidates are compared by.
    pub(crate) fn judged(&self) -> (f64, f64) {
        (self.auroc, self.detected)
    }
}

/// How a model did on rows that it has not seen.
struct Judged {
    components: usize,
    normal: Vec<f64>,
    anomalous: Vec<f64>,
}

/// How normal rows are dealt into folds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dealing {
    pub(crate) folds: usize,
    pub(crate) order: FoldOrder,
}

/// Rows to fit and judge candidates with.
pub(crate) struct Search {
    normal: Grid<f32>,
    /// Which row of the file each of them is.
    normal_rows: Vec<usize>,
    /// None: faults are made from held-out rows.
    anomalous: Option<Grid<f32>>,
    anomalous_rows: Vec<usize>,
    /// The fold that each normal row is held out in.
    fold_of: Vec<usize>,
    folds: usize,
    /// Are folds whole recordings?
    of_recordings: bool,
    all_rows: usize,
    /// What a row is called.
    what: &'static str,
}

impl Search {
    /// Inputs become logarithmic by all normal rows, as they do in a fit. `what` is what rows are
    /// called.
    pub(crate) fn new(
        data: &Loaded<f32>,
        is_normal: &[bool],
        log: &LogChoice,
        dealing: Dealing,
        what: &'static str,
    ) -> Result<Self> {
        let of = |kind: bool| -> Vec<usize> {
            let all = is_normal.iter().enumerate();
            all.filter(|(_, normal)| **normal == kind).map(|(row, _)| row).collect()
        };
        let (all, anomalous) = (of(true), of(false));
        let samples = with_logs(data, &all, log)?;
        let (normal, normal_rows) = thinned(&samples, &all);
        let needed = dealing.folds.saturating_mul(4);
        ensure!(
            normal.rows() >= needed,
            "{}: {} normal {what} are too few, it takes at least {needed} (four for each fold)",
            data.name,
            normal.rows()
        );
        let (anomalous, anomalous_rows) = thinned(&samples, &anomalous);
        let anomalous = (anomalous.rows() > 0).then_some(anomalous);
        let all_rows = all.len();
        let recordings = recordings(&data.begins(), &normal_rows);
        let fold_of = dealing.fold_of(&recordings);
        let folds = fold_of.iter().max().map_or(0, |last| last + 1);
        let of_recordings = dealing.is_by_recordings(&recordings);
        Ok(Self {
            normal,
            normal_rows,
            anomalous,
            anomalous_rows,
            fold_of,
            folds,
            of_recordings,
            all_rows,
            what,
        })
    }

    /// What candidates are judged by.
    pub(crate) fn description(&self, label: Option<&str>) -> String {
        let what = self.what;
        let normal = match (self.normal.rows(), self.all_rows) {
            (used, all) if used == all => format!("{} normal {what}", thousands(all)),
            (used, all) => format!("{} of {} normal {what}", thousands(used), thousands(all)),
        };
        let against = match (&self.anomalous, label) {
            (Some(rows), Some(label)) => {
                format!("AUROC of {} {what} that {label} calls anomalous", thousands(rows.rows()))
            }
            _ => format!("AUROC of faults, one input of a row moved by {FAULT} deviations,"),
        };
        let folds = match self.of_recordings {
            true => format!("{} folds of whole recordings", self.folds - 1),
            false => format!("{} folds", self.folds - 1),
        };
        format!(
            "{against} against {normal}, each scored by a model of the other {folds}; found: the share of them above a threshold that {} % of the normal {what} exceed",
            100.0 * FALSE_ALARMS
        )
    }

    /// How many normal rows there are.
    pub(crate) fn normal_rows(&self) -> usize {
        self.all_rows
    }

    /// How many anomalous ones are scored.
    pub(crate) fn anomalous_rows(&self) -> usize {
        self.anomalous_rows.len()
    }

    /// What `mercer fit` does unless it is told otherwise, as far as there are rows for it.
    pub(crate) fn usual(&self) -> Candidate {
        let gamma = 1.0 / (8.0 * self.normal.columns() as f64);
        let landmarks = LANDMARKS.into_iter().filter(|&r| r <= self.smallest_fit().min(48));
        Candidate { gamma, variance: 0.99, landmarks: landmarks.max().unwrap_or(LANDMARKS[0]) }
    }

    /// Rows that the smallest fit is made to.
    fn smallest_fit(&self) -> usize {
        let held_out = |fold: usize| self.fold_of.iter().filter(|&&own| own == fold).count();
        self.normal.rows() - (0..self.folds).map(held_out).max().unwrap_or_default()
    }

    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let default = 1.0 / (8.0 * self.normal.columns() as f64);
        let smallest_fit = self.smallest_fit();
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
        let folds = (0..self.folds).map(|fold| {
            let (held_out, kept): (Vec<u32>, Vec<u32>) =
                (0..self.fold_of.len() as u32).partition(|&i| self.fold_of[i as usize] == fold);
            self.judge(candidate, &kept, &held_out)
        });
        let folds: Vec<Judged> = folds.collect::<Result<_, _>>()?;
        let threshold = threshold(folds.iter().flat_map(|fold| &fold.normal).copied().collect());
        let mean = |of: &dyn Fn(&Judged) -> f64| {
            folds.iter().map(of).sum::<f64>() / folds.len().max(1) as f64
        };
        let above = |fold: &Judged| fold.anomalous.iter().filter(|&&spe| spe > threshold).count();
        Ok(Found {
            candidate,
            components: folds.iter().map(|fold| fold.components).max().unwrap_or_default(),
            auroc: mean(&|fold| {
                auroc(&fold.normal, &fold.anomalous).map_or(0.0, |estimate| estimate.value)
            }),
            detected: mean(&|fold| above(fold) as f64 / fold.anomalous.len().max(1) as f64),
        })
    }

    /// Fits a candidate to some rows and scores others.
    fn judge(&self, candidate: Candidate, kept: &[u32], held_out: &[u32]) -> Result<Judged, Error> {
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
        Ok(Judged { components: report.components, normal, anomalous })
    }
}

impl Dealing {
    /// Where rows are of several recordings, contiguous folds are whole ones.
    fn is_by_recordings(&self, recordings: &[usize]) -> bool {
        self.order == FoldOrder::Contiguous && recordings.last().is_some_and(|&last| last > 0)
    }

    /// The fold of each row: of `u` recordings the `j`-th goes to fold `⌊j·folds/u⌋`, as in a fit.
    fn fold_of(&self, recordings: &[usize]) -> Vec<usize> {
        let rows = recordings.len();
        if self.is_by_recordings(recordings) {
            let count = recordings.last().map_or(1, |last| last + 1);
            let fold = |recording: &usize| recording * self.folds.min(count) / count;
            return recordings.iter().map(fold).collect();
        }
        let mut fold_of = vec![0; rows];
        for fold in 0..self.folds {
            let held_out = self.order.held_out(fold, rows, self.folds);
            held_out.positions().for_each(|row| fold_of[row] = fold);
        }
        fold_of
    }
}

/// The recording of each of some rows, counted among those that have any of them; recordings but
/// the first begin at these rows.
fn recordings(begins: &[usize], rows: &[usize]) -> Vec<usize> {
    let mut known: Vec<usize> =
        rows.iter().map(|row| begins.partition_point(|begin| begin <= row)).collect();
    let all = known.clone();
    known.dedup();
    all.iter().map(|recording| known.partition_point(|other| other < recording)).collect()
}

/// What [`FALSE_ALARMS`] of such scores are expected to exceed, as a fit has it.
fn threshold(mut normal: Vec<f64>) -> f64 {
    normal.sort_by(f64::total_cmp);
    let rank = ((1.0 - FALSE_ALARMS) * (normal.len() + 1) as f64).ceil() as usize;
    normal.get(rank.min(normal.len()).saturating_sub(1)).copied().unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_counted_among_those_with_rows() {
        // Recordings begin at rows 0, 3, 5 and 9; the third has none of the rows.
        assert_eq!(recordings(&[3, 5, 9], &[0, 2, 3, 4, 9, 11]), [0, 0, 1, 1, 2, 2]);
        assert_eq!(recordings(&[], &[4, 7]), [0, 0]);
        assert_eq!(recordings(&[3, 5], &[]), [0; 0]);
    }

    #[test]
    fn folds_are_whole_recordings() {
        let dealt =
            |order, folds, recordings: &[usize]| Dealing { folds, order }.fold_of(recordings);
        let contiguous = |folds, recordings| dealt(FoldOrder::Contiguous, folds, recordings);
        assert_eq!(contiguous(2, &[0, 0, 0, 1, 2]), [0, 0, 0, 0, 1]);
        assert_eq!(contiguous(4, &[0, 0, 1, 1, 1]), [0, 0, 1, 1, 1], "no more than recordings");
        assert_eq!(contiguous(2, &[0; 5]), [0, 0, 0, 1, 1], "one recording is cut");
        assert_eq!(dealt(FoldOrder::Interleaved, 2, &[0, 0, 1, 1]), [0, 1, 0, 1]);
    }

    #[test]
    fn the_threshold_is_that_of_a_fit() {
        // ⌈0.95·(n + 1)⌉: the 38th of 39, and of 10 there is no 11th.
        assert_eq!(threshold((1..=39).rev().map(f64::from).collect()), 38.0);
        assert_eq!(threshold((1..=10).map(f64::from).collect()), 10.0);
        assert_eq!(threshold(Vec::new()), 0.0);
    }
}
