//! A quantised detector as bytes; like [`persist`](crate::detect::persist), and with its promises.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 4 | `MRCQ` |
//! | 4 | 2 | [`QUANTISED_FORMAT_VERSION`] |
//! | 6 | 2 | [`distance_shift`](QuantisedHeader::distance_shift), `centre_shift` (1 each) |
//! | 8 | 4 | length of all of it |
//! | 12 | 12 | number of inputs `d`, of points `r`, of components `p` |
//! | 24 | 22 | [`gamma`](QuantisedHeader::gamma), `variance_exponent` (2), `far`, `ceiling`, [threshold](crate::detect::Threshold) for SPE, the mean SPE of usual readings |
//! | 46 | 1 | flags: bit 0 says that some input is logarithmic, so that floors follow the deviations; the others are 0 |
//! | 47 | 8`d` | means of the inputs, then their deviations |
//! | | 4`d` | if a flag says so: [floors](crate::detect::logs) of the inputs, 0 for one that is not logarithmic |
//! | | 12`d` | for each input [`mean`](Input::mean), `bits`, `limit` (2), `weight` (2) |
//! | | 9`p` | for each component [`offset`](Component::offset), `inverse_variance`, `shift` (1) |
//! | | (6+2`d`+2`p`)`r` | for each point [`half_length`](QuantisedPoint::half_length), coordinates (2 each), weights (2 each), `centre` (2) |
//! | last 4 | 4 | CRC-32 of all bytes before |

use core::iter;

use super::score::{Component, QuantisedHeader, QuantisedPoint};
use super::valid::{Check, half_length};
use super::{Input, QuantisedDetector};
use crate::detect::Threshold;
use crate::detect::persist::{Encode, EncodeScaling, Reader, Writer, checksum};
use crate::detect::reading::VectorScaling;
use crate::detect::scaling::Scaling;
use crate::error::{Error, FormatFault, require_capacity};
use crate::linalg::slices::tail;

/// The version of the layout that is written, and the only one that is read.
pub const QUANTISED_FORMAT_VERSION: u16 = 3;

const MAGIC: [u8; 4] = *b"MRCQ";
/// Everything before the scaling.
const PRELUDE_SIZE: usize = 47;
const CHECKSUM_SIZE: usize = 4;
/// The only flag.
const FLOORS: u8 = 1;

/// Bytes of a stored detector: the table above, summed up.
const fn encoded_len(inputs: usize, floors: bool, points: usize, components: usize) -> usize {
    let point = 6 + 2 * inputs + 2 * components;
    let scaling = if floors { 12 } else { 8 } * inputs;
    PRELUDE_SIZE + scaling + 12 * inputs + 9 * components + point * points + CHECKSUM_SIZE
}

/// What the first bytes say.
struct Prelude {
    header: QuantisedHeader,
    threshold: Threshold<f32>,
    /// Do floors follow the deviations?
    floors: bool,
}

/// Storing.
impl<const D: usize, const R: usize, const P: usize, S> QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]> + EncodeScaling,
{
    /// The most bytes that [`write_to`](Self::write_to) can need: the size of a buffer for it.
    pub const ENCODED_SIZE: usize = encoded_len(D, S::WITH_FLOORS, R, P);

    /// How many bytes [`write_to`](Self::write_to) needs for the points and components in use.
    pub fn encoded_len(&self) -> usize {
        let QuantisedHeader { points, components, .. } = self.model.header;
        encoded_len(D, self.scaling.has_floors(), points as usize, components as usize)
    }

