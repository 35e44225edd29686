//! Plumbing of the integration tests: fits in memory whose sizes are run-time values, and matrices
//! to compare with.

// Every test program uses its own part of it.
#![allow(dead_code)]

use mercer::Error;
use mercer::kernel::{BlockKernel, Samples};
use mercer::kpca::{
    Components, ExpansionHeader, ExpansionMut, ExpansionView, FitReport, KernelPcaView, Landmarks,
    Score, exact, landmark, leading,
};
use mercer::linalg::eigen::{self, Eigensolver, Jacobi, TridiagonalQr};
use mercer::linalg::{MatrixView, MatrixViewMut};
use mercer::math::Real;
use mercer::methods::PcaReport;
use mercer::methods::pca::{self, PcaMut, PcaScratch, PcaView};
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Random cases, the same in every run unless `PROPTEST_RNG_SEED` says otherwise.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let defaults = ProptestConfig::with_cases(cases);
    let rng_seed = match defaults.rng_seed {
        RngSeed::Random => RngSeed::Fixed(20),
        chosen => chosen,
    };
    ProptestConfig { rng_seed, failure_persistence: None, ..defaults }
}

/// Numbers that look random, the same in every run and on every platform.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// In [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In [−1, 1).
    pub(crate) fn noise(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }

    /// Of mean 0 and variance 1 (Box & Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * libm::log(radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)
    }
}

/// A matrix in a `Vec`, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid<T> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) data: Vec<T>,
}

impl<T: Real> Grid<T> {
    pub(crate) fn from_fn(
        rows: usize,
        columns: usize,
        mut f: impl FnMut(usize, usize) -> T,
    ) -> Self {
        let data = (0..rows * columns).map(|k| f(k / columns, k % columns)).collect();
        Self { rows, columns, data }
    }

    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, data: vec![T::ZERO; rows * columns] }
    }

    pub(crate) fn from_rows(rows: &[impl AsRef<[T]>]) -> Self {
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        let data = rows.iter().flat_map(|row| row.as_ref()).copied().collect();
        Self { rows: rows.len(), columns, data }
    }

    pub(crate) fn view(&self) -> MatrixView<'_, T> {
        MatrixView::new(&self.data, self.rows, self.columns).unwrap()
    }

    pub(crate) fn view_mut(&mut self) -> MatrixViewMut<'_, T> {
        MatrixViewMut::new(&mut self.data, self.rows, self.columns).unwrap()
    }

    pub(crate) fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.columns..(i + 1) * self.columns]
    }

    pub(crate) fn iter_rows(&self) -> impl Iterator<Item = &[T]> {
        (0..self.rows).map(|i| self.row(i))
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> T {
        self.data[i * self.columns + j]
    }

    pub(crate) fn column(&self, j: usize) -> Vec<T> {
        (0..self.rows).map(|i| self.at(i, j)).collect()
    }

    /// The rows with these numbers, in this order.
    pub(crate) fn pick(&self, rows: &[usize]) -> Self {
        Self::from_fn(rows.len(), self.columns, |i, j| self.at(rows[i], j))
    }

    /// The same numbers in another precision.
    pub(crate) fn cast<U: Real>(&self) -> Grid<U> {
        Grid::from_fn(self.rows, self.columns, |i, j| U::from_f64(self.at(i, j).to_f64()))
    }

    /// `self · other`.
    pub(crate) fn times(&self, other: &Self) -> Self {
        assert_eq!(self.columns, other.rows);
        Self::from_fn(self.rows, other.columns, |i, j| {
            (0..self.columns).fold(T::ZERO, |sum, k| sum + self.at(i, k) * other.at(k, j))
        })
    }

    pub(crate) fn transposed(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |i, j| self.at(j, i))
    }
}

/// A decomposition.
pub(crate) struct Eigen<T> {
    pub(crate) values: Vec<T>,
    /// One eigenvector a row.
    pub(crate) vectors: Grid<T>,
}

/// By the default solver.
pub(crate) fn decompose<T: Real>(matrix: &Grid<T>) -> Result<Eigen<T>, Error> {
    decompose_by::<T, TridiagonalQr<T>>(matrix)
}

