//! A model: its verdicts, its bytes.

use mercer::detect::{Suspect, Verdict};
use mercer::{Error, GaussianDetector};

use crate::codes::{self, Code, MERCER_OK, returned};
use crate::config::{COMPONENTS, INPUTS, POINTS};
use crate::foreign::{self, Object, Words};

pub(crate) type Detector = GaussianDetector<INPUTS, POINTS, COMPONENTS>;

/// How many `uint64_t` a detector takes.
pub const MERCER_DETECTOR_WORDS: usize = Words::of::<Model>();
/// The most bytes that a saved detector has.
pub const MERCER_SAVED_BYTES: usize = front_end::LENGTH + Detector::ENCODED_SIZE;

/// A detector: scaling, model and threshold. Learned, or loaded.
///
/// Memory for the library's own use; make it `static`.
#[repr(C)]
pub struct DetectorMemory {
    /// Not for use.
    pub words: [u64; MERCER_DETECTOR_WORDS],
}

/// What was made of a reading.
#[repr(C)]
pub struct CVerdict {
    /// How strange the reading is.
    pub spe: f32,
    /// What that was compared with.
    pub threshold: f32,
    /// How far it is from the middle of what is usual, along what varies.
    pub t2: f32,
    /// 1 if it is strange, 0 if not.
    pub unusual: i32,
}

/// The input to blame for an unusual reading.
#[repr(C)]
pub struct CSuspect {
    /// Which one, counted from 0; mercer_input_name knows what it is called.
    pub input: i32,
    /// What it read.
    pub read: f32,
    /// What it should have read, by what the others say.
    pub expected: f32,
    /// By how much the score falls with that.
    pub fall: f32,
    /// The score that is left: above the threshold, this input alone does not explain it.
    pub rest: f32,
}

impl From<Verdict<f32>> for CVerdict {
    fn from(verdict: Verdict<f32>) -> Self {
        Self {
            spe: verdict.score.spe,
            threshold: verdict.threshold.spe,
            t2: verdict.score.t2,
            unusual: verdict.unusual.into(),
        }
    }
}

impl From<Suspect<f32>> for CSuspect {
    fn from(suspect: Suspect<f32>) -> Self {
        let Suspect { read, expected, fall, rest, .. } = suspect;
        Self { input: codes::number(Some(suspect.input)), read, expected, fall, rest }
    }
}

/// A detector, and how often it has become another one: an alarm must notice.
pub(crate) struct Model {
    pub(crate) detector: Detector,
    pub(crate) generation: u32,
}

impl Object for Model {
    const KIND: u32 = 0x4d72_4400;
    type Memory = DetectorMemory;

    unsafe fn begin(place: *mut Self, again: bool) {
        // SAFETY: as the trait says.
        unsafe {
            // A monitor may remember the one from before.
            let before = if again { (&raw const (*place).generation).read() } else { 0 };
            place.write(const { Self { detector: Detector::new(), generation: 0 } });
            (*place).generation = before.wrapping_add(1);
        }
    }
}

impl Model {
    /// It has become another one.
    pub(crate) fn changed(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }
}

/// The error as C has it, the culprit being lost.
pub(crate) fn code(error: Error) -> Code {
    codes::of(error).0
}

/// Initialises a detector that has learned nothing. `size` is its `sizeof`, `build` MERCER_BUILD.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_detector_init(
    detector: *mut DetectorMemory,
    size: usize,
    build: u32,
) -> i32 {
    // SAFETY: as C promises.
    let begun = unsafe { foreign::begin::<Model>(detector, size, build) };
    returned(begun.map(|_| MERCER_OK))
}

/// Scores a reading of MERCER_INPUTS numbers. `verdict` may be NULL.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_detector_score(
    detector: *const DetectorMemory,
    reading: *const f32,
    inputs: usize,
    verdict: *mut CVerdict,
) -> i32 {
    let score = || {
        // SAFETY: as C promises.
        let (model, reading) =
            unsafe { (foreign::shared::<Model>(detector)?, foreign::reading(reading, inputs)?) };
        let found = model.detector.score(&reading).map_err(code)?;
        // SAFETY: as C promises.
        unsafe { foreign::give(verdict, found.into())? };
        Ok(MERCER_OK)
    };
    returned(score())
}

/// The input to blame for an unusual reading: as much work as 2 * MERCER_INPUTS + 21 scores.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_detector_suspect(
    detector: *const DetectorMemory,
    reading: *const f32,
    inputs: usize,
    suspect: *mut CSuspect,
) -> i32 {
    let blame = || {
        // SAFETY: as C promises.
        let (model, reading) =
            unsafe { (foreign::shared::<Model>(detector)?, foreign::reading(reading, inputs)?) };
        let found = model.detector.suspect(&reading).map_err(code)?;
        // SAFETY: as C promises.
        unsafe { foreign::give(suspect, found.into())? };
        Ok(MERCER_OK)
    };
    returned(blame())
}

