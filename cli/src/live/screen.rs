//! Draws a [`View`] on a terminal of any size.

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Borders, Chart, Dataset, GraphType, Paragraph, Row, Table};

use super::view::Event;
use super::{Blamed, Scored, View};
use crate::escape;
use crate::text::{short, shorten, thousands};

/// Scores beyond these powers of ten are drawn at the edge.
const LOWEST: f64 = -3.0;
const HIGHEST: f64 = 3.0;
/// Lines of the chart with its frame and axes; below this there is none.
const LEAST_CHART: u16 = 7;
/// Lines of the events, with their title.
const MOST_EVENTS: u16 = 8;

const GOOD: Style = Style::new().fg(Color::Green);
const BAD: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
const DOUBTFUL: Style = Style::new().fg(Color::Yellow);
const QUIET: Style = Style::new().fg(Color::DarkGray);

pub(crate) fn draw(view: &View, frame: &mut Frame<'_>) {
    let area = frame.area();
    let notes = notes(view, area.width);
    let events = if area.height < 16 { 0 } else { (area.height / 3).min(MOST_EVENTS) };
    let [title, state, chart, suspect, list, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(2),
        Constraint::Length(events),
        Constraint::Length(notes.len() as u16 + 1),
    ])
    .areas(area);
    let keys = Line::styled("q quit · space hold · + − span", QUIET);
    let room = usize::from(title.width).saturating_sub(keys.width() + 1);
    frame.render_widget(Line::styled(tidy(&view.title, room), Modifier::BOLD), title);
    frame.render_widget(keys.alignment(Alignment::Right), title);
    frame.render_widget(state_line(view), state);
    if chart.height >= LEAST_CHART {
        draw_chart(view, frame, chart);
    }
    frame.render_widget(Paragraph::new(suspect_lines(view, suspect.width)), suspect);
    draw_events(view, frame, list);
    let mut lines = notes;
    lines.push(count_line(view));
    frame.render_widget(Paragraph::new(lines), foot);
}

/// A name from a file, safe to show and no longer than there is room for.
fn tidy(text: &str, room: usize) -> String {
    shorten(&escape::line(text), room.max(2))
}

/// The place of a reading: its time if it has one, else its row.
fn place(scored: &Scored) -> String {
    match scored.time.is_empty() {
        true => format!("row {}", scored.row),
        false => tidy(&scored.time, 24),
    }
}

/// A score in thresholds.
fn times(score: f64) -> String {
    match score {
        score if score >= 100.0 => format!("{score:.0}×"),
        score if score >= 10.0 => format!("{score:.1}×"),
        score => format!("{score:.2}×"),
    }
}

fn state_line(view: &View) -> Line<'static> {
    let Some(newest) = view.shown().next() else {
        let waiting = if view.end.is_none() { "waiting for the first" } else { "there was no" };
        return Line::styled(format!("{waiting} {}", view.unit), DOUBTFUL);
    };
    let mut parts = match view.present() {
        Some(event) => {
            vec![Span::styled(format!(" ALARM since {} ", place(&event.start)), BAD.reversed())]
        }
        None => vec![Span::styled(" normal ", GOOD.reversed())],
    };
    parts.push(Span::raw(format!("  {}: {} the threshold", place(newest), times(newest.score))));
    if let Some(smoothed) = newest.smoothed {
        parts.push(Span::raw(format!(", smoothed {}", times(smoothed))));
    }
    Line::from(parts)
}

