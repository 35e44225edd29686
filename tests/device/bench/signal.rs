//! Tasks on raw samples: windows of `N` samples of `D` channels.

use core::hint::black_box;

use mercer::Progress;
use mercer::signal::{Feature, FrontEnd, Stream, fill_turn, outputs, power_spectrum};
use static_cell::ConstStaticCell;

use crate::inputs::SIGNAL;
use crate::shape::{D, N};
use crate::tasks::Task;

/// Samples of a window. The compiler looks at these tasks for any shape, also one that has no spectrum.
pub(crate) const LENGTH: usize = if N.is_power_of_two() { N } else { 8 };

/// The default without an FFT.
pub(crate) struct InTime;

impl FrontEnd for InTime {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::LogMad];
}

/// The default.
pub(crate) struct WithBands;

impl FrontEnd for WithBands {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::Bands(4)];
}

/// A recipe whose stream has a place in memory.
pub(crate) trait Placed<const MEMORY: usize>: FrontEnd + Sized + 'static {
    type Stream: Work;
    fn place() -> Option<&'static mut Self::Stream>;
}

/// What is measured of a stream.
pub(crate) trait Work {
    fn take(&mut self, sample: &[f32; D]) -> Option<Progress>;
    fn step(&mut self) -> Option<Progress>;
    fn push(&mut self, sample: &[f32; D]) -> bool;
}

impl<F: FrontEnd, const INPUTS: usize, const MEMORY: usize> Work
    for Stream<F, f32, D, LENGTH, LENGTH, INPUTS, MEMORY>
{
    fn take(&mut self, sample: &[f32; D]) -> Option<Progress> {
        self.take(sample).ok()
    }
    fn step(&mut self) -> Option<Progress> {
        self.step().ok()
    }
    fn push(&mut self, sample: &[f32; D]) -> bool {
        matches!(black_box(self.push(sample)), Ok(Some(_)))
    }
}

macro_rules! placed {
    ($recipe:ident, $memory:expr) => {
        impl Placed<{ $memory }> for $recipe {
            type Stream = mercer::stream!($recipe, f32, D, LENGTH, LENGTH);
            fn place() -> Option<&'static mut Self::Stream> {
                type Stream = mercer::stream!($recipe, f32, D, LENGTH, LENGTH);
                static STREAM: ConstStaticCell<Stream> = ConstStaticCell::new(Stream::new());
                // What the README says of RAM, which the host cannot measure.
                const {
                    assert!(
                        Stream::SIZE
                            == 4 * (D * LENGTH + $memory + D * outputs($recipe::FEATURES)) + 32
                    )
                };
                STREAM.try_take()
            }
        }
    };
}
placed!(InTime, 0);
placed!(WithBands, LENGTH);

/// A stream that has taken all but the last samples of a window.
fn almost_full<F: Placed<M>, const M: usize>(left: usize) -> Option<&'static mut F::Stream> {
    let stream = F::place()?;
    for sample in black_box(&SIGNAL).get(..LENGTH - left)? {
        let _ = stream.take(sample)?;
    }
    Some(stream)
}

fn last() -> &'static [f32; D] {
    black_box(&SIGNAL[LENGTH - 1])
}

/// The longest push: the last sample of a window, and all features of all channels.
pub(crate) struct Whole<F: Placed<M>, const M: usize>(&'static mut F::Stream);

impl<F: Placed<M>, const M: usize> Task for Whole<F, M> {
    fn prepare() -> Option<Self> {
        almost_full::<F, M>(1).map(Self)
    }
    fn run(&mut self) -> bool {
        let given = self.0.push(last());
        black_box(&self.0);
        given
    }
}

/// The longest step: the features of one channel.
pub(crate) struct OneChannel<F: Placed<M>, const M: usize>(&'static mut F::Stream);

impl<F: Placed<M>, const M: usize> Task for OneChannel<F, M> {
    fn prepare() -> Option<Self> {
        almost_full::<F, M>(0).map(Self)
    }
    fn run(&mut self) -> bool {
        let worked = self.0.step() == Some(Progress::Working);
        black_box(&self.0);
        worked
    }
}

/// A sample that is only stored. (Its flash is that of all work, which it does if some is left.)
pub(crate) struct Take(&'static mut <InTime as Placed<0>>::Stream);

impl Task for Take {
    fn prepare() -> Option<Self> {
        almost_full::<InTime, 0>(2).map(Self)
    }
    fn run(&mut self) -> bool {
        let taken = self.0.take(last()) == Ok(Progress::Done);
        black_box(&self.0);
        taken
    }
}

/// The powers of a real signal's frequencies, and nothing else: `D` is 1.
pub(crate) struct Transform {
    samples: &'static [f32],
    turn: &'static [f32],
    out: &'static mut [f32],
}

impl Task for Transform {
    fn prepare() -> Option<Self> {
        static OUT: ConstStaticCell<[f32; LENGTH]> = ConstStaticCell::new([0.0; LENGTH]);
        static TURN: [f32; LENGTH] = {
            let mut table = [0.0; LENGTH];
            fill_turn(&mut table);
            table
        };
        let out = OUT.try_take()?;
        let samples = black_box(&SIGNAL).as_flattened().get(..LENGTH)?;
        Some(Self { samples, turn: black_box(&TURN), out })
    }
    fn run(&mut self) -> bool {
        let done = power_spectrum(self.samples, self.turn, black_box(self.out));
        black_box(&self.out);
        done.is_ok()
    }
}
