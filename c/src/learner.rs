//! A model from readings, in bounded steps.

use core::ffi::{CStr, c_char};

use mercer::detect::{FalseAlarms, LearnReport, Replace, Warning};
use mercer::kernel::Rbf;
use mercer::{Error, GaussianLearner, Progress, Recipe};

use crate::codes::{self, Code, MERCER_OK, MERCER_WORKING, returned};
use crate::config::{COMPONENTS, INPUTS, POINTS, READINGS};
use crate::detector::{CVerdict, DetectorMemory, Model, front_end};
use crate::foreign::{self, Object, Words};

/// How many `uint64_t` a learner takes.
pub const MERCER_LEARNER_WORDS: usize = Words::of::<Pupil>();

/// A learner: up to MERCER_READINGS readings, the memory to learn from them, and what it has
/// learned.
///
/// Memory for the library's own use; make it `static`, it is large.
#[repr(C)]
pub struct LearnerMemory {
    /// Not for use.
    pub words: [u64; MERCER_LEARNER_WORDS],
}

/// How to learn. mercer_recipe_default fills it in.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CRecipe {
    /// How narrow the kernel is: by default 1 / (8 * MERCER_INPUTS).
    pub gamma: f32,
    /// The share of normal readings that may be unusual, between 0 and 1: by default 0.05.
    pub false_alarms: f32,
    /// The share of the readings to leave out, those that are strangest: 0 to 0.5, by default 0.
    pub trim: f32,
}

/// What learning has found.
#[repr(C)]
pub struct CReport {
    /// What scores are compared with.
    pub threshold: f32,
    /// The share of normal readings that will be unusual, as far as these readings can tell; more
    /// than was wished for if they were too few.
    pub false_alarms: f32,
    /// The share of the variance that the components explain.
    pub explained: f32,
    /// How many points and components the model has.
    pub points: u32,
    /// See `points`.
    pub components: u32,
    /// Readings that were left out.
    pub trimmed: u32,
    /// What may not be as it was meant, a bit for each: mercer_warning_text has the words.
    pub warnings: u32,
    /// Inputs whose faults pass unnoticed, a bit for each of the first 32.
    pub blind_inputs: u32,
}

const WARNINGS: [&CStr; 15] = [
    c"an input never changed: leave it out, or learn while it is at work",
    c"an input was stuck for half of the time: learn from when it worked",
    c"readings are copies of others: take them less often",
    c"few readings: learn from more, or from fewer inputs",
    c"too few readings for so few false alarms: learn from more, or allow more",
    c"neighbouring readings are alike: take them less often, for longer",
    c"a quarter of the readings is unlike the others: they drift, or something was settling",
    c"no room for the components: build with more",
    c"no room for the points: build with more, or lower gamma",
    c"the kernel is not positive semi-definite",
    c"the threshold was lowered, since no reading could have exceeded it",
    c"an alarm by the smoothed score would hardly end: count unusual readings instead",
    c"faults of some inputs pass unnoticed: see blind_inputs",
    c"components are others than before",
    c"a warning that this version has no words for",
];

/// The place of a warning among the words.
fn place(warning: &Warning) -> u32 {
    match warning {
        Warning::ConstantInputs { .. } => 0,
        Warning::StuckInputs { .. } => 1,
        Warning::Duplicates { .. } => 2,
        Warning::FewSamples { .. } => 3,
        Warning::UnsupportedRate { .. } => 4,
        Warning::Autocorrelated { .. } => 5,
        Warning::Drift { .. } => 6,
        Warning::ComponentsCapped => 7,
        Warning::PointsCapped => 8,
        Warning::Indefinite => 9,
        Warning::ThresholdLowered { .. } => 10,
        Warning::AlarmStays { .. } => 11,
        Warning::BlindInputs { .. } => 12,
        Warning::ComponentsChanged { .. } => 13,
        _ => 14,
    }
}

impl From<&LearnReport<f32>> for CReport {
    fn from(report: &LearnReport<f32>) -> Self {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            threshold: report.threshold.spe,
            false_alarms: report.false_alarms,
            explained: report.fit.explained,
            points: count(report.fit.points),
            components: count(report.fit.components),
            trimmed: count(report.trimmed),
            warnings: report.warnings().iter().fold(0, |bits, warning| bits | 1 << place(warning)),
            blind_inputs: report
                .blind_inputs()
                .fold(0, |bits, input| bits | 1_u32.checked_shl(count(input)).unwrap_or(0)),
        }
    }
}

/// A learner, and who was to blame for the last error.
struct Pupil {
    learner: GaussianLearner<INPUTS, READINGS, POINTS, COMPONENTS>,
    /// Plus 1: 0 for none.
    culprit: u32,
}

