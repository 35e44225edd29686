//! The score and the inputs from row to row, one below the other on one axis of time.

use std::fmt::Write;
use std::ops::Range;

use anyhow::Result;

use super::axis::{Axis, Tick};
use super::drift::{scale_of, usual_range};
use super::panel::{Panel, drawing, svg};
use super::readings::Readings;
use super::scale::Scale;
use super::tone::{LEVELS, Tone};
use super::trace::{HEIGHT, WIDTH, boxes, dots, trace};
use super::words;
use crate::Number;
use crate::escape::html as escape;
use crate::model::Model;
use crate::text::thousands;

/// Inputs that are drawn: those that contribute most.
const MOST_INPUTS: usize = 40;
/// More of them than these are drawn lower, to be seen together.
const FEW_INPUTS: usize = 12;
/// Columns of a trace, and of all traces together: each takes some bytes.
const MOST_COLUMNS: usize = 1200;
const ALL_COLUMNS: usize = 16_000;
/// Cells of the strip below an input, and of all strips.
const MOST_CELLS: usize = 120;
const ALL_CELLS: usize = 3000;
/// Lines through fewer rows than these have a dot for each.
const MOST_DOTS: usize = 100;
/// What scores below this share of the threshold is as good as 0.
const LOWEST: f64 = 0.01;
/// Boxes that are closer to each other than this share of the width are one.
const THINNEST: f64 = 1.0 / 2000.0;
/// Pixels that a plot has at least: on a desk, and on a phone.
const PIXELS: [usize; 2] = [600, 270];
/// Numbers of events stand this far apart, as a share of the width.
const BETWEEN_NUMBERS: f64 = 0.03;
/// The strip of contributions is darkest here, in thresholds, so that one cell cannot fade all
/// others; nor is anything remarkable below one threshold.
const DARKEST: std::ops::RangeInclusive<f64> = 1.0..=4.0;

/// All that is drawn over time.
pub(super) struct Timeline<'a, T> {
    model: &'a Model<T>,
    readings: &'a Readings<T>,
    /// The inputs that are drawn, in the model's order.
    pub(super) inputs: Vec<usize>,
    /// For each cell of the strips what each input contributes, none where there are no rows.
    cells: Vec<Option<Vec<f64>>>,
    /// The contribution of the darkest cell.
    pub(super) darkest: f64,
    columns: usize,
    /// Where the axis of the scores begins, in thresholds.
    pub(super) lowest: f64,
}

impl<'a, T: Number> Timeline<'a, T> {
    pub(super) fn new(model: &'a Model<T>, readings: &'a Readings<T>) -> Result<Self> {
        let drawn = model.inputs().min(MOST_INPUTS);
        let cells = MOST_CELLS.min(ALL_CELLS / drawn).min(readings.count());
        let worst = readings.axis.bins(cells).into_iter().map(|bin| readings.worst(bin));
        let cells: Vec<Option<Vec<f64>>> = worst
            .map(|row| row.map(|row| readings.shares(model, row)).transpose())
            .collect::<Result<_>>()?;
        let mut sums = vec![0.0; model.inputs()];
        for cell in cells.iter().flatten() {
            sums.iter_mut().zip(cell).for_each(|(sum, value)| *sum += value);
        }
        let mut inputs: Vec<usize> = (0..model.inputs()).collect();
        inputs.sort_by(|&a, &b| f64::total_cmp(&sums[b], &sums[a]));
        inputs.truncate(MOST_INPUTS);
        inputs.sort_unstable();
        let largest = cells.iter().flatten().flatten().copied().fold(0.0, f64::max);
        let darkest = largest.clamp(*DARKEST.start(), *DARKEST.end());
        let columns = (ALL_COLUMNS / (drawn + 1)).min(MOST_COLUMNS);
        // Most rows are far above those that a model knows by heart.
        let mut scores = readings.severity.clone();
        scores.sort_unstable_by(f64::total_cmp);
        let lowest = (0.5 * scores[scores.len() / 10]).clamp(LOWEST, 0.5);
        Ok(Self { model, readings, inputs, cells, darkest, columns, lowest })
    }

    /// Do columns stand for several rows?
    pub(super) fn is_thinned(&self) -> bool {
        self.readings.count() > 2 * self.columns
    }

    /// Do some scores lie below the axis?
    pub(super) fn is_cut(&self) -> bool {
        self.readings.threshold > 0.0
            && self.readings.severity.iter().any(|&score| score < self.lowest)
    }

    /// Everything but the caption.
    pub(super) fn html(&self) -> Result<String> {
        let axis = &self.readings.axis;
        let ticks = PIXELS.map(|pixels| axis.ticks(pixels));
        let mut html = self.score(&ticks[0]);
        html += &below(axis, &ticks);
        html += &self.labels();
        for &input in &self.inputs {
            html += &self.input(input, &ticks[0]);
        }
        if self.inputs.len() > 3 {
            html += &below(axis, &ticks);
        }
        Ok(html)
    }