pub(crate) fn decompose_by<T: Real, E: Eigensolver<T>>(
    matrix: &Grid<T>,
) -> Result<Eigen<T>, Error> {
    let n = matrix.rows;
    let (mut vectors, mut values) = (matrix.clone(), vec![T::ZERO; n]);
    let mut scratch = vec![T::ZERO; E::scratch_len(n)];
    E::solve(&mut vectors.view_mut(), &mut values, &mut scratch, eigen::MAX_SWEEPS)?;
    Ok(Eigen { values, vectors })
}

/// The Gram matrix of samples.
pub(crate) fn gram<K, S>(kernel: &K, samples: &S) -> Result<Grid<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    let mut gram = Grid::zeros(samples.count(), samples.count());
    mercer::kernel::gram::fill(kernel, samples, &mut gram.view_mut())?;
    Ok(gram)
}

/// Room for the weights of a model.
#[derive(Clone, Debug, PartialEq)]
struct Weights<T> {
    header: ExpansionHeader<T>,
    weights: Grid<T>,
    centre: Vec<T>,
    offsets: Vec<T>,
    variances: Vec<T>,
}

impl<T: Real> Weights<T> {
    fn new(points: usize, components: usize) -> Self {
        Self {
            header: ExpansionHeader::default(),
            weights: Grid::zeros(points, components),
            centre: vec![T::ZERO; points],
            offsets: vec![T::ZERO; components],
            variances: vec![T::ZERO; components],
        }
    }

    fn storage(&mut self) -> ExpansionMut<'_, T> {
        ExpansionMut {
            header: &mut self.header,
            weights: self.weights.view_mut(),
            centre: &mut self.centre,
            offsets: &mut self.offsets,
            variances: &mut self.variances,
        }
    }

    fn view(&self) -> ExpansionView<'_, T> {
        let points = self.header.points as usize;
        let components = self.header.components as usize;
        ExpansionView::new(
            self.header,
            self.weights.view().leading(points, components),
            &self.centre[..points],
            &self.offsets[..components],
            &self.variances[..components],
        )
        .unwrap()
    }
}

/// What a fit leaves: the weights, and the projections of the training samples as the fit itself
/// knows them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fitted<T> {
    pub(crate) report: FitReport<T>,
    /// The training samples that are the points of the model.
    pub(crate) points: Vec<usize>,
    /// One training sample a row.
    pub(crate) training: Grid<T>,
    /// What the points leave unspanned of each training sample; empty after an exact fit.
    pub(crate) residuals: Vec<T>,
    weights: Weights<T>,
}

impl<T: Real> Fitted<T> {
    pub(crate) fn expansion(&self) -> ExpansionView<'_, T> {
        self.weights.view()
    }

    /// Projects and scores one point; `points` are the samples that [`Fitted::points`] names.
    pub(crate) fn score<K, S>(
        &self,
        kernel: &K,
        points: &S,
        x: &S::View,
    ) -> Result<(Vec<T>, Score<T>), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        let mut memos = vec![Default::default(); self.expansion().points()];
        let model = KernelPcaView::new(kernel, points, self.expansion(), &mut memos)?;
        let mut projection = vec![T::ZERO; self.report.components];
        let score = model.score(x, &mut projection)?;
        let mut again = projection.clone();
        model.project(x, &mut again)?;
        assert_eq!(again, projection, "project and score differ");
        Ok((projection, score))
    }
}

/// `exact::fit` by the default solver, with room for as many components as there are samples.
pub(crate) fn fit_exact<K, S>(
    kernel: &K,
    samples: &S,
    components: Components<K::Scalar>,
) -> Result<Fitted<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    fit_exact_by::<TridiagonalQr<K::Scalar>, K, S>(kernel, samples, components)
}

/// The same by the solver `E`.
pub(crate) fn fit_exact_by<E, K, S>(
    kernel: &K,
    samples: &S,
    components: Components<K::Scalar>,
) -> Result<Fitted<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
    E: Eigensolver<K::Scalar>,
{
    let n = samples.count();
    let mut gram = Grid::zeros(n, n);
    let [mut values, mut means] = [(); 2].map(|()| vec![K::Scalar::ZERO; n]);
    let mut memory = vec![K::Scalar::ZERO; E::scratch_len(n)];
    let mut weights = Weights::new(n, n);
    let mut scratch = exact::ExactScratch {
        gram: gram.view_mut(),
        values: &mut values,
        means: &mut means,
        solver: E::scratch(&mut memory),
    };
    let report = exact::fit(kernel, samples, components, &mut scratch, &mut weights.storage())?;
    let mut training = Grid::zeros(n, report.components);
    for (i, row) in training.view_mut().iter_rows_mut().enumerate() {
        scratch.training_projection(i, row)?;
    }
    Ok(Fitted { report, points: (0..n).collect(), training, residuals: Vec::new(), weights })
}

