//! Stored detectors that somebody has edited, with the checksum mended afterwards.
//!
//! What is accepted must keep the promises of `mercer::detect::persist`: it scores every finite
//! reading without a panic, with finite scores or a typed error, and is written back as the same
//! bytes. `Detector` and `DetectorBuffer` accept the same bytes, refuse the others with the same
//! error, and score with the same bits.

#![no_main]

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;

use mercer::detect::persist::{Encode, EncodeScaling};
use mercer::detect::{DetectorBuffer, LogScaling, Reading, Scaling, Threshold};
use mercer::error::FormatFault;
use mercer::kernel::{
    BlockKernel, Codes, Cosine, Exp, Gradient, Laplacian, Linear, Normalised, Poly, Product, Rbf,
    Scale, Sigmoid, Spectrum, Sum, Text,
};
use mercer::kpca::{Components, ExpansionView, Score};
use mercer::math::{Libm, Real};
use mercer::{Detector, Error, Learner, QuantisedDetector, Recipe};
use mercer_fuzz::checksum::mend_stored;
use mercer_fuzz::number::{self, Number};
use mercer_fuzz::{Decisions, pick};

/// Samples, inputs, points and components.
const N: usize = 24;
const D: usize = 3;
const R: usize = 8;
const P: usize = 4;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let decisions = &mut Decisions::new(data);
    match number::byte(decisions) % 18 {
        0 => vectors::<_, f32>(Rbf::for_inputs(D), decisions),
        1 => vectors::<_, f64>(Rbf::for_inputs(D), decisions),
        2 => vectors::<_, f32>(Linear, decisions),
        3 => vectors::<_, f64>(Linear, decisions),
        4 => vectors::<_, f32>(Laplacian::new(0.1), decisions),
        5 => vectors::<_, f64>(Laplacian { gamma: 0.1, math: Libm }, decisions),
        6 => vectors::<_, f32>(Poly { gamma: 0.3, coef0: 1.0, degree: 2 }, decisions),
        7 => vectors::<_, f64>(Poly { gamma: 0.3, coef0: 1.0, degree: 3 }, decisions),
        8 => vectors::<_, f32>(Sigmoid::new(0.01, 0.1), decisions),
        9 => vectors::<Cosine, f32>(Normalised(Linear), decisions),
        10 => vectors::<_, f32>(Sum(Linear, Rbf::for_inputs(D)), decisions),
        11 => vectors::<_, f64>(Product(Rbf::for_inputs(D), Laplacian::new(0.1)), decisions),
        12 => vectors::<_, f32>(Scale { factor: 2.0, kernel: Exp::new(Linear) }, decisions),
        13 => codes(decisions),
        14 => texts(decisions),
        15 => vectors::<_, f32>(Rbf { gamma: 0.05, math: Libm }, decisions),
        _ => quantised(decisions),
    }
});

/// Everything about numbers that are accepted which must hold before they are put to work.
///
/// Whoever tightens what `read_from` accepts adds it here.
fn require_ranges<T: Number>(
    scaling: Option<(&[T], &[T])>,
    expansion: ExpansionView<'_, T>,
    threshold: &Threshold<T>,
) {
    assert!(threshold.spe.is_finite());
    if let Some((mean, deviation)) = scaling {
        assert!(mean.iter().all(|mean| mean.is_finite()));
        assert!(deviation.iter().all(|&deviation| deviation.is_finite() && deviation > T::ZERO));
    }
    let header = expansion.header();
    assert!(header.centre_norm.is_finite() && header.total_variance.is_finite());
    assert!(
        expansion.variances().iter().all(|&variance| variance.is_finite() && variance > T::ZERO)
    );
    let weights = expansion.weights();
    let weights = weights.iter_rows().flatten();
    assert!(
        weights
            .chain(expansion.centre())
            .chain(expansion.offsets())
            .all(|weight| weight.is_finite())
    );
    assert!(expansion.points() > 0 && expansion.components() > 0);
}

fn require_finite_score<T: Real>(score: &Score<T>) {
    let Score { spe, t2, abs_sum, centre_distance, .. } = score;
    assert!([spe, t2, abs_sum, centre_distance].iter().all(|score| score.is_finite()));
}

/// A finite reading has a score, or the error says why it has none.
fn require_typed(error: Error) {
    assert!(matches!(error, Error::Query(_)), "{error:?}");
}

thread_local! {
    /// A valid detector of each type, as bytes.
    static VALID: RefCell<HashMap<TypeId, Vec<u8>>> = RefCell::default();
}

/// Valid bytes of a type of detectors, which `make` makes the first time.
fn valid<Type: 'static>(make: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    VALID.with_borrow_mut(|known| known.entry(TypeId::of::<Type>()).or_insert_with(make).clone())
}

fn stored<K, X>(detector: &Detector<K, X, R, P>) -> Vec<u8>
where
    X: Reading<Scaling: EncodeScaling> + Encode,
    K: BlockKernel<X::View, Scalar: Encode> + Encode,
{
    let mut bytes = vec![0; detector.encoded_len()];
    let length = detector.write_to(&mut bytes).expect("what was accepted can be written");
    assert_eq!(length, bytes.len());
    bytes
}

