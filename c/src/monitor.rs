//! What must not be late: raw samples or readings in, verdicts and alarms out.

use mercer::detect::AlarmRule;
use mercer::detect::alarm::SAVED_SIZE;
use mercer::monitor::Outcome;
use mercer::{Alarm, AlarmConfig, AlarmState, Error};
#[cfg(raw)]
use mercer::{Monitor, Progress, signal};

#[cfg(raw)]
use crate::codes::MERCER_WORKING;
use crate::codes::{self, Code, MERCER_OK, MERCER_READING, returned};
use crate::config::INPUTS;
#[cfg(raw)]
use crate::config::{CHANNELS, FEATURES, HOP, Sample, WINDOW};
#[cfg(raw)]
use crate::detector::Detector;
use crate::detector::{CVerdict, DetectorMemory, Model};
use crate::foreign::{self, Object, Words};

/// How many `uint64_t` a monitor takes.
pub const MERCER_MONITOR_WORDS: usize = Words::of::<Sentry>();
/// How many bytes a saved alarm has.
pub const MERCER_ALARM_BYTES: usize = SAVED_SIZE;

/// Too early to judge: see `warm_up`.
pub const MERCER_WARM_UP: i32 = 0;
/// Nothing to report.
pub const MERCER_NORMAL: i32 = 1;
/// Readings are not as usual, and nobody has acknowledged it.
pub const MERCER_RAISED: i32 = 2;
/// Readings are not as usual, and somebody knows.
pub const MERCER_ACKNOWLEDGED: i32 = 3;
/// It is over, but nobody has acknowledged that it was there: see `latch`.
pub const MERCER_LATCHED: i32 = 4;

/// The alarm looks at a smoothed score.
pub const MERCER_SMOOTHED: u8 = 0;
/// The alarm counts unusual readings.
pub const MERCER_COUNT: u8 = 1;

/// A monitor: the window of raw samples, if there are any, and the alarm.
///
/// Memory for the library's own use; make it `static`.
#[repr(C)]
pub struct MonitorMemory {
    /// Not for use.
    pub words: [u64; MERCER_MONITOR_WORDS],
}

/// When the alarm is raised, and when it ends. mercer_alarm_default fills it in.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CAlarm {
    /// MERCER_SMOOTHED or MERCER_COUNT.
    pub rule: u8,
    /// If smoothed: how slowly the score is followed, 0 to 8.
    pub shift: u8,
    /// If smoothed: the end, in percent of the threshold, 1 to 100.
    pub end: u8,
    /// If counted: how many of the last readings count, 1 to 32.
    pub window: u8,
    /// If counted: raised when so many of them are unusual, 1 to `window`.
    pub raise: u8,
    /// If counted: over when at most so many of them are, less than `raise`.
    pub clear: u8,
    /// 1 if it does not end before it was acknowledged, else 0.
    pub latch: u8,
    /// How many readings after the start are not judged.
    pub warm_up: u16,
}

/// What has come of a reading.
#[repr(C)]
pub struct COutcome {
    /// Of this reading.
    pub verdict: CVerdict,
    /// What the alarm says after it: MERCER_NORMAL and so on.
    pub alarm: i32,
}

impl From<Outcome<f32>> for COutcome {
    fn from(outcome: Outcome<f32>) -> Self {
        Self { verdict: outcome.verdict.into(), alarm: number(outcome.alarm) }
    }
}

/// A state as C has it.
fn number(state: AlarmState) -> i32 {
    match state {
        AlarmState::WarmUp => MERCER_WARM_UP,
        AlarmState::Normal => MERCER_NORMAL,
        AlarmState::Raised => MERCER_RAISED,
        AlarmState::Acknowledged => MERCER_ACKNOWLEDGED,
        AlarmState::Latched => MERCER_LATCHED,
        _ => codes::MERCER_OTHER,
    }
}

impl CAlarm {
    fn config(self) -> Result<AlarmConfig, Code> {
        let Self { rule, shift, end, window, raise, clear, latch, warm_up } = self;
        let rule = match rule {
            MERCER_SMOOTHED => AlarmRule::Smoothed { shift, end },
            MERCER_COUNT => AlarmRule::Count { window, raise, clear },
            _ => return Err(codes::MERCER_PARAMETER),
        };
        if latch > 1 {
            return Err(codes::MERCER_PARAMETER);
        }
        Ok(AlarmConfig::DEFAULT.rule(rule).warm_up(warm_up).latch(latch == 1))
    }
}

/// What is made of raw samples.
#[cfg(raw)]
pub(crate) struct Recipe;

#[cfg(raw)]
impl signal::FrontEnd for Recipe {
    const FEATURES: &'static [signal::Feature] = FEATURES;
}

#[cfg(raw)]
pub(crate) type Samples = mercer::stream!(Recipe, Sample, CHANNELS, WINDOW, HOP);

