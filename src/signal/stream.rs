//! From raw samples to readings in one value.

use core::marker::PhantomData;

use crate::error::Error;
use crate::linalg::slices::{part_mut, split_mut};
use crate::progress::Progress;
use crate::signal::extract::extract;
use crate::signal::feature::outputs;
use crate::signal::front_end::{FrontEnd, require};
use crate::signal::names::Names;
use crate::signal::rows::operate;
use crate::signal::view::FrontEndView;
use crate::signal::window::{Stored, Window};

/// The type of a [`Stream`], with the sizes that follow from its recipe:
/// `stream!(recipe, samples, channels, window, hop)`.
///
/// ```
/// use mercer::signal::{Feature, FrontEnd};
/// struct Pump;
/// impl FrontEnd for Pump {
///     const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::Bands(4)];
/// }
/// type PumpStream = mercer::stream!(Pump, f32, 3, 256, 128);
/// assert_eq!(PumpStream::INPUTS, 18);
/// ```
#[macro_export]
macro_rules! stream {
    ($recipe:ty, $samples:ty, $channels:expr, $window:expr, $hop:expr) => {
        $crate::signal::Stream<
            $recipe,
            $samples,
            { $channels },
            { $window },
            { $hop },
            // Sizes that are the same for either kind of samples.
            { $crate::signal::view::<$recipe, f32>($channels, $window, $hop).inputs() },
            { $crate::signal::view::<$recipe, f32>($channels, $window, $hop).memory() },
        >
    };
}

/// Raw samples in, readings out: window, features and operators of the recipe `F` in one value.
///
/// Its type has sizes that follow from one another; [`stream!`](crate::stream) works them out, and
/// what does not fit together does not compile. All zeros at first, so that a `static` takes no
/// flash.
///
/// ```
/// use mercer::signal::{Feature, FrontEnd};
/// struct Pump;
/// impl FrontEnd for Pump {
///     const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::LogMad];
///     const CHANNELS: &'static [&'static str] = &["ax", "ay", "az"];
/// }
/// type PumpStream = mercer::stream!(Pump, f32, 3, 64, 32);
///
/// let mut stream = PumpStream::new(); // in firmware a `static`
/// # let sample = |t: u16| [f32::from(t * t % 7), f32::from(t % 5), 9.81];
/// for t in 0..63 {
///     assert_eq!(stream.push(&sample(t))?, None);
/// }
/// let reading: &[f32; 9] = stream.push(&sample(63))?.expect("a window is complete");
/// # assert_eq!(reading[6], 9.81);
/// // The third channel hangs: two of its numbers are logarithms at the floor.
/// assert_eq!(stream.floored(), 2);
/// assert_eq!(stream.names().get(1).unwrap().to_string(), "ax_logstd");
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// A hop of 0 does not compile, nor do inputs that are not what the recipe gives:
///
/// ```compile_fail
/// # struct Pump;
/// # impl mercer::signal::FrontEnd for Pump {
/// #     const FEATURES: &'static [mercer::signal::Feature] = &[mercer::signal::Feature::Mean];
/// # }
/// let stream = <mercer::stream!(Pump, f32, 3, 64, 0)>::new();
/// ```
///
/// ```compile_fail
/// # use mercer::signal::{Feature, FrontEnd, Stream};
/// # struct Pump;
/// # impl FrontEnd for Pump {
/// #     const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::Std];
/// # }
/// let stream = Stream::<Pump, f32, 3, 64, 32, 5, 0>::new(); // 3 channels of 2 features are 6
/// ```
///
/// # The longest call
/// [`push`](Self::push) does all the work of a window in the call that completes it. Where that is
/// too long, [`take`](Self::take) only stores a sample, and [`step`](Self::step) does the work in
/// pieces: the features of one channel, and last the operators. `docs/bench.csv` has what each
/// takes.
///
/// # Signals that say nothing
/// A sample that is not finite is an error, and nothing is made of the samples around it. A channel
/// that hangs at a value, or at the end of its range, is none: its deviation and its spectrum
/// vanish, so that `std`, `p2p` and `mad` are 0, and `logstd`, `logmad` and bands are at the floor,
/// far from what was learned; [`floored`](Self::floored) counts them. `mean`, `rms`, `min` and
/// `max` alone do not tell a channel that hangs at a usual value from one that is quiet.
#[derive(Debug)]
pub struct Stream<
    F,
    T,
    const CHANNELS: usize,
    const LENGTH: usize,
    const HOP: usize,
    const INPUTS: usize,
    const MEMORY: usize,
> {
    window: Window<T, CHANNELS, LENGTH, HOP>,
    /// Of the transform, then of the operators.
    memory: [f32; MEMORY],
    /// The features of a window as far as they are made, and then what the operators make of them.
    row: [f32; INPUTS],
    /// Rows since a gap.
    seen: u32,
    /// Steps that the window still takes: one for each channel, and one for the operators.
    left: usize,
    /// Is `row` a reading?
    complete: bool,
    floored: usize,
    floored_windows: u32,
    front_end: PhantomData<fn() -> F>,
}

impl<
    F: FrontEnd,
    T: Stored,
    const CHANNELS: usize,
    const LENGTH: usize,
    const HOP: usize,
    const INPUTS: usize,
    const MEMORY: usize,
