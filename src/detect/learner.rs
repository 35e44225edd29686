//! Learning on the device: samples in, a detector out, in fixed memory and bounded steps.

mod intake;
mod lean;
mod preparation;
mod pupil;
mod roll;
mod workspace;

pub use lean::LeanLearner;
pub use pupil::Pupil;

use crate::Progress;
use crate::detect::learning::{LearnReport, Learning, Recipe};
use crate::detect::logs::LogScaling;
use crate::detect::persist::{Encode, EncodeScaling};
use crate::detect::reading::{Prepare, PreparedSamples, Reading};
use crate::detect::{Detector, Threshold, Verdict};
use crate::error::{Error, require_capacity};
use crate::kernel::{BlockKernel, Kernel, Rbf};
use crate::kpca::Scalar;
use crate::linalg::eigen::{Eigensolver, TridiagonalQr};
use crate::linalg::slices::{head, set, swap, tail};
use intake::{Intake, Kind, calm_around};
use preparation::Preparation;
use roll::{Recordings, Turn};
use workspace::Workspace;

/// Which sample makes room for a new reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Replace {
    /// The one that was taken first: the samples follow slow changes of what is normal.
    #[default]
    Oldest,
    /// Any of them, with equal chance: what was normal fades rather than drops out, so that a state
    /// which is seen from time to time is not forgotten in between. Moves the older samples.
    Random,
}

/// Collects at most `N` samples and learns a detector of at most `R` points and `P` components from
/// them.
///
/// ```
/// use mercer::{Learner, Progress, Recipe};
/// use mercer::kernel::Rbf;
///
/// // In firmware: `static LEARNER: ConstStaticCell<…> = ConstStaticCell::new(Learner::new());`
/// let mut learner = Learner::<Rbf<f32>, [f32; 2], 64, 16, 8>::new();
/// let mut t = 0.0_f32;
/// while !learner.is_full() {
///     t += 0.37;
///     learner.push(&[t.sin(), t.cos() + 0.1 * (5.0 * t).sin()])?; // a reading of two sensors
/// }
/// learner.begin(Rbf::for_inputs(2), Recipe::default())?;
/// while learner.step()? == Progress::Working {
///     // feed the watchdog, poll the radio
/// }
/// let detector = learner.detector()?;
/// assert!(!detector.score(&[0.6, 0.8])?.unusual);
/// assert!(detector.score(&[0.0, 0.0])?.unusual); // each input is usual, together they are not
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// | method | before the first fit | later |
/// |---|---|---|
/// | [`push`](Learner::push) | collects raw samples | collects more, if there is room |
/// | [`begin`](Learner::begin), [`step`](Learner::step) | learn scaling, threshold and model | learn again; the old detector serves until the new one is complete |
/// | [`refresh`](Learner::refresh) | – | scores a reading, and lets a normal one become a sample |
/// | [`freeze`](Learner::freeze), [`thaw`](Learner::thaw) | – | whether `refresh` may change the samples |
/// | [`forget`](Learner::forget) | drops the samples | drops samples, scaling and detector |
/// | [`swap_detector`](Learner::swap_detector) | – | hands the detector over, and takes another one |
/// | [`restore`](Learner::restore) | takes up a stored detector, after a reset | replaces detector and scaling, drops the samples |
///
/// A refit keeps what projections mean as far as it can: the signs of the components are those of
/// the detector before, and components that are others now are
/// [reported](LearnReport::changed_components). That takes a step for each sample.
///
/// Samples stay what they were, bit for bit, whatever becomes of learning. The scaling is learned
/// with the first fit and then kept, so that scores before and after a refit stay comparable;
/// scaled samples are kept beside the raw ones.
///
/// # Memory
/// It is large: keep it in a `static`, and never clone it on a device. [`new`](Self::new) is const
/// and all zeros. At opt-level 3 the methods need less than 2 KiB of stack for up to 12 inputs and
/// 16 components of `f32` (measured); beyond that, a few copies of a reading and one of its
/// projection more. The other sizes do not matter.
///
/// More samples with the same points find more: `N` can be larger than `R` by far. Each takes `8·D`
/// bytes for `D` inputs in `f32` (raw and scaled), `4·R` and 17 more; the detector stays as it is:
///
/// ```
/// use mercer::GaussianLearner;
/// let few = GaussianLearner::<12, 128, 48, 24>::SIZE;
/// let many = GaussianLearner::<12, 512, 48, 24>::SIZE;
/// assert_eq!(many - few, 384 * (8 * 12 + 4 * 48 + 17));
/// ```
///
/// Where there is no RAM for them, the readings after learning can still set the threshold:
/// [`LaterReadings`](crate::detect::LaterReadings) takes a few numbers. `docs/EVALUATION.md` has
/// what either is worth on real data.
///
/// `E` is the [eigensolver](crate::linalg::eigen) of its fits;
/// [`Jacobi`](crate::linalg::eigen::Jacobi) needs `R²` numbers more.
#[derive(Clone, Debug)]
pub struct Learner<
    K,
    X,
    const N: usize,
    const R: usize,
    const P: usize,
    E = TridiagonalQr<Scalar<K, X>>,
    S = <X as Reading>::Scaling,
