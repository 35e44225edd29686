//! Knowledge points one way: from room to room, and inside each room from module to module.
//!
//! The rooms are the folders of `src`, in the order
//! `error, progress, math ← linalg ← kernel ← kpca ← detect`; `methods` stands beside `detect` on
//! `kpca`, and the two do not know each other; `signal` stands alone on `linalg`, and `monitor` on
//! `signal` and `detect`. The test reads the sources, drops comments, strings and whatever is
//! `#[cfg(test)]`, and follows every path that begins with `crate`, `super` or `self`. A name that
//! a room or the root re-exports counts as the module that defines it.
//!
//! Links in documentation may point anywhere. What it cannot see are calls of methods that another
//! module defines in an `impl` of the same type.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each room, and the rooms that it may know.
const ROOMS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("progress", &[]),
    ("math", &[]),
    ("linalg", &["error", "progress", "math"]),
    ("signal", &["error", "progress", "math", "linalg"]),
    ("kernel", &["error", "progress", "math", "linalg"]),
    ("kpca", &["error", "progress", "math", "linalg", "kernel"]),
    ("detect", &["error", "progress", "math", "linalg", "kernel", "kpca"]),
    ("monitor", &["error", "progress", "linalg", "signal", "kernel", "kpca", "detect"]),
    ("methods", &["error", "progress", "math", "linalg", "kernel", "kpca"]),
];

#[test]
fn rooms_know_only_the_rooms_below() {
    let sources = Sources::read();
    let mut backward = Vec::new();
    for (source, path) in sources.paths() {
        let (Some(from), Some(to)) = (source.module.first(), path.first()) else { continue };
        let (_, known) = ROOMS.iter().find(|(room, _)| room == from).unwrap_or_else(|| {
            panic!("`{from}` is new: say in tests/rooms.rs what it may know");
        });
        if from != to && !known.contains(&to.as_str()) {
            backward.push(format!("{}: crate::{}", source.file, path.join("::")));
        }
    }
    assert!(backward.is_empty(), "a room knows one above it:\n{}", backward.join("\n"));
}

#[test]
fn modules_of_a_room_know_each_other_one_way() {
    let sources = Sources::read();
    for (room, _) in ROOMS {
        let mut graph = Graph::new();
        for (source, path) in sources.paths() {
            if let ([from_room, from, ..], [to_room, to, ..]) = (&source.module[..], &path[..])
                && from_room == room
                && to_room == room
                && from != to
                && sources.modules.contains(&[room, to.as_str()].map(String::from)[..])
            {
                graph.entry(from.clone()).or_default().insert(to.clone());
            }
        }
        if let Some(cycle) = find_cycle(&graph) {
            panic!("modules of `{room}` know each other in a circle: {}", cycle.join(" → "));
        }
    }
}

/// A scan that found nothing would find nothing wrong.
#[test]
fn the_scan_sees_what_is_there() {
    let sources = Sources::read();
    let knows = |file: &str, path: &[&str]| {
        let file = format!("src/{file}");
        sources.paths().any(|(source, found)| source.file == file && found == path)
    };
    assert!(knows("kpca/route.rs", &["kernel", "block", "Query"]));
    // By way of `pub use`, in a nested tree.
    assert!(knows("kpca/landmark.rs", &["kpca", "pivoted", "Landmarks"]));
    assert!(knows("linalg/eigen/solver.rs", &["progress", "Progress"]));
    // By way of `super`.
    assert!(knows("kpca/view.rs", &["kpca", "route"]));
    for (room, known) in ROOMS {
        let found: BTreeSet<&str> = sources
            .paths()
            .filter(|(source, path)| source.module[0] == *room && path[0] != *room)
            .filter_map(|(_, path)| known.iter().find(|&&other| other == path[0]).copied())
            .collect();
        assert!(known.is_empty() || !found.is_empty(), "`{room}` knows nothing");
    }
}

#[test]
fn paths_are_found_in_every_form() {
    let text = r##"
        //! crate::comment
        use crate::{a::{self, B as C, inner::*}, d};
        use super::{super::e, f};
        /* crate::block /* crate::nested */ */
        pub(crate) fn g<'a>(x: &'a str) -> char { crate::h::i("crate::text", r#"crate::raw"#); '"' }
        mod inline { use super::j; use super::super::super::k; }
        #[cfg(test)]
        mod tests { use crate::test; fn braces() { '{'; "}" } }
        #[cfg(test)]
        use crate::also_test;
        macro_rules! m { () => { $crate::l::m() } }
        impl crate::n::O for P {}
    "##;
    let module = ["room", "module"].map(String::from);
    let found: Vec<String> =
        scan(text, &module).paths.into_iter().map(|path| path.join("::")).collect();
    let expected = [
        "a",
        "a::B",
        "a::inner::*",
        "d",
        "e",
        "room::f",
        "h::i",
        "room::module::j",
        "k",
        "l::m",
        "n::O",
    ];
    assert_eq!(found, expected);
}

#[test]
fn cycles_are_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry((*from).into()).or_default().insert((*to).into());
        }
        graph
    };
    assert_eq!(find_cycle(&graph(&[("a", "b"), ("a", "c"), ("b", "c")])), None);
    let cycle = find_cycle(&graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]));
    assert_eq!(cycle, Some(["b", "c", "d", "b"].map(String::from).to_vec()));
}

