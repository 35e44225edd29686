//! The page itself.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::figure::{Key, LEVELS, Shape, Tone};
use super::heat::HeatMap;
use super::readings::{Readings, file_name};
use super::scatter::Scatter;
use super::spectrum::Spectrum;
use super::timeline::Timeline;
use super::{MOST_UNUSUAL, words};
use crate::escape::html as escape;
use crate::model::Model;
use crate::text::{percent, short, shorten, thousands};
use crate::{KernelSpec, Number, Precision};

/// Characters of a text of others in a table or a legend.
const LONGEST_CELL: usize = 28;
/// Labels that have a line in the table.
const MOST_LABELS: usize = 20;

/// The report on what a model, which was read from `path`, makes of some rows.
pub(crate) fn page<T: Number>(
    path: &Path,
    model: &Model<T>,
    readings: &Readings<T>,
) -> Result<String> {
    let (name, data) = (escape(&file_name(path)), escape(&readings.file));
    let sections = [
        timeline(readings)?,
        heat_map(model, readings)?,
        unusual_rows(model, readings)?,
        projections(model, readings)?,
        fit(model, readings)?,
        device(model)?,
    ];
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{name} on {data}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n\
         <header>\n<p class=\"kind\">mercer report</p>\n<h1>{name} on {data}</h1>\n{}</header>\n{}\
         </main>\n</body>\n</html>\n",
        include_str!("style.css"),
        tiles(model, readings),
        sections.concat()
    ))
}

/// The figures at the head of the page.
fn tiles<T: Number>(model: &Model<T>, readings: &Readings<T>) -> String {
    let (rows, seen) = (readings.count(), readings.unusual_count());
    let worst = readings.worst(0..rows).map_or(0.0, |row| readings.severity[row]);
    let share = percent(seen as f64 / rows as f64);
    let expected = match model.training.false_alarms {
        Some(normal) => format!(
            "unusual: {share}; {} of normal rows expected {}",
            percent(normal),
            model.training.assumption_in_short()
        ),
        None => format!("unusual: {share}"),
    };
    let in_alarm = percent(readings.alarm_count() as f64 / rows as f64);
    let tiles = [
        (thousands(rows), "rows scored".to_string()),
        (thousands(seen), expected),
        (thousands(readings.raised), format!("alarms raised; {in_alarm} of rows in alarm")),
        (words::thresholds(worst), "worst score, in thresholds".into()),
        (format!("{} bytes", thousands(model.flash())), "of flash on a device".into()),
    ];
    let tile = |(value, what): &(String, String)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(what), escape(value))
    };
    format!("<dl class=\"tiles\">\n{}</dl>\n", tiles.iter().map(tile).collect::<String>())
}

fn timeline<T: Number>(readings: &Readings<T>) -> Result<String> {
    let timeline = Timeline { readings };
    let mut caption = format!(
        "SPE of each row. {}",
        legend(&[
            ("line", Tone::Data, "score".into()),
            ("line", Tone::Limit, format!("threshold {}", short(readings.threshold))),
            ("dot", Tone::Unusual, "unusual".into()),
            ("box", Tone::Alarm, "bar above: alarm".into()),
        ])
    );
    if let Some(labels) = &readings.labels {
        let keys = labels.legend("box", LONGEST_CELL);
        write!(caption, "<br>Strip: {}. {}", escape(&labels.column), legend(&keys))?;
    }
    if timeline.is_logarithmic() {
        caption += "<br>The scale of the scores is logarithmic.";
    }
    if timeline.is_thinned() {
        write!(
            caption,
            "<br>Thinned: of the {} rows, the least and the greatest score in each column of the picture are drawn.",
            thousands(readings.count())
        )?;
    }
    let svgs = [timeline.svg(Shape::WIDE)?, timeline.svg(Shape::NARROW)?];
    let figure = figure("timeline", &svgs.concat(), &caption);
    Ok(format!("<section>\n<h2>Scores</h2>\n{figure}</section>\n"))
}

