//! Kernel k-means: samples in clusters, each around a centre in feature space.
//!
//! **Method.** The centre of cluster `c` is the mean of its samples' images. The squared distance
//! from `φ(x)` to it is `k(x,x) − (2/|c|) Σ_{i∈c} k(x,x_i) + (1/|c|²) Σ_{i,j∈c} K_ij`, and the
//! objective, the sum of all samples' squared distances to their own centres, is
//! `Σ_i K_ii − Σ_c (1/|c|) Σ_{i,j∈c} K_ij`. With the linear kernel this is ordinary k-means.
//! Everything is deterministic:
//!
//! 1. *Seeds.* The first is the sample nearest to the mean of all, each further one the sample
//!    farthest from the seeds so far; every sample joins the nearest seed. Ties go to the first
//!    sample and to the first seed. Further [starts](field@KMeansOptions::starts) take other
//!    samples for the first seed, evenly spread over the order in which the samples are given.
//! 2. *Passes over all samples*: each moves to the nearest centre if that is nearer than its own;
//!    then the centres are computed anew. A cluster that lost all its samples takes the one that is
//!    farthest from its centre.
//! 3. *Single moves* when no pass changes anything
//!    ([`KMeansOptions::single_moves`](field@KMeansOptions::single_moves)): a sample moves if that
//!    lowers the objective with both centres moving along,
//!    `|a|/(|a|−1)·d²(x,a) > |b|/(|b|+1)·d²(x,b)`. In feature space a sample is a good part of its
//!    own centre, the more so the narrower the kernel, and passes get stuck where single moves do
//!    not.
//!
//! The result is a local minimum; of several starts the best is kept. Nothing of the size `n × n`
//! is stored: a pass makes `n(n−1)/2` kernel evaluations, a single move `n`. Where there is room
//! for the Gram matrix, [`Precomputed`](crate::kernel::Precomputed) saves them.
//!
//! **Source.** Dhillon, Guan & Kulis, *Kernel k-means, Spectral Clustering and Normalized Cuts*,
//! KDD 2004. Seeds: Gonzalez 1985. Passes: Lloyd 1982. Single moves: Hartigan 1975.
//!
//! **Domain.** At least as many distinct samples as clusters, and a kernel whose values are finite
//! on all pairs. With an indefinite kernel a pass can raise the objective.
//!
//! **Bound.** A squared distance is known to `n·ε` of the largest `k(x,x)`, and a sample moves only
//! for a gain above that, so neither kind of pass raises the objective by more. With the linear
//! kernel in `f32`, centre the inputs: far from the origin, distances are small beside `k(x,x)`.

mod fit;
mod pass;
mod seed;
mod sums;

pub use fit::{KMeansFit, fit};

use crate::error::{Error, Fault, require_capacity, require_shape};
use crate::kernel::{BlockKernel, Kernel, Sample, Samples};
use crate::kpca::Scalar;
use crate::linalg::slices::{head, head_mut};
use crate::linalg::{Matrix, MatrixViewMut};
use crate::math::{Real, first_least, sum};
use crate::methods::points;

/// How many clusters to find, and with how much effort.
///
/// ```
/// use mercer::methods::KMeansOptions;
/// const OPTIONS: KMeansOptions = KMeansOptions::new(3).starts(4).single_moves(false);
/// assert_eq!((OPTIONS.clusters, OPTIONS.starts, OPTIONS.max_passes), (3, 4, 100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct KMeansOptions {
    /// How many clusters.
    pub clusters: usize,
    /// From how many seeds to start; no more are used than there are samples. The time grows with
    /// it.
    pub starts: usize,
    /// How many passes at most, of both kinds together, from each start.
    pub max_passes: usize,
    /// Go on with single moves when passes over all samples change nothing any more; without them,
    /// it is Lloyd's algorithm.
    pub single_moves: bool,
}

impl KMeansOptions {
    /// Finds `clusters` clusters: 8 starts of at most 100 passes, with single moves.
    pub const fn new(clusters: usize) -> Self {
        Self { clusters, starts: 8, max_passes: 100, single_moves: true }
    }

    /// Sets [`starts`](field@Self::starts).
    pub const fn starts(self, starts: usize) -> Self {
        Self { starts, ..self }
    }

    /// Sets [`max_passes`](field@Self::max_passes).
    pub const fn max_passes(self, max_passes: usize) -> Self {
        Self { max_passes, ..self }
    }

    /// Sets [`single_moves`](field@Self::single_moves).
    pub const fn single_moves(self, single_moves: bool) -> Self {
        Self { single_moves, ..self }
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outcome {
    /// No move would be a gain.
    Settled,
    /// The passes were used up; the clusters can be used, but better ones may be near.
    PassesUsedUp,
}

/// What a fit found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct KMeansReport<T> {
    /// Number of samples.
    pub samples: usize,
    /// Number of clusters.
    pub clusters: usize,
    /// Which start was the best, counted from 0; among equally good ones the first.
    pub start: usize,
    /// How many passes it made, the last of which changed nothing if it settled.
    pub passes: usize,
    /// The sum of squared distances to the centres.
    pub objective: T,
    /// How it ended.
    pub outcome: Outcome,
}

/// A cluster of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Cluster<T> {
    /// Number of samples.
    pub samples: u32,
    /// `Σ_{i,j∈c} K_ij`; divided by the square of `samples`, the squared norm of the centre.
    pub total: T,
}

