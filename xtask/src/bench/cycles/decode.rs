//! Thumb instructions, as far as their timing goes.
//!
//! Encodings: Armv7-M Architecture Reference Manual (DDI 0403), chapters A5 and A7. Only bits that
//! tell instructions apart which these cores execute are looked at.

/// What an instruction is, for its timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whatever takes a cycle.
    Plain,
    /// A byte, half-word or word; so many words into the FPU.
    Load {
        words: u8,
    },
    Store {
        register_offset: bool,
    },
    /// So many words out of the FPU.
    FloatStore {
        words: u8,
    },
    /// Two words from or to core registers.
    Double,
    /// So many words.
    Multiple {
        words: u8,
    },
    /// `push`, `pop`, `ldm` that loads the program counter.
    MultipleAndBranch {
        words: u8,
    },
    TableBranch,
    /// `bl`.
    Call,
    /// `mla`, `mls`.
    MultiplyAdd,
    /// 64 bits.
    LongMultiply,
    Divide,
    /// `vmla`, `vfma` and their kin.
    FloatMultiplyAdd,
    /// `vdiv`, `vsqrt`.
    FloatDivide,
    /// `vmov` of two words from or to core registers.
    MovePair,
    /// Barriers and special registers.
    System,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) bytes: u32,
    pub(crate) kind: Kind,
    /// The core register that a load fills.
    pub(crate) loaded: Option<u8>,
    /// Core registers that an address is made of, as bits.
    pub(crate) address: u16,
    /// Registers of the FPU that arithmetic fills, as bits.
    pub(crate) result: u32,
    /// Registers of the FPU that it reads.
    pub(crate) operands: u32,
}

impl Instruction {
    const fn new(bytes: u32, kind: Kind) -> Self {
        Self { bytes, kind, loaded: None, address: 0, result: 0, operands: 0 }
    }

    fn load(bytes: u32, to: u16, address: u16) -> Self {
        let loaded = u8::try_from(to).ok();
        Self { loaded, address, ..Self::new(bytes, Kind::Load { words: 1 }) }
    }

    fn store(bytes: u32, register_offset: bool, address: u16) -> Self {
        Self { address, ..Self::new(bytes, Kind::Store { register_offset }) }
    }
}

/// The instruction with this first half-word, and the second one if it has one.
pub(crate) fn decode(first: u16, second: u16) -> Instruction {
    if first >> 11 < 0b11101 { short(first) } else { long(first, second) }
}

const fn bit(number: u16) -> u16 {
    1 << (number & 15)
}

const fn is_set(word: u16, number: u32) -> bool {
    (word >> number) & 1 == 1
}

fn short(word: u16) -> Instruction {
    let (low, middle, high, upper) = (word & 7, (word >> 3) & 7, (word >> 6) & 7, (word >> 8) & 7);
    let listed = (word & 0xff).count_ones() as u8;
    match word >> 12 {
        // Relative to the program counter.
        0x4 if is_set(word, 11) => Instruction::load(2, upper, 0),
        0x5 => match (word >> 9) & 7 {
            0..=2 => Instruction::store(2, true, bit(middle) | bit(high)),
            _ => Instruction::load(2, low, bit(middle) | bit(high)),
        },
        0x6..=0x8 if is_set(word, 11) => Instruction::load(2, low, bit(middle)),
        0x6..=0x8 => Instruction::store(2, false, bit(middle)),
        0x9 if is_set(word, 11) => Instruction::load(2, upper, bit(13)),
        0x9 => Instruction::store(2, false, bit(13)),
        0xb => match (word >> 9) & 7 {
            0b010 => {
                Instruction::new(2, Kind::Multiple { words: listed + u8::from(is_set(word, 8)) })
            }
            0b110 if is_set(word, 8) => {
                Instruction::new(2, Kind::MultipleAndBranch { words: listed + 1 })
            }
            0b110 => Instruction::new(2, Kind::Multiple { words: listed }),
            _ => Instruction::new(2, Kind::Plain),
        },
        0xc => Instruction::new(2, Kind::Multiple { words: listed }),
        _ => Instruction::new(2, Kind::Plain),
    }
}

fn long(first: u16, second: u16) -> Instruction {
    match first >> 8 {
        0xe8 | 0xe9 if !is_set(first, 6) => {
            let (words, loads) = (second.count_ones() as u8, is_set(first, 4));
            let kind = match loads && is_set(second, 15) {
                true => Kind::MultipleAndBranch { words },
                false => Kind::Multiple { words },
            };
            Instruction::new(4, kind)
        }
        0xe8 if first & 0xfff0 == 0xe8d0 && second & 0xffe0 == 0xf000 => {
            Instruction::new(4, Kind::TableBranch)
        }
        // Indexed in either way: two words; else those for exclusive access.
        0xe8 | 0xe9 if first & 0x0120 != 0 => Instruction::new(4, Kind::Double),
        0xe8 | 0xe9 => Instruction::load(4, second >> 12, bit(first)),
        0xf0..=0xf7 if second & 0xd000 == 0xd000 => Instruction::new(4, Kind::Call),
        // Where a branch has its condition, these have one that there is not.
        0xf3 if second & 0xd000 == 0x8000 && first & 0x0380 == 0x0380 => {
            Instruction::new(4, Kind::System)
        }
        0xf8 | 0xf9 => single(first, second),
        0xfb => multiply(first, second),
        0xec | 0xed => float_move(first, second),
        0xee => float(first, second),
        _ => Instruction::new(4, Kind::Plain),
    }
}

