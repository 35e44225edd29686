//! What the tasks work on: computed by the compiler, so that no code for it is in the firmware.
//!
//! `xtask/src/bench/quantised.rs` includes this file, too: it makes the integers of one of the
//! detectors.

use mercer::Detector;
use mercer::detect::{GaussianProjector, LogDetector, LogScaling, Scaling, Threshold};
use mercer::kernel::Rbf;
use mercer::kpca::{Expansion, ExpansionHeader};

/// Scaled samples to fit a model to.
pub(crate) const fn scaled<const N: usize, const D: usize>() -> [[f32; D]; N] {
    single(values(&mut Generator(1), 0.0, 1.0))
}

/// Raw ones, to learn from with all that belongs to it.
pub(crate) const fn raw<const N: usize, const D: usize>() -> [[f32; D]; N] {
    single(values(&mut Generator(1), MEAN, DEVIATION))
}

/// A raw reading, to score.
pub(crate) const fn reading<const D: usize>() -> [f32; D] {
    single(values::<1, D>(&mut Generator(2), MEAN, DEVIATION))[0]
}

/// The same, scaled.
pub(crate) const fn scaled_reading<const D: usize>() -> [f32; D] {
    single(values::<1, D>(&mut Generator(2), 0.0, 1.0))[0]
}

/// The same in double precision.
pub(crate) const fn scaled_reading_double<const D: usize>() -> [f64; D] {
    values::<1, D>(&mut Generator(2), 0.0, 1.0)[0]
}

/// Raw samples of `D` channels: a wave in noise.
pub(crate) const fn signal<const N: usize, const D: usize>() -> [[f32; D]; N] {
    let (mut signal, mut generator, mut i) = ([[0.0; D]; N], Generator(5), 0);
    while i < N * D {
        let wave = (i / D % 9) as f64 - 4.0;
        signal[i / D][i % D] = (9.81 + 0.1 * wave + 0.1 * generator.normal()) as f32;
        i += 1;
    }
    signal
}

const MEAN: f64 = 20.0;
const DEVIATION: f64 = 2.0;

/// Of the logarithms of raw readings, about.
const LOG_MEAN: f64 = 3.0;
const LOG_DEVIATION: f64 = 0.1;
const FLOOR: f64 = 5.0;

const fn points<const D: usize, const R: usize>() -> [[f64; D]; R] {
    values(&mut Generator(3), 0.0, 1.0)
}

const fn weights<const R: usize, const P: usize>() -> [[f64; P]; R] {
    let (mut generator, mut weights, mut i) = (Generator(4), [[0.0; P]; R], 0);
    while i < R * P {
        weights[i / P][i % P] = 2.0 * generator.normal() / R as f64;
        i += 1;
    }
    weights
}

