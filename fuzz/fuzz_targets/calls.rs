//! Sequences of calls of a `Learner`, beside a small reference that says what may come of them.
//!
//! The reference knows which samples there are, bit by bit and in their order; whether learning is
//! under way, whether there is a detector and which, and whether the learner is frozen. Every call
//! must be answered as the reference says, and change nothing else.

#![no_main]

use mercer::detect::{Replace, Threshold};
use mercer::error::Fault;
use mercer::kernel::Rbf;
use mercer::kpca::Components;
use mercer::{Error, Learner, Progress, Recipe};
use mercer_fuzz::checksum::mend_stored;
use mercer_fuzz::number;
use mercer_fuzz::{Decisions, pick};

const N: usize = 16;
const D: usize = 2;
const R: usize = 6;
const P: usize = 3;

type Subject = Learner<Rbf<f32>, [f32; D], N, R, P>;
type Bits = [u32; D];

fn bits(x: &[f32; D]) -> Bits {
    x.map(f32::to_bits)
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let decisions = &mut Decisions::new(data);
    let mut pair = Pair { learner: Box::new(Subject::new()), reference: Reference::default() };
    while !decisions.is_empty() {
        match number::byte(decisions) % 24 {
            0..8 => pair.push(reading(decisions)),
            8 => pair.fill(decisions),
            9 => pair.begin(decisions),
            10 => pair.steps(number::below(decisions, 64)),
            11 => pair.steps(4096),
            12 => pair.give_up(),
            13..15 => pair.learn(decisions),
            15..18 => pair.refresh(reading(decisions), Replace::Oldest),
            18 => pair.refresh(reading(decisions), Replace::Random),
            19 => pair.freeze(number::flag(decisions)),
            20 => pair.forget(),
            21 => pair.restore(decisions),
            22 => pair.set_threshold(decisions),
            _ => pair.refresh_many(decisions),
        }
        pair.compare();
    }
});

fn reading(decisions: &mut Decisions<'_>) -> [f32; D] {
    match number::byte(decisions) % 8 {
        0 => std::array::from_fn(|_| number::any(decisions)),
        _ => usual(decisions),
    }
}

/// Near a circle.
fn usual(decisions: &mut Decisions<'_>) -> [f32; D] {
    let angle = f32::from(number::byte(decisions)) / 40.0;
    let radius = 1.0 + f32::from(number::byte(decisions)) / 2560.0;
    [radius * angle.sin(), radius * angle.cos()]
}

/// What a learner must be like.
#[derive(Clone, Debug, Default, PartialEq)]
struct Reference {
    samples: Vec<Bits>,
    learning: bool,
    frozen: bool,
    /// The detector, as bytes.
    detector: Option<Vec<u8>>,
    has_report: bool,
    /// Readings that were offered since samples were last dropped; one may still be waiting.
    offered: Vec<Bits>,
}

struct Pair {
    learner: Box<Subject>,
    reference: Reference,
}

impl Pair {
    fn compare(&self) {
        let Reference { samples, learning, frozen, detector, has_report, .. } = &self.reference;
        assert_eq!(&self.samples(), samples);
        let learner = &self.learner;
        assert_eq!(learner.len(), samples.len());
        assert_eq!(learner.is_empty(), samples.is_empty());
        assert_eq!(learner.is_full(), samples.len() == N);
        assert_eq!(learner.is_learning(), *learning);
        assert_eq!(learner.is_frozen(), *frozen);
        assert_eq!(learner.report().is_some(), *has_report);
        assert_eq!(&self.stored(), detector);
    }

    fn samples(&self) -> Vec<Bits> {
        self.learner.samples().map(bits).collect()
    }

    fn stored(&self) -> Option<Vec<u8>> {
        let detector = match self.learner.detector() {
            Ok(detector) => detector,
            Err(error) => {
                assert_eq!(error, Error::NotFitted);
                return None;
            }
        };
        let mut bytes = vec![0; detector.encoded_len()];
        detector.write_to(&mut bytes).expect("a detector can be stored");
        Some(bytes)
    }

    fn push(&mut self, x: [f32; D]) {
        let found = self.learner.push(&x);
        let reference = &mut self.reference;
        if reference.learning {
            return assert_eq!(found, Err(Error::Learning));
        }
        if let Some(fault) = not_finite(&x) {
            return assert_eq!(found, Err(fault));
        }
        match found {
            Ok(()) => reference.samples.push(bits(&x)),
            Err(Error::Capacity { needed, capacity, .. }) => {
                assert_eq!((needed, capacity, reference.samples.len()), (N + 1, N, N));
            }
            Err(error) => require_scale_overflow(error, reference),
        }
    }

