//! One route: owner, view, borrowed kernel, calibration, contributions, stored models and models in
//! flash score with the same bits, for every kernel, in `f32` and `f64`. And the fast route agrees
//! with the plain formulas, evaluated point by point in this file.

mod learning;

use learning::Machine;
use mercer::detect::calibrate::quantile;
use mercer::detect::persist::Encode;
use mercer::detect::{FoldOrder, Scaling, Threshold};
use mercer::error::Fault;
use mercer::kernel::{
    BlockKernel, Exp, Gradient, Laplacian, Linear, Mapped, Normalised, Poly, Product,
    QuadraticForm, Rbf, Sample, Scale, Sigmoid, Spectrum, Sum,
};
use mercer::kpca::{
    Components, Expansion, ExpansionHeader, KernelPcaView, LandmarkWorkspace, Landmarks, Score,
};
use mercer::linalg::Matrix;
use mercer::math::{Fast, Libm, Math, Real};
use mercer::{Detector, Error, Kernel, KernelPca, Learner, Recipe};

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
    K: BlockKernel<[T], Scalar = T>,
{
    let mut model = KernelPca::new();
    let mut workspace = Box::new(LandmarkWorkspace::<T, N, R>::new());
    let components = Components::Share(T::from_f64(0.97));
    model.fit_landmarks(kernel, samples, Landmarks::Room, components, &mut workspace).unwrap();
    model
}

/// The formulas, point by point through [`Kernel::eval`] and in the order of the points.
fn plain<K, X, T, const R: usize, const P: usize>(
    model: &KernelPca<K, X, R, P>,
    x: &X::View,
) -> (Vec<T>, T)
where
    T: Real,
    X: Sample,
    K: Kernel<X::View, Scalar = T>,
{
    let (kernel, expansion) = (model.kernel().unwrap(), model.expansion());
    let row: Vec<T> = model.points().iter().map(|point| kernel.eval(x, point.view())).collect();
    let mut projection = vec![T::ZERO; expansion.components()];
    let score = expansion.score_row(kernel.diagonal(x), &row, &mut projection).unwrap();
    (projection, score.spe)
}

/// Queries in, near, and far from the samples.
fn queries<T: Real, const D: usize>(seed: u64, offset: f64) -> Vec<[T; D]> {
    let readings = readings::<T, D>(&mut Machine(seed), offset);
    let stretched =
        |stretch: f64| readings.iter().take(12).map(move |x| x.map(|x| T::from_f64(stretch) * x));
    [1.0, 3.0, 8.0, 30.0, 1e6].into_iter().flat_map(stretched).collect()
}

fn bits<T: Real>(score: &Score<T>) -> [u64; 4] {
    [score.spe, score.t2, score.abs_sum, score.centre_distance].map(|v| v.to_f64().to_bits())
}

/// Every way to score a model of this kernel gives the same bits.
fn same_bits<K, T, const D: usize, const R: usize, const P: usize>(kernel: K, offset: f64)
where
    T: Real + Encode,
    K: Gradient<T> + Encode + Clone,
{
    let samples = readings::<T, D>(&mut Machine(3), offset);
    let owner = fit::<K, T, D, R, P>(kernel.clone(), &samples);
    let borrowed = fit::<&K, T, D, R, P>(&kernel, &samples);
    let view = owner.view().unwrap();
    let mut memos = vec![T::ZERO; view.expansion().points()];
    let points = owner.points();
    let own_memory = KernelPcaView::new(&kernel, points, owner.expansion(), &mut memos).unwrap();

    let threshold = Threshold::new(T::ONE);
    let detector = Detector::from_parts(Scaling::identity(), owner.clone(), threshold).unwrap();
    let mut bytes = vec![0; Detector::<K, [T; D], R, P>::ENCODED_SIZE];
    let length = detector.write_to(&mut bytes).unwrap();
    let mut restored = Detector::<K, [T; D], R, P>::new();
    restored.read_from(&bytes[..length]).unwrap();

    let mut projection = vec![T::ZERO; view.expansion().components()];
    let (mut row, mut contributions) = (vec![T::ZERO; points.len()], [T::ZERO; D]);
    for x in queries::<T, D>(4, offset) {
        // Not every kernel has a value everywhere; where it has none, all say so.
        let Ok(expected) = owner.score(&x) else {
            assert!(view.score(&x, &mut projection).is_err());
            assert!(detector.score(&x).is_err());
            continue;
        };
        let agree = |way: &str, score: Score<T>| {
            assert_eq!(bits(&score), bits(&expected), "{way} at {x:?}");
        };
        agree("view", view.score(&x, &mut projection).unwrap());
        assert_eq!(projection, owner.project(&x).unwrap().to_vec());
        agree("view of the caller's memory", own_memory.score(&x, &mut projection).unwrap());
        agree("borrowed kernel", borrowed.score(&x).unwrap());
        agree("detector", detector.score(&x).unwrap().score);
        agree("restored detector", restored.score(&x).unwrap().score);
        let by_view = detector.view().unwrap().score(&mut { x }, &mut projection).unwrap();
        agree("view of a detector", by_view.score);
        let Ok(explained) = owner.contributions(&x) else { continue };
        let places = (&mut row[..], &mut projection[..], &mut contributions[..]);
        agree("contributions", view.contributions(&x, places.0, places.1, places.2).unwrap());
        assert_eq!(explained, contributions, "contributions of owner and view");
    }
}