/// The default configuration before its first reading.
const USUAL: Alarm<f32> = match Alarm::new(AlarmConfig::DEFAULT) {
    Ok(alarm) => alarm,
    Err(_) => panic!("the default is valid"),
};

struct Sentry {
    #[cfg(raw)]
    samples: Samples,
    watch: Watch,
}

/// All but the window, which is all zeros at first.
struct Watch {
    alarm: Alarm<f32>,
    /// The detector of the last reading, and its generation then: another one's scores do not mix
    /// with them.
    detector: Option<(usize, u32)>,
    /// Of the last error.
    culprit: Option<u16>,
}

impl Object for Sentry {
    const KIND: u32 = 0x4d72_4d00;
    type Memory = MonitorMemory;

    unsafe fn begin(place: *mut Self, _: bool) {
        let watch = Watch { alarm: USUAL, detector: None, culprit: None };
        // SAFETY: as the trait says.
        unsafe {
            #[cfg(raw)]
            (&raw mut (*place).samples).write(const { Samples::new() });
            (&raw mut (*place).watch).write(watch);
        }
    }
}

impl Watch {
    /// Scores of two detectors do not mix: to the alarm, another one is a gap.
    fn look_at(&mut self, model: &Model) {
        let now = (core::ptr::from_ref(model).addr(), model.generation);
        if self.detector.is_some_and(|before| before != now) {
            self.alarm.gap();
        }
        self.detector = Some(now);
    }

    /// The result as C has it; remembers the culprit.
    fn note<A>(&mut self, result: Result<A, Error>) -> Result<A, Code> {
        self.culprit = None;
        result.map_err(|error| {
            let (code, culprit) = codes::of(error);
            self.culprit = culprit.and_then(|culprit| u16::try_from(culprit).ok());
            code
        })
    }

    fn judge(&mut self, model: &Model, reading: &[f32; INPUTS]) -> Result<COutcome, Code> {
        self.look_at(model);
        let scored = model.detector.score(reading);
        if scored.is_err() {
            self.alarm.missing();
        }
        let verdict = self.note(scored)?;
        let alarm = number(self.alarm.update(&verdict));
        Ok(COutcome { verdict: verdict.into(), alarm })
    }
}

/// A reading is complete, with a verdict on it if there is a detector.
#[cfg(raw)]
type Done = Option<Outcome<f32>>;

#[cfg(raw)]
impl Sentry {
    /// Lets a library's monitor, of which this has the parts, do something.
    fn with<A>(
        &mut self,
        model: &Model,
        work: impl FnOnce(&mut Monitor<&Detector, &mut Samples>) -> Result<A, Error>,
    ) -> Result<A, Code> {
        let Self { samples, watch } = self;
        watch.look_at(model);
        let mut monitor = Monitor::with_alarm(&model.detector, samples, watch.alarm);
        let done = work(&mut monitor);
        watch.alarm = *monitor.alarm();
        watch.note(done)
    }

    fn take(
        &mut self,
        model: Option<&Model>,
        sample: &[Sample; CHANNELS],
    ) -> Result<Progress, Code> {
        match model {
            Some(model) => self.with(model, |monitor| monitor.take(sample)),
            None => {
                let taken = self.samples.take(sample);
                self.watch.note(taken)
            }
        }
    }

    /// `None` as long as there is more to do.
    fn step(&mut self, model: Option<&Model>) -> Result<Option<Done>, Code> {
        match model {
            Some(model) => self.with(model, |monitor| monitor.step().map(|done| done.map(Some))),
            None => {
                let stepped = self.samples.step();
                Ok(match self.watch.note(stepped)? {
                    Progress::Working => None,
                    Progress::Done => Some(None),
                })
            }
        }
    }

    fn push(
        &mut self,
        model: Option<&Model>,
        sample: &[Sample; CHANNELS],
    ) -> Result<Option<Done>, Code> {
        if self.take(model, sample)? == Progress::Done {
            return Ok(None);
        }
        let mut done = None;
        for _ in 0..self.samples.left() {
            done = self.step(model)?;
        }
        Ok(done)
    }
}

/// The usual configuration of the alarm.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_alarm_default(alarm: *mut CAlarm) -> i32 {
    if alarm.is_null() {
        return codes::MERCER_NULL;
    }
    let AlarmConfig { rule, warm_up, latch, .. } = AlarmConfig::DEFAULT;
    let mut usual = CAlarm {
        rule: MERCER_SMOOTHED,
        shift: 0,
        end: 0,
        window: 5,
        raise: 3,
        clear: 1,
        latch: latch.into(),
        warm_up,
    };
    if let AlarmRule::Smoothed { shift, end } = rule {
        (usual.shift, usual.end) = (shift, end);
    }
    // SAFETY: as C promises.
    returned(unsafe { foreign::give(alarm, usual) }.map(|()| MERCER_OK))
}

