//! Points in the plane: made up, and the same on every machine.

use std::f64::consts::TAU;

pub(crate) type Point = [f64; 2];

/// Random numbers by a linear congruence (Knuth's MMIX).
struct Random(u64);

impl Random {
    /// Between 0 and 1.
    fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Mean 0 and deviation 1, nearly normal: the sum of twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// A point of a cloud.
    fn around(&mut self, [x, y]: Point, deviation: f64) -> Point {
        [x + deviation * self.normal(), y + deviation * self.normal()]
    }
}

/// Three groups of 30.
pub(crate) fn groups() -> [Point; 90] {
    const CENTRES: [Point; 3] = [[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]];
    let mut random = Random(1);
    core::array::from_fn(|i| random.around(CENTRES[i / 30], 0.1))
}

/// An arc of 80 points, open below.
pub(crate) fn arc() -> [Point; 80] {
    let mut random = Random(2);
    core::array::from_fn(|_| {
        let angle = TAU * (0.62 * random.uniform() - 0.06);
        random.around([libm::cos(angle), libm::sin(angle) - 0.2], 0.07)
    })
}

/// Two rings of 60 points, the inner one first.
pub(crate) fn rings() -> [Point; 120] {
    let mut random = Random(3);
    core::array::from_fn(|i| {
        let (radius, angle) = (if i < 60 { 0.3 } else { 1.0 }, TAU * random.uniform());
        random.around([radius * libm::cos(angle), radius * libm::sin(angle)], 0.05)
    })
}