impl<T> Cluster<T> {
    /// A cluster that was found earlier, e.g. for a `static` in flash.
    pub const fn new(samples: u32, total: T) -> Self {
        Self { samples, total }
    }
}

impl<T: Real> Cluster<T> {
    /// Squared distance from a point to the centre, from `k(x,x)` and `Σ_{i∈c} k(x,x_i)`; 0 where
    /// rounding would make it negative.
    fn squared_distance(&self, kxx: T, sum: T) -> T {
        let count = T::from_usize(self.samples as usize);
        let mean = sum / count;
        T::ZERO.larger(kxx - (mean + mean) + self.total / count / count)
    }
}

/// The cluster nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Nearest<T> {
    /// Its number.
    pub cluster: usize,
    /// Squared distance to its centre, in feature space.
    pub squared_distance: T,
}

/// At most `N` samples of type `X` in at most `C` clusters.
///
/// ```
/// use mercer::kernel::Rbf;
/// use mercer::methods::{KMeansOptions, KMeansWorkspace, KernelKMeans};
/// let samples = [[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [4.9, 5.0], [0.1, 0.2]];
/// let mut clusters = KernelKMeans::<Rbf<f32>, [f32; 2], 5, 2>::new();
/// let mut workspace = KMeansWorkspace::<f32, 5, 2>::new();
/// clusters.fit(Rbf::new(0.5), &samples, KMeansOptions::new(2), &mut workspace)?;
/// assert_eq!(clusters.labels(), [0, 0, 1, 1, 0]);
/// assert_eq!(clusters.assign(&[4.0, 4.0])?.cluster, 1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct KernelKMeans<K, X, const N: usize, const C: usize>
where
    X: Sample,
    K: Kernel<X::View>,
{
    kernel: Option<K>,
    points: heapless::Vec<X, N, u32>,
    labels: [u32; N],
    clusters: heapless::Vec<Cluster<Scalar<K, X>>, C, u32>,
}

impl<K, X, const N: usize, const C: usize> KernelKMeans<K, X, N, C>
where
    X: Sample,
    K: BlockKernel<X::View>,
{
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// No clusters yet; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        const { assert!(N > 0 && C > 0, "there must be room for samples and clusters") };
        Self {
            kernel: None,
            points: heapless::Vec::new(),
            labels: [0; N],
            clusters: heapless::Vec::new(),
        }
    }

    /// Clusters that were found earlier, e.g. on the host, and live in flash.
    pub const fn from_parts(
        kernel: K,
        points: [X; N],
        labels: [u32; N],
        clusters: [Cluster<Scalar<K, X>>; C],
    ) -> Self {
        Self {
            kernel: Some(kernel),
            points: heapless::Vec::from_array(points),
            labels,
            clusters: heapless::Vec::from_array(clusters),
        }
    }

    /// Finds clusters; the samples are kept.
    ///
    /// # Errors
    /// See [`KMeansFit`]; [`Error::Capacity`] when there is no room for the samples or clusters.
    /// The clusters are unchanged after an error.
    pub fn fit(
        &mut self,
        kernel: K,
        samples: &[X],
        options: KMeansOptions,
        workspace: &mut KMeansWorkspace<Scalar<K, X>, N, C>,
    ) -> Result<KMeansReport<Scalar<K, X>>, Error>
    where
        X: Clone,
    {
        let mut scratch = workspace.scratch(samples.len(), options.clusters)?;
        let report = fit(&kernel, samples, options, &mut scratch)?;
        // The workspace has as much room as there is here.
        points::keep(&mut self.points, samples);
        points::keep(&mut self.clusters, scratch.clusters);
        for (place, label) in self.labels.iter_mut().zip(scratch.labels.iter()) {
            *place = *label;
        }
        self.kernel = Some(kernel);
        Ok(report)
    }

    /// The cluster that each sample of the fit is in.
    pub fn labels(&self) -> &[u32] {
        head(&self.labels, self.points.len())
    }

    /// The clusters; none before a fit.
    pub fn clusters(&self) -> &[Cluster<Scalar<K, X>>] {
        &self.clusters
    }

    /// The cluster whose centre is nearest, among equally near ones the first; a kernel evaluation
    /// for each sample.
    ///
    /// # Errors
    /// [`Error::NotFitted`], [`Error::Query`] when the point cannot be used, or [`Error::Label`]
    /// for [parts](Self::from_parts) with a label that is not the number of a cluster.
    pub fn assign(&self, x: &X::View) -> Result<Nearest<Scalar<K, X>>, Error> {
        let kernel = self.kernel.as_ref().ok_or(Error::NotFitted)?;
        let mut sums = [Scalar::<K, X>::ZERO; C];
        let sums = head_mut(&mut sums, self.clusters.len());
        assign(kernel, self.points.as_slice(), self.labels(), &self.clusters, x, sums)
    }
}

