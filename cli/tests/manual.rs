//! `docs/COMMAND.md` says what the help says.

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::{Desk, root};

/// Commands with what they do, as the help lists them.
fn listed(help: &str) -> Vec<(String, String)> {
    let listed = help.split("Commands:\n").nth(1).expect("commands").split("\n\n").next();
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in listed.expect("a list").lines() {
        match line.strip_prefix("  ").filter(|line| !line.starts_with(' ')) {
            Some(line) => {
                let (name, what) = line.split_once(' ').expect("a name and what it does");
                commands.push((name.into(), what.trim().into()));
            }
            None => {
                let (_, what) = commands.last_mut().expect("a command before");
                *what += &format!(" {}", line.trim());
            }
        }
    }
    commands.retain(|(name, _)| name != "help");
    commands
}

/// All words that are long options.
fn options(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c == '-';
    let words = text.split(|c: char| !is_part(c)).filter(|word| word.starts_with("--"));
    words.map(|word| word.trim_end_matches('-').to_string()).filter(|word| word.len() > 2).collect()
}

#[test]
fn the_page_has_the_commands_options_and_exit_codes_of_the_help() {
    let desk = Desk::new();
    let page = fs::read_to_string(root().join("docs/COMMAND.md")).expect("the page");
    let help = desk.succeed(&["--help"]);
    let commands = listed(&help);
    assert!(commands.len() >= 14, "{commands:?}");
    let table: Vec<String> =
        commands.iter().map(|(name, what)| format!("| `{name}` | {what} |")).collect();
    assert!(page.contains(&table.join("\n")), "the table should be\n{}", table.join("\n"));
    let mut known = options(&help);
    for (name, _) in &commands {
        known.extend(options(&desk.succeed(&[name, "--help"])));
    }
    known.insert("--test".into()); // of cargo
    let unknown: Vec<_> = options(&page).difference(&known).cloned().collect();
    assert!(unknown.is_empty(), "{unknown:?} are no options");
    let codes = help.split("Exit codes:\n").nth(1).expect("exit codes").lines().take(3);
    for code in codes {
        assert!(page.contains(&format!("  {code}")), "{code}");
    }
}

/// Every option that has to do with which rows and columns are taken is the same wherever it is.
#[test]
fn shared_options_are_shared() {
    let desk = Desk::new();
    let has =
        |command: &str, option: &str| options(&desk.succeed(&[command, "--help"])).contains(option);
    for command in ["features", "tune", "fit", "calibrate", "eval", "score", "report", "project"] {
        for option in [
            "--where",
            "--rows",
            "--missing",
            "--by",
            "--delimiter",
            "--decimal",
            "--no-header",
            "--quiet",
            "--color",
        ] {
            assert!(has(command, option), "{command} {option}");
        }
    }
    for command in ["features", "tune", "fit"] {
        for option in ["--columns", "--drop", "--keep", "--label", "--normal"] {
            assert!(has(command, option), "{command} {option}");
        }
    }
    for command in ["demo", "features", "fit", "calibrate", "score", "report", "project", "man"] {
        assert!(desk.succeed(&[command, "--help"]).contains("-o, --out"), "{command}");
    }
}
