//! The page of `mercer report`, as text; `page.rs` opens it in a browser.

mod common;

use std::fs;
use std::path::Path;

use common::waves::{C_CELL, REPORT, report, waves};
use common::{fail as refused, mercer, succeed as ok};
use serde_json::Value;

/// Each has a figure of its own.
const FIGURES: [&str; 3] = ["timeline", "projections", "spectrum"];

/// The cells of the lines of a table, as they stand in the page.
fn cells(html: &str, table: &str) -> Vec<Vec<String>> {
    let body = html.split(&format!("<table id=\"{table}\">")).nth(1).unwrap();
    let body = body.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    let cells = |line: &str| {
        let line = line.replace("<title>", "").replace("<th", "<td");
        let starts = line.split("<td").skip(1).map(String::from).collect::<Vec<_>>();
        let inner = |cell: &String| {
            let (_, inner) = cell.split_once('>').unwrap();
            inner.replace("</td>", "").replace("</th>", "").replace("</tr>", "").trim().to_string()
        };
        starts.iter().map(inner).collect()
    };
    body.split("<tr>").skip(1).map(|line| cells(&format!("<tr>{line}"))).collect()
}

#[test]
fn the_page_has_figures_tables_and_words() {
    let (folder, _, html) = report();
    for figure in FIGURES {
        assert_eq!(html.matches(&format!("<figure id=\"{figure}\"")).count(), 1, "{figure}");
    }
    for sentence in [
        "The model learned from 200 samples of 4 inputs.",
        "are unusual, if readings are exchangeable with the training readings: same conditions, independent of each other.",
        "5.0 % of normal rows expected if like the training readings, and independent",
        "If all 200 rows here were normal and such readings, about 10 could be expected to be unusual",
        "The alarm: smoothed score (1/8 of each reading) above the threshold, until below 80 % of it. It was raised ",
        "<h2>On a device</h2>",
        "Cortex-M0, M0+, M1",
        // Words that not everybody knows, each where it comes first.
        "SPE, the squared error that is left when the row is put together from what normal readings have in common",
        "It is shown in <b>thresholds</b>: above 1, the row is unusual",
        "The <b>suspect</b> is the sensor to look at first",
        "A component is one of the ways in which normal readings vary",
        "landmark: a training reading that the model keeps to compare others with",
    ] {
        assert!(html.contains(sentence), "{sentence}");
    }
    for head in html.split("<th").skip(1).filter(|head| !head.starts_with("ead>")) {
        assert!(head.starts_with(" scope="), "{}", &head[..40]);
    }
    // Escaped where a name or a label stands, in HTML and in SVG.
    assert!(html.contains("&lt;c&gt; &amp; &quot;c&quot;"));
    assert!(html.contains("&lt;i&gt;bad&lt;/i&gt;"));
    assert!(!html.contains("<c>") && !html.contains("<i>bad"));
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

/// What `score` says of each row: its score in thresholds, is it unusual, is the alarm up.
fn scored(folder: &Path, model: &str, data: &str) -> Vec<(f64, bool, bool)> {
    let facts = ok(folder, &["inspect", model, "--json"]);
    let facts: Value = serde_json::from_str(&facts).unwrap();
    let threshold = facts["threshold"]["spe"].as_f64().unwrap();
    let scores = ok(folder, &["score", model, data]);
    let head: Vec<&str> = scores.lines().next().unwrap().split(',').collect();
    let place = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let (spe, unusual, alarm) = (place("spe"), place("unusual"), place("alarm"));
    let lines = scores.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let score = cells[spe].parse::<f64>().unwrap() / threshold;
        (score, cells[unusual] == "1", cells[alarm] == "1")
    });
    lines.collect()
}

#[test]
fn events_are_those_of_score() {
    let (folder, _, html) = report();
    let rows = scored(folder.path(), "m.mercer", "test.csv");
    let mut expected: Vec<(usize, usize, f64)> = Vec::new();
    for (row, &(score, _, alarm)) in rows.iter().enumerate().filter(|(_, (_, _, alarm))| *alarm) {
        assert!(alarm);
        match expected.last_mut() {
            Some((_, last, peak)) if *last + 1 == row => (*last, *peak) = (row, peak.max(score)),
            _ => expected.push((row, row, score)),
        }
    }
    let lines = cells(&html, "events");
    assert!(!expected.is_empty());
    assert_eq!(lines.len(), expected.len(), "one line for each event, however long it is");
    for (line, (first, last, peak)) in lines.iter().zip(&expected) {
        let time = |row: &usize| format!("{:.1}", (200 + row) as f64 / 10.0);
        assert_eq!(line[1], format!("{}<br>{}", time(first), time(last)));
        assert_eq!(line[2], (last - first + 1).to_string());
        assert_eq!(line[4], format!("{peak:.2}"));
    }
    // The last one is the sensor that failed: 9 more than the others let expect.
    let last = lines.last().unwrap();
    assert_eq!(last[3], "&lt;i&gt;bad&lt;/i&gt;");
    assert_eq!(last[5], "&lt;c&gt; &amp; &quot;c&quot;");
    let [read, should, rest] = [6, 7, 8].map(|place| last[place].parse::<f64>().unwrap());
    assert!((read - should - 9.0).abs() < 2.0 && rest < 1.5, "{last:?}");
    assert!(last[9].contains("<svg class=\"around\""));
    let (unusual, up) = rows
        .iter()
        .fold((0, 0), |(unusual, up), row| (unusual + usize::from(row.1), up + usize::from(row.2)));
    let title =
        format!("Scores of 200 rows in thresholds; {unusual} unusual, {up} in alarm</title>");
    assert!(html.contains(&title), "{title}");
    assert!(html.contains(&format!("<dd>{unusual}</dd>")));
    let calm = rows.iter().filter(|row| !row.2);
    let (outside, above) = (calm.clone().count(), calm.filter(|row| row.1).count());
    assert!(html.contains(&format!("Of the {outside} rows outside of alarms, {above} (")));
}

