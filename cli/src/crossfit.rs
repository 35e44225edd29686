//! The folds of a fit on several cores.

use mercer::Error;
use mercer::detect::LearnSizes;
use mercer::detect::learning::{LearnScratch, Learning};
use mercer::kernel::{BlockKernel, Indexed};
use mercer::math::Real;

use crate::grid::Grid;
use crate::memory::Memory;
use crate::{Number, cores};

/// Samples times landmarks below which threads take longer to start than folds take.
const LEAST_ENTRIES: usize = 1 << 13;
/// The same for the memory of all threads together: half a gigabyte in single precision.
const MOST_ENTRIES: usize = 1 << 27;

/// Where a thread makes its folds.
enum Room<'r, 's, T: Real> {
    Own(&'r mut LearnScratch<'s, T>),
    Other(Memory<T>),
}

/// If folds are about to begin and it pays, makes all of them and goes on to where they have ended,
/// with the same scores as one after the other. `done` is called now and then.
pub(crate) fn cross_fit<T, K>(
    learning: &mut Learning<K, T>,
    samples: &Grid<T>,
    kernel: &K,
    sizes: LearnSizes,
    scratch: &mut LearnScratch<'_, T>,
    done: &mut dyn FnMut(),
) -> Result<(), Error>
where
    T: Number,
    K: BlockKernel<[T], Scalar = T> + Clone + Send + Sync,
{
    let (folds, entries) = (learning.folds(), sizes.samples * sizes.points);
    let threads = cores::count().min(folds).min(MOST_ENTRIES / entries.max(1));
    if learning.next_fold() != Some(0) || threads < 2 || entries < LEAST_ENTRIES {
        return Ok(());
    }
    let kept = scratch.kept.to_vec();
    let others = (1..threads).map(|_| Room::Other(Memory::of(sizes)));
    let rooms: Vec<Room<'_, '_, T>> = std::iter::once(Room::Own(scratch)).chain(others).collect();
    let begun = &*learning;
    let score = |scratch: &mut LearnScratch<'_, T>, fold: usize| {
        let kernel = |_: &Indexed<'_, _>| Ok(kernel.clone());
        begun.score_fold(fold, samples, kernel, scratch, || ())?;
        let held_out = begun.held_out(fold);
        Ok(held_out.positions().map(|position| scratch.spe[position]).collect::<Vec<T>>())
    };
    let score_in = |room: &mut Room<'_, '_, T>, fold: usize| match room {
        Room::Own(scratch) => score(scratch, fold),
        Room::Other(memory) => {
            let mut scratch = memory.scratch();
            scratch.kept.copy_from_slice(&kept);
            score(&mut scratch, fold)
        }
    };
    let scores: Vec<Result<Vec<T>, Error>> = cores::share(rooms, folds, score_in, |_| done());
    for (fold, scores) in scores.into_iter().enumerate() {
        for (position, score) in learning.held_out(fold).positions().zip(scores?) {
            scratch.spe[position] = score;
        }
    }
    learning.end_folds();
    Ok(())
}