/// All kernels, with sizes that fill blocks of four and that do not.
fn every_kernel<T: Real + Encode>()
where
    Fast: Math<T>,
    Libm: Math<T>,
{
    let t = T::from_f64;
    let poly = Poly { gamma: t(0.2), coef0: T::ONE, degree: 3 };
    for offset in [0.0, 5.0] {
        same_bits::<_, T, 3, 13, 5>(Rbf::new(t(0.04)), offset);
        same_bits::<_, T, 8, 32, 4>(Rbf::new(t(0.02)), offset);
        same_bits::<_, T, 11, 14, 5>(Rbf::new(t(0.02)), offset);
        same_bits::<_, T, 4, 12, 6>(Rbf { gamma: t(0.05), math: Libm }, offset);
        same_bits::<_, T, 4, 12, 6>(Laplacian::new(t(0.1)), offset);
        same_bits::<_, T, 4, 5, 4>(Linear, offset);
        same_bits::<_, T, 4, 14, 6>(poly, offset);
        same_bits::<_, T, 4, 14, 6>(Sigmoid::new(t(0.01), t(0.1)), offset);
        same_bits::<_, T, 4, 5, 3>(Normalised(Linear), offset);
        same_bits::<_, T, 4, 14, 6>(Sum(Rbf::new(t(0.05)), Linear), offset);
        same_bits::<_, T, 4, 14, 6>(Product(Rbf::new(t(0.05)), poly), offset);
        same_bits::<_, T, 4, 14, 6>(Scale { factor: t(2.0), kernel: Rbf::new(t(0.05)) }, offset);
        let small = Exp::new(Scale { factor: t(0.01), kernel: Linear });
        same_bits::<_, T, 4, 8, 4>(Normalised(small), offset);
    }
}

#[test]
fn all_ways_to_score_give_the_same_bits_in_f32() {
    every_kernel::<f32>();
}

#[test]
fn all_ways_to_score_give_the_same_bits_in_f64() {
    every_kernel::<f64>();
}

