//! Learner, detector, calibration and storage work for samples that are no vectors: event codes,
//! text of varying length, and a type of the user's own.

use mercer::detect::persist::{Encode, EncodeScaling, Reader, Writer};
use mercer::detect::{Inspect, Reading, Unscaled, Warning};
use mercer::kernel::{BlockKernel, Codes, Normalised, Sample, Spectrum, Text};
use mercer::kpca::Components;
use mercer::{Detector, Error, Kernel, Learner, Recipe};

const N: usize = 48;
const R: usize = 14;
const P: usize = 8;

type Strings = Normalised<Spectrum<f32>>;

fn random(state: &mut u32, below: u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 16) % below
}

/// A usual log: cycles of a few kinds, of varying length.
fn log(state: &mut u32, length: usize) -> Vec<u8> {
    let mut log = Vec::new();
    while log.len() < length {
        log.extend_from_slice(
            [&b"wmcsaz"[..], b"wmz", b"wmcstsaz", b"wmcsaz"][random(state, 4) as usize],
        );
    }
    log.truncate(length);
    log
}

/// Learns, stores, reads back and scores usual readings and an odd one.
fn check<X, K>(kernel: K, mut usual: impl FnMut() -> X, odd: &X)
where
    X: Reading<Scaling: EncodeScaling> + Encode + PartialEq,
    K: BlockKernel<X::View, Scalar = f32> + Encode + Clone,
{
    let mut learner = Learner::<K, X, N, R, P>::new();
    let mut pushed = Vec::new();
    while !learner.is_full() {
        let x = usual();
        learner.push(&x).unwrap();
        pushed.push(x);
    }
    assert!(learner.samples().eq(pushed.iter()), "samples stay what they were");
    let recipe = Recipe::default().components(Components::Share(0.9));
    let report = learner.learn(kernel, recipe).unwrap();
    let no_inputs = |warning: &Warning| {
        !matches!(warning, Warning::ConstantInputs { .. } | Warning::StuckInputs { .. })
    };
    assert!(report.warnings().iter().all(no_inputs), "codes have no inputs: {report:?}");

    let detector = learner.detector().unwrap();
    let mut bytes = vec![0; Detector::<K, X, R, P>::ENCODED_SIZE];
    let length = detector.write_to(&mut bytes).unwrap();
    assert_eq!(length, detector.encoded_len());
    let mut restored = Detector::<K, X, R, P>::new();
    restored.read_from(&bytes[..length]).unwrap();
    let mut again = vec![0; length];
    restored.write_to(&mut again).unwrap();
    assert_eq!(again, bytes[..length]);
    for i in 0..length {
        let mut altered = bytes[..length].to_vec();
        altered[i] ^= 4;
        assert!(restored.read_from(&altered).is_err(), "byte {i}");
    }

    let alarms = (0..200).filter(|_| restored.score(&usual()).unwrap().unusual).count();
    assert!(alarms <= 30, "{alarms} of 200 usual readings are anomalous, 5 % are expected");
    assert!(restored.score(odd).unwrap().unusual);
    // A reading that is refreshed joins the samples.
    learner.refresh(&usual(), Default::default()).unwrap();
    assert_eq!(learner.len(), N);
}

#[test]
fn event_codes_of_one_length() {
    let mut state = 1;
    let usual = || <[u8; 24]>::try_from(log(&mut state, 24)).unwrap();
    check(Normalised(Spectrum::<f32>::new(3)), usual, b"wmcsdbwmcsdbwmcsdbwmcsdb");
}

#[test]
fn event_codes_of_varying_length() {
    let (mut state, mut lengths) = (2, 3);
    let usual = || {
        let length = 16 + random(&mut lengths, 16) as usize;
        Codes::<32>::try_from(&log(&mut state, length)[..]).unwrap()
    };
    let odd = Codes::try_from(&b"wmcsamcsamcsamcsam"[..]).unwrap();
    check(Normalised(Spectrum::<f32>::new(3)), usual, &odd);
}

#[test]
fn text() {
    let mut state = 4;
    let usual = || Text::<32>::try_from(str::from_utf8(&log(&mut state, 28)).unwrap()).unwrap();
    let odd = Text::try_from("zasmcw zasmcw zasmcw").unwrap();
    check(Normalised(Spectrum::<f32>::new(2)), usual, &odd);
}

/// Which of 32 valves are open.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Valves(u32);

impl Sample for Valves {
    type View = Self;
    fn view(&self) -> &Self {
        self
    }
}
impl Inspect for Valves {
    fn equals(&self, other: &Self) -> bool {
        self == other
    }
}
impl Reading for Valves {
    type Scaling = Unscaled;
}
impl Encode for Valves {
    const SIZE: usize = 4;
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        self.0.encode(out)
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self(u32::decode(input)?))
    }
}

/// `2^−(valves that differ)/4`.
#[derive(Clone, Copy, Debug)]
struct Alike;

impl Kernel<Valves> for Alike {
    type Scalar = f32;
    fn eval(&self, x: &Valves, y: &Valves) -> f32 {
        (-0.25 * (x.0 ^ y.0).count_ones() as f32).exp2()
    }
}
impl BlockKernel<Valves> for Alike {}
impl Encode for Alike {
    const SIZE: usize = 1;
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        out.tag(0x80)
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
        input.tag("kernel", 0x80)?;
        Ok(Self)
    }
}

#[test]
fn a_type_of_the_users_own() {
    let mut state = 5;
    // The upper half follows the lower one.
    let usual = || {
        let low = random(&mut state, 1 << 12) & 0x0F3;
        Valves(low << 16 | low)
    };
    check(Alike, usual, &Valves(0x0000_00F3));
}

#[test]
fn stored_detectors_of_other_readings_are_refused() {
    let mut state = 6;
    let mut learner = Learner::<Strings, [u8; 24], N, R, P>::new();
    while !learner.is_full() {
        learner.push(&<[u8; 24]>::try_from(log(&mut state, 24)).unwrap()).unwrap();
    }
    let recipe = Recipe::default().components(Components::Share(0.9));
    learner.learn(Normalised(Spectrum::new(3)), recipe).unwrap();
    let mut bytes = vec![0; Detector::<Strings, [u8; 24], R, P>::ENCODED_SIZE];
    learner.detector().unwrap().write_to(&mut bytes).unwrap();
    let longer = Detector::<Strings, [u8; 25], R, P>::new().read_from(&bytes);
    assert_eq!(longer, Err(Error::Shape { what: "inputs", expected: 25, given: 24 }));
}

#[test]
fn bytes_beyond_the_codes_in_use_are_not_dropped_silently() {
    let stored = |unused: [u8; 2]| [2, 0, 0, 0, b'a', b'b', unused[0], unused[1]];
    let codes = |unused| Codes::<4>::decode(&mut Reader::new(&stored(unused)));
    let text = |unused| Text::<4>::decode(&mut Reader::new(&stored(unused)));
    assert_eq!(codes([0, 0]).unwrap().view(), b"ab");
    assert_eq!(text([0, 0]).unwrap().view(), "ab");
    for unused in [[1, 0], [0, 1], [255, 255]] {
        assert!(matches!(codes(unused), Err(Error::Parameter { name: "codes", .. })), "{unused:?}");
        assert!(matches!(text(unused), Err(Error::Parameter { name: "codes", .. })), "{unused:?}");
    }
}
