//! From what the plugin has counted to instructions and cycles.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection, SectionKind};

use super::decode::{Instruction, decode};
use super::timing::Core;

/// What ran between two marks.
#[derive(Debug, Default)]
pub(crate) struct Region(Vec<Ran>);

/// A block of instructions that follow each other.
#[derive(Clone, Copy, Debug)]
struct Ran {
    /// The instruction before it; 0 if it is the first one.
    before: u64,
    start: u64,
    instructions: usize,
    times: u64,
}

/// All regions of a run, in order.
#[derive(Debug)]
pub(crate) struct Trace(pub(crate) Vec<Region>);

impl Trace {
    /// Reads what `xtask/plugin` writes.
    pub(crate) fn parse(text: &str) -> Result<Trace> {
        let mut regions: Vec<Region> = Vec::new();
        for line in text.lines() {
            if line == "region" {
                regions.push(Region::default());
                continue;
            }
            let context = || format!("the plugin wrote {line:?}");
            let fields: Vec<&str> = line.split(' ').collect();
            let [before, start, instructions, times] = *fields else { bail!(context()) };
            let address = |text: &str| u64::from_str_radix(text, 16).with_context(context);
            let (before, start) = (address(before)?, address(start)?);
            let instructions = instructions.parse().with_context(context)?;
            let times = times.parse().with_context(context)?;
            let region = regions.last_mut().with_context(context)?;
            region.0.push(Ran { before, start, instructions, times });
        }
        Ok(Trace(regions))
    }
}

impl Region {
    pub(crate) fn instructions(&self) -> u64 {
        self.0.iter().map(|ran| ran.instructions as u64 * ran.times).sum()
    }

    pub(crate) fn cycles(&self, core: Core, code: &Code) -> Result<u64> {
        let mut straight: HashMap<(u64, usize), i64> = HashMap::new();
        let mut cycles = 0;
        for ran in &self.0 {
            let key = (ran.start, ran.instructions);
            let mut each = match straight.get(&key) {
                Some(each) => *each,
                None => {
                    let each = core.straight(&code.block(ran.start, ran.instructions)?);
                    *straight.entry(key).or_insert(each)
                }
            };
            if ran.before != 0 {
                let before = code.at(ran.before)?;
                let branched = ran.before + u64::from(before.bytes) != ran.start;
                each += core.after(&before, branched, &code.at(ran.start)?);
            }
            cycles += each * i64::try_from(ran.times)?;
        }
        Ok(u64::try_from(cycles)?)
    }
}

/// The code of a firmware, by its addresses.
pub(crate) struct Code(Vec<(u64, Vec<u8>)>);

impl Code {
    pub(crate) fn of(elf: &Path) -> Result<Code> {
        let bytes = fs::read(elf)?;
        let file = object::File::parse(bytes.as_slice())?;
        let text = file.sections().filter(|section| section.kind() == SectionKind::Text);
        let part =
            |section: object::Section<'_, '_>| Ok((section.address(), section.data()?.to_vec()));
        Ok(Code(text.map(part).collect::<Result<_>>()?))
    }

    fn half_word(&self, address: u64) -> Option<u16> {
        self.0.iter().find_map(|(start, bytes)| {
            let at = usize::try_from(address.checked_sub(*start)?).ok()?;
            Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
        })
    }

    fn at(&self, address: u64) -> Result<Instruction> {
        let first = self.half_word(address);
        let first = first.with_context(|| format!("no code at {address:#x}"))?;
        Ok(decode(first, self.half_word(address + 2).unwrap_or(0)))
    }

    fn block(&self, start: u64, instructions: usize) -> Result<Vec<Instruction>> {
        let mut address = start;
        let mut block = Vec::with_capacity(instructions);
        for _ in 0..instructions {
            let instruction = self.at(address)?;
            address += u64::from(instruction.bytes);
            block.push(instruction);
        }
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// movs r0, #3; then subs r0, #1; bne back; and bx lr.
    fn code() -> Code {
        let words: [u16; 4] = [0x2003, 0x3801, 0xd1fd, 0x4770];
        Code(vec![(0x100, words.iter().flat_map(|word| word.to_le_bytes()).collect())])
    }

    #[test]
    fn a_loop_of_known_length() {
        // QEMU's blocks: all up to the first branch, the loop from then on, the end.
        let text = "region\n0 100 3 1\n104 102 2 2\n104 106 1 1\n";
        let trace = Trace::parse(text).unwrap();
        assert_eq!(trace.0[0].instructions(), 1 + 2 * 3 + 1);
        assert_eq!(trace.0[0].cycles(Core::M4, &code()).unwrap(), 8 + 2 * 2);
        assert_eq!(trace.0[0].cycles(Core::M0Plus, &code()).unwrap(), 8 + 2);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for text in ["0 100 3 1\n", "region\n0 100 3\n", "region\n0 xyz 3 1\n"] {
            assert!(Trace::parse(text).unwrap_err().to_string().contains("the plugin wrote"));
        }
        let elsewhere = Trace::parse("region\n0 500 1 1\n").unwrap();
        let error = elsewhere.0[0].cycles(Core::M4, &code()).unwrap_err().to_string();
        assert!(error.contains("0x500"), "{error}");
    }
}