/// Kernels that are not stored or not differentiated, and samples that are no vectors.
#[test]
fn other_kernels_and_samples_take_the_same_route() {
    fn check<K, X, const R: usize, const P: usize>(kernel: &K, samples: &[X], others: &[X])
    where
        X: Sample + Clone,
        K: BlockKernel<X::View, Scalar = f32> + Clone,
    {
        let (mut owner, mut borrowed) =
            (KernelPca::<K, X, R, P>::new(), KernelPca::<&K, X, R, P>::new());
        let mut workspace = LandmarkWorkspace::<f32, N, R>::new();
        let (room, share) = (Landmarks::Room, Components::Share(0.9));
        owner.fit_landmarks(kernel.clone(), samples, room, share, &mut workspace).unwrap();
        borrowed.fit_landmarks(kernel, samples, room, share, &mut workspace).unwrap();
        let view = owner.view().unwrap();
        let mut projection = vec![0.0; view.expansion().components()];
        for x in others.iter().map(Sample::view) {
            let expected = owner.score(x).unwrap();
            assert_eq!(bits(&view.score(x, &mut projection).unwrap()), bits(&expected));
            assert_eq!(bits(&borrowed.score(x).unwrap()), bits(&expected));
            assert!((plain(&owner, x).1 - expected.spe).abs() < 2e-6);
        }
    }
    let mut random = Machine(6);
    let records = |random: &mut Machine| -> Vec<[u8; 12]> {
        let letter = |random: &mut Machine| b"abcd"[(random.normal().abs() * 2.0) as usize % 4];
        (0..N).map(|_| std::array::from_fn(|_| letter(random))).collect()
    };
    let (samples, others) = (records(&mut random), records(&mut random));
    check::<_, _, 9, 5>(&Normalised(Spectrum::<f32>::new(2)), &samples, &others);
    let names: Vec<&str> = samples.iter().map(|name| str::from_utf8(name).unwrap()).collect();
    let new: Vec<&str> = others.iter().map(|name| str::from_utf8(name).unwrap()).collect();
    check::<_, _, 9, 5>(&Normalised(Spectrum::<f32>::new(2)), &names, &new);
    let (x, y) = (readings::<f32, 2>(&mut random, 0.0), readings::<f32, 2>(&mut random, 0.0));
    let form = QuadraticForm { matrix: Matrix::from_rows([[2.0, 0.5], [0.5, 1.0]]) };
    check::<_, _, 2, 2>(&form, &x, &y);
    let squares: fn(&[f32]) -> [f32; 3] = |x| [x[0] * x[0], x[1] * x[1], x[0] * x[1]];
    check::<_, _, 9, 5>(&Mapped { kernel: Rbf::new(0.1_f32), map: squares }, &x, &y);
}

/// A threshold is calibrated on the route it is applied to.
#[test]
fn calibration_scores_with_the_bits_of_models_of_the_folds() {
    fn check<T: Real, const D: usize, const R: usize>(offset: f64)
    where
        Fast: Math<T>,
    {
        const FOLDS: usize = 4;
        let samples = readings::<T, D>(&mut Machine(8), offset);
        let kernel = Rbf::new(T::from_f64(0.05));
        let mut learner = Box::new(Learner::<Rbf<T>, [T; D], N, R, R>::new());
        samples.iter().for_each(|x| learner.push(x).unwrap());
        let recipe = Recipe::default().standardise(false);
        let found = learner.learn(kernel, recipe).unwrap().threshold;

        let mut spe = Vec::new();
        for fold in 0..FOLDS {
            let held_out = FoldOrder::Contiguous.held_out(fold, N, FOLDS);
            let others = (0..N).filter(|&i| !held_out.contains(i)).map(|i| samples[i]);
            let others: Vec<[T; D]> = others.collect();
            let mut model = KernelPca::<_, [T; D], R, R>::new();
            let mut workspace = Box::new(LandmarkWorkspace::<T, N, R>::new());
            let share = Components::Share(T::from_f64(0.99));
            model.fit_landmarks(kernel, &others, Landmarks::Room, share, &mut workspace).unwrap();
            for i in held_out.positions() {
                spe.push(model.score(&samples[i]).unwrap().spe);
            }
        }
        let expected = quantile(&spe, T::from_f64(0.05)).unwrap().threshold;
        assert_eq!(found.spe, expected, "{offset} from the origin");
    }
    for offset in [0.0, 4.0, 1e3] {
        check::<f32, 5, 18>(offset);
        check::<f64, 5, 18>(offset);
    }
}

/// The largest differences in projections and SPE between the route and the plain formulas.
fn differences<M, T, const D: usize, const R: usize, const P: usize>(
    math: M,
    offset: f64,
) -> (f64, f64)
where
    T: Real,
    M: Math<T>,
{
    let (mut projections, mut spe) = (0.0_f64, 0.0_f64);
    for seed in 0..20 {
        let samples = readings::<T, D>(&mut Machine(seed), offset);
        let gamma = T::from_f64([1.0, 2.0, 4.0, 8.0][seed as usize % 4] / (8.0 * D as f64));
        let model = fit::<_, T, D, R, P>(Rbf { gamma, math }, &samples);
        for x in queries::<T, D>(seed + 100, offset) {
            let (projection, plain_spe) = plain(&model, &x);
            let by_route = model.project(&x).unwrap();
            assert_eq!(by_route.len(), projection.len());
            for (&a, b) in by_route.iter().zip(projection) {
                projections = projections.max((a - b).abs().to_f64());
            }
            spe = spe.max((model.score(&x).unwrap().spe - plain_spe).abs().to_f64());
        }
    }
    (projections, spe)
}

