//! Work on all cores, with the results, in their order, that one core has.

use std::cell::Cell;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

/// Who wants fewer threads than there are cores says so here.
const THREADS: &str = "MERCER_THREADS";

thread_local! {
    /// This thread is one of several already.
    static SHARES: Cell<bool> = const { Cell::new(false) };
}

/// How many threads to work with: one for each core, unless `MERCER_THREADS` says otherwise; no
/// more where other threads are at work already.
pub(crate) fn count() -> usize {
    if SHARES.get() {
        return 1;
    }
    let wished = std::env::var(THREADS).ok().and_then(|text| text.parse().ok());
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    wished.filter(|&threads| threads > 0).unwrap_or_else(cores)
}

/// What `work` makes of the numbers below `count`, of `part` of them at a time. `done` is called
/// now and then, with how many more are finished.
pub(crate) fn in_parts<R: Send>(
    count: usize,
    part: usize,
    work: impl Fn(Range<usize>) -> R + Sync,
    mut done: impl FnMut(usize),
) -> Vec<R> {
    let range = |task: usize| task * part..((task + 1) * part).min(count);
    let tasks = count.div_ceil(part);
    let workers = vec![(); self::count().min(tasks)];
    share(workers, tasks, |(), task| work(range(task)), |finished| done(finished * part))
}

/// What the workers make of tasks 0, 1, …, of which each takes the next when it is ready with one;
/// the first worker is at home on this thread, and tells `done` how many more are finished.
pub(crate) fn share<W: Send, R: Send>(
    workers: Vec<W>,
    tasks: usize,
    work: impl Fn(&mut W, usize) -> R + Sync,
    mut done: impl FnMut(usize),
) -> Vec<R> {
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let turn = |mut worker: W, done: &mut dyn FnMut()| {
        let before = SHARES.replace(true);
        let mut results = Vec::new();
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                break;
            }
            results.push((task, work(&mut worker, task)));
            finished.fetch_add(1, Ordering::Relaxed);
            done();
        }
        SHARES.set(before);
        results
    };
    let mut workers = workers.into_iter();
    let own = workers.next();
    let mut results = thread::scope(|scope| {
        // Where a thread cannot be started, the others do its work.
        let start = |worker| Builder::new().spawn_scoped(scope, || turn(worker, &mut || ())).ok();
        let others: Vec<_> = workers.filter_map(start).collect();
        let mut told = 0;
        let mut tell = || {
            let all = finished.load(Ordering::Relaxed);
            done(all - told);
            told = all;
        };
        let mut results = own.map_or_else(Vec::new, |own| turn(own, &mut tell));
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|(task, _)| *task);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_complete() {
        for (count, part) in [(0, 3), (1, 1), (10, 3), (1000, 7), (5, 100)] {
            let mut told = 0;
            let found = in_parts(count, part, |range| range.collect::<Vec<_>>(), |n| told += n);
            assert_eq!(found.concat(), (0..count).collect::<Vec<_>>());
            assert!(told <= count.div_ceil(part) * part);
        }
        let workers: Vec<usize> = (0..5).collect();
        let squares = share(workers, 100, |_, task| task * task, |_| ());
        assert_eq!(squares, (0..100).map(|task| task * task).collect::<Vec<_>>());
    }

    #[test]
    fn work_inside_of_work_stays_on_its_thread() {
        let inside = share(vec![(); 3], 12, |(), _| count(), |_| ());
        assert_eq!(inside, [1; 12]);
        assert!(count() >= 1);
    }

    #[test]
    fn a_panic_is_passed_on() {
        let panics = || share(vec![(); 2], 8, |(), task| assert!(task != 5, "task 5"), |_| ());
        assert!(std::panic::catch_unwind(panics).is_err());
    }
}
