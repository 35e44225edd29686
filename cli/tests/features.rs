//! Raw samples through `mercer features` and the commands that take a model of them.

mod common;

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use common::{Desk, parse, shared, text};

/// Each feature by itself, in the order of the golden files; `lb` is what these call bands.
const PLAIN: &str = "mean,std,logstd,rms,p2p,min,max,crest,skew,kurt,mad,zc";

/// Is a feature within the tolerance of single precision? All values of the channel are at hand.
fn is_close(name: &str, found: f64, expected: &HashMap<String, f64>) -> bool {
    // The number that the text stands for.
    let found = f64::from(found as f32);
    let wanted = expected[name];
    let largest = expected["min"].abs().max(expected["max"].abs());
    let off = (found - wanted).abs();
    let ulp = f64::from(f32::EPSILON) * wanted.abs();
    match name {
        "mean" | "rms" => off <= 2e-6 * largest,
        "min" | "max" | "p2p" => off <= 2e-7 * largest,
        "std" | "mad" | "crest" => off <= 5e-6 * wanted.abs(),
        "logstd" => off <= 5e-6 + ulp,
        "skew" => off <= 4e-5,
        "kurt" => off <= 2e-5 * (wanted.abs() + 3.0),
        "zc" => off <= 2.0 * expected.get("near").copied().unwrap_or_default(),
        _ => {
            let (bands, _) = name.split_once('_').expect("the number of a band");
            let all = expected.iter().filter(|(name, _)| name.starts_with(bands));
            let total: f64 = all.map(|(_, log)| log.exp()).sum();
            let share = wanted.exp() / total;
            let most = if share > 1e-4 { 7e-5 } else { 4e-4 };
            // Nearly empty bands are not compared as logarithms.
            share <= 1e-8 || off <= most
        }
    }
}

/// Names of the golden files: bands have another one there.
fn golden_name(name: &str) -> String {
    name.replace("bands", "lb")
}