/// A path of modules, and of a name at its end, from the root of the crate.
type Names = Vec<String>;

/// One file.
struct Source {
    file: String,
    module: Names,
    scan: Scan,
}

/// All files but `lib.rs`, which knows every room.
struct Sources {
    files: Vec<Source>,
    modules: BTreeSet<Names>,
    /// Where the names that a room or the root re-exports are defined.
    exports: BTreeMap<Names, Names>,
}

impl Sources {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut paths = Vec::new();
        collect(&root.join("src"), &mut paths);
        paths.sort();
        let (mut files, mut exports) = (Vec::new(), BTreeMap::new());
        let (mut modules, mut tests) = (BTreeSet::new(), BTreeSet::new());
        for path in paths {
            let text = fs::read_to_string(&path).expect("a source can be read");
            let inside = path.strip_prefix(root.join("src")).expect("it lies in src");
            let module: Names = inside
                .with_extension("")
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .filter(|part| part != "lib")
                .collect();
            let scan = scan(&text, &module);
            let child =
                |name: &str| -> Names { module.iter().cloned().chain([name.to_owned()]).collect() };
            exports.extend(scan.exports.iter().map(|(name, path)| (child(name), path.clone())));
            tests.extend(scan.tests.iter().map(|name| child(name)));
            if !module.is_empty() {
                modules.insert(module.clone());
                let file = format!("src/{}", inside.to_string_lossy().replace('\\', "/"));
                files.push(Source { file, module, scan });
            }
        }
        files.retain(|source| !tests.contains(&source.module));
        Self { files, modules, exports }
    }

    /// Every path in every file, with the defining module in place of those that re-export.
    fn paths(&self) -> impl Iterator<Item = (&Source, Names)> {
        self.files.iter().flat_map(move |source| {
            source.scan.paths.iter().map(move |path| (source, self.resolve(path.clone())))
        })
    }

    fn resolve(&self, mut path: Names) -> Names {
        'again: loop {
            for length in 1..=path.len() {
                if let Some(target) = self.exports.get(&path[..length])
                    && target[..] != path[..length]
                    && !self.modules.contains(&path[..length])
                {
                    path.splice(..length, target.iter().cloned());
                    continue 'again;
                }
            }
            return path;
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources can be read") {
        let path = entry.expect("so can what it holds").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// What a file says of others.
#[derive(Default)]
struct Scan {
    /// Paths from the root of the crate, in order.
    paths: Vec<Names>,
    /// Names that are re-exported, and where they are from.
    exports: Vec<(String, Names)>,
    /// Modules in files of their own that only tests have.
    tests: Vec<String>,
}

fn scan(text: &str, module: &[String]) -> Scan {
    let tokens = without_tests(&tokens(text));
    let word = |i: usize| tokens.get(i).map_or("", String::as_str);
    let mut scan = Scan { tests: test_modules(text), ..Scan::default() };
    // Where the file's modules in braces end: how many braces are open outside each.
    let (mut inline, mut open, mut here) = (Vec::new(), 0, module.to_vec());
    let mut i = 0;
    while i < tokens.len() {
        match word(i) {
            "mod" if word(i + 2) == "{" => {
                inline.push(open);
                here.push(word(i + 1).into());
            }
            "{" => open += 1,
            "}" => {
                open -= 1;
                if inline.last() == Some(&open) {
                    inline.pop();
                    here.pop();
                }
            }
            "use" => {
                // `pub` or `pub(…)` stands before it.
                let public = matches!(word(i.wrapping_sub(1)), "pub" | ")");
                let mut leaves = Vec::new();
                i = tree(&tokens, i + 1, &[], &mut leaves);
                for (path, name) in leaves {
                    let first = path.first().map_or("", String::as_str);
                    let relative = matches!(first, "crate" | "super" | "self");
                    let path = absolute(&here, &path);
                    if public {
                        scan.exports.push((name, path.clone()));
                    }
                    if relative {
                        scan.paths.push(path);
                    }
                }
                continue;
            }
            "crate" | "super" | "self"
                if word(i + 1) == "::" && word(i.wrapping_sub(1)) != "in" =>
            {
                let mut leaves = Vec::new();
                i = tree(&tokens, i, &[], &mut leaves);
                scan.paths.extend(leaves.into_iter().map(|(path, _)| absolute(&here, &path)));
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    scan
}

/// Collects the paths of a tree like `a::{b, c as d}` with the names that they get; returns where
/// it ends.
fn tree(
    tokens: &[String],
    mut i: usize,
    stem: &[String],
    leaves: &mut Vec<(Names, String)>,
) -> usize {
    let mut path = stem.to_vec();
    let word = |i: usize| tokens.get(i).map_or("", String::as_str);
    loop {
        if word(i) == "{" {
            i += 1;
            while word(i) != "}" && i < tokens.len() {
                i = tree(tokens, i, &path, leaves);
                i += usize::from(word(i) == ",");
            }
            return i + 1;
        }
        // `self` at the end of a tree is the module itself.
        if word(i) != "self" || path.is_empty() {
            path.push(word(i).into());
        }
        i += 1;
        // Not `Vec::<T>`.
        if word(i) != "::" || word(i + 1) == "<" {
            break;
        }
        i += 1;
    }
    let mut name = path.last().cloned().unwrap_or_default();
    if word(i) == "as" {
        name = word(i + 1).into();
        i += 2;
    }
    leaves.push((path, name));
    i
}

/// A path from the root of the crate. One that begins with a name is one of the module's own
/// children.
fn absolute(here: &[String], path: &[String]) -> Names {
    let mut base = here.to_vec();
    let mut rest = path;
    while let [first, others @ ..] = rest {
        match first.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => drop(base.pop()),
            _ => break,
        }
        rest = others;
    }
    base.extend_from_slice(rest);
    base
}

/// Words and signs, without comments, strings and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = raw_string(rest) {
            length
        } else if first == '"' {
            quoted(rest, '"')
        } else if first == '\'' {
            // A character, or a lifetime.
            let mut after = rest.chars().skip(1);
            match (after.next(), after.next()) {
                (Some('\\'), _) | (_, Some('\'')) => quoted(rest, '\''),
                _ => 1 + word_length(&rest[1..]),
            }
        } else if word_length(rest) > 0 {
            tokens.push(rest[..word_length(rest)].into());
            word_length(rest)
        } else if rest.starts_with("::") {
            tokens.push("::".into());
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(first.into());
            }
            first.len_utf8()
        };
        rest = &rest[taken..];
    }
    tokens
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// How long the raw string at the start is, if there is one.
fn raw_string(text: &str) -> Option<usize> {
    let body = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = body.len() - body.trim_start_matches('#').len();
    let content = body[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - content.len();
    Some(content.find(&end).map_or(text.len(), |length| start + length + end.len()))
}

/// How long the string or character at the start is.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

const CFG_TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];

