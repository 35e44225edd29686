//! How samples are dealt into folds for cross-fit: in blocks, in turn, or by whole recordings.

use crate::error::Error;

/// How samples are dealt into folds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum FoldOrder {
    /// In blocks: for readings that follow each other in time, where neighbours are alike. Where
    /// there are several recordings, whole ones: no recording is in two blocks.
    #[default]
    Contiguous,
    /// In turn: for readings that are independent of each other.
    Interleaved,
}

impl FoldOrder {
    /// What a fold holds out of `count` samples.
    ///
    /// ```
    /// use mercer::detect::FoldOrder;
    /// assert!(FoldOrder::Contiguous.held_out(1, 10, 4).positions().eq(3..5));
    /// assert!(FoldOrder::Interleaved.held_out(1, 10, 4).positions().eq([1, 5, 9]));
    /// ```
    pub fn held_out(&self, fold: usize, count: usize, folds: usize) -> HeldOut {
        match self {
            _ if fold >= folds => HeldOut::NOTHING,
            Self::Contiguous => {
                HeldOut::block(edge(fold, count, folds), edge(fold + 1, count, folds))
            }
            Self::Interleaved => HeldOut { first: fold, end: count, step: folds },
        }
    }
}

/// Where the block of a fold begins: `⌈fold·count/folds⌉`.
fn edge(fold: usize, count: usize, folds: usize) -> usize {
    let folds = folds.max(1);
    let (each, rest) = (count / folds, count % folds);
    let extra = match folds.checked_mul(rest) {
        Some(_) => (fold * rest).div_ceil(folds),
        // The first ones take one more: so many folds do not notice.
        None => fold.min(rest),
    };
    fold * each + extra
}

/// The positions of the samples that a fold is to score, and not to be fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct HeldOut {
    first: usize,
    end: usize,
    step: usize,
}

impl HeldOut {
    /// Nothing: the fit is then made to all samples.
    pub(in crate::detect) const NOTHING: Self = Self::block(0, 0);

    const fn block(first: usize, end: usize) -> Self {
        Self { first, end, step: 1 }
    }

    /// Is the sample at this position held out?
    pub fn contains(&self, position: usize) -> bool {
        self.first <= position
            && position < self.end
            && (position - self.first).is_multiple_of(self.step)
    }

    /// The positions, in order.
    pub fn positions(&self) -> impl Iterator<Item = usize> {
        (self.first..self.end).step_by(self.step.max(1))
    }

    /// The position with this number, if there are so many.
    pub(in crate::detect) fn nth(&self, number: usize) -> Option<usize> {
        let position = number.checked_mul(self.step)?.checked_add(self.first)?;
        (position < self.end).then_some(position)
    }
}

/// The most folds that whole recordings can be dealt into.
const MOST_BLOCKS: usize = 16;

/// Blocks of whole recordings; none if there is only one recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(in crate::detect) struct Blocks {
    /// Where each block ends.
    ends: heapless::Vec<u32, MOST_BLOCKS, u32>,
}

impl Blocks {
    /// Deals recordings, of which all but the first begin at these positions of `count` samples,
    /// into at most so many folds: of `u` recordings the `j`-th goes to block `⌊j·folds/u⌋`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more folds than there can be blocks, and for positions that do not
    /// ascend within the samples.
    pub(in crate::detect) fn of_recordings(
        begins: impl Iterator<Item = usize> + Clone,
        count: usize,
        folds: usize,
    ) -> Result<Self, Error> {
        let recordings = begins.clone().count().saturating_add(1);
        let mut blocks = Self::default();
        if recordings == 1 {
            return Ok(blocks);
        }
        if folds > MOST_BLOCKS {
            return Err(Error::Parameter { name: "folds", rule: "at most 16 with recordings" });
        }
        let folds = folds.min(recordings);
        let (mut last, mut block) = (0, 0);
        for (before, begin) in begins.enumerate() {
            if begin <= last || begin >= count {
                let rule = "begin one after the other, each with a sample";
                return Err(Error::Parameter { name: "recordings", rule });
            }
            let next = (before + 1) * folds / recordings;
            if next > block {
                blocks.push(begin);
                block = next;
            }
            last = begin;
        }
        blocks.push(count);
        Ok(blocks)
    }

    fn push(&mut self, end: usize) {
        let pushed = self.ends.push(end as u32);
        debug_assert!(pushed.is_ok(), "no more blocks than there is room for");
    }

    /// How many folds there are; as many as wished for if samples are of one recording.
    pub(in crate::detect) fn folds(&self, wished: usize) -> usize {
        if self.ends.is_empty() { wished } else { self.ends.len() }
    }