impl Object for Pupil {
    const KIND: u32 = 0x4d72_4c00;
    type Memory = LearnerMemory;

    unsafe fn begin(place: *mut Self, _: bool) {
        // SAFETY: as the trait says. All of it is 0: no copy of it lies in flash.
        unsafe { place.write(const { Self { learner: GaussianLearner::new(), culprit: 0 } }) }
    }
}

impl Pupil {
    /// The result as C has it; remembers the culprit.
    fn note<A>(&mut self, result: Result<A, Error>) -> Result<A, Code> {
        self.culprit = 0;
        result.map_err(|error| {
            let (code, culprit) = codes::of(error);
            self.culprit = culprit.map_or(0, |culprit| (culprit as u32).wrapping_add(1));
            code
        })
    }

    fn step(&mut self) -> Result<Code, Code> {
        let stepped = self.learner.step();
        match self.note(stepped)? {
            Progress::Working => Ok(MERCER_WORKING),
            Progress::Done => Ok(MERCER_OK),
        }
    }
}

/// The usual recipe.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_recipe_default(recipe: *mut CRecipe) -> i32 {
    if recipe.is_null() {
        return codes::MERCER_NULL;
    }
    let usual = usual_recipe();
    // SAFETY: as C promises.
    returned(unsafe { foreign::give(recipe, usual) }.map(|()| MERCER_OK))
}

fn usual_recipe() -> CRecipe {
    let FalseAlarms::Share(false_alarms) = Recipe::<f32>::DEFAULT.false_alarms else {
        return CRecipe { gamma: 0.0, false_alarms: 0.0, trim: 0.0 };
    };
    let gamma = Rbf::<f32>::for_inputs(INPUTS).gamma;
    CRecipe { gamma, false_alarms, trim: Recipe::<f32>::DEFAULT.trim }
}

/// What a bit of `warnings` means, for its number from 0 on; NULL from the last one on.
#[unsafe(no_mangle)]
pub extern "C" fn mercer_warning_text(bit: u32) -> *const c_char {
    WARNINGS.get(bit as usize).map_or(core::ptr::null(), |text| text.as_ptr())
}

/// Initialises a learner. `size` is its `sizeof`, `build` MERCER_BUILD.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_init(
    learner: *mut LearnerMemory,
    size: usize,
    build: u32,
) -> i32 {
    // SAFETY: as C promises.
    let begun = unsafe { foreign::begin::<Pupil>(learner, size, build) };
    returned(begun.map(|_| MERCER_OK))
}

/// Takes a reading of MERCER_INPUTS numbers to learn from.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_push(
    learner: *mut LearnerMemory,
    reading: *const f32,
    inputs: usize,
) -> i32 {
    let push = || {
        // SAFETY: as C promises.
        let (pupil, reading) =
            unsafe { (foreign::object::<Pupil>(learner)?, foreign::reading(reading, inputs)?) };
        let pushed = pupil.learner.push(&reading);
        pupil.note(pushed).map(|()| MERCER_OK)
    };
    returned(push())
}

/// Scores a reading by what was learned last; a normal one becomes one to learn from, in place of
/// the oldest. Not while learning is under way, nor for a fault. `verdict` may be NULL.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_refresh(
    learner: *mut LearnerMemory,
    reading: *const f32,
    inputs: usize,
    verdict: *mut CVerdict,
) -> i32 {
    let refresh = || {
        // SAFETY: as C promises.
        let (pupil, reading) =
            unsafe { (foreign::object::<Pupil>(learner)?, foreign::reading(reading, inputs)?) };
        let scored = pupil.learner.refresh(&reading, Replace::Oldest);
        let found = pupil.note(scored)?;
        // SAFETY: as C promises.
        unsafe { foreign::give(verdict, found.into())? };
        Ok(MERCER_OK)
    };
    returned(refresh())
}

/// The next reading does not follow the last one: readings were lost, or the machine was off.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_gap(learner: *mut LearnerMemory) -> i32 {
    // SAFETY: as C promises.
    let pupil = unsafe { foreign::object::<Pupil>(learner) };
    returned(pupil.map(|pupil| {
        pupil.learner.gap();
        MERCER_OK
    }))
}

/// How many readings it has; MERCER_READINGS if it is full. Less than 0 is an error.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_count(learner: *const LearnerMemory) -> i32 {
    // SAFETY: as C promises.
    let pupil = unsafe { foreign::shared::<Pupil>(learner) };
    returned(pupil.map(|pupil| i32::try_from(pupil.learner.len()).unwrap_or(i32::MAX)))
}