/// Drops the items that only tests have.
fn without_tests(tokens: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        if starts_with_cfg_test(&tokens[i..]) {
            i += item_length(&tokens[i..]);
        } else {
            kept.push(tokens[i].clone());
            i += 1;
        }
    }
    kept
}

/// The modules in files of their own that only tests have.
fn test_modules(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let starts = (0..tokens.len()).filter(|&i| starts_with_cfg_test(&tokens[i..]));
    let items = starts.map(|i| &tokens[i..i + item_length(&tokens[i..])]);
    let names = items.filter_map(|item| match item {
        [.., word, name, end] if word == "mod" && end == ";" => Some(name.clone()),
        _ => None,
    });
    names.collect()
}

fn starts_with_cfg_test(tokens: &[String]) -> bool {
    tokens.len() >= CFG_TEST.len() && tokens.iter().zip(CFG_TEST).all(|(token, word)| token == word)
}

/// To the semicolon or the closing brace of the item at the start.
fn item_length(tokens: &[String]) -> usize {
    let mut open = 0;
    for (i, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => open += 1,
            "}" => {
                open -= 1;
                if open == 0 {
                    return i + 1;
                }
            }
            ";" if open == 0 => return i + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// What each module knows.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The modules of a circle, of which the last is the first once more.
fn find_cycle(graph: &Graph) -> Option<Names> {
    /// Follows what `node` knows; `way` leads to it.
    fn follow(
        graph: &Graph,
        node: &str,
        way: &mut Names,
        done: &mut BTreeSet<String>,
    ) -> Option<Names> {
        if let Some(start) = way.iter().position(|earlier| earlier == node) {
            way.push(node.into());
            return Some(way.split_off(start));
        }
        if done.contains(node) {
            return None;
        }
        way.push(node.into());
        for next in graph.get(node).into_iter().flatten() {
            if let Some(cycle) = follow(graph, next, way, done) {
                return Some(cycle);
            }
        }
        way.pop();
        done.insert(node.into());
        None
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|node| follow(graph, node, &mut Vec::new(), &mut done))
}
