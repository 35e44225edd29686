//! Learning in little RAM.
//!
//! | | [`Learner`](crate::Learner) | [`LeanLearner`] |
//! |---|---|---|
//! | a sample takes | `8·D + 4·R + 17` bytes | `2·D + 13` |
//! | coordinates of samples in feature space | kept | found again when they are needed |
//! | instructions | | more: `docs/MEMORY.md` says how many |
//! | while it learns again | the old detector serves | there is none; if learning fails, it is gone |
//! | samples | bit for bit | to 1/2048 of a deviation |
//! | components of a refit | keep their signs, those that are others are named | – |
//! | kernel, numbers, scaling | any | Gaussian, `f32`, standardised |
//! | samples | any number | up to 512 |
//!
//! Everything else is the same code: folds, threshold, trimming, checks and warnings.

mod counted;
mod workspace;

use super::intake::{Intake, Kind, calm_around};
use super::roll::{self, Recordings, Turn};
use super::{AtMostOne, Replace};
use crate::Progress;
use crate::detect::learning::{LearnReport, Learning, Recipe};
use crate::detect::reading::Prepare;
use crate::detect::scaling::{Course, Scaling};
use crate::detect::{GaussianDetector, Threshold, Verdict};
use crate::error::{Error, require_capacity};
use crate::kernel::counts::{CountedRbf, Counts};
use crate::kernel::{Index, Kernel, Rbf};
use crate::kpca::landmark::{Recomputed, bring_near_first};
use crate::linalg::slices::{set, swap};
use counted::{counted, counted_anew, decoded, learn_step};
use workspace::Workspace;

/// Collects at most `N` samples of `D` inputs and learns a detector of at most `R` points and `P`
/// components from them, in about a third of the RAM of a [`GaussianLearner`].
///
/// ```
/// use mercer::kernel::Rbf;
/// use mercer::{LeanLearner, Progress, Recipe};
///
/// // In firmware: `static LEARNER: ConstStaticCell<…> = ConstStaticCell::new(LeanLearner::new());`
/// let mut learner = LeanLearner::<2, 64, 16, 8>::new();
/// let mut t = 0.0_f32;
/// while !learner.is_full() {
///     t += 0.37;
///     learner.push(&[t.sin(), t.cos() + 0.1 * (5.0 * t).sin()])?; // a reading of two sensors
/// }
/// learner.begin(Rbf::for_inputs(2), Recipe::default())?;
/// while learner.step()? == Progress::Working {
///     // feed the watchdog, poll the radio
/// }
/// assert!(learner.detector()?.score(&[0.0, 0.0])?.unusual);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// What it saves, and what that costs:
///
/// - A sample is kept as 16 bits an input. The range need not be known: it begins with the first
///   two readings, and doubles when one does not fit, at the price of one digit of those before.
///   With the scaling, samples become counts of 1/1024 of a deviation; later ones that are more
///   than 32 deviations off are refused by name. A glitch thousands of times as far off as anything
///   else leaves no digits for the rest: trimming, which would leave it out, then says so with
///   [`Fault::Outlier`](crate::error::Fault::Outlier); without trimming, the [report](Self::report)
///   names the input as blind. Best keep readings out that the sensor cannot mean.
/// - Coordinates in feature space are not kept. Learning takes several times the instructions,
///   in more steps, each of at most about `N` kernel evaluations; see `docs/MEMORY.md`.
/// - There is one detector. [`begin`](Self::begin) clears it, and when learning is refused or given
///   up, there is none. [Write](crate::Detector::write_to) it to flash before, to
///   [restore](Self::restore) it then, or [copy](crate::Detector::copy_from) it to another one if
///   readings are to be scored meanwhile. The scaling is kept, and so are the samples.
///
/// Inputs that are positive by nature should come as logarithms, as
/// [`LogStd`](crate::signal::Feature::LogStd) does. All other methods are those of
/// [`Learner`](crate::Learner), with the same checks.
///
/// [`GaussianLearner`]: crate::GaussianLearner
#[derive(Clone, Debug)]
pub struct LeanLearner<const D: usize, const N: usize, const R: usize, const P: usize> {
    /// The scaling of the detector says what the counts mean, also before there is a detector.
    samples: heapless::Vec<Counts<D>, N, u32>,
    turn: Turn,
    /// State of the generator behind `Replace::Random`.
    random: u32,
    recordings: Recordings<N>,
    intake: Intake<[f32; D]>,
    frozen: bool,
    /// The scaling was learned with a detector, and stays.
    scaled: bool,
    /// It stays after the last step: the report is made from it.
    job: AtMostOne<Job>,
    workspace: Workspace<N, R, P>,
    detector: GaussianDetector<D, R, P>,
}

