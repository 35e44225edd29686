//! What happened: each event with the sensor to look at first.

use std::fmt::Write;
use std::ops::Range;

use anyhow::Result;
use mercer::detect::Suspect;

use super::drift::{scale_of, usual_range};
use super::events::Event;
use super::panel::{drawing, levels, svg};
use super::readings::Readings;
use super::table::{cell, numbers, pictures, table, texts};
use super::trace::{boxes, dots, trace};
use super::words;
use crate::Number;
use crate::escape::html as escape;
use crate::model::Model;
use crate::text::{percent, short, shorten, thousands};

/// Events that are listed: those with the highest peaks.
const MOST_EVENTS: usize = 20;
/// Rows before and after an event that its plot shows, at least and at most.
const AROUND: Range<usize> = 20..400;
/// Columns of a plot.
const COLUMNS: usize = 150;

/// The section on events.
pub(super) fn section<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    let mut html = String::from("<section id=\"what\">\n<h2>Events</h2>\n");
    html += &match readings.events.is_empty() {
        true => none(model, readings)?,
        false => some(model, readings)?,
    };
    Ok(html + &others(model, readings) + "</section>\n")
}

/// There is none: then whatever came nearest to one.
fn none<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    let mut html = String::from("<p>No alarm was raised.");
    if let Some(worst) = readings.worst(0..readings.count()) {
        let suspect = readings.suspect(model, worst)?;
        write!(
            html,
            " The highest score, {} {}, is that of {}; its suspect is {}, which read {} and should \
             have read {} by what the others say.",
            words::thresholds(readings.severity[worst]),
            readings.score_unit(),
            escape(&readings.start(worst)),
            cell(&model.columns[suspect.input]),
            short(suspect.read.to_f64()),
            short(suspect.expected.to_f64())
        )?;
    }
    Ok(html + "</p>\n")
}

fn some<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    let peak = |event: &Event| readings.severity[event.peak];
    let mut chosen: Vec<usize> = (0..readings.events.len()).collect();
    chosen.sort_by(|&a, &b| peak(&readings.events[b]).total_cmp(&peak(&readings.events[a])));
    chosen.truncate(MOST_EVENTS);
    chosen.sort_unstable();
    let axis = match readings.times.is_empty() {
        true => String::new(),
        false => format!(" ({})", readings.axis.name),
    };
    let mut columns = vec![numbers("event"), texts(&format!("from, to{axis}"))];
    columns.push(numbers(&format!("{}s", readings.unit)));
    columns.extend(readings.labels.as_ref().map(|labels| texts(&labels.column)));
    columns.extend([numbers("peak"), texts("suspect"), numbers("read"), numbers("should read")]);
    columns.extend([numbers("falls to"), pictures("the suspect around it")]);
    let mut lines = Vec::new();
    for &number in &chosen {
        let event = &readings.events[number];
        let suspect = readings.suspect(model, event.peak)?;
        let mut line = vec![(number + 1).to_string()];
        let (from, to) = (readings.start(event.rows.start), readings.end(event.rows.end - 1));
        line.push(format!("{}<br>{}", cell(&from), cell(&to)));
        line.push(thousands(event.rows.len()));
        let labels = readings.labels.as_ref();
        line.extend(labels.map(|labels| cell(&labels.names[labels.of_rows[event.peak]])));
        line.push(words::thresholds(peak(event)));
        line.push(cell(&model.columns[suspect.input]));
        line.extend([suspect.read, suspect.expected].map(|value| short(value.to_f64())));
        line.push(words::thresholds(readings.in_thresholds(suspect.rest.to_f64())));
        line.push(plot(model, readings, event, &suspect));
        lines.push(line);
    }
    let mut html = table("events", &columns, lines.into_iter());
    write!(
        html,
        "<p class=\"note\">An event lasts from the {} that raised the alarm to the last one before it ended. ",
        readings.unit
    )?;
    write!(html, "Peak and falls to are in {}. ", readings.score_unit())?;
    html += "The <b>suspect</b> is the sensor to look at first: the input with which the score at the peak falls most when it reads something else. Beside it: what it <b>read</b>, what it <b>should read</b> by what the others say, and what the score then <b>falls to</b>; if that is still above 1, this input alone does not explain the event. In the plots, a red dot is what it read at the peak, a golden one what it should have read; the grey band is where nine of ten training readings were.";
    if let Some(more) = readings.events.len().checked_sub(MOST_EVENTS).filter(|&more| more > 0) {
        write!(
            html,
            " The {MOST_EVENTS} events with the highest peaks; {} not in this list (<code>mercer score</code> says of each {} whether the alarm is up).",
            words::count(more, "more event"),
            readings.unit
        )?;
    }
    Ok(html + "</p>\n")
}

/// Rows that were unusual and raised no alarm.
fn others<T: Number>(model: &Model<T>, readings: &Readings<T>) -> String {
    let outside = |row: &usize| !readings.in_alarm[*row];
    let calm = (0..readings.count()).filter(outside).count();
    let count = (0..readings.count()).filter(outside).filter(|&row| readings.unusual[row]).count();
    if calm == 0 {
        return String::new();
    }
    let expected = match model.training.false_alarms {
        Some(share) => format!("; {} of normal ones are expected to be", percent(share)),
        None => String::new(),
    };
    let outside = words::count(calm, readings.unit);
    format!(
        "<p class=\"note\">Of the {outside} outside of alarms, {} ({}) scored above the threshold without raising one{expected}.</p>\n",
        thousands(count),
        percent(count as f64 / calm as f64)
    )
}

/// The suspect of an event, from some time before it to some time after.
fn plot<T: Number>(
    model: &Model<T>,
    readings: &Readings<T>,
    event: &Event,
    suspect: &Suspect<T>,
) -> String {
    let around = event.rows.len().clamp(AROUND.start, AROUND.end);
    let start = event.rows.start.saturating_sub(around);
    let end = (event.rows.end + around).min(readings.count());
    let axis = readings.axis.part(start..end);
    let value = |row: usize| readings.sample(start + row)[suspect.input].to_f64();
    let [read, expected] = [suspect.read, suspect.expected].map(|value| value.to_f64());
    let values = (0..axis.count()).map(value).chain([read, expected]);
    let scale = scale_of(model, suspect.input, values);
    let mut marks = usual_range(model, suspect.input, &scale);
    let event_rows = event.rows.start - start..event.rows.end - start;
    let _ = write!(
        marks,
        "<path class=\"event\" d=\"{}\"/>",
        boxes(std::iter::once(axis.reach(event_rows)))
    );
    marks += &drawing(&trace(&axis, COLUMNS, |row| scale.share(value(row))));
    let peak = axis.share(event.peak - start);
    for (value, tone) in [(expected, "limit"), (read, "alarm")] {
        let dot = dots(std::iter::once((peak, scale.share(value))));
        let _ = write!(marks, "<path class=\"dots s-{tone}\" d=\"{dot}\"/>");
    }
    let name = &model.columns[suspect.input];
    let [first, last] = [readings.start(start), readings.end(end - 1)];
    let title = format!(
        "{name} from {first} to {last}: it read {}, and should have read {}",
        short(read),
        short(expected)
    );
    let [first, last] = [first, last].map(|text| escape(&shorten(&text, 19)));
    format!(
        "<div class=\"plot\">{}{}</div><div class=\"ends\"><span>{first}</span><span>{last}</span></div>",
        levels(&scale, 2),
        svg("around", &title, &marks)
    )
}
