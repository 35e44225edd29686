//! A detector as bytes: versioned, protected by a checksum, the same on the host and on the device.
//!
//! [`Detector::write_to`] writes to a slice and [`Detector::read_from`] reads from one, so that the
//! bytes can go to flash, over a radio or into a file. Only the part in use is written: a detector
//! that has room for 48 points but uses 20 takes the bytes of 20, and can be read into one that has
//! room for 20.
//!
//! Where a detector takes readings that a front end makes of raw samples, that is stored in front
//! of it: [`monitor::stored`](crate::monitor::stored) has its layout.
//!
//! # Layout
//!
//! All numbers are little-endian and follow each other without gaps. A scalar takes `s` bytes;
//! there are `d` inputs, `r` points and `p` components. A reading that is no vector has no means
//! and deviations, takes `d` bytes instead of `ds`, and is written by its own [`Encode`].
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 4 | `MRCR` |
//! | 4 | 2 | [`FORMAT_VERSION`] |
//! | 6 | 1 | `s`: 4 for `f32`, 8 for `f64` |
//! | 7 | 1 | flags, see below |
//! | 8 | 4 | length of all of it, from the first byte of `MRCR` to the last of the checksum |
//! | 12 | 4 | `d` |
//! | 16 | 4 | `r` |
//! | 20 | 4 | `p` |
//! | 24 | `k` | the kernel: a tag and its parameters, see below |
//! | 24+`k` | 4`s` | [threshold](crate::detect::Threshold) for SPE, the mean SPE of usual readings, [`centre_norm`](crate::kpca::ExpansionHeader::centre_norm), [`total_variance`](crate::kpca::ExpansionHeader::total_variance) |
//! | | 2`ds` | means of the inputs, then their deviations |
//! | | `ds` | if a flag says so: [floors](crate::detect::logs) of the inputs, 0 for one that is not logarithmic |
//! | | `rds` | points, one after the other |
//! | | `rs` | centre weights `β` |
//! | | `rps` | weights `α`, all of one point after the other |
//! | | 2`ps` | offsets `b`, then variances `λ` |
//! | last 4 | 4 | CRC-32 (that of Ethernet, zip and PNG) of all bytes before |
//!
//! Flags: bit 0 says that the kernel is [indefinite](crate::kpca::ExpansionHeader::indefinite), bit
//! 1 that readings are no vectors, bit 2 that some input is logarithmic, so that floors follow the
//! deviations; the others are 0.
//!
//! | kernel | tag | then |
//! |---|---|---|
//! | [`Linear`](crate::kernel::Linear) | 01 | |
//! | [`Rbf`](crate::kernel::Rbf) | 02 | `gamma`, maths |
//! | [`Laplacian`](crate::kernel::Laplacian) | 03 | `gamma`, maths |
//! | [`Poly`](crate::kernel::Poly) | 04 | `gamma`, `coef0`, `degree` (4 bytes) |
//! | [`Sigmoid`](crate::kernel::Sigmoid) | 05 | `gamma`, `coef0`, maths |
//! | [`Spectrum`](crate::kernel::Spectrum) | 06 | `length` (4 bytes) |
//! | [`Scale`](crate::kernel::Scale) | 10 (hexadecimal) | `factor`, kernel |
//! | [`Sum`](crate::kernel::Sum) | 11 | kernel, kernel |
//! | [`Product`](crate::kernel::Product) | 12 | kernel, kernel |
//! | [`Exp`](crate::kernel::Exp) | 13 | kernel, maths |
//! | [`Normalised`](crate::kernel::Normalised) | 14 | kernel |
//! | your own | 80 to FF | whatever its [`Encode`] writes |
//!
//! `maths` is one byte: 01 for [`Libm`](crate::math::Libm), 02 for `Micromath`, 03 for
//! [`Fast`](crate::math::Fast); a threshold holds only for the backend it was calibrated with.
//!
//! # What is promised
//!
//! - The same detector gives the same bytes on every machine, and reading them back gives the same
//!   detector, bit for bit.
//! - Every change of the layout raises [`FORMAT_VERSION`].
//! - A single flipped bit is always found, and so is every run of flipped bits that is no longer
//!   than 32.
//! - Nothing is changed by a [`read_from`](Detector::read_from) that fails.

