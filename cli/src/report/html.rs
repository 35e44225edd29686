//! The page itself.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::readings::{Readings, file_name};
use super::scatter::Scatter;
use super::spectrum::Spectrum;
use super::table::{LONGEST_CELL, cell, numbers, table, texts};
use super::timeline::Timeline;
use super::tone::{Key, LEVELS, Tone};
use super::{drift, event_table, words};
use crate::escape::html as escape;
use crate::model::Model;
use crate::text::{percent, thousands};
use crate::{KernelSpec, Number, Precision};

/// Labels that have a line in the table.
const MOST_LABELS: usize = 20;
/// Who may run: the page's own script, by its SHA-256 (`openssl dgst -sha256 -binary zoom.js |
/// base64`; `cli/tests/page.rs` fails if it is another one's), and nothing else that is in the
/// page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-Vp4yBTpPyTQ810yokT8JDAt4S1zdF3ZUZP3TU2V2li0='; base-uri 'none'; form-action 'none'";

/// The report on what a model, which was read from `path`, makes of some rows.
pub(crate) fn page<T: Number>(
    path: &Path,
    model: &Model<T>,
    readings: &Readings<T>,
) -> Result<String> {
    let (name, data) = (escape(&file_name(path)), escape(&readings.file));
    let sections = [
        timeline(model, readings)?,
        event_table::section(model, readings)?,
        by_label(readings),
        drift::section(model, readings),
        projections(model, readings)?,
        fit(model, readings)?,
        device(model)?,
    ];
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{name} on {data}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n\
         <header>\n<p class=\"kind\">mercer report</p>\n<h1>{name} on {data}</h1>\n{}{}</header>\n{}\
         </main>\n<script>{}</script>\n</body>\n</html>\n",
        include_str!("style.css"),
        tiles(model, readings),
        contents(&sections),
        sections.concat(),
        include_str!("zoom.js")
    ))
}

/// Where to find what: a link to each section, by its heading.
fn contents(sections: &[String]) -> String {
    let link = |section: &String| {
        let (_, id) = section.split_once("<section id=\"")?;
        let (_, heading) = section.split_once("<h2>")?;
        Some(format!(
            "<a href=\"#{}\">{}</a>",
            id.split_once('"')?.0,
            heading.split_once("</h2>")?.0
        ))
    };
    let links: Vec<String> = sections.iter().filter_map(link).collect();
    format!("<nav aria-label=\"Sections\">{}</nav>\n", links.join(" "))
}

/// The figures at the head of the page.
fn tiles<T: Number>(model: &Model<T>, readings: &Readings<T>) -> String {
    let (rows, seen) = (readings.count(), readings.unusual_count());
    let worst = readings.worst(0..rows).map_or(0.0, |row| readings.severity[row]);
    let share = percent(seen as f64 / rows as f64);
    let expected = match model.training.false_alarms {
        Some(normal) => format!(
            "unusual: {share}; {} of normal {}s expected {}",
            percent(normal),
            readings.unit,
            model.training.assumption_in_short()
        ),
        None => format!("unusual: {share}"),
    };
    let in_alarm = percent(readings.alarm_count() as f64 / rows as f64);
    let tiles = [
        (thousands(rows), format!("{}s scored", readings.unit)),
        (thousands(seen), expected),
        (
            thousands(readings.events.len()),
            format!("alarms raised; {in_alarm} of {}s in alarm", readings.unit),
        ),
        (words::thresholds(worst), format!("highest score, in {}", readings.score_unit())),
        (format!("{} bytes", thousands(model.flash())), "of flash on a device".into()),
    ];
    let tile = |(value, what): &(String, String)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(what), escape(value))
    };
    format!("<dl class=\"tiles\">\n{}</dl>\n", tiles.iter().map(tile).collect::<String>())
}