impl<K, X, const N: usize, const C: usize> Default for KernelKMeans<K, X, N, C>
where
    X: Sample,
    K: BlockKernel<X::View>,
{
    fn default() -> Self {
        Self::new()
    }
}

/// Memory to find at most `C` clusters of at most `N` samples: `N·(C + 4)` numbers and a little
/// more.
#[derive(Clone, Debug)]
pub struct KMeansWorkspace<T, const N: usize, const C: usize> {
    sums: Matrix<T, N, C>,
    labels: [u32; N],
    best: [u32; N],
    norms: [T; N],
    distances: [T; N],
    clusters: [Cluster<T>; C],
}

impl<T: Real, const N: usize, const C: usize> KMeansWorkspace<T, N, C> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self {
            sums: Matrix::zeros(),
            labels: [0; N],
            best: [0; N],
            norms: [T::ZERO; N],
            distances: [T::ZERO; N],
            clusters: [Cluster::new(0, T::ZERO); C],
        }
    }

    /// The part that a fit to this many samples and clusters uses.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there are more than `N` or `C`.
    pub fn scratch(
        &mut self,
        samples: usize,
        clusters: usize,
    ) -> Result<KMeansScratch<'_, T>, Error> {
        require_capacity("samples in the workspace", samples, N)?;
        require_capacity("clusters in the workspace", clusters, C)?;
        Ok(KMeansScratch {
            sums: self.sums.view_mut().into_leading(samples, clusters),
            labels: head_mut(&mut self.labels, samples),
            best: head_mut(&mut self.best, samples),
            norms: head_mut(&mut self.norms, samples),
            distances: head_mut(&mut self.distances, samples),
            clusters: head_mut(&mut self.clusters, clusters),
        })
    }
}

impl<T: Real, const N: usize, const C: usize> Default for KMeansWorkspace<T, N, C> {
    fn default() -> Self {
        Self::new()
    }
}

/// Borrowed memory for clusters of `n` samples, of whatever origin; the fields say what it holds
/// after a fit.
#[derive(Debug)]
pub struct KMeansScratch<'a, T> {
    /// A row for each sample, a column for each cluster: `Σ_{j∈c} k(x_i, x_j)`.
    pub sums: MatrixViewMut<'a, T>,
    /// `n`; the cluster of each sample.
    pub labels: &'a mut [u32],
    /// `n`; the labels of the best start so far.
    pub best: &'a mut [u32],
    /// `n`; `k(x_i, x_i)`.
    pub norms: &'a mut [T],
    /// `n`; squared distances to the nearest seed, then to the sample's own centre.
    pub distances: &'a mut [T],
    /// The clusters.
    pub clusters: &'a mut [Cluster<T>],
}

impl<T: Real> KMeansScratch<'_, T> {
    /// All arrays are for the same numbers of samples and clusters.
    fn require_shape(&self, samples: usize, clusters: usize) -> Result<(), Error> {
        for (what, expected, given) in [
            ("sums rows", samples, self.sums.rows()),
            ("sums columns", clusters, self.sums.columns()),
            ("labels", samples, self.labels.len()),
            ("best", samples, self.best.len()),
            ("norms", samples, self.norms.len()),
            ("distances", samples, self.distances.len()),
            ("clusters", clusters, self.clusters.len()),
        ] {
            require_shape(what, expected, given)?;
        }
        Ok(())
    }
}

/// The cluster whose centre is nearest to a new point, among equally near ones the first.
///
/// `labels` and `clusters` are what a fit to `samples` left; `sums` has a place for each cluster.
///
/// # Errors
/// [`Error::Query`] when the point cannot be used; [`Error::Shape`]; [`Error::Label`] for a label
/// that is not the number of a cluster; [`Error::NotFitted`] without clusters.
pub fn assign<K, S>(
    kernel: &K,
    samples: &S,
    labels: &[u32],
    clusters: &[Cluster<K::Scalar>],
    x: &S::View,
    sums: &mut [K::Scalar],
) -> Result<Nearest<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    let n = samples.count();
    require_shape("labels", n, labels.len())?;
    require_shape("sums", clusters.len(), sums.len())?;
    let peer = samples.sample(0).ok_or(Error::NotFitted)?;
    kernel.check(x, peer).map_err(Error::Query)?;
    sums.fill(K::Scalar::ZERO);
    for (index, (point, &label)) in samples.iter_samples().zip(labels).enumerate() {
        let rule = "below the number of clusters";
        let sum = sums.get_mut(label as usize).ok_or(Error::Label { index, output: 0, rule })?;
        *sum += kernel.eval(x, point);
    }
    let kxx = kernel.diagonal(x);
    if !(kxx + sum(sums.iter().copied())).is_finite() {
        return Err(Error::Query(Fault::Overflow));
    }
    let distances =
        clusters.iter().zip(sums.iter()).map(|(cluster, &sum)| cluster.squared_distance(kxx, sum));
    let (cluster, squared_distance) = first_least(distances).ok_or(Error::NotFitted)?;
    Ok(Nearest { cluster, squared_distance })
}
