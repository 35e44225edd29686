//! How many samples are exact copies of others.
//!
//! **Method.** A hash table of sample numbers with linear probing (Knuth, *The Art of Computer
//! Programming* 3, 2nd ed. 1998, §6.4), in memory for as many numbers as there are samples. To
//! leave half of it empty, the samples are gone through twice: those whose place is in the first
//! half of a table twice as long, then the others.
//!
//! **Bound.** Two passes over the samples, and about one comparison for each; `n²/2` for readings
//! that all have the same [digest](Inspect::digest).

use crate::detect::reading::Inspect;
use crate::kernel::{Index, Samples};
use crate::linalg::slices::{entry, set};

/// How often the samples are gone through.
const PASSES: usize = 2;

/// Counts the samples that equal an earlier one; `table` has a place for each sample.
pub(super) fn count<S, I>(samples: &S, table: &mut [I]) -> usize
where
    S: Samples<View: Inspect> + ?Sized,
    I: Index,
{
    let size = table.len();
    debug_assert_eq!(size, samples.count(), "a place for each sample");
    let mut copies = 0;
    for first in (0..PASSES).map(|pass| pass * size) {
        table.fill(I::NONE);
        for (number, x) in samples.iter_samples().enumerate() {
            // The upper bits of a digest are the better ones.
            let wide = u64::from(x.digest()) * (PASSES * size) as u64;
            let place = ((wide >> 32) as usize).checked_sub(first).filter(|&place| place < size);
            let is_copy = place.is_some_and(|place| {
                let places = (place..size).chain(0..place);
                is_known(samples, x, number, places, table)
            });
            copies += usize::from(is_copy);
        }
    }
    copies
}

/// Is there an equal one at these places, before the first empty one? Otherwise this one is put
/// there.
fn is_known<S, I>(
    samples: &S,
    x: &S::View,
    number: usize,
    mut places: impl Iterator<Item = usize>,
    table: &mut [I],
) -> bool
where
    S: Samples<View: Inspect> + ?Sized,
    I: Index,
{
    let ends = |&place: &usize| match entry(table, place) {
        empty if empty == I::NONE => true,
        other => samples.sample(other.at()).is_some_and(|y| y.equals(x)),
    };
    match places.find(ends) {
        Some(place) if entry(table, place) == I::NONE => {
            set(table, place, I::of(number));
            false
        }
        found => found.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;

    /// Readings without a digest of their own.
    #[derive(Clone, PartialEq)]
    struct Plain(u32);
    impl Inspect for Plain {
        fn equals(&self, other: &Self) -> bool {
            self == other
        }
    }
    impl crate::kernel::Sample for Plain {
        type View = Self;
        fn view(&self) -> &Self {
            self
        }
    }

    fn plainly<V: PartialEq>(samples: &[V]) -> usize {
        (0..samples.len()).filter(|&i| samples[..i].contains(&samples[i])).count()
    }

    #[test]
    fn copies_are_those_of_the_plain_definition() {
        let mut state = 7_u32;
        let mut random = move |range: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % range
        };
        for round in 0..300 {
            let (n, levels) = (1 + random(120), 1 + random(200));
            let samples: Vec<[f32; 2]> = (0..n)
                .map(|_| [random(levels) as f32 * 0.25 - 1.0, -0.0 * random(3) as f32])
                .collect();
            let mut table = vec![round as u32; n];
            assert_eq!(count(samples.as_slice(), &mut table), plainly(&samples));
            let wide: Vec<[f64; 2]> = samples.iter().map(|x| x.map(f64::from)).collect();
            assert_eq!(count(wide.as_slice(), &mut table), plainly(&wide));
            let codes: Vec<[u8; 3]> = (0..n).map(|_| [0, random(levels) as u8, 7]).collect();
            assert_eq!(count(codes.as_slice(), &mut table), plainly(&codes));
            let own: Vec<Plain> = (0..n).map(|_| Plain(random(levels) as u32)).collect();
            assert_eq!(count(own.as_slice(), &mut table), plainly(&own));
        }
        assert_eq!(count::<[[f32; 1]], u32>(&[], &mut []), 0);
        let not_a_number = [[f32::NAN]; 5];
        assert_eq!(count(not_a_number.as_slice(), &mut [0_u32; 5]), 0, "NaN equals nothing");
    }

    /// How many samples are compared with another; a quadratic search makes `n²/2` of it.
    #[test]
    fn comparisons_grow_with_the_number_of_samples() {
        use core::cell::Cell;
        std::thread_local!(static COMPARED: Cell<usize> = const { Cell::new(0) });
        #[derive(Clone)]
        struct Counted([f32; 3]);
        impl Inspect for Counted {
            fn equals(&self, other: &Self) -> bool {
                COMPARED.set(COMPARED.get() + 1);
                self.0 == other.0
            }
            fn digest(&self) -> u32 {
                self.0.as_slice().digest()
            }
        }
        impl crate::kernel::Sample for Counted {
            type View = Self;
            fn view(&self) -> &Self {
                self
            }
        }
        let n = 40_000;
        // Counts of a converter, numbers with a fraction, and states of which there are few.
        let kinds: [fn(u32) -> [f32; 3]; 4] = [
            |i| [i as f32, 1.0, 2.0],
            |i| [0.1 * (i % 200) as f32, 0.2, 1e-3 * (i / 200) as f32],
            |i| [(i % 10) as f32, (i % 7) as f32, 0.0],
            |i| [-(i as f32), i as f32, i as f32 * 65_536.0],
        ];
        for kind in kinds {
            COMPARED.set(0);
            let samples: Vec<Counted> = (0..n).map(|i| Counted(kind(i))).collect();
            let copies = count(samples.as_slice(), &mut vec![0_u32; n as usize]);
            let distinct: std::collections::HashSet<[u32; 3]> =
                samples.iter().map(|x| x.0.map(|v| (v + 0.0).to_bits())).collect();
            assert_eq!(copies, samples.len() - distinct.len());
            assert!(COMPARED.get() < 4 * n as usize, "{} comparisons", COMPARED.get());
        }
    }
}
