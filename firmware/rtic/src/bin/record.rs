//! Records: sends every sample as a line of CSV, in the format that `mercer fit` reads.
//!
//! The interrupt samples, and the main program writes what it finds in the queue between the two; a
//! sample that had no room in it is counted, and fails the recording.
#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use fan::simulated::{Fan, RECORDED, condition};
    use fan::{HEADER, LONGEST_LINE, Sample, line};
    use heapless::spsc::{Consumer, Producer, Queue};
    use rtic_fan::timer;
    use semihosting::io::{Write, stdout};
    use semihosting::process;

    #[shared]
    struct Shared {
        lost: u32,
    }

    #[local]
    struct Local {
        to_desk: Producer<'static, Sample>,
        samples: Consumer<'static, Sample>,
        sensor: Fan,
        time: u32,
    }

    #[init(local = [queue: Queue<Sample, 64> = Queue::new()])]
    fn init(cx: init::Context) -> (Shared, Local) {
        let (to_desk, samples) = cx.local.queue.split();
        timer::start();
        (Shared { lost: 0 }, Local { to_desk, samples, sensor: Fan::new(), time: 0 })
    }

    #[task(binds = TIMER_0A, priority = 3, shared = [lost], local = [to_desk, sensor, time])]
    fn on_tick(mut cx: on_tick::Context) {
        timer::acknowledge();
        let sample = cx.local.sensor.sample(condition(*cx.local.time));
        *cx.local.time += 1;
        if cx.local.to_desk.enqueue(sample).is_err() {
            cx.shared.lost.lock(|lost| *lost += 1);
        }
    }

    #[idle(shared = [lost], local = [samples])]
    fn idle(mut cx: idle::Context) -> ! {
        let Ok(mut desk) = stdout() else { process::exit(1) };
        let _ = desk.write_all(HEADER.as_bytes());
        let _ = desk.write_all(b"\n");
        let mut written = 0;
        while written < RECORDED {
            let Some(sample) = cx.local.samples.dequeue() else { continue };
            let mut text = heapless::String::<LONGEST_LINE>::new();
            if line(&sample, &mut text).is_err() || desk.write_all(text.as_bytes()).is_err() {
                process::exit(1);
            }
            written += 1;
        }
        process::exit(cx.shared.lost.lock(|lost| *lost).min(1) as i32)
    }
}
