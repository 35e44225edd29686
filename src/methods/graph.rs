//! Graphs: how alike two nodes are, by how heat spreads from one to the other.
//!
//! **Method.** With symmetric weights `W_ij ≥ 0` of the edges and degrees `D_ii = Σ_j W_ij`, the
//! Laplacian is `L = D − W`. The *diffusion kernel*
//!
//! `K = exp(−βL) = U exp(−βΛ) Uᵀ`
//!
//! has as its entry `K_ij` the amount of heat that has reached node `j` from node `i` after a time
//! `β`. It is symmetric and positive definite, its rows sum to 1 (no heat is lost), and
//! `exp(−aL) exp(−bL) = exp(−(a+b)L)`. At `β = 0` every node is like itself only; with a large `β`,
//! all nodes of a connected graph are alike. As a [`Precomputed`](crate::kernel::Precomputed) Gram
//! matrix it gives the nodes coordinates by kernel PCA.
//!
//! **Source.** Kondor & Lafferty, *Diffusion Kernels on Graphs and Other Discrete Structures*, ICML
//! 2002.
//!
//! **Domain.** Undirected graphs with finite weights `≥ 0` and finite degrees; `β ≥ 0`.
//!
//! **Bound.** Eigenvalues are known to `ε` of the largest, so that entries are off by up to about
//! `ε·β·λ_max`, and by the error of `exp` in the [`Math`] backend: use `f64` for long times.
//!
//! ```
//! use mercer::KernelPca;
//! use mercer::kernel::Precomputed;
//! use mercer::kpca::{Components, ExactWorkspace};
//! use mercer::linalg::Matrix;
//! use mercer::linalg::eigen::{Eigensolver, TridiagonalQr};
//! use mercer::methods::graph;
//! // Two triangles and a bridge from 2 to 3.
//! let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)];
//! let [mut weights, mut gram] = [Matrix::<f32, 6, 6>::zeros(); 2];
//! graph::connect(edges.map(|(a, b)| (a, b, 1.0)), &mut weights.view_mut())?;
//! let (mut values, mut numbers) = ([0.0; 6], [0.0; 6]);
//! let solver = TridiagonalQr::scratch(&mut numbers);
//! let diffusion = graph::Diffusion::new(1.0);
//! diffusion.gram(&mut weights.view_mut(), &mut values, solver, &mut gram.view_mut())?;
//!
//! let mut model = KernelPca::<_, usize, 6, 1>::new();
//! let mut workspace = ExactWorkspace::<f32, 6>::new();
//! let nodes = [0, 1, 2, 3, 4, 5];
//! model.fit_exact(Precomputed(gram.view()), &nodes, Components::Fixed(1), &mut workspace)?;
//! assert!(model.project(&0)?[0] * model.project(&1)?[0] > 0.0); // the same triangle
//! assert!(model.project(&0)?[0] * model.project(&4)?[0] < 0.0); // different ones
//! # Ok::<(), mercer::Error>(())
//! ```

use crate::error::{Error, require_shape};
use crate::linalg::MatrixViewMut;
use crate::linalg::eigen::{self, EigenScratch, Eigensolver};
use crate::linalg::slices::set;
use crate::math::{Fast, Math, Real, sum};

/// Writes the weights of a graph's edges `(node, node, weight)`; the matrix has a row for each
/// node.
///
/// Edges have no direction. Edges that are listed more than once add up; pairs that are not listed
/// have weight 0.
///
/// # Errors
/// [`Error::Shape`] when the matrix is not square, [`Error::Edge`] for an edge to a node outside
/// the graph, and [`Error::Weight`] for a weight that is negative or not finite, or for copies of
/// an edge that add up to infinity. The weights are unchanged after an error, for which `edges` is
/// gone through twice.
pub fn connect<T: Real>(
    edges: impl IntoIterator<Item = (usize, usize, T), IntoIter: Clone>,
    weights: &mut MatrixViewMut<'_, T>,
) -> Result<(), Error> {
    let (nodes, edges) = (weights.rows(), edges.into_iter());
    require_shape("matrix columns", nodes, weights.columns())?;
    let edges = edges.map(|(a, b, weight)| (a.min(b), a.max(b), weight));
    let mut all = T::ZERO;
    for (row, column, weight) in edges.clone() {
        if column >= nodes {
            return Err(Error::Edge { row, column, nodes });
        }
        require_weight(row, column, weight)?;
        all += weight;
        // As long as all together are finite, so are the copies of any one edge.
        if !all.is_finite() {
            let copies = edges.clone().filter(|&(a, b, _)| (a, b) == (row, column));
            require_weight(row, column, sum(copies.map(|(_, _, weight)| weight)))?;
        }
    }
    for row in weights.iter_rows_mut() {
        row.fill(T::ZERO);
    }
    for (row, column, weight) in edges {
        let total = weights.at(row, column) + weight;
        weights.set(row, column, total);
        weights.set(column, row, total);
    }
    Ok(())
}