/// A model of the right sizes, as a function of this name. Its numbers are of a usual magnitude and
/// otherwise at random: they do not change what a score costs.
macro_rules! detector {
    ($(#[$doc:meta])* $name:ident, $scalar:ident, $scaling:ident, $detector:ty, $with:expr) => {
        $(#[$doc])*
        pub(crate) const fn $name<const D: usize, const R: usize, const P: usize>() -> $detector {
            let (mut weights, mut variances) = ([[0.0; P]; R], [0.0; P]);
            let (exact, mut i) = (self::weights::<R, P>(), 0);
            while i < R * P {
                weights[i / P][i % P] = exact[i / P][i % P] as $scalar;
                variances[i % P] = 0.25 / (1 + i % P) as $scalar;
                i += 1;
            }
            let (mut points, exact, mut i) = ([[0.0; D]; R], self::points::<D, R>(), 0);
            while i < R * D {
                points[i / D][i % D] = exact[i / D][i % D] as $scalar;
                i += 1;
            }
            let header = ExpansionHeader::new(R as u32, P as u32, 0.75, 2.0, false);
            let centre = [1.0 / R as $scalar; R];
            let expansion =
                match Expansion::from_parts(header, weights, centre, [0.125; P], variances) {
                    Ok(expansion) => expansion,
                    Err(_) => panic!("there is room for all points and components"),
                };
            let kernel = Rbf::new(1.0 / (8.0 * D as $scalar));
            let threshold = Threshold::new(SPE as $scalar);
            Detector::<Rbf<$scalar>, [$scalar; D], R, P, $scaling<[$scalar; D]>>::in_flash(
                $with, kernel, points, expansion, threshold,
            )
            .expect("a valid detector")
        }
    };
}

/// Of inputs as they are.
pub(crate) const fn scaling<const D: usize>() -> Scaling<[f32; D]> {
    Scaling::new([MEAN as f32; D], [DEVIATION as f32; D])
}

/// Of inputs that are all logarithmic.
pub(crate) const fn log_scaling<const D: usize>() -> LogScaling<[f32; D]> {
    let scaling = Scaling::new([LOG_MEAN as f32; D], [LOG_DEVIATION as f32; D]);
    LogScaling::new(scaling, [FLOOR as f32; D])
}

/// Of all detectors.
pub(crate) const SPE: f32 = 0.1;

detector!(
    /// Of inputs as they are.
    detector, f32, Scaling, Detector<Rbf<f32>, [f32; D], R, P>, scaling()
);
detector!(
    /// The same in double precision.
    double, f64, Scaling, Detector<Rbf<f64>, [f64; D], R, P>,
    Scaling::new([MEAN; D], [DEVIATION; D])
);
detector!(
    /// Of inputs that are all logarithmic.
    logarithmic, f32, LogScaling, LogDetector<D, R, P>, log_scaling()
);

/// The points and weights of [`detector()`], without what is for scores.
pub(crate) const fn projector<const D: usize, const R: usize, const P: usize>()
-> GaussianProjector<D, R, P> {
    let kernel = Rbf::new(1.0 / (8.0 * D as f32));
    let (points, weights) = (single(points::<D, R>()), single(weights::<R, P>()));
    GaussianProjector::in_flash(scaling(), kernel, points, weights, [0.125; P])
        .expect("a valid projector")
}

/// The centred Gram matrix of scaled samples under the Gaussian kernel.
pub(crate) const fn centred_gram<const N: usize, const D: usize>() -> [[f32; N]; N] {
    let samples: [[f32; D]; N] = scaled();
    let (mut gram, mut means, mut grand) = ([[0.0; N]; N], [0.0; N], 0.0);
    let mut i = 0;
    while i < N {
        let mut j = 0;
        while j < N {
            let (mut distance, mut l) = (0.0, 0);
            while l < D {
                let difference = (samples[i][l] - samples[j][l]) as f64;
                distance += difference * difference;
                l += 1;
            }
            gram[i][j] = exp_of_minus(distance / (8 * D) as f64);
            means[i] += gram[i][j] / N as f64;
            j += 1;
        }
        grand += means[i] / N as f64;
        i += 1;
    }
    let mut centred = [[0.0; N]; N];
    let mut i = 0;
    while i < N {
        let mut j = 0;
        while j < N {
            // In this order the result is symmetric to the last bit.
            centred[i][j] = ((gram[i][j] - (means[i] + means[j])) + grand) as f32;
            j += 1;
        }
        i += 1;
    }
    centred
}

/// Correlated inputs, as sensors have them: a third of them follows each of three causes, with
/// noise of the same strength.
const fn values<const COUNT: usize, const D: usize>(
    generator: &mut Generator,
    mean: f64,
    deviation: f64,
) -> [[f64; D]; COUNT] {
    let mut samples = [[0.0; D]; COUNT];
    let mut i = 0;
    while i < COUNT {
        let causes = [generator.normal(), generator.normal(), generator.normal()];
        let mut j = 0;
        while j < D {
            let value = 0.7 * causes[j % 3] + 0.7 * generator.normal();
            samples[i][j] = mean + deviation * value;
            j += 1;
        }
        i += 1;
    }
    samples
}

const fn single<const A: usize, const B: usize>(exact: [[f64; B]; A]) -> [[f32; B]; A] {
    let (mut single, mut i) = ([[0.0; B]; A], 0);
    while i < A * B {
        single[i / B][i % B] = exact[i / B][i % B] as f32;
        i += 1;
    }
    single
}

/// `e^−x` for `x ≥ 0`, which `core` cannot compute: four terms of the series at `x/1024`, squared
/// ten times. Good to 1e-9 for `x < 8`.
const fn exp_of_minus(x: f64) -> f64 {
    let small = x / 1024.0;
    let mut power = 1.0 - small * (1.0 - small / 2.0 * (1.0 - small / 3.0 * (1.0 - small / 4.0)));
    let mut squared = 0;
    while squared < 10 {
        power *= power;
        squared += 1;
    }
    power
}

/// A linear congruential generator (Knuth's MMIX).
struct Generator(u64);

impl Generator {
    /// About normal, of variance 1: four uniform numbers are added.
    const fn normal(&mut self) -> f64 {
        /// One over the deviation of the sum, √(12/4).
        const SCALE: f64 = 1.732_050_807_568_877_2;
        SCALE * (self.uniform() + self.uniform() + self.uniform() + self.uniform())
    }

    /// From −½ to ½.
    const fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64 - 0.5
    }
}
