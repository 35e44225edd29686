//! One value for firmware: raw samples in, verdicts and alarms out.
//!
//! [`Monitor`] has an example.
//!
//! # Bad samples, and gaps
//! A sample that is not finite is an error, [`Error::Channel`]; the window and the operators start
//! afresh, and the alarm counts a [missing](Alarm::missing) reading, which neither raises nor ends
//! it. As long as such samples keep coming there are no verdicts: watch the errors, or
//! [`absent`](Alarm::absent). After a [`gap`](Monitor::gap) the alarm starts afresh as well. What
//! becomes of channels that hang is said at [`Stream`](crate::signal::Stream).
//!
//! # The longest call
//! [`push`](Monitor::push) does all the work of a window at its last sample. Where samples come
//! faster than that, [`take`](Monitor::take) stores them in an interrupt's time, and
//! [`step`](Monitor::step) does the work in pieces, none longer than the features of one channel
//! or, last, operators, score and alarm together. They have the time of one sample: one that is
//! taken while work is left finishes it first, so that no window is ever lost.
//!
//! # Handing over a detector
//! One that is a `static` in flash is scored with at any priority, from as many places as one
//! likes. One that is learned while samples come needs two owners: an interrupt that scores, and a
//! task that learns. They have a detector each, and exchange them as references through a cell that
//! is locked for a few instructions only; nothing is copied, neither waits for the other, and no
//! `unsafe` is needed:
//!
//! ```
//! use core::cell::Cell;
//! use critical_section::Mutex;
//! use mercer::GaussianDetector;
//!
//! type Model = GaussianDetector<6, 16, 8>;
//! type Mailbox = Mutex<Cell<Option<&'static mut Model>>>;
//! /// From the task to the interrupt, and the one that it used before on its way back.
//! static LEARNED: Mailbox = Mutex::new(Cell::new(None));
//! static SPENT: Mailbox = Mutex::new(Cell::new(None));
//!
//! fn put(mailbox: &Mailbox, model: &'static mut Model) {
//!     critical_section::with(|cs| mailbox.borrow(cs).set(Some(model)));
//! }
//! fn take(mailbox: &Mailbox) -> Option<&'static mut Model> {
//!     critical_section::with(|cs| mailbox.borrow(cs).take())
//! }
//!
//! # use mercer::kernel::Rbf;
//! # use mercer::signal::{Feature, FrontEnd};
//! # use mercer::{Error, GaussianLearner, Monitor, Progress, Recipe};
//! # struct Pump;
//! # impl FrontEnd for Pump {
//! #     const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::LogMad];
//! # }
//! # type PumpStream = mercer::stream!(Pump, f32, 2, 32, 16);
//! # type PumpLearner = GaussianLearner<6, 64, 16, 8>;
//! /// In the interrupt, whose monitor has its detector as a `&'static mut Model`.
//! fn on_sample(
//!     monitor: &mut Monitor<&'static mut Model, &'static mut PumpStream>,
//!     sample: &[f32; 2],
//! ) -> Result<(), Error> {
//!     if let Some(learned) = take(&LEARNED) {
//!         put(&SPENT, monitor.set_detector(learned));
//!     }
//!     monitor.push(sample)?;
//!     Ok(())
//! }
//!
//! /// In the task: `spare` is the detector that the interrupt does not have.
//! fn learn(learner: &mut PumpLearner, spare: &'static mut Model) -> Result<(), Error> {
//!     learner.begin(Rbf::for_inputs(6), Recipe::default())?;
//!     while learner.step()? == Progress::Working {}
//!     learner.swap_detector(spare)?;
//!     put(&LEARNED, spare); // and some time later, `take(&SPENT)` is the next spare one
//!     Ok(())
//! }
//! # fn leaked<T>(value: T) -> &'static mut T { Box::leak(Box::new(value)) }
//! # let mut learner = PumpLearner::new();
//! # for t in 0..64_u16 {
//! #     learner.push(&core::array::from_fn(|i| (f32::from(t) * 0.7).sin() + f32::from(t * i as u16 % 7)))?;
//! # }
//! # let mut monitor = Monitor::new(leaked(Model::new()), leaked(PumpStream::new()));
//! # learn(&mut learner, leaked(Model::new()))?;
//! # assert!(!monitor.detector().model().is_fitted());
//! # on_sample(&mut monitor, &[0.0, 1.0])?;
//! # assert!(monitor.detector().model().is_fitted());
//! # assert!(take(&LEARNED).is_none() && take(&SPENT).is_some_and(|old| !old.model().is_fitted()));
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! `examples/handover.rs` is that in full, and `firmware/` has it in real interrupts: with RTIC the
//! mailboxes are two resources. Where a detector cannot move as a reference,
//! [`copy_from`](crate::Detector::copy_from) writes over the one that is in use, while that is
//! locked.
//!
//! In reading order:
//!
//! | module | holds |
//! |---|---|
//! | `widen` | [`FromReading`]: readings for detectors in `f32` and in `f64` |
//! | `lesson` | [`Lesson`]: raw samples for a [`Learner`](crate::Learner) or a [`LeanLearner`](crate::LeanLearner) |
//! | [`stored`] | a front end as bytes, in front of its detector |
//!
//! This room knows [`signal`](crate::signal) and [`detect`](crate::detect), which do not know each
//! other.