/// One byte, half-word or word.
fn single(first: u16, second: u16) -> Instruction {
    let (base, to) = (first & 15, second >> 12);
    let register_offset = base != 15 && !is_set(first, 7) && second & 0x0fc0 == 0;
    let address = match (base, register_offset) {
        (15, _) => 0,
        (_, true) => bit(base) | bit(second & 15),
        (_, false) => bit(base),
    };
    match is_set(first, 4) {
        // A hint to the cache, which there is none of.
        true if to == 15 && first & 0x60 != 0x40 => Instruction::new(4, Kind::Plain),
        true => Instruction::load(4, to, address),
        false => Instruction::store(4, register_offset, address),
    }
}

fn multiply(first: u16, second: u16) -> Instruction {
    let (operation, accumulates) = ((first >> 4) & 15, second >> 12 != 15);
    let kind = match operation {
        0 if accumulates && second & 0xf0 <= 0x10 => Kind::MultiplyAdd,
        0..=7 => Kind::Plain,
        9 | 11 => Kind::Divide,
        _ => Kind::LongMultiply,
    };
    Instruction::new(4, kind)
}

/// Where the five bits of a register of the FPU are: four in a row from `at`, and one.
fn register(word: u16, at: u32, extra: bool, double: bool) -> u32 {
    let four = u32::from(word >> at) & 15;
    match double {
        true => 0b11_u32.checked_shl(2 * four).unwrap_or(0),
        false => 1 << (2 * four + u32::from(extra)),
    }
}

/// Loads and stores of the FPU, and pairs of moves.
fn float_move(first: u16, second: u16) -> Instruction {
    let double = second & 0x0f00 == 0x0b00;
    let loads = is_set(first, 4);
    if first & 0xffe0 == 0xec40 {
        let pair = register(second, 0, is_set(second, 5), double);
        let pair = if double { pair } else { pair | pair << 1 };
        let operands = if loads { pair } else { 0 };
        return Instruction { operands, ..Instruction::new(4, Kind::MovePair) };
    }
    let one = register(second, 12, is_set(first, 6), double);
    let words = (second & 0xff) as u8;
    // With an offset, and the base stays what it is.
    if first & 0xff20 == 0xed00 {
        let words = 1 + u8::from(double);
        let (kind, operands) = match loads {
            true => (Kind::Load { words }, 0),
            false => (Kind::FloatStore { words }, one),
        };
        let address = if first & 15 == 15 { 0 } else { bit(first) };
        return Instruction { address, operands, ..Instruction::new(4, kind) };
    }
    let all = (0..u32::from(words)).fold(0, |all, i| all | (one & one.wrapping_neg()) << i.min(31));
    let operands = if loads { 0 } else { all };
    Instruction { operands, ..Instruction::new(4, Kind::Multiple { words }) }
}

/// Arithmetic of the FPU, and moves of one word.
fn float(first: u16, second: u16) -> Instruction {
    let double = second & 0x0f00 == 0x0b00;
    let d = register(second, 12, is_set(first, 6), double);
    let n = register(first, 0, is_set(second, 7), double);
    let m = register(second, 0, is_set(second, 5), double);
    let with =
        |kind, result, operands| Instruction { result, operands, ..Instruction::new(4, kind) };
    if is_set(second, 4) {
        // A word to a core register, or the other way; flags.
        let reads = first & 0xfff0 == 0xee10;
        return with(Kind::Plain, 0, if reads { n } else { 0 });
    }
    let operation = (first >> 4) & 0b1011;
    match operation {
        0b0000 | 0b0001 | 0b1001 | 0b1010 => with(Kind::FloatMultiplyAdd, d, d | n | m),
        0b0010 | 0b0011 => with(Kind::Plain, d, n | m),
        0b1000 => with(Kind::FloatDivide, d, n | m),
        _ => match (first & 15, (second >> 6) & 3) {
            // A constant.
            (_, 0 | 2) => with(Kind::Plain, 0, 0),
            (0, _) | (1, 1) => with(Kind::Plain, 0, m),
            (1, _) => with(Kind::FloatDivide, d, m),
            (4, _) => with(Kind::Plain, 0, d | m),
            (5, _) => with(Kind::Plain, 0, d),
            // To and from fixed point, in place.
            (10 | 11 | 14 | 15, _) => with(Kind::Plain, d, d),
            _ => with(Kind::Plain, d, m),
        },
    }
}