/// Tables of unusual rows: the worst ones, and how many by label.
fn unusual_rows<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    Ok(format!(
        "<div class=\"pair tables\">\n{}{}</div>\n",
        worst_rows(model, readings)?,
        by_label(readings)
    ))
}

fn by_label<T: Number>(readings: &Readings<T>) -> String {
    let Some(labels) = &readings.labels else { return String::new() };
    let lines = labels.names.iter().take(MOST_LABELS).enumerate().map(|(label, name)| {
        let rows = || (0..readings.count()).filter(move |&row| labels.of_rows[row] == label);
        let (all, seen) = (rows().count(), rows().filter(|&row| readings.unusual[row]).count());
        let in_alarm = rows().filter(|&row| readings.in_alarm[row]).count();
        let mut severities: Vec<f64> = rows().map(|row| readings.severity[row]).collect();
        severities.sort_by(f64::total_cmp);
        vec![
            cell(name),
            thousands(all),
            thousands(seen),
            percent(seen as f64 / all as f64),
            percent(in_alarm as f64 / all as f64),
            words::thresholds(severities[all / 2]),
        ]
    });
    let columns = [
        texts(&labels.column),
        numbers("rows"),
        numbers("unusual"),
        numbers("share"),
        numbers("in alarm"),
        numbers("median score"),
    ];
    let more = match labels.names.len().saturating_sub(MOST_LABELS) {
        0 => String::new(),
        more => format!("<p class=\"note\">{} left out.</p>\n", words::count(more, "more label")),
    };
    format!(
        "<section>\n<h2>Rows by {}</h2>\n{}{more}</section>\n",
        escape(&labels.column),
        table("labels", &columns, lines)
    )
}

/// The worst rows, and the input to look at first.
fn worst_rows<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    let rows = readings.worst_rows();
    let mut html = String::from("<section>\n<h2>Most unusual rows</h2>\n");
    if rows.is_empty() {
        return Ok(html + "<p>No row is unusual.</p>\n</section>\n");
    }
    let mut columns = vec![numbers("row")];
    columns.extend((!readings.times.is_empty()).then(|| texts(&readings.axis.column)));
    columns.extend(readings.labels.as_ref().map(|labels| texts(&labels.column)));
    columns.extend([numbers("score"), texts("suspect")]);
    columns.extend([numbers("read"), numbers("expected"), numbers("falls to")]);
    let mut lines = Vec::new();
    for &row in rows.iter().take(MOST_UNUSUAL) {
        let suspect = readings.suspect(model, row)?;
        let mut line = vec![readings.rows[row].to_string()];
        line.extend(readings.times.get(row).map(|time| cell(time)));
        let label = readings.labels.as_ref();
        line.extend(label.map(|labels| cell(&labels.names[labels.of_rows[row]])));
        line.push(words::thresholds(readings.severity[row]));
        line.push(cell(&model.columns[suspect.input]));
        line.extend([suspect.read, suspect.expected].map(|value| short(value.to_f64())));
        line.push(words::thresholds(readings.in_thresholds(suspect.rest.to_f64())));
        lines.push(line);
    }
    html += &table("unusual", &columns, lines.into_iter());
    let first = rows.iter().min().map_or(0, |&row| readings.rows[row]);
    write!(html, "<p class=\"note\">Scores are in thresholds. The first of them is row {first}")?;
    if let Some(more) = rows.len().checked_sub(MOST_UNUSUAL).filter(|&more| more > 0) {
        write!(html, "; {} not in this list", words::count(more, "more row"))?;
    }
    html += ".</p>\n<p class=\"note\">The suspect is the input with which the score falls most when it reads something else: what it read, what it should have read by what the others say, and what the score then falls to. If that is still above 1, this input alone does not explain the row.</p>\n</section>\n";
    Ok(html)
}