    fn score(&self, ticks: &[Tick]) -> String {
        let Readings { axis, severity, threshold, events, unusual, .. } = self.readings;
        let has_threshold = *threshold > 0.0;
        let scores = severity.iter().copied();
        let scale = match has_threshold {
            true => Scale::logarithmic(scores.chain([0.5, 2.0]), self.lowest),
            // Without a threshold there is no telling what is little.
            false => {
                let largest = scores.clone().fold(0.0, f64::max).max(f64::MIN_POSITIVE * 1e9);
                Scale::logarithmic(scores.chain([largest]), 1e-4 * largest)
            }
        };
        let limit = (1.0 - scale.share(1.0)) * HEIGHT;
        let mut marks = grid(ticks);
        let alarms = boxes(events.iter().map(|event| axis.reach(event.rows.clone())));
        let _ = write!(marks, "<path class=\"event\" d=\"{alarms}\"/>");
        let drawn = trace(axis, self.columns, |row| scale.share(severity[row]));
        if has_threshold {
            // What is above the threshold has another colour.
            let turn = limit / HEIGHT;
            let _ = write!(
                marks,
                "<linearGradient id=\"over\" gradientUnits=\"userSpaceOnUse\" x1=\"0\" y1=\"0\" \
                 x2=\"0\" y2=\"{HEIGHT}\"><stop offset=\"{turn:.4}\" class=\"above\"/>\
                 <stop offset=\"{turn:.4}\" class=\"below\"/></linearGradient>\
                 <path class=\"limit\" d=\"M0 {limit:.0}h{WIDTH}\"/>"
            );
        }
        marks += &drawing(&drawn);
        if axis.count() <= MOST_DOTS {
            let of = |wanted: bool| {
                let rows = (0..axis.count()).filter(move |&row| unusual[row] == wanted);
                dots(rows.map(|row| (axis.share(row), scale.share(severity[row]))))
            };
            let _ = write!(
                marks,
                "<path class=\"dots s-data\" d=\"{}\"/><path class=\"dots s-unusual\" d=\"{}\"/>",
                of(false),
                of(true)
            );
        }
        let noun = self.readings.unit;
        let title = format!(
            "Scores of {} in {}; {} unusual, {} in alarm",
            words::count(axis.count(), noun),
            self.readings.score_unit(),
            thousands(self.readings.unusual_count()),
            thousands(self.readings.alarm_count())
        );
        let panel = Panel {
            class: if has_threshold { "score limited" } else { "score" },
            name: "score",
            note: match has_threshold {
                true => "in thresholds, logarithmic",
                false => "SPE, logarithmic (the model has no threshold)",
            },
            title: &title,
            scale: &scale,
            levels: 6,
            marks: &marks,
            over: &self.event_numbers(),
            under: "",
        };
        panel.html()
    }

    /// The numbers of events above the score, as many as have room.
    fn event_numbers(&self) -> String {
        let (mut html, mut last) = (String::new(), f64::NEG_INFINITY);
        for (number, event) in self.readings.events.iter().enumerate() {
            let reach = self.readings.axis.reach(event.rows.clone());
            let middle = 0.5 * (reach.start + reach.end);
            if middle - last >= BETWEEN_NUMBERS {
                let _ = write!(
                    html,
                    "<span class=\"number-of\" data-x=\"{:.0}\" style=\"left:{:.2}%\">{}</span>",
                    WIDTH * middle,
                    100.0 * middle,
                    number + 1
                );
                last = middle;
            }
        }
        html
    }

    /// Whose label rows carry, as a strip.
    fn labels(&self) -> String {
        let Some(labels) = &self.readings.labels else { return String::new() };
        let axis = &self.readings.axis;
        let tones = (0..axis.count()).map(|row| labels.tone(row));
        let mut marks = String::new();
        by_kind(
            &runs(tones),
            |rows| axis.reach(rows),
            |tone, path| {
                let _ = write!(marks, "<path class=\"f-{}\" d=\"{path}\"/>", tone.name());
            },
        );
        format!(
            "<div class=\"strip\"><p class=\"name\"><b>{}</b></p><div class=\"plot\">{}</div></div>\n",
            escape(&labels.column),
            svg(
                "strip",
                &format!("Which {}s have which {}", self.readings.unit, labels.column),
                &marks
            )
        )
    }

    fn input(&self, input: usize, ticks: &[Tick]) -> String {
        let Self { model, readings, .. } = self;
        let values: Vec<f64> = readings.input(input).collect();
        let scale = scale_of(model, input, values.iter().copied());
        let axis = &readings.axis;
        let mut marks = usual_range(model, input, &scale);
        marks += &grid(ticks);
        let alarms = boxes(readings.events.iter().map(|event| axis.reach(event.rows.clone())));
        let _ = write!(marks, "<path class=\"event\" d=\"{alarms}\"/>");
        marks += &drawing(&trace(axis, self.columns, |row| scale.share(values[row])));
        if axis.count() <= MOST_DOTS {
            let all = (0..axis.count()).map(|row| (axis.share(row), scale.share(values[row])));
            let _ = write!(marks, "<path class=\"dots s-data\" d=\"{}\"/>", dots(all));
        }
        let name = &model.columns[input];
        let panel = Panel {
            class: if self.inputs.len() > FEW_INPUTS { "input low" } else { "input" },
            name,
            note: if scale.is_logarithmic { "logarithmic" } else { "" },
            title: &format!("{name} from {unit} to {unit}", unit = readings.unit),
            scale: &scale,
            levels: 2,
            marks: &marks,
            over: "",
            under: &self.strip(input),
        };
        panel.html()
    }

