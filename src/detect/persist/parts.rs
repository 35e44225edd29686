//! The parts of a stored detector: their sizes, checking and reading them, writing them.

use super::encode::{Encode, Reader, Writer};
use super::scaling::EncodeScaling;
use super::{
    CHECKSUM_SIZE, FLOORS, INDEFINITE, NO_VECTORS, PRELUDE_SIZE, Prelude, checksum, count,
    encode_kernel, stored,
};
use crate::detect::Threshold;
use crate::detect::reading::{Prepare, Reading};
use crate::detect::valid::{Inspection, header_in_f64};
use crate::error::{Error, FormatFault, require_capacity, require_shape};
use crate::kernel::Kernel;
use crate::kpca::{ExpansionHeader, ExpansionMut, ExpansionView};
use crate::linalg::slices::head_mut;
use crate::math::Real;

/// Overwrites as many places as there are values; their numbers are equal.
pub(in crate::detect) fn fill<T>(places: &mut [T], values: impl Iterator<Item = T>) {
    for (place, value) in places.iter_mut().zip(values) {
        *place = value;
    }
}

/// A stored detector that was checked from its first byte to its last, but for scaling and points.
pub(in crate::detect) struct Checked<'a, K, T> {
    pub(in crate::detect) kernel: K,
    pub(in crate::detect) threshold: Threshold<T>,
    header: ExpansionHeader<T>,
    pub(in crate::detect) scaling: Reader<'a>,
    /// Do floors follow the deviations?
    floors: bool,
    /// The points.
    pub(in crate::detect) readings: Reader<'a>,
    centre: Reader<'a>,
    weights: Reader<'a>,
    offsets: Reader<'a>,
    variances: Reader<'a>,
}