> where
    X: Reading,
    K: Kernel<X::View>,
    E: Eigensolver<Scalar<K, X>>,
    S: Prepare<X>,
{
    samples: heapless::Vec<X, N, u32>,
    /// The same as the model sees them, once the scaling is known.
    prepared: S::Room<N>,
    turn: Turn,
    /// State of the generator behind `Replace::Random`.
    random: u32,
    recordings: Recordings<N>,
    /// The detector came from elsewhere, perhaps with another scaling than the prepared samples.
    stale: bool,
    intake: Intake<X>,
    frozen: bool,
    job: UnderWay<K, X, E, S>,
    report: AtMostOne<LearnReport<Scalar<K, X>>>,
    workspace: Workspace<Scalar<K, X>, N, R, P, E>,
    detector: Detector<K, X, R, P, S>,
}

/// The usual case: a Gaussian kernel on `D` inputs in `f32`; at most `N` samples, `R` points and
/// `P` components.
pub type GaussianLearner<const D: usize, const N: usize, const R: usize, const P: usize> =
    Learner<Rbf<f32>, [f32; D], N, R, P>;

/// As [`GaussianLearner`], for readings with inputs that are [logarithmic](crate::detect::logs):
/// deviations, RMS values, energies.
///
/// ```
/// use mercer::detect::LogLearner;
/// use mercer::kernel::Rbf;
/// use mercer::Recipe;
/// # fn usual(t: u16) -> [f32; 2] {
/// #     let load = (f32::from(t) * 0.7).sin();
/// #     [20.0 + 3.0 * load, (load + 0.3 * f32::from(t).cos()).exp()]
/// # }
///
/// let mut learner = LogLearner::<2, 64, 16, 8>::new();
/// for t in 0..64 {
///     learner.push(&usual(t))?; // a temperature, and the strength of a vibration
/// }
/// learner.learn(Rbf::for_inputs(2), Recipe::default())?;
/// let detector = learner.detector()?;
/// assert!(detector.scaling().floor[0] == 0.0 && detector.scaling().floor[1] > 0.0);
/// assert!(detector.score(&[20.0, 0.0])?.unusual); // less than the floor counts as the floor
/// # Ok::<(), mercer::Error>(())
/// ```
pub type LogLearner<const D: usize, const N: usize, const R: usize, const P: usize> =
    Learner<Rbf<f32>, [f32; D], N, R, P, TridiagonalQr<f32>, LogScaling<[f32; D]>>;

/// Not an `Option`: its `None` may be any bit pattern, and a single byte that is not zero would
/// move the whole learner from `.bss` to `.data`, which takes as much flash again.
type AtMostOne<V> = heapless::Vec<V, 1, u32>;

type UnderWay<K, X, E, S> = AtMostOne<Job<K, Scalar<K, X>, E, <S as Prepare<X>>::Course>>;

/// Learning that is under way.
#[derive(Clone, Debug)]
struct Job<K, T, E, C> {
    kernel: K,
    recipe: Recipe<T>,
    preparation: Preparation<C>,
    learning: Learning<K, T, E>,
    /// How many samples the old and the new model have been compared on.
    compared: usize,
}