    /// What a fold holds out, if samples are of several recordings.
    pub(in crate::detect) fn held_out(&self, fold: usize) -> Option<HeldOut> {
        if self.ends.is_empty() {
            return None;
        }
        let end = |block: usize| self.ends.get(block).map(|&end| end as usize);
        let first = fold.checked_sub(1).map_or(Some(0), end);
        Some(match (first, end(fold)) {
            (Some(first), Some(end)) => HeldOut::block(first, end),
            _ => HeldOut::NOTHING,
        })
    }

    /// Takes note that the sample at this position is dropped.
    pub(in crate::detect) fn drop_sample(&mut self, position: usize) {
        for end in self.ends.iter_mut().filter(|end| **end as usize > position) {
            *end -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;

    fn dealt(order: FoldOrder, count: usize, folds: usize) -> Vec<usize> {
        let mut dealt = vec![usize::MAX; count];
        for fold in 0..folds {
            for position in order.held_out(fold, count, folds).positions() {
                assert_eq!(dealt[position], usize::MAX, "twice");
                dealt[position] = fold;
            }
        }
        dealt
    }

    #[test]
    fn folds_are_blocks_or_turns() {
        assert_eq!(dealt(FoldOrder::Contiguous, 10, 4), [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(dealt(FoldOrder::Interleaved, 10, 4), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
        for (count, folds) in [(1, 4), (4, 4), (7, 2), (23, 5), (100, 99)] {
            // The definition: position p is in fold ⌊p·folds/count⌋.
            let blocks = (0..count).map(|p| p * folds / count).collect::<Vec<_>>();
            assert_eq!(dealt(FoldOrder::Contiguous, count, folds), blocks);
        }
    }

    #[test]
    fn any_number_of_folds_and_samples_can_be_dealt() {
        for (count, folds) in [(usize::MAX, 4), (usize::MAX, usize::MAX), (3, usize::MAX), (0, 0)] {
            for order in [FoldOrder::Contiguous, FoldOrder::Interleaved] {
                let held_out = |fold| order.held_out(fold, count, folds);
                assert_eq!(held_out(0).contains(0), count > 0, "{count}, {folds}");
                let last = count.saturating_sub(1);
                let of_last = folds.saturating_sub(1);
                let contiguous = order == FoldOrder::Contiguous && count > folds;
                assert!(!contiguous || held_out(of_last).contains(last), "{count}, {folds}");
                assert_eq!(held_out(folds).nth(0), None);
            }
        }
    }

    #[test]
    fn recordings_stay_whole() {
        // Recordings of 2, 1, 4, 1, 2 samples.
        let begins = [2, 3, 7, 8];
        let blocks = |folds| Blocks::of_recordings(begins.into_iter(), 10, folds).unwrap();
        let of = |blocks: &Blocks| -> Vec<Vec<usize>> {
            let folds = (0..blocks.folds(9)).map(|fold| blocks.held_out(fold).unwrap());
            folds.map(|held_out| held_out.positions().collect()).collect()
        };
        // ⌊j·2/5⌋ of j = 0 to 4 is 0, 0, 0, 1, 1.
        assert_eq!(of(&blocks(2)), [(0..7).collect(), (7..10).collect::<Vec<_>>()]);
        // ⌊j·4/5⌋ is 0, 0, 1, 2, 3.
        assert_eq!(of(&blocks(4)), [vec![0, 1, 2], vec![3, 4, 5, 6], vec![7], vec![8, 9]]);
        assert_eq!(of(&blocks(7)).len(), 5);
        let mut fewer = blocks(4);
        fewer.drop_sample(4);
        fewer.drop_sample(0);
        assert_eq!(of(&fewer), [vec![0, 1], vec![2, 3, 4], vec![5], vec![6, 7]]);
        assert_eq!(fewer.held_out(4).unwrap().nth(0), None);
    }

    #[test]
    fn one_recording_has_no_blocks_of_its_own() {
        let blocks = Blocks::of_recordings([].into_iter(), 10, 99).unwrap();
        assert_eq!((blocks.folds(99), blocks.held_out(0)), (99, None));
    }

    #[test]
    fn recordings_that_make_no_sense_are_refused() {
        for begins in [&[0_usize][..], &[3, 3], &[5, 4], &[10], &[4, usize::MAX]] {
            let refused = Blocks::of_recordings(begins.iter().copied(), 10, 4);
            assert!(matches!(refused, Err(Error::Parameter { name: "recordings", .. })));
        }
        let many = Blocks::of_recordings(1..20, 20, 17);
        assert!(matches!(many, Err(Error::Parameter { name: "folds", .. })));
    }
}
