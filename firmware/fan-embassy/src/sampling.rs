//! Samples of both axes a thousand times a second, whatever else goes on.

use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel::Channel;
use embassy_time::{Duration, Instant, Ticker};
use fan::Sample;
use portable_atomic::{AtomicU32, Ordering};

/// What comes from the converter.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// Both axes.
    Sample(Sample),
    /// Samples are missing here: on most chips nothing runs while flash is written.
    Gap,
}

/// From the sampling task to the other one; long enough for the longest step of learning.
pub static EVENTS: Channel<CriticalSectionRawMutex, Event, 256> = Channel::new();
static MISSED: AtomicU32 = AtomicU32::new(0);
const PERIOD: Duration = Duration::from_hz(fan::RATE as u64);

/// How many samples were due and not taken.
pub(crate) fn missed() -> u32 {
    MISSED.load(Ordering::Relaxed)
}

/// Samples for ever. Run it on an executor in an interrupt: scoring and learning, which take longer
/// than a millisecond on a small core, cannot delay it there.
pub async fn sample(mut read: impl AsyncFnMut() -> Option<Sample>) -> ! {
    let mut ticker = Ticker::every(PERIOD);
    let mut last = Instant::now();
    loop {
        ticker.next().await;
        let waited = last.elapsed();
        last = Instant::now();
        if waited >= 2 * PERIOD {
            miss((waited.as_ticks() / PERIOD.as_ticks()) as u32 - 1);
            ticker.reset();
        }
        match read().await {
            Some(sample) if EVENTS.try_send(Event::Sample(sample)).is_ok() => {}
            _ => miss(1),
        }
    }
}

fn miss(samples: u32) {
    MISSED.fetch_add(samples, Ordering::Relaxed);
    // Where there is no room for it, samples that have none follow until there is.
    let _ = EVENTS.try_send(Event::Gap);
}
