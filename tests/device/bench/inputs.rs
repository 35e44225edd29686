//! What the tasks work on: computed by the compiler, so that no code for it is in the firmware. `cargo xtask bench` leaves the bytes of
//! the statics in this file out of a task's flash: how large a model is, is known.

use mercer::Detector;
use mercer::detect::{LogDetector, LogScaling, Scaling, Threshold};
use mercer::kernel::Rbf;
use mercer::kpca::{Expansion, ExpansionHeader};
use mercer::linalg::Matrix;

use crate::shape::{D, N, P, R, Scalar, is};
use crate::signal::LENGTH;

pub(crate) type Sample = [Scalar; D];

/// The default of the library, `1/(8·d)`.
pub(crate) const GAMMA: Scalar = 1.0 / (8.0 * D as Scalar);

/// Scaled samples to fit a model to.
pub(crate) static SAMPLES: [Sample; N] = samples(&mut Generator(1), 0.0, 1.0);

/// Raw ones, to learn from with all that belongs to it.
pub(crate) static RAW_SAMPLES: [Sample; N] = samples(&mut Generator(1), MEAN, DEVIATION);

/// A raw reading, to score.
pub(crate) static READING: Sample = samples::<1>(&mut Generator(2), MEAN, DEVIATION)[0];

/// The same, scaled.
pub(crate) static SCALED_READING: Sample = samples::<1>(&mut Generator(2), 0.0, 1.0)[0];

/// Raw samples of `D` channels: a wave in noise.
pub(crate) static SIGNAL: [[f32; D]; LENGTH] = {
    let (mut signal, mut generator, mut i) = ([[0.0; D]; LENGTH], Generator(5), 0);
    while i < LENGTH * D {
        let wave = (i / D % 9) as f64 - 4.0;
        signal[i / D][i % D] = (9.81 + 0.1 * wave + 0.1 * generator.normal()) as f32;
        i += 1;
    }
    signal
};

const MEAN: f64 = 20.0;
const DEVIATION: f64 = 2.0;

/// A model of the right sizes. Its numbers are of a usual magnitude and otherwise at random: they do not change what a score costs.
macro_rules! detector {
    ($scalar:ty, $scaling:ident, $with:expr) => {{
        const POINTS: [[$scalar; D]; R] = {
            let exact: [[f64; D]; R] = values(&mut Generator(3), 0.0, 1.0);
            let mut points = [[0.0; D]; R];
            let mut i = 0;
            while i < R * D {
                points[i / D][i % D] = exact[i / D][i % D] as $scalar;
                i += 1;
            }
            points
        };
        const EXPANSION: Expansion<$scalar, R, P> = {
            let mut generator = Generator(4);
            let (mut weights, mut variances) = ([[0.0; P]; R], [0.0; P]);
            let mut i = 0;
            while i < R * P {
                weights[i / P][i % P] = (2.0 * generator.normal() / R as f64) as $scalar;
                variances[i % P] = 0.25 / (1 + i % P) as $scalar;
                i += 1;
            }
            let header = ExpansionHeader::new(R as u32, P as u32, 0.75, 2.0, false);
            let centre = [1.0 / R as $scalar; R];
            match Expansion::from_parts(header, weights, centre, [0.125; P], variances) {
                Ok(expansion) => expansion,
                Err(_) => panic!("there is room for all points and components"),
            }
        };
        Detector::<Rbf<$scalar>, [$scalar; _], _, _, $scaling<[$scalar; _]>>::in_flash(
            $with,
            Rbf::new(1.0 / (8.0 * D as $scalar)),
            POINTS,
            EXPANSION,
            Threshold::new(0.1),
        )
        .expect("a valid detector")
    }};
}

/// Of inputs as they are, and of inputs that are all logarithmic.
macro_rules! plain {
    ($scalar:ty) => {
        detector!($scalar, Scaling, Scaling::new([MEAN as $scalar; D], [DEVIATION as $scalar; D]))
    };
}
macro_rules! logarithmic {
    ($scalar:ty) => {
        detector!($scalar, LogScaling, {
            let scaling = Scaling::new([LOG_MEAN as $scalar; D], [LOG_DEVIATION as $scalar; D]);
            LogScaling::new(scaling, [FLOOR as $scalar; D])
        })
    };
}

/// Of the logarithms of raw readings, about.
const LOG_MEAN: f64 = 3.0;
const LOG_DEVIATION: f64 = 0.1;
const FLOOR: f64 = 5.0;

pub(crate) static DETECTOR: Detector<Rbf<Scalar>, Sample, R, P> = plain!(Scalar);
pub(crate) static LOG_DETECTOR: Detector<Rbf<Scalar>, Sample, R, P, LogScaling<Sample>> =
    logarithmic!(Scalar);

/// In single precision in any case: those that can be quantised.
pub(crate) static SINGLE: Detector<Rbf<f32>, [f32; D], R, P> = plain!(f32);
pub(crate) static LOG_SINGLE: LogDetector<D, R, P> = logarithmic!(f32);

/// A raw reading for it.
pub(crate) static SINGLE_READING: [f32; D] = {
    let exact = values::<1>(&mut Generator(2), MEAN, DEVIATION);
    let mut reading = [0.0; D];
    let mut j = 0;
    while j < D {
        reading[j] = exact[0][j] as f32;
        j += 1;
    }
    reading
};

/// The centred Gram matrix of the samples under the Gaussian kernel.
pub(crate) static CENTRED_GRAM: Matrix<Scalar, N, N> = Matrix::from_rows(centred_gram());

/// Correlated inputs, as sensors have them: a third of them follows each of three causes, with noise of the same strength.
const fn values<const COUNT: usize>(
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

const fn samples<const COUNT: usize>(
    generator: &mut Generator,
    mean: f64,
    deviation: f64,
) -> [Sample; COUNT] {
    let exact: [[f64; D]; COUNT] = values(generator, mean, deviation);
    let mut samples = [[0.0; D]; COUNT];
    let mut i = 0;
    while i < COUNT * D {
        samples[i / D][i % D] = exact[i / D][i % D] as Scalar;
        i += 1;
    }
    samples
}

const fn centred_gram() -> [[Scalar; N]; N] {
    // The compiler computes every static, used or not, and takes long for this one.
    if !is("jacobi") && !is("eigen") {
        return [[0.0; N]; N];
    }
    let samples: [Sample; N] = samples(&mut Generator(1), 0.0, 1.0);
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
            centred[i][j] = ((gram[i][j] - (means[i] + means[j])) + grand) as Scalar;
            j += 1;
        }
        i += 1;
    }
    centred
}

/// `e^−x` for `x ≥ 0`, which `core` cannot compute: four terms of the series at `x/1024`, squared ten times. Good to 1e-9 for `x < 8`.
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