/// Initialises a monitor with an alarm or, if that is NULL, with the usual one. `size` is its
/// `sizeof`, `build` MERCER_BUILD.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_init(
    monitor: *mut MonitorMemory,
    size: usize,
    build: u32,
    alarm: *const CAlarm,
) -> i32 {
    let begin = || {
        // SAFETY: as C promises.
        let config = match unsafe { foreign::given(alarm)? } {
            Some(alarm) => alarm.config()?,
            None => AlarmConfig::DEFAULT,
        };
        let alarm = Alarm::new(config).map_err(crate::detector::code)?;
        // SAFETY: as C promises.
        let sentry = unsafe { foreign::begin::<Sentry>(monitor, size, build)? };
        sentry.watch.alarm = alarm;
        Ok(MERCER_OK)
    };
    returned(begin())
}

/// Takes a raw sample of MERCER_CHANNELS numbers and does all work that it leads to.
///
/// Returns MERCER_READING if it completes a window, else MERCER_OK. `detector` is NULL while there
/// is none: then there are readings to learn from, but no verdicts. `outcome`, which may be NULL,
/// is written with a verdict only.
///
/// # Safety
/// As C promises.
#[cfg(raw)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_push(
    monitor: *mut MonitorMemory,
    detector: *const DetectorMemory,
    sample: *const Sample,
    channels: usize,
    outcome: *mut COutcome,
) -> i32 {
    let push = || {
        // SAFETY: as C promises.
        let (sentry, model, sample) = unsafe {
            (
                foreign::object::<Sentry>(monitor)?,
                perhaps(detector)?,
                foreign::array(sample, channels)?,
            )
        };
        match sentry.push(model, &sample)? {
            None => Ok(MERCER_OK),
            // SAFETY: as C promises.
            Some(done) => unsafe { finish(done, outcome) },
        }
    };
    returned(push())
}

/// Takes a raw sample and does nothing else: MERCER_WORKING if there is work for
/// mercer_monitor_step, which has the time until the next sample for it.
///
/// # Safety
/// As C promises.
#[cfg(raw)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_take(
    monitor: *mut MonitorMemory,
    detector: *const DetectorMemory,
    sample: *const Sample,
    channels: usize,
) -> i32 {
    let take = || {
        // SAFETY: as C promises.
        let (sentry, model, sample) = unsafe {
            (
                foreign::object::<Sentry>(monitor)?,
                perhaps(detector)?,
                foreign::array(sample, channels)?,
            )
        };
        match sentry.take(model, &sample)? {
            Progress::Done => Ok(MERCER_OK),
            Progress::Working => Ok(MERCER_WORKING),
        }
    };
    returned(take())
}

/// Does a piece of the work on a window: MERCER_WORKING while there is more, MERCER_READING with
/// the last piece, MERCER_OK if there was none. As mercer_monitor_push otherwise.
///
/// # Safety
/// As C promises.
#[cfg(raw)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_step(
    monitor: *mut MonitorMemory,
    detector: *const DetectorMemory,
    outcome: *mut COutcome,
) -> i32 {
    let step = || {
        // SAFETY: as C promises.
        let (sentry, model) = unsafe { (foreign::object::<Sentry>(monitor)?, perhaps(detector)?) };
        if sentry.samples.left() == 0 {
            return Ok(MERCER_OK);
        }
        match sentry.step(model)? {
            None => Ok(MERCER_WORKING),
            // SAFETY: as C promises.
            Some(done) => unsafe { finish(done, outcome) },
        }
    };
    returned(step())
}

/// A detector, or none.
///
/// # Safety
/// As C promises.
#[cfg(raw)]
unsafe fn perhaps<'a>(detector: *const DetectorMemory) -> Result<Option<&'a Model>, Code> {
    if detector.is_null() {
        return Ok(None);
    }
    // SAFETY: as C promises.
    unsafe { foreign::shared::<Model>(detector).map(Some) }
}

/// Hands over what has come of a window.
///
/// # Safety
/// As C promises.
#[cfg(raw)]
unsafe fn finish(done: Done, outcome: *mut COutcome) -> Result<Code, Code> {
    if let Some(done) = done {
        // SAFETY: as C promises.
        unsafe { foreign::give(outcome, done.into())? };
    }
    Ok(MERCER_READING)
}

