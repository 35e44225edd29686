//! A detector in the caller's memory, with sizes that are known at run time only.
//!
//! A host program learns, stores, reads back and scores a detector whose sizes come from a file:
//!
//! ```
//! use mercer::Recipe;
//! use mercer::detect::DetectorBuffer;
//! use mercer::kernel::Rbf;
//! use mercer::linalg::MatrixView;
//!
//! let (rows, inputs, points, components) = (40, 2, 12, 8); // e.g. of a CSV file
//! let data: Vec<f32> = (0..rows * inputs).map(|i| ((i * i) as f32 * 0.37).sin()).collect();
//! let samples = MatrixView::new(&data, rows, inputs)?;
//!
//! let mut memory = vec![0.0; DetectorBuffer::<Rbf<f32>, f32>::numbers(inputs, points, components)];
//! let mut detector = DetectorBuffer::new(inputs, points, components, &mut memory)?;
//! let (mut numbers, mut indices) =
//!     (vec![0.0; detector.learn_numbers(rows)], vec![0; detector.learn_indices(rows)]);
//! let kernel = Rbf::for_inputs(inputs);
//! detector.learn(&samples, kernel, Recipe::default(), &mut numbers, &mut indices)?;
//!
//! let mut bytes = vec![0; detector.view()?.encoded_len()];
//! detector.view()?.write_to(&mut bytes)?;
//! detector.read_from(&bytes)?; // here, or on another machine
//! let mut projection = vec![0.0; detector.view()?.model.expansion().components()];
//! let verdict = detector.view()?.score(&mut [9.0, 9.0], &mut projection)?;
//! assert!(verdict.unusual);
//! # Ok::<(), mercer::Error>(())
//! ```

use core::iter;

use super::detector::DetectorView;
use super::learning::{LearnReport, LearnScratch, LearnSizes, Learning, Recipe};
use super::logs;
use super::persist::{Checked, Encode, Sizes, fill};
use super::scaling;
use super::threshold::Threshold;
use crate::Progress;
use crate::error::{Error, require_shape};
use crate::kernel::block::make_memos;
use crate::kernel::{BlockKernel, Indexed, Samples};
use crate::kpca::{ExpansionHeader, ExpansionMut, ExpansionView, KernelPcaView};
use crate::linalg::MatrixViewMut;
use crate::linalg::carve::{Carver, total};
use crate::linalg::eigen::TridiagonalQr;
use crate::linalg::slices::{copy, head};
use crate::math::Real;

/// A detector in the caller's memory; see the [module](self).
#[derive(Debug)]
pub struct DetectorBuffer<'a, K, T> {
    kernel: Option<K>,
    threshold: Threshold<T>,
    header: ExpansionHeader<T>,
    mean: &'a mut [T],
    deviation: &'a mut [T],
    floor: &'a mut [T],
    points: Rows<'a, T>,
    memos: &'a mut [T],
    /// How many memos are in use.
    near: usize,
    weights: MatrixViewMut<'a, T>,
    centre: &'a mut [T],
    offsets: &'a mut [T],
    variances: &'a mut [T],
}

/// Points of equal length, one after the other; those that are in use are samples.
#[derive(Debug)]
struct Rows<'a, T> {
    numbers: &'a mut [T],
    length: usize,
    in_use: usize,
}

impl<T: Real> Rows<'_, T> {
    /// Replaces them; there is room.
    fn fill<'b>(&mut self, rows: impl Iterator<Item = &'b [T]>) {
        let places = self.numbers.chunks_exact_mut(self.length.max(1));
        self.in_use = places.zip(rows).map(|(place, row)| copy(row, place)).count();
    }
}

impl<T: Real> Samples for Rows<'_, T> {
    type View = [T];
    fn count(&self) -> usize {
        self.in_use
    }
    fn sample(&self, index: usize) -> Option<&[T]> {
        let rows = self.numbers.chunks_exact(self.length.max(1));
        rows.take(self.in_use).nth(index)
    }
    fn iter_samples(&self) -> impl Iterator<Item = &[T]> {
        self.numbers.chunks_exact(self.length.max(1)).take(self.in_use)
    }
}

