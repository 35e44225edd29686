//! What a sample is, and where samples come from.
//!
//! A [`Sample`] is something that a model can store and a kernel can look at: an array of readings
//! (`[f32; 12]`, seen as `[f32]`), a borrowed string (`&str`, seen as `str`), or the number of a
//! row in a precomputed Gram matrix (`usize`). [`Samples`] is a collection of them that can be
//! asked for the i-th: a slice of samples, or a matrix with one sample a row.

use core::fmt::Debug;

use crate::linalg::MatrixView;
use crate::math::Real;

/// One sample, as it is stored; a kernel sees it as its [`View`](Sample::View).
pub trait Sample {
    /// What a [`Kernel`](crate::Kernel) compares: `[T]` for arrays, `str` for `&str`.
    type View: ?Sized;
    /// Looks at the sample.
    fn view(&self) -> &Self::View;
}

impl<T: Copy, const D: usize> Sample for [T; D] {
    type View = [T];
    #[inline(always)]
    fn view(&self) -> &[T] {
        self
    }
}

/// A sample that is a vector of readings, `[f32; D]` or `[f64; D]`: it can be scaled and explained.
pub trait Vector: Sample<View = [Self::Scalar]> + Copy + Debug {
    /// `f32` or `f64`.
    type Scalar: Real;
    /// The number of inputs.
    const INPUTS: usize;
    /// All inputs 0.
    const ZEROS: Self;
    /// The inputs, to write.
    fn view_mut(&mut self) -> &mut [Self::Scalar];
    /// The inputs of some vectors, one after the other.
    fn flatten(vectors: &[Self]) -> &[Self::Scalar];
    /// The inputs of some vectors, one after the other, to write.
    fn flatten_mut(vectors: &mut [Self]) -> &mut [Self::Scalar];
}

impl<T: Real, const D: usize> Vector for [T; D] {
    type Scalar = T;
    const INPUTS: usize = D;
    const ZEROS: Self = [T::ZERO; D];
    fn view_mut(&mut self) -> &mut [T] {
        self
    }
    fn flatten(vectors: &[Self]) -> &[T] {
        vectors.as_flattened()
    }
    fn flatten_mut(vectors: &mut [Self]) -> &mut [T] {
        vectors.as_flattened_mut()
    }
}

impl<S: ?Sized> Sample for &S {
    type View = S;
    fn view(&self) -> &S {
        self
    }
}

/// Row number in a [`Precomputed`](crate::kernel::Precomputed) Gram matrix.
impl Sample for usize {
    type View = usize;
    fn view(&self) -> &usize {
        self
    }
}

/// A collection of samples, addressed by position.
pub trait Samples {
    /// What a kernel compares.
    type View: ?Sized;
    /// How many samples there are.
    fn count(&self) -> usize;
    /// The i-th sample, if there is one.
    fn sample(&self, index: usize) -> Option<&Self::View>;
    /// All samples in order.
    fn iter_samples(&self) -> impl Iterator<Item = &Self::View> {
        (0..self.count()).map_while(|i| self.sample(i))
    }
}

impl<X: Sample> Samples for [X] {
    type View = X::View;
    fn count(&self) -> usize {
        self.len()
    }
    fn sample(&self, index: usize) -> Option<&X::View> {
        self.get(index).map(Sample::view)
    }
    fn iter_samples(&self) -> impl Iterator<Item = &X::View> {
        self.iter().map(Sample::view)
    }
}

/// One sample a row.
impl<T> Samples for MatrixView<'_, T> {
    type View = [T];
    fn count(&self) -> usize {
        self.rows()
    }
    fn sample(&self, index: usize) -> Option<&[T]> {
        (index < self.rows()).then(|| self.row(index))
    }
    fn iter_samples(&self) -> impl Iterator<Item = &[T]> {
        self.iter_rows()
    }
}

/// The number of a sample: `u32`, or `u16` where memory is dearer than numbers beyond 65,535.
pub trait Index: Copy + Debug + Default + PartialEq + sealed::Sealed {
    /// Stands for no sample: its largest value.
    const NONE: Self;
    /// The number of the sample at this position.
    fn of(position: usize) -> Self;
    /// The position of the sample.
    fn at(self) -> usize;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
}

macro_rules! index {
    ($t:ty) => {
        impl Index for $t {
            const NONE: Self = <$t>::MAX;
            #[inline(always)]
            fn of(position: usize) -> Self {
                debug_assert!(position <= Self::NONE as usize, "sample {position} has no number");
                position as $t
            }
            #[inline(always)]
            fn at(self) -> usize {
                self as usize
            }
        }
    };
}
index!(u16);
index!(u32);

/// Some of the samples of a collection, in the order of `rows`.
#[derive(Debug)]
pub struct Indexed<'a, S: ?Sized, I = u32> {
    /// The collection.
    pub samples: &'a S,
    /// Which samples of it.
    pub rows: &'a [I],
}

impl<S: Samples + ?Sized, I: Index> Samples for Indexed<'_, S, I> {
    type View = S::View;
    fn count(&self) -> usize {
        self.rows.len()
    }
    fn sample(&self, index: usize) -> Option<&S::View> {
        self.samples.sample(self.rows.get(index)?.at())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_matrices_and_strings_are_collections() {
        let rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let flat = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let matrix = MatrixView::new(&flat, 3, 2).unwrap();
        assert_eq!(rows.as_slice().count(), matrix.count());
        assert!(rows.as_slice().iter_samples().eq(matrix.iter_samples()));
        assert_eq!(matrix.sample(2), Some([5.0, 6.0].as_slice()));
        assert_eq!(matrix.sample(3), None);
        let rows = [2_u32, 0];
        let picked = Indexed { samples: &matrix, rows: &rows };
        assert!(picked.iter_samples().eq([[5.0, 6.0], [1.0, 2.0]]));
        assert_eq!(["start", "stop"].as_slice().sample(1), Some("stop"));
    }
}
