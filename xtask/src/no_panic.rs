//! The check that fitting and scoring contain no panic path, made on the firmware itself.
//!
//! tests/device/no_panic.rs says how it works. Here it is linked at each optimisation level, its
//! symbols are looked through, and it is run. If it does not link, it is linked once more with the
//! undefined symbol tolerated and the relocations kept, which show who calls what.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolKind};

use crate::board::{self, Board};
use crate::device::{Outcome, Report};
use crate::emulate;
use crate::firmware::Project;
use crate::toolchain::Toolchain;

/// With and without an FPU; what the optimiser proves hardly depends on more than that.
pub(crate) const BOARDS: [&str; 2] = ["m0", "m4f"];

/// It does depend on these: a bound proved at 3 may not be at z.
const LEVELS: [&str; 3] = ["3", "s", "z"];

/// The function that tests/device/no_panic.rs calls and nobody defines.
const UNDEFINED: &str = "a_panic_path_remains";

/// Checks each level on one board, and that the check would notice a panic.
pub(crate) fn check(
    project: &Project,
    board: &'static Board,
    toolchain: &Toolchain,
    limit: Duration,
    report: &mut Report,
) {
    for level in LEVELS {
        report.step(&format!("no_panic at {level}"), board.name, || {
            let elf = match project.build_no_panic(toolchain, level, &[]) {
                Ok(elf) => elf,
                Err(error) if error.to_string().contains(UNDEFINED) => {
                    bail!("panic paths remain\n{}", callers(project, toolchain, level)?)
                }
                Err(error) => return Err(error),
            };
            let found = panic_symbols(&fs::read(&elf)?)?;
            ensure!(found.is_empty(), "it links, with panic code in it: {}", found.join(", "));
            let ended = emulate::on_board(board::roomy(board)?, &elf, limit, |_| {})?;
            ensure!(ended.well(), "it links, and does not run: {ended}");
            Ok((Outcome::Passed, "no panic path".to_string()))
        });
    }
    report.step("no_panic control", board.name, || {
        let arguments = ["--cfg", "panic_control"];
        match project.build_no_panic(toolchain, LEVELS[0], &arguments) {
            Ok(_) => bail!("firmware that panics was linked: the check notices nothing"),
            Err(error) if error.to_string().contains(UNDEFINED) => {
                Ok((Outcome::Passed, "a panic is noticed".to_string()))
            }
            Err(error) => Err(error),
        }
    });
}

/// The functions of `core` that only a panic needs.
fn panic_symbols(elf: &[u8]) -> Result<Vec<String>> {
    let file = object::File::parse(elf)?;
    let names = file.symbols().filter_map(|symbol| symbol.name().ok().map(readable));
    Ok(names.filter(|name| is_panic(name)).collect())
}

fn is_panic(name: &str) -> bool {
    name.contains("core::panicking")
        || name.contains("panic_fmt")
        || name.contains("rust_begin_unwind")
}

fn readable(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// Who calls what in the panic paths, a line each.
fn callers(project: &Project, toolchain: &Toolchain, level: &str) -> Result<String> {
    let keep = ["-Clink-arg=--unresolved-symbols=ignore-all", "-Clink-arg=--emit-relocs"];
    let elf = project.build_no_panic(toolchain, level, &keep)?;
    let calls = calls(&fs::read(elf)?)?;
    let lines = blamed(&calls).into_iter().map(|(by, what)| format!("  {by} calls {what}"));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

type Calls = BTreeSet<(String, String)>;

/// Every function that refers to another, from the relocations of a linked file.
fn calls(elf: &[u8]) -> Result<Calls> {
    let file = object::File::parse(elf)?;
    let mut functions = BTreeMap::new();
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
        // Thumb marks its functions in the lowest bit of the address.
        functions.insert(symbol.address() & !1, (symbol.size(), readable(symbol.name()?)));
    }
    let mut calls = Calls::new();
    for section in file.sections() {
        for (address, relocation) in section.relocations() {
            let RelocationTarget::Symbol(index) = relocation.target() else {
                continue;
            };
            let target = file.symbol_by_index(index)?;
            let Some((start, (size, caller))) = functions.range(..=address).next_back() else {
                continue;
            };
            if address < start + size {
                calls.insert((caller.clone(), readable(target.name()?)));
            }
        }
    }
    Ok(calls)
}

/// Of the calls that lead to the panic handler, those from a function outside `core` into `core`.
fn blamed(calls: &Calls) -> Vec<(&str, &str)> {
    let mut panics: BTreeSet<&str> = BTreeSet::from([UNDEFINED]);
    loop {
        let before = panics.len();
        for (caller, callee) in calls {
            if panics.contains(callee.as_str()) {
                panics.insert(caller);
            }
        }
        if panics.len() == before {
            break;
        }
    }
    let of_core = |name: &str| name.starts_with("core::") || name.starts_with("<core::");
    let handler = |name: &str| name == UNDEFINED || name.contains("rust_begin_unwind");
    let blamed = calls.iter().filter(|(caller, callee)| {
        panics.contains(callee.as_str())
            && (of_core(callee) || handler(callee))
            && !of_core(caller)
            && !handler(caller)
    });
    blamed.map(|(caller, callee)| (caller.as_str(), callee.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_symbols_are_recognised() {
        assert!(is_panic("core::panicking::panic_bounds_check"));
        assert!(is_panic("__rustc::rust_begin_unwind"));
        assert!(!is_panic("mercer::linalg::eigen::sweep"));
    }

    #[test]
    fn blame_falls_on_the_last_function_outside_core() {
        let call = |a: &str, b: &str| (a.to_string(), b.to_string());
        let calls = Calls::from([
            call("main", "mercer::kpca"),
            call("mercer::kpca", "core::panicking::panic_bounds_check"),
            call("mercer::kpca", "mercer::kpca"),
            call("core::panicking::panic_bounds_check", "core::panicking::panic_fmt"),
            call("core::panicking::panic_fmt", "rust_begin_unwind"),
            call("rust_begin_unwind", UNDEFINED),
        ]);
        assert_eq!(blamed(&calls), [("mercer::kpca", "core::panicking::panic_bounds_check")]);
    }
}
