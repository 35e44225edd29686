//! Projectors beside the detectors that they are a part of: the same bits, fewer bytes, and the
//! same rules at the door.

mod learning;

use learning::Machine;
use mercer::detect::{
    GaussianDetector, GaussianProjector, LogDetector, LogProjector, LogScaling, Projector, Scaling,
    Threshold,
};
use mercer::error::Fault;
use mercer::kernel::{Cosine, Laplacian, Linear, Memos, Normalised, Poly, Rbf, Sigmoid};
use mercer::kpca::{Axes, Components, LandmarkWorkspace, Landmarks};
use mercer::math::Real;
use mercer::{Detector, Error, KernelPca};

const N: usize = 60;
const D: usize = 5;

fn readings<T: Real>(seed: u64) -> Vec<[T; D]> {
    let mut random = Machine(seed);
    let mut reading = || {
        let common = random.normal();
        std::array::from_fn(|i| T::from_f64(7.0 + common + 0.6 * (i + 1) as f64 * random.normal()))
    };
    (0..N).map(|_| reading()).collect()
}

/// The first `P` components of a model with all of its points.
fn leading<T: Real, const R: usize, const P: usize>(
    expansion: mercer::kpca::ExpansionView<'_, T>,
) -> ([[T; P]; R], [T; P]) {
    let weights = std::array::from_fn(|i| std::array::from_fn(|j| expansion.weights().row(i)[j]));
    (weights, std::array::from_fn(|j| expansion.offsets()[j]))
}

/// A projector of two components has the bits of the detector's first two of three, near and far
/// from the samples, and refuses what that refuses.
macro_rules! same_bits {
    ($t:ty, $kernel:expr, $kernel_type:ty, $points:literal, $scaling:ident, $scale:expr) => {{
        let samples = readings::<$t>(5);
        let scaling: $scaling<[$t; D]> = $scale(Scaling::learn(samples.as_slice()));
        let scaled: Vec<_> =
            samples.iter().map(|x| mercer::detect::Prepare::apply(&scaling, x)).collect();
        let mut model = KernelPca::<$kernel_type, [$t; D], $points, 3>::new();
        let mut workspace = LandmarkWorkspace::<$t, N, $points>::new();
        let (landmarks, components) = (Landmarks::Rank($points), Components::Fixed(3));
        model.fit_landmarks($kernel, &scaled, landmarks, components, &mut workspace).unwrap();
        let points: [_; $points] = model.points().try_into().expect("as many points");
        let (weights, offsets) = leading(model.expansion());
        let projector =
            Projector::<$kernel_type, [$t; D], $points, 2, $scaling<[$t; D]>>::in_flash(
                scaling, $kernel, points, weights, offsets,
            )
            .expect("valid");
        let detector = Detector::from_parts(scaling, model, Threshold::new(1e-3)).unwrap();
        let mut compared = 0;
        for stretch in [1.0, -2.0, 8.0, 40.0, 1e6] {
            for x in readings::<$t>(6) {
                let x = x.map(|x| x * stretch as $t);
                match (detector.project(&x), projector.project(&x)) {
                    (Ok(expected), Ok(found)) => {
                        let bits = |f: &$t| f.to_bits();
                        let expected: Vec<_> = expected.iter().take(2).map(bits).collect();
                        assert_eq!(found.iter().map(bits).collect::<Vec<_>>(), expected, "{x:?}");
                        compared += 1;
                    }
                    (Err(expected), Err(found)) => assert_eq!(found, expected, "{x:?}"),
                    other => panic!("{x:?}: {other:?}"),
                }
            }
        }
        assert!(compared >= 4 * N, "{compared}");
        let mut x = samples[0];
        x[3] = <$t>::NAN;
        assert_eq!(projector.project(&x), Err(Error::Query(Fault::NotFinite { input: 3 })));
    }};
}

macro_rules! every_kernel {
    ($t:ty, $scaling:ident, $scale:expr) => {
        same_bits!($t, Rbf::new(0.025), Rbf<$t>, 14, $scaling, $scale);
        // Narrow, so that many points are far from the origin.
        same_bits!($t, Rbf::new(0.8), Rbf<$t>, 14, $scaling, $scale);
        same_bits!($t, Laplacian::new(0.1), Laplacian<$t>, 9, $scaling, $scale);
        let poly = Poly { gamma: 0.2, coef0: 1.0, degree: 2 };
        same_bits!($t, poly, Poly<$t>, 8, $scaling, $scale);
        same_bits!($t, Sigmoid::new(0.01, 0.0), Sigmoid<$t>, 4, $scaling, $scale);
        same_bits!($t, Linear, Linear, 4, $scaling, $scale);
        same_bits!($t, Normalised(Linear), Cosine, 4, $scaling, $scale);
    };
}