impl<'a, K, T> Checked<'a, K, T>
where
    T: Real + Encode,
    K: Encode,
{
    /// Checks everything that a detector of at most `capacity` points and components needs, whose
    /// sizes depend on whether there are floors, and which may be able to have them.
    pub(in crate::detect) fn new<X: ?Sized>(
        bytes: &'a [u8],
        sizes: impl Fn(bool) -> Sizes,
        with_floors: bool,
        capacity: (usize, usize),
    ) -> Result<Self, Error>
    where
        K: Kernel<X, Scalar = T>,
    {
        let (prelude, mut input) = Prelude::decode(bytes)?;
        let (expected, found) = (T::SIZE as u8, prelude.scalar);
        if found != expected {
            return Err(Error::Format(FormatFault::Scalar { expected, found }));
        }
        let floors = prelude.flags & FLOORS != 0;
        let sizes = sizes(floors);
        let no_vectors = if sizes.vectors { 0 } else { NO_VECTORS };
        if prelude.flags & !(INDEFINITE | FLOORS) != no_vectors || (floors && !sizes.vectors) {
            return Err(Error::Format(FormatFault::Flags { found: prelude.flags }));
        }
        if floors && !with_floors {
            let tag = FormatFault::Tag { what: "scaling", expected: 0, found: FLOORS };
            return Err(Error::Format(tag));
        }
        let kernel = K::decode(&mut input)?;
        kernel.validate()?;
        Self::check_sizes(&prelude, &sizes, capacity)?;
        let checked = Self::split(&prelude, &sizes, kernel, input)?;
        checked.check_values(checked.kernel.stranger_norm())?;
        Ok(checked)
    }

    /// After this, sizes can be multiplied without overflow: they are those of a detector in
    /// memory.
    fn check_sizes(
        prelude: &Prelude,
        sizes: &Sizes,
        (room, component_room): (usize, usize),
    ) -> Result<(), Error> {
        require_shape("inputs", sizes.inputs, count(prelude.inputs))?;
        let (points, components) = (count(prelude.points), count(prelude.components));
        require_capacity("points", points, room)?;
        require_capacity("components", components, component_room)?;
        let expected = sizes.encoded_len::<K, T>(points, components);
        let found = count(prelude.length);
        match points > 0 && components > 0 && found == expected {
            true => Ok(()),
            false => Err(Error::Format(FormatFault::Length { expected, found })),
        }
    }

    fn split(
        prelude: &Prelude,
        sizes: &Sizes,
        kernel: K,
        mut input: Reader<'a>,
    ) -> Result<Self, Error> {
        let (points, components) = (count(prelude.points), count(prelude.components));
        let mut scalar = || T::decode(&mut input);
        let threshold = Threshold::new(scalar()?).with_usual(scalar()?);
        let header = ExpansionHeader {
            points: prelude.points,
            components: prelude.components,
            centre_norm: scalar()?,
            total_variance: scalar()?,
            indefinite: prelude.flags & INDEFINITE != 0,
        };
        let scaling = input.section::<u8>(sizes.scaling)?;
        let readings = input.section::<u8>(points * sizes.point)?;
        let mut section = |count| input.section::<T>(count);
        Ok(Self {
            kernel,
            threshold,
            header,
            scaling,
            floors: prelude.flags & FLOORS != 0,
            readings,
            centre: section(points)?,
            weights: section(points * components)?,
            offsets: section(components)?,
            variances: section(components)?,
        })
    }

    /// All that is left but scaling and points; `norm` is that of a stranger.
    fn check_values(&self, norm: Option<T>) -> Result<(), Error> {
        let mut inspection = Inspection::of::<T>();
        inspection.all(Inspection::centre, self.centre.values::<T>());
        inspection.all(Inspection::weight, self.weights.values::<T>());
        inspection.all(Inspection::offset, self.offsets.values::<T>());
        inspection.all(Inspection::variance, self.variances.values::<T>());
        let (header, threshold) = (header_in_f64(&self.header), self.threshold.to_f64());
        inspection.finish(norm.map(T::to_f64), &header, &threshold)
    }

    /// How many points there are.
    pub(in crate::detect) fn points(&self) -> usize {
        count(self.header.points)
    }

    /// Checks scaling and points that are vectors.
    pub(in crate::detect) fn check_vectors(&self, inputs: usize) -> Result<(), Error> {
        let mut inspection = Inspection::of::<T>();
        let mut scaling = self.scaling.values::<T>();
        inspection.all(Inspection::mean, scaling.by_ref().take(inputs));
        inspection.all(Inspection::deviation, scaling.by_ref().take(inputs));
        inspection.all(Inspection::floor, scaling);
        inspection.all(Inspection::coordinate, self.readings.values::<T>());
        inspection.result()?;
        self.check_floors(self.scaling.values::<T>().skip(2 * inputs).any(|floor| floor > T::ZERO))
    }

    /// Floors of which none is that of a logarithmic input are not written.
    fn check_floors(&self, some: bool) -> Result<(), Error> {
        match self.floors && !some {
            true => Err(Error::Parameter { name: "floor", rule: "> 0 for some input" }),
            false => Ok(()),
        }
    }

    /// Checks scaling and points of this type, and decodes the scaling.
    pub(super) fn check_readings<X, S>(&self) -> Result<S, Error>
    where
        X: Encode,
        S: Prepare<X> + EncodeScaling,
    {
        let scaling = S::decode(&mut { self.scaling }, self.floors)?;
        scaling.validate()?;
        self.check_floors(scaling.has_floors())?;
        let usable = self.readings.values::<X>().filter(|point| S::check(point).is_ok());
        match usable.count() == self.points() {
            true => Ok(scaling),
            false => Err(Error::Parameter { name: "points", rule: "finite" }),
        }
    }

    /// Writes the weights; there is room.
    pub(in crate::detect) fn write_expansion(&self, expansion: &mut ExpansionMut<'_, T>) {
        fill(expansion.centre, self.centre.values());
        let mut weights = self.weights.values();
        let components = count(self.header.components);
        for row in expansion.weights.iter_rows_mut().take(self.points()) {
            fill(head_mut(row, components), &mut weights);
        }
        fill(expansion.offsets, self.offsets.values());
        fill(expansion.variances, self.variances.values());
        *expansion.header = self.header;
    }
}