> Stream<F, T, CHANNELS, LENGTH, HOP, INPUTS, MEMORY>
{
    /// How many numbers a reading has.
    pub const INPUTS: usize = INPUTS;
    /// Bytes of RAM.
    pub const SIZE: usize = size_of::<Self>();
    /// The recipe as values, to be [stored](crate::monitor::stored) with a detector.
    pub const FRONT_END: FrontEndView<'static> = view::<F, T>(CHANNELS, LENGTH, HOP);

    /// A stream before its first sample.
    pub const fn new() -> Self {
        const {
            require(Self::FRONT_END.validate());
            assert!(INPUTS == Self::FRONT_END.inputs(), "INPUTS is what the recipe gives");
            assert!(MEMORY == Self::FRONT_END.memory(), "MEMORY is what the recipe needs");
            let named = F::CHANNELS.len();
            assert!(named == 0 || named == CHANNELS, "no channel has a name, or each has one");
        };
        Self {
            window: Window::new(),
            memory: [0.0; MEMORY],
            row: [0.0; INPUTS],
            seen: 0,
            left: 0,
            complete: false,
            floored: 0,
            floored_windows: 0,
            front_end: PhantomData,
        }
    }

    /// Takes a sample and does all work that it leads to; returns a reading if that is one.
    ///
    /// # Errors
    /// [`Error::Channel`] names the first channel whose value is not finite or larger than
    /// [`LARGEST`](crate::signal::LARGEST). The samples around it do not follow one another, so
    /// everything starts afresh, as after a [`gap`](Self::gap); the next sample can be pushed.
    #[inline]
    pub fn push(&mut self, sample: &[T; CHANNELS]) -> Result<Option<&[f32; INPUTS]>, Error> {
        if self.take(sample)? == Progress::Done {
            return Ok(None);
        }
        self.finish()?;
        Ok(self.reading())
    }

    /// Takes a sample and does nothing else. If it completes a window, there is work to be done by
    /// [`step`](Self::step) before the next sample takes a place in that window.
    ///
    /// If such work is left, it is done first: no window is lost, but this call takes longer.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    #[inline]
    pub fn take(&mut self, sample: &[T; CHANNELS]) -> Result<Progress, Error> {
        self.finish()?;
        match self.window.push(sample) {
            Ok(None) => Ok(Progress::Done),
            Ok(Some(_)) => {
                (self.left, self.complete, self.floored) = (CHANNELS + 1, false, 0);
                Ok(Progress::Working)
            }
            Err(error) => {
                self.gap();
                Err(error)
            }
        }
    }

    /// Does a piece of the work that a complete window leads to: the features of a channel, or the
    /// operators, after which [`reading`](Self::reading) has what has come of it.
    ///
    /// # Errors
    /// [`Error::Query`] names a number that is not finite, which features of finite samples are.
    pub fn step(&mut self) -> Result<Progress, Error> {
        let (spectrum, operators) = split_mut(&mut self.memory, Self::FRONT_END.spectrum());
        match self.left {
            0 => return Ok(Progress::Done),
            1 => {
                self.left = 0;
                self.floored_windows =
                    self.floored_windows.saturating_add(u32::from(self.floored > 0));
                let (row, seen) = (&mut self.row, &mut self.seen);
                let width = Self::FRONT_END.row();
                self.complete = operate(F::OPERATORS, operators, row, seen, width)?;
                return Ok(Progress::Done);
            }
            left => self.left = left - 1,
        }
        let each = const { outputs(F::FEATURES) };
        let number = CHANNELS - self.left;
        let channel = self.window.full().and_then(|full| full.channel(number));
        debug_assert!(channel.is_some(), "there is a window to work on");
        if let Some(channel) = channel {
            let out = part_mut(&mut self.row, number * each, each);
            self.floored += extract::<F, T, LENGTH>(number, &channel, spectrum, out);
        }
        Ok(Progress::Working)
    }

    fn finish(&mut self) -> Result<(), Error> {
        (0..self.left).try_for_each(|_| self.step().map(|_| ()))
    }

    /// How many [`step`](Self::step)s the work takes that is left.
    pub const fn left(&self) -> usize {
        self.left
    }

    /// Samples are missing here, or another recording begins: no window and no operator spans this
    /// place. A window that is complete but not worked on is dropped.
    pub fn gap(&mut self) {
        self.window.gap();
        (self.seen, self.left) = (0, 0);
    }

    /// How many more samples complete a window.
    pub fn missing(&self) -> usize {
        self.window.missing()
    }

    /// What has come of the last complete window. Nothing before the first, while the work on one
    /// is not done, and where operators need more of them.
    pub const fn reading(&self) -> Option<&[f32; INPUTS]> {
        if self.complete { Some(&self.row) } else { None }
    }

    /// How many features of the last window are logarithms at the
    /// [floor](FrontEnd::FLOOR), where a detector is blind to what becomes of them.
    pub const fn floored(&self) -> usize {
        self.floored
    }

    /// How many windows had such features, since the start. If there were any among those that a
    /// detector learns from, a channel is dead or the floor is too high.
    pub const fn floored_windows(&self) -> u32 {
        self.floored_windows
    }

    /// What the numbers of a reading are called.
    pub fn names(&self) -> Names<'static> {
        Self::FRONT_END.names(F::CHANNELS)
    }
}

impl<
    F: FrontEnd,
    T: Stored,
    const CHANNELS: usize,
    const LENGTH: usize,
    const HOP: usize,
    const INPUTS: usize,
    const MEMORY: usize,
> Default for Stream<F, T, CHANNELS, LENGTH, HOP, INPUTS, MEMORY>
{
    fn default() -> Self {
        Self::new()
    }
}

/// The recipe `F` for such windows of `T`, as values.
pub const fn view<F: FrontEnd, T: Stored>(
    channels: usize,
    window: usize,
    hop: usize,
) -> FrontEndView<'static> {
    FrontEndView {
        samples: T::KIND,
        channels,
        window,
        hop,
        features: F::FEATURES,
        floor: F::FLOOR,
        scales: F::SCALES,
        operators: F::OPERATORS,
    }
}