fn learned<K, X>(kernel: K, samples: &[X]) -> Detector<K, X, R, P>
where
    X: Reading<Scaling: EncodeScaling> + Encode,
    K: BlockKernel<X::View, Scalar: Encode> + Encode + Clone,
{
    let mut learner = Box::new(Learner::<K, X, N, R, P>::new());
    samples.iter().for_each(|sample| learner.push(sample).expect("there is room"));
    learner
        .learn(kernel, Recipe::default().components(Components::Fixed(2)))
        .expect("ordinary samples");
    learner.detector().expect("it has learned").clone()
}

/// Samples on a noisy curve.
fn curve<T: Number>() -> Vec<[T; D]> {
    let at = |i: usize| {
        let t = i as f64 * 0.7;
        [t.sin(), t.cos() + 0.1 * (5.0 * t).sin(), 0.5 * t.sin() + 0.3 * (3.0 * t).cos()]
    };
    (0..N).map(|i| at(i).map(T::from_f64)).collect()
}

/// Edits as many places as there are decisions for; most edits put a number into the place of
/// another.
fn edit<T: Number>(bytes: &mut Vec<u8>, header: usize, decisions: &mut Decisions<'_>) {
    for _ in 0..1 + number::byte(decisions) % 6 {
        match number::byte(decisions) % 8 {
            0 => {
                let place = number::below(decisions, bytes.len().max(1));
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << (number::byte(decisions) % 8);
                }
            }
            1 => {
                let place = number::below(decisions, header.min(bytes.len()).max(1));
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = number::byte(decisions);
                }
            }
            2 => bytes.truncate(number::below(decisions, bytes.len() + 1)),
            3 => bytes.extend((0..number::below(decisions, 64)).map(|_| number::byte(decisions))),
            4 => {
                // Another count, and the length that goes with none or another.
                let place = 8 + 4 * number::below(decisions, 4);
                let count = pick(decisions, &[0, 1, 2, 3, 4, 5, 8, 9, 255, 1 << 16, u32::MAX]);
                overwrite(bytes, place, &count.to_le_bytes());
            }
            _ => {
                let slots = (bytes.len() / T::SIZE).max(1);
                let offset = number::below(decisions, T::SIZE);
                let place = offset + T::SIZE * number::below(decisions, slots);
                let value = number::any::<T>(decisions).bits().to_le_bytes();
                overwrite(bytes, place, &value[..T::SIZE]);
            }
        }
    }
    // Most of the time, it is as long as it says.
    if number::below(decisions, 4) != 0 {
        let length = bytes.len() as u32;
        overwrite(bytes, 8, &length.to_le_bytes());
    }
    mend_stored(bytes);
}

fn overwrite(bytes: &mut [u8], place: usize, with: &[u8]) {
    if let Some(part) = bytes.get_mut(place..place + with.len()) {
        part.copy_from_slice(with);
    }
}