/// Makes `to` the same as `from`, in place. `to` is what it was if that fails.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_detector_copy(
    to: *mut DetectorMemory,
    from: *const DetectorMemory,
) -> i32 {
    let copy = || {
        foreign::require_apart::<Model, Model>(to, from)?;
        // SAFETY: as C promises; they are apart.
        let (to, from) =
            unsafe { (foreign::object::<Model>(to)?, foreign::shared::<Model>(from)?) };
        to.detector.copy_from(&from.detector).map_err(code)?;
        to.changed();
        Ok(MERCER_OK)
    };
    returned(copy())
}

/// Writes a detector to `bytes`, MERCER_SAVED_BYTES at most; `length` is how many it takes.
///
/// With raw samples, what they are made into readings by is part of it. The bytes are the same on
/// every machine, and those of mercer in Rust. Their last four are the checksum of the model, the
/// lowest byte first.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_detector_save(
    detector: *const DetectorMemory,
    bytes: *mut u8,
    room: usize,
    length: *mut usize,
) -> i32 {
    let save = || {
        // SAFETY: as C promises.
        let (model, room) =
            unsafe { (foreign::shared::<Model>(detector)?, foreign::room(bytes, room)?) };
        let written = write(&model.detector, room).map_err(code)?;
        // SAFETY: as C promises.
        unsafe { foreign::give(length, written)? };
        Ok(MERCER_OK)
    };
    returned(save())
}

/// Takes up a detector that was saved. It is what it was if that fails.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_detector_load(
    detector: *mut DetectorMemory,
    bytes: *const u8,
    length: usize,
) -> i32 {
    let load = || {
        // SAFETY: as C promises.
        let (model, bytes) =
            unsafe { (foreign::object::<Model>(detector)?, foreign::bytes(bytes, length)?) };
        model.detector.read_from(front_end::behind(bytes).map_err(code)?).map_err(code)?;
        model.changed();
        Ok(MERCER_OK)
    };
    returned(load())
}

/// The checksum of a model, which `mercer inspect` shows for one that a desk has; `bytes` is room
/// to work in, MERCER_SAVED_BYTES of it.
///
/// # Safety
/// As C promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mercer_detector_fingerprint(
    detector: *const DetectorMemory,
    bytes: *mut u8,
    room: usize,
    fingerprint: *mut u32,
) -> i32 {
    let find = || {
        // SAFETY: as C promises.
        let (model, room) =
            unsafe { (foreign::shared::<Model>(detector)?, foreign::room(bytes, room)?) };
        let length = write(&model.detector, room).map_err(code)?;
        let saved = room.get(..length).and_then(|saved| saved.last_chunk());
        let checksum = u32::from_le_bytes(*saved.ok_or(codes::MERCER_NO_ROOM)?);
        // SAFETY: as C promises.
        unsafe { foreign::give(fingerprint, checksum)? };
        Ok(MERCER_OK)
    };
    returned(find())
}

/// The front end, if there is one, and the detector. Writes nothing unless there is something to
/// write, and room for it.
fn write(detector: &Detector, room: &mut [u8]) -> Result<usize, Error> {
    if !detector.model().is_fitted() {
        return Err(Error::NotFitted);
    }
    let (needed, capacity) = (front_end::LENGTH + detector.encoded_len(), room.len());
    let no_room = Error::Capacity { what: "encoded detector", needed, capacity };
    let room = room.get_mut(..needed).ok_or(no_room)?;
    let front = front_end::write(room)?;
    Ok(front + detector.write_to(room.get_mut(front..).ok_or(no_room)?)?)
}

/// What stands in front of a saved detector.
pub(crate) mod front_end {
    use mercer::Error;

    #[cfg(raw)]
    use crate::monitor::Samples;

    #[cfg(raw)]
    pub(crate) const LENGTH: usize = Samples::FRONT_END.encoded_len();
    #[cfg(not(raw))]
    pub(crate) const LENGTH: usize = 0;

    /// Returns how many bytes it took.
    #[cfg(raw)]
    pub(crate) fn write(room: &mut [u8]) -> Result<usize, Error> {
        Samples::FRONT_END.write_to(room)
    }
    #[cfg(not(raw))]
    pub(crate) fn write(_: &mut [u8]) -> Result<usize, Error> {
        Ok(0)
    }

    /// The bytes of the detector.
    #[cfg(raw)]
    pub(crate) fn behind(bytes: &[u8]) -> Result<&[u8], Error> {
        Samples::FRONT_END.require(bytes)
    }
    #[cfg(not(raw))]
    pub(crate) fn behind(bytes: &[u8]) -> Result<&[u8], Error> {
        Ok(bytes)
    }
}
