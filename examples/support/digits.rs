//! Handwritten digits, and noise to spoil them with.
#![allow(dead_code, reason = "every program uses a part of it")]

/// Pixels of a digit.
pub(crate) const PIXELS: usize = 64;
/// Digits of each of the ten kinds, the unseen ones last.
pub(crate) const EACH: usize = 10;
pub(crate) const UNSEEN_EACH: usize = 2;
pub(crate) const TRAINING: usize = 10 * (EACH - UNSEEN_EACH);
pub(crate) const UNSEEN: usize = 10 * UNSEEN_EACH;

/// From 0 (paper) to 1 (ink).
pub(crate) type Digit = [f32; PIXELS];

/// Ten zeros, ten ones, …; a byte a pixel, from 0 to 16.
pub(crate) static BYTES: [u8; 10 * EACH * PIXELS] = *include_bytes!("../data/digits/digits.u8");

/// The digits to learn from.
pub(crate) fn training() -> impl Iterator<Item = Digit> {
    digits().filter(|(number, _)| number % EACH < EACH - UNSEEN_EACH).map(|(_, digit)| digit)
}

/// Digits that the model has not seen.
pub(crate) fn unseen() -> impl Iterator<Item = Digit> {
    digits().filter(|(number, _)| number % EACH >= EACH - UNSEEN_EACH).map(|(_, digit)| digit)
}

fn digits() -> impl Iterator<Item = (usize, Digit)> {
    let (digits, _) = BYTES.as_chunks::<PIXELS>();
    digits.iter().map(|digit| digit.map(|pixel| f32::from(pixel) / 16.0)).enumerate()
}

/// What spoils a digit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noise {
    /// Of standard deviation 0.3 on every pixel.
    Gaussian,
    /// One pixel in five is paper or ink, whatever it was.
    Speckle,
}

/// Numbers that look random, the same on every machine (xorshift32).
pub(crate) struct Random(pub(crate) u32);

impl Random {
    /// Uniform in `[0, 1)`.
    pub(crate) fn uniform(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8) as f32 / (1_u32 << 24) as f32
    }

    /// About normal, of mean 0 and variance 1: twelve uniform numbers.
    pub(crate) fn normal(&mut self) -> f32 {
        (0..12).fold(-6.0, |sum, _| sum + self.uniform())
    }

    pub(crate) fn spoil(&mut self, digit: &Digit, noise: Noise) -> Digit {
        digit.map(|pixel| match noise {
            Noise::Gaussian => pixel + 0.3 * self.normal(),
            Noise::Speckle => match self.uniform() {
                u if u < 0.1 => 0.0,
                u if u < 0.2 => 1.0,
                _ => pixel,
            },
        })
    }
}

/// Mean squared difference of two digits, a pixel.
pub(crate) fn squared_error(x: &Digit, y: &Digit) -> f32 {
    x.iter().zip(y).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b)) / PIXELS as f32
}
