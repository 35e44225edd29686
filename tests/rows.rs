//! A model scores by rows, four points at a time and from inner products; its view scores point by point, from differences. They must agree.

mod learning;

use learning::Machine;
use mercer::detect::{Scaling, Thresholds};
use mercer::error::Fault;
use mercer::kernel::{Laplacian, Rbf};
use mercer::kpca::{Components, Expansion, ExpansionHeader, LandmarkWorkspace, Landmarks, Score};
use mercer::math::{Fast, Libm, Math, Real};
use mercer::{Detector, Error, Kernel, KernelPca};

const N: usize = 60;

/// Readings of `D` inputs of about unit variance, around `offset`.
fn readings<T: Real, const D: usize>(random: &mut Machine, offset: f64) -> Vec<[T; D]> {
    let mut reading = || {
        let common = random.normal();
        std::array::from_fn(|_| T::from_f64(offset + 0.8 * common + 0.6 * random.normal()))
    };
    (0..N).map(|_| reading()).collect()
}

fn fit<K, T, const D: usize, const R: usize, const P: usize>(
    kernel: K,
    samples: &[[T; D]],
) -> KernelPca<K, [T; D], R, P>
where
    T: Real,
    K: Kernel<[T], Scalar = T>,
{
    let mut model = KernelPca::new();
    let mut workspace = Box::new(LandmarkWorkspace::<T, N, R>::new());
    let components = Components::Share(T::from_f64(0.97));
    model.fit_landmarks(kernel, samples, Landmarks::Room, components, &mut workspace).unwrap();
    model
}

fn plain<K, T, const D: usize, const R: usize, const P: usize>(
    model: &KernelPca<K, [T; D], R, P>,
    x: &[T; D],
) -> (Vec<T>, Score<T>)
where
    T: Real,
    K: Kernel<[T], Scalar = T>,
{
    let view = model.view().unwrap();
    let mut projection = vec![T::ZERO; view.expansion().components()];
    let score = view.score(x, &mut projection).unwrap();
    (projection, score)
}

/// The largest differences in projections and SPE between the two ways, over readings in, near and far from the samples.
fn differences<M, T, const D: usize, const R: usize, const P: usize>(math: M) -> (f64, f64)
where
    T: Real,
    M: Math<T>,
{
    let (mut projections, mut spe) = (0.0_f64, 0.0_f64);
    for seed in 0..20 {
        let mut random = Machine(seed);
        let samples = readings::<T, D>(&mut random, 0.0);
        let gamma = T::from_f64([1.0, 2.0, 4.0, 8.0][seed as usize % 4] / (8.0 * D as f64));
        let model = fit::<_, T, D, R, P>(Rbf { gamma, math }, &samples);
        for x in readings::<T, D>(&mut random, 0.0) {
            for stretch in [1.0, 3.0, 30.0, 1e6] {
                let x = x.map(|x| T::from_f64(stretch) * x);
                let (projection, score) = plain(&model, &x);
                let by_rows = model.project(&x).unwrap();
                assert_eq!(by_rows.len(), projection.len());
                for (&a, b) in by_rows.iter().zip(projection) {
                    projections = projections.max((a - b).abs().to_f64());
                }
                spe = spe.max((model.score(&x).unwrap().spe - score.spe).abs().to_f64());
            }
        }
    }
    (projections, spe)
}

#[test]
fn rows_and_points_agree() {
    // Numbers of points, inputs and components that are not multiples of four, and that are.
    let single = [
        differences::<_, f32, 3, 13, 5>(Fast),
        differences::<_, f32, 8, 32, 4>(Fast),
        differences::<_, f32, 17, 31, 24>(Fast),
        differences::<_, f32, 5, 18, 7>(Libm),
    ];
    for (projection, spe) in single {
        println!("f32: projections {projection:.1e}, SPE {spe:.1e}");
        assert!(projection <= 4e-6 && spe <= 4e-6);
    }
    for (projection, spe) in
        [differences::<_, f64, 3, 13, 5>(Fast), differences::<_, f64, 17, 31, 24>(Libm)]
    {
        println!("f64: projections {projection:.1e}, SPE {spe:.1e}");
        assert!(projection <= 1e-13 && spe <= 1e-13);
    }
}