    fn fill(&mut self, decisions: &mut Decisions<'_>) {
        for _ in 0..N {
            self.push(usual(decisions));
        }
    }

    /// A kernel and a recipe; why they cannot be used, if they cannot.
    fn wish(&self, decisions: &mut Decisions<'_>) -> (Rbf<f32>, Recipe<f32>, Option<Error>) {
        let gamma = pick(decisions, &[1.0 / 16.0, 0.1, 0.3, 1e-30, 1e5, -1.0, f32::NAN]);
        let components = pick(decisions, &[2, 1, 3, 4, 1000]);
        let folds = pick(decisions, &[2, 4, 3, 8, 1, usize::MAX]);
        let trim = pick(decisions, &[0.0, 0.1, 0.5, -1.0]);
        let mut recipe = Recipe::default().folds(folds).trim(trim);
        recipe.components = Components::Fixed(components);
        recipe.standardise = number::flag(decisions);
        let parameter = |name, rule| Some(Error::Parameter { name, rule });
        let given = self.reference.samples.len();
        let needed = folds.saturating_mul(2);
        let refusal = if self.reference.learning {
            Some(Error::Learning)
        } else if gamma.is_nan() || gamma <= 0.0 {
            parameter("gamma", "finite and > 0")
        } else if folds < 2 {
            parameter("folds", ">= 2")
        } else if trim < 0.0 {
            parameter("trim", "a share >= 0 and <= 0.5")
        } else if given < needed {
            Some(Error::TooFewSamples { given, needed })
        } else {
            None
        };
        (Rbf::new(gamma), recipe, refusal)
    }

    fn begin(&mut self, decisions: &mut Decisions<'_>) {
        let (kernel, recipe, refusal) = self.wish(decisions);
        let found = self.learner.begin(kernel, recipe);
        match (found, refusal) {
            (Ok(()), None) => self.reference.learning = true,
            // Samples that cannot be scaled.
            (Err(Error::Sample { .. } | Error::Parameter { .. }), None) => {
                assert!(self.reference.detector.is_none(), "the scaling is known");
            }
            (Err(found), Some(refusal)) => require_same(found, refusal),
            (found, refusal) => panic!("{found:?}, not {refusal:?}"),
        }
    }

    fn steps(&mut self, count: usize) {
        for _ in 0..count {
            if !self.reference.learning {
                return assert_eq!(self.learner.step(), Ok(Progress::Done));
            }
            match self.learner.step() {
                Ok(Progress::Working) => assert!(self.learner.is_learning()),
                Ok(Progress::Done) => self.has_learned(),
                Err(error) => {
                    assert_ne!(error, Error::Learning);
                    self.reference.learning = false;
                }
            }
        }
        assert!(count < 4096 || !self.reference.learning, "learning comes to an end");
    }

    fn has_learned(&mut self) {
        self.reference.learning = false;
        self.reference.has_report = true;
        self.reference.detector = self.stored();
        assert!(self.reference.detector.is_some());
    }

    fn learn(&mut self, decisions: &mut Decisions<'_>) {
        let (kernel, recipe, refusal) = self.wish(decisions);
        let found = self.learner.learn(kernel, recipe).map(|_| ());
        match (found, refusal) {
            (Ok(()), None) => self.has_learned(),
            (Err(found), Some(refusal)) => require_same(found, refusal),
            (Err(error), None) => assert_ne!(error, Error::Learning),
            (found, refusal) => panic!("{found:?}, not {refusal:?}"),
        }
    }

    fn give_up(&mut self) {
        self.learner.give_up();
        self.reference.learning = false;
    }