#[test]
fn no_event_and_nothing_but_events() {
    let folder = waves();
    let train = fs::read_to_string(folder.path().join("train.csv")).unwrap();
    let (header, rows) = train.split_once('\n').unwrap();
    let raise = |row: &str| {
        let mut cells: Vec<String> = row.split(',').map(String::from).collect();
        for cell in &mut cells[2..] {
            *cell = format!("{}", cell.parse::<f64>().unwrap() + 50.0);
        }
        cells.join(",") + "\n"
    };
    let all: String = rows.lines().map(raise).collect();
    fs::write(folder.path().join("all.csv"), format!("{header}\n{all}")).unwrap();
    let page = |data: &str| {
        ok(folder.path(), &["report", "m.mercer", data, "--out", "r.html"]);
        fs::read_to_string(folder.path().join("r.html")).unwrap()
    };
    let quiet: String = rows.lines().take(60).map(|row| format!("{row}\n")).collect();
    fs::write(folder.path().join("quiet.csv"), format!("{header}\n{quiet}")).unwrap();
    let html = page("quiet.csv");
    assert!(html.contains("<p>No alarm was raised. The highest score, "), "{html}");
    assert!(!html.contains("<table id=\"events\">"));
    let html = page("all.csv");
    let lines = cells(&html, "events");
    assert_eq!(lines.len(), 1);
    assert_eq!(&lines[0][1..3], ["row 0<br>row 199", "200"]);
    assert!(!html.contains("outside of alarms"));
    // What has moved is seen at a glance: all of it, by far.
    for line in cells(&html, "inputs") {
        assert!(line[4].trim_start_matches('+').parse::<f64>().unwrap() > 3.0, "{line:?}");
        assert_eq!(line[5], "100 %");
    }
}

/// The value of which a share of all is not larger, by sorting.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(share * (values.len() - 1) as f64).round() as usize]
}

#[test]
fn training_stands_beside_new_data() {
    let (folder, _, html) = report();
    let column = |file: &str, place: usize| -> Vec<f64> {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        // The third sensor has a comma-free name in quotes, so commas part cells.
        let of = |line: &str| line.split(',').nth(place).unwrap().parse().unwrap();
        text.lines().skip(1).map(of).collect()
    };
    let lines = cells(&html, "inputs");
    assert_eq!(lines.len(), 4);
    for (name, place) in [("a", 2), ("b", 3), ("&lt;c&gt; &amp; &quot;c&quot;", 4), ("d", 5)] {
        let line = lines.iter().find(|line| line[0] == name).unwrap();
        let (then, now) = (column("train.csv", place), column("test.csv", place));
        let number = |place: usize| line[place].replace('−', "-").parse::<f64>().unwrap();
        let [before, after] = [&then, &now].map(|values| quantile(values.clone(), 0.5));
        assert!((number(2) - before).abs() <= 1e-3 * before.abs().max(0.1), "{line:?}");
        assert!((number(3) - after).abs() <= 1e-3 * after.abs().max(0.1), "{line:?}");
        let width = quantile(then.clone(), 0.95) - quantile(then.clone(), 0.05);
        assert!((number(4) - (after - before) / width).abs() < 0.006, "{line:?}");
        let (low, high) = (quantile(then.clone(), 0.0), quantile(then, 1.0));
        let beyond = now.iter().filter(|&&x| x < low || x > high).count() as f64 / 2.0;
        let shown: f64 = line[5].trim_end_matches(" %").parse().unwrap();
        assert!((shown - beyond).abs() < 0.051, "{line:?} {beyond}");
    }
}

