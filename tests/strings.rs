//! Kernel PCA of strings: the spectrum kernel against plain counts, a lecture's names, a sensor's
//! event codes.

mod common;
#[path = "../examples/support/events.rs"]
mod events;
#[path = "../examples/support/names.rs"]
mod names;

use std::collections::HashMap;
use std::hash::Hash;

use common::{config, decompose, fit_exact, gram};
use events::{Record, Sensor, TROUBLE};
use mercer::error::Fault;
use mercer::kernel::{Normalised, Spectrum};
use mercer::kpca::{Components, ExactWorkspace, LandmarkWorkspace, Landmarks};
use mercer::{Error, Kernel, KernelPca};
use names::{NEW, VOCABULARY, family, nearest};
use proptest::collection::vec;
use proptest::prelude::*;

/// The inner product of the counts of substrings, by the definition.
fn by_counting<S: Eq + Hash>(x: &[S], y: &[S], length: u32) -> f64 {
    let counts = |sequence| {
        let mut counts = HashMap::new();
        for substring in <[S]>::windows(sequence, length as usize) {
            *counts.entry(substring).or_insert(0_u32) += 1;
        }
        counts
    };
    let (x, y) = (counts(x), counts(y));
    let product = |(substring, &count)| count * y.get(substring).copied().unwrap_or(0);
    f64::from(x.iter().map(product).sum::<u32>())
}

/// Few letters, so that substrings repeat; one of them takes two bytes.
fn text() -> impl Strategy<Value = String> {
    vec(prop::sample::select(vec!['a', 'b', 'ä']), 0..24)
        .prop_map(|letters| letters.into_iter().collect())
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn values_are_inner_products_of_counts(x in text(), y in text(), length in 1..6_u32) {
        let kernel = Spectrum::<f64>::new(length);
        let (letters, others): (Vec<char>, Vec<char>) = (x.chars().collect(), y.chars().collect());
        prop_assert_eq!(kernel.eval(x.as_str(), &y), by_counting(&letters, &others, length));
        prop_assert_eq!(kernel.diagonal(x.as_str()), by_counting(&letters, &letters, length));
        let (bytes, others) = (x.as_bytes(), y.as_bytes());
        prop_assert_eq!(kernel.eval(bytes, others), by_counting(bytes, others, length));
        prop_assert_eq!(kernel.diagonal(bytes), by_counting(bytes, bytes, length));
    }

    #[test]
    fn values_are_symmetric_and_bounded(x in text(), y in text(), length in 1..6_u32) {
        let kernel = Normalised(Spectrum::<f32>::new(length));
        let value = kernel.eval(x.as_str(), &y);
        prop_assert_eq!(value, kernel.eval(y.as_str(), &x));
        prop_assert!((0.0..=1.0 + 2.0 * f32::EPSILON).contains(&value), "{value}");
    }

    #[test]
    fn gram_matrices_are_positive_semi_definite(texts in vec(text(), 2..10), length in 1..4_u32) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let values = decompose(&gram(&Spectrum::<f64>::new(length), texts.as_slice()).unwrap()).unwrap().values;
        let (largest, least) = (values[0], values[values.len() - 1]);
        prop_assert!(least >= -1e-13 * largest, "{least} beside {largest}");
    }
}

const KEPT: usize = 16;

/// The vocabulary, compared by substrings of three letters.
fn vocabulary() -> KernelPca<Normalised<Spectrum<f32>>, &'static str, 35, KEPT> {
    let mut model = KernelPca::new();
    let kernel = Normalised(Spectrum::new(3));
    let mut workspace = ExactWorkspace::<f32, 35>::new();
    model.fit_exact(kernel, &VOCABULARY, Components::Fixed(KEPT), &mut workspace).unwrap();
    model
}

#[test]
fn names_out_of_the_vocabulary_land_next_to_their_families() {
    let model = vocabulary();
    let places = VOCABULARY.map(|name| model.project(name).unwrap());
    for name in NEW {
        let f = model.project(name).unwrap();
        for components in [2, 4, 8, 16] {
            let found = nearest(&f, places.iter().map(|place| &place[..]), components).unwrap();
            let found = VOCABULARY[found];
            assert_eq!(family(found), family(name), "{name} by {components} is near {found}");
        }
    }
}