mod lesson;
pub mod stored;
mod widen;

pub use lesson::Lesson;
pub use widen::FromReading;

use crate::detect::{Alarm, AlarmConfig, AlarmState, Detect, Suspect, Verdict};
use crate::error::Error;
use crate::kernel::Vector;
use crate::progress::Progress;
use crate::signal::{Names, Source};

/// What has come of a window: the verdict on its reading, and the state of the alarm after it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Outcome<T> {
    /// Is this reading unusual, and how strange is it?
    pub verdict: Verdict<T>,
    /// What the alarm says, which looks at readings as they come.
    pub alarm: AlarmState,
}

/// A stream of raw samples, a detector in flash or RAM, and an alarm.
///
/// `D` is a reference to a [`Detector`](crate::Detector) or to a
/// [`QuantisedDetector`](crate::QuantisedDetector), or such a detector itself, on readings `X`:
/// arrays of `f32` as the stream makes them, or of `f64`. `S` is a
/// [`Stream`](crate::signal::Stream), or `&mut` one. References let both be a `static` that takes
/// no flash, and the monitor is then small: a few dozen bytes.
///
/// ```
/// use mercer::kernel::Rbf;
/// use mercer::monitor::Lesson;
/// use mercer::signal::{Feature, FrontEnd};
/// use mercer::{GaussianLearner, Monitor, Recipe};
///
/// struct Pump;
/// impl FrontEnd for Pump {
///     const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::LogMad];
///     const CHANNELS: &'static [&'static str] = &["flow", "pressure"];
/// }
/// /// 2 channels, windows of 32 samples, a new one every 16.
/// type PumpStream = mercer::stream!(Pump, f32, 2, 32, 16);
///
/// # let mut state = 1_u32;
/// # let mut noise = || {
/// #     state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
/// #     (state >> 8) as f32 / 16_777_216.0 - 0.5
/// # };
/// // In firmware both are a `static`.
/// let mut stream = PumpStream::new();
/// let mut learner = GaussianLearner::<{ PumpStream::INPUTS }, 64, 16, 8>::new();
/// let mut lesson = Lesson::new(&mut learner, &mut stream);
/// # let mut usual = |t: u32| [5.0 + 0.2 * noise(), 2.0 + (t as f32 * 0.8).sin() + 0.1 * noise()];
/// for t in 0..32 + 63 * 16 {
///     lesson.push(&usual(t))?;
/// }
/// lesson.gap(); // the pump is switched off
/// learner.learn(Rbf::for_inputs(PumpStream::INPUTS), Recipe::default())?;
///
/// let mut monitor = Monitor::new(learner.detector()?, &mut stream);
/// # let mut usual = |t: u32| [5.0 + 0.2 * noise(), 2.0 + (t as f32 * 0.8).sin() + 0.1 * noise()];
/// for t in 0..200 {
///     let [flow, pressure] = usual(t);
///     // After 100 samples the flow trembles.
///     let flow = if t < 100 { flow } else { 5.0 + 8.0 * (flow - 5.0) };
///     if let Some(outcome) = monitor.push(&[flow, pressure])? {
///         if outcome.alarm.is_active() {
///             let suspect = monitor.suspect()?;
///             let name = monitor.names().get(suspect.input).expect("an input has a name");
///             assert!(name.to_string().starts_with("flow_log"), "{name}");
///         }
///     }
/// }
/// assert!(monitor.alarm().state().is_active());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug)]
pub struct Monitor<D, S: Source, X: Vector = <S as Source>::Reading> {
    detector: D,
    source: S,
    alarm: Alarm<X::Scalar>,
    last: Option<Outcome<X::Scalar>>,
}