#[test]
fn sizes_at_run_time_give_the_same_bits() {
    fn check<T: Real + PartialEq, const D: usize, const R: usize, const P: usize>()
    where
        Fast: Math<T>,
    {
        let mut random = Machine(3);
        let samples = readings::<T, D>(&mut random, 0.0);
        let model = fit::<_, T, D, R, P>(Rbf::new(T::from_f64(0.04)), &samples);
        let view = model.view().unwrap();
        let mut memos = vec![T::ZERO; view.expansion().points()];
        assert!(view.write_memos(&mut memos));
        let view = view.with_memos(&memos);
        let mut projection = vec![T::ZERO; view.expansion().components()];
        for x in readings::<T, D>(&mut random, 0.0) {
            for stretch in [1.0, 3.0, 1e6] {
                let x = x.map(|x| T::from_f64(stretch) * x);
                let score = view.score_mut(&mut { x }, &mut projection).unwrap();
                assert_eq!(score, model.score(&x).unwrap());
                assert_eq!(projection, model.project(&x).unwrap().to_vec());
            }
        }
        let bad = [T::from_f64(f64::NAN); D];
        let nan = Error::Query(Fault::NotFinite { input: 0 });
        assert_eq!(view.score_mut(&mut { bad }, &mut projection), Err(nan));
        assert!(view.score_mut(&mut vec![T::ZERO; D + 1], &mut projection).is_err());
    }
    check::<f32, 3, 13, 5>();
    check::<f32, 8, 32, 4>();
    check::<f64, 17, 31, 24>();
}

#[test]
fn readings_far_from_the_origin_are_compared_by_differences() {
    let mut random = Machine(5);
    let samples = readings::<f32, 4>(&mut random, 1e3);
    let model = fit::<_, f32, 4, 12, 6>(Rbf::new(0.1), &samples);
    for x in readings::<f32, 4>(&mut random, 1e3) {
        assert_eq!(model.score(&x).unwrap(), plain(&model, &x).1);
    }
    // Kernels without rows, too.
    let model = fit::<_, f32, 4, 12, 6>(Laplacian::new(0.1), &samples);
    assert_eq!(model.score(&samples[0]).unwrap(), plain(&model, &samples[0]).1);
}

#[test]
fn stored_models_and_models_in_flash_score_with_the_same_bits() {
    const KERNEL: Rbf<f32> = Rbf::new(0.05);
    let mut random = Machine(9);
    let samples = readings::<f32, 3>(&mut random, 0.0);
    let model = fit::<_, f32, 3, 14, 6>(KERNEL, &samples);
    let expansion = model.expansion();
    let points: [[f32; 3]; 14] = model.points().try_into().unwrap();
    let mut weights = [[0.0; 6]; 14];
    let (mut centre, mut offsets, mut variances) = ([0.0; 14], [0.0; 6], [0.0; 6]);
    for (row, values) in weights.iter_mut().zip(expansion.weights().iter_rows()) {
        row[..values.len()].copy_from_slice(values);
    }
    centre.copy_from_slice(expansion.centre());
    offsets[..expansion.components()].copy_from_slice(expansion.offsets());
    variances[..expansion.components()].copy_from_slice(expansion.variances());
    let header: ExpansionHeader<f32> = *expansion.header();
    let expansion = Expansion::from_parts(header, weights, centre, offsets, variances);
    let in_flash =
        KernelPca::from_parts(KERNEL, points, expansion).with_memos(KERNEL.memos(&points));

    let detector =
        Detector::from_parts(Scaling::identity(), model.clone(), Thresholds::<f32>::EMPTY);
    let mut bytes = vec![0; Detector::<Rbf<f32>, [f32; 3], 14, 6>::ENCODED_SIZE];
    let length = detector.write_to(&mut bytes).unwrap();
    let mut restored = Detector::<Rbf<f32>, [f32; 3], 14, 6>::new();
    restored.read_from(&bytes[..length]).unwrap();
    for x in readings::<f32, 3>(&mut random, 0.0) {
        let score = model.score(&x).unwrap();
        assert_eq!(in_flash.score(&x).unwrap(), score);
        assert_eq!(restored.score(&x).unwrap().score, score);
        assert_ne!(plain(&model, &x).1, Score::default());
    }
}

#[test]
fn unusable_readings_are_named_by_either_way() {
    let samples = readings::<f32, 3>(&mut Machine(2), 0.0);
    let model = fit::<_, f32, 3, 8, 4>(Rbf::new(0.05), &samples);
    let nan = Error::Query(Fault::NotFinite { input: 1 });
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(model.score(&[0.0, bad, 0.0]), Err(nan));
        assert_eq!(model.project(&[0.0, bad, 0.0]), Err(nan));
    }
    let short = Error::Query(Fault::Length { expected: 3, given: 2 });
    assert_eq!(model.score(&[0.0, 0.0]), Err(short));
    // Its square is not finite, but the reading is: it is just far from everything.
    let far = model.score(&[f32::MAX, 0.0, 0.0]).unwrap();
    assert_eq!(far.spe, model.score(&[1e15, 0.0, 0.0]).unwrap().spe);
}
