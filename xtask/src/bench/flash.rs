//! How much flash a firmware fills, and with what.

use std::fs;
use std::path::Path;

use anyhow::Result;
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, elf};

/// What a task works on, and not part of it: the static of this name in `bench::firmware!`.
const INPUT: &str = "::measure_tasks::INPUT";

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
            && format!("{:#}", rustc_demangle::demangle(name)).ends_with(INPUT)
    };
    let inputs = file.symbols().filter(is_input).map(|symbol| symbol.size()).sum::<u64>();
    Ok(sections - inputs)
}

/// Is there code for logarithms of floats?
pub(crate) fn has_logarithm(path: &Path) -> Result<bool> {
    let bytes = fs::read(path)?;
    let file = object::File::parse(bytes.as_slice())?;
    let mut names = file.symbols().filter_map(|symbol| symbol.name().ok());
    Ok(names.any(|name| is_logarithm(&format!("{:#}", rustc_demangle::demangle(name)))))
}

/// `Real::ln`, which is never inlined, and what it calls.
fn is_logarithm(name: &str) -> bool {
    matches!(name.rsplit("::").next(), Some("ln" | "log" | "logf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_recognised() {
        for name in ["logf", "libm::math::log::log", "<f32 as mercer::math::Real>::ln"] {
            assert!(is_logarithm(name), "{name}");
        }
        for name in ["expf", "mercer::detect::logs::take", "mercer::catalog", "libm::math::expf"] {
            assert!(!is_logarithm(name), "{name}");
        }
    }
}