#[test]
fn features_are_those_of_the_golden_files() {
    let (Some(golden), Some(signals)) = (shared("golden-signal"), shared("signals")) else {
        return;
    };
    let windows = fs::read_to_string(golden.join("windows.csv")).expect("the list of files");
    let mut compared = 0;
    for line in windows.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [set, window, hop, count, last, anomalous, _] = cells[..] else { panic!("{line}") };
        let desk = Desk::new();
        let data = signals.join(set).join(format!("{set}.csv"));
        let has_bands = window.parse::<usize>().expect("a number").is_power_of_two();
        let features = format!("{PLAIN}{}", if has_bands { ",bands4,bands8" } else { "" });
        let mut words = vec!["features", text(&data), "--window", window, "--hop", hop];
        words.extend(["--features", &features, "--by", "recording", "--label", "label"]);
        if count == "0" {
            assert!(desk.fail(&words).contains("no window"), "{line}");
            continue;
        }
        let (names, rows) = parse(&desk.succeed(&words));
        assert_eq!(names[..3], ["row", "recording", "label"]);
        assert_eq!(rows.len().to_string(), count, "{line}");
        assert_eq!(rows.last().expect("windows")[0].to_string(), last, "{line}");
        let odd = rows.iter().filter(|row| row[2] == 1.0).count();
        assert_eq!(odd.to_string(), anomalous, "{line}");
        let path = golden.join(format!("{set}_w{window}h{hop}.csv"));
        let (known, listed) = parse(&fs::read_to_string(path).expect("a golden file"));
        for expected in listed {
            let row = rows.iter().find(|row| row[0] == expected[0]).expect("the window");
            assert_eq!(row[1..3], expected[1..3]);
            for (name, &found) in names.iter().zip(row).skip(3) {
                let (channel, feature) = name.split_once('_').expect("a channel");
                let of_channel: HashMap<String, f64> = known
                    .iter()
                    .zip(&expected)
                    .filter_map(|(name, &value)| {
                        Some((name.strip_prefix(channel)?.strip_prefix('_')?.to_string(), value))
                    })
                    .collect();
                assert!(
                    is_close(&golden_name(feature), found, &of_channel),
                    "{set} {window}/{hop}, row {}: {name} is {found}, not {:?}",
                    expected[0],
                    of_channel[&golden_name(feature)]
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn edge_cases_are_those_of_the_golden_files() {
    let Some(golden) = shared("golden-signal") else { return };
    let read = |name: &str| fs::read_to_string(golden.join(name)).expect("a golden file");
    let (signals, features) = (read("edge_signals.csv"), read("edge_features.csv"));
    let names: Vec<&str> = features.lines().next().expect("a header").split(',').collect();
    let desk = Desk::new();
    let mut compared = 0;
    for line in features.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [case, window, floor] = cells[..3] else { panic!("{line}") };
        let samples = signals.lines().filter_map(|line| {
            line.strip_prefix(case)?.strip_prefix(',')?.split_once(',').map(|(_, x)| x)
        });
        desk.write("x.csv", &format!("x\n{}\n", samples.collect::<Vec<_>>().join("\n")));
        let mut list = PLAIN.to_string();
        if window.parse::<usize>().expect("a number").is_power_of_two() {
            list += ",bands4,bands8";
        }
        let words = [
            "features",
            "x.csv",
            "--window",
            window,
            "--features",
            &list,
            "--floor",
            floor,
            "--columns",
            "x",
        ];
        let (found_names, rows) = parse(&desk.succeed(&words));
        assert_eq!(rows.len(), 1, "{case}");
        let expected: HashMap<String, f64> = names
            .iter()
            .zip(&cells)
            .skip(3)
            .map(|(name, cell)| (name.to_string(), cell.parse().expect("a number")))
            .collect();
        for (name, &found) in found_names.iter().zip(&rows[0]).skip(1) {
            let name = golden_name(name.strip_prefix("x_").expect("the channel"));
            // An offset a million times the signal leaves single precision few digits of it.
            let hopeless = ["big_offset", "two_levels_near"].contains(&case);
            if hopeless && !["mean", "rms", "min", "max"].contains(&name.as_str()) {
                continue;
            }
            let wanted = expected[&name];
            assert!(is_close(&name, found, &expected), "{case} {floor}: {name} {found}, {wanted}");
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn operators_are_those_of_the_golden_files() {
    let Some(golden) = shared("golden-signal") else { return };
    let desk = Desk::new();
    let mut compared = 0;
    for tag in ["short", "long"] {
        let input = golden.join(format!("rows_{tag}_input.csv"));
        for operator in ["ma3", "ma8", "ewma0.1", "ewma0.5", "lag2", "lag4", "diff"] {
            // A window of one row is that row.
            let mut words = vec!["features", text(&input), "--window", "1", "--features", "mean"];
            words.extend(["--operators", operator, "--by", "recording", "--drop", "row"]);
            let path = golden.join(format!("rows_{tag}_{operator}.csv"));
            let (names, expected) = parse(&fs::read_to_string(path).expect("a golden file"));
            if expected.is_empty() {
                assert!(desk.fail(&words).contains("no window"), "{tag} {operator}");
                continue;
            }
            let (_, found) = parse(&desk.succeed(&words));
            assert_eq!(names[..2], ["recording", "row"]);
            assert_eq!(found.len(), expected.len(), "{tag} {operator}");
            for (found, expected) in found.iter().zip(expected) {
                assert_eq!(found[..2], [expected[1], expected[0]]);
                assert_eq!(found.len(), expected.len());
                for (a, b) in found[2..].iter().zip(&expected[2..]) {
                    assert!((a - b).abs() <= 1e-6 * b.abs().max(10.0), "{operator}: {a}, {b}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// Two recordings of 5 and 4 rows, with an odd row in the second.
const SMALL: &str = "t,a,b,state,run\n\
    0,1,10,ok,x\n1,3,10,ok,x\n2,2,10,ok,x\n3,4,10,ok,x\n4,9,10,ok,x\n\
    5,0,20,ok,y\n6,0,22,odd,y\n7,4,20,ok,y\n8,4,22,ok,y\n";

#[test]
fn small_cases_are_as_by_hand() {
    let desk = Desk::new();
    desk.write("raw.csv", SMALL);
    let base = ["features", "raw.csv", "--columns", "a,b", "--window", "4", "--by", "run"];
    let run = |more: &[&str]| desk.succeed(&[&base, more].concat());
    // 5 and 4 rows have one window of 4 each; the fifth row is left over.
    let found = run(&["--features", "mean,p2p,mad,zc", "--label", "state", "--normal", "ok"]);
    let expected = "row,run,state,a_mean,a_p2p,a_mad,a_zc,b_mean,b_p2p,b_mad,b_zc\n\
        0,x,ok,2.5,3.0,1.6666666,3.0,10.0,0.0,0.0,0.0\n\
        5,y,odd,2.0,4.0,1.3333334,1.0,21.0,2.0,2.0,3.0\n";
    assert_eq!(found, expected);
    let found = run(&["--features", "max", "--hop", "1"]);
    assert_eq!(found, "row,run,a_max,b_max\n0,x,4.0,10.0\n1,x,9.0,10.0\n5,y,4.0,22.0\n");
    let found = run(&["--features", "max", "--hop", "1", "--operators", "diff"]);
    assert_eq!(found, "row,run,a_max,b_max\n1,x,5.0,0.0\n", "operators stay in a recording");
    let found = run(&["--features", "max", "--hop", "1", "--operators", "lag2"]);
    let expected = "row,run,a_max_t,b_max_t,a_max_t-1,b_max_t-1\n1,x,9.0,10.0,4.0,10.0\n";
    assert_eq!(found, expected);
    let found = run(&["--features", "max", "--units", "2,-0.5"]);
    assert_eq!(found, "row,run,a_max,b_max\n0,x,8.0,-5.0\n5,y,8.0,-10.0\n");
    // Every second window.
    let found = run(&["--features", "max", "--hop", "1", "--every", "2"]);
    assert_eq!(found, "row,run,a_max,b_max\n0,x,4.0,10.0\n5,y,4.0,22.0\n");
    // The logarithm of a deviation of √2, and of the floor.
    let found = run(&["--features", "logstd", "--floor", "0.5", "--where", "run=x"]);
    let (_, rows) = parse(&found.replace(",x,", ",0,"));
    assert!((rows[0][2] - 1.25_f64.sqrt().ln()).abs() < 1e-6, "{found}");
    assert!((rows[0][3] - 0.5_f64.ln()).abs() < 1e-7, "{found}");
}

#[test]
fn rows_that_are_left_out_are_gaps() {
    let desk = Desk::new();
    let rows: String = (0..12).map(|t| format!("{t},{}\n", u8::from(t == 5))).collect();
    desk.write("raw.csv", &format!("x,odd\n{rows}"));
    let base =
        ["features", "raw.csv", "--window", "3", "--hop", "2", "--features", "min", "--keep", "x"];
    let run = |more: &[&str]| desk.succeed(&[&base, more].concat());
    assert_eq!(run(&["--where", "odd=0"]), "row,x_min\n0,0.0\n2,2.0\n6,6.0\n8,8.0\n");
    desk.write("rows.txt", "5");
    let found = run(&["--skip-rows", "rows.txt", "--drop", "odd"]);
    assert_eq!(found, "row,x_min\n0,0.0\n2,2.0\n6,6.0\n8,8.0\n");
}

#[test]
fn cells_without_a_number_begin_a_new_window() {
    let desk = Desk::new();
    let clean: Vec<String> = (0..12).map(|t| format!("{t},{}", t % 5)).collect();
    for bad in ["nan", "", "n/a", "inf", "1e30"] {
        let mut rows = clean.clone();
        rows[4] = format!("4,{bad}");
        desk.write("raw.csv", &format!("x,y\n{}\n", rows.join("\n")));
        let words =
            ["features", "raw.csv", "--window", "3", "--features", "min", "--columns", "x,y"];
        let output = desk.run(&words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{bad}: {said}");
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(common::column(&found, "row"), [0.0, 1.0, 5.0, 6.0, 7.0, 8.0, 9.0], "{bad}");
        assert!(said.contains("raw.csv:6:2: ") && said.contains("column y"), "{bad}: {said}");
        assert!(said.contains("1 row without a number"), "{bad}: {said}");
    }
    let mut rows = clean;
    rows[4] = "4,five".into();
    desk.write("raw.csv", &format!("x,y\n{}\n", rows.join("\n")));
    let error = desk.fail(&["features", "raw.csv", "--window", "4"]);
    assert!(error.contains("raw.csv:6:2: \"five\" is not a number"), "{error}");
}

#[test]
fn a_stream_is_answered_window_by_window() {
    let desk = Desk::new();
    let mut command = desk.command(&["features", "-", "--window", "2", "--features", "max"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut input = child.stdin.take().expect("its input");
    input.write_all(b"x\n1\n2\n3\n").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "row,x_max\n0,2.0\n1,3.0\n");
    let error = desk.fail(&["features", "-", "--window", "auto"]);
    assert!(error.contains("--window auto"), "{error}");
}

/// A machine that hums, in recordings of `rows` rows each; where it is odd, it rattles.
fn hum(seed: u32, recordings: usize, rows: usize, odd: bool) -> String {
    let mut state = seed;
    let mut noise = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.5
    };
    let mut csv = String::from("ax,ay,label,run\n");
    for run in 0..recordings {
        for t in 0..rows {
            let phase = 0.4 * t as f64 + 1.7 * run as f64;
            let rattle = if odd { 0.4 * (2.9 * t as f64).sin() } else { 0.0 };
            let (x, y) = (phase.sin() + rattle + 0.1 * noise(), 9.81 + 0.05 * noise());
            csv += &format!("{x:.5},{y:.5},{},{run}\n", u8::from(odd));
        }
    }
    csv
}

#[test]
fn a_model_of_raw_samples_takes_raw_samples() {
    let desk = Desk::new();
    desk.write("train.csv", &hum(1, 6, 256, false));
    let odd = hum(2, 3, 256, true);
    let rows = odd.split_once('\n').expect("a header").1.replace(",0\n", ",6\n");
    let rows = rows.replace(",1\n", ",7\n").replace(",2\n", ",8\n");
    desk.write("test.csv", &format!("{}{rows}", hum(3, 4, 256, false)));
    let recipe = ["--window", "32", "--hop", "16", "--by", "run", "--drop", "label"];
    for precision in ["f32", "f64"] {
        let fit = ["fit", "train.csv", "--out", "m.mercer", "--precision", precision];
        let said = desk.all(&[&fit[..], &recipe, &["--rate", "100"]].concat());
        assert!(said.contains("windows of 32 samples, one every 16, at 100 Hz"), "{said}");
        assert!(
            said.contains("bands4: 0 to 12.5, 12.5 to 25, 25 to 37.5, 37.5 to 50 Hz"),
            "{said}"
        );
        assert!(said.contains("4 folds of whole recordings"), "{said}");
        assert!(!said.contains("warning"), "{said}");
        // The same by way of a table of features.
        let features = desk.succeed(&[&["features", "test.csv"], &recipe[..]].concat());
        desk.write("features.csv", &features);
        let train = [&["features", "train.csv"], &recipe[..]].concat();
        desk.write("train_features.csv", &desk.succeed(&train));
        let fit =
            ["fit", "train_features.csv", "--by", "run", "--drop", "row", "--out", "f.mercer"];
        desk.succeed(&[&fit[..], &["--precision", precision]].concat());
        let by_features =
            desk.succeed(&["score", "f.mercer", "features.csv", "--why", "--by", "run"]);
        let by_samples = desk.succeed(&["score", "m.mercer", "test.csv", "--why"]);
        assert_eq!(by_samples.lines().count(), 7 * 15 + 1);
        let without_row = |csv: &str| -> Vec<String> {
            csv.lines().map(|line| line.split_once(',').expect("cells").1.into()).collect()
        };
        if precision == "f32" {
            assert_eq!(without_row(&by_samples), without_row(&by_features));
        }
        assert_eq!(common::column(&by_samples, "row"), common::column(&features, "row"));
        let header = by_samples.lines().next().expect("a header");
        assert!(header.contains(",why:ax_mean,why:ax_logstd,why:ax_bands4_0,"), "{header}");

        let eval = ["eval", "m.mercer", "test.csv", "--label", "label", "--json"];
        let eval: serde_json::Value = serde_json::from_str(&desk.succeed(&eval)).expect("JSON");
        assert_eq!((&eval["normal"], &eval["anomalous"]), (&60.into(), &45.into()));
        assert!(eval["auroc"]["value"].as_f64() > Some(0.99), "{eval}");
        let projected = desk.succeed(&["project", "m.mercer", "test.csv"]);
        assert_eq!(projected.lines().count(), 7 * 15 + 1);
        let report = ["report", "m.mercer", "test.csv", "--label", "label", "--out", "r.html"];
        let said = desk.succeed(&report);
        assert!(said.contains("105 windows"), "{said}");
        let page = fs::read_to_string(desk.path("r.html")).expect("the page");
        assert!(page.contains("windows of 32 samples"));
        let shown = desk.succeed(&["inspect", "m.mercer", "--json"]);
        let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(shown["front_end"]["features"], serde_json::json!(["mean", "logstd", "bands4"]));
        let calibrate = ["calibrate", "m.mercer", "test.csv", "--where", "label=0"];
        assert!(desk.succeed(&calibrate).contains("60, "));
        // What is not what it takes.
        let error = desk.fail(&["score", "m.mercer", "features.csv"]);
        assert!(error.contains("\"ax\"") && error.contains("takes raw samples"), "{error}");
        let error = desk.fail(&["score", "f.mercer", "test.csv"]);
        assert!(error.contains("takes features, not raw samples"), "{error}");
        let error = desk.fail(&["score", "m.mercer", "test.csv", "--missing", "impute"]);
        assert!(error.contains("--missing impute"), "{error}");
    }
}

#[test]
fn a_model_goes_on_after_a_cell_without_a_number() {
    let desk = Desk::new();
    desk.write("raw.csv", &hum(5, 6, 200, false));
    let mut rows: Vec<String> = hum(6, 2, 200, true).lines().map(String::from).collect();
    rows[100] = ",9.8,1,0".into();
    desk.write("gap.csv", &rows.join("\n"));
    let fit = ["fit", "raw.csv", "--window", "32", "--by", "run", "--drop", "label"];
    desk.succeed(&[&fit[..], &["--out", "m.mercer"]].concat());
    let output = desk.run(&["score", "m.mercer", "gap.csv"]);
    let (said, printed) =
        (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{said}");
    assert!(said.contains("gap.csv:101:1: "), "{said}");
    // Rows 0 to 98 and 100 to 199 of the first recording, 200 to 399 of the second.
    let starts = (0..=67).step_by(16).chain((100..=168).step_by(16)).chain((200..=368).step_by(16));
    assert_eq!(common::column(&printed, "row"), starts.map(f64::from).collect::<Vec<_>>());
    let error = desk.fail(&["score", "m.mercer", "gap.csv", "--missing", "error"]);
    assert!(error.contains("gap.csv:101:1: the cell is empty"), "{error}");
    // A model fitted to such rows says so ever after.
    let fit = ["fit", "gap.csv", "--window", "16", "--by", "run", "--drop", "label"];
    let said = desk.all(&[&fit[..], &["--out", "g.mercer"]].concat());
    assert!(said.contains("warning: 1 row without a number in each channel"), "{said}");
    assert!(desk.all(&["inspect", "g.mercer"]).contains("gap.csv:101:1"));
}

#[test]
fn windows_and_features_choose_themselves() {
    let desk = Desk::new();
    desk.write("raw.csv", &hum(5, 10, 200, false));
    let words = ["features", "raw.csv", "--by", "run", "--drop", "label"];
    let output = desk.run(&words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--window auto: 50 windows of 64 samples, one every 32"), "{said}");
    let header = String::from_utf8_lossy(&output.stdout);
    assert!(header.starts_with("row,run,ax_mean,ax_logstd,ax_bands4_0,"), "{header}");
    let output = desk.run(&[&words[..], &["--window", "100"]].concat());
    let header = String::from_utf8_lossy(&output.stdout);
    assert!(header.starts_with("row,run,ax_mean,ax_logstd,ax_logmad,ay_mean"), "{header}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no power of two"));
}

#[test]
fn as_many_samples_are_taken_as_are_wanted() {
    let desk = Desk::new();
    desk.write("raw.csv", &hum(5, 10, 200, false));
    let fit = ["fit", "raw.csv", "--window", "32", "--by", "run", "--drop", "label"];
    let said = desk.succeed(&[&fit[..], &["--out", "m.mercer", "--most", "64"]].concat());
    assert!(said.starts_with("samples                64\n"), "{said}");
    let said = desk.succeed(&[&fit[..], &["--out", "m.mercer", "--most", "1000"]].concat());
    assert!(said.starts_with("samples                110\n"), "{said}");
}

#[test]
fn folds_are_whole_recordings_in_tune_too() {
    let desk = Desk::new();
    desk.write("raw.csv", &hum(5, 6, 200, false));
    let features = ["features", "raw.csv", "--window", "32", "--by", "run", "--drop", "label"];
    desk.write("f.csv", &desk.succeed(&features));
    let tune = ["tune", "f.csv", "--drop", "row", "--by", "run", "--max-flash", "4000"];
    let said = desk.succeed(&tune);
    assert!(said.contains("the other 3 folds of whole recordings"), "{said}");
    let line = said.lines().find(|line| line.starts_with("mercer fit")).expect("the line to use");
    assert!(line.contains("--drop row --by run"), "{line}");
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    assert!(desk.succeed(&words).contains("4 folds of whole recordings"));
}

#[test]
fn too_few_windows_are_called_so() {
    let desk = Desk::new();
    desk.write("raw.csv", &hum(5, 1, 80, false));
    let fit = ["fit", "raw.csv", "--window", "32", "--by", "run", "--drop", "label"];
    let error = desk.fail(&[&fit[..], &["--out", "m.mercer"]].concat());
    assert!(error.contains("4 windows are too few"), "{error}");
}

#[test]
fn what_may_not_be_as_meant_is_said() {
    let desk = Desk::new();
    let base = ["fit", "raw.csv", "--window", "32", "--by", "run", "--drop", "label"];
    let fit = [&base[..], &["--out", "m.mercer"]].concat();
    // A channel that stands still in a recording.
    let still = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
        [x, _, label, "2"] => format!("{x},9.81,{label},2\n"),
        _ => format!("{line}\n"),
    };
    let csv: String = hum(5, 8, 128, false).lines().map(still).collect();
    desk.write("raw.csv", &csv);
    let said = desk.all(&fit);
    assert!(
        said.contains("warning: 7 of 56 windows are at the floor of logarithms (1e-9)"),
        "{said}"
    );
    assert!(said.contains("in ay_logstd, ay_bands4_0"), "{said}");
    // A recording that is too short.
    let mut csv = hum(5, 8, 128, false);
    (0..20).for_each(|t| csv += &format!("{t},0,0,short\n"));
    desk.write("raw.csv", &csv);
    let said = desk.all(&fit);
    assert!(said.contains("warning: 1 recording left out, without the 32 rows"), "{said}");
    assert!(said.contains("takes: short"), "{said}");
    // A channel that is always the same.
    let csv: String = hum(5, 8, 128, false).replace(",9.", ",9.81").replace(",run", ",run,one");
    let constant = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
        [x, y, label, run] => format!("{x},{y},{label},{run},5\n"),
        _ => format!("{line}\n"),
    };
    desk.write("raw.csv", &csv.lines().map(constant).collect::<String>());
    let said = desk.all(&fit);
    assert!(said.contains("one_mean"), "{said}");
    // One at the end of its range, and recordings with long names that are too short.
    let mut csv = String::from("ax,ay,label,run\n");
    for line in hum(5, 8, 128, false).lines().skip(1) {
        let (x, rest) = line.split_once(',').expect("cells");
        let x: f64 = x.parse().expect("a number");
        csv += &format!("{},{rest}\n", x.min(0.8));
    }
    for run in 0..40 {
        csv += &format!("0,0,0,{run}{}\n", "long".repeat(20));
    }
    desk.write("raw.csv", &csv);
    let said = desk.all(&fit);
    assert!(said.contains("warning: channel ax is at its largest value, 0.8000, in"), "{said}");
    assert!(said.contains("warning: 40 recordings left out"), "{said}");
    // Samples between windows.
    let output = desk.run(&["features", "raw.csv", "--window", "32", "--hop", "64"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--hop 64 is more than --window 32"));
}

#[test]
fn bad_recipes_are_named() {
    let desk = Desk::new();
    desk.write("raw.csv", &hum(5, 4, 64, false));
    for (words, said) in [
        (["--window", "0", "--hop", "1"].as_slice(), "--window"),
        (&["--window", "32", "--hop", "0"], "--hop"),
        (&["--window", "many"], "a number > 0 or `auto`"),
        (
            &["--window", "65", "--by", "run"],
            "a reading takes 65 rows without a gap, the longest stretch has 64",
        ),
        (&["--window", "4000000000"], "window and hop must be 1 to 1,048,576"),
        (&["--window", "48", "--features", "bands4"], "a power of two for bands (such as 32 or 64"),
        (&["--window", "32", "--features", "mean,median"], "one of mean, std, logstd, rms"),
        (&["--window", "32", "--features", "mean,mean"], "features must be different"),
        (&["--window", "32", "--features", "bands0"], "bands1 to bands255"),
        (&["--window", "32", "--features", ""], "feature"),
        (&["--window", "32", "--operators", "ma0"], "at least 1 row"),
        (&["--window", "32", "--operators", "ewma1.5"], "> 0 and <= 1"),
        (&["--window", "32", "--operators", "median3"], "one of ma1"),
        (&["--window", "32", "--operators", "lag60000"], "at most 65,536 are possible"),
        (&["--window", "32", "--floor", "0"], "floor must be finite and > 0"),
        (&["--window", "32", "--floor", "nan"], "floor must be finite and > 0"),
        (&["--window", "32", "--units", "1,2,3,4,5"], "--units must be none, one or one for each"),
        (&["--window", "32", "--units", "0"], "--units must be"),
        (&["--window", "32", "--rate", "0"], "a number > 0, or a fraction"),
        (&["--window", "32", "--by", "nowhere"], "there is no column \"nowhere\""),
    ] {
        let output = desk.run(&[&["features", "raw.csv"], words].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains(said), "{words:?}: {error}");
        let output = desk.run(&[&["fit", "raw.csv", "--out", "m.mercer"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(!desk.path("m.mercer").exists());
    }
    for option in [["--features", "mean"], ["--hop", "3"], ["--rate", "5"], ["--operators", "diff"]]
    {
        let error = desk.fail(&[&["fit", "raw.csv", "--out", "m.mercer"], &option[..]].concat());
        assert!(error.contains(option[0]) && error.contains("add --window"), "{error}");
    }
}
