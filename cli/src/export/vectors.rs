//! Readings with what the library says of them, for exports to carry: a firmware that is given them
//! must say the same.
//!
//! They come of the model alone: points as raw readings, and the same with inputs moved, in an
//! order in which an alarm is raised and may end.

use mercer::detect::{AlarmRule, Threshold, logs, scaling};
use mercer::{Alarm, AlarmConfig, AlarmState};

use super::Leading;
use crate::Number;
use crate::model::Model;

/// A raw reading and what must come of it.
pub(crate) struct Vector<T> {
    pub reading: Vec<T>,
    pub spe: T,
    pub unusual: bool,
    /// Is an alarm with the default rule up after it?
    pub raised: bool,
}

/// A raw reading and its projections.
pub(crate) struct ProjectedVector<T> {
    pub reading: Vec<T>,
    pub projection: Vec<T>,
}

/// Within this share of a threshold, rounding in another's `exp` could decide.
const MARGIN: f64 = 1e-3;

/// Readings that may be usual, then some that are not, then the first again.
pub(crate) fn candidates<T: Number>(model: &Model<T>) -> Vec<Vec<T>> {
    let (inputs, points) = (model.inputs(), model.points.rows());
    let point = |index: usize| -> Vec<T> {
        model.points.iter_rows().nth(index).map(<[T]>::to_vec).unwrap_or_default()
    };
    let moved = |index: usize, input: usize, by: f64| {
        let mut scaled = point(index);
        scaled[input % inputs] += T::from_f64(by);
        scaled
    };
    let usual = [point(0), point(points / 2), point(points - 1)];
    let unusual =
        [moved(0, 0, 3.0), moved(points / 2, inputs / 2, -4.0), moved(0, inputs - 1, 8.0)];
    let far = moved(points - 1, 0, 30.0);
    let all = usual.iter().cloned().chain(unusual).chain([far]).chain(usual.iter().cloned());
    all.map(|mut reading| {
        scaling::undo(&mut reading, &model.mean, &model.deviation);
        logs::undo(&mut reading, &model.floor);
        reading
    })
    .collect()
}

/// What the model says of the candidates, but for those of which rounding could make something
/// else.
pub(crate) fn vectors<T: Number>(model: &Model<T>) -> Vec<Vector<T>> {
    let mut scorer = model.scorer();
    let Ok(mut alarm) = Alarm::<T>::new(AlarmConfig::DEFAULT) else { return Vec::new() };
    let mut vectors = Vec::new();
    for reading in candidates(model) {
        let Ok(verdict) = scorer.score(&reading) else { continue };
        let mut after = alarm;
        let raised = after.update(&verdict) == AlarmState::Raised;
        let smoothed = after.smoothed().unwrap_or(T::ZERO);
        if is_clear(verdict.score.spe, smoothed, &model.threshold) {
            alarm = after;
            let (spe, unusual) = (verdict.score.spe, verdict.unusual);
            vectors.push(Vector { reading, spe, unusual, raised });
        }
    }
    vectors
}

/// The candidates with their projections on the leading components.
pub(crate) fn projected<T: Number>(leading: &Leading<'_, T>) -> Vec<ProjectedVector<T>> {
    let (mut scorer, components) = (leading.whole.scorer(), leading.model.components());
    let project = |reading: Vec<T>| {
        scorer.project(&reading).ok()?;
        Some(ProjectedVector { projection: scorer.projection[..components].to_vec(), reading })
    };
    candidates(leading.whole).into_iter().filter_map(project).collect()
}

/// Is a score, and a smoothed one, away from where verdict and alarm change?
fn is_clear<T: Number>(spe: T, smoothed: T, threshold: &Threshold<T>) -> bool {
    let AlarmRule::Smoothed { end, .. } = AlarmRule::SMOOTHED else { return false };
    let limit = threshold.spe.to_f64();
    let is_off = |value: T, limit: f64| (value.to_f64() - limit).abs() > MARGIN * limit.abs();
    let end = if limit < 0.0 { 200.0 - f64::from(end) } else { f64::from(end) };
    is_off(spe, limit) && is_off(smoothed, limit) && is_off(smoothed, limit * end / 100.0)
}