/// Also with points far from the origin, which are evaluated from differences: all of them at an
/// offset of 1000, some at 4.
#[test]
fn the_route_agrees_with_the_plain_formulas() {
    for offset in [0.0, 4.0, 1e3] {
        // Numbers of points, inputs and components that are not multiples of four, and that are.
        let single = [
            differences::<_, f32, 3, 13, 5>(Fast, offset),
            differences::<_, f32, 8, 32, 4>(Fast, offset),
            differences::<_, f32, 17, 31, 24>(Fast, offset),
            differences::<_, f32, 5, 18, 7>(Libm, offset),
        ];
        for (projection, spe) in single {
            println!("f32, offset {offset}: projections {projection:.1e}, SPE {spe:.1e}");
            assert!(projection <= 4e-6 && spe <= 4e-6);
        }
        let double = [
            differences::<_, f64, 3, 13, 5>(Fast, offset),
            differences::<_, f64, 11, 14, 5>(Fast, offset),
            differences::<_, f64, 17, 31, 24>(Libm, offset),
        ];
        for (projection, spe) in double {
            println!("f64, offset {offset}: projections {projection:.1e}, SPE {spe:.1e}");
            assert!(projection <= 1e-13 && spe <= 1e-13);
        }
    }
}

/// One far point does not send the others with it: its neighbours stay in blocks.
#[test]
fn far_points_are_evaluated_by_themselves() {
    let mut samples = readings::<f32, 4>(&mut Machine(5), 0.0);
    for i in [0, 7, 30] {
        samples[i] = samples[i].map(|x| x + 20.0);
    }
    let model = fit::<_, f32, 4, 20, 8>(Rbf::new(1.0 / 32.0), &samples);
    let far = model.points().iter().filter(|p| p.iter().map(|x| x * x).sum::<f32>() > 128.0);
    assert_eq!(far.count(), 3, "the far samples are landmarks");
    assert_eq!(model.view().unwrap().memos().len(), 17, "and come last");
    for x in samples {
        assert!((model.score(&x).unwrap().spe - plain(&model, &x).1).abs() <= 2e-6);
    }
}

#[test]
fn models_in_flash_score_with_the_same_bits() {
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
    let expansion = Expansion::from_parts(header, weights, centre, offsets, variances).unwrap();
    let in_flash = KernelPca::from_parts(KERNEL, points, KERNEL.memos(&points), expansion);
    for x in readings::<f32, 3>(&mut random, 0.0) {
        assert_eq!(in_flash.score(&x).unwrap(), model.score(&x).unwrap());
    }
}

#[test]
fn unusable_readings_are_named() {
    let samples = readings::<f32, 3>(&mut Machine(2), 0.0);
    let model = fit::<_, f32, 3, 8, 4>(Rbf::new(0.05), &samples);
    let view = model.view().unwrap();
    let mut projection = vec![0.0; view.expansion().components()];
    let nan = Error::Query(Fault::NotFinite { input: 1 });
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(model.score(&[0.0, bad, 0.0]), Err(nan));
        assert_eq!(model.project(&[0.0, bad, 0.0]), Err(nan));
        assert_eq!(view.score(&[0.0, bad, 0.0], &mut projection), Err(nan));
    }
    let short = Error::Query(Fault::Length { expected: 3, given: 2 });
    assert_eq!(model.score(&[0.0, 0.0]), Err(short));
    assert_eq!(view.score(&[0.0, 0.0], &mut projection), Err(short));
    // Its square is not finite, but the reading is: it is just far from everything.
    let far = model.score(&[f32::MAX, 0.0, 0.0]).unwrap();
    assert_eq!(far.spe, model.score(&[1e15, 0.0, 0.0]).unwrap().spe);
}