#[test]
fn projections_have_the_bits_of_the_detector() {
    every_kernel!(f32, Scaling, |scaling| scaling);
    every_kernel!(f64, Scaling, |scaling| scaling);
    every_kernel!(f32, LogScaling, |scaling| LogScaling::new(scaling, [0.0, 0.5, 0.0, 1.0, 2.0]));
    every_kernel!(f64, LogScaling, |scaling| LogScaling::new(scaling, [0.0, 0.5, 0.0, 1.0, 2.0]));
}

/// The same answer from parts and as a constant, with the name that a detector's door gives.
#[test]
fn bad_numbers_are_refused_by_name() {
    type Small = GaussianProjector<1, 2, 1>;
    let valid = ([3.0], [2.0], 0.5, [[0.5], [-0.5]], [[1.5], [-1.5]], [0.25]);
    let answer = |(mean, deviation, gamma, points, weights, offsets): ([f32; 1], _, _, _, _, _)| {
        let (scaling, kernel) = (Scaling::new(mean, deviation), Rbf::<f32>::new(gamma));
        let axes = Axes::from_parts(kernel, points, kernel.memos(&points), weights, offsets);
        let from_parts = Projector::from_parts(scaling, axes).map(|_| ());
        let in_flash = Small::in_flash(scaling, kernel, points, weights, offsets);
        assert_eq!(in_flash.is_some(), from_parts.is_ok());
        from_parts
    };
    assert_eq!(answer(valid), Ok(()));
    let name = |parts| match answer(parts) {
        Err(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let (mean, deviation, gamma, points, weights, offsets) = valid;
        assert_eq!(name(([bad], deviation, gamma, points, weights, offsets)), "mean");
        assert_eq!(name((mean, [bad], gamma, points, weights, offsets)), "deviation");
        assert_eq!(name((mean, deviation, bad, points, weights, offsets)), "gamma");
        assert_eq!(name((mean, deviation, gamma, [[0.5], [bad]], weights, offsets)), "points");
        assert_eq!(name((mean, deviation, gamma, points, [[bad], [1.0]], offsets)), "weights");
        assert_eq!(name((mean, deviation, gamma, points, weights, [bad])), "offsets");
    }
    // Nothing but rounding would be left of these.
    let (mean, deviation, gamma, points, _, offsets) = valid;
    assert_eq!(name((mean, deviation, gamma, points, [[1e9], [-1e9]], offsets)), "weights");
    assert_eq!(name((mean, [0.0], gamma, points, [[1.5], [-1.5]], offsets)), "deviation");
}

/// A linear model has no bound that its weights could exceed.
#[test]
fn unbounded_kernels_take_any_weights() {
    let axes = Axes::from_parts(Linear, [[1.0_f32]], Memos::NONE, [[1e20]], [0.0]);
    assert!(Projector::from_parts(Scaling::identity(), axes.clone()).is_ok());
    let projector = Projector::from_parts(Scaling::identity(), axes).unwrap();
    assert_eq!(projector.project(&[1e30]), Err(Error::Query(Fault::Overflow)));
}

/// Of the default sizes, four of 24 components take less than half of the flash, and by the bounds
/// little more than half of the instructions.
#[test]
fn it_costs_less_than_the_detector() {
    let (whole, part) =
        (GaussianDetector::<12, 48, 24>::COST, GaussianProjector::<12, 48, 4>::COST);
    println!("12 inputs, 48 points: 24 components and SPE {whole:?}");
    println!("4 components alone {part:?}");
    assert_eq!(part.flash, GaussianProjector::<12, 48, 4>::SIZE);
    assert!(2 * part.flash < whole.flash, "{} of {}", part.flash, whole.flash);
    assert!(100 * part.instructions.cortex_m0 < 55 * whole.instructions.cortex_m0);
    assert!(100 * part.instructions.cortex_m4f < 55 * whole.instructions.cortex_m4f);
    assert!(part.multiply_adds < whole.multiply_adds && part.ram < whole.ram);
    // What is left out for nothing, with all components: the centre, the variances, the header.
    let (whole, part) = (LogDetector::<6, 16, 8>::COST, LogProjector::<6, 16, 8>::COST);
    assert!(part.flash + 4 * (16 + 8) <= whole.flash, "{} of {}", part.flash, whole.flash);
}