/// `leading::fit` of so many components.
pub(crate) fn fit_leading<K, S>(
    kernel: &K,
    samples: &S,
    components: usize,
) -> Result<Fitted<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    let (n, steps) = (samples.count(), 4 * components + 4);
    let (mut gram, mut basis) = (Grid::zeros(n, n), Grid::zeros(steps, n));
    let [mut projected, mut rotation] = [(); 2].map(|()| Grid::zeros(steps, steps));
    let [mut means, mut vector, mut pivots] = [(); 3].map(|()| vec![K::Scalar::ZERO; n]);
    let [mut values, mut diagonal, mut beside] = [(); 3].map(|()| vec![K::Scalar::ZERO; steps]);
    let mut weights = Weights::new(n, components);
    let mut scratch = leading::LeadingScratch {
        gram: gram.view_mut(),
        means: &mut means,
        lanczos: eigen::LanczosScratch {
            basis: basis.view_mut(),
            projected: projected.view_mut(),
            rotation: rotation.view_mut(),
            values: &mut values,
            diagonal: &mut diagonal,
            beside: &mut beside,
            vector: &mut vector,
            pivots: &mut pivots,
        },
    };
    let (components, storage) = (Components::Fixed(components), &mut weights.storage());
    let report = leading::fit(kernel, samples, components, &mut scratch, storage)?;
    let mut training = Grid::zeros(n, report.components);
    for (i, row) in training.view_mut().iter_rows_mut().enumerate() {
        scratch.training_projection(i, row)?;
    }
    Ok(Fitted { report, points: (0..n).collect(), training, residuals: Vec::new(), weights })
}

/// `landmark::fit` by the default solver, with room for `room` landmarks and as many components.
pub(crate) fn fit_landmarks<K, S>(
    kernel: &K,
    samples: &S,
    landmarks: Landmarks<K::Scalar>,
    components: Components<K::Scalar>,
    room: usize,
) -> Result<Fitted<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    let by = fit_landmarks_by::<TridiagonalQr<K::Scalar>, K, S>;
    by(kernel, samples, landmarks, components, room)
}

/// The same by the solver `E`.
pub(crate) fn fit_landmarks_by<E, K, S>(
    kernel: &K,
    samples: &S,
    landmarks: Landmarks<K::Scalar>,
    components: Components<K::Scalar>,
    room: usize,
) -> Result<Fitted<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
    E: Eigensolver<K::Scalar>,
{
    let n = samples.count();
    let (mut factor, mut residuals) = (Grid::zeros(n, room), vec![K::Scalar::ZERO; n]);
    let mut covariance = Grid::zeros(room, room);
    let [mut values, mut mean] = [(); 2].map(|()| vec![K::Scalar::ZERO; room]);
    let mut memory = vec![K::Scalar::ZERO; E::scratch_len(room)];
    let mut pivots = vec![0; room];
    let mut weights = Weights::new(room, room);
    let mut scratch = landmark::LandmarkScratch {
        factor: factor.view_mut(),
        residuals: &mut residuals,
        pivots: &mut pivots,
        covariance: covariance.view_mut(),
        values: &mut values,
        mean: &mut mean,
        solver: E::scratch(&mut memory),
    };
    let storage = &mut weights.storage();
    let report = landmark::fit(kernel, samples, landmarks, components, &mut scratch, storage)?;
    let mut training = Grid::zeros(n, report.components);
    for (i, row) in training.view_mut().iter_rows_mut().enumerate() {
        scratch.training_projection(i, row)?;
    }
    let points = pivots.iter().take(report.points).map(|&pivot| pivot as usize).collect();
    Ok(Fitted { report, points, training, residuals, weights })
}

/// A linear PCA in memory whose sizes are run-time values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FittedPca<T> {
    pub(crate) report: PcaReport<T>,
    header: pca::PcaHeader<T>,
    mean: Vec<T>,
    axes: Grid<T>,
    variances: Vec<T>,
}