fn draw_chart(view: &View, frame: &mut Frame<'_>, area: Rect) {
    let points = |of: &dyn Fn(&Scored) -> Option<f64>| -> Vec<(f64, f64)> {
        let heights = view.shown().enumerate().filter_map(|(age, scored)| {
            Some((-(age as f64), of(scored)?.log10().clamp(LOWEST, HIGHEST)))
        });
        heights.collect()
    };
    let scores = points(&|scored| Some(scored.score));
    let smoothed = points(&|scored| scored.smoothed);
    let heights = || scores.iter().chain(&smoothed).map(|(_, height)| *height);
    // From a tenth of the threshold to ten times, at the least.
    let bottom = heights().fold(-1.0, f64::min).floor();
    let top = heights().fold(1.0, f64::max).ceil();
    let oldest = -(view.span() as f64 - 1.0);
    let threshold = [(oldest, 0.0), (0.0, 0.0)];
    let line = |name, data, style| {
        let marked = Dataset::default().name(name).marker(Marker::Braille).data(data);
        marked.graph_type(GraphType::Line).style(style)
    };
    let mut sets = vec![line("threshold", &threshold[..], BAD), line("score", &scores, GOOD)];
    if !smoothed.is_empty() {
        sets.push(line("smoothed", &smoothed, DOUBTFUL));
    }
    let decades = bottom as i32..=top as i32;
    let labels = decades.map(|power| format!("{}×", 10_f64.powi(power)));
    let ages = [format!("{} {}s ago", view.span(), view.unit), "now".into()];
    let frame_title = if view.is_held() { " held: space goes on " } else { "" };
    let chart = Chart::new(sets)
        .block(Block::new().borders(Borders::TOP).title(Line::styled(frame_title, DOUBTFUL)))
        .legend_position(None)
        .x_axis(
            Axis::default()
                .bounds([oldest, 0.0])
                .labels(ages)
                .labels_alignment(Alignment::Right)
                .style(QUIET),
        )
        .y_axis(Axis::default().bounds([bottom, top]).labels(labels).style(QUIET));
    frame.render_widget(chart, area);
}

/// Who is to blame now, or was when the last event was at its worst.
fn suspect_lines(view: &View, width: u16) -> Vec<Line<'static>> {
    let now = view.shown().next().and_then(|newest| newest.suspect.as_ref());
    let worst = view.events.back().and_then(|event| event.suspect.as_ref());
    match (now, worst) {
        (Some(blamed), _) => blame(blamed, "suspect", BAD, width),
        (None, Some(blamed)) => blame(blamed, "last suspect", QUIET, width),
        (None, None) => vec![Line::styled("no suspect so far", QUIET)],
    }
}

fn blame(blamed: &Blamed, title: &str, style: Style, width: u16) -> Vec<Line<'static>> {
    let room = usize::from(width).saturating_sub(title.len() + 2);
    vec![
        Line::styled(format!("{title}: {}", tidy(&blamed.input, room)), style),
        Line::raw(format!(
            "  read {}, by the others it should have read {}",
            short(blamed.read),
            short(blamed.expected)
        )),
    ]
}

fn draw_events(view: &View, frame: &mut Frame<'_>, area: Rect) {
    let cells = |event: &Event| {
        let until = event.end.as_ref().map_or_else(|| "now".into(), place);
        let suspect = event.suspect.as_ref().map_or_else(String::new, |blamed| {
            format!("{}: {}", tidy(&blamed.input, 24), short(blamed.read))
        });
        let style = if event.end.is_none() { BAD } else { Style::new() };
        Row::new([place(&event.start), until, times(event.peak), suspect]).style(style)
    };
    let widths = [
        Constraint::Length(13),
        Constraint::Length(13),
        Constraint::Length(8),
        Constraint::Min(10),
    ];
    let table = Table::new(view.events.iter().rev().map(cells), widths)
        .header(Row::new(["alarm from", "until", "peak", "suspect at the peak"]).style(QUIET))
        .block(Block::new().borders(Borders::TOP));
    frame.render_widget(table, area);
}

/// What nobody should overlook.
fn notes(view: &View, width: u16) -> Vec<Line<'static>> {
    let mut notes: Vec<String> = view.omissions.clone();
    if let Some(silence) = view.silence() {
        notes.push(format!("nothing has come for {} s", silence.as_secs()));
    }
    match &view.end {
        Some(Some(fault)) => notes.push(format!("stopped: {fault}")),
        Some(None) => notes.push("end of the data".into()),
        None => {}
    }
    let line = |note: String| Line::styled(tidy(&note, usize::from(width)), DOUBTFUL);
    notes.into_iter().map(line).collect()
}

fn count_line(view: &View) -> Line<'static> {
    let count = thousands(view.count as usize);
    let unit = if view.count == 1 { "" } else { "s" };
    let alarms = if view.raised == 1 { "alarm" } else { "alarms" };
    let raised = thousands(view.raised as usize);
    Line::styled(format!("{count} {}{unit}, {raised} {alarms}", view.unit), QUIET)
}
