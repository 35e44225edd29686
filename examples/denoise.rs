//! Takes the noise out of handwritten digits, by linear and by kernel PCA.
//!
//! Learns on the device from 80 digits of 8 × 8 pixels, then spoils 20 others with Gaussian noise
//! and with speckle, projects them onto the components and goes back to pixels. Linear PCA cannot
//! follow the curved set of all digits: it must choose between few axes, which blur, and many,
//! which keep the noise. Kernel PCA has more components than there are pixels to choose from.
//!
//! - host: `cargo run --release --example denoise`
//! - Cortex-M4F in QEMU: `cargo run --release --example denoise --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/digits.rs"]
mod digits;
mod support;

use digits::{Digit, Noise, PIXELS, Random, TRAINING, UNSEEN, squared_error, training, unseen};
use mercer::kernel::Rbf;
use mercer::kpca::preimage::ITERATIONS;
use mercer::kpca::{Components, ExactWorkspace};
use mercer::methods::{Pca, PcaWorkspace};
use mercer::{Error, KernelPca};
use static_cell::ConstStaticCell;
use support::say;

/// About where each kind of PCA does best on these digits: `docs/DENOISING.md`.
const AXES: usize = 8;
const COMPONENTS: usize = 32;

type Model = KernelPca<Rbf<f32>, Digit, TRAINING, COMPONENTS>;

// Large values live in statics, never on the stack.
static SAMPLES: ConstStaticCell<[Digit; TRAINING]> =
    ConstStaticCell::new([[0.0; PIXELS]; TRAINING]);
static MODEL: ConstStaticCell<Model> = ConstStaticCell::new(KernelPca::new());
static PCA: ConstStaticCell<Pca<Digit, AXES>> = ConstStaticCell::new(Pca::new());
static WORKSPACE: ConstStaticCell<ExactWorkspace<f32, TRAINING>> =
    ConstStaticCell::new(ExactWorkspace::new());
static PCA_WORKSPACE: ConstStaticCell<PcaWorkspace<Digit, PIXELS>> =
    ConstStaticCell::new(PcaWorkspace::new());

/// All of the above.
const RAM: usize = size_of::<[Digit; TRAINING]>()
    + Model::SIZE
    + Pca::<Digit, AXES>::SIZE
    + ExactWorkspace::<f32, TRAINING>::SIZE
    + PcaWorkspace::<Digit, PIXELS>::SIZE;

fn run() -> Result<(), Error> {
    let samples = SAMPLES.take();
    for (place, digit) in samples.iter_mut().zip(training()) {
        *place = digit;
    }
    let (pca, model) = (PCA.take(), MODEL.take());
    let linear = pca.fit(samples, Components::Fixed(AXES), PCA_WORKSPACE.take())?;
    // γ = 1/(2m), m being the median squared distance.
    let kernel = Rbf::for_samples(samples.as_slice(), 2.0)?;
    let report =
        model.fit_exact(kernel, samples, Components::Fixed(COMPONENTS), WORKSPACE.take())?;
    say!("Learned from {TRAINING} digits, in {RAM} bytes:");
    say!("linear PCA, {AXES} axes, {:.1} % of the variance", 100.0 * linear.explained);
    say!("kernel PCA, {COMPONENTS} components, {:.1} % of the variance", 100.0 * report.explained);

    for noise in [Noise::Gaussian, Noise::Speckle] {
        let mut random = Random(1998);
        let [mut before, mut linear, mut kernel] = [0.0; 3];
        for (i, digit) in unseen().enumerate() {
            let noisy = random.spoil(&digit, noise);
            let (flat, curved) = (pca.denoise(&noisy)?, model.denoise(&noisy, ITERATIONS)?);
            before += squared_error(&digit, &noisy) / UNSEEN as f32;
            linear += squared_error(&digit, &flat) / UNSEEN as f32;
            kernel += squared_error(&digit, &curved) / UNSEEN as f32;
            if i == 5 || i == 12 {
                show(&[digit, noisy, flat, curved]);
            }
        }
        say!("{noise:?} noise, mean squared error of {UNSEEN} digits:");
        say!("{before:.4} before, {linear:.4} by linear PCA, {kernel:.4} by kernel PCA");
    }
    Ok(())
}

/// Digits side by side, a character a pixel.
fn show(digits: &[Digit; 4]) {
    const INK: [&str; 6] = [" ", ".", ":", "+", "#", "@"];
    say!("digit       noisy       linear PCA  kernel PCA");
    for row in 0..8 {
        let line = Line(digits.each_ref().map(|digit| {
            core::array::from_fn(|column| {
                INK[(digit[8 * row + column] * 5.99).clamp(0.0, 5.0) as usize]
            })
        }));
        say!("{line}");
    }
}

/// A row of four digits.
struct Line([[&'static str; 8]; 4]);

impl core::fmt::Display for Line {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for digit in &self.0 {
            for pixel in digit {
                f.write_str(pixel)?;
            }
            f.write_str("    ")?;
        }
        Ok(())
    }
}

support::main!(run);
