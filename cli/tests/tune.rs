//! `mercer tune` on raw samples: windows and features are compared by labelled windows.

mod common;

use common::{Desk, root, text};
use serde_json::Value;

/// Vibrations of two axes in recordings of 256 rows: a fault makes them faster, not stronger.
fn vibrations() -> String {
    let mut csv = String::from("run,state,a,b\n");
    let mut seed = 1_u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
    };
    for run in 0..16 {
        let (state, pace) = if run < 12 { ("ok", 0.4) } else { ("loose", 1.1) };
        for t in 0..256 {
            let swing = (pace * f64::from(t)).sin();
            csv += &format!("{run},{state},{:.4},{:.4}\n", swing + noise(), 0.5 * swing + noise());
        }
    }
    csv
}

/// The lines of the table of front ends: window, inputs, AUROC, found, features.
fn compared(said: &str) -> Vec<(bool, usize, usize, f64, f64, String)> {
    let lines = said.lines().skip_while(|line| !line.trim_start().starts_with("window")).skip(1);
    lines
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let cells: Vec<&str> = line[1..].split_whitespace().collect();
            let number = |place: usize| cells[place].parse::<f64>().expect("a number");
            let (window, inputs) = (number(0) as usize, number(2) as usize);
            (line.starts_with('>'), window, inputs, number(4), number(5), cells[7].into())
        })
        .collect()
}

const LABELLED: [&str; 6] = ["tune", "raw.csv", "--label", "state", "--by", "run"];

#[test]
fn windows_and_features_are_compared_by_labelled_windows() {
    let desk = Desk::new();
    desk.write("raw.csv", &vibrations());
    let said = desk.succeed(&[&LABELLED[..], &["--window", "auto"]].concat());
    let table = compared(&said);
    // 512 does not fit a run; of 256 there are 12 normal windows, too few to fit anything to.
    let windows: Vec<usize> = table.iter().map(|line| line.1).collect();
    for (window, times) in [(512, 0), (256, 0), (128, 4), (64, 4), (32, 4), (16, 4)] {
        assert_eq!(windows.iter().filter(|&&w| w == window).count(), times, "{said}");
    }
    let (_, window, inputs, auroc, found, features) =
        table.iter().find(|line| line.0).expect("one is chosen").clone();
    let best = table.iter().map(|line| line.3).fold(0.0, f64::max);
    assert!(auroc >= best - 0.005 && found > 90.0, "{said}");
    // A pace is seen by differences and bands, which mean and deviation cannot.
    let blind = table.iter().find(|line| line.5 == "mean,logstd" && line.1 == window);
    assert!(blind.expect("it was compared").3 < 0.8, "{said}");
    assert!(features.contains("logmad") || features.contains("bands4"), "{said}");
    // None that is as good has fewer inputs.
    for line in table.iter().filter(|line| line.2 < inputs) {
        assert!(line.3 < best - 0.005 || line.4 < found - 2.0, "{line:?} in {said}");
    }
    let line = said.lines().last().expect("the line to use");
    let recipe = format!(
        "--label state --window {window} --hop {} --features {features} --by run",
        window / 2
    );
    assert!(line.contains(&recipe), "{line}");
    assert!(said.contains("folds of whole recordings"), "{said}");
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    desk.succeed(&words);
    let eval = ["eval", "M.mercer", "raw.csv", "--label", "state", "--json"];
    let judged: Value = serde_json::from_str(&desk.succeed(&eval)).expect("JSON");
    assert!(judged["auroc"]["value"].as_f64().expect("a share") > 0.95, "{judged}");
}

