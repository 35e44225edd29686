//! The best of several runs: what the work takes when nothing else disturbs it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;

/// Runs for at least this long, and at least this often.
const LONG_ENOUGH: Duration = Duration::from_millis(400);
const OFTEN_ENOUGH: usize = 5;

/// Milliseconds that `work` takes; `prepare` is not counted.
pub(crate) fn milliseconds<S, T>(
    mut prepare: impl FnMut() -> S,
    mut work: impl FnMut(S) -> Result<T>,
) -> Result<f64> {
    let (mut best, mut total) = (Duration::MAX, Duration::ZERO);
    let mut runs = 0;
    while total < LONG_ENOUGH || runs < OFTEN_ENOUGH {
        let state = prepare();
        let start = Instant::now();
        black_box(work(state)?);
        let took = start.elapsed();
        best = best.min(took);
        total += took;
        runs += 1;
    }
    Ok(best.as_secs_f64() * 1e3)
}