fn heat_map<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    let heat = HeatMap::new(model, readings)?;
    let mut caption = String::from(
        "SPE in thresholds, dealt out in proportion to the contributions of the inputs: 0 ",
    );
    caption += "<span class=\"scale\" aria-hidden=\"true\"><i class=\"b-faint\"></i>";
    for level in 1..=LEVELS {
        write!(caption, "<i class=\"b-level{level}\"></i>")?;
    }
    let (middle, brightest) = (words::thresholds(heat.middle()), words::thresholds(heat.brightest));
    write!(caption, "</span> {brightest} and above; {middle} in the middle.")?;
    caption += "<br>A contribution is a slope: how fast SPE changes with an input, times its distance from the mean. It is a picture of where to look, not a share of SPE; whom to blame is in the list of unusual rows.";
    for (screen, across) in ["wide", "narrow"].into_iter().zip(heat.across()) {
        if across < readings.count() {
            write!(
                caption,
                "<span class=\"{screen}\">Thinned: the range of rows is cut into {across} parts, and the worst row of each is shown.</span>"
            )?;
        }
    }
    if heat.inputs.len() < model.inputs() {
        write!(
            caption,
            "<br>The {} of {} inputs that contribute most.",
            heat.inputs.len(),
            model.inputs()
        )?;
    }
    let figure = figure("contributions", &heat.svgs()?.concat(), &caption);
    Ok(format!("<section>\n<h2>Contributions</h2>\n{figure}</section>\n"))
}

fn projections<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    let scatter = Scatter::new(model, readings)?;
    let mut keys = vec![];
    match &readings.labels {
        Some(labels) => {
            keys.extend(labels.legend("dot", LONGEST_CELL));
            keys.push(("ring", Tone::Ink, "ring instead of dot: unusual".into()));
        }
        None => {
            keys.push(("dot", Tone::Data, "usual row".into()));
            keys.push(("ring", Tone::Unusual, "unusual".into()));
        }
    }
    let mut caption = legend(&keys);
    if scatter.has_landmarks() {
        caption += " <span class=\"key\"><b>×</b>landmark of the model</span>";
    }
    if matches!(model.kernel, KernelSpec::Rbf { .. } | KernelSpec::Laplacian { .. }) {
        caption += "<br>Readings far from all landmarks share one place among them: their scores tell them apart, not their projections.";
    }
    if scatter.shown() < readings.count() {
        write!(
            caption,
            "<br>Thinned: {} of {} rows are drawn, unusual ones more often than usual ones.",
            thousands(scatter.shown()),
            thousands(readings.count())
        )?;
    }
    let svgs = format!("<div class=\"pair\">{}</div>", scatter.svgs()?.concat());
    let figure = figure("projections", &svgs, &caption);
    Ok(format!("<section>\n<h2>Projections</h2>\n{figure}</section>\n"))
}

fn fit<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    let spectrum = Spectrum::new(model)?;
    let mut caption = legend(&[
        ("box", Tone::Data, "variance that a component explains".into()),
        ("dot", Tone::Limit, format!("together: {} kept", percent(model.training.explained))),
    ]);
    if spectrum.left_out > 0 {
        write!(caption, "<br>{} not drawn.", words::count(spectrum.left_out, "more component"))?;
    }
    let mut html =
        String::from("<section>\n<h2>The model</h2>\n<div class=\"pair\">\n<div id=\"fit\">\n");
    writeln!(html, "<p>{}</p>", escape(&words::fit(model).join(" ")))?;
    let alarms = words::alarms(model, readings);
    writeln!(html, "<p>{}</p>", escape(&alarms.join(" ")))?;
    writeln!(html, "<p>Its inputs: {}.</p>", escape(&model.columns.join(", ")))?;
    let warnings = model.training.all_warnings();
    let warnings: Vec<String> =
        warnings.map(|text| format!("<li>Warning: {}</li>\n", escape(&text))).collect();
    match warnings.is_empty() {
        true => html += "<p>The fit gave no warnings.</p>\n",
        false => write!(html, "<ul class=\"warnings\">\n{}</ul>\n", warnings.concat())?,
    }
    html += "</div>\n";
    html += &figure("spectrum", &spectrum.svg()?, &caption);
    html += "</div>\n</section>\n";
    Ok(html)
}

