//! What a valid detector is: one list of rules for every door, be it bytes, parts or a constant in
//! flash.
//!
//! An [`Inspection`] is shown the numbers of a detector one after the other, wherever they are, and
//! remembers the first rule that is broken. Numbers are `f64`, to which both scalar types convert
//! exactly, and the rules are `const`: whoever compiles a model into flash is held to the same ones
//! as the device that loads it.

use super::hearing::Hearing;
use super::threshold::Threshold;
use crate::error::Error;
use crate::kpca::{ExpansionHeader, ExpansionView};
use crate::math::{Normal, Real};

/// How negative a squared norm can become, and by how much a sum of variances can exceed the total,
/// as a share of the total variance: much more than rounding does.
const ROUNDING: f64 = 1.0 / 16.0;

/// See the [module](self).
#[derive(Clone, Copy)]
pub(in crate::detect) struct Inspection {
    normal: Normal,
    /// The first rule that is broken.
    fault: Option<Error>,
    largest_centre: f64,
    largest_weight: f64,
    /// `Σ b_j²`.
    offsets: f64,
    /// `Σ λ_j`.
    variances: f64,
    /// The last `λ_j`, which is the smallest.
    least_variance: f64,
}

impl Inspection {
    /// Of a detector whose numbers are of this type.
    pub(in crate::detect) const fn of<T: Real>() -> Self {
        Self {
            normal: Normal::of::<T>(),
            fault: None,
            largest_centre: 0.0,
            largest_weight: 0.0,
            offsets: 0.0,
            variances: 0.0,
            least_variance: f64::INFINITY,
        }
    }

    /// Is everything valid that was seen?
    ///
    /// # Errors
    /// The first rule that is broken.
    pub(in crate::detect) const fn result(&self) -> Result<(), Error> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }

    const fn require(&mut self, holds: bool, name: &'static str, rule: &'static str) {
        if !holds && self.fault.is_none() {
            self.fault = Some(Error::Parameter { name, rule });
        }
    }

    const fn finite(&mut self, name: &'static str, value: f64) {
        self.require(value.is_finite(), name, "finite");
    }

    /// What is divided by. Some cores take subnormal numbers for 0.
    const fn positive(&mut self, name: &'static str, value: f64) {
        self.require(value.is_finite() && value > 0.0, name, "finite and > 0");
        self.require(value >= self.normal.least, name, "not subnormal");
    }
}

/// The numbers, one by one.
impl Inspection {
    /// The mean of an input.
    pub(in crate::detect) const fn mean(&mut self, value: f64) {
        self.finite("mean", value);
    }

    /// The deviation of an input.
    pub(in crate::detect) const fn deviation(&mut self, value: f64) {
        self.positive("deviation", value);
    }

    /// The floor of an input; 0 for one that is not logarithmic.
    pub(in crate::detect) const fn floor(&mut self, value: f64) {
        self.require(value.is_finite() && value >= 0.0, "floor", "finite and >= 0");
        self.require(value == 0.0 || value >= self.normal.least, "floor", "not subnormal");
    }

    /// A coordinate of a point.
    pub(in crate::detect) const fn coordinate(&mut self, value: f64) {
        self.finite("points", value);
    }

    /// A `β_i`.
    pub(in crate::detect) const fn centre(&mut self, value: f64) {
        self.finite("centre", value);
        if value.abs() > self.largest_centre {
            self.largest_centre = value.abs();
        }
    }

    /// An `α_ji`.
    pub(in crate::detect) const fn weight(&mut self, value: f64) {
        self.finite("weights", value);
        if value.abs() > self.largest_weight {
            self.largest_weight = value.abs();
        }
    }

    /// A `b_j`.
    pub(in crate::detect) const fn offset(&mut self, value: f64) {
        self.finite("offsets", value);
        self.offsets += value * value;
    }

    /// A `λ_j`, in their order.
    pub(in crate::detect) const fn variance(&mut self, value: f64) {
        self.positive("variances", value);
        self.require(value <= self.least_variance, "variances", "descending");
        self.least_variance = value;
        self.variances += value;
    }

    /// The header, once all variances were seen. Its counts are those of what was shown.
    pub(in crate::detect) const fn header(&mut self, header: &ExpansionHeader<f64>) {
        let ExpansionHeader { centre_norm, total_variance, indefinite, .. } = *header;
        self.finite("centre_norm", centre_norm);
        self.positive("total_variance", total_variance);
        // Where the kernel is indefinite, both can be otherwise.
        let rounding = ROUNDING * total_variance;
        self.require(indefinite || centre_norm >= -rounding, "centre_norm", ">= 0");
        let within = self.variances <= total_variance + rounding;
        self.require(indefinite || within, "variances", "at most the total variance");
    }

    /// Weights against the kernel's norm, if that is bounded. Larger ones make sums that consist of
    /// the rounding of kernel values, also of those of a reading far away.
    const fn weights_of(&mut self, norm: Option<f64>) {
        let Some(norm) = norm else { return };
        if !norm.is_finite() {
            return;
        }
        let most = 1.0 / self.normal.epsilon;
        self.require(self.largest_centre <= most, "centre", "small enough to be added up");
        let square = self.largest_weight * self.largest_weight * norm;
        self.require(square <= most * most, "weights", "small enough to be added up");
    }

    /// The threshold, once all else was seen.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub(in crate::detect) const fn finish(
        &mut self,
        norm: Option<f64>,
        header: &ExpansionHeader<f64>,
        threshold: &Threshold<f64>,
    ) -> Result<(), Error> {
        self.header(header);
        self.weights_of(norm);
        if let Err(fault) = self.result() {
            return Err(fault);
        }
        let ExpansionHeader { centre_norm, indefinite, .. } = *header;
        Hearing { norm, centre_norm, offsets: self.offsets, indefinite }.require(threshold)
    }
}

/// Axes have neither header nor threshold.
impl Inspection {
    /// The end of what projections need, once all of it was seen.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub(in crate::detect) const fn finish_axes(&mut self, norm: Option<f64>) -> Result<(), Error> {
        self.weights_of(norm);
        self.result()
    }
}

/// Many numbers at once.
impl Inspection {
    /// Shows numbers to one of the rules.
    pub(in crate::detect) fn all<T: Real>(
        &mut self,
        rule: impl Fn(&mut Self, f64),
        values: impl Iterator<Item = T>,
    ) {
        values.for_each(|value| rule(self, value.to_f64()));
    }

    /// Everything of a detector that its kernel, scaling and points have no part in.
    pub(in crate::detect) fn rest<T: Real>(
        &mut self,
        norm: Option<T>,
        expansion: &ExpansionView<'_, T>,
        threshold: Threshold<T>,
    ) -> Result<(), Error> {
        self.all(Self::centre, expansion.centre().iter().copied());
        self.all(Self::weight, expansion.weights().iter_rows().flatten().copied());
        self.all(Self::offset, expansion.offsets().iter().copied());
        self.all(Self::variance, expansion.variances().iter().copied());
        self.finish(norm.map(T::to_f64), &header_in_f64(expansion.header()), &threshold.to_f64())
    }
}

/// The same numbers as `f64`, exactly.
pub(in crate::detect) fn header_in_f64<T: Real>(
    header: &ExpansionHeader<T>,
) -> ExpansionHeader<f64> {
    ExpansionHeader::new(
        header.points,
        header.components,
        header.centre_norm.to_f64(),
        header.total_variance.to_f64(),
        header.indefinite,
    )
}