/// Turns weights into the Laplacian `L = D − W`, in place. An edge from a node to itself has no
/// effect.
///
/// # Errors
/// [`Error::Shape`], [`Error::NotFinite`] (on the diagonal: the degree overflows) or
/// [`Error::NotSymmetric`] for a matrix that is no undirected graph, and [`Error::Weight`] for a
/// negative weight. The weights are unchanged after an error.
pub fn laplacian<T: Real>(weights: &mut MatrixViewMut<'_, T>) -> Result<(), Error> {
    weights.view().require_symmetric()?;
    for (row, entries) in weights.view().iter_rows().enumerate() {
        for (column, &weight) in entries.iter().enumerate() {
            require_weight(row, column, weight)?;
        }
        if !sum(entries.iter().copied()).is_finite() {
            return Err(Error::NotFinite { row, column: row });
        }
    }
    // Entries that differ by rounding are made equal, so that columns sum to 0 as rows do.
    weights.mirror_upper();
    for (i, row) in weights.iter_rows_mut().enumerate() {
        set(row, i, T::ZERO);
        let degree = sum(row.iter().copied());
        for entry in row.iter_mut() {
            *entry = -*entry;
        }
        set(row, i, degree);
    }
    Ok(())
}

/// The diffusion kernel `exp(−βL)` of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Diffusion<T, M = Fast> {
    /// How long the heat spreads, finite and ≥ 0.
    pub beta: T,
    /// The backend that computes `exp`.
    pub math: M,
}

impl<T> Diffusion<T> {
    /// Diffusion over a time `beta`, computed with [`Fast`].
    pub const fn new(beta: T) -> Self {
        Self { beta, math: Fast }
    }
}

impl<T: Real, M: Math<T>> Diffusion<T, M> {
    /// Writes the Gram matrix of all nodes, one for each row of `weights`: an `n × n` eigenproblem
    /// and `n³` multiply-adds.
    ///
    /// The weights are used up: the eigenvectors of the Laplacian take their place, as rows, and
    /// `values` receives its eigenvalues, descending. As many of them are 0 as the graph has
    /// connected parts, where edges too weak to rise above rounding do not connect. `solver` names
    /// the [eigensolver](eigen) and is its memory for as many rows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for `beta`, [`Error::Shape`] when the sizes do not agree, and those of
    /// [`laplacian`], after all of which the weights are unchanged; [`Error::NoConvergence`] or
    /// [`Error::EigenvalueOverflow`].
    pub fn gram<E: Eigensolver<T>>(
        &self,
        weights: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        mut solver: EigenScratch<'_, T, E>,
        gram: &mut MatrixViewMut<'_, T>,
    ) -> Result<(), Error> {
        if !(self.beta.is_finite() && self.beta >= T::ZERO) {
            return Err(Error::Parameter { name: "beta", rule: "finite and >= 0" });
        }
        let expected = weights.rows();
        for (what, given) in [
            ("eigenvalues", values.len()),
            ("gram rows", gram.rows()),
            ("gram columns", gram.columns()),
        ] {
            require_shape(what, expected, given)?;
        }
        solver.require(expected)?;
        laplacian(weights)?;
        solver.solve(weights, values)?;
        // A graph without nodes has nothing to write.
        let Some(&largest) = values.first() else { return Ok(()) };
        // A Laplacian has no negative eigenvalue. One that is only rounding must become 0, or a
        // long time would multiply it and heat would be lost.
        let rounding = T::from_usize(expected) * T::EPSILON * largest;
        for value in values.iter_mut().filter(|value| **value <= rounding) {
            *value = T::ZERO;
        }
        let spread = |value| self.math.exp(-(self.beta * value));
        eigen::matrix_function(values, weights.view(), spread, gram)
    }
}

