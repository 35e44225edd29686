//! The page of `mercer report`, as text and in a browser.

mod browser;
mod common;

use std::fs;
use std::path::{Path, PathBuf};

use browser::{browser, open_page};
use common::{fail as refused, skipped, succeed as ok};
use serde_json::Value;
use tempfile::TempDir;

/// Each has a figure of its own.
const FIGURES: [&str; 4] = ["timeline", "contributions", "projections", "spectrum"];

/// A name that would be markup if nobody took care, as a cell of CSV.
const C_CELL: &str = "\"<c> & \"\"c\"\"\"";

/// A folder with a model of waves and rows to report on: four sensors, the third of which fails towards the end.
fn waves() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let wave = |row: usize, sensor: usize| {
        let noise = ((row * 7919 + sensor * 104_729) % 1000) as f64 / 2000.0;
        (row as f64 / 9.0).sin() * (1 + sensor) as f64 + noise
    };
    let csv = |rows: std::ops::Range<usize>, fails_at: usize| {
        let mut text = format!("when,state,a,b,{C_CELL},d\n");
        for row in rows {
            let failed = row >= fails_at;
            let x = |sensor| wave(row, sensor) + if failed && sensor == 2 { 9.0 } else { 0.0 };
            let state = if failed { "<i>bad</i>" } else { "good" };
            let (a, b, c, d) = (x(0), x(1), x(2), x(3));
            text += &format!("{:.1},{state},{a:.4},{b:.4},{c:.4},{d:.4}\n", row as f64 / 10.0);
        }
        text
    };
    fs::write(folder.path().join("train.csv"), csv(0..200, usize::MAX)).unwrap();
    fs::write(folder.path().join("test.csv"), csv(200..400, 380)).unwrap();
    ok(folder.path(), &["fit", "train.csv", "--drop", "when,state", "--out", "m.mercer"]);
    folder
}

const REPORT: [&str; 9] = [
    "report",
    "m.mercer",
    "test.csv",
    "--label",
    "state",
    "--time",
    "when",
    "--out",
    "report.html",
];

fn report() -> (TempDir, PathBuf, String) {
    let folder = waves();
    let said = ok(folder.path(), &REPORT);
    assert!(said.starts_with("report.html: 200 rows, "), "{said}");
    let page = folder.path().join("report.html");
    let html = fs::read_to_string(&page).unwrap();
    (folder, page, html)
}