fn timeline<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    let timeline = Timeline::new(model, readings)?;
    let mut caption = words::score(model, readings);
    let mut keys = vec![("line", Tone::Data, "score, and what an input reads".into())];
    if readings.threshold > 0.0 {
        keys.push(("line", Tone::Unusual, "above the threshold: unusual".into()));
        keys.push(("dash", Tone::Limit, "threshold".into()));
    }
    keys.push(("box shade", Tone::Alarm, "alarm, by the number of the event".into()));
    keys.push(("box", Tone::Faint, "where nine of ten training readings were".into()));
    write!(caption, "<br>{}", legend(&keys))?;
    if let Some(labels) = &readings.labels {
        let keys = labels.legend("box", LONGEST_CELL);
        write!(caption, "<br>{}: {}", escape(&labels.column), legend(&keys))?;
    }
    caption += "<br>Strip below an input: how strongly the score depends on it, 0 ";
    caption += "<span class=\"scale\" aria-hidden=\"true\"><i class=\"b-faint\"></i>";
    for level in 1..=LEVELS {
        write!(caption, "<i class=\"b-level{level}\"></i>")?;
    }
    write!(
        caption,
        "</span> {} {}. It is a picture of where to look, not whom to blame: that is the suspect of an event.",
        words::thresholds(timeline.darkest),
        readings.score_unit()
    )?;
    if timeline.is_thinned() {
        write!(
            caption,
            "<br>{} {}s are more than a screen has room for: the band is the range of those that share a column, the line their mean.",
            thousands(readings.count()),
            readings.unit
        )?;
    }
    if timeline.is_cut() {
        let lowest = words::thresholds(timeline.lowest);
        write!(caption, "<br>Scores below {lowest} are drawn at {lowest}.")?;
    }
    if timeline.inputs.len() < model.inputs() {
        let (drawn, all) = (timeline.inputs.len(), model.inputs());
        write!(caption, "<br>The {drawn} of {all} inputs that the scores depend on most.")?;
    }
    Ok(format!(
        "<section id=\"time\">\n<h2>Over time</h2>\n<figure id=\"timeline\" data-axis=\"{}\">\n{}\
         <figcaption>{caption}</figcaption>\n</figure>\n</section>\n",
        escape(&readings.axis.for_script()),
        timeline.html()?
    ))
}

/// How many rows are unusual, by label.
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
        numbers(&format!("{}s", readings.unit)),
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
        "<section id=\"by\">\n<h2>By {}</h2>\n{}<p class=\"note\">The median score is in {}.</p>\n{more}</section>\n",
        escape(&labels.column),
        table("labels", &columns, lines),
        readings.score_unit()
    )
}

fn projections<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Result<String> {
    let scatter = Scatter::new(model, readings)?;
    let mut keys = vec![];
    match &readings.labels {
        Some(labels) => {
            keys.extend(labels.legend("dot", LONGEST_CELL));
            keys.push(("diamond", Tone::Ink, "diamond instead of dot: unusual".into()));
        }
        None => {
            keys.push(("dot", Tone::Data, format!("usual {}", readings.unit)));
            keys.push(("diamond", Tone::Unusual, "unusual".into()));
        }
    }
    let mut caption = format!("{}<br>{}", words::COMPONENTS, legend(&keys));
    if scatter.has_landmarks() {
        caption += " <span class=\"key\"><b>×</b>landmark: a training reading that the model keeps to compare others with</span>";
    }
    if matches!(model.kernel, KernelSpec::Rbf { .. } | KernelSpec::Laplacian { .. }) {
        caption += "<br>Readings far from all landmarks share one place among them: their scores tell them apart, not their projections.";
    }
    if scatter.shown() < readings.count() {
        write!(
            caption,
            "<br>Thinned: {} of {} {}s are drawn, unusual ones more often than usual ones.",
            thousands(scatter.shown()),
            thousands(readings.count()),
            readings.unit
        )?;
    }
    let svgs = format!("<div class=\"pair\">{}</div>", scatter.svgs().concat());
    let figure = figure("projections", &svgs, &caption);
    Ok(format!("<section id=\"where\">\n<h2>Projections</h2>\n{figure}</section>\n"))
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
    let mut html = String::from(
        "<section id=\"model\">\n<h2>The model</h2>\n<div class=\"pair\">\n<div id=\"fit\">\n",
    );
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
    html += &figure("spectrum", &spectrum.svg(), &caption);
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
