//! Learns once, stores what it has learned, and watches.

use core::fmt::{Debug, Write};

use embedded_storage_async::nor_flash::NorFlash;
use fan::{FanLearner, FanStream, Memory, Model, Sentry, Teacher};
use static_cell::ConstStaticCell;

use crate::sampling::{EVENTS, Event, missed};

// All zeros: they take no flash.
static MODEL: ConstStaticCell<Model> = ConstStaticCell::new(Model::new());
static SPARE: ConstStaticCell<Model> = ConstStaticCell::new(Model::new());
static LEARNER: ConstStaticCell<FanLearner> = ConstStaticCell::new(FanLearner::new());
static STREAM: ConstStaticCell<FanStream> = ConstStaticCell::new(FanStream::new());

/// Watches for ever; learns first if there is no model, or `anew` is wished.
///
/// `show` is told what the alarm says, for a LED or a relay.
pub async fn watch<F: NorFlash<Error: Debug>>(
    mut storage: Memory<F>,
    anew: bool,
    log: &mut impl Write,
    mut show: impl FnMut(bool),
) -> ! {
    let model = MODEL.take();
    let stored = if anew { Ok(None) } else { storage.load(model).await };
    let mut teacher = match stored {
        Ok(Some(generation)) => {
            say(log, format_args!("model {generation} loaded"));
            None
        }
        other => {
            say(log, format_args!("learning: {other:?}"));
            Some(Teacher::new(LEARNER.take(), SPARE.take()))
        }
    };
    let Ok(mut sentry) = Sentry::new(model, STREAM.take()) else {
        panic!("the alarm's configuration is a constant");
    };
    let mut samples = 0_u32;
    loop {
        // A step of learning at a time, and samples come first.
        let busy = teacher.as_ref().is_some_and(Teacher::is_learning);
        let event = if busy { EVENTS.try_receive().ok() } else { Some(EVENTS.receive().await) };
        match event {
            Some(Event::Gap) => sentry.gap(),
            Some(Event::Sample(sample)) => {
                samples = samples.wrapping_add(1);
                let outcome = sentry.on_sample(&sample).and_then(|window| {
                    let Some(window) = window else { return Ok(()) };
                    show(sentry.alarm().is_active());
                    if window.changed {
                        let missed = missed();
                        say(log, format_args!("{window}\n{samples} samples, {missed} missed"));
                    }
                    teacher.as_mut().map_or(Ok(()), |teacher| teacher.on_window(&window))
                });
                if let Err(error) = outcome {
                    say(log, format_args!("{error}"));
                }
            }
            None => match teacher.as_mut().map(Teacher::step) {
                None | Some(Ok(None)) => {}
                Some(Err(error)) => say(log, format_args!("{error}")),
                Some(Ok(Some(model))) => {
                    let saved = storage.save(model).await;
                    say(log, format_args!("learned from {samples} samples, saved: {saved:?}"));
                    sentry.set_model(model);
                    teacher = None;
                }
            },
        }
    }
}

/// A log that nobody listens to is no reason to stop.
fn say(log: &mut impl Write, line: core::fmt::Arguments<'_>) {
    let _ = writeln!(log, "{line}");
}