#[test]
fn the_page_has_figures_tables_and_words() {
    let (folder, _, html) = report();
    for figure in FIGURES {
        assert_eq!(html.matches(&format!("<figure id=\"{figure}\">")).count(), 1, "{figure}");
    }
    // Timeline and heat map for two screens, two projections, one spectrum.
    assert_eq!(html.matches("<svg ").count(), 2 + 2 + 2 + 1);
    assert_eq!(html.matches("role=\"img\"><title>").count(), 7);
    for sentence in [
        "The model learned from 200 samples of 4 inputs.",
        "are unusual, if readings are exchangeable with the training rows: same conditions, independent of each other.",
        "5.0 % of normal rows expected if like the training rows, and independent",
        "If all 200 rows here were normal and such readings, about 10 could be expected to be unusual",
        "The alarm: smoothed score (1/8 of each reading) above the threshold, until below 80 % of it. It was raised ",
        "<h2>On a device</h2>",
        "Cortex-M0, M0+, M1",
    ] {
        assert!(html.contains(sentence), "{sentence}");
    }
    // Escaped where a name or a label stands, in HTML and in SVG.
    assert!(html.contains("&lt;c&gt; &amp; &quot;c&quot;"));
    assert!(html.contains("&lt;i&gt;bad&lt;/i&gt;"));
    assert!(!html.contains("<c>") && !html.contains("<i>bad"));
    // The sensor that failed is the suspect of every row in the list.
    let worst = html.split("<table id=\"unusual\">").nth(1).unwrap();
    let worst = worst.split("</table>").next().unwrap();
    assert_eq!(worst.matches("<td>&lt;c&gt; &amp; &quot;c&quot;</td>").count(), 12, "{worst}");
    // As many unusual rows and alarms as `score` finds.
    let scores = ok(folder.path(), &["score", "m.mercer", "test.csv"]);
    let of = |place: usize| -> Vec<bool> {
        let cell = |line: &str| line.split(',').nth(place).unwrap() == "1";
        scores.lines().skip(1).map(cell).collect()
    };
    let (unusual, alarm) = (of(4), of(5));
    let count = unusual.iter().filter(|&&unusual| unusual).count();
    let up = alarm.iter().filter(|&&up| up).count();
    let raised = (0..alarm.len()).filter(|&i| alarm[i] && (i == 0 || !alarm[i - 1])).count();
    assert!(count >= 20 && up >= 20 && raised >= 1, "{count} {up} {raised}");
    assert!(html.contains(&format!("<dd>{count}</dd>")), "{count}");
    assert!(html.contains(&format!("<dd>{raised}</dd>")), "{raised}");
    assert!(html.contains(&format!("{count} rows are unusual, {up} in alarm</title>")), "{up}");
    // The numbers of `inspect` are those of the page.
    let facts = ok(folder.path(), &["inspect", "m.mercer", "--json"]);
    let facts: Value = serde_json::from_str(&facts).unwrap();
    let components = facts["components"].as_u64().unwrap();
    assert!(html.contains(&format!("{components} components explain")));
    let spectrum = html.split("<figure id=\"spectrum\">").nth(1).unwrap();
    let bars = spectrum.split("</svg>").next().unwrap().matches("<rect ").count();
    assert_eq!(bars as u64, components);
    let checksum = facts["checksum"].as_str().unwrap();
    assert!(html.contains(&format!("Its checksum is <code>{checksum}</code>")));
}