/// Begins to learn, by a recipe or, if that is NULL, by the usual one.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_begin(
    learner: *mut LearnerMemory,
    recipe: *const CRecipe,
) -> i32 {
    let begin = || {
        // SAFETY: as C promises.
        let (pupil, recipe) =
            unsafe { (foreign::object::<Pupil>(learner)?, foreign::given(recipe)?) };
        let CRecipe { gamma, false_alarms, trim } = recipe.unwrap_or_else(usual_recipe);
        let recipe =
            Recipe::<f32>::DEFAULT.false_alarms(FalseAlarms::Share(false_alarms)).trim(trim);
        let begun = pupil.learner.begin(Rbf::new(gamma), recipe);
        pupil.note(begun).map(|()| MERCER_OK)
    };
    returned(begin())
}

/// Does a bounded piece of learning: MERCER_WORKING as long as there is more, then MERCER_OK. After
/// an error learning is given up, and readings and detector are what they were.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_step(learner: *mut LearnerMemory) -> i32 {
    // SAFETY: as C promises.
    let pupil = unsafe { foreign::object::<Pupil>(learner) };
    returned(pupil.and_then(Pupil::step))
}

/// Gives up learning that is under way.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_give_up(learner: *mut LearnerMemory) -> i32 {
    // SAFETY: as C promises.
    let pupil = unsafe { foreign::object::<Pupil>(learner) };
    returned(pupil.map(|pupil| {
        pupil.learner.give_up();
        MERCER_OK
    }))
}

/// Drops all readings and what was learned from them.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_forget(learner: *mut LearnerMemory) -> i32 {
    // SAFETY: as C promises.
    let pupil = unsafe { foreign::object::<Pupil>(learner) };
    returned(pupil.map(|pupil| {
        pupil.learner.forget();
        MERCER_OK
    }))
}

/// What the last learning has found. Look at `warnings`.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_report(
    learner: *const LearnerMemory,
    report: *mut CReport,
) -> i32 {
    let tell = || {
        // SAFETY: as C promises.
        let pupil = unsafe { foreign::shared::<Pupil>(learner)? };
        let found = pupil.learner.report().ok_or(codes::MERCER_NOT_FITTED)?;
        // SAFETY: as C promises.
        unsafe { foreign::give(report, found.into())? };
        Ok(MERCER_OK)
    };
    returned(tell())
}

/// Which input or reading the last error of this learner is about, counted from 0; -1 if about
/// none, and for no learner.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_culprit(learner: *const LearnerMemory) -> i32 {
    // SAFETY: as C promises.
    let pupil = unsafe { foreign::shared::<Pupil>(learner) };
    pupil.map_or(-1, |pupil| codes::number((pupil.culprit as usize).checked_sub(1)))
}

/// Exchanges what was learned for another detector, without a copy: how it leaves for an interrupt.
///
/// The learner goes on with what it was given: mercer_learner_refresh judges by it, and the next
/// learning keeps its scaling.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_swap(
    learner: *mut LearnerMemory,
    detector: *mut DetectorMemory,
) -> i32 {
    let swap = || {
        foreign::require_apart::<Pupil, Model>(learner, detector)?;
        // SAFETY: as C promises; they are apart.
        let (pupil, model) =
            unsafe { (foreign::object::<Pupil>(learner)?, foreign::object::<Model>(detector)?) };
        let swapped = pupil.learner.swap_detector(&mut model.detector);
        pupil.note(swapped)?;
        model.changed();
        Ok(MERCER_OK)
    };
    returned(swap())
}

/// Copies what was learned to a detector; the learner keeps it as well.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_copy_to(
    learner: *const LearnerMemory,
    detector: *mut DetectorMemory,
) -> i32 {
    let copy = || {
        foreign::require_apart::<Pupil, Model>(learner, detector)?;
        // SAFETY: as C promises; they are apart.
        let (pupil, model) =
            unsafe { (foreign::shared::<Pupil>(learner)?, foreign::object::<Model>(detector)?) };
        let learned = pupil.learner.detector().map_err(crate::detector::code)?;
        model.detector.copy_from(learned).map_err(crate::detector::code)?;
        model.changed();
        Ok(MERCER_OK)
    };
    returned(copy())
}

/// After a reset: takes up a detector that was saved, to refresh it. Readings are collected anew.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_learner_restore(
    learner: *mut LearnerMemory,
    bytes: *const u8,
    length: usize,
) -> i32 {
    let restore = || {
        // SAFETY: as C promises.
        let (pupil, bytes) =
            unsafe { (foreign::object::<Pupil>(learner)?, foreign::bytes(bytes, length)?) };
        let restored = front_end::behind(bytes).and_then(|bytes| pupil.learner.restore(bytes));
        pupil.note(restored).map(|()| MERCER_OK)
    };
    returned(restore())
}
