//! Numbers that look random, the same in every run and on every core.
#![allow(dead_code, reason = "every program uses a part of it")]

pub(crate) struct Random(u32);

impl Random {
    pub(crate) const fn new(seed: u32) -> Self {
        Self(seed)
    }

    /// In [0, 1).
    pub(crate) fn uniform(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    /// Of mean 0 and variance 1, nearly normal: a sum of twelve.
    pub(crate) fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.uniform()).sum::<f32>() - 6.0
    }
}
