//! How much flash a firmware fills.

use std::fs;
use std::path::Path;

use anyhow::Result;
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, elf};

/// The module whose statics are what a task works on, and not part of it.
const INPUTS: &str = "bench::inputs::";

/// Bytes of code, constants and initial values, without the inputs.
pub(crate) fn used(path: &Path) -> Result<u64> {
    let bytes = fs::read(path)?;
    let file = object::File::parse(bytes.as_slice())?;
    let stored = |section: &object::Section<'_, '_>| match section.flags() {
        SectionFlags::Elf { sh_flags } => {
            sh_flags & u64::from(elf::SHF_ALLOC) != 0
                && section.kind() != SectionKind::UninitializedData
        }
        _ => false,
    };
    let sections = file.sections().filter(stored).map(|section| section.size()).sum::<u64>();
    let is_input = |symbol: &object::Symbol<'_, '_>| {
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        let name = symbol.name().unwrap_or_default();
        section.is_some_and(|section| stored(&section))
            && format!("{:#}", rustc_demangle::demangle(name)).contains(INPUTS)
    };
    let inputs = file.symbols().filter(is_input).map(|symbol| symbol.size()).sum::<u64>();
    Ok(sections - inputs)
}