    /// Writes the detector to the front of `out` and returns how many bytes that took: a table at
    /// the top of `src/quantised/persist.rs` has the layout.
    ///
    /// # Errors
    /// [`Error::NotFitted`], and [`Error::Capacity`] when `out` is shorter than
    /// [`encoded_len`](Self::encoded_len).
    pub fn write_to(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.validate()?;
        let (length, capacity) = (self.encoded_len(), out.len());
        let no_room = Error::Capacity { what: "encoded detector", needed: length, capacity };
        let out = out.get_mut(..length).ok_or(no_room)?;
        let (body, check) = out.split_last_chunk_mut().ok_or(no_room)?;
        self.encode(&mut Writer::new(body))?;
        *check = checksum(body).to_le_bytes();
        Ok(length)
    }

    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        let header = &self.model.header;
        out.bytes(MAGIC)?;
        QUANTISED_FORMAT_VERSION.encode(out)?;
        out.bytes([header.distance_shift, header.centre_shift])?;
        for number in [self.encoded_len() as u32, D as u32, header.points, header.components] {
            number.encode(out)?;
        }
        header.gamma.encode(out)?;
        out.bytes(header.variance_exponent.to_le_bytes())?;
        header.far.encode(out)?;
        header.ceiling.encode(out)?;
        self.threshold.spe.encode(out)?;
        self.threshold.usual.encode(out)?;
        out.bytes([if self.scaling.has_floors() { FLOORS } else { 0 }])?;
        self.scaling.encode(out)?;
        for input in &self.model.inputs {
            out.bytes(input.mean.to_le_bytes())?;
            out.bytes(input.bits.to_le_bytes())?;
            input.limit.encode(out)?;
            input.weight.encode(out)?;
        }
        let components = header.components as usize;
        for component in self.model.components.iter().take(components) {
            out.bytes(component.offset.to_le_bytes())?;
            component.inverse_variance.encode(out)?;
            component.shift.encode(out)?;
        }
        for point in self.model.points.iter().take(header.points as usize) {
            point.half_length.encode(out)?;
            let weights = point.weights.iter().take(components);
            let numbers = point.coordinates.iter().chain(weights).chain([&point.centre]);
            numbers.into_iter().try_for_each(|number| number.encode(out))?;
        }
        Ok(())
    }

    /// Reads a detector from the front of `bytes`; what follows it there is ignored.
    ///
    /// It may have been written by a detector of another capacity, as long as it fits into this
    /// one.
    ///
    /// # Errors
    /// All of them leave the detector as it was: [`Error::Format`] for bytes that are not a stored
    /// detector of this kind, [`Error::Shape`] for another number of inputs, [`Error::Capacity`]
    /// for more points or components than there is room for, and those of
    /// [`validate`](Self::validate) for values that this crate never writes.
    pub fn read_from(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let (prelude, mut input) = Prelude::decode::<D, R, P>(bytes, S::WITH_FLOORS)?;
        let scaling = S::decode(&mut input, prelude.floors)?;
        if scaling.has_floors() != prelude.floors {
            return Err(Error::Parameter { name: "floor", rule: "> 0 for some input" });
        }
        let mut check = Check::new(prelude.header);
        let mut inputs = [Input::EMPTY; D];
        let floors = scaling.floors().iter().copied().chain(iter::repeat(0.0));
        let Scaling { mean, deviation } = scaling.standard();
        let raw = mean.iter().zip(deviation).zip(floors);
        for (place, ((&mean, &deviation), floor)) in inputs.iter_mut().zip(raw) {
            *place = Input {
                mean: i32::from_le_bytes(input.bytes()?),
                bits: i32::from_le_bytes(input.bytes()?),
                limit: u16::decode(&mut input)?,
                weight: u16::decode(&mut input)?,
            };
            check.input(place, mean, deviation, floor);
        }
        let mut components = [Component::EMPTY; P];
        let count = prelude.header.components as usize;
        for place in components.iter_mut().take(count) {
            *place = Component {
                offset: i32::from_le_bytes(input.bytes()?),
                inverse_variance: u32::decode(&mut input)?,
                shift: u8::decode(&mut input)?,
            };
            check.component(place);
        }
        // Read twice: once to look at them, and once to keep them.
        let (points, mut looked_at) = (prelude.header.points as usize, input);
        for _ in 0..points {
            let point = QuantisedPoint::<D, P>::decode(&mut looked_at, count)?;
            check.point(point.half_length, half_length(&point.coordinates, &inputs));
        }
        check.finish(Some(&prelude.threshold))?;
        // From here on nothing can fail: everything was read before.
        self.scaling = scaling;
        self.threshold = prelude.threshold;
        self.model.header = prelude.header;
        self.model.inputs = inputs;
        self.model.components = components;
        for (i, place) in self.model.points.iter_mut().enumerate() {
            *place = match i < points {
                true => QuantisedPoint::decode(&mut input, count)?,
                false => QuantisedPoint::WEIGHTLESS,
            };
        }
        Ok(())
    }
}