    /// Whether and when a reading becomes a sample is the learner's choice; what it may do about it
    /// is not.
    fn refresh(&mut self, x: [f32; D], replace: Replace) {
        let before = self.reference.samples.clone();
        let found = self.learner.refresh(&x, replace);
        let after = self.samples();
        let verdict = match found {
            Ok(verdict) => verdict,
            Err(error) => {
                match (&self.reference.detector, not_finite(&x)) {
                    (None, _) => assert_eq!(error, Error::NotFitted),
                    (Some(_), Some(fault)) => assert_eq!(error, fault),
                    (Some(_), None) => assert!(matches!(error, Error::Query(_)), "{error:?}"),
                }
                return assert_eq!(after, before);
            }
        };
        assert!(self.reference.detector.is_some() && not_finite(&x).is_none());
        if self.reference.learning || self.reference.frozen || verdict.unusual {
            assert_eq!(after, before, "an anomalous reading, or a learner that must not change");
            self.reference.offered.push(bits(&x));
            return;
        }
        // At most two samples are new: one that has waited, and this one.
        let news = (0..=2).find(|&count| {
            let Some(kept) = after.len().checked_sub(count) else { return false };
            let room = before.len() + count <= N;
            is_kept(&before, &after[..kept], if room { None } else { Some(replace) })
                && (!room || kept == before.len())
                && after[kept..]
                    .iter()
                    .all(|new| *new == bits(&x) || self.reference.offered.contains(new))
        });
        assert!(news.is_some(), "{before:?} became {after:?} by {:?}", bits(&x));
        self.reference.offered.push(bits(&x));
        self.reference.samples = after;
    }

    fn refresh_many(&mut self, decisions: &mut Decisions<'_>) {
        for _ in 0..12 {
            self.refresh(usual(decisions), pick(decisions, &[Replace::Oldest, Replace::Random]));
            assert_eq!(self.samples(), self.reference.samples);
        }
    }

    fn freeze(&mut self, frozen: bool) {
        match frozen {
            true => self.learner.freeze(),
            false => self.learner.thaw(),
        }
        self.reference.frozen = frozen;
    }

    fn forget(&mut self) {
        self.learner.forget();
        self.reference = Reference::default();
    }

    fn restore(&mut self, decisions: &mut Decisions<'_>) {
        let Some(mut bytes) = self.reference.detector.clone() else { return };
        // Sometimes damaged, and then sometimes in a way that the checksum does not notice.
        let damage = number::byte(decisions) % 4;
        let place = number::below(decisions, bytes.len());
        if damage >= 2 {
            bytes[place] ^= 1 << (number::byte(decisions) % 8);
        }
        if damage == 3 {
            mend_stored(&mut bytes);
        }
        let found = self.learner.restore(&bytes);
        if self.reference.learning {
            return assert_eq!(found, Err(Error::Learning));
        }
        match (found, damage) {
            (Ok(()), 0 | 1 | 3) => {
                let frozen = self.reference.frozen;
                self.reference =
                    Reference { frozen, detector: Some(bytes), ..Reference::default() };
            }
            (Err(Error::Format(_)), 2) | (Err(_), 3) => {}
            (found, damage) => panic!("{found:?} of bytes with damage {damage}"),
        }
    }

    fn set_threshold(&mut self, decisions: &mut Decisions<'_>) {
        let threshold = Threshold::new(number::any(decisions)).with_usual(number::any(decisions));
        match self.learner.set_threshold(threshold) {
            Ok(()) => {
                assert!(threshold.spe.is_finite());
                assert!(self.reference.detector.is_some());
                let found = *self.learner.detector().expect("it is there").threshold();
                assert_eq!(found, threshold);
                self.reference.detector = self.stored();
            }
            Err(Error::NotFitted) => assert!(self.reference.detector.is_none()),
            Err(Error::Parameter { .. } | Error::Deaf) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// The error about the first input that is not finite.
fn not_finite(x: &[f32; D]) -> Option<Error> {
    let input = x.iter().position(|value| !value.is_finite())?;
    Some(Error::Query(Fault::NotFinite { input }))
}

fn require_scale_overflow(error: Error, reference: &Reference) {
    let overflow = matches!(error, Error::Query(Fault::ScaleOverflow { .. }));
    assert!(overflow && reference.detector.is_some(), "{error:?}");
}

/// Of several things that are wrong, it is open which is named; that learning is under way comes
/// first.
fn require_same(found: Error, expected: Error) {
    let is_parameter =
        |error: &Error| matches!(error, Error::Parameter { .. } | Error::TooFewSamples { .. });
    assert!(
        found == expected || is_parameter(&found) && is_parameter(&expected),
        "{found:?}, not {expected:?}"
    );
}

/// Are these the earlier samples, in their order, but for those that made room?
fn is_kept(before: &[Bits], kept: &[Bits], replaced: Option<Replace>) -> bool {
    match replaced {
        None => before == kept,
        Some(Replace::Random) => {
            let mut before = before.iter();
            kept.iter().all(|sample| before.any(|other| other == sample))
        }
        Some(_) => before.ends_with(kept),
    }
}