mod encode;
mod parts;
mod scaling;

pub use encode::{Encode, Reader, Writer};
pub(super) use parts::{Checked, Sizes, fill};
pub use scaling::EncodeScaling;

use parts::Written;

use crc::{CRC_32_ISO_HDLC, Crc, NoTable};

use crate::detect::reading::{Prepare, Reading};
use crate::detect::{Detector, DetectorView};
use crate::error::{Error, FormatFault};
use crate::kernel::{BlockKernel, Samples};
use crate::kpca::Scalar;
use crate::linalg::slices::{head, tail};
use crate::math::Real;

/// The version of the layout that is written, and the only one that is read.
pub const FORMAT_VERSION: u16 = 3;

const MAGIC: [u8; 4] = *b"MRCR";
const PRELUDE_SIZE: usize = 24;
const CHECKSUM_SIZE: usize = 4;
/// Bits of the flags.
const INDEFINITE: u8 = 1;
const NO_VECTORS: u8 = 2;
const FLOORS: u8 = 4;

/// Without a table it is slower, but a table takes 1 KB of flash and models are stored rarely.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    const CRC: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);
    CRC.checksum(bytes)
}

/// The first [`PRELUDE_SIZE`] bytes after magic and version: the same for every type of detector.
struct Prelude {
    scalar: u8,
    flags: u8,
    length: u32,
    inputs: u32,
    points: u32,
    components: u32,
}

impl Prelude {
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        out.bytes(MAGIC)?;
        FORMAT_VERSION.encode(out)?;
        out.bytes([self.scalar, self.flags])?;
        out.values(&[self.length, self.inputs, self.points, self.components])
    }

    /// Checks magic, version, length and checksum, so that whatever follows was written by this
    /// crate.
    ///
    /// Returns also a reader of what follows, up to the checksum.
    fn decode(bytes: &[u8]) -> Result<(Self, Reader<'_>), Error> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Error::Format(FormatFault::Magic));
        }
        // Before the length, which another version may have elsewhere.
        let found = u16::decode(&mut input)?;
        if found != FORMAT_VERSION {
            return Err(Error::Format(FormatFault::Version { found, expected: FORMAT_VERSION }));
        }
        let prelude = Self {
            scalar: u8::decode(&mut input)?,
            flags: u8::decode(&mut input)?,
            length: u32::decode(&mut input)?,
            inputs: u32::decode(&mut input)?,
            points: u32::decode(&mut input)?,
            components: u32::decode(&mut input)?,
        };
        let needed = count(prelude.length).max(PRELUDE_SIZE + CHECKSUM_SIZE);
        let truncated = FormatFault::Truncated { needed, given: bytes.len() };
        let whole = bytes.get(..needed).ok_or(Error::Format(truncated))?;
        let (checked, stored) = whole.split_last_chunk().ok_or(Error::Format(truncated))?;
        if checksum(checked) != u32::from_le_bytes(*stored) {
            return Err(Error::Format(FormatFault::Checksum));
        }
        Ok((prelude, Reader::new(tail(checked, PRELUDE_SIZE))))
    }
}

/// A stored count; one that this machine cannot address is larger than any capacity.
fn count(stored: u32) -> usize {
    usize::try_from(stored).unwrap_or(usize::MAX)
}

/// A count to be stored; it is one of things in memory, so more than `u32::MAX` do not occur.
fn stored(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Storing a detector whose sizes are run-time values; [`Detector::read_from`] reads it on the
/// device.
impl<K, S, T> DetectorView<'_, K, S>
where
    T: Real + Encode,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T> + Encode,
{
    /// How many bytes [`write_to`](Self::write_to) needs.
    pub fn encoded_len(&self) -> usize {
        self.written().encoded_len()
    }

    /// Writes the detector to the front of `out` and returns how many bytes that took.
    ///
    /// # Errors
    /// [`Error::Capacity`] when `out` is shorter than [`encoded_len`](Self::encoded_len), and those
    /// of [`validate`](Self::validate): what cannot be read back is not handed out.
    pub fn write_to(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.validate()?;
        self.written().write_to(out, |out| {
            out.values(self.mean)?;
            out.values(self.deviation)?;
            out.values(self.written_floors())?;
            self.model.points().iter_samples().try_for_each(|point| out.values(point))
        })
    }

    fn written(&self) -> Written<'_, K, T> {
        Written {
            kernel: self.model.kernel(),
            threshold: self.threshold,
            expansion: self.model.expansion(),
            sizes: Sizes::of_vectors::<T>(self.mean.len(), !self.written_floors().is_empty()),
        }
    }

    /// The floors, if there is a logarithmic input.
    fn written_floors(&self) -> &[T] {
        if self.floor.iter().any(|&floor| floor > T::ZERO) { self.floor } else { &[] }
    }
}