/// What it takes to run the model.
fn device<T: Number>(model: &Model<T>) -> Result<String> {
    let mut html = String::from("<section id=\"device\">\n<h2>On a device</h2>\n");
    write!(
        html,
        "<p>The model takes {} bytes of flash as a <code>static</code>, {} bytes as a file to store",
        thousands(model.flash()),
        thousands(model.device_bytes()?.len())
    )?;
    match model.cost() {
        Some(cost) => {
            writeln!(html, ", and {} bytes of stack while it scores.</p>", thousands(cost.ram))?;
            let cores = &cost.instructions;
            let lines = [
                ("Cortex-M0, M0+, M1", cores.cortex_m0),
                ("Cortex-M3; M4 and M33 without FPU", cores.cortex_m3),
                ("Cortex-M4F, M7, M33 with FPU", cores.cortex_m4f),
                ("RV32IMAC", cores.rv32imac),
            ];
            let lines = lines
                .into_iter()
                .map(|(core, instructions)| vec![core.to_string(), thousands(instructions)]);
            let columns = [texts("core"), numbers("instructions a score, at the most")];
            html += &table("cost", &columns, lines);
        }
        None => {
            let why = match T::PRECISION {
                Precision::F64 => "models in double precision",
                Precision::F32 => "this kernel",
            };
            let stack = thousands(model.stack());
            writeln!(html, ", and about {stack} bytes of stack while it scores.</p>")?;
            writeln!(html, "<p>Instructions have not been counted for {why}.</p>")?;
        }
    }
    writeln!(
        html,
        "<p>Its checksum is <code>{:08x}</code>, by which a firmware can tell which model it has.</p>",
        model.checksum()?
    )?;
    html += "</section>\n";
    Ok(html)
}

fn figure(id: &str, content: &str, caption: &str) -> String {
    format!("<figure id=\"{id}\">\n{content}<figcaption>{caption}</figcaption>\n</figure>\n")
}

/// What the marks in a figure mean.
fn legend(keys: &[Key]) -> String {
    let key = |(form, tone, text): &Key| {
        format!(
            "<span class=\"key\"><i class=\"{form} b-{}\"></i>{}</span>",
            tone.name(),
            escape(text)
        )
    };
    keys.iter().map(key).collect::<Vec<_>>().join(" ")
}

/// A text in a table.
fn cell(text: &str) -> String {
    escape(&shorten(text, LONGEST_CELL))
}

/// A column of a table: what stands above it, and on which side its cells are aligned.
struct Column {
    head: String,
    class: &'static str,
}

fn texts(head: &str) -> Column {
    Column { head: escape(head), class: "" }
}

fn numbers(head: &str) -> Column {
    Column { head: escape(head), class: " class=\"number\"" }
}

/// A table in a box of its own that can be scrolled.
fn table(id: &str, columns: &[Column], lines: impl Iterator<Item = Vec<String>>) -> String {
    let row = |cells: &mut dyn Iterator<Item = &String>, tag: &str| {
        let cell =
            |(column, cell): (&Column, &String)| format!("<{tag}{}>{}</{tag}>", column.class, cell);
        format!("<tr>{}</tr>\n", columns.iter().zip(cells).map(cell).collect::<String>())
    };
    let heads = row(&mut columns.iter().map(|column| &column.head), "th");
    let body: String = lines.map(|line| row(&mut line.iter(), "td")).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table id=\"{id}\">\n<thead>{heads}</thead>\n<tbody>{body}</tbody>\n</table></div>\n"
    )
}