// What it is for, checked whenever firmware is built; counters are larger on a host.
#[cfg(target_pointer_width = "32")]
const _: () = {
    assert!(LeanLearner::<12, 128, 24, 12>::SIZE <= 12_500);
    assert!(LeanLearner::<6, 64, 16, 8>::SIZE <= 5_000);
};

/// Learning that is under way, or complete.
#[derive(Clone, Debug)]
struct Job {
    kernel: CountedRbf,
    /// How far the scaling is learned; the first thing to do, if anything.
    scaling: AtMostOne<Course<f32>>,
    learning: Learning<CountedRbf, f32>,
    /// How many samples there were, and which was the oldest: those that a report names.
    samples: u32,
    oldest: u32,
    complete: bool,
}

impl<const D: usize, const N: usize, const R: usize, const P: usize> LeanLearner<D, N, R, P> {
    /// Bytes it occupies, its detector included.
    pub const SIZE: usize = size_of::<Self>();

    /// A learner without samples; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        const {
            assert!(D > 0 && N > 1 && R > 0 && P > 0, "a learner needs room");
            assert!(N <= Recomputed::<f32>::SAMPLES, "a lean learner has up to 512 samples");
        };
        Self {
            samples: heapless::Vec::new(),
            turn: Turn::FIRST,
            random: 0,
            recordings: Recordings::EMPTY,
            intake: Intake::EMPTY,
            frozen: false,
            scaled: false,
            job: heapless::Vec::new(),
            workspace: Workspace::EMPTY,
            detector: GaussianDetector::new(),
        }
    }

    /// Takes a sample. Before the first detector, one beyond the range of those before makes that
    /// larger: a pass over an input.
    ///
    /// # Errors
    /// [`Error::Query`] names an input that is not finite, or more than 32 deviations from the mean
    /// of the samples that the scaling was learned from; [`Error::Capacity`] says that the learner
    /// is full, [`Error::Learning`] that it must wait.
    pub fn push(&mut self, x: &[f32; D]) -> Result<(), Error> {
        self.require_idle()?;
        <Scaling<[f32; D]> as Prepare<[f32; D]>>::check(x)?;
        let place = self.samples.len();
        require_capacity("samples", place + 1, N)?;
        let scaling = &mut self.detector.scaling;
        let counts = match self.scaled {
            true => counted(x, scaling)?,
            false => counted_anew(x, scaling, &mut self.samples)?,
        };
        let pushed = self.samples.push(counts);
        debug_assert!(pushed.is_ok(), "there is room");
        self.recordings.note(place);
        self.intake.count_pushed();
        Ok(())
    }

    /// Says that the next reading does not follow the last one; see
    /// [`Learner::gap`](crate::Learner::gap).
    pub fn gap(&mut self) {
        self.recordings.interrupt();
        self.intake.interrupt();
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Is there no sample?
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Is there room for no other sample?
    pub fn is_full(&self) -> bool {
        self.samples.is_full()
    }

    /// The samples from the oldest to the newest, as they were taken but for rounding; the numbers
    /// of samples in errors and reports are their positions in this order.
    pub fn samples(&self) -> impl Iterator<Item = [f32; D]> {
        let n = self.samples.len();
        let in_order = (0..n).filter_map(move |age| self.samples.get(self.turn.place(age, n)));
        in_order.map(|counts| decoded(counts, &self.detector.scaling))
    }

    /// Begins to learn from the samples; the first time the scaling is learned, too. The detector
    /// is gone with that, if there was one.
    ///
    /// # Errors
    /// [`Error::Learning`], or whatever is wrong with the kernel, the recipe or the number of
    /// samples; a lean learner standardises, and takes no logarithms. The detector is what it was
    /// then.
    pub fn begin(&mut self, kernel: Rbf<f32>, recipe: Recipe<f32>) -> Result<(), Error> {
        self.require_idle()?;
        let kernel = CountedRbf::new(kernel);
        Kernel::<Counts<D>>::validate(&kernel)?;
        if !recipe.standardise {
            return Err(Error::Parameter { name: "standardise", rule: "true to learn in counts" });
        }
        <Scaling<[f32; D]> as Prepare<[f32; D]>>::check_logs(&recipe.logs)?;
        let n = self.samples.len();
        let order = (0..n).map(|age| self.turn.place(age, n) as u16);
        let (_, _, candidate) = self.detector.model.storage();
        let learning = Learning::start(recipe, order, &mut self.workspace.scratch(n, candidate))?
            .with_recordings(self.recordings.begins(&self.turn, n))?
            .with_refused(self.intake.refused());
        self.detector.model.clear();
        self.job.clear();
        let mut scaling = heapless::Vec::new();
        if !self.scaled {
            let _ = scaling.push(Course::default());
        }
        let (samples, oldest) = (n as u32, self.turn.oldest() as u32);
        let job = Job { kernel, scaling, learning, samples, oldest, complete: false };
        let pushed = self.job.push(job);
        debug_assert!(pushed.is_ok(), "none is under way");
        Ok(())
    }

    /// Goes on learning; [`Done`](Progress::Done) if none is under way. With the last step there is
    /// a detector.
    ///
    /// # Errors
    /// Those of [`Learner::step`](crate::Learner::step), and [`Error::Sample`] for one that is so
    /// far from all others that these cannot be told apart. Learning is given up then: there is no
    /// detector, and the samples are what they were.
    pub fn step(&mut self) -> Result<Progress, Error> {
        if !self.is_learning() {
            return Ok(Progress::Done);
        }
        // One function after the other, none inside of another: what they keep on the stack is not
        // there at the same time.
        match self.learn_scaling().and_then(|progress| match progress {
            Progress::Working => Ok(Progress::Working),
            Progress::Done => self.go_on(),
        }) {
            Ok(Progress::Working) => Ok(Progress::Working),
            Ok(Progress::Done) => {
                self.adopt();
                Ok(Progress::Done)
            }
            Err(error) => {
                self.give_up();
                Err(error.renumbered(|place| self.turn.age(place, self.samples.len())))
            }
        }
    }

    /// All steps in one go: for the host, and for firmware without a watchdog.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin) and [`step`](Self::step).
    pub fn learn(
        &mut self,
        kernel: Rbf<f32>,
        recipe: Recipe<f32>,
    ) -> Result<LearnReport<f32>, Error> {
        self.begin(kernel, recipe)?;
        while self.step()? == Progress::Working {}
        self.report().ok_or(Error::NotFitted)
    }

    /// Stops learning that is under way; there is no detector then.
    pub fn give_up(&mut self) {
        if self.is_learning() {
            self.job.clear();
        }
    }

    /// Is learning under way?
    pub fn is_learning(&self) -> bool {
        self.job.first().is_some_and(|job| !job.complete)
    }

    /// The detector.
    ///
    /// # Errors
    /// [`Error::NotFitted`] before learning was completed, and while it is under way.
    pub fn detector(&self) -> Result<&GaussianDetector<D, R, P>, Error> {
        if self.detector.model.is_fitted() { Ok(&self.detector) } else { Err(Error::NotFitted) }
    }

    /// What learning found, if it was completed and no other was begun since. It is made anew with
    /// each call: some 300 bytes on the stack of a device.
    pub fn report(&self) -> Option<LearnReport<f32>> {
        let job = self.job.first().filter(|job| job.complete)?;
        let (_, mut report) = job.learning.result()?;
        let (samples, oldest) = (job.samples as usize, job.oldest as usize);
        report.renumber(|place| roll::age(place, oldest, samples));
        Some(report)
    }

    /// Scores a reading; a normal one becomes a sample: in free room, or in place of another. See
    /// [`Learner::refresh`](crate::Learner::refresh).
    ///
    /// # Errors
    /// Those of [`Detector::score`](crate::Detector::score); there is no detector while it learns.
    pub fn refresh(&mut self, x: &[f32; D], replace: Replace) -> Result<Verdict<f32>, Error> {
        let verdict = self.detector()?.score(x)?;
        if self.frozen {
            return Ok(verdict);
        }
        let kind = Kind::of(&verdict, &self.detector.threshold);
        // After a restore the wish is not known.
        let wished = self.job.first().map(|job| job.learning.recipe().false_alarms.share());
        let calm = wished.map_or(4, |wished| wished.map_or(4, calm_around));
        let (now, waited) = self.intake.offer(x, kind, calm, N);
        if let Some(earlier) = waited {
            self.take(&earlier, replace);
        }
        if now {
            self.take(x, replace);
        }
        Ok(verdict)
    }

    /// From now on [`refresh`](Self::refresh) only scores.
    pub const fn freeze(&mut self) {
        self.frozen = true;
    }

    /// From now on [`refresh`](Self::refresh) takes samples again.
    pub const fn thaw(&mut self) {
        self.frozen = false;
    }

    /// Does [`refresh`](Self::refresh) only score?
    pub const fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Replaces the calibrated threshold until the next fit, e.g. by one that a service engineer
    /// has set.
    ///
    /// # Errors
    /// Those of [`Detector::set_threshold`](crate::Detector::set_threshold).
    pub fn set_threshold(&mut self, threshold: Threshold<f32>) -> Result<(), Error> {
        self.detector()?;
        self.detector.set_threshold(threshold)
    }

    /// Drops everything that was collected and learned, and thaws.
    pub fn forget(&mut self) {
        self.drop_samples();
        self.frozen = false;
        self.scaled = false;
        self.detector.clear();
    }

    /// After a reset: takes up a detector that was [written](crate::Detector::write_to) earlier.
    /// Samples are collected anew, by [`refresh`](Self::refresh) or [`push`](Self::push), before it
    /// can learn again. A frozen learner stays frozen.
    ///
    /// # Errors
    /// Those of [`Detector::read_from`](crate::Detector::read_from), and [`Error::Learning`];
    /// everything is as it was then.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.require_idle()?;
        self.detector.read_from(bytes)?;
        self.drop_samples();
        self.scaled = true;
        Ok(())
    }

    fn drop_samples(&mut self) {
        self.samples.clear();
        self.turn.clear();
        self.intake.clear();
        self.job.clear();
    }

    fn require_idle(&self) -> Result<(), Error> {
        if self.is_learning() { Err(Error::Learning) } else { Ok(()) }
    }

    /// Takes a reading as the newest sample; one that is out of range has no counts, and is left.
    fn take(&mut self, x: &[f32; D], replace: Replace) {
        let Ok(counts) = counted(x, &self.detector.scaling) else { return };
        let place = match self.samples.push(counts) {
            Ok(()) => self.samples.len() - 1,
            Err(counts) => {
                if replace == Replace::Random {
                    self.turn.bring_random_forward(&mut self.random, N, |a, b| {
                        swap(&mut self.samples, a, b);
                        self.recordings.swap(a, b);
                    });
                }
                let place = self.turn.replace_oldest(N);
                set(&mut self.samples, place, counts);
                place
            }
        };
        self.recordings.note(place);
    }

    /// One step of learning the scaling.
    #[inline(never)]
    fn learn_scaling(&mut self) -> Result<Progress, Error> {
        let Some(job) = self.job.first_mut() else { return Ok(Progress::Done) };
        let outliers = job.learning.recipe().trimmed(self.samples.len());
        let Some(course) = job.scaling.first_mut() else { return Ok(Progress::Done) };
        let scaling = &mut self.detector.scaling;
        if learn_step(course, outliers, scaling, &mut self.samples)? == Progress::Done {
            scaling.validate()?;
            job.scaling.clear();
        }
        Ok(Progress::Working)
    }

    /// One step of learning.
    #[inline(never)]
    fn go_on(&mut self) -> Result<Progress, Error> {
        let Some(Job { kernel, learning, .. }) = self.job.first_mut() else {
            return Ok(Progress::Done);
        };
        let (_, _, candidate) = self.detector.model.storage();
        let scratch = &mut self.workspace.scratch(self.samples.len(), candidate);
        learning.step(self.samples.as_slice(), |_| Ok(*kernel), scratch)
    }

    /// Completes the detector, whose weights are where they belong already.
    #[inline(never)]
    fn adopt(&mut self) {
        let Some(job) = self.job.first_mut() else { return };
        let Some((kernel, report)) = job.learning.result() else { return };
        let (samples, pivots) = (&self.samples, self.workspace.pivots(report.fit.points));
        let (place, points, mut expansion) = self.detector.model.storage();
        bring_near_first(kernel, samples.as_slice(), pivots, &mut expansion);
        points.clear();
        for point in pivots.iter().filter_map(|pivot| samples.get(pivot.at())) {
            let pushed = points.push(point.in_deviations());
            debug_assert!(pushed.is_ok(), "no more points than there is room for");
        }
        *place = Some(kernel.in_deviations());
        self.detector.remember();
        self.detector.threshold = report.threshold;
        (self.scaled, job.complete) = (true, true);
    }
}

impl<const D: usize, const N: usize, const R: usize, const P: usize> Default
    for LeanLearner<D, N, R, P>
{
    fn default() -> Self {
        Self::new()
    }
}