/// Storing. The [module](crate::detect::persist) documents the bytes.
impl<K, X, const R: usize, const P: usize, S> Detector<K, X, R, P, S>
where
    X: Reading + Encode,
    K: BlockKernel<X::View, Scalar: Encode> + Encode,
    S: Prepare<X> + EncodeScaling,
{
    /// The most bytes that [`write_to`](Self::write_to) can need: the size of a buffer for it.
    pub const ENCODED_SIZE: usize =
        Sizes::of::<X, S>(S::WITH_FLOORS).encoded_len::<K, Scalar<K, X>>(R, P);

    /// How many bytes [`write_to`](Self::write_to) needs for the points and components in use.
    pub fn encoded_len(&self) -> usize {
        let expansion = self.model.expansion();
        let (points, components) = (expansion.points(), expansion.components());
        let sizes = Sizes::of::<X, S>(self.scaling.has_floors());
        sizes.encoded_len::<K, Scalar<K, X>>(points, components)
    }

    /// Writes the detector to the front of `out` and returns how many bytes that took.
    ///
    /// ```
    /// # use mercer::{Detector, KernelPca};
    /// # use mercer::detect::{Scaling, Threshold};
    /// # use mercer::kernel::Rbf;
    /// # use mercer::kpca::{Components, LandmarkWorkspace, Landmarks};
    /// # let samples: [[f32; 2]; 6] = [[0.0, 0.1], [0.9, 1.0], [2.1, 1.9], [3.0, 3.1], [1.5, 1.4], [2.4, 2.6]];
    /// # let mut model = KernelPca::<Rbf<f32>, [f32; 2], 4, 2>::new();
    /// # let mut workspace = LandmarkWorkspace::<f32, 6, 4>::new();
    /// # model.fit_landmarks(Rbf::new(0.5), &samples, Landmarks::Rank(4), Components::Fixed(2), &mut workspace)?;
    /// # let threshold = Threshold::new(0.2);
    /// type Model = Detector<Rbf<f32>, [f32; 2], 4, 2>;
    /// let learned: Model = Detector::from_parts(Scaling::identity(), model, threshold)?;
    /// let mut bytes = [0; Model::ENCODED_SIZE];
    /// let length = learned.write_to(&mut bytes)?;
    ///
    /// let mut restored = Model::new();
    /// restored.read_from(&bytes[..length])?;
    /// assert_eq!(restored.score(&[1.2, 3.0])?, learned.score(&[1.2, 3.0])?);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFitted`], [`Error::Capacity`] when `out` is shorter than
    /// [`encoded_len`](Self::encoded_len), and whatever [`read_from`](Self::read_from) would say of
    /// the bytes: what cannot be read back is not handed out.
    pub fn write_to(&self, out: &mut [u8]) -> Result<usize, Error> {
        let written = Written {
            kernel: self.model.kernel().ok_or(Error::NotFitted)?,
            threshold: self.threshold,
            expansion: self.model.expansion(),
            sizes: Sizes::of::<X, S>(self.scaling.has_floors()),
        };
        let length = written.write_to(out, |out| {
            self.scaling.encode(out)?;
            out.values(self.model.points())
        })?;
        Self::checked(head(out, length))?.check_readings::<X, S>()?;
        Ok(length)
    }

    /// Reads a detector from the front of `bytes`; what follows it there is ignored.
    ///
    /// It may have been written by a detector of another capacity, as long as it fits into this
    /// one.
    ///
    /// # Errors
    /// All of them leave the detector as it was.
    ///
    /// | error | meaning |
    /// |---|---|
    /// | [`FormatFault::Magic`] | not a stored detector; erased flash |
    /// | [`FormatFault::Version`] | written by another version of this crate |
    /// | [`FormatFault::Truncated`] | bytes are missing at the end |
    /// | [`FormatFault::Checksum`] | bytes were altered |
    /// | [`FormatFault::Scalar`] | `f32` instead of `f64`, or the other way round |
    /// | [`FormatFault::Tag`] | another kernel, another maths backend, or logarithmic inputs without a [`LogScaling`](crate::detect::LogScaling) |
    /// | [`Error::Shape`] | another number of inputs |
    /// | [`Error::Capacity`] | more points or components than this type has room for |
    /// | [`Error::Deaf`], [`Error::Parameter`] | not [valid](Self::validate), hence not written by this crate |
    /// | [`FormatFault::Length`], [`FormatFault::Flags`] | not written by this crate: sizes or flags that it never writes |
    pub fn read_from(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let checked = Self::checked(bytes)?;
        let scaling = checked.check_readings::<X, S>()?;
        // From here on nothing can fail.
        self.scaling = scaling;
        self.threshold = checked.threshold;
        let (kernel, points, mut expansion) = self.model.storage();
        points.clear();
        for point in checked.readings.values() {
            let pushed = points.push(point);
            debug_assert!(pushed.is_ok(), "the capacity was checked");
        }
        checked.write_expansion(&mut expansion);
        *kernel = Some(checked.kernel);
        self.remember();
        Ok(())
    }

    /// Bytes that can be read into a detector of this type, but for scaling and points.
    fn checked(bytes: &[u8]) -> Result<Checked<'_, K, Scalar<K, X>>, Error> {
        Checked::new(bytes, Sizes::of::<X, S>, S::WITH_FLOORS, (R, P))
    }
}

