//! Samples at 1 kHz and scores in an interrupt, while a task of lower priority learns in steps.
//!
//! The two exchange models as references, through two resources that are locked for the time of a
//! move: nothing is copied while the interrupt has to wait, and there is no `unsafe`.
#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    use fan::simulated::{Fan, RECORDED, RUBBING, condition};
    use fan::{FanLearner, FanStream, Model, Sentry, Teacher, Window};
    use heapless::spsc::{Consumer, Producer, Queue};
    use rtic_fan::ticks::Ticks;
    use rtic_fan::{say, timer};
    use semihosting::process;

    /// Three faults and what follows them.
    const SAMPLES: u32 = 3 * RECORDED;

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
        to_teacher: Producer<'static, Window>,
        windows: Consumer<'static, Window>,
        sensor: Fan,
    }

    // RTIC makes a static of each of these, all in .bss.
    #[init(local = [
        models: [Model; 2] = [const { Model::new() }; 2],
        learner: FanLearner = FanLearner::new(),
        stream: FanStream = FanStream::new(),
        queue: Queue<Window, 8> = Queue::new(),
    ])]
    fn init(cx: init::Context) -> (Shared, Local) {
        let [first, second] = cx.local.models;
        let Ok(sentry) = Sentry::new(first, cx.local.stream) else { process::exit(1) };
        let teacher = Teacher::new(cx.local.learner, second);
        let (to_teacher, windows) = cx.local.queue.split();
        timer::start_clock(cx.core.SYST);
        timer::start();
        let ticks = Ticks::default();
        let shared = Shared { learned: None, spent: None, ticks };
        (shared, Local { sentry, teacher, to_teacher, windows, sensor: Fan::new() })
    }

    /// Takes and scores a sample. Nothing has a higher priority.
    #[task(binds = TIMER_0A, priority = 3, shared = [learned, spent, ticks], local = [sentry, to_teacher, sensor])]
    fn on_tick(mut cx: on_tick::Context) {
        timer::acknowledge();
        let time = cx.shared.ticks.lock(|ticks| {
            ticks.begin();
            ticks.seen - 1
        });
        let sentry = cx.local.sentry;
        if sentry.takes_a_model()
            && let Some(model) = cx.shared.learned.lock(Option::take)
        {
            let spent = sentry.set_model(model);
            cx.shared.spent.lock(|place| *place = Some(spent));
        }
        // Here the converter is read; a fan in an emulator has to be computed.
        let sample = cx.local.sensor.sample(condition(time % RECORDED));
        match sentry.on_sample(&sample) {
            Ok(None) => {}
            Ok(Some(window)) => {
                // If the teacher is far behind, it learns from another window.
                let _ = cx.local.to_teacher.enqueue(window);
                // It may be at work already, and then sees the window anyway.
                let _ = learn::spawn();
            }
            Err(error) => panic!("{error}"),
        }
        cx.shared.ticks.lock(Ticks::end);
    }

    /// Learns, and talks, as long as there is something to learn from; the interrupt is never kept waiting by it.
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
        let microseconds = |counts: u32| counts / (timer::CLOCK / 1_000_000);
        let faults = SAMPLES.div_ceil(RECORDED);
        say!("{} samples, {} missed", ticks.seen, ticks.missed);
        say!("longest sample {} us, longest wait {} us", microseconds(ticks.longest), microseconds(ticks.latest));
        say!("{alarms} alarms for {faults} faults of {} ms", RUBBING.len());
        process::exit(if ticks.missed == 0 && alarms == faults { 0 } else { 1 })
    }
}
