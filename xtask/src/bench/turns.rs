//! Who works when: firmware on as many processors as there are, libraries one after the other, and
//! nobody any more once somebody has failed.

use std::fmt;
use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::{Error, Result, anyhow};

/// Shared by all threads.
pub(crate) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
    library: Mutex<()>,
}

struct State {
    /// Processors without work.
    free: usize,
    stopped: bool,
}

/// Why a job was not begun: another has failed, and says why.
#[derive(Debug)]
struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another job has failed")
    }
}

impl std::error::Error for Stopped {}

/// A processor, until this is dropped.
struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        locked(&self.0.state).free += 1;
        self.0.changed.notify_one();
    }
}

impl Turns {
    /// For the processors of this machine.
    pub(crate) fn here() -> Turns {
        Turns::of(thread::available_parallelism().map_or(1, NonZero::get))
    }

    fn of(processors: usize) -> Turns {
        let state = Mutex::new(State { free: processors, stopped: false });
        Turns { state, changed: Condvar::new(), library: Mutex::new(()) }
    }

    /// Gives each job a thread, which may wait for its turn; the results are in order.
    pub(crate) fn each<J: Send, T: Send>(
        &self,
        jobs: Vec<J>,
        work: impl Fn(J) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let work = |job| work(job).inspect_err(|_| self.stop());
        let results: Vec<Result<T>> = thread::scope(|scope| {
            let start = |job| scope.spawn(|| work(job));
            let started: Vec<_> = jobs.into_iter().map(start).collect();
            let panicked = |_| Err(anyhow!("a worker has panicked"));
            started.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
        });
        let (done, failed): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        match most_telling(failed.into_iter().filter_map(Result::err)) {
            Some(error) => Err(error),
            None => done.into_iter().collect(),
        }
    }

    /// Waits for a processor to work on.
    pub(crate) fn on_a_processor<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let waits = |state: &mut State| state.free == 0 && !state.stopped;
        let state = self.changed.wait_while(locked(&self.state), waits);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.stopped {
            return Err(Stopped.into());
        }
        state.free -= 1;
        drop(state);
        let _turn = Turn(self);
        work()
    }

    /// Waits until no other library is built. It would wait for cargo's lock anyhow; cargo finds
    /// processors for itself, so that libraries never queue behind firmware.
    pub(crate) fn alone<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let _alone = locked(&self.library);
        if locked(&self.state).stopped {
            return Err(Stopped.into());
        }
        work()
    }

    fn stop(&self) {
        locked(&self.state).stopped = true;
        self.changed.notify_all();
    }
}

/// A thread that panics holds nothing half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The failure itself, rather than what it has stopped.
fn most_telling(errors: impl Iterator<Item = Error>) -> Option<Error> {
    errors.min_by_key(|error| error.is::<Stopped>())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_more_work_at_once_than_there_are_processors() {
        let (turns, busy) = (Turns::of(2), AtomicUsize::new(0));
        let work = |job: usize| {
            turns.on_a_processor(|| {
                let others = busy.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(1));
                busy.fetch_sub(1, Ordering::SeqCst);
                assert!(others < 2);
                Ok(job)
            })
        };
        let jobs: Vec<usize> = (0..20).collect();
        assert_eq!(turns.each(jobs.clone(), work).unwrap(), jobs);
    }

    #[test]
    fn a_failure_stops_the_others_and_is_what_one_hears_of() {
        let (turns, begun) = (Turns::of(1), AtomicUsize::new(0));
        let inner = |_| {
            turns.on_a_processor(|| -> Result<()> {
                begun.fetch_add(1, Ordering::SeqCst);
                Err(anyhow!("the reason"))
            })
        };
        let error = turns.each(vec![(); 2], |()| turns.each(vec![(); 4], inner)).unwrap_err();
        assert_eq!(error.to_string(), "the reason");
        // The next one may get the processor before the failure is known.
        assert!(begun.load(Ordering::SeqCst) < 8);
        assert!(turns.alone(|| Ok(())).unwrap_err().is::<Stopped>());
    }
}
