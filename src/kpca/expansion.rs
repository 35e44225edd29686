//! The weights of a model: all that is left of kernel PCA once the kernel values
//! `k_i = k(x, point_i)` are known.
//!
//! `f_j = Σ_i α_ji k_i − b_j`, `k̃ = k(x,x) − 2 Σ_i β_i k_i + ‖centre‖²`.

use crate::error::{Error, require_capacity};
use crate::linalg::carve::{Carver, total};
use crate::linalg::slices::copy;
use crate::linalg::{Matrix, MatrixView, MatrixViewMut};
use crate::math::{Real, sum};

/// The scalars of an expansion.
///
/// Counts are `u32`, so that a model has the same size on the host as on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct ExpansionHeader<T> {
    /// Number of points in use, at most the capacity.
    pub points: u32,
    /// Number of components in use, at most the capacity.
    pub components: u32,
    /// `‖centre‖²`, the squared norm of the samples' mean in feature space.
    pub centre_norm: T,
    /// Variance of the samples in feature space, over all components.
    pub total_variance: T,
    /// The kernel was not positive semi-definite on the samples, so SPE can be negative and is not
    /// clamped.
    pub indefinite: bool,
}

impl<T> ExpansionHeader<T> {
    /// A header from numbers computed earlier, in the order of the fields: for a model in flash.
    pub const fn new(
        points: u32,
        components: u32,
        centre_norm: T,
        total_variance: T,
        indefinite: bool,
    ) -> Self {
        Self { points, components, centre_norm, total_variance, indefinite }
    }
}

/// The weights of a model of at most `R` points and `P` components.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Expansion<T, const R: usize, const P: usize> {
    header: ExpansionHeader<T>,
    /// `α`, one row for each point: a score then reads it front to back.
    weights: Matrix<T, R, P>,
    centre: [T; R],
    offsets: [T; P],
    variances: [T; P],
}

impl<T: Real, const R: usize, const P: usize> Expansion<T, R, P> {
    /// No points, no components; a `static` of it stays in `.bss`.
    pub const fn empty() -> Self {
        Self {
            header: ExpansionHeader::new(0, 0, T::ZERO, T::ZERO, false),
            weights: Matrix::zeros(),
            centre: [T::ZERO; R],
            offsets: [T::ZERO; P],
            variances: [T::ZERO; P],
        }
    }

    /// An expansion from numbers computed earlier: a model in flash.
    ///
    /// `weights[i][j]` is `α_ji`, the weight of point `i` in component `j`; `centre` is `β`,
    /// `offsets` is `b`, `variances` is `λ`. Points and components beyond those that the header
    /// names are ignored.
    ///
    /// ```
    /// use mercer::kpca::{Expansion, ExpansionHeader};
    /// const WEIGHTS: Expansion<f32, 2, 1> = {
    ///     let header = ExpansionHeader::new(2, 1, 0.8, 0.2, false);
    ///     match Expansion::from_parts(header, [[1.5], [-1.5]], [0.5; 2], [0.0], [0.15]) {
    ///         Ok(expansion) => expansion,
    ///         Err(_) => panic!("more points or components than there is room for"),
    ///     }
    /// };
    /// assert_eq!(WEIGHTS.view().points(), 2);
    /// ```
    ///
    /// # Errors
    /// [`Error::Capacity`] when the header names more points or components than there are,
    /// [`Error::Parameter`] when it names none.
    pub const fn from_parts(
        header: ExpansionHeader<T>,
        weights: [[T; P]; R],
        centre: [T; R],
        offsets: [T; P],
        variances: [T; P],
    ) -> Result<Self, Error> {
        const { assert!(R > 0 && P > 0, "an expansion needs points and components") };
        if let Err(error) = require_count("points", header.points, R) {
            return Err(error);
        }
        if let Err(error) = require_count("components", header.components, P) {
            return Err(error);
        }
        Ok(Self { header, weights: Matrix::from_rows(weights), centre, offsets, variances })
    }

