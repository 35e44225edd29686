//! Samples and scores at 1 kHz in interrupts, while a task of lower priority learns in steps.
//!
//! | priority | what | interrupted by |
//! |---|---|---|
//! | 3 | `on_tick` takes a sample | nothing |
//! | 2 | `on_samples` scores: a window takes longer than a sample on a core without an FPU | samples |
//! | 1 | `learn` | everything |
//!
//! Scoring and learning exchange models as references, through two resources that are locked for the
//! time of a move. Nothing is copied while somebody waits, and there is no `unsafe`.
#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    use fan::simulated::{Fan, RECORDED, RUBBING, condition};
    use fan::{FanLearner, FanStream, Model, Sample, Sentry, Teacher, Window};
    use heapless::spsc::{Consumer, Producer, Queue};
    use rtic_fan::ticks::Ticks;
    use rtic_fan::{say, timer};
    use semihosting::process;

    /// Three faults and what follows them.
    const SAMPLES: u32 = 3 * RECORDED;
    /// How far scoring may fall behind sampling.
    const BEHIND: usize = 16;

    #[shared]
    struct Shared {
        /// A model for the sentry, and one on its way back.
        learned: Option<&'static mut Model>,
        spent: Option<&'static mut Model>,
        ticks: Ticks,
    }

    #[local]
    struct Local {
        sentry: Sentry<'static>,
        teacher: Teacher<'static>,
        sensor: Fan,
        to_sentry: Producer<'static, Sample>,
        samples: Consumer<'static, Sample>,
        to_teacher: Producer<'static, Window>,
        windows: Consumer<'static, Window>,
    }

    // RTIC makes a static of each of these, all in .bss.
    #[init(local = [
        models: [Model; 2] = [const { Model::new() }; 2],
        learner: FanLearner = FanLearner::new(),
        stream: FanStream = FanStream::new(),
        sample_queue: Queue<Sample, BEHIND> = Queue::new(),
        window_queue: Queue<Window, 8> = Queue::new(),
    ])]
    fn init(cx: init::Context) -> (Shared, Local) {
        let [first, second] = cx.local.models;
        let Ok(sentry) = Sentry::new(first, cx.local.stream) else { process::exit(1) };
        let teacher = Teacher::new(cx.local.learner, second);
        let (to_sentry, samples) = cx.local.sample_queue.split();
        let (to_teacher, windows) = cx.local.window_queue.split();
        timer::start_clock(cx.core.SYST);
        timer::start();
        let shared = Shared { learned: None, spent: None, ticks: Ticks::default() };
        let sensor = Fan::new();
        (shared, Local { sentry, teacher, sensor, to_sentry, samples, to_teacher, windows })
    }

    /// Takes a sample.
    #[task(binds = TIMER_0A, priority = 3, shared = [ticks], local = [sensor, to_sentry])]
    fn on_tick(mut cx: on_tick::Context) {
        timer::acknowledge();
        let time = cx.shared.ticks.lock(Ticks::tick);
        // Here the converter is read; a fan in an emulator has to be computed.
        let sample = cx.local.sensor.sample(condition(time % RECORDED));
        if cx.local.to_sentry.enqueue(sample).is_err() {
            cx.shared.ticks.lock(|ticks| ticks.missed += 1);
        }
        rtic::pend(lm3s6965::Interrupt::UART1);
    }

    /// Scores. Its interrupt is one that the chip does not use otherwise.
    #[task(binds = UART1, priority = 2, shared = [learned, spent, ticks], local = [sentry, samples, to_teacher])]
    fn on_samples(mut cx: on_samples::Context) {
        let sentry = cx.local.sentry;
        while let Some(sample) = cx.local.samples.dequeue() {
            if sentry.takes_a_model()
                && let Some(model) = cx.shared.learned.lock(Option::take)
            {
                let spent = sentry.set_model(model);
                cx.shared.spent.lock(|place| *place = Some(spent));
            }
            let began = timer::now();
            match sentry.on_sample(&sample) {
                Ok(None) => {}
                Ok(Some(window)) => {
                    cx.shared.ticks.lock(|ticks| ticks.scored(timer::since(began)));
                    // If the teacher is far behind, it learns from another window.
                    let _ = cx.local.to_teacher.enqueue(window);
                    // It may be at work already, and then sees the window anyway.
                    let _ = learn::spawn();
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Learns, and talks, as long as there is something to learn from.
    #[task(priority = 1, shared = [learned, spent, ticks], local = [teacher, windows, alarms: u32 = 0, models: u32 = 0])]
    async fn learn(mut cx: learn::Context) {
        let teacher = cx.local.teacher;
        while cx.local.windows.ready() || teacher.is_learning() {
            if let Some(spent) = cx.shared.spent.lock(Option::take) {
                teacher.take_back(spent);
            }
            if let Some(window) = cx.local.windows.dequeue() {
                if window.changed {
                    say!("{window}");
                    let up = window.outcome.is_some_and(|outcome| outcome.alarm.is_active());
                    *cx.local.alarms += u32::from(up);
                }
                if let Err(error) = teacher.on_window(&window) {
                    say!("{error}");
                }
            }
            match teacher.step() {
                Ok(None) => {}
                Ok(Some(model)) => {
                    *cx.local.models += 1;
                    say!("learned model {}", cx.local.models);
                    cx.shared.learned.lock(|place| *place = Some(model));
                }
                Err(error) => say!("{error}"),
            }
            let ticks = cx.shared.ticks.lock(|ticks| *ticks);
            if ticks.seen >= SAMPLES {
                finish(ticks, *cx.local.alarms);
            }
        }
    }

    /// Says what has come of it.
    fn finish(ticks: Ticks, alarms: u32) -> ! {
        let faults = SAMPLES.div_ceil(RECORDED);
        let nanoseconds = |counts: u32| counts * (1_000_000_000 / timer::CLOCK);
        let (wait, window) = (nanoseconds(ticks.wait()), nanoseconds(ticks.window) / 1000);
        say!(
            "{} samples, {} missed; none waited for more than {wait} ns",
            ticks.seen,
            ticks.missed
        );
        say!("a window took up to {window} us");
        say!("{alarms} alarms for {faults} faults of {} ms", RUBBING.len());
        process::exit(if ticks.missed == 0 && alarms == faults { 0 } else { 1 })
    }
}