impl<'a, K, T> DetectorBuffer<'a, K, T>
where
    T: Real,
    K: BlockKernel<[T], Scalar = T>,
{
    /// How many numbers a detector of these sizes takes.
    pub const fn numbers(inputs: usize, points: usize, components: usize) -> usize {
        let weights = ExpansionMut::<T>::numbers(points, components);
        total(&[(3, inputs), (points, inputs), (1, points), (1, weights)])
    }

    /// Room for a detector of at most so many points and components.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there are fewer than [`numbers`](Self::numbers), and
    /// [`Error::Parameter`] for a size of 0.
    pub fn new(
        inputs: usize,
        points: usize,
        components: usize,
        numbers: &'a mut [T],
    ) -> Result<Self, Error> {
        for (name, size) in [("inputs", inputs), ("points", points), ("components", components)] {
            if size == 0 {
                return Err(Error::Parameter { name, rule: ">= 1" });
            }
        }
        let needed = Self::numbers(inputs, points, components);
        let mut numbers = Carver::new("numbers of a detector", needed, numbers)?;
        Ok(Self {
            kernel: None,
            threshold: Threshold::EMPTY,
            header: ExpansionHeader::default(),
            mean: numbers.take(inputs),
            deviation: numbers.take(inputs),
            floor: numbers.take(inputs),
            points: Rows { numbers: numbers.take(points * inputs), length: inputs, in_use: 0 },
            memos: numbers.take(points),
            near: 0,
            weights: numbers.matrix(points, components)?,
            centre: numbers.take(points),
            offsets: numbers.take(components),
            variances: numbers.take(components),
        })
    }

    /// How many points and components there is room for.
    fn capacity(&self) -> (usize, usize) {
        (self.memos.len(), self.offsets.len())
    }

    fn learn_sizes(&self, samples: usize) -> LearnSizes {
        let (points, components) = self.capacity();
        LearnSizes { samples, points, components }
    }

    /// How many numbers it takes to [learn](Self::learn) from so many samples.
    pub fn learn_numbers(&self, samples: usize) -> usize {
        let inputs = self.mean.len();
        let learning = self.learn_sizes(samples).numbers::<T, TridiagonalQr<T>>();
        total(&[(samples, inputs), (3, inputs), (1, learning)])
    }

    /// How many indices it takes to [learn](Self::learn) from so many samples.
    pub fn learn_indices(&self, samples: usize) -> usize {
        self.learn_sizes(samples).indices()
    }

    /// Where the weights are written to.
    fn storage(&mut self) -> ExpansionMut<'_, T> {
        ExpansionMut {
            header: &mut self.header,
            weights: self.weights.reborrow(),
            centre: self.centre,
            offsets: self.offsets,
            variances: self.variances,
        }
    }

    /// The detector, to score with.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn view(&self) -> Result<DetectorView<'_, K, impl Samples<View = [T]>>, Error> {
        let kernel = self.kernel.as_ref().ok_or(Error::NotFitted)?;
        let expansion = ExpansionView::in_use(
            self.header,
            self.weights.view(),
            self.centre,
            self.offsets,
            self.variances,
        );
        let memos = head(self.memos, self.near);
        Ok(DetectorView {
            mean: self.mean,
            deviation: self.deviation,
            floor: self.floor,
            model: KernelPcaView::with_memos(kernel, &self.points, memos, expansion)?,
            threshold: self.threshold,
        })
    }

    /// Learns from samples: scaling, threshold and model, in one go. No input is
    /// [logarithmic](super::logs) unless the recipe wants it.
    ///
    /// `numbers` has room for [`learn_numbers`](Self::learn_numbers), `indices` for
    /// [`learn_indices`](Self::learn_indices).
    ///
    /// # Errors
    /// Those of [`Learning`]; [`Error::Shape`] when the samples have another number of inputs;
    /// [`Error::Capacity`] for too little memory. The detector is unchanged then.
    pub fn learn<S>(
        &mut self,
        samples: &S,
        kernel: K,
        recipe: Recipe<T>,
        numbers: &mut [T],
        indices: &mut [u32],
    ) -> Result<LearnReport<T>, Error>
    where
        S: Samples<View = [T]> + ?Sized,
        K: Clone,
    {
        self.learn_recordings(samples, &[], kernel, recipe, numbers, indices)
    }

    /// As [`learn`](Self::learn), from several recordings, all of which but the first begin at
    /// these samples; see [`Learning::with_recordings`].
    ///
    /// # Errors
    /// As [`learn`](Self::learn), and those of [`Learning::with_recordings`].
    pub fn learn_recordings<S>(
        &mut self,
        samples: &S,
        begins: &[usize],
        kernel: K,
        recipe: Recipe<T>,
        numbers: &mut [T],
        indices: &mut [u32],
    ) -> Result<LearnReport<T>, Error>
    where
        S: Samples<View = [T]> + ?Sized,
        K: Clone,
    {
        let (n, inputs) = (samples.count(), self.mean.len());
        let sizes = self.learn_sizes(n);
        let mut numbers = Carver::new("numbers for learning", self.learn_numbers(n), numbers)?;
        let (mean, deviation) = (numbers.take(inputs), numbers.take(inputs));
        let floor = numbers.take(inputs);
        if recipe.standardise {
            let (outliers, log) = (recipe.trimmed(n), |input| recipe.logs.of(input));
            recipe.logs.require_within(inputs)?;
            logs::learn(samples, outliers, log, mean, deviation, floor)?;
        } else {
            // The memory may have been in use before.
            mean.fill(T::ZERO);
            deviation.fill(T::ONE);
            floor.fill(T::ZERO);
        }
        scaling::validate(mean, deviation)?;
        let scaled = numbers.take(n * inputs);
        for (place, x) in scaled.chunks_exact_mut(inputs.max(1)).zip(samples.iter_samples()) {
            require_shape("inputs of a sample", inputs, x.len())?;
            copy(x, place);
            logs::take(place, floor);
            scaling::apply(place, mean, deviation);
        }
        let scaled = Rows { numbers: scaled, length: inputs, in_use: n };

        let mut header = ExpansionHeader::default();
        let memory = numbers.take(sizes.numbers::<T, TridiagonalQr<T>>());
        let mut scratch = LearnScratch::<T>::over(sizes, &mut header, memory, indices)?;
        let mut learning = Learning::start(recipe, 0..n as u32, &mut scratch)?
            .with_recordings(begins.iter().copied())?;
        let same = |_: &Indexed<'_, _>| Ok(kernel.clone());
        while learning.step(&scaled, same, &mut scratch)? == Progress::Working {}
        let (_, report) = learning.result().ok_or(Error::NotFitted)?;

        // From here on nothing can fail.
        copy(mean, self.mean);
        copy(deviation, self.deviation);
        copy(floor, self.floor);
        self.points.fill(scratch.points(&report).filter_map(|row| scaled.sample(row)));
        self.storage().copy_from(scratch.candidate.view());
        self.threshold = report.threshold;
        self.adopt(kernel);
        Ok(report)
    }

    /// Takes over a kernel once everything else is in place.
    fn adopt(&mut self, kernel: K) {
        self.near = make_memos(&kernel, self.points.iter_samples(), self.memos).len();
        self.kernel = Some(kernel);
    }
}

/// Storing. The [module](super::persist) documents the bytes.
impl<K, T> DetectorBuffer<'_, K, T>
where
    T: Real + Encode,
    K: BlockKernel<[T], Scalar = T> + Encode,
{
    /// Reads a detector from the front of `bytes`; what follows it there is ignored.
    ///
    /// # Errors
    /// As [`Detector::read_from`](super::Detector::read_from). The detector is unchanged then.
    pub fn read_from(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let inputs = self.mean.len();
        let sizes = |floors| Sizes::of_vectors::<T>(inputs, floors);
        let checked = Checked::<K, T>::new(bytes, sizes, true, self.capacity())?;
        checked.check_vectors(inputs)?;
        // From here on nothing can fail.
        let mut scaling = checked.scaling.values::<T>();
        fill(self.mean, scaling.by_ref().take(inputs));
        fill(self.deviation, scaling.by_ref().take(inputs));
        // Where there are no floors, no input is logarithmic.
        fill(self.floor, scaling.chain(iter::repeat(T::ZERO)));
        self.points.in_use = checked.points();
        fill(self.points.numbers, checked.readings.values());
        checked.write_expansion(&mut self.storage());
        self.threshold = checked.threshold;
        self.adopt(checked.kernel);
        Ok(())
    }
}