fn vectors<K, T>(kernel: K, decisions: &mut Decisions<'_>)
where
    T: Number + Default,
    K: Gradient<T> + BlockKernel<[T], Scalar = T> + Encode + Clone + 'static,
{
    type Of<K, T> = Detector<K, [T; D], R, P>;
    let mut bytes = valid::<Of<K, T>>(|| stored(&learned(kernel, &curve::<T>())));
    edit::<T>(&mut bytes, 24 + K::SIZE + 4 * T::SIZE, decisions);

    let mut detector = Box::new(Of::<K, T>::new());
    let mut memory = vec![T::ZERO; DetectorBuffer::<K, T>::numbers(D, R, P)];
    let mut buffer = DetectorBuffer::<K, T>::new(D, R, P, &mut memory).expect("room");
    // Both take logarithmic inputs, which a detector without logarithms refuses by name.
    let mut logarithmic = Box::new(Detector::<K, [T; D], R, P, LogScaling<[T; D]>>::new());
    let read = buffer.read_from(&bytes);
    assert_eq!(read, logarithmic.read_from(&bytes), "two readers of the same bytes");
    let accepted = detector.read_from(&bytes);
    let refuses_logs =
        matches!(accepted, Err(Error::Format(FormatFault::Tag { what: "scaling", .. })));
    assert!(accepted == read || refuses_logs, "{accepted:?}, {read:?}");
    if accepted.is_err() {
        assert_eq!(
            detector.score(&[T::ZERO; D]).map(|_| ()),
            Err(Error::NotFitted),
            "nothing was changed"
        );
        if let (Ok(()), Err(error)) = (read, logarithmic.score(&[T::ONE; D])) {
            require_typed(error);
        }
        return;
    }
    let again = stored(&detector);
    assert_eq!(again, bytes[..again.len()], "written as it was read");
    let view = buffer.view().expect("it was read");
    let mut by_buffer = vec![0; view.encoded_len()];
    view.write_to(&mut by_buffer).expect("there is room");
    assert_eq!(again, by_buffer);
    let Scaling { mean, deviation, .. } = detector.scaling();
    require_ranges(Some((mean, deviation)), view.model.expansion(), detector.threshold());

    let mut projection = vec![T::ZERO; view.model.expansion().components()];
    for _ in 0..4 {
        let x: [T; D] = std::array::from_fn(|_| number::finite(decisions));
        let verdict = detector.score(&x);
        let by_view = view.score(&mut { x }, &mut projection);
        match (&verdict, &by_view) {
            (Ok(verdict), Ok(by_view)) => {
                require_finite_score(&verdict.score);
                assert_eq!(verdict, by_view);
            }
            (Err(error), Err(by_view)) => {
                require_typed(*error);
                assert_eq!(error, by_view);
            }
            _ => panic!("{verdict:?} or {by_view:?}"),
        }
        if let Err(error) = detector.contributions(&x) {
            require_typed(error);
        }
        match detector.suspect(&x) {
            Ok(suspect) => assert!(suspect.input < D, "{suspect:?}"),
            Err(error) => require_typed(error),
        }
        let mut lost = x;
        lost[0] = T::from_f64(f64::NAN);
        match detector.score_available(&lost) {
            Ok(partial) => assert!(partial.missing.contains(0)),
            Err(error) => require_typed(error),
        }
    }
}

fn codes(decisions: &mut Decisions<'_>) {
    type Of = Detector<Normalised<Spectrum<f32>>, Codes<8>, R, P>;
    let samples: Vec<Codes<8>> =
        (0..N).map(|i| Codes::try_from(&word(i).as_bytes()[..4 + i % 4]).expect("short")).collect();
    let bytes = valid::<Of>(|| stored(&learned(Normalised(Spectrum::<f32>::new(2)), &samples)));
    let reading = samples[number::below(decisions, N)].clone();
    sequences::<Normalised<Spectrum<f32>>, Codes<8>>(bytes, reading, decisions);
}

fn texts(decisions: &mut Decisions<'_>) {
    type Of = Detector<Spectrum<f64>, Text<8>, R, P>;
    let samples: Vec<Text<8>> =
        (0..N).map(|i| Text::try_from(&word(i)[..4 + i % 4]).expect("short")).collect();
    let bytes = valid::<Of>(|| stored(&learned(Spectrum::<f64>::new(2), &samples)));
    sequences::<Spectrum<f64>, Text<8>>(
        bytes,
        samples[number::below(decisions, N)].clone(),
        decisions,
    );
}

fn word(i: usize) -> String {
    (0..8).map(|k| char::from(b'a' + ((i * 7 + k * (i % 3 + 1)) % 4) as u8)).collect()
}

fn sequences<K, X>(mut bytes: Vec<u8>, reading: X, decisions: &mut Decisions<'_>)
where
    X: Reading<Scaling: EncodeScaling> + Encode,
    K: BlockKernel<X::View, Scalar: Number> + Encode,
{
    edit::<K::Scalar>(&mut bytes, 24 + K::SIZE + 4 * K::Scalar::SIZE, decisions);
    let mut detector = Box::new(Detector::<K, X, R, P>::new());
    if detector.read_from(&bytes).is_err() {
        return;
    }
    let again = stored(&detector);
    assert_eq!(again, bytes[..again.len()], "written as it was read");
    match detector.score(&reading) {
        Ok(verdict) => require_finite_score(&verdict.score),
        Err(error) => require_typed(error),
    }
}

fn quantised(decisions: &mut Decisions<'_>) {
    type Of = QuantisedDetector<D, R, P>;
    let mut bytes = valid::<Of>(|| {
        let mut quantised = Of::new();
        quantised.quantise(&learned(Rbf::for_inputs(D), &curve())).expect("an ordinary detector");
        let mut bytes = vec![0; quantised.encoded_len()];
        quantised.write_to(&mut bytes).expect("there is room");
        bytes
    });
    edit::<f32>(&mut bytes, 48 + 20 * D, decisions);
    let mut quantised = Box::new(Of::new());
    if quantised.read_from(&bytes).is_err() {
        assert_eq!(
            quantised.score(&[0.0; D]).map(|_| ()),
            Err(Error::NotFitted),
            "nothing was changed"
        );
        return;
    }
    let mut again = vec![0; quantised.encoded_len()];
    let length = quantised.write_to(&mut again).expect("what was accepted can be written");
    assert_eq!(again[..length], bytes[..length], "written as it was read");
    for _ in 0..4 {
        let x: [f32; D] = std::array::from_fn(|_| number::finite(decisions));
        // Every finite reading has a score.
        let verdict = quantised.score(&x).expect("a finite reading");
        require_finite_score(&verdict.score);
        let counts: [i16; D] = std::array::from_fn(|_| decisions.arbitrary().unwrap_or(0));
        require_finite_score(&quantised.score_counts(&counts).expect("counts are finite").score);
        if let Err(error) = quantised.contributions(&x) {
            require_typed(error);
        }
        if let Err(error) = quantised.suspect(&x) {
            require_typed(error);
        }
        let mut lost = x;
        lost[0] = f32::NAN;
        if let Err(error) = quantised.score_available(&lost) {
            require_typed(error);
        }
    }
}
