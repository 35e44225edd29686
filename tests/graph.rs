//! Diffusion on graphs: against a power series, the laws of heat, and what kernel PCA makes of it.

mod common;

use common::{Grid, config, decompose};
use mercer::error::Fault;
use mercer::kernel::{Normalised, Precomputed};
use mercer::kpca::{Components, ExactWorkspace};
use mercer::linalg::Matrix;
use mercer::linalg::eigen::{Eigensolver, TridiagonalQr};
use mercer::math::{Math, Real};
use mercer::methods::graph::{Diffusion, connect, laplacian};
use mercer::{Error, KernelPca};
use proptest::collection::vec;
use proptest::prelude::*;

/// Weighted graphs of 1 to 9 nodes in which about half of the edges are missing.
fn weights() -> impl Strategy<Value = Grid<f64>> {
    (1..=9_usize).prop_flat_map(|n| {
        vec(-1.0..1.0_f64, n * n).prop_map(move |entries| {
            Grid::from_fn(n, n, |i, j| entries[i.min(j) * n + i.max(j)].max(0.0))
        })
    })
}

fn diffuse<T: Real>(weights: &Grid<T>, beta: T) -> (Vec<T>, Grid<T>)
where
    mercer::math::Fast: Math<T>,
{
    let n = weights.rows;
    let (mut weights, mut gram) = (weights.clone(), Grid::zeros(n, n));
    let (mut values, mut scratch) = (vec![T::ZERO; n], vec![T::ZERO; n]);
    let (matrix, out) = (&mut weights.view_mut(), &mut gram.view_mut());
    Diffusion::new(beta)
        .gram(matrix, &mut values, TridiagonalQr::scratch(&mut scratch), out)
        .unwrap();
    (values, gram)
}

fn identity(n: usize) -> Grid<f64> {
    Grid::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
}

/// `exp(−βL)` from the definition of `L` and 20 terms of the series at `β/1024`, squared ten times.
fn by_series(weights: &Grid<f64>, beta: f64) -> Grid<f64> {
    let n = weights.rows;
    let degree = |i: usize| (0..n).filter(|&j| j != i).map(|j| weights.at(i, j)).sum::<f64>();
    let step = Grid::from_fn(n, n, |i, j| {
        let laplacian = if i == j { degree(i) } else { -weights.at(i, j) };
        -beta / 1024.0 * laplacian
    });
    let (mut term, mut sum) = (identity(n), identity(n));
    for k in 1..=20 {
        let next = term.times(&step);
        term = Grid::from_fn(n, n, |i, j| next.at(i, j) / f64::from(k));
        sum = Grid::from_fn(n, n, |i, j| sum.at(i, j) + term.at(i, j));
    }
    (0..10).fold(sum, |power, _| power.times(&power))
}

fn near(got: &Grid<f64>, expected: &Grid<f64>, tolerance: f64) -> Result<(), TestCaseError> {
    prop_assert_eq!(got.rows, expected.rows);
    for (g, e) in got.data.iter().zip(&expected.data) {
        prop_assert!((g - e).abs() <= tolerance, "{g} is not {e}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn diffusion_is_the_exponential_series(weights in weights(), beta in 0.0..4.0) {
        // Squaring ten times multiplies the rounding of the series by 1024.
        near(&diffuse(&weights, beta).1, &by_series(&weights, beta), 1e-11)?;
        let (values, single) = diffuse::<f32>(&weights.cast(), beta as f32);
        // As the documentation says, and a few ε for the products.
        let tolerance = (8.0 + beta * f64::from(values[0])) * f64::from(f32::EPSILON);
        near(&single.cast(), &by_series(&weights, beta), tolerance)?;
    }

    #[test]
    fn heat_is_conserved_and_never_negative(weights in weights(), beta in 0.0..4.0) {
        let (_, gram) = diffuse(&weights, beta);
        for row in gram.iter_rows() {
            prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-13);
            prop_assert!(row.iter().all(|&heat| heat > -1e-14));
        }
        prop_assert_eq!(&gram, &gram.transposed());
        let values = decompose(&gram).unwrap().values;
        prop_assert!(values[0] < 1.0 + 1e-13 && values.iter().all(|&value| value > -1e-14));
    }

    #[test]
    fn times_add_up(weights in weights(), a in 0.0..2.0, b in 0.0..2.0) {
        let product = diffuse(&weights, a).1.times(&diffuse(&weights, b).1);
        near(&product, &diffuse(&weights, a + b).1, 1e-13)?;
    }

    #[test]
    fn no_time_is_the_identity_and_long_times_even_out(weights in weights()) {
        let n = weights.rows;
        near(&diffuse(&weights, 0.0).1, &identity(n), 1e-13)?;
        // All nodes connected to the first: then there is one part only.
        let joined = Grid::from_fn(n, n, |i, j| if i.min(j) == 0 { 1.0 } else { weights.at(i, j) });
        let even = Grid::from_fn(n, n, |_, _| 1.0 / n as f64);
        near(&diffuse(&joined, 1e3).1, &even, 1e-12)?;
    }

    #[test]
    fn zero_eigenvalues_count_the_parts(weights in weights()) {
        let zeros = diffuse(&weights, 1.0).0.iter().filter(|&&value| value == 0.0).count();
        prop_assert_eq!(zeros, parts(&weights));
    }
}