#[test]
fn nothing_is_fetched() {
    let (_folder, _, html) = report();
    for forbidden in ["http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link"] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn same_inputs_same_bytes() {
    let (folder, page, html) = report();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    for file in ["m.mercer", "test.csv"] {
        fs::copy(folder.path().join(file), elsewhere.join(file)).unwrap();
    }
    ok(&elsewhere, &REPORT);
    assert!(fs::read_to_string(elsewhere.join("report.html")).unwrap() == html);
    ok(folder.path(), &REPORT);
    assert!(fs::read_to_string(page).unwrap() == html);
}

#[test]
fn rows_can_be_chosen() {
    let folder = waves();
    let report = ["report", "m.mercer", "test.csv", "--where", "state=good", "--out", "good.html"];
    let said = ok(folder.path(), &report);
    assert!(said.starts_with("good.html: 180 rows, "), "{said}");
    let html = fs::read_to_string(folder.path().join("good.html")).unwrap();
    assert!(html.contains("A row is unusual when its SPE is above"), "{html}");
}

#[test]
fn one_row_and_one_component_are_enough() {
    let folder = waves();
    for kernel in ["rbf", "linear", "poly", "laplacian"] {
        let fit = ["fit", "train.csv", "--columns", "a,b", "--kernel", kernel, "--components", "1"];
        ok(folder.path(), &[&fit[..], &["--precision", "f64", "--out", "one.mercer"]].concat());
        fs::write(folder.path().join("one.csv"), "a,b\n1,2\n").unwrap();
        let said = ok(folder.path(), &["report", "one.mercer", "one.csv", "--out", "one.html"]);
        assert!(said.starts_with("one.html: 1 row, "), "{said}");
        let html = fs::read_to_string(folder.path().join("one.html")).unwrap();
        assert!(!html.contains("NaN") && !html.contains("inf"), "{kernel}");
        assert!(html.contains("Instructions have not been counted"), "{kernel}");
    }
}

#[test]
fn a_long_recording_is_thinned() {
    let folder = waves();
    let rows = fs::read_to_string(folder.path().join("test.csv")).unwrap();
    let (header, rows) = rows.split_once('\n').unwrap();
    let long = format!("{header}\n{}", rows.repeat(150));
    fs::write(folder.path().join("long.csv"), long).unwrap();
    ok(
        folder.path(),
        &["report", "m.mercer", "long.csv", "--label", "state", "--out", "long.html"],
    );
    let html = fs::read_to_string(folder.path().join("long.html")).unwrap();
    assert!(html.contains("<dd>30,000</dd>"));
    assert!(html.len() < 600_000, "{} bytes", html.len());
    assert!(html.matches("Thinned: ").count() >= 3);
}

#[test]
fn bad_input_leaves_no_page() {
    let folder = waves();
    let path = folder.path();
    fs::write(path.join("broken.mercer"), "{\"format\": \"mercer-model\"").unwrap();
    fs::write(path.join("few.csv"), "a,b,d\n1,2,3\n").unwrap();
    fs::write(path.join("empty.csv"), format!("a,b,{C_CELL},d\n")).unwrap();
    fs::write(path.join("word.csv"), format!("a,b,{C_CELL},d\n1,2,3,4\n1,two,3,4\n")).unwrap();
    for (arguments, complaint) in [
        (["m.mercer", "few.csv"].as_slice(), "few.csv:1: there is no column \"<c> & \"c\"\""),
        (&["m.mercer", "empty.csv"], "empty.csv: no rows below the header"),
        (&["m.mercer", "word.csv"], "word.csv:3:2: \"two\" is not a number"),
        (&["m.mercer", "nowhere.csv"], "nowhere.csv: "),
        (&["m.mercer", "test.csv", "--label", "x"], "test.csv:1: there is no column \"x\""),
        (&["m.mercer", "test.csv", "--time", "x"], "test.csv:1: there is no column \"x\""),
        (&["m.mercer", "test.csv", "--where", "state=x"], "none of its 200 rows was chosen"),
        (&["broken.mercer", "test.csv"], "broken.mercer: not a model of mercer"),
        (&["none.mercer", "test.csv"], "none.mercer: "),
    ] {
        let said = refused(path, &[&["report"], arguments, &["--out", "report.html"]].concat());
        assert!(said.contains(complaint), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(!path.join("report.html").exists(), "{complaint}");
    }
    // What was there stays as it was.
    fs::write(path.join("report.html"), "mine").unwrap();
    refused(path, &["report", "m.mercer", "few.csv", "--out", "report.html"]);
    assert_eq!(fs::read_to_string(path.join("report.html")).unwrap(), "mine");
    refused(path, &["report", "m.mercer", "test.csv", "--out", "no/such/folder/report.html"]);
}

/// Measures the page in frames as wide as screens are.
const MEASURE: &str = r#"
const luminance = colour => {
  const [r, g, b] = colour.match(/[\d.]+/g).map(Number)
    .map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};
window.onload = () => {
  const screens = [...document.querySelectorAll('iframe')].map(frame => {
    const page = frame.contentDocument, view = frame.contentWindow;
    const ground = view.getComputedStyle(page.body).backgroundColor;
    const figures = [...page.querySelectorAll('figure')].map(figure => {
      const drawn = [...figure.querySelectorAll('svg')].filter(svg => svg.clientWidth > 0);
      const texts = drawn.flatMap(svg => [...svg.querySelectorAll('text')].map(text => {
        const [outer, inner] = [svg.getBoundingClientRect(), text.getBoundingClientRect()];
        const style = view.getComputedStyle(text);
        return {
          size: parseFloat(style.fontSize) * outer.width / svg.viewBox.baseVal.width,
          cut: Math.max(outer.left - inner.left, inner.right - outer.right,
            outer.top - inner.top, inner.bottom - outer.bottom),
          contrast: contrast(style.fill, ground),
        };
      }));
      const sides = drawn.map(svg => svg.getBoundingClientRect());
      return {
        id: figure.id, drawn: drawn.length, texts: texts.length,
        width: Math.min(...sides.map(side => side.width)),
        height: Math.min(...sides.map(side => side.height)),
        marks: Math.min(...drawn.map(svg =>
          svg.querySelectorAll('rect, circle, polyline, line').length)),
        size: Math.min(...texts.map(text => text.size)),
        cut: Math.max(...texts.map(text => text.cut)),
        contrast: Math.min(...texts.map(text => text.contrast)),
      };
    });
    return {
      width: view.innerWidth, content: page.documentElement.scrollWidth, figures,
      fetched: view.performance.getEntriesByType('resource').length,
      ground: luminance(ground),
      contrast: Math.min(...[...page.querySelectorAll('p, td, th, h1, h2, figcaption, dt, dd')]
        .map(element => contrast(view.getComputedStyle(element).color, ground))),
    };
  });
  document.querySelector('pre').textContent = JSON.stringify(screens);
};
"#;

/// What the page looks like on screens of these widths, in dark or light.
fn measure(browser: &Path, folder: &Path, html: &str, widths: &[u32], dark: bool) -> Vec<Value> {
    let html = html.replace('&', "&amp;").replace('"', "&quot;");
    let frame = |width: &u32| {
        format!(
            "<iframe srcdoc=\"{html}\" style=\"width:{width}px;height:900px;border:0\"></iframe>"
        )
    };
    let frames: String = widths.iter().map(frame).collect();
    let wrapper = folder.join("wrapper.html");
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><body><pre></pre><script>{MEASURE}</script>{frames}</body>"
    );
    fs::write(&wrapper, text).unwrap();
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let dom = open_page(browser, &wrapper, &[&scheme, "--window-size=1600,1200"]);
    let found = dom.split("<pre>").nth(1).unwrap().split("</pre>").next().unwrap();
    serde_json::from_str(found).unwrap_or_else(|error| panic!("{error}: {found}"))
}

#[test]
fn it_looks_right_in_a_browser() {
    let Some(browser) = browser() else {
        skipped("no browser");
        return;
    };
    let (folder, page, html) = report();
    let dom = open_page(&browser, &page, &["--window-size=390,844"]);
    assert_eq!(dom.matches("<svg ").count(), html.matches("<svg ").count());
    for dark in [false, true] {
        let widths = [360, 390, 768, 1280];
        for (screen, width) in
            measure(&browser, folder.path(), &html, &widths, dark).iter().zip(widths)
        {
            let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
            assert_eq!(number(&screen["width"]), f64::from(width));
            assert!(number(&screen["content"]) <= f64::from(width), "{width}: {screen}");
            assert_eq!(number(&screen["fetched"]), 0.0);
            assert_eq!(number(&screen["ground"]) < 0.5, dark, "{screen}");
            // What people with weak eyes need of text: 4.5 to 1.
            assert!(number(&screen["contrast"]) > 4.5, "{screen}");
            let figures = screen["figures"].as_array().unwrap();
            let ids: Vec<&str> =
                figures.iter().filter_map(|figure| figure["id"].as_str()).collect();
            assert_eq!(ids, FIGURES);
            for figure in figures {
                let of = |what: &str| number(&figure[what]);
                let about = format!("{width}, dark {dark}: {figure}");
                let drawn = if figure["id"] == "projections" { 2.0 } else { 1.0 };
                assert_eq!(of("drawn"), drawn, "{about}");
                assert!(of("width") > 0.4 * f64::from(width).min(900.0), "{about}");
                // The lowest is the heat map of four inputs with its axis.
                assert!(of("height") > 80.0 && of("marks") > 10.0 && of("texts") > 4.0, "{about}");
                assert!(of("size") > 10.0 && of("cut") <= 1.0, "{about}");
                assert!(of("contrast") > 4.5, "{about}");
            }
        }
    }
}