    /// The scalars.
    pub(crate) const fn header(&self) -> &ExpansionHeader<T> {
        &self.header
    }

    /// `α`, a row for each point there is room for.
    pub(crate) const fn weights(&self) -> &[[T; P]; R] {
        self.weights.as_rows()
    }

    /// `β`, one for each point there is room for.
    pub(crate) const fn centre(&self) -> &[T; R] {
        &self.centre
    }

    /// `b`, one for each component there is room for.
    pub(crate) const fn offsets(&self) -> &[T; P] {
        &self.offsets
    }

    /// `λ`, one for each component there is room for.
    pub(crate) const fn variances(&self) -> &[T; P] {
        &self.variances
    }

    /// The part in use, to read.
    pub fn view(&self) -> ExpansionView<'_, T> {
        let (centre, offsets, variances) = (&self.centre, &self.offsets, &self.variances);
        ExpansionView::in_use(self.header, self.weights.view(), centre, offsets, variances)
    }

    /// The storage, for a fit to write.
    pub fn storage(&mut self) -> ExpansionMut<'_, T> {
        ExpansionMut {
            header: &mut self.header,
            weights: self.weights.view_mut(),
            centre: &mut self.centre,
            offsets: &mut self.offsets,
            variances: &mut self.variances,
        }
    }
}

/// Storage that a fit writes an expansion to; the sizes of its arrays are the capacity.
#[derive(Debug)]
pub struct ExpansionMut<'a, T> {
    /// Which part of the arrays is in use, and the scalars; written last.
    pub header: &'a mut ExpansionHeader<T>,
    /// A row for each point, a column for each component.
    pub weights: MatrixViewMut<'a, T>,
    /// `β`, one for each point.
    pub centre: &'a mut [T],
    /// `b`, one for each component.
    pub offsets: &'a mut [T],
    /// `λ`, one for each component.
    pub variances: &'a mut [T],
}

impl<'a, T: Real> ExpansionMut<'a, T> {
    /// How many numbers the weights of so many points and components take.
    pub const fn numbers(points: usize, components: usize) -> usize {
        total(&[(points, components), (1, points), (2, components)])
    }

    /// Storage for so many points and components in one block of memory.
    ///
    /// # Errors
    /// [`Error::Capacity`] when that has fewer than [`numbers`](Self::numbers).
    pub fn over(
        points: usize,
        components: usize,
        header: &'a mut ExpansionHeader<T>,
        numbers: &'a mut [T],
    ) -> Result<Self, Error> {
        let needed = Self::numbers(points, components);
        let mut numbers = Carver::new("numbers of an expansion", needed, numbers)?;
        Ok(Self {
            header,
            weights: numbers.matrix(points, components)?,
            centre: numbers.take(points),
            offsets: numbers.take(components),
            variances: numbers.take(components),
        })
    }
}

impl<T: Real> ExpansionMut<'_, T> {
    /// Takes over an expansion that fits into it.
    pub(crate) fn copy_from(&mut self, other: ExpansionView<'_, T>) {
        *self.header = other.header;
        copy(other.centre, self.centre);
        copy(other.offsets, self.offsets);
        copy(other.variances, self.variances);
        for (to, from) in self.weights.iter_rows_mut().zip(other.weights.iter_rows()) {
            copy(from, to);
        }
    }

    /// The part in use, to read.
    pub fn view(&self) -> ExpansionView<'_, T> {
        ExpansionView::in_use(
            *self.header,
            self.weights.view(),
            self.centre,
            self.offsets,
            self.variances,
        )
    }

    /// How many points and components there is room for.
    pub(crate) fn capacity(&self) -> (usize, usize) {
        (
            self.weights.rows().min(self.centre.len()),
            self.weights.columns().min(self.offsets.len()).min(self.variances.len()),
        )
    }
}