/// Copies the reading of the last window, MERCER_INPUTS numbers: to learn from, or to blame.
///
/// # Safety
/// As C promises.
#[cfg(raw)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_reading(
    monitor: *const MonitorMemory,
    reading: *mut f32,
    inputs: usize,
) -> i32 {
    let copy = || {
        // SAFETY: as C promises.
        let sentry = unsafe { foreign::shared::<Sentry>(monitor)? };
        if reading.is_null() {
            return Err(codes::MERCER_NULL);
        }
        if inputs != INPUTS {
            return Err(codes::MERCER_LENGTH);
        }
        let found = sentry.samples.reading().ok_or(codes::MERCER_NO_READING)?;
        // SAFETY: as C promises.
        unsafe { foreign::give(reading.cast(), *found)? };
        Ok(MERCER_OK)
    };
    returned(copy())
}

/// Takes a reading that was made elsewhere, of MERCER_INPUTS numbers: verdict and alarm. A reading
/// that is an error counts as missing, which neither raises the alarm nor ends it.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_judge(
    monitor: *mut MonitorMemory,
    detector: *const DetectorMemory,
    reading: *const f32,
    inputs: usize,
    outcome: *mut COutcome,
) -> i32 {
    let judge = || {
        // SAFETY: as C promises.
        let (sentry, model, reading) = unsafe {
            (
                foreign::object::<Sentry>(monitor)?,
                foreign::shared::<Model>(detector)?,
                foreign::reading(reading, inputs)?,
            )
        };
        let done = sentry.watch.judge(model, &reading)?;
        // SAFETY: as C promises.
        unsafe { foreign::give(outcome, done)? };
        Ok(MERCER_READING)
    };
    returned(judge())
}

/// Samples or readings are missing here, or the machine stood still: window and alarm start afresh,
/// and a window that was taken but not worked on is dropped. Returns the state of the alarm, or an
/// error.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_gap(monitor: *mut MonitorMemory) -> i32 {
    // SAFETY: as C promises.
    let sentry = unsafe { foreign::object::<Sentry>(monitor) };
    returned(sentry.map(|sentry| {
        #[cfg(raw)]
        sentry.samples.gap();
        number(sentry.watch.alarm.gap())
    }))
}

/// What the alarm says: MERCER_NORMAL and so on, or an error.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_alarm(monitor: *const MonitorMemory) -> i32 {
    // SAFETY: as C promises.
    let sentry = unsafe { foreign::shared::<Sentry>(monitor) };
    returned(sentry.map(|sentry| number(sentry.watch.alarm.state())))
}

/// How many readings in a row were missing, up to 65535, or an error. While it grows nothing is
/// watched: a sensor is broken.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_absent(monitor: *const MonitorMemory) -> i32 {
    // SAFETY: as C promises.
    let sentry = unsafe { foreign::shared::<Sentry>(monitor) };
    returned(sentry.map(|sentry| sentry.watch.alarm.absent().into()))
}

/// Somebody has seen the alarm. Returns its state, or an error.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_acknowledge(monitor: *mut MonitorMemory) -> i32 {
    // SAFETY: as C promises.
    let sentry = unsafe { foreign::object::<Sentry>(monitor) };
    returned(sentry.map(|sentry| number(sentry.watch.alarm.acknowledge())))
}

/// Which input or channel the last error of this monitor is about, counted from 0; -1 if about
/// none, and for no monitor.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_culprit(monitor: *const MonitorMemory) -> i32 {
    // SAFETY: as C promises.
    let sentry = unsafe { foreign::shared::<Sentry>(monitor) };
    sentry.map_or(-1, |sentry| codes::number(sentry.watch.culprit.map(usize::from)))
}

/// Writes the alarm to `bytes`, MERCER_ALARM_BYTES of them: for memory that survives a reset.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_save_alarm(
    monitor: *const MonitorMemory,
    bytes: *mut u8,
    room: usize,
) -> i32 {
    let save = || {
        // SAFETY: as C promises.
        let (sentry, room) =
            unsafe { (foreign::shared::<Sentry>(monitor)?, foreign::room(bytes, room)?) };
        let to = room.first_chunk_mut().ok_or(codes::MERCER_NO_ROOM)?;
        *to = sentry.watch.alarm.save();
        Ok(MERCER_OK)
    };
    returned(save())
}

/// After a reset: goes on with an alarm as it was saved. It is what it was if that fails.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_monitor_load_alarm(
    monitor: *mut MonitorMemory,
    bytes: *const u8,
    length: usize,
) -> i32 {
    let load = || {
        // SAFETY: as C promises.
        let (sentry, bytes) =
            unsafe { (foreign::object::<Sentry>(monitor)?, foreign::bytes(bytes, length)?) };
        let saved = bytes.first_chunk().ok_or(codes::MERCER_TRUNCATED)?;
        let config = *sentry.watch.alarm.config();
        sentry.watch.alarm = Alarm::restore(config, saved).map_err(|error| match error {
            Error::Parameter { .. } => codes::MERCER_OTHER_ALARM,
            other => codes::of(other).0,
        })?;
        Ok(MERCER_OK)
    };
    returned(load())
}