#[test]
fn lists_are_compared_as_they_are_given() {
    let desk = Desk::new();
    desk.write("raw.csv", &vibrations());
    let lists = ["--window", "60,32", "--features", "mean,std", "--features", "zc,logstd"];
    let rest = [
        "--hop",
        "20",
        "--units",
        "2",
        "--rate",
        "100",
        "--floor",
        "1e-6",
        "--operators",
        "ma2",
        "--every",
        "2",
    ];
    let said = desk.succeed(&[&LABELLED[..], &lists, &rest].concat());
    let recipes: Vec<(usize, String)> =
        compared(&said).into_iter().map(|line| (line.1, line.5)).collect();
    let expected = [(32, "mean,std"), (32, "zc,logstd"), (60, "mean,std"), (60, "zc,logstd")];
    assert_eq!(recipes.len(), 4, "{said}");
    for (window, features) in expected {
        assert!(recipes.contains(&(window, features.into())), "{said}");
    }
    let line = said.lines().last().expect("the line to use");
    assert!(line.contains("--hop 20 --features"), "{line}");
    assert!(line.contains("--operators ma2 --floor 1e-6 --units 2 --rate 100 --by run"), "{line}");
    desk.succeed(&line.split_whitespace().skip(1).collect::<Vec<_>>());
}

#[test]
fn one_recipe_needs_no_labels() {
    let desk = Desk::new();
    desk.write("raw.csv", &vibrations());
    let normal = ["tune", "raw.csv", "--where", "state=ok", "--by", "run"];
    let one = ["--window", "64", "--features", "logstd,logmad", "--every", "2"];
    let said = desk.succeed(&[&normal[..], &one].concat());
    assert!(compared(&said).is_empty(), "{said}");
    assert!(said.contains("one input of a row moved by 3 deviations"), "{said}");
    let line = said.lines().last().expect("the line to use");
    assert!(
        line.contains("--every 2 --window 64 --hop 32 --features logstd,logmad --by run"),
        "{line}"
    );
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let desk = Desk::new();
    desk.write("raw.csv", &vibrations());
    let normal = ["tune", "raw.csv", "--where", "state=ok", "--by", "run"];
    for more in [
        ["--window", "auto"].as_slice(),
        &["--window", "32,64", "--features", "mean,std"],
        &["--window", "64"],
        &["--window", "64", "--features", "mean", "--features", "std"],
    ] {
        let error = desk.fail(&[&normal[..], more].concat());
        assert!(error.contains("takes --label: faults that are made of readings"), "{error}");
    }
    for (more, why) in [
        (["--features", "mean"].as_slice(), "--features is for raw samples: add --window"),
        (&["--window", "0"], "a number > 0 or `auto`"),
        (&["--window", "64", "--features", "median"], "feature \"median\" is not known"),
        (&["--window", "1000"], "no window: a reading takes 1,000 rows"),
        (&["--window", "60", "--features", "bands4"], "a window of 60 samples"),
    ] {
        let output = desk.run(&[&LABELLED[..], more].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(why), "{more:?}: {error}");
    }
    // One that cannot be made does not stop the others.
    let output = desk.run(
        &[&LABELLED[..], &["--window", "64,1000", "--features", "mean,logmad", "--every", "2"]]
            .concat(),
    );
    assert!(output.status.success(), "{output:?}");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        complaint.contains("mean,logmad of 1000 samples left out: raw.csv: no window"),
        "{complaint}"
    );
    let mut child = desk
        .command(&["tune", "-", "--window", "64", "--features", "mean"])
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
}

/// Readings in a table, too: what `mercer features` makes of recordings is judged as by a fit.
#[test]
fn folds_of_readings_are_whole_recordings() {
    let desk = Desk::new();
    let raw = root().join("cli/data/motions/train.csv");
    let features = ["features", text(&raw), "--drop", "t_s", "--label", "activity", "--normal"];
    let recipe = ["walking", "--by", "recording", "--window", "20", "--features", "mean,logstd"];
    desk.write("readings.csv", &desk.succeed(&[&features[..], &recipe].concat()));
    let tune =
        ["tune", "readings.csv", "--drop", "row", "--label", "activity", "--normal", "walking"];
    let cut = desk.succeed(&[&tune[..], &["--drop", "row,recording"]].concat());
    let whole = desk.succeed(&[&tune[..], &["--by", "recording"]].concat());
    assert!(!cut.contains("whole recordings") && whole.contains("folds of whole recordings"));
    let line = whole.lines().last().expect("the line to use");
    assert!(line.contains("--by recording"), "{line}");
    desk.succeed(&line.split_whitespace().skip(1).collect::<Vec<_>>());
}