/// At least one, and not more than there is room for.
const fn require_count(what: &'static str, count: u32, room: usize) -> Result<(), Error> {
    if count == 0 {
        return Err(Error::Parameter { name: what, rule: ">= 1" });
    }
    require_capacity(what, count as usize, room)
}

/// The first `count` entries, or all: a header never names more than there is room for.
fn leading<T>(slice: &[T], count: usize) -> &[T] {
    debug_assert!(count <= slice.len(), "{count} in use, room for {}", slice.len());
    slice.get(..count).unwrap_or(slice)
}

/// An expansion to score with; its sizes are run-time values.
#[derive(Clone, Copy, Debug)]
pub struct ExpansionView<'a, T> {
    header: ExpansionHeader<T>,
    weights: MatrixView<'a, T>,
    centre: &'a [T],
    offsets: &'a [T],
    variances: &'a [T],
}

impl<'a, T: Real> ExpansionView<'a, T> {
    /// A view of weights in the caller's storage.
    ///
    /// # Errors
    /// [`Error::Shape`] when a size differs from what the header says.
    pub fn new(
        header: ExpansionHeader<T>,
        weights: MatrixView<'a, T>,
        centre: &'a [T],
        offsets: &'a [T],
        variances: &'a [T],
    ) -> Result<Self, Error> {
        let (points, components) = (header.points as usize, header.components as usize);
        for (what, expected, given) in [
            ("weight rows", points, weights.rows()),
            ("weight columns", components, weights.columns()),
            ("centre weights", points, centre.len()),
            ("offsets", components, offsets.len()),
            ("variances", components, variances.len()),
        ] {
            if given != expected {
                return Err(Error::Shape { what, expected, given });
            }
        }
        Ok(Self { header, weights, centre, offsets, variances })
    }

    /// The part of some storage that the header says is in use.
    pub(crate) fn in_use(
        header: ExpansionHeader<T>,
        weights: MatrixView<'a, T>,
        centre: &'a [T],
        offsets: &'a [T],
        variances: &'a [T],
    ) -> Self {
        let (points, components) = (header.points as usize, header.components as usize);
        Self {
            header,
            weights: weights.leading(points, components),
            centre: leading(centre, points),
            offsets: leading(offsets, components),
            variances: leading(variances, components),
        }
    }

    /// The scalars.
    pub const fn header(&self) -> &ExpansionHeader<T> {
        &self.header
    }

    /// Number of points, hence of kernel evaluations a score takes.
    pub const fn points(&self) -> usize {
        self.weights.rows()
    }

    /// Number of components, hence of projections.
    pub const fn components(&self) -> usize {
        self.weights.columns()
    }

    /// `λ_j`, the variance of the samples along each component, descending: the eigenvalues of
    /// their covariance in feature space.
    pub const fn variances(&self) -> &'a [T] {
        self.variances
    }

    /// `α`: a row for each point, a column for each component.
    pub const fn weights(&self) -> MatrixView<'a, T> {
        self.weights
    }

    /// `β`, the weight of each point in the centre of the samples.
    pub const fn centre(&self) -> &'a [T] {
        self.centre
    }

    /// `b`, the projection of the centre on each component.
    pub const fn offsets(&self) -> &'a [T] {
        self.offsets
    }

    /// SPE of a [stranger](crate::Kernel::stranger_norm) of this `k(s, s)`: `norm + ‖centre‖² −
    /// Σ b_j²`, since its projections are `−b_j`.
    pub fn far_field(&self, norm: T) -> T {
        norm + self.header.centre_norm - sum(self.offsets.iter().map(|&offset| offset * offset))
    }

    /// The share of the total variance that each component explains, descending.
    pub fn explained_ratios(&self) -> impl Iterator<Item = T> + use<'a, T> {
        let total = self.header.total_variance;
        self.variances.iter().map(move |&variance| variance / total)
    }
}
