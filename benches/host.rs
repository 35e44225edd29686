//! How long the parts take on the host: `cargo bench`.
//!
//! For orientation only. What counts is the number of instructions on a device.

use divan::{Bencher, black_box};
use mercer::KernelPca;
use mercer::kernel::{Rbf, gram};
use mercer::kpca::{Components, ExactWorkspace, LandmarkWorkspace, Landmarks, LeadingWorkspace};
use mercer::linalg::Matrix;
use mercer::linalg::eigen::{self, MAX_SWEEPS};

const INPUTS: usize = 8;
const POINTS: usize = 32;
const COMPONENTS: usize = 8;
type Sample = [f32; INPUTS];

fn main() {
    divan::main();
}

/// Points of a low-discrepancy sequence, stretched to about unit variance.
fn samples<const N: usize>() -> Box<[Sample; N]> {
    let value = |i: usize, j: usize| {
        let root = ((j * j + 3 * j + 2) as f32).sqrt();
        (((i + 1) as f32 * root).fract() - 0.5) * 3.5
    };
    Box::new(std::array::from_fn(|i| std::array::from_fn(|j| value(i, j))))
}

fn kernel() -> Rbf<f32> {
    Rbf::new(1.0 / (8.0 * INPUTS as f32))
}

#[divan::bench(consts = [16, 32, 64])]
fn eigen_symmetric<const N: usize>(bencher: Bencher<'_, '_>) {
    let samples = samples::<N>();
    let mut centred = Matrix::<f32, N, N>::zeros();
    gram::fill(&kernel(), samples.as_slice(), &mut centred.view_mut()).expect("usable samples");
    gram::centre(&mut centred.view_mut(), &mut [0.0; N]).expect("square");
    bencher.bench_local(|| {
        let (mut work, mut values) = (centred, [0.0; N]);
        eigen::symmetric(&mut work.view_mut(), &mut values, &mut [0.0; N], MAX_SWEEPS)
            .expect("converges");
        (work, values)
    });
}

#[divan::bench(consts = [32, 64])]
fn fit_exact<const N: usize>(bencher: Bencher<'_, '_>) {
    let samples = samples::<N>();
    let mut model = KernelPca::<Rbf<f32>, Sample, N, COMPONENTS>::new();
    let mut workspace = ExactWorkspace::<f32, N>::new();
    let components = Components::Fixed(COMPONENTS);
    bencher.bench_local(|| {
        model.fit_exact(kernel(), samples.as_slice(), components, &mut workspace).expect("fits")
    });
}

#[divan::bench(consts = [64, 128])]
fn fit_leading<const N: usize>(bencher: Bencher<'_, '_>) {
    let samples = samples::<N>();
    let mut model = KernelPca::<Rbf<f32>, Sample, N, COMPONENTS>::new();
    let mut workspace = Box::new(LeadingWorkspace::<f32, N, { 4 * COMPONENTS }>::new());
    let components = Components::Fixed(COMPONENTS);
    bencher.bench_local(|| {
        model.fit_leading(kernel(), samples.as_slice(), components, &mut workspace).expect("fits")
    });
}

#[divan::bench(consts = [64, 128])]
fn fit_landmarks<const N: usize>(bencher: Bencher<'_, '_>) {
    let samples = samples::<N>();
    let mut model = KernelPca::<Rbf<f32>, Sample, POINTS, COMPONENTS>::new();
    let mut workspace = LandmarkWorkspace::<f32, N, POINTS>::new();
    let (rank, components) = (Landmarks::Rank(POINTS), Components::Fixed(COMPONENTS));
    bencher.bench_local(|| {
        model
            .fit_landmarks(kernel(), samples.as_slice(), rank, components, &mut workspace)
            .expect("fits")
    });
}

#[divan::bench]
fn score(bencher: Bencher<'_, '_>) {
    let samples = samples::<64>();
    let mut model = KernelPca::<Rbf<f32>, Sample, POINTS, COMPONENTS>::new();
    let mut workspace = LandmarkWorkspace::<f32, 64, POINTS>::new();
    let (rank, components) = (Landmarks::Rank(POINTS), Components::Fixed(COMPONENTS));
    model
        .fit_landmarks(kernel(), samples.as_slice(), rank, components, &mut workspace)
        .expect("fits");
    let query = [0.25; INPUTS];
    bencher.bench_local(|| model.score(black_box(&query)).expect("finite"));
}
