//! `mercer demo`: what a newcomer runs first.

mod common;

use std::fs;

use common::{fail as refused, files, succeed as ok};

const FILES: [&str; 5] =
    ["motions.csv", "report.html", "walking.csv", "walking.mercer", "walking.rs"];

#[test]
fn the_demo_leaves_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let said = ok(folder.path(), &["demo"]);
    let made = folder.path().join("mercer-demo");
    assert_eq!(files(&made), FILES);
    for file in FILES {
        assert!(said.contains(&format!("\n  {file} ")), "{said}");
    }
    // Its own lines fit a narrow terminal; `fit` wraps its own there.
    let long = said.lines().filter(|line| line.starts_with(['$', '#']) && line.len() > 60);
    assert_eq!(long.collect::<Vec<_>>(), [""; 0]);
    // Every command that it shows does the same when it is typed.
    let commands: Vec<String> = said
        .replace("\\\n", " ")
        .lines()
        .filter_map(|line| line.strip_prefix("$ mercer ").map(String::from))
        .collect();
    assert_eq!(commands.len(), 5, "{commands:?}");
    let typed = folder.path().join("typed");
    fs::create_dir(&typed).unwrap();
    for file in ["walking.csv", "motions.csv"] {
        fs::copy(made.join(file), typed.join(file)).unwrap();
    }
    for command in &commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        let answer = ok(&typed, &words);
        assert!(said.contains(&answer), "{command}: {answer}");
    }
    for file in FILES {
        assert!(
            fs::read(made.join(file)).unwrap() == fs::read(typed.join(file)).unwrap(),
            "{file}"
        );
    }
    // Again, over its own files.
    assert_eq!(ok(folder.path(), &["demo"]), said);
}

#[test]
fn other_activities_are_unusual_and_walking_is_not() {
    let folder = tempfile::tempdir().unwrap();
    ok(folder.path(), &["demo", "--out", "here"]);
    let here = folder.path().join("here");
    let scores = ok(&here, &["score", "walking.mercer", "motions.csv", "--by", "recording"]);
    let count = |column: &str| -> Vec<usize> {
        let column = common::column(&scores, column);
        column.chunks(110).map(|rows| rows.iter().filter(|&&value| value == 1.0).count()).collect()
    };
    let (unusual, in_alarm) = (count("unusual"), count("alarm"));
    println!(
        "of 110 windows each of walking, standing, running, badminton: {unusual:?} unusual, {in_alarm:?} in alarm"
    );
    let &[walking, standing, running, badminton] = unusual.as_slice() else { panic!() };
    assert!(walking <= 9, "8 % of {walking}");
    assert!(standing >= 99, "90 % of {standing}");
    assert_eq!([running, badminton], [110, 110]);
    assert_eq!(in_alarm[0], 0, "no false alarm");
    assert!(in_alarm[1..].iter().all(|&windows| windows >= 94), "85 % of {in_alarm:?}");
}

/// With plain deviations of windows that do not overlap it is the model of a reference in numpy.
#[test]
fn other_activities_score_higher_than_walking() {
    let folder = tempfile::tempdir().unwrap();
    ok(folder.path(), &["demo", "--out", "here"]);
    let here = folder.path().join("here");
    let recipe = ["--window", "20", "--hop", "20", "--features", "mean,std", "--log", "none"];
    let fit = ["fit", "walking.csv", "--by", "recording", "--out", "plain.mercer"];
    ok(&here, &[fit.as_slice(), &recipe].concat());
    let spe = common::column(&ok(&here, &["score", "plain.mercer", "motions.csv"]), "spe");
    let (walking, others) = spe.split_at(50);
    assert_eq!(others.len(), 150);
    let pairs = others.iter().flat_map(|other| walking.iter().map(move |walk| (other, walk)));
    let won: f64 =
        pairs.map(|(o, w)| if o > w { 1.0 } else { f64::from(u8::from(o == w)) / 2.0 }).sum();
    let auroc = won / 7500.0;
    println!("AUROC {auroc:.4}");
    // The reference, to four places, is exact kernel PCA in double precision; this is single
    // precision with 48 landmarks of 50.
    assert!((auroc - 0.9595).abs() < 0.0005, "{auroc}");
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "mine").unwrap();
    let said = refused(folder.path(), &["demo", "--out", "."]);
    assert!(said.contains("the first is thesis.tex"), "{said}");
    assert_eq!(files(folder.path()), ["thesis.tex"]);
    let said = refused(folder.path(), &["demo", "--out", "thesis.tex"]);
    assert!(said.starts_with("mercer: thesis.tex: "), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("thesis.tex")).unwrap(), "mine");
}