impl<D: Detect<X>, S: Source, X: FromReading<S::Reading>> Monitor<D, S, X> {
    /// Before the first sample, with the [default](AlarmConfig::DEFAULT) alarm.
    pub const fn new(detector: D, source: S) -> Self {
        Self::with_alarm(detector, source, Alarm::start(AlarmConfig::DEFAULT))
    }

    /// The same with an alarm of one's own, such as one that was [restored](Alarm::restore) after a
    /// reset of the device.
    pub const fn with_alarm(detector: D, source: S, alarm: Alarm<X::Scalar>) -> Self {
        Self { detector, source, alarm, last: None }
    }

    /// Takes a sample and does all work that it leads to. Returns nothing until there is a verdict.
    ///
    /// # Errors
    /// [`Error::Channel`] names the channel whose value cannot be used, [`Error::Query`] the input
    /// that cannot be scored; [`Error::NotFitted`]. The alarm takes note of a missing reading, and
    /// the next sample can be pushed.
    pub fn push(&mut self, sample: &S::Sample) -> Result<Option<Outcome<X::Scalar>>, Error> {
        match self.take(sample)? {
            Progress::Done => Ok(None),
            Progress::Working => self.finish(),
        }
    }

    /// Takes a sample and does nothing else; says whether there is work for
    /// [`step`](Self::step), which has the time until the next sample for it.
    ///
    /// If work is left from before, it is done first: no window is lost, but this call takes
    /// longer. What has come of it is the [last](Self::last) outcome.
    ///
    /// # Errors
    /// As [`push`](Self::push). The sample is taken also when the work left from before fails.
    pub fn take(&mut self, sample: &S::Sample) -> Result<Progress, Error> {
        let before = self.finish();
        let taken = self.source.take(sample);
        if taken.is_err() {
            self.alarm.missing();
        }
        before.and(taken)
    }