#[test]
fn raw_samples_are_over_samples_or_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let csv = |from: usize, fault: usize| {
        let mut text = String::from("x,y\n");
        for i in from..from + 6400 {
            let at = i as f64;
            let noise = ((i * 7919) % 997) as f64 / 997.0;
            let loud = if i - from >= fault { 6.0 } else { 1.0 };
            text += &format!(
                "{:.4},{:.4}\n",
                loud * (at / 3.0).sin() + noise,
                (at / 7.0).cos() + noise
            );
        }
        text
    };
    fs::write(folder.path().join("train.csv"), csv(0, usize::MAX)).unwrap();
    fs::write(folder.path().join("test.csv"), csv(6400, 3200)).unwrap();
    let fit = ["fit", "train.csv", "--window", "64", "--out", "m.mercer"];
    ok(folder.path(), &fit);
    let page = |more: &[&str]| {
        let report = ["report", "m.mercer", "test.csv", "--out", "r.html"];
        let said = ok(folder.path(), &[&report, more].concat());
        assert!(said.starts_with("r.html: 199 windows, "), "{said}");
        fs::read_to_string(folder.path().join("r.html")).unwrap()
    };
    let html = page(&[]);
    assert!(html.contains("<b>sample</b></div>"));
    let event = cells(&html, "events").pop().unwrap();
    // To the last row of the last window.
    assert!(event[1].ends_with("<br>sample 6399"), "{event:?}");
    let html = page(&["--rate", "100"]);
    assert!(html.contains("<b>seconds</b></div>"));
    let event = cells(&html, "events").pop().unwrap();
    assert!(event[1].ends_with("<br>63.99 s"), "{event:?}");
    ok(folder.path(), &[&fit[..], &["--rate", "100"]].concat());
    assert!(page(&[]).contains("<b>seconds</b></div>"), "as the model knows it");
    for bad in ["0", "-1", "x", "inf"] {
        let rate = format!("--rate={bad}");
        let report = ["report", "m.mercer", "test.csv", "--out", "n.html", &rate];
        let out = mercer(folder.path(), &report);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(!out.status.success() && said.contains("a number above 0"), "{said}");
    }
}

#[test]
fn instants_are_to_scale_with_their_dates() {
    let folder = waves();
    let text = fs::read_to_string(folder.path().join("test.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let mut dated = format!("{header}\n");
    for (i, row) in rows.lines().enumerate() {
        // From half an hour before midnight, a row a minute.
        let minute = 23 * 60 + 30 + i;
        let (day, hour, minute) = (9 + minute / 1440, minute / 60 % 24, minute % 60);
        let (_, rest) = row.split_once(',').unwrap();
        dated += &format!("2024-03-{day:02} {hour:02}:{minute:02}:00,{rest}\n");
    }
    fs::write(folder.path().join("dated.csv"), dated).unwrap();
    ok(folder.path(), &["report", "m.mercer", "dated.csv", "--time", "when", "--out", "r.html"]);
    let html = fs::read_to_string(folder.path().join("r.html")).unwrap();
    let times = html.split("<div class=\"times dated\">").nth(1).unwrap();
    let times = times.split("</div>").next().unwrap();
    assert!(times.contains(">00:00<br>2024-03-10</span>"), "{times}");
    // No tick is shortened, and midnight is where it belongs: 30 of 199 minutes.
    assert!(!times.contains('…'));
    assert!(times.contains("left:15.08%\">00:00<br>"), "{times}");
}

#[test]
fn nothing_is_fetched_and_nothing_else_may_run() {
    let (_folder, _, html) = report();
    let mut html = html.replace("url(#over)", "").replace("href=\"#", "");
    for forbidden in
        ["http:", "https:", "src=\"", "href=", "url(", "@import", "<link", "javascript:"]
    {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    assert_eq!(html.matches("<script>").count(), 1);
    let policy = "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-";
    assert!(html.contains(policy));
    html.truncate(html.find("<script>").unwrap());
    for handler in html.split(" on").skip(1) {
        let name = handler.trim_start_matches(|c: char| c.is_ascii_lowercase());
        assert!(!name.starts_with('='), "a handler: {}", &handler[..name.len().min(40)]);
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
        let (shown, _) = html.split_once("<script>").unwrap();
        assert!(!shown.contains("NaN") && !shown.contains("inf"), "{kernel}");
        assert!(html.contains("Instructions have not been counted"), "{kernel}");
    }
}

#[test]
fn a_long_recording_is_an_envelope() {
    let folder = waves();
    let rows = fs::read_to_string(folder.path().join("test.csv")).unwrap();
    let (header, rows) = rows.split_once('\n').unwrap();
    let page = |times: usize| {
        let long = format!("{header}\n{}", rows.repeat(times));
        fs::write(folder.path().join("long.csv"), long).unwrap();
        let label = ["report", "m.mercer", "long.csv", "--label", "state", "--out", "long.html"];
        ok(folder.path(), &label);
        fs::read_to_string(folder.path().join("long.html")).unwrap()
    };
    let html = page(150);
    assert!(html.contains("<dd>30,000</dd>"));
    assert!(html.contains("30,000 rows are more than a screen has room for"));
    assert_eq!(html.matches("<path class=\"band\"").count(), 1 + 4);
    assert!(html.len() < 400_000, "{} bytes", html.len());
    // Twice the rows take hardly more bytes.
    let longer = page(300);
    assert!(longer.len() < html.len() * 11 / 10, "{} {}", html.len(), longer.len());
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
