//! Jobs that come one after the other, done on all cores, with the results in their order.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};

/// What waits for workers, and what they have made of it.
pub(crate) struct Queue<J, R> {
    state: Mutex<State<J, R>>,
    /// There is a job, a result, or nothing more to come.
    changed: Condvar,
}

struct State<J, R> {
    jobs: VecDeque<(u64, J)>,
    /// By the numbers of the jobs; a panic is one, too.
    results: BTreeMap<u64, thread::Result<R>>,
    /// Jobs that came, and results that were taken.
    pushed: u64,
    taken: u64,
    is_closed: bool,
}

/// Lets `feed` hand out jobs, and take their results, while each worker does one at a time. Without
/// a worker, or where no thread can be started, there is no queue.
pub(crate) fn in_order<W: Send, J: Send, R: Send, O>(
    workers: Vec<W>,
    work: impl Fn(&mut W, J) -> R + Sync,
    feed: impl FnOnce(Option<&Arc<Queue<J, R>>>) -> O,
) -> O {
    let queue = Arc::new(Queue::new());
    thread::scope(|scope| {
        // However `feed` ends, the workers do.
        let _closed = Closed(&queue);
        let (queue, work) = (&queue, &work);
        let start = |mut worker: W| {
            Builder::new().spawn_scoped(scope, move || queue.work(|job| work(&mut worker, job)))
        };
        let started = workers.into_iter().map(start).filter(Result::is_ok).count();
        feed((started > 0).then_some(queue))
    })
}

struct Closed<'a, J, R>(&'a Queue<J, R>);

impl<J, R> Drop for Closed<'_, J, R> {
    fn drop(&mut self) {
        self.0.state().is_closed = true;
        self.0.changed.notify_all();
    }
}

impl<J, R> Queue<J, R> {
    fn new() -> Self {
        let state = State {
            jobs: VecDeque::new(),
            results: BTreeMap::new(),
            pushed: 0,
            taken: 0,
            is_closed: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(crate) fn push(&self, job: J) {
        let mut state = self.state();
        let number = state.pushed;
        state.pushed += 1;
        state.jobs.push_back((number, job));
        drop(state);
        self.changed.notify_all();
    }

    /// The next result, once it is there; none if there are at most so many jobs without one that
    /// was taken, and it is not ready.
    pub(crate) fn next(&self, tolerated: u64) -> Option<R> {
        let mut state = self.state();
        loop {
            let number = state.taken;
            if let Some(result) = state.results.remove(&number) {
                state.taken += 1;
                drop(state);
                return Some(result.unwrap_or_else(|panic| resume_unwind(panic)));
            }
            if state.pushed - state.taken <= tolerated {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self, mut work: impl FnMut(J) -> R) {
        let mut state = self.state();
        while !state.is_closed {
            let Some((number, job)) = state.jobs.pop_front() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            // Or who waits for the result would wait for ever.
            let result = catch_unwind(AssertUnwindSafe(|| work(job)));
            state = self.state();
            state.results.insert(number, result);
            self.changed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State<J, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_jobs() {
        let work = |slow: &mut u64, job: u64| {
            // Later ones are ready earlier.
            thread::sleep(Duration::from_micros((job * 7919 + *slow) % 300));
            job * job
        };
        let found = in_order(vec![0, 100, 200], work, |queue| {
            let queue = queue.unwrap();
            let mut found = Vec::new();
            for job in 0..500 {
                queue.push(job);
                while let Some(result) = queue.next(5) {
                    found.push(result);
                }
                assert!(job as usize + 1 - found.len() <= 5);
            }
            while let Some(result) = queue.next(0) {
                found.push(result);
            }
            found
        });
        assert_eq!(found, (0..500).map(|job| job * job).collect::<Vec<u64>>());
    }

    #[test]
    fn without_workers_there_is_no_queue() {
        let work = |_: &mut (), job: u64| job;
        assert!(in_order(Vec::new(), work, |queue| queue.is_none()));
    }

    #[test]
    fn what_was_not_taken_is_left() {
        let work = |_: &mut (), job: u64| job;
        in_order(vec![()], work, |queue| (0..100).for_each(|job| queue.unwrap().push(job)));
    }

    #[test]
    fn a_panic_is_passed_on() {
        let work = |_: &mut (), job: u64| assert!(job != 5, "job 5");
        let panics = || {
            in_order(vec![(); 2], work, |queue| {
                let queue = queue.unwrap();
                (0..8).for_each(|job| queue.push(job));
                while queue.next(0).is_some() {}
            });
        };
        assert!(catch_unwind(panics).is_err());
    }
}