    /// How strongly scores depend on an input.
    fn strip(&self, input: usize) -> String {
        let levels =
            self.cells.iter().map(|cell| self.level(cell.as_ref().map_or(0.0, |cell| cell[input])));
        let share = |cell: usize| cell as f64 / self.cells.len() as f64;
        let mut marks = String::new();
        by_kind(
            &runs(levels),
            |cells| share(cells.start)..share(cells.end),
            |level, path| {
                if level > 0 {
                    let tone = Tone::Level(level).name();
                    let _ = write!(marks, "<path class=\"f-{tone}\" d=\"{path}\"/>");
                }
            },
        );
        svg("heat", "", &marks)
    }

    /// The shade of a cell, from 0 to [`LEVELS`]: by the square root, so that what is just above a
    /// threshold can be seen beside what is far above.
    fn level(&self, value: f64) -> usize {
        (((value / self.darkest).sqrt() * (LEVELS + 1) as f64) as usize).min(LEVELS)
    }
}

fn grid(ticks: &[Tick]) -> String {
    let lines = ticks.iter().fold(String::new(), |mut path, tick| {
        let _ = write!(path, "M{:.0} 0v{HEIGHT}", tick.share * WIDTH);
        path
    });
    format!("<path class=\"grid\" d=\"{lines}\"/>")
}

/// The axis of time, with ticks for a desk and for a phone.
fn below(axis: &Axis, ticks: &[Vec<Tick>; 2]) -> String {
    let is_dated = ticks.iter().flatten().any(|tick| tick.lines.len() > 1);
    let class = if is_dated { "times dated" } else { "times" };
    let mut html = format!("<div class=\"{class}\">");
    for (ticks, screen) in ticks.iter().zip(["wide", "narrow"]) {
        for tick in ticks {
            let lines: Vec<String> = tick.lines.iter().map(|line| escape(line)).collect();
            let side = match tick.share {
                share if share > 0.93 => " last",
                _ => "",
            };
            let _ = write!(
                html,
                "<span class=\"{screen}{side}\" style=\"left:{:.2}%\">{}</span>",
                100.0 * tick.share,
                lines.join("<br>")
            );
        }
    }
    let _ = writeln!(html, "<b>{}</b></div>", escape(&axis.name));
    html
}

/// For each kind that there is, the boxes of its runs; those thinner than a column of any screen
/// are drawn as thin as that.
fn by_kind<K: PartialEq + Copy>(
    runs: &[(Range<usize>, K)],
    reach: impl Fn(Range<usize>) -> Range<f64>,
    mut give: impl FnMut(K, String),
) {
    let mut kinds: Vec<K> = Vec::new();
    for (_, kind) in runs {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    for kind in kinds {
        let mut thin: Vec<Range<f64>> = Vec::new();
        for (run, _) in runs.iter().filter(|(_, known)| *known == kind) {
            let reach = reach(run.clone());
            match thin.last_mut() {
                Some(last) if reach.end - last.start < THINNEST => last.end = reach.end,
                _ => thin.push(reach),
            }
        }
        give(kind, boxes(thin.into_iter()));
    }
}

/// Runs of equal values: where each is, and what it is.
fn runs<V: PartialEq>(values: impl Iterator<Item = V>) -> Vec<(Range<usize>, V)> {
    let mut runs: Vec<(Range<usize>, V)> = Vec::new();
    for (place, value) in values.enumerate() {
        match runs.last_mut() {
            Some((run, known)) if *known == value => run.end = place + 1,
            _ => runs.push((place..place + 1, value)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_are_one_run() {
        let runs = runs([1, 1, 2, 1].into_iter());
        assert_eq!(runs, [(0..2, 1), (2..3, 2), (3..4, 1)]);
    }

    #[test]
    fn kinds_are_drawn_once() {
        let drawn = |rows: f64| {
            let runs = [(0..1, 'a'), (1..3, 'b'), (3..4, 'a')];
            let reach = |run: Range<usize>| run.start as f64 / rows..run.end as f64 / rows;
            let mut drawn = Vec::new();
            by_kind(&runs, reach, |kind, path| drawn.push((kind, path.matches('M').count())));
            drawn
        };
        assert_eq!(drawn(4.0), [('a', 2), ('b', 1)]);
        // However many runs there are, they take no more boxes than a screen has columns.
        assert_eq!(drawn(4e6), [('a', 1), ('b', 1)]);
    }
}
