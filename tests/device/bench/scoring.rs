//! Tasks with a model that is there: each is one call with a reading.

use core::hint::black_box;
use core::marker::PhantomData;

use mercer::detect::quantised::QuantisedModel;
use mercer::detect::{GaussianProjector, LogDetector, LogQuantisedDetector, Threshold};
use mercer::kernel::Rbf;
use mercer::{Detector, QuantisedDetector};

use crate::inputs;
pub use crate::task::Empty;
use crate::task::Task;

type Double<const D: usize, const R: usize, const P: usize> = Detector<Rbf<f64>, [f64; D], R, P>;
type Single<const D: usize, const R: usize, const P: usize> = Detector<Rbf<f32>, [f32; D], R, P>;

/// A task: its name, what it has in flash, its reading, and the call.
macro_rules! call {
    (
        $(#[$doc:meta])* $name:ident, $model:ty = $made:expr, $reading:ty = $read:expr,
        |$called:ident, $with:ident| $call:expr
    ) => {
        $(#[$doc])*
        pub struct $name<const D: usize, const R: usize, const P: usize> {
            model: &'static $model,
            reading: &'static $reading,
        }

        impl<const D: usize, const R: usize, const P: usize> Task for $name<D, R, P> {
            type Input = ($model, $reading);
            const INPUT: Self::Input = ($made, $read);
            type Memory = ();
            const MEMORY: () = ();
            fn prepare(input: &'static Self::Input, (): &'static mut ()) -> Option<Self> {
                Some(Self { model: black_box(&input.0), reading: black_box(&input.1) })
            }
            fn run(&mut self) -> bool {
                let ($called, $with) = (self.model, self.reading);
                black_box($call).is_ok()
            }
        }
    };
}

call!(
    /// The model alone: finite check, projections, scores of a scaled reading.
    Score, Single<D, R, P> = inputs::detector(), [f32; D] = inputs::scaled_reading(),
    |detector, x| detector.model().score(x)
);
call!(
    /// The same in double precision.
    ScoreDouble, Double<D, R, P> = inputs::double(), [f64; D] = inputs::scaled_reading_double(),
    |detector, x| detector.model().score(x)
);
call!(
    /// A raw reading to a verdict: scaling, finite check, projections, scores, threshold.
    Detect, Single<D, R, P> = inputs::detector(), [f32; D] = inputs::reading(),
    |detector, x| detector.score(x)
);
call!(
    /// The same, and all inputs are logarithmic.
    DetectLog, LogDetector<D, R, P> = inputs::logarithmic(), [f32; D] = inputs::reading(),
    |detector, x| detector.score(x)
);
call!(
    /// Projections and nothing else.
    Project, Single<D, R, P> = inputs::detector(), [f32; D] = inputs::scaled_reading(),
    |detector, x| detector.model().project(x)
);
call!(
    /// A raw reading to projections, of a model that does nothing else.
    Projection, GaussianProjector<D, R, P> = inputs::projector(), [f32; D] = inputs::reading(),
    |projector, x| projector.project(x)
);
call!(
    /// Which input made a raw reading unusual.
    Contributions, Single<D, R, P> = inputs::detector(), [f32; D] = inputs::reading(),
    |detector, x| detector.contributions(x)
);

/// [`Detect`] and [`DetectLog`] in integers, from those that `xtask/src/bench/quantised.rs` has
/// made.
macro_rules! integers {
    ($name:ident, $detector:ident, $scaling:ident) => {
        pub struct $name<M, const D: usize, const R: usize, const P: usize> {
            detector: &'static $detector<D, R, P>,
            reading: &'static [f32; D],
            model: PhantomData<M>,
        }

        impl<M: Integers<D, R, P>, const D: usize, const R: usize, const P: usize> Task
            for $name<M, D, R, P>
        {
            type Input = ($detector<D, R, P>, [f32; D]);
            const INPUT: Self::Input = {
                let threshold = Threshold::new(inputs::SPE);
                match $detector::<D, R, P>::from_parts(inputs::$scaling(), M::MODEL, threshold) {
                    Ok(detector) => (detector, inputs::reading()),
                    Err(_) => panic!("not what quantise has made"),
                }
            };
            type Memory = ();
            const MEMORY: () = ();
            fn prepare(input: &'static Self::Input, (): &'static mut ()) -> Option<Self> {
                let (detector, reading) = (black_box(&input.0), black_box(&input.1));
                Some(Self { detector, reading, model: PhantomData })
            }
            fn run(&mut self) -> bool {
                black_box(self.detector.score(self.reading)).is_ok()
            }
        }
    };
}
integers!(DetectWhole, PlainQuantised, scaling);
integers!(DetectLogWhole, LogQuantisedDetector, log_scaling);

type PlainQuantised<const D: usize, const R: usize, const P: usize> = QuantisedDetector<D, R, P>;

/// The whole numbers of a quantised model.
pub trait Integers<const D: usize, const R: usize, const P: usize>: 'static {
    const MODEL: QuantisedModel<D, R, P>;
}