#[test]
fn names_in_single_precision_are_those_in_double() {
    let model = vocabulary();
    let kernel = Normalised(Spectrum::<f64>::new(3));
    let exact = fit_exact(&kernel, VOCABULARY.as_slice(), Components::Fixed(KEPT)).unwrap();
    for name in VOCABULARY.iter().chain(&NEW) {
        let (projection, score) = exact.score(&kernel, VOCABULARY.as_slice(), name).unwrap();
        assert!((f64::from(model.score(name).unwrap().spe) - score.spe).abs() < 1e-5, "{name}");
        // The last ones have variances so close to each other that they may turn.
        for (f, golden) in model.project(name).unwrap().iter().zip(projection).take(4) {
            assert!((f64::from(*f) - golden).abs() < 1e-5, "{name}: {f} is not {golden}");
        }
    }
}

/// The threshold is the largest SPE of 100 usual records; trouble in units of it.
fn trouble_by(length: u32) -> Vec<(&'static str, f32)> {
    let mut model = KernelPca::<Normalised<Spectrum<f32>>, Record, 16, 12>::new();
    let mut workspace = LandmarkWorkspace::<f32, 32, 16>::new();
    let mut sensor = Sensor::new(1);
    let samples: Vec<Record> = (0..32).map(|_| sensor.record()).collect();
    let (points, share) = (Landmarks::Rank(16), Components::Share(0.9));
    let kernel = Normalised(Spectrum::new(length));
    model.fit_landmarks(kernel, &samples, points, share, &mut workspace).unwrap();
    let mut sensor = Sensor::new(2);
    let usual = (0..100).map(|_| model.score(&sensor.record()).unwrap().spe);
    let threshold = usual.fold(0.0, f32::max);
    TROUBLE.map(|(name, record)| (name, model.score(record).unwrap().spe / threshold)).to_vec()
}

#[test]
fn unusual_sequences_of_events_score_high() {
    for (name, share) in trouble_by(3) {
        assert!(share > 10.0, "{name}: {share}");
    }
}

#[test]
fn single_events_do_not_tell_a_record_from_its_reverse() {
    let by_counts = trouble_by(1);
    let (name, share) = by_counts[4];
    assert!(name.ends_with("backwards") && share < 1.0, "{name}: {share}");
}

#[test]
fn strings_that_cannot_be_used_are_named() {
    type Model = KernelPca<Normalised<Spectrum<f32>>, &'static str, 4, 2>;
    let mut workspace = ExactWorkspace::<f32, 4>::new();
    let mut fit = |length, samples: &[&'static str]| {
        let mut model = Model::new();
        let kernel = Normalised(Spectrum::new(length));
        model.fit_exact(kernel, samples, Components::Fixed(1), &mut workspace).map(|_| model)
    };
    let error = |result: Result<Model, Error>| result.err();
    let short = Error::Sample { index: 2, fault: Fault::ZeroNorm };
    assert_eq!(error(fit(3, &["wake", "sleep", "ok"])), Some(short));
    let none = Error::Parameter { name: "length", rule: ">= 1" };
    assert_eq!(error(fit(0, &["wake", "sleep"])), Some(none));
    assert_eq!(error(fit(3, &["wake", "wake", "wake"])), Some(Error::NoVariance));
    let few = Error::TooFewSamples { given: 1, needed: 2 };
    assert_eq!(error(fit(3, &["wake"])), Some(few));
    let full = Error::Capacity { what: "samples in the workspace", needed: 5, capacity: 4 };
    assert_eq!(error(fit(3, &["wake", "sleep", "send", "boot", "reset"])), Some(full));

    let model = fit(3, &["wake", "sleep", "awake"]).unwrap();
    assert_eq!(model.score("").err(), Some(Error::Query(Fault::ZeroNorm)));
    assert_eq!(model.project("ok").err(), Some(Error::Query(Fault::ZeroNorm)));
    // Nothing in common with what was learned, but usable.
    assert!(model.score("hibernate").unwrap().spe > model.score("wake").unwrap().spe);
}

#[test]
fn long_sequences_do_not_overflow() {
    let long = vec![7_u8; 3000];
    let kernel = Spectrum::<f32>::new(2);
    assert_eq!(kernel.diagonal(long.as_slice()), 2999.0 * 2999.0);
    assert_eq!(Normalised(kernel).eval(long.as_slice(), &long), 1.0);
}
