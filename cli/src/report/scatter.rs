//! Rows where the first components see them.

use anyhow::Result;
use mercer::detect::{logs, scaling};

use super::chart::{Chart, Side};
use super::readings::{FIRST, Readings, first_projections};
use super::scale::Scale;
use super::tone::Tone;
use crate::Number;
use crate::model::Model;
use crate::text::thousands;

/// Dots of usual rows, and diamonds of unusual ones.
const MOST_ROWS: usize = 700;
/// Crosses of landmarks.
const MOST_LANDMARKS: usize = 200;

/// Rows and landmarks on the first components.
pub(super) struct Scatter<'a, T> {
    readings: &'a Readings<T>,
    components: usize,
    landmarks: Vec<[f64; FIRST]>,
    /// Where rows are. A model of one component has the score in place of a second.
    rows: Vec<[f64; FIRST]>,
    usual: Vec<usize>,
    unusual: Vec<usize>,
}

impl<'a, T: Number> Scatter<'a, T> {
    pub(super) fn new(model: &Model<T>, readings: &'a Readings<T>) -> Result<Self> {
        let mut scorer = model.scorer();
        let mut landmarks = Vec::new();
        for point in spread(model.points.iter_rows(), MOST_LANDMARKS) {
            let mut raw = point.to_vec();
            scaling::undo(&mut raw, &model.mean, &model.deviation);
            logs::undo(&mut raw, &model.floor);
            scorer.project(&raw)?;
            landmarks.push(first_projections(&scorer.projection));
        }
        let mut rows = readings.projections.clone();
        if model.components() == 1 {
            rows.iter_mut().zip(&readings.severity).for_each(|(row, &score)| row[1] = score);
            landmarks.clear();
        }
        let (unusual, usual): (Vec<usize>, Vec<usize>) =
            (0..readings.count()).partition(|&row| readings.unusual[row]);
        Ok(Self {
            readings,
            components: model.components(),
            landmarks,
            rows,
            usual: spread(usual.into_iter(), MOST_ROWS).collect(),
            unusual: spread(unusual.into_iter(), MOST_ROWS).collect(),
        })
    }

    /// Are landmarks drawn too?
    pub(super) fn has_landmarks(&self) -> bool {
        !self.landmarks.is_empty()
    }

    /// How many rows are drawn.
    pub(super) fn shown(&self) -> usize {
        self.usual.len() + self.unusual.len()
    }

    /// The figures: the first component with the second, and with the third; as many as there are.
    pub(super) fn svgs(&self) -> Vec<String> {
        let others = 1..self.components.clamp(2, FIRST);
        others.map(|other| self.svg(other)).collect()
    }

    fn name(&self, component: usize) -> String {
        match component < self.components {
            true => format!("component {component}"),
            false => format!("score, in {}", self.readings.score_unit()),
        }
    }

    fn svg(&self, other: usize) -> String {
        let title = format!(
            "{} {}s on component 0 and {}; diamonds are unusual, crosses are landmarks",
            thousands(self.shown()),
            self.readings.unit,
            self.name(other)
        );
        let of = |component: usize| {
            let rows = self.usual.iter().chain(&self.unusual).map(|&row| self.rows[row]);
            let all = rows.chain(self.landmarks.iter().copied());
            let scale = Scale::even(all.map(|at| at[component]));
            Side::new(self.name(component), scale.low()..scale.high(), 5)
        };
        let chart = Chart { across: of(0), up: of(other) };
        let at = |first: &[f64; FIRST]| (first[0], first[other]);
        let crosses = chart.crosses(self.landmarks.iter().map(at));
        let mut marks = format!("<path class=\"s-soft\" d=\"{crosses}\"/>");
        for (rows, otherwise, is_dot) in
            [(&self.usual, Tone::Data, true), (&self.unusual, Tone::Unusual, false)]
        {
            for (tone, rows) in self.by_tone(rows, otherwise) {
                let points = rows.iter().map(|&row| at(&self.rows[row]));
                let (class, path) = match is_dot {
                    true => ("dots", chart.dots(points)),
                    false => ("diamonds", chart.diamonds(points)),
                };
                marks += &format!("<path class=\"{class} s-{}\" d=\"{path}\"/>", tone.name());
            }
        }
        chart.svg(&title, &marks)
    }

    /// Rows with their tones: that of their label, if they have one.
    fn by_tone(&self, rows: &[usize], otherwise: Tone) -> Vec<(Tone, Vec<usize>)> {
        let mut by_tone: Vec<(Tone, Vec<usize>)> = Vec::new();
        for &row in rows {
            let tone = self.readings.labels.as_ref().map_or(otherwise, |labels| labels.tone(row));
            match by_tone.iter_mut().find(|(known, _)| *known == tone) {
                Some((_, rows)) => rows.push(row),
                None => by_tone.push((tone, vec![row])),
            }
        }
        by_tone
    }
}

/// At most so many, at even distances.
fn spread<I: ExactSizeIterator>(all: I, most: usize) -> std::iter::StepBy<I> {
    let stride = all.len().div_ceil(most).max(1);
    all.step_by(stride)
}