/// A kernel that writes less than it announces would shift everything after it.
fn encode_kernel<K: Encode>(kernel: &K, out: &mut Writer<'_>) -> Result<(), Error> {
    let before = out.rest.len();
    kernel.encode(out)?;
    let (expected, given) = (K::SIZE, before.saturating_sub(out.rest.len()));
    match given == expected {
        true => Ok(()),
        false => Err(Error::Shape { what: "encoded kernel", expected, given }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{
        Exp, Laplacian, Linear, Normalised, Poly, Product, Rbf, Scale, Sigmoid, Sum,
    };

    #[test]
    fn the_checksum_is_the_usual_crc_32() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn tags_are_distinct() {
        type T = f32;
        fn tag<K: Encode>(kernel: K) -> u8 {
            let mut bytes = [0; 32];
            let mut out = Writer::new(&mut bytes);
            encode_kernel(&kernel, &mut out).unwrap();
            bytes[0]
        }
        let poly = Poly::<T> { gamma: 1.0, coef0: 0.0, degree: 2 };
        let tags = [
            tag(Linear),
            tag(Rbf::<T>::new(1.0)),
            tag(Laplacian::<T>::new(1.0)),
            tag(poly),
            tag(Sigmoid::<T>::new(1.0, 0.0)),
            tag(Scale::<T, _> { factor: 1.0, kernel: Linear }),
            tag(Sum(Linear, poly)),
            tag(Product(Linear, poly)),
            tag(Exp::new(Linear)),
            tag(Normalised(Linear)),
        ];
        assert!(tags.is_sorted_by(|a, b| a < b), "{tags:x?}");
        assert!(tags.iter().all(|&tag| tag < 0x80), "the rest is for users");
    }

    #[test]
    fn a_kernel_that_breaks_its_word_is_refused() {
        struct Short;
        impl Encode for Short {
            const SIZE: usize = 3;
            fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
                out.tag(0x80)
            }
            fn decode(_: &mut Reader<'_>) -> Result<Self, Error> {
                Ok(Self)
            }
        }
        let refused = encode_kernel(&Short, &mut Writer::new(&mut [0; 8]));
        let error = Error::Shape { what: "encoded kernel", expected: 3, given: 1 };
        assert_eq!(refused, Err(error));
        let full = encode_kernel(&Short, &mut Writer::new(&mut []));
        assert_eq!(full, Err(Error::Capacity { what: "encoded value", needed: 1, capacity: 0 }));
    }
}