impl<T: Real> FittedPca<T> {
    pub(crate) fn view(&self) -> PcaView<'_, T> {
        let components = self.report.components;
        let axes = self.axes.view().leading(components, self.axes.columns);
        PcaView::new(self.header, &self.mean, axes, &self.variances[..components]).unwrap()
    }

    pub(crate) fn project(&self, x: &[T]) -> Vec<T> {
        let mut projection = vec![T::ZERO; self.report.components];
        self.view().project(x, &mut projection).unwrap();
        projection
    }

    pub(crate) fn denoise(&self, x: &[T]) -> Vec<T> {
        let mut denoised = vec![T::ZERO; x.len()];
        self.view().reconstruct(&self.project(x), &mut denoised).unwrap();
        denoised
    }
}

/// Which matrix a PCA decomposes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Route {
    Primal,
    Dual,
}

/// `pca::fit` or `pca::fit_dual` by the default solver, with room for as many components as there
/// are inputs.
pub(crate) fn fit_pca<T: Real>(
    samples: &Grid<T>,
    components: Components<T>,
    route: Route,
) -> Result<FittedPca<T>, Error> {
    fit_pca_by::<Jacobi<T>, T>(samples, components, route)
}

/// The same by the solver `E`.
pub(crate) fn fit_pca_by<E: Eigensolver<T>, T: Real>(
    samples: &Grid<T>,
    components: Components<T>,
    route: Route,
) -> Result<FittedPca<T>, Error> {
    let d = samples.columns;
    let side = if route == Route::Primal { d } else { samples.rows };
    let (mut matrix, mut mean) = (Grid::zeros(side, side), vec![T::ZERO; d]);
    let (mut values, mut memory) = (vec![T::ZERO; side], vec![T::ZERO; E::scratch_len(side)]);
    let mut scratch = PcaScratch {
        matrix: matrix.view_mut(),
        values: &mut values,
        solver: E::scratch(&mut memory),
        mean: &mut mean,
    };
    let mut header = pca::PcaHeader::default();
    let (mut mean, mut axes, mut variances) =
        (vec![T::ZERO; d], Grid::zeros(d, d), vec![T::ZERO; d]);
    let mut storage = PcaMut {
        header: &mut header,
        mean: &mut mean,
        axes: axes.view_mut(),
        variances: &mut variances,
    };
    let samples = &samples.view();
    let report = match route {
        Route::Primal => pca::fit(samples, components, &mut scratch, &mut storage),
        Route::Dual => pca::fit_dual(samples, components, &mut scratch, &mut storage),
    }?;
    Ok(FittedPca { report, header, mean, axes, variances })
}

/// A CSV file of `tests/data`: a header line, no quotes.
pub(crate) struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads `tests/data/<path>`; panics with the file's name when it is missing or ragged.
    pub(crate) fn read(path: &str) -> Self {
        let file = format!("{}/tests/data/{path}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let split = |line: &str| line.split(',').map(String::from).collect::<Vec<_>>();
        let mut lines = text.lines().map(split);
        let names = lines.next().unwrap_or_else(|| panic!("{file} is empty"));
        let rows: Vec<_> = lines.collect();
        for (number, row) in rows.iter().enumerate() {
            assert_eq!(row.len(), names.len(), "{file}, line {}", number + 2);
        }
        Self { names, rows }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn text(&self, row: usize, column: &str) -> &str {
        &self.rows[row][self.position(column)]
    }

    /// One column as numbers.
    pub(crate) fn column(&self, name: &str) -> Vec<f64> {
        let position = self.position(name);
        self.rows.iter().map(|row| number(&row[position])).collect()
    }

    /// The whole table as numbers.
    pub(crate) fn numbers(&self) -> Grid<f64> {
        Grid::from_fn(self.rows.len(), self.names.len(), |i, j| number(&self.rows[i][j]))
    }

    fn position(&self, name: &str) -> usize {
        let found = self.names.iter().position(|n| n == name);
        found.unwrap_or_else(|| panic!("no column {name} among {:?}", self.names))
    }
}

/// Parses a number; panics with the text.
pub(crate) fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("not a number: {text:?}"))
}
