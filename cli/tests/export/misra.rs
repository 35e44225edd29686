//! MISRA C:2012: every rule that an export departs from, as far as cppcheck's addon sees it, is
//! listed in docs/C.md with its reason.

use super::*;

use std::collections::BTreeSet;

/// The rules that the page lists.
fn listed() -> BTreeSet<String> {
    let page = read(&project("docs/C.md"));
    let rule = |line: &str| {
        let cell = line.strip_prefix("| ")?.split(" |").next()?;
        let is_rule = |rule: &str| rule.split('.').all(|part| part.parse::<u8>().is_ok());
        (cell.contains('.') && cell.split(", ").all(is_rule)).then(|| cell.to_string())
    };
    let cells: Vec<String> = page.lines().filter_map(rule).collect();
    cells.iter().flat_map(|cell| cell.split(", ")).map(String::from).collect()
}

/// The rules that cppcheck finds broken in a file; none if it or its addon is not there.
fn found(folder: &Folder, file: &str) -> Option<BTreeSet<String>> {
    let mut command = Command::new("cppcheck");
    command.args(["--addon=misra", "--std=c99", "--enable=style", "--quiet"]);
    let Ok(output) = command.arg(format!("-I{}", folder.path(""))).arg(file).output() else {
        common::skipped("there is no `cppcheck`: apt-get install cppcheck");
        return None;
    };
    let said = text(&output.stderr);
    if said.contains("Failed to execute addon") || said.contains("Did not find addon") {
        common::skipped("cppcheck has no addon for MISRA");
        return None;
    }
    let rules = said.split("misra-c2012-").skip(1);
    let number = |text: &str| {
        text.split(|c: char| c != '.' && !c.is_ascii_digit()).next().unwrap_or("").to_string()
    };
    Some(rules.map(number).collect())
}

#[test]
fn deviations_are_listed() {
    let folder = Folder::new();
    let (train, raw) = (folder.path("raw.csv"), folder.path("raw.mercer"));
    let rows: String = (0..2_400_i32).map(|t| format!("{},{}\n", (t * t) % 97, t % 13)).collect();
    fs::write(&train, format!("a,b\n{rows}")).unwrap();
    let window = ["--window", "16", "--features", "mean,logstd,crest,logmad,zc,bands4,skew"];
    done(&[&["fit", &train, "--out", &raw, "--force", "--landmarks", "12"], &window[..]].concat());
    let mut all = BTreeSet::new();
    for options in [&[][..], &["--quantised"]] {
        done(&[&["export", &raw, "--c", &folder.path("model.h")], options].concat());
        let Some(found) = found(&folder, &folder.path("model.c")) else { return };
        assert!(!found.is_empty(), "cppcheck found nothing at all");
        all.extend(found);
    }
    println!("departs from {all:?}");
    let listed = listed();
    let missing: Vec<_> = all.difference(&listed).collect();
    assert!(missing.is_empty(), "docs/C.md does not list {missing:?}");
    let unseen: Vec<_> = listed.difference(&all).collect();
    println!("listed, but not found by this cppcheck: {unseen:?}");
}