/// How many bytes the parts of a detector take that depend on its readings.
pub(in crate::detect) struct Sizes {
    /// `d`.
    inputs: usize,
    scaling: usize,
    point: usize,
    vectors: bool,
    floors: bool,
}

impl Sizes {
    pub(super) const fn of<X: Reading + Encode, S: EncodeScaling>(floors: bool) -> Self {
        let vectors = X::WIDTH > 0;
        let inputs = if vectors { X::WIDTH } else { X::SIZE };
        let scaling = S::SIZE + if floors { X::SIZE } else { 0 };
        Self { inputs, scaling, point: X::SIZE, vectors, floors }
    }

    pub(in crate::detect) const fn of_vectors<T: Encode>(inputs: usize, floors: bool) -> Self {
        let point = inputs * T::SIZE;
        let scaling = if floors { 3 } else { 2 } * point;
        Self { inputs, scaling, point, vectors: true, floors }
    }

    /// Bytes of a stored detector: the table in the documentation of the module, summed up.
    pub(super) const fn encoded_len<K: Encode, T: Encode>(
        &self,
        points: usize,
        components: usize,
    ) -> usize {
        let scalars = 4 + points * (1 + components) + 2 * components;
        let readings = self.scaling + points * self.point;
        PRELUDE_SIZE + K::SIZE + scalars * T::SIZE + readings + CHECKSUM_SIZE
    }
}

/// What is written of any detector, but for scaling and points.
pub(super) struct Written<'a, K, T> {
    pub(super) kernel: &'a K,
    pub(super) threshold: Threshold<T>,
    pub(super) expansion: ExpansionView<'a, T>,
    pub(super) sizes: Sizes,
}

impl<K: Encode, T: Real + Encode> Written<'_, K, T> {
    pub(super) fn encoded_len(&self) -> usize {
        let (points, components) = (self.expansion.points(), self.expansion.components());
        self.sizes.encoded_len::<K, T>(points, components)
    }

    /// Writes everything in its order; the closure writes scaling and points.
    pub(super) fn write_to(
        &self,
        out: &mut [u8],
        readings: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let (length, capacity) = (self.encoded_len(), out.len());
        let no_room = Error::Capacity { what: "encoded detector", needed: length, capacity };
        let out = out.get_mut(..length).ok_or(no_room)?;
        let (body, check) = out.split_last_chunk_mut().ok_or(no_room)?;
        self.encode(&mut Writer::new(body), readings)?;
        *check = checksum(body).to_le_bytes();
        Ok(length)
    }

    fn encode(
        &self,
        out: &mut Writer<'_>,
        readings: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let header = self.expansion.header();
        let prelude = Prelude {
            scalar: T::SIZE as u8,
            flags: if header.indefinite { INDEFINITE } else { 0 }
                | if self.sizes.vectors { 0 } else { NO_VECTORS }
                | if self.sizes.floors { FLOORS } else { 0 },
            length: stored(self.encoded_len()),
            inputs: stored(self.sizes.inputs),
            points: stored(self.expansion.points()),
            components: stored(self.expansion.components()),
        };
        prelude.encode(out)?;
        encode_kernel(self.kernel, out)?;
        out.values(&[self.threshold.spe, self.threshold.usual])?;
        out.values(&[header.centre_norm, header.total_variance])?;
        readings(out)?;
        out.values(self.expansion.centre())?;
        self.expansion.weights().iter_rows().try_for_each(|row| out.values(row))?;
        out.values(self.expansion.offsets())?;
        out.values(self.expansion.variances())
    }
}