impl<K, X, const N: usize, const R: usize, const P: usize, E, S> Learner<K, X, N, R, P, E, S>
where
    X: Reading,
    K: BlockKernel<X::View> + Clone,
    E: Eigensolver<Scalar<K, X>>,
    S: Prepare<X>,
{
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// A learner without samples; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        const { assert!(N > 1 && R > 0 && P > 0, "a learner needs room") };
        Self {
            samples: heapless::Vec::new(),
            prepared: PreparedSamples::EMPTY,
            turn: Turn::FIRST,
            random: 0,
            recordings: Recordings::EMPTY,
            stale: false,
            intake: Intake::EMPTY,
            frozen: false,
            job: heapless::Vec::new(),
            report: heapless::Vec::new(),
            workspace: Workspace::EMPTY,
            detector: Detector::new(),
        }
    }

    /// Takes a sample; copies one reading.
    ///
    /// # Errors
    /// [`Error::Query`] names an input that is not finite, [`Error::Capacity`] says that the
    /// learner is full, [`Error::Learning`] that it must wait.
    pub fn push(&mut self, x: &X) -> Result<(), Error> {
        self.require_idle()?;
        S::check(x)?;
        let place = self.samples.len();
        let prepared = match self.detector.model.is_fitted() {
            true => Some(self.detector.prepared(x)?),
            false => None,
        };
        require_capacity("samples", place + 1, N)?;
        if let Some(prepared) = prepared {
            self.prepared.set(place, prepared);
        }
        let pushed = self.samples.push(x.clone());
        debug_assert!(pushed.is_ok(), "there is room");
        self.recordings.note(place);
        self.intake.count_pushed();
        Ok(())
    }

    /// Says that the next reading does not follow the last one: the machine was off, or another
    /// recording begins. Recordings are not cut when samples are dealt into
    /// [folds](crate::detect::FoldOrder::Contiguous), and nothing is taken for a neighbour of what
    /// was read before a gap.
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

    /// The samples from the oldest to the newest, as they were pushed; the numbers of samples in
    /// errors and reports are their positions in this order.
    pub fn samples(&self) -> impl Iterator<Item = &X> {
        let oldest = self.turn.oldest();
        let (newer, older) = (head(&self.samples, oldest), tail(&self.samples, oldest));
        older.iter().chain(newer)
    }

    /// Begins to learn from the samples, with or without a detector that is at work. The first time
    /// the scaling is learned, too: an input a step, or in trimming, in which outliers must not
    /// stretch it, one of the bounds of its range.
    ///
    /// # Errors
    /// [`Error::Learning`], or whatever is wrong with the recipe or the number of samples:
    /// [`Error::UnknownInput`] for one that is wished to be logarithmic and does not exist.
    pub fn begin(&mut self, kernel: K, recipe: Recipe<Scalar<K, X>>) -> Result<(), Error> {
        self.require_idle()?;
        kernel.validate()?;
        let n = self.samples.len();
        let order = (0..n).map(|age| self.turn.place(age, n) as u32);
        let learning = Learning::start(recipe, order, &mut self.workspace.scratch(n)?)?
            .with_recordings(self.recordings.begins(&self.turn, n))?
            .with_refused(self.intake.refused());
        let preparation = match self.detector.model.is_fitted() {
            true if self.stale => Preparation::Samples(0),
            true => Preparation::Complete,
            false if recipe.standardise => {
                S::check_logs(&recipe.logs)?;
                Preparation::Scaling(S::Course::default())
            }
            false => {
                self.detector.scaling = S::identity();
                Preparation::Samples(0)
            }
        };
        let pushed = self.job.push(Job { kernel, recipe, preparation, learning, compared: 0 });
        debug_assert!(pushed.is_ok(), "none is under way");
        Ok(())
    }

    /// Goes on learning; [`Done`](Progress::Done) if none is under way. Steps are even; a
    /// [`GaussianLearner`] has the longest as a constant, [`COST`](GaussianLearner::COST), and
    /// [`Learning`] says how much work a step is at the most. With the last step the new detector
    /// takes the place of the old one.
    ///
    /// # Errors
    /// What [`Learning::step`] refuses, and before that [`Error::NoLogarithm`] for an input that
    /// cannot be logarithmic; [`Error::Parameter`] names a `mean` or `deviation` that is not
    /// finite, and [`Error::Sample`] an input, because it is too large to be scaled. Learning is
    /// given up then: samples and detector are what they were before [`begin`](Self::begin).
    pub fn step(&mut self) -> Result<Progress, Error> {
        if self.job.is_empty() {
            return Ok(Progress::Done);
        }
        // One function after the other, none inside of another: what they keep on the stack is not
        // there at the same time.
        match self.prepare().and_then(|progress| match progress {
            Progress::Working => Ok(Progress::Working),
            Progress::Done => self.go_on(),
        }) {
            Ok(Progress::Working) => Ok(Progress::Working),
            Ok(Progress::Done) if self.compare() == Progress::Working => Ok(Progress::Working),
            Ok(Progress::Done) => self.adopt().map(|()| Progress::Done),
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
        kernel: K,
        recipe: Recipe<Scalar<K, X>>,
    ) -> Result<&LearnReport<Scalar<K, X>>, Error> {
        self.begin(kernel, recipe)?;
        while self.step()? == Progress::Working {}
        self.report.first().ok_or(Error::NotFitted)
    }

    /// Stops learning that is under way; the detector is the one from before.
    pub fn give_up(&mut self) {
        self.job.clear();
        if !self.detector.model.is_fitted() {
            self.detector.scaling = S::EMPTY;
        }
    }

    /// Is learning under way?
    pub fn is_learning(&self) -> bool {
        !self.job.is_empty()
    }

    /// The detector.
    ///
    /// # Errors
    /// [`Error::NotFitted`] before learning was completed once.
    pub fn detector(&self) -> Result<&Detector<K, X, R, P, S>, Error> {
        if self.detector.model.is_fitted() { Ok(&self.detector) } else { Err(Error::NotFitted) }
    }

    /// Exchanges the detector for another one, in place: how a finished detector leaves for an
    /// interrupt or another task, without a copy of it on the stack. See
    /// [handing over](crate::monitor#handing-over-a-detector).
    ///
    /// The learner goes on with what it was given: [`refresh`](Self::refresh) judges by that one,
    /// and the next [`begin`](Self::begin) keeps its scaling. Given one that has learned nothing,
    /// as the first time, the learner is as before its first fit, and keeps its samples; the next
    /// scaling is then another one. [`Detector::copy_from`] leaves the detector with both.
    ///
    /// # Errors
    /// [`Error::NotFitted`] if there is no detector to hand over, [`Error::Learning`] while another
    /// one is made; both detectors are what they were then.
    pub fn swap_detector(&mut self, other: &mut Detector<K, X, R, P, S>) -> Result<(), Error> {
        self.require_idle()?;
        self.detector()?;
        core::mem::swap(&mut self.detector, other);
        self.stale = true;
        Ok(())
    }

    /// What the last completed learning found.
    pub fn report(&self) -> Option<&LearnReport<Scalar<K, X>>> {
        self.report.first()
    }

    /// Scores a reading; a normal one becomes a sample: in free room, or in place of another.
    ///
    /// Normal is what is usual, and also the single unusual reading that comes up among usual ones
    /// from time to time: it becomes a sample a few readings later, if its score is no more than
    /// twice the threshold. A fault that lasts for more than a reading never enters, unless more
    /// than one normal reading in five is unusual by the recipe's own wish. The samples stay as
    /// they are while the learner is frozen or learning. Call [`begin`](Self::begin) from time to
    /// time to learn from what has changed.
    ///
    /// # Errors
    /// Those of [`Detector::score`].
    pub fn refresh(&mut self, x: &X, replace: Replace) -> Result<Verdict<Scalar<K, X>>, Error> {
        let verdict = self.detector()?.score(x)?;
        if self.frozen || self.is_learning() {
            return Ok(verdict);
        }
        let kind = Kind::of(&verdict, &self.detector.threshold);
        // After a restore the wish is not known.
        let calm = self.report.first().map_or(4, |report| calm_around(report.wished));
        let (now, waited) = self.intake.offer(x, kind, calm, N);
        if let Some(earlier) = waited {
            self.take(earlier, replace)?;
        }
        if now {
            self.take(x.clone(), replace)?;
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
    /// Those of [`Detector::set_threshold`].
    pub fn set_threshold(&mut self, threshold: Threshold<Scalar<K, X>>) -> Result<(), Error> {
        self.detector()?;
        self.detector.set_threshold(threshold)
    }

    /// Drops everything that was collected and learned, and thaws.
    pub fn forget(&mut self) {
        self.samples.clear();
        self.turn.clear();
        self.intake.clear();
        self.frozen = false;
        self.job.clear();
        self.report.clear();
        self.detector.clear();
    }

    fn require_idle(&self) -> Result<(), Error> {
        if self.is_learning() { Err(Error::Learning) } else { Ok(()) }
    }

    /// Takes a reading as the newest sample.
    fn take(&mut self, x: X, replace: Replace) -> Result<(), Error> {
        let prepared = self.detector.prepared(&x)?;
        let place = match self.samples.push(x) {
            Ok(()) => self.samples.len() - 1,
            Err(x) => {
                if replace == Replace::Random {
                    self.turn.bring_random_forward(&mut self.random, N, |a, b| {
                        swap(&mut self.samples, a, b);
                        self.recordings.swap(a, b);
                        self.prepared.swap(a, b);
                    });
                }
                let place = self.turn.replace_oldest(N);
                set(&mut self.samples, place, x);
                place
            }
        };
        self.prepared.set(place, prepared);
        self.recordings.note(place);
        Ok(())
    }

    /// One step of learning.
    #[inline(never)]
    fn go_on(&mut self) -> Result<Progress, Error> {
        let Job { kernel, learning, .. } = self.job.first_mut().ok_or(Error::NotFitted)?;
        let scratch = &mut self.workspace.scratch(self.samples.len())?;
        let samples = self.prepared.of(&self.samples);
        learning.step(samples, |_| Ok(kernel.clone()), scratch)
    }

    /// Compares the components of the new model with those of the old one, on one sample.
    #[inline(never)]
    fn compare(&mut self) -> Progress {
        let (Some(job), Ok(earlier)) = (self.job.first_mut(), self.detector.model.view()) else {
            return Progress::Done;
        };
        let Ok(mut scratch) = self.workspace.scratch(self.samples.len()) else {
            return Progress::Done;
        };
        let position = job.compared;
        job.compared += 1;
        let samples = self.prepared.of(&self.samples);
        let components = earlier.expansion().components();
        let project = |x: &X::View, room: &mut [Scalar<K, X>]| earlier.project(x, room).is_ok();
        job.learning.compare(position, samples, components, project, &mut scratch)
    }

    /// Makes the candidate the detector's model. A function of its own, so that the report is not
    /// on the stack during other steps.
    #[inline(never)]
    fn adopt(&mut self) -> Result<(), Error> {
        // Where it is, not taken out: it would be the largest value on the stack.
        let job = self.job.first().ok_or(Error::NotFitted)?;
        let (kernel, mut report) = job.learning.result().ok_or(Error::NotFitted)?;
        let n = self.samples.len();
        let scratch = self.workspace.scratch(self.samples.len())?;
        let samples = self.prepared.of(&self.samples);
        let points = scratch.points(&report).filter_map(|sample| samples.get(sample));
        let memos = head(scratch.landmark.values, job.learning.near());
        self.detector.model.replace(kernel.clone(), points, memos, scratch.candidate.view());
        self.detector.threshold = report.threshold;
        self.job.clear();
        report.renumber(|place| self.turn.age(place, n));
        self.report.clear();
        let pushed = self.report.push(report);
        debug_assert!(pushed.is_ok(), "there is room for one");
        Ok(())
    }
}

impl<K, X, const N: usize, const R: usize, const P: usize, E, S> Learner<K, X, N, R, P, E, S>
where
    X: Reading + Encode,
    K: BlockKernel<X::View, Scalar: Encode> + Clone + Encode,
    E: Eigensolver<Scalar<K, X>>,
    S: Prepare<X> + EncodeScaling,
{
    /// After a reset: takes up a detector that was [written](Detector::write_to) earlier. Samples
    /// are collected anew, by [`refresh`](Self::refresh) or [`push`](Self::push), before it can
    /// learn again. A frozen learner stays frozen.
    ///
    /// # Errors
    /// Those of [`Detector::read_from`], and [`Error::Learning`]; everything is as it was then.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.require_idle()?;
        self.detector.read_from(bytes)?;
        self.samples.clear();
        self.report.clear();
        self.intake.clear();
        self.turn.clear();
        Ok(())
    }
}

impl<K, X, const N: usize, const R: usize, const P: usize, E, S> Default
    for Learner<K, X, N, R, P, E, S>
where
    X: Reading,
    K: BlockKernel<X::View> + Clone,
    E: Eigensolver<Scalar<K, X>>,
    S: Prepare<X>,
{
    fn default() -> Self {
        Self::new()
    }
}
