//! `.github/workflows/ci.yml` runs what `.ci/run` runs, and the templates of issues are what a
//! forge reads.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What a step checks, without how long, on which boards and on which of its parts it does so: the
/// jobs beside each other have more time than one machine.
fn core_of(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let Some(cargo) = words.iter().position(|&word| word == "cargo") else { return String::new() };
    match &words[cargo..] {
        ["cargo", "xtask", task, rest @ ..] => {
            let check = if rest.contains(&"--check") { " --check" } else { "" };
            format!("cargo xtask {task}{check}")
        }
        words => words.join(" "),
    }
}

/// The commands of the workflow: what follows `run:`, with folded lines put together.
fn commands_of(workflow: &str) -> Vec<String> {
    let runs = workflow.split("run: ").skip(1);
    let folded = |run: &str| match run.strip_prefix(">-\n") {
        Some(lines) => {
            let lines = lines.lines().take_while(|line| line.starts_with("          "));
            lines.map(str::trim).collect::<Vec<_>>().join(" ")
        }
        None => run.lines().next().unwrap_or_default().to_string(),
    };
    runs.map(folded).collect()
}

#[test]
fn the_workflow_runs_every_step_of_ci_run() {
    let jobs: Vec<String> =
        commands_of(&read(".github/workflows/ci.yml")).iter().map(|run| core_of(run)).collect();
    let script = read(".ci/run");
    let steps: Vec<String> = script
        .lines()
        .filter_map(|line| line.strip_prefix("step \"")?.split_once("\" "))
        .map(|(_, command)| core_of(command))
        .filter(|command| !command.is_empty())
        .collect();
    assert!(steps.len() > 20, "{steps:?}");
    for step in steps {
        assert!(jobs.contains(&step), "no job runs {step}; they run {jobs:#?}");
    }
}

#[test]
fn templates_of_issues_begin_with_their_names() {
    let folder = root().join(".github/ISSUE_TEMPLATE");
    let mut templates = 0;
    for entry in fs::read_dir(folder).expect("templates") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path).expect("text");
            let lines: Vec<&str> = text.lines().take(4).collect();
            let ["---", name, about, "---"] = lines[..] else { panic!("{path:?}: {lines:?}") };
            assert!(name.starts_with("name: ") && about.starts_with("about: "), "{path:?}");
            templates += 1;
        }
    }
    assert_eq!(templates, 2);
}