/// How many parts a graph has, by walking along its edges.
fn parts(weights: &Grid<f64>) -> usize {
    let (n, mut parts) = (weights.rows, 0);
    let mut seen = vec![false; n];
    for start in 0..n {
        if !seen[start] {
            parts += 1;
            let mut waiting = vec![start];
            while let Some(node) = waiting.pop() {
                seen[node] = true;
                waiting
                    .extend((0..n).filter(|&other| !seen[other] && weights.at(node, other) > 0.0));
            }
        }
    }
    parts
}

/// Twice five nodes, all connected with each other, and a bridge from 4 to 5.
fn communities() -> Matrix<f32, 10, 10> {
    let within = |first: usize| {
        (first..first + 5).flat_map(move |a| (a + 1..first + 5).map(move |b| (a, b)))
    };
    let edges = within(0).chain(within(5)).chain([(4, 5)]);
    let mut weights = Matrix::zeros();
    connect(edges.map(|(a, b)| (a, b, 1.0)), &mut weights.view_mut()).unwrap();
    weights
}

fn gram_of(mut weights: Matrix<f32, 10, 10>, beta: f32) -> Matrix<f32, 10, 10> {
    let (mut gram, mut values, mut scratch) = (Matrix::zeros(), [0.0; 10], [0.0; 10]);
    let (matrix, out) = (&mut weights.view_mut(), &mut gram.view_mut());
    Diffusion::new(beta)
        .gram(matrix, &mut values, TridiagonalQr::scratch(&mut scratch), out)
        .unwrap();
    gram
}

#[test]
fn the_first_component_separates_communities() {
    for beta in [0.1, 0.5, 2.0] {
        let gram = gram_of(communities(), beta);
        let nodes: [usize; 10] = core::array::from_fn(|node| node);
        let mut model = KernelPca::<_, usize, 10, 1>::new();
        let kernel = Precomputed(gram.view());
        let mut workspace = ExactWorkspace::<f32, 10>::new();
        model.fit_exact(kernel, &nodes, Components::Fixed(1), &mut workspace).unwrap();
        let f = nodes.map(|node| model.project(&node).unwrap()[0]);
        let side = f[0].signum();
        assert!(f[..5].iter().all(|f| f * side > 0.05), "{beta}: {f:?}");
        assert!(f[5..].iter().all(|f| f * side < -0.05), "{beta}: {f:?}");
        // The ends of the bridge are nearest to the other side.
        assert!(f[..4].iter().all(|other| other * side > f[4] * side), "{beta}: {f:?}");
    }
}

#[test]
fn nodes_outside_the_graph_are_refused() {
    let gram = gram_of(communities(), 1.0);
    let mut model = KernelPca::<_, usize, 10, 1>::new();
    let mut workspace = ExactWorkspace::<f32, 10>::new();
    let kernel = Normalised(Precomputed(gram.view()));
    let fault = Fault::OutOfRange { size: 10 };
    let result = model.fit_exact(kernel, &[0, 1, 10], Components::Fixed(1), &mut workspace);
    assert_eq!(result.err(), Some(Error::Sample { index: 2, fault }));
    model.fit_exact(kernel, &[0, 1, 9], Components::Fixed(1), &mut workspace).unwrap();
    assert_eq!(model.score(&10).err(), Some(Error::Query(fault)));
}

#[test]
fn refusals_say_which_edge() {
    let mut weights = Matrix::<f32, 10, 10>::zeros();
    let error = connect([(2, 7, -0.5)], &mut weights.view_mut()).unwrap_err();
    assert_eq!(error.to_string(), "edge from 2 to 7 must have a finite weight >= 0");
    let error = connect([(10, 7, 0.5)], &mut weights.view_mut()).unwrap_err();
    assert_eq!(error.to_string(), "edge from 7 to 10 ends outside the graph of 10 nodes");
    let mut weights = communities();
    weights.view_mut().row_mut(3)[1] = 0.5;
    let error = laplacian(&mut weights.view_mut()).unwrap_err();
    assert_eq!(error, Error::NotSymmetric { row: 1, column: 3 });
}
