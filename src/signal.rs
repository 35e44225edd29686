//! From raw samples to readings: windows, features, spectral bands, operators on rows.
//!
//! A [`Stream`] is all of it in one value, for firmware. Its parts are of use by themselves: a
//! [`Window`] takes one sample of all channels at a time and lends the last samples out when a
//! window is complete. An [`Extractor`] makes a reading of it: the features of a [`FrontEnd`], a
//! recipe that is written as a constant and stands in flash. [`Rows`] smooths, stacks or
//! differentiates readings over time.
//!
//! ```
//! use mercer::signal::{Extractor, Feature, FrontEnd, Window, outputs};
//!
//! struct Pump;
//! impl FrontEnd for Pump {
//!     const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::Bands(4)];
//! }
//! const INPUTS: usize = 3 * outputs(Pump::FEATURES); // 18
//!
//! // 3 channels, windows of 64 samples, a new one every 32. In firmware both are a `static`.
//! let mut window = Window::<f32, 3, 64, 32>::new();
//! let mut extractor = Extractor::<Pump, INPUTS, 64>::new();
//! let mut readings = 0;
//! # let sample = |t: u32| [(t as f32 * 0.7).sin(), 0.0, 9.81];
//! for t in 0..128 {
//!     if let Some(full) = window.push(&sample(t))? {
//!         extractor.extract(&full);
//!         let reading: &[f32; INPUTS] = extractor.reading(); // for a detector
//!         # assert!(reading.iter().all(|x| x.is_finite()));
//!         readings += 1;
//!     }
//! }
//! assert_eq!(readings, 3);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! In reading order:
//!
//! | module | holds |
//! |---|---|
//! | `window` | [`Window`]: the last samples of all channels; [`Channel`]: those of one |
//! | `feature` | [`Feature`]: the closed list of features, and how many outputs they have |
//! | `statistics` | what a channel's features are made of in the time domain |
//! | `fft` | the power spectrum of a real signal |
//! | `bands` | its energies in bands of frequencies |
//! | `operator` | [`Operator`]: the closed list of what can be done with readings over time |
//! | `front_end` | [`FrontEnd`]: the recipe, as constants |
//! | `extract` | [`Extractor`], and [`Features`] for recipes that are read at run time |
//! | `rows` | [`Rows`]: operators with what they remember; [`RowsMut`] for those of run time |
//! | `names` | [`Names`]: what each number of a reading is called |
//! | `view` | [`FrontEndView`]: the whole recipe as values |
//! | `stream` | [`Stream`]: window, features and operators in one value |
//! | `source` | [`Source`]: a stream, or a reference to one |
//!
//! Everything is `f32`, also where a detector works in `f64`. A recipe that is known to the
//! compiler and one that is read at run time go through the same code, so that they give the same
//! bits; of the former, what it does not ask for is not linked.
//!
//! This room knows [`error`](crate::error), [`math`](crate::math) and the slices of
//! [`linalg`](crate::linalg). [`detect`](crate::detect) does not know it, nor it `detect`;
//! [`monitor`](crate::monitor) knows both.

mod bands;
mod extract;
mod feature;
mod fft;
mod front_end;
mod names;
mod operator;
mod rows;
mod source;
mod statistics;
mod stream;
mod view;
mod window;

pub use extract::{Extractor, Features};
pub use feature::{Feature, outputs};
pub use fft::{fill_turn, power_spectrum};
pub use front_end::{FLOOR, FrontEnd};
pub use names::{Name, Names};
pub use operator::{Operator, memory, width};
pub use rows::{Rows, RowsMut};
pub use source::Source;
pub use stream::{Stream, view};
pub use view::FrontEndView;
pub use window::{Channel, Full, LARGEST, SampleKind, Stored, Window};
