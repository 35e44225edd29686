//! Training data beside those of a report, input by input.

use std::fmt::Write;

use super::panel::svg;
use super::readings::Readings;
use super::scale::Scale;
use super::table::{Column, cell, numbers, pictures, table, texts};
use super::trace::{HEIGHT, WIDTH};
use super::words;
use crate::Number;
use crate::model::Model;
use crate::spread::{Spread, spread};
use crate::text::{percent, short, thousands};

/// Inputs in the table: those that have moved most.
const MOST_INPUTS: usize = 100;

/// How far an input is from where it was in training.
struct Drift {
    input: usize,
    /// Where it is here.
    here: Spread<f64>,
    /// The share of rows beyond all that it read in training.
    beyond: f64,
    /// How far its median has moved, in widths of what nine of ten training rows cover.
    moved: f64,
}

impl Drift {
    fn new<T: Number>(model: &Model<T>, readings: &Readings<T>, input: usize) -> Self {
        let training = model.quantiles[input].map(|value| value.to_f64());
        let mut values: Vec<f64> = readings.input(input).collect();
        let here = spread(&mut values);
        let beyond = values.iter().filter(|&&x| x < training[0] || x > training[8]).count();
        // As the model sees it: a logarithmic input by its logarithm.
        let seen = |value: f64| match model.floor.get(input).map(|floor| floor.to_f64()) {
            Some(floor) if floor > 0.0 => value.max(floor).ln(),
            _ => value,
        };
        let width = seen(training[6]) - seen(training[2]);
        let distance = seen(here[4]) - seen(training[4]);
        let moved = match distance == 0.0 {
            true => 0.0,
            false => distance / width,
        };
        Self { input, here, beyond: beyond as f64 / readings.count() as f64, moved }
    }

    fn size(&self) -> f64 {
        self.moved.abs().max(self.beyond)
    }
}

/// The section: the inputs that have moved most come first.
pub(super) fn section<T: Number>(model: &Model<T>, readings: &Readings<T>) -> String {
    let mut drifts: Vec<Drift> =
        (0..model.inputs()).map(|input| Drift::new(model, readings, input)).collect();
    drifts.sort_by(|a, b| b.size().total_cmp(&a.size()));
    let columns = [
        texts("input"),
        pictures("training above, here below"),
        numbers("median in training"),
        numbers("median here"),
        numbers("moved by"),
        numbers("beyond training"),
    ];
    let lines = drifts.iter().take(MOST_INPUTS).map(|drift| {
        let training = &model.quantiles[drift.input];
        vec![
            cell(&model.columns[drift.input]),
            strips(model, drift),
            short(training[4].to_f64()),
            short(drift.here[4]),
            match drift.moved.is_finite() {
                true => format!("{:+.2}", drift.moved).replace('-', "−"),
                false => "constant".into(),
            },
            percent(drift.beyond),
        ]
    });
    let mut html = String::from("<section id=\"drift\">\n<h2>Training beside here</h2>\n");
    html += &table("inputs", &columns as &[Column], lines);
    let _ = write!(
        html,
        "<p class=\"note\">Of each input, what it read in the {} that the model learned from, and \
         in the {} here. Dark: the middle half; lighter: nine of ten; lightest: all but 1 % at each \
         end; the gap is the median. <b>Moved by</b>: how far the median is from that of training, \
         in widths of what nine of ten training readings cover; beyond ±0.5 the machine is not \
         where it was when the model learned. <b>Beyond training</b>: readings outside all that \
         training had.",
        words::count(model.training.samples + model.training.trimmed, "reading"),
        words::count(readings.count(), readings.unit),
    );
    if drifts.len() > MOST_INPUTS {
        let more = thousands(drifts.len() - MOST_INPUTS);
        let _ = write!(html, " {more} inputs that have moved less are left out.");
    }
    html + "</p>\n</section>\n"
}

/// Two strips on one scale.
fn strips<T: Number>(model: &Model<T>, drift: &Drift) -> String {
    let training = model.quantiles[drift.input].map(|value| value.to_f64());
    let ends = [&training, &drift.here].into_iter().flat_map(|spread| [spread[1], spread[7]]);
    let scale = scale_of(model, drift.input, ends);
    let mut marks = String::new();
    for (spread, kind, top) in [(&training, "then", 0.08), (&drift.here, "now", 0.56)] {
        for (low, high, class) in [(1, 7, "all"), (2, 6, "most"), (3, 5, "half")] {
            let [start, end] = [low, high].map(|at| scale.share(spread[at]) * WIDTH);
            let width = (end - start).max(WIDTH / 150.0);
            let _ = write!(
                marks,
                "<rect class=\"{kind} {class}\" x=\"{start:.0}\" y=\"{:.0}\" width=\"{width:.0}\" \
                 height=\"{:.0}\"/>",
                top * HEIGHT,
                0.36 * HEIGHT
            );
        }
        let median = scale.share(spread[4]) * WIDTH;
        let (top, height) = (top * HEIGHT, 0.36 * HEIGHT);
        let _ = write!(marks, "<path class=\"median\" d=\"M{median:.0} {top:.0}v{height:.0}\"/>");
    }
    let title = format!(
        "{}: median {} in training, {} here",
        model.columns[drift.input],
        short(training[4]),
        short(drift.here[4])
    );
    svg("spread", &title, &marks)
}

/// The scale of an input, as the model takes it: the training data are on it, too.
pub(super) fn scale_of<T: Number>(
    model: &Model<T>,
    input: usize,
    values: impl Iterator<Item = f64>,
) -> Scale {
    let spread = &model.quantiles[input];
    let values = values.chain([1, 7].map(|tail| spread[tail].to_f64()));
    match model.floor.get(input).map(|floor| floor.to_f64()).filter(|&floor| floor > 0.0) {
        Some(floor) => Scale::logarithmic(values, floor),
        None => Scale::even(values),
    }
}

/// Where an input was in nine of ten training rows.
pub(super) fn usual_range<T: Number>(model: &Model<T>, input: usize, scale: &Scale) -> String {
    let spread = &model.quantiles[input];
    let [low, high] = [2, 6].map(|tail| (1.0 - scale.share(spread[tail].to_f64())) * HEIGHT);
    let height = (low - high).max(HEIGHT / 100.0);
    format!("<path class=\"usual\" d=\"M0 {high:.0}h{WIDTH}v{height:.0}h-{WIDTH}z\"/>")
}