impl<const D: usize, const P: usize> QuantisedPoint<D, P> {
    /// Reads a point with so many weights.
    fn decode(input: &mut Reader<'_>, components: usize) -> Result<Self, Error> {
        let mut point = Self::WEIGHTLESS;
        point.half_length = u32::decode(input)?;
        let weights = point.weights.iter_mut().take(components);
        for number in point.coordinates.iter_mut().chain(weights) {
            *number = u16::decode(input)?;
        }
        point.centre = u16::decode(input)?;
        Ok(point)
    }
}

impl Prelude {
    /// Checks magic, version, checksum and sizes. Returns also a reader of what follows, up to the
    /// checksum.
    fn decode<const D: usize, const R: usize, const P: usize>(
        bytes: &[u8],
        with_floors: bool,
    ) -> Result<(Self, Reader<'_>), Error> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Error::Format(FormatFault::Magic));
        }
        let found = u16::decode(&mut input)?;
        if found != QUANTISED_FORMAT_VERSION {
            let expected = QUANTISED_FORMAT_VERSION;
            return Err(Error::Format(FormatFault::Version { found, expected }));
        }
        let [distance_shift, centre_shift] = input.bytes()?;
        let mut count = || u32::decode(&mut input).map(|count| count as usize);
        let (length, given, points, components) = (count()?, count()?, count()?, count()?);
        let needed = length.max(PRELUDE_SIZE + CHECKSUM_SIZE);
        let truncated = Error::Format(FormatFault::Truncated { needed, given: bytes.len() });
        let whole = bytes.get(..needed).ok_or(truncated)?;
        let (checked, stored) = whole.split_last_chunk().ok_or(truncated)?;
        if checksum(checked) != u32::from_le_bytes(*stored) {
            return Err(Error::Format(FormatFault::Checksum));
        }
        if given != D {
            return Err(Error::Shape { what: "inputs", expected: D, given });
        }
        require_capacity("points", points, R)?;
        require_capacity("components", components, P)?;
        let header = QuantisedHeader {
            points: points as u32,
            components: components as u32,
            gamma: f32::decode(&mut input)?,
            distance_shift,
            centre_shift,
            variance_exponent: i16::from_le_bytes(input.bytes()?),
            far: u32::decode(&mut input)?,
            ceiling: u32::decode(&mut input)?,
        };
        let threshold =
            Threshold::new(f32::decode(&mut input)?).with_usual(f32::decode(&mut input)?);
        let flags = u8::decode(&mut input)?;
        let floors = match flags {
            0 => false,
            FLOORS if with_floors => true,
            FLOORS => {
                let tag = FormatFault::Tag { what: "scaling", expected: 0, found: FLOORS };
                return Err(Error::Format(tag));
            }
            found => return Err(Error::Format(FormatFault::Flags { found })),
        };
        let expected = encoded_len(D, floors, points, components);
        if points == 0 || components == 0 || length != expected {
            return Err(Error::Format(FormatFault::Length { expected, found: length }));
        }
        let rest = tail(checked, PRELUDE_SIZE);
        Ok((Self { header, threshold, floors }, Reader::new(rest)))
    }
}
