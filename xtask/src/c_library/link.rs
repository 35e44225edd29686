//! Compiling and linking C with the library.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use object::{Object, ObjectSymbol};

use crate::emulate::lines_of;

pub(super) const GCC: &str = "arm-none-eabi-gcc";
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// A core, and how GCC compiles for it.
pub(super) struct Core {
    pub(super) board: &'static str,
    pub(super) flags: &'static [&'static str],
}

impl Core {
    /// Links a program that starts by itself, with what `examples/support` of the library's folder
    /// has for that.
    pub(super) fn link(
        &self,
        sources: &[PathBuf],
        folder: &Path,
        made: &Path,
        library: Option<&Path>,
        elf: &Path,
    ) -> Result<()> {
        let support = folder.join("examples/support");
        let mut gcc = Command::new(GCC);
        gcc.args(self.flags).args(["-std=c99", "-Os"]).args(WARNINGS);
        gcc.args(["-ffunction-sections", "-fdata-sections", "-nostartfiles", "-Wl,--gc-sections"]);
        gcc.args(["-Wl,-z,noexecstack", "-T"]).arg(support.join("link.ld"));
        for include in [&folder.join("include"), &support, made] {
            gcc.arg("-I").arg(include);
        }
        gcc.args(sources).args([support.join("say.c"), support.join("device.c")]);
        gcc.args(library).arg("-o").arg(elf);
        lines_of(&mut gcc).map(|_| ())
    }
}

/// Links a program for the host that stops at the first wrong access, and the first thing that C
/// leaves undefined.
pub(super) fn with_sanitizers(
    sources: &[PathBuf],
    includes: &[&Path],
    library: &Path,
    program: &Path,
) -> Result<()> {
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-g"]).args(WARNINGS);
    cc.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    for include in includes {
        cc.arg("-I").arg(include);
    }
    cc.args(sources).arg(library).args(["-lpthread", "-ldl", "-lm", "-o"]).arg(program);
    lines_of(&mut cc).map(|_| ())
}

/// Compiles a header alone.
pub(super) fn check_header(header: &Path, compiler: &[&str]) -> Result<()> {
    let (program, flags) = compiler.split_first().expect("a compiler");
    let mut command = Command::new(program);
    lines_of(command.args(flags).args(WARNINGS).arg("-fsyntax-only").arg(header)).map(|_| ())
}

/// The functions that a header declares.
pub(super) fn functions(header: &str) -> Vec<&str> {
    const RETURNED: [&str; 3] = ["int32_t ", "uint32_t ", "const char *"];
    header
        .lines()
        .filter_map(|line| RETURNED.iter().find_map(|returned| line.strip_prefix(returned)))
        .filter(|rest| rest.starts_with("mercer_"))
        .filter_map(|rest| Some(rest.split_once('(')?.0))
        .collect()
}

/// A program that refers to all of them; `declarations` has those that the header has not.
pub(super) fn every_function(declarations: &str, functions: &[&str]) -> String {
    let entries: Vec<String> =
        functions.iter().map(|function| format!("    (function){function},\n")).collect();
    format!(
        "#include \"mercer.h\"\n\n{declarations}typedef void (*function)(void);\n\
         static const function functions[] = {{\n{}}};\n\n\
         int main(void)\n{{\n    const function *volatile first = functions;\n\n    return *first == 0;\n}}\n",
        entries.concat()
    )
}

/// Mathematics must be the library's own, lest bits depend on the C library that a program is
/// linked with.
pub(super) fn require_own_maths(elf: &[u8]) -> Result<()> {
    const FOREIGN: [&str; 10] =
        ["exp", "expf", "sqrt", "sqrtf", "log", "logf", "tanh", "tanhf", "pow", "powf"];
    let file = object::File::parse(elf)?;
    let names = file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_string));
    let found: Vec<String> = names.filter(|name| FOREIGN.contains(&name.as_str())).collect();
    ensure!(found.is_empty(), "it calls {} of the C library", found.join(", "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_functions_are_found() {
        let header = include_str!("../../../c/include/mercer.h");
        let found = functions(header);
        assert!(found.contains(&"mercer_learner_step") && found.contains(&"mercer_version"));
        assert!(found.contains(&"mercer_build") && found.contains(&"mercer_monitor_push"));
        let declared =
            header.lines().filter(|line| line.contains(" mercer_") || line.contains("*mercer_"));
        let declared = declared
            .filter(|line| line.contains('(') && !line.trim_start().starts_with(['*', '/']));
        assert_eq!(found.len(), declared.count());
    }
}