    /// Does a piece of the work that a complete window leads to; the last one returns the verdict.
    ///
    /// ```
    /// # use mercer::{Detect, Error, Monitor, Progress};
    /// # use mercer::monitor::FromReading;
    /// # use mercer::signal::Source;
    /// # fn show<D: Detect<X>, S: Source, X: FromReading<S::Reading>>(
    /// #     mut monitor: Monitor<D, S, X>, sample: &S::Sample) -> Result<(), Error> {
    /// // Where samples come:
    /// monitor.take(sample)?;
    /// // Where there is time:
    /// if monitor.left() > 0 {
    ///     if let Some(outcome) = monitor.step()? { /* tell somebody */ }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn step(&mut self) -> Result<Option<Outcome<X::Scalar>>, Error> {
        if self.source.left() == 0 {
            return Ok(None);
        }
        let judged = match self.source.step() {
            Ok(Progress::Working) => return Ok(None),
            Ok(Progress::Done) => self.judge(),
            Err(error) => Err(error),
        };
        match judged {
            Ok(Some(verdict)) => {
                let alarm = self.alarm.update(&verdict);
                self.last = Some(Outcome { verdict, alarm });
                Ok(self.last)
            }
            Ok(None) => Ok(None),
            Err(error) => {
                self.alarm.missing();
                Err(error)
            }
        }
    }

    /// The verdict on the reading, if operators do not wait for more.
    fn judge(&self) -> Result<Option<Verdict<X::Scalar>>, Error> {
        let Some(reading) = self.source.reading() else { return Ok(None) };
        X::with(reading, |x| self.detector.score(x)).map(Some)
    }

    /// Does all steps that are left.
    fn finish(&mut self) -> Result<Option<Outcome<X::Scalar>>, Error> {
        (0..self.source.left()).try_fold(None, |_, _| self.step())
    }

    /// How many [`step`](Self::step)s the work takes that is left.
    pub fn left(&self) -> usize {
        self.source.left()
    }

    /// Samples are missing here, the machine stood still, or another recording begins: window,
    /// operators and alarm start afresh, the latter [as it does](Alarm::gap). Returns its state.
    ///
    /// A window that is complete is judged before; if it cannot be, the alarm has missed it.
    pub fn gap(&mut self) -> AlarmState {
        let _ = self.finish();
        self.source.gap();
        self.alarm.gap()
    }

    /// Somebody has seen the alarm. Returns the state after it.
    pub const fn acknowledge(&mut self) -> AlarmState {
        self.alarm.acknowledge()
    }

    /// The input to blame for the last reading, and what it should have read;
    /// [`names`](Self::names) knows what it is called.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] if there is no [`reading`](Self::reading); else as
    /// [`Detect::suspect`].
    pub fn suspect(&self) -> Result<Suspect<X::Scalar>, Error> {
        X::with(self.last_reading()?, |x| self.detector.suspect(x))
    }

    /// Writes the projections of the last reading to the front of `room`, and returns them:
    /// features for a classifier; see [`Detect::project_into`].
    ///
    /// # Errors
    /// As [`suspect`](Self::suspect), and [`Error::Capacity`] for less room than there are
    /// components.
    pub fn project_into<'r>(&self, room: &'r mut [X::Scalar]) -> Result<&'r [X::Scalar], Error> {
        X::with(self.last_reading()?, |x| self.detector.project_into(x, room))
    }

    fn last_reading(&self) -> Result<&S::Reading, Error> {
        let needed = self.source.missing();
        self.source.reading().ok_or(Error::TooFewSamples { given: 0, needed })
    }

    /// The reading of the last window; none before the first, while one is worked on, and where
    /// operators wait for more.
    pub fn reading(&self) -> Option<&S::Reading> {
        self.source.reading()
    }

    /// What has come of the last reading that was judged.
    pub const fn last(&self) -> Option<Outcome<X::Scalar>> {
        self.last
    }

    /// What the numbers of a reading are called.
    pub fn names(&self) -> Names<'static> {
        self.source.names()
    }

    /// The alarm: its state, the smoothed score, what to [save](Alarm::save).
    pub const fn alarm(&self) -> &Alarm<X::Scalar> {
        &self.alarm
    }

    /// The stream.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// The detector.
    pub const fn detector(&self) -> &D {
        &self.detector
    }

    /// Goes on with another detector for the same stream, such as one that has learned since, and
    /// returns the one from before; see [handing over](self#handing-over-a-detector). To the alarm
    /// that is a [gap](Alarm::gap): scores of two detectors do not mix, and what somebody has to
    /// acknowledge stays.
    pub const fn set_detector(&mut self, detector: D) -> D {
        self.alarm.gap();
        core::mem::replace(&mut self.detector, detector)
    }
}