fn require_weight<T: Real>(row: usize, column: usize, weight: T) -> Result<(), Error> {
    if weight.is_finite() && weight >= T::ZERO {
        Ok(())
    } else {
        Err(Error::Weight { row, column })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;
    use crate::linalg::eigen::TridiagonalQr;

    /// A path 0 – 1 – 2 whose second edge weighs 2.
    const EDGES: [(usize, usize, f64); 2] = [(0, 1, 1.0), (2, 1, 2.0)];

    #[test]
    fn edges_become_weights_and_weights_a_laplacian() {
        let mut matrix = Matrix::from_rows([[f64::NAN; 3]; 3]);
        connect(EDGES, &mut matrix.view_mut()).unwrap();
        assert_eq!(matrix, Matrix::from_rows([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]]));
        laplacian(&mut matrix.view_mut()).unwrap();
        let expected = [[1.0, -1.0, 0.0], [-1.0, 3.0, -2.0], [0.0, -2.0, 2.0]];
        assert_eq!(matrix, Matrix::from_rows(expected));
    }

    #[test]
    fn parallel_edges_add_up_and_loops_have_no_effect() {
        let edges = [(0, 1, 1.0), (1, 0, 0.5), (1, 1, 7.0)];
        let mut matrix = Matrix::<f64, 2, 2>::zeros();
        connect(edges, &mut matrix.view_mut()).unwrap();
        assert_eq!(matrix, Matrix::from_rows([[0.0, 1.5], [1.5, 7.0]]));
        laplacian(&mut matrix.view_mut()).unwrap();
        assert_eq!(matrix, Matrix::from_rows([[1.5, -1.5], [-1.5, 1.5]]));
    }

    #[test]
    fn two_nodes_exchange_heat_as_the_formula_says() {
        let mut weights = Matrix::from_rows([[0.0, 0.5], [0.5, 0.0]]);
        let mut gram = Matrix::<f64, 2, 2>::zeros();
        let (mut values, mut scratch) = ([0.0; 2], [0.0; 2]);
        let diffusion = Diffusion::new(1.5);
        let out = &mut gram.view_mut();
        let solver = TridiagonalQr::scratch(&mut scratch);
        diffusion.gram(&mut weights.view_mut(), &mut values, solver, out).unwrap();
        let (stays, goes) = ((1.0 + (-1.5_f64).exp()) / 2.0, (1.0 - (-1.5_f64).exp()) / 2.0);
        assert!((gram.view().at(0, 0) - stays).abs() < 1e-15);
        assert!((gram.view().at(0, 1) - goes).abs() < 1e-15);
        assert!((values[0] - 1.0).abs() < 1e-15 && values[1].abs() < 1e-15);
    }

    #[test]
    fn extremes_have_their_limits() {
        let edges = [(0, 1, 1e30_f32), (1, 2, 1e-30)];
        let [mut weights, mut gram] = [Matrix::<f32, 4, 4>::zeros(); 2];
        connect(edges, &mut weights.view_mut()).unwrap();
        let (mut values, mut scratch) = ([0.0; 4], [0.0; 4]);
        let (matrix, out) = (&mut weights.view_mut(), &mut gram.view_mut());
        let solver = TridiagonalQr::scratch(&mut scratch);
        Diffusion::new(1e30).gram(matrix, &mut values, solver, out).unwrap();
        // Heat is even between the first two; the last node has no edge at all.
        for (i, j, heat) in [(0, 0, 0.5), (0, 1, 0.5), (3, 3, 1.0), (3, 0, 0.0)] {
            assert!((gram.view().at(i, j) - heat).abs() < 1e-6, "{gram:?}");
        }
        let none: &mut [f32] = &mut [];
        let mut empty = MatrixViewMut::new(none, 0, 0).unwrap();
        assert_eq!(connect([], &mut empty), Ok(()));
        assert_eq!(laplacian(&mut empty), Ok(()));
    }

    #[test]
    fn what_is_no_graph_is_refused() {
        let mut matrix = Matrix::<f64, 3, 3>::zeros();
        let mut connected = |edge| connect([EDGES[0], edge], &mut matrix.view_mut());
        let outside = |column| Err(Error::Edge { row: 0, column, nodes: 3 });
        assert_eq!(connected((3, 0, 1.0)), outside(3));
        assert_eq!(connected((usize::MAX, 0, 1.0)), outside(usize::MAX));
        for weight in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(connected((2, 1, weight)), Err(Error::Weight { row: 1, column: 2 }));
        }
        let mut oblong = Matrix::<f64, 2, 3>::zeros();
        let shape = Error::Shape { what: "matrix columns", expected: 2, given: 3 };
        assert_eq!(connect(EDGES, &mut oblong.view_mut()), Err(shape));

        let refused = |rows: [[f64; 2]; 2]| laplacian(&mut Matrix::from_rows(rows).view_mut());
        assert_eq!(laplacian(&mut oblong.view_mut()), Err(shape));
        let directed = Err(Error::NotSymmetric { row: 0, column: 1 });
        assert_eq!(refused([[0.0, 1.0], [0.5, 0.0]]), directed);
        let nan = Err(Error::NotFinite { row: 0, column: 1 });
        assert_eq!(refused([[0.0, f64::NAN], [f64::NAN, 0.0]]), nan);
        let negative = Err(Error::Weight { row: 0, column: 1 });
        assert_eq!(refused([[0.0, -1.0], [-1.0, 0.0]]), negative);
        let mut huge = Matrix::from_rows([[0.0_f64, 1e308, 1e308]; 3]);
        huge.view_mut().mirror_upper();
        let overflow = Err(Error::NotFinite { row: 0, column: 0 });
        assert_eq!(laplacian(&mut huge.view_mut()), overflow);
    }

    #[test]
    fn parallel_edges_may_not_add_up_to_infinity_and_refusals_change_nothing() {
        let before = Matrix::from_rows([[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]);
        let mut matrix = before;
        let large = [(0, 1, 2e38_f32), (2, 1, 2e38), (1, 0, 2e38)];
        let error = Err(Error::Weight { row: 0, column: 1 });
        assert_eq!(connect(large, &mut matrix.view_mut()), error);
        assert_eq!(matrix, before);
        let error = Err(Error::Edge { row: 1, column: 3, nodes: 3 });
        assert_eq!(connect([(0, 2, 1.0), (3, 1, 1.0)], &mut matrix.view_mut()), error);
        assert_eq!(matrix, before);
        // All together they may.
        assert_eq!(connect([(0, 1, 2e38_f32), (2, 1, 2e38)], &mut matrix.view_mut()), Ok(()));
        assert_eq!(matrix.view().at(1, 2), 2e38);
    }

    #[test]
    fn times_and_sizes_are_checked() {
        let mut weights = Matrix::from_rows([[0.0, 0.5], [0.5, 0.0]]);
        let mut gram = Matrix::<f64, 3, 3>::zeros();
        let mut run = |beta, places: usize| {
            let (mut values, mut scratch) = ([0.0; 3], [0.0; 2]);
            let (values, out) = (&mut values[..places], &mut gram.view_mut());
            let solver = TridiagonalQr::scratch(&mut scratch);
            Diffusion::new(beta).gram(&mut weights.view_mut(), values, solver, out)
        };
        let error = Err(Error::Parameter { name: "beta", rule: "finite and >= 0" });
        for beta in [-0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(run(beta, 2), error);
        }
        let shape = |what| Err(Error::Shape { what, expected: 2, given: 3 });
        assert_eq!(run(1.0, 3), shape("eigenvalues"));
        assert_eq!(run(1.0, 2), shape("gram rows"));
        assert_eq!(weights, Matrix::from_rows([[0.0, 0.5], [0.5, 0.0]]));
    }
}
