//! From raw recordings to firmware: what the examples `exported` and `exercise` are made of is what
//! the program makes.

use super::*;

/// What `cargo xtask data` asks for; its rows are scored one kind after the other.
fn require_committed(folder: &str, export: &[&str], fit: &[&str], test: &str, scored: &[&[&str]]) {
    let desk = Folder::new();
    let (model, source) = (desk.path("model.mercer"), desk.path("model.rs"));
    done(&[&["fit"], fit, &["--out", &model]].concat());
    done(&[&["export", &model, "--rust", &source], export].concat());
    let committed = |name: &str| read(&project(&format!("examples/data/{folder}/{name}")));
    let out_of_date = "out of date: run `cargo xtask data`";
    assert!(read(&source) == committed("model.rs"), "{folder}/model.rs is {out_of_date}");
    let score = ["score", &model, test, "--by", "recording"];
    let mut scores = String::new();
    for rows in scored {
        let said = done(&[&score, *rows].concat());
        scores.extend(said.split_inclusive('\n').skip(usize::from(!scores.is_empty())));
    }
    assert_eq!(scores, committed("scores.csv"), "{folder}/scores.csv is {out_of_date}");
}

#[test]
fn walking_is_what_the_program_makes() {
    let [train, test] = ["train", "test"].map(|n| project(&format!("cli/data/motions/{n}.csv")));
    let rows = [&train, "--where", "activity=walking", "--drop", "t_s", "--by", "recording"];
    let recipe = ["--window", "16", "--features", "mean,logstd", "--rate", "10"];
    let sizes = ["--landmarks", "12", "--components", "4"];
    let scored =
        ["activity=walking", "activity=running", "activity=badminton", "activity=standing"]
            .map(|activity| ["--where", activity]);
    let scored: Vec<&[&str]> = scored.iter().map(<[&str; 2]>::as_slice).collect();
    let fit = [rows.as_slice(), &recipe, &sizes].concat();
    require_committed("walking", &["--name", "walking"], &fit, &test, &scored);
}

#[test]
fn rowing_is_what_the_program_makes() {
    let [train, test] =
        ["train", "test"].map(|n| project(&format!("examples/data/shoulder/{n}.csv")));
    let rows = [&train, "--drop", "exercise", "--by", "recording", "--window", "64"];
    let recipe = ["--features", "mean,logstd,logmad", "--units", "0.001", "--rate", "50"];
    let sizes = ["--landmarks", "24", "--components", "12"];
    let fit = [rows.as_slice(), &recipe, &sizes].concat();
    let export = ["--name", "rowing", "--samples", "i16"];
    require_committed("shoulder", &export, &fit, &test, &[&[]]);
}
