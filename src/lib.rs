//! Kernel PCA for microcontrollers: from a few dozen readings it learns what normal looks like, and
//! says when a reading is not, how strongly, and because of which sensor. `no_std`, no allocation,
//! no `unsafe`, no panics; the same bits on the host and on every core.
//!
//! **Learn on the device, then score.** In firmware the learner is a `static`, and
//! [`begin`](Learner::begin) and [`step`](Learner::step) do the work in bounded pieces:
//!
//! ```
//! use mercer::kernel::Rbf;
//! use mercer::{GaussianLearner, Recipe};
//! # fn usual(t: u16) -> [f32; 2] {
//! #     let (t, load) = (f32::from(t), (f32::from(t) * 0.7).sin());
//! #     [20.0 + 3.0 * load, 5.0 + load + 0.1 * t.cos()]
//! # }
//!
//! // 2 inputs; room for 64 samples, 16 points and 8 components.
//! let mut learner = GaussianLearner::<2, 64, 16, 8>::new();
//! for t in 0..64 {
//!     learner.push(&usual(t))?;
//! }
//! learner.learn(Rbf::for_inputs(2), Recipe::default())?;
//! let verdict = learner.detector()?.score(&[17.5, 6.0])?;
//! assert!(verdict.unusual);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! **A model in flash**, written by `mercer export --rust` on the host; an [`Alarm`] smooths its
//! scores, and [`suspect`](Detector::suspect) names the sensor to blame:
//!
//! ```
//! include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/walking/model.rs"));
//!
//! fn is_unusual(x: &[f32; 12]) -> Result<bool, mercer::Error> {
//!     Ok(WALKING.score(x)?.unusual) // pub static WALKING: GaussianDetector<12, 12, 4>
//! }
//! # fn main() {
//! #     let detector: &mercer::GaussianDetector<12, 12, 4> = &WALKING;
//! #     assert!(detector.model().is_fitted());
//! #     assert_eq!(is_unusual(&[-9.0; 12]), Ok(true));
//! # }
//! ```
//!
//! **Features by projection**, for a classifier of your own:
//!
//! ```
//! use mercer::kernel::Rbf;
//! use mercer::kpca::{Components, ExactWorkspace, KernelPca};
//!
//! let samples = [[0.0, 0.1], [0.2, 0.0], [1.0, 1.1], [0.9, 1.0], [0.1, 0.2]];
//! let mut model = KernelPca::<Rbf<f32>, [f32; 2], 5, 3>::new();
//! let workspace = &mut ExactWorkspace::<f32, 5>::new();
//! model.fit_exact(Rbf::new(0.5), &samples, Components::Fixed(3), workspace)?;
//! let features = model.project(&[0.1, 0.1])?; // a slice of 3 numbers
//! # assert_eq!(features.len(), 3);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! **Raw samples in, alarms out:** a [`Monitor`] brings windows, features, a detector and an alarm
//! together; its page has an example.
//!
//! # The rooms
//! Raw samples → `signal` → readings → `detect` ← `kpca` ← `kernel` ← `linalg`: `detect` and what
//! follows know those to their right only, and `signal` none of them but `linalg`.
//!
//! - [`monitor`]: the whole way in one value; on `signal` and `detect`.
//! - [`signal`]: from raw samples to readings; windows, features, spectral bands, operators.
//! - [`detect`]: a verdict on a raw reading; scaling, threshold, learning, alarms, reasons,
//!   storage.
//! - [`kpca`]: the model of points and weights; fits, projections, scores, pre-images.
//! - [`kernel`]: what "alike" means, for vectors, strings, graphs or a sample type of your own.
//! - [`linalg`]: matrices, eigenproblems and linear systems on borrowed slices.
//! - [`methods`]: beside `detect`, on `kpca`; other kernel methods, such as ridge regression.
//!
//! Under all of them: [`math`], the one home of `exp` and `sqrt`, [`error`] and [`Progress`].
//! Feature `defmt` adds `defmt::Format`; `micromath` adds a smaller, less exact `exp` for kernels
//! that name it.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

/// The README's snippets, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// And those of the documents beside it.
#[cfg(doctest)]
#[doc = include_str!("../docs/GUIDE.md")]
#[doc = include_str!("../docs/METHODS.md")]
struct Documents;

// In the order in which data flow.
pub mod error;
mod progress;
pub mod math;
pub mod linalg;
pub mod signal;
pub mod kernel;
pub mod kpca;
pub mod detect;
pub mod monitor;
// Beside that line: the lectures' other methods.
pub mod methods;

#[doc(inline)]
pub use detect::{
    Alarm, AlarmConfig, AlarmState, Detect, Detector, GaussianDetector, GaussianLearner,
    LeanLearner, Learner, Projector, QuantisedDetector, Recipe, Verdict,
};
#[doc(inline)]
pub use error::Error;
#[doc(inline)]
pub use kernel::Kernel;
#[doc(inline)]
pub use kpca::KernelPca;
#[doc(inline)]
pub use monitor::Monitor;
#[doc(inline)]
pub use progress::Progress;
