//! Tasks on raw samples: windows of `N` samples of `D` channels.

use core::hint::black_box;

use mercer::Progress;
use mercer::signal::{Feature, FrontEnd, Stream, fill_turn, power_spectrum};

use crate::inputs;
use crate::task::Task;

/// The default without an FFT.
pub struct InTime;

impl FrontEnd for InTime {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::LogMad];
}

/// The default.
pub struct WithBands;

impl FrontEnd for WithBands {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::Bands(4)];
}

/// What is measured of a stream of `D` channels with windows of `N` samples.
pub trait Work<const N: usize, const D: usize>: Send + 'static {
    /// All zeros.
    const NEW: Self;
    /// Stores a sample.
    fn take(&mut self, sample: &[f32; D]) -> Option<Progress>;
    /// Works on one channel of a whole window.
    fn step(&mut self) -> Option<Progress>;
    /// Does both; true if a window is complete.
    fn push(&mut self, sample: &[f32; D]) -> bool;
}

impl<F, const N: usize, const D: usize, const INPUTS: usize, const MEMORY: usize> Work<N, D>
    for Stream<F, f32, D, N, N, INPUTS, MEMORY>
where
    F: FrontEnd + Send + 'static,
{
    const NEW: Self = Self::new();
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

/// A task on a stream that has taken all but some samples of a window: its name, how many are left,
/// and the work.
macro_rules! on_stream {
    ($(#[$doc:meta])* $name:ident, $left:literal, |$stream:ident, $last:ident| $work:expr) => {
        $(#[$doc])*
        pub struct $name<S: 'static, const N: usize, const D: usize> {
            stream: &'static mut S,
            last: &'static [f32; D],
        }

        impl<S: Work<N, D>, const N: usize, const D: usize> Task for $name<S, N, D> {
            type Input = [[f32; D]; N];
            const INPUT: Self::Input = inputs::signal();
            type Memory = S;
            const MEMORY: Self::Memory = S::NEW;
            fn prepare(
                input: &'static Self::Input,
                memory: &'static mut Self::Memory,
            ) -> Option<Self> {
                for sample in input.get(..N - $left)? {
                    let _ = memory.take(sample)?;
                }
                Some(Self { stream: memory, last: black_box(&input[N - 1]) })
            }
            fn run(&mut self) -> bool {
                let ($stream, $last) = (&mut *self.stream, self.last);
                let done = $work;
                black_box(&self.stream);
                done
            }
        }
    };
}

on_stream!(
    /// The longest push: the last sample of a window, and all features of all channels.
    Whole, 1, |stream, last| stream.push(last)
);
on_stream!(
    /// The longest step: the features of one channel.
    OneChannel, 0, |stream, _last| stream.step() == Some(Progress::Working)
);
on_stream!(
    /// A sample that is only stored. (Its flash is that of all work, which it does if some is
    /// left.)
    Take, 2, |stream, last| stream.take(last) == Some(Progress::Done)
);

/// The powers of a real signal's frequencies, and nothing else.
pub struct Transform<const N: usize> {
    samples: &'static [f32],
    turn: &'static [f32],
    out: &'static mut [f32],
}

impl<const N: usize> Transform<N> {
    /// Part of what it costs in flash.
    const TURN: [f32; N] = {
        let mut table = [0.0; N];
        fill_turn(&mut table);
        table
    };
}

impl<const N: usize> Task for Transform<N> {
    type Input = [[f32; 1]; N];
    const INPUT: Self::Input = inputs::signal();
    type Memory = [f32; N];
    const MEMORY: Self::Memory = [0.0; N];
    fn prepare(input: &'static Self::Input, memory: &'static mut Self::Memory) -> Option<Self> {
        Some(Self {
            samples: black_box(input.as_flattened()),
            turn: black_box(&Self::TURN),
            out: memory,
        })
    }
    fn run(&mut self) -> bool {
        let done = power_spectrum(self.samples, self.turn, black_box(self.out));
        black_box(&self.out);
        done.is_ok()
    }
}
