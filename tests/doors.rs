//! Every door lets in the same detectors: bytes, parts, constants, memory of run-time sizes and
//! integers agree about what is valid, and none of them lets in one that cannot alarm.

mod faults;
mod stored;

use mercer::detect::hearing::highest_threshold;
use mercer::detect::persist::{Encode, Reader};
use mercer::detect::quantised::{QuantisedModel, QuantisedPoint};
use mercer::detect::{DetectorBuffer, Scaling, Threshold};
use mercer::kernel::{
    BlockKernel, Cosine, Laplacian, Linear, Memos, Normalised, Poly, Rbf, Scale, Sigmoid, Sum,
};
use mercer::kpca::{Expansion, ExpansionHeader};
use mercer::math::Real;
use mercer::{Detector, Error, KernelPca, QuantisedDetector};
use stored::{Small, bytes_of, learn, readings, seal, small};

const R: usize = 8;
type Of<K, T, const P: usize> = Detector<K, [T; 3], R, P>;

/// A small generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }

    /// A number that someone might try.
    fn number(&mut self) -> f64 {
        const TRIED: [f64; 23] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            2.0,
            -10.0,
            1e3,
            1e-3,
            1e6,
            -1e6,
            1e-20,
            1e20,
            1e-38,
            1e-45,
            1e38,
            -1e38,
            1e-310,
            1e300,
            f64::MAX,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ];
        match self.next() % 2 {
            0 => TRIED[self.next() % TRIED.len()],
            _ => self.next() as f64 / f64::from(1 << 29) - 2.0,
        }
    }
}

/// The numbers of a stored detector, by the table in the documentation of the format.
struct Parts<K, T, const P: usize> {
    kernel: K,
    scaling: Scaling<[T; 3]>,
    points: [[T; 3]; R],
    header: ExpansionHeader<T>,
    weights: [[T; P]; R],
    centre: [T; R],
    offsets: [T; P],
    variances: [T; P],
    threshold: Threshold<T>,
}

impl<T, K, const P: usize> Parts<K, T, P>
where
    T: Real + Encode,
    K: BlockKernel<[T], Scalar = T> + Encode + Copy,
{
    fn of(bytes: &[u8]) -> Self {
        let mut input = Reader::new(&bytes[24..]);
        let kernel = K::decode(&mut input).unwrap();
        fn next<V: Encode>(input: &mut Reader<'_>) -> V {
            V::decode(input).unwrap()
        }
        let input = &mut input;
        let threshold = Threshold::new(next(input)).with_usual(next(input));
        let count = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (points, components) = (count(16), count(20));
        let indefinite = bytes[7] & 1 != 0;
        let header = ExpansionHeader::new(points, components, next(input), next(input), indefinite);
        assert_eq!(components as usize, P);
        // Some kernels span fewer dimensions than there is room for points.
        let points = points as usize;
        Self {
            kernel,
            header,
            threshold,
            scaling: Scaling::new(next(input), next(input)),
            points: next_rows(input, points),
            centre: next_rows::<T, 1, R>(input, points).map(|[beta]| beta),
            weights: next_rows(input, points),
            offsets: next(input),
            variances: next(input),
        }
    }

    fn expansion(&self) -> Result<Expansion<T, R, P>, Error> {
        let Self { header, weights, centre, offsets, variances, .. } = *self;
        Expansion::from_parts(header, weights, centre, offsets, variances)
    }

    fn detector(&self) -> Result<Of<K, T, P>, Error> {
        let model = KernelPca::from_parts(self.kernel, self.points, Memos::NONE, self.expansion()?);
        Detector::from_parts(self.scaling, model, self.threshold)
    }
}

fn next_rows<T: Real + Encode, const N: usize, const M: usize>(
    input: &mut Reader<'_>,
    count: usize,
) -> [[T; N]; M] {
    std::array::from_fn(|i| match i < count {
        true => <[T; N]>::decode(input).unwrap(),
        false => [T::ZERO; N],
    })
}

/// Reads bytes into memory of run-time sizes.
fn read_into_buffer<T, K, const P: usize>(bytes: &[u8]) -> Result<(), Error>
where
    T: Real + Encode,
    K: BlockKernel<[T], Scalar = T> + Encode,
{
    let mut memory = vec![T::ZERO; DetectorBuffer::<K, T>::numbers(3, R, P)];
    let mut buffer = DetectorBuffer::<K, T>::new(3, R, P, &mut memory)?;
    buffer.read_from(bytes)?;
    let view = buffer.view()?;
    assert_eq!(view.validate(), Ok(()));
    let mut again = vec![0; view.encoded_len()];
    view.write_to(&mut again)?;
    assert_eq!(again, bytes);
    Ok(())
}

/// How many forged detectors were taken, refused by their numbers, and refused for other reasons.
#[derive(Debug, Default)]
struct Tally {
    taken: usize,
    refused: usize,
    misshapen: usize,
}

/// Forges detectors. `in_flash` says whether a constant of these parts would compile.
fn forge<K, T, const P: usize>(
    kernel: K,
    in_flash: impl Fn(&Parts<K, T, P>, Expansion<T, R, P>) -> bool,
) where
    T: Real + Encode,
    K: BlockKernel<[T], Scalar = T> + Encode + Copy + std::fmt::Debug,
{
    let genuine = learn::<K, T, R, P>(kernel, 0.0, R, P);
    let bytes = bytes_of(&genuine);
    let numbers = (bytes.len() - 28 - K::SIZE) / T::SIZE;
    let (mut random, mut tally) = (Random(K::SIZE as u64 + T::SIZE as u64), Tally::default());
    for round in 0..6000 {
        let mut forged = bytes.clone();
        let changes = 1 + round % 3;
        for _ in 0..changes {
            match random.next() % 8 {
                0 => forged[7] = (random.next() % 8) as u8,
                1 => forged[12 + random.next() % 12] = random.next() as u8,
                2 => forged[24 + random.next() % K::SIZE] = random.next() as u8,
                3 => {
                    let at = 24 + random.next() % (bytes.len() - 28);
                    forged[at] = random.next() as u8;
                }
                // Mostly those of which there are few: threshold, header, scaling, components.
                choice => {
                    let index = match choice {
                        4 => random.next() % 9,
                        5 => numbers - 1 - random.next() % (2 * P),
                        _ => random.next() % numbers,
                    };
                    let at = 24 + K::SIZE + index * T::SIZE;
                    put(&mut forged[at..at + T::SIZE], T::from_f64(random.number()));
                }
            }
        }
        seal(&mut forged);
        let mut detector = Of::<K, T, P>::new();
        let read = detector.read_from(&forged);
        assert_eq!(read_into_buffer::<T, K, P>(&forged).is_ok(), read.is_ok(), "{read:?}");
        // Flags, counts and tags have no counterpart in parts.
        let counts_or_flags = forged[12..24] != bytes[12..24] || forged[7] > 1;
        if counts_or_flags || matches!(read, Err(Error::Format(_))) {
            assert!(read.is_err());
            tally.misshapen += 1;
            continue;
        }
        let parts = Parts::<K, T, P>::of(&forged);
        let made = parts.detector();
        assert_eq!(made.is_ok(), read.is_ok(), "{read:?} {:?}", made.err());
        assert_eq!(in_flash(&parts, parts.expansion().unwrap()), read.is_ok(), "{read:?}");
        match made {
            Ok(made) => {
                assert_eq!((made.validate(), detector.validate()), (Ok(()), Ok(())));
                assert_eq!(bytes_of(&made), forged);
                assert_eq!(bytes_of(&detector), forged);
                assert_alike(&made, &detector);
                if parts.kernel.stranger_norm().is_some() {
                    assert!(hears(&detector), "{:?}, {:?}", parts.kernel, parts.threshold);
                }
                tally.taken += 1;
            }
            Err(error) => {
                if changes == 1 {
                    assert_eq!(Err(error), read);
                }
                assert!(!detector.model().is_fitted());
                tally.refused += 1;
            }
        }
    }
    println!("{kernel:?}: {tally:?}");
    let tried = tally.taken + tally.refused + tally.misshapen;
    let fault = format!("forged detectors with the right checksum, by four doors: {kernel:?}");
    faults::record(13, &fault, tried, tried, "--test doors");
    assert!(tally.taken > 1000 && tally.refused > 500 && tally.misshapen > 100, "{tally:?}");
}

fn put<T: Encode>(place: &mut [u8], value: T) {
    value.encode(&mut mercer::detect::persist::Writer::new(place)).unwrap();
}

/// Scores without panic, and with the same result.
fn assert_alike<K, T, const P: usize>(made: &Of<K, T, P>, read: &Of<K, T, P>)
where
    T: Real,
    K: BlockKernel<[T], Scalar = T>,
{
    let extremes = [0.0, 1e9, -1e30, f64::from(f32::MAX)].map(|x| [T::from_f64(x); 3]);
    for x in readings::<T>(0.4).into_iter().take(3).chain(extremes) {
        let (made, read) = (made.score(&x), read.score(&x));
        assert_eq!(format!("{made:?}"), format!("{read:?}"));
        if let Ok(verdict) = made {
            assert!(verdict.score.spe.is_finite() && verdict.score.t2.is_finite());
        }
    }
}

/// Is a reading that is as far away as can be anomalous, or openly without a score?
fn hears<K, T, const P: usize>(detector: &Of<K, T, P>) -> bool
where
    T: Real,
    K: BlockKernel<[T], Scalar = T>,
{
    let largest = if size_of::<T>() == 4 { f64::from(f32::MAX) } else { f64::MAX };
    let farthest = (0..40).map(|i| [T::from_f64(largest * 10_f64.powi(-i)); 3]);
    let scores: Vec<_> = farthest.map(|x| detector.score(&x)).collect();
    let anomalous = scores.iter().flatten().any(|verdict| verdict.unusual);
    anomalous || scores.iter().all(Result::is_err)
}

macro_rules! forge_with {
    ($t:ty, $components:literal, $name:ty, $kernel:expr) => {
        forge::<$name, $t, $components>($kernel, |parts, expansion| {
            let Parts { scaling, kernel, points, threshold, .. } = *parts;
            let made = Of::<$name, $t, $components>::in_flash(
                scaling, kernel, points, expansion, threshold,
            );
            made.is_some()
        });
    };
}

macro_rules! forge_with_every_kernel {
    ($t:ty) => {
        forge_with!($t, 4, Rbf<$t>, Rbf::new(0.125));
        forge_with!($t, 4, Laplacian<$t>, Laplacian::new(0.2));
        forge_with!($t, 4, Poly<$t>, Poly { gamma: 0.5, coef0: 1.0, degree: 3 });
        forge_with!($t, 2, Sigmoid<$t>, Sigmoid::new(0.1, 0.01));
        forge_with!($t, 2, Linear, Linear);
        forge_with!($t, 2, Cosine, Normalised(Linear));
    };
}

#[test]
fn forged_detectors_meet_the_same_rules_at_every_door_f32() {
    forge_with_every_kernel!(f32);
}

#[test]
fn forged_detectors_meet_the_same_rules_at_every_door_f64() {
    forge_with_every_kernel!(f64);
}

/// The SPE of a reading so far away that it has nothing in common with any point.
fn farthest<K: BlockKernel<[f32], Scalar = f32>>(detector: &Of<K, f32, 4>) -> f32 {
    detector.score(&[1e12; 3]).unwrap().score.spe
}

/// SPE thresholds around the largest SPE, at every door.
fn assert_deaf_at_every_door<K>(kernel: K)
where
    K: BlockKernel<[f32], Scalar = f32> + Encode + Copy + std::fmt::Debug,
{
    let genuine = learn::<K, f32, R, 4>(kernel, 0.0, R, 4);
    let far = farthest(&genuine);
    let highest = highest_threshold(&genuine.model().view().unwrap()).unwrap();
    assert!(highest < far && highest > 0.99 * far, "{kernel:?}: {highest} of {far}");
    let cases = [
        (0.5 * far, true),
        (0.99 * far, true),
        (highest, true),
        (highest * 1.000_01, false),
        (far, false),
        (1.01 * far, false),
        (1e6, false),
    ];
    for (spe, heard) in cases {
        let threshold = Threshold::new(spe);
        let expected = if heard { Ok(()) } else { Err(Error::Deaf) };
        let parts = (*genuine.scaling(), genuine.model().clone());
        let made = Detector::from_parts(parts.0, parts.1, threshold);
        assert_eq!(made.as_ref().map(|_| ()), expected.as_ref().map(|_| ()));
        let mut set = genuine.clone();
        assert_eq!(set.set_threshold(threshold), expected, "{kernel:?}, {spe} of {far}");
        if let Ok(made) = made {
            assert!(made.score(&[1e12; 3]).unwrap().unusual, "{kernel:?}, {spe} of {far}");
        }
        // Stored by someone else.
        let mut bytes = bytes_of(&genuine);
        put(&mut bytes[24 + K::SIZE..][..4], spe);
        seal(&mut bytes);
        assert_eq!(Of::<K, f32, 4>::new().read_from(&bytes), expected);
        assert_eq!(read_into_buffer::<f32, K, 4>(&bytes), expected);
    }
}

#[test]
fn thresholds_that_nothing_exceeds_are_refused_at_every_door() {
    assert_deaf_at_every_door(Rbf::new(0.125));
    assert_deaf_at_every_door(Rbf::new(0.02));
    assert_deaf_at_every_door(Laplacian::new(0.2));
    assert_deaf_at_every_door(Scale { factor: 5.0, kernel: Rbf::new(0.125) });
    assert_deaf_at_every_door(Sum(Rbf::new(0.125), Laplacian::new(0.3)));
    assert_deaf_at_every_door(Normalised(Rbf::new(0.1)));
    assert_eq!(Small::new().set_threshold(Threshold::EMPTY), Err(Error::NotFitted));
}

/// What usual readings score is looked at wherever a threshold comes in.
#[test]
fn usual_scores_that_are_none_are_refused_at_every_door() {
    let genuine = small(0.0);
    let spe = genuine.threshold().spe;
    let bad = |rule| Err(Error::Parameter { name: "usual", rule });
    for (usual, expected) in [
        (0.0, Ok(())),
        (-0.0, Ok(())),
        // Above the threshold: one that had to be lowered, or was set by hand.
        (2.0 * spe, Ok(())),
        (-1e-30, bad(">= 0")),
        (-1.0, bad(">= 0")),
        (f32::NAN, bad("finite")),
        (f32::INFINITY, bad("finite")),
        (f32::NEG_INFINITY, bad("finite")),
    ] {
        let threshold = Threshold::new(spe).with_usual(usual);
        let parts = (*genuine.scaling(), genuine.model().clone());
        let made = Detector::from_parts(parts.0, parts.1, threshold);
        assert_eq!(made.map(|_| ()), expected, "{usual}");
        assert_eq!(genuine.clone().set_threshold(threshold), expected, "{usual}");
        let mut bytes = bytes_of(&genuine);
        put(&mut bytes[24 + <Rbf<f32> as Encode>::SIZE + 4..][..4], usual);
        seal(&mut bytes);
        assert_eq!(Small::new().read_from(&bytes), expected, "{usual}");
        assert_eq!(read_into_buffer::<f32, Rbf<f32>, 4>(&bytes), expected, "{usual}");
        let mut view = genuine.view().unwrap();
        view.threshold = threshold;
        assert_eq!(view.validate(), expected, "{usual}");
        let mut whole = Whole::new();
        whole.quantise(&genuine).unwrap();
        let made = Whole::from_parts(*whole.scaling(), *whole.model(), threshold);
        assert_eq!(made.map(|_| ()), expected, "{usual}");
        assert_eq!(whole.set_threshold(threshold), expected, "{usual}");
        let mut bytes = vec![0; whole.encoded_len()];
        whole.write_to(&mut bytes).unwrap();
        put(&mut bytes[42..46], usual);
        seal(&mut bytes);
        assert_eq!(whole.read_from(&bytes), expected, "{usual}");
    }
    // Scores of an indefinite kernel can be negative.
    let mut sigmoid = learn::<Sigmoid<f32>, f32, R, 2>(Sigmoid::new(0.1, 0.5), 0.0, R, 2);
    assert!(sigmoid.model().expansion().header().indefinite);
    let threshold = Threshold::new(1.0).with_usual(-1.0);
    assert_eq!(sigmoid.set_threshold(threshold), Ok(()));
    assert_eq!(sigmoid.set_threshold(threshold.with_usual(f32::NAN)), bad("finite"));
}

/// Kernels without strangers have no bound: a linear score grows for ever.
#[test]
fn kernels_without_a_bound_take_any_finite_threshold() {
    let mut detector = learn::<Linear, f32, R, 2>(Linear, 0.0, R, 2);
    assert_eq!(highest_threshold(&detector.model().view().unwrap()), None);
    assert_eq!(detector.set_threshold(Threshold::new(1e30)), Ok(()));
    assert!(detector.score(&[1e17; 3]).unwrap().unusual);
}

#[test]
fn counts_beyond_the_capacity_are_refused() {
    let refused = |points: u32, components: u32| {
        let header = ExpansionHeader::new(points, components, 0.5_f32, 1.0, false);
        Expansion::from_parts(header, [[0.5; 2]; 3], [0.3; 3], [0.1; 2], [0.5, 0.2]).err()
    };
    let capacity = |what, needed, capacity| Some(Error::Capacity { what, needed, capacity });
    let none = |name| Some(Error::Parameter { name, rule: ">= 1" });
    assert_eq!(refused(3, 2), None);
    assert_eq!(refused(4, 2), capacity("points", 4, 3));
    assert_eq!(refused(u32::MAX, 2), capacity("points", u32::MAX as usize, 3));
    assert_eq!(refused(3, 3), capacity("components", 3, 2));
    assert_eq!(refused(0, 2), none("points"));
    assert_eq!(refused(3, 0), none("components"));
}

/// Memos of points that are not in use would hide those that are.
#[test]
fn points_that_are_not_in_use_change_nothing() {
    let kernel = Rbf::new(0.125_f32);
    let points: [[f32; 2]; 8] = std::array::from_fn(|i| [0.3 * i as f32 - 1.0, 0.1 * i as f32]);
    let weights: [[f32; 1]; 8] = std::array::from_fn(|i| [0.3 - 0.1 * i as f32]);
    let header = ExpansionHeader::new(5, 1, 0.5, 1.0, false);
    let expansion = Expansion::from_parts(header, weights, [0.2; 8], [0.1], [0.5]).unwrap();
    let whole = KernelPca::from_parts(kernel, points, kernel.memos(&points), expansion);
    let plain = KernelPca::from_parts(kernel, points, Memos::NONE, expansion);
    for x in [[0.0, 0.0], [0.2, 0.4], [-1.0, 3.0]] {
        let (a, b) = (whole.score(&x).unwrap(), plain.score(&x).unwrap());
        assert!((a.spe - b.spe).abs() < 1e-6 && (a.t2 - b.t2).abs() < 1e-6, "{a:?} {b:?}");
    }
}

type Whole = QuantisedDetector<3, R, 4>;

fn whole_bytes(detector: &Whole) -> Vec<u8> {
    let mut bytes = vec![0xA5; Whole::ENCODED_SIZE];
    let length = detector.write_to(&mut bytes).unwrap();
    bytes.truncate(length);
    bytes
}

/// Forged integers: what is taken is valid, can be written again, and sees what is far away.
#[test]
fn forged_quantised_detectors_meet_the_same_rules_at_every_door() {
    let mut genuine = Whole::new();
    genuine.quantise(&small(0.0)).unwrap();
    assert_eq!(genuine.validate(), Ok(()));
    let bytes = whole_bytes(&genuine);
    let mut random = Random(3);
    let (mut taken, mut refused) = (0, 0);
    for round in 0..20_000 {
        let mut forged = bytes.clone();
        for _ in 0..1 + round % 2 {
            let at = match random.next() % 3 {
                0 => 24 + random.next() % 22,
                1 => 47 + random.next() % (60 + 36),
                _ => 24 + random.next() % (bytes.len() - 28),
            };
            match random.next() % 3 {
                0 => forged[at] = random.next() as u8,
                1 => forged[at] ^= 1 << (random.next() % 8),
                _ => forged[at & !3..][..4].fill([0, 0xFF, 0x7F, 0x80][random.next() % 4]),
            }
        }
        seal(&mut forged);
        let mut read = Whole::new();
        let result = read.read_from(&forged);
        if matches!(result, Err(Error::Format(_))) {
            continue;
        }
        let made = parts_of(&forged, &genuine);
        assert_eq!(made.is_ok(), result.is_ok(), "{result:?} {:?}", made.err());
        let Ok(made) = made else {
            assert_eq!(read.score(&[0.0; 3]), Err(Error::NotFitted), "changed by an error");
            refused += 1;
            continue;
        };
        taken += 1;
        assert_eq!((read.validate(), made.validate()), (Ok(()), Ok(())));
        assert_eq!(whole_bytes(&read), forged);
        for x in readings(0.4).into_iter().take(5).chain([[0.0; 3], [f32::MAX; 3]]) {
            assert_eq!(read.score(&x), made.score(&x));
            let _ = read.contributions(&x);
            let _ = (read.suspect(&x), read.score_available(&[x[0], f32::NAN, x[2]]));
        }
        assert!(read.score(&[f32::MAX; 3]).unwrap().unusual, "deaf");
    }
    println!("quantised: {taken} taken, {refused} refused");
    let (fault, tried) = ("forged quantised detectors with the right checksum", taken + refused);
    faults::record(13, fault, tried, tried, "--test doors");
    assert!(taken > 3000 && refused > 3000, "{taken} {refused}");
}

/// A quantised detector from forged bytes, by the table of its format.
fn parts_of(bytes: &[u8], like: &Whole) -> Result<Whole, Error> {
    let mut model: QuantisedModel<3, R, 4> = *like.model();
    let mut input = Reader::new(&bytes[24..]);
    let i = &mut input;
    fn next<V: Encode>(input: &mut Reader<'_>) -> V {
        V::decode(input).unwrap()
    }
    [model.header.distance_shift, model.header.centre_shift] = [bytes[6], bytes[7]];
    model.header.gamma = next(i);
    model.header.variance_exponent = next::<u16>(i) as i16;
    model.header.far = next(i);
    model.header.ceiling = next(i);
    let threshold = Threshold::new(next(i)).with_usual(next(i));
    assert_eq!(next::<u8>(i), 0, "no floors");
    let scaling = Scaling::new(next(i), next(i));
    for input in &mut model.inputs {
        input.mean = next::<u32>(i) as i32;
        input.bits = next::<u32>(i) as i32;
        (input.limit, input.weight) = (next(i), next(i));
    }
    for component in &mut model.components {
        component.offset = next::<u32>(i) as i32;
        (component.inverse_variance, component.shift) = (next(i), next(i));
    }
    for point in &mut model.points {
        *point = QuantisedPoint {
            half_length: next(i),
            coordinates: [next(i), next(i), next(i)],
            weights: [next(i), next(i), next(i), next(i)],
            centre: next(i),
        };
    }
    QuantisedDetector::<_, _, _>::from_parts(scaling, model, threshold)
}

#[test]
fn quantised_detectors_are_refused_by_name() {
    let mut genuine = Whole::new();
    genuine.quantise(&small(0.0)).unwrap();
    let with = |change: &dyn Fn(&mut QuantisedModel<3, R, 4>)| {
        let mut model = *genuine.model();
        change(&mut model);
        Whole::from_parts(*genuine.scaling(), model, *genuine.threshold()).err()
    };
    let named = |change: &dyn Fn(&mut QuantisedModel<3, R, 4>)| match with(change) {
        Some(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(with(&|_| {}), None);
    assert_eq!(with(&|model| model.header.points = 0), Some(Error::NotFitted));
    let many = Error::Capacity { what: "points", needed: 9, capacity: 8 };
    assert_eq!(with(&|model| model.header.points = 9), Some(many));
    let many = Error::Capacity { what: "components", needed: 5, capacity: 4 };
    assert_eq!(with(&|model| model.header.components = 5), Some(many));
    assert_eq!(named(&|model| model.header.ceiling = 0), "centre");
    assert_eq!(named(&|model| model.header.ceiling = u32::MAX), "centre");
    assert_eq!(named(&|model| model.header.gamma = 1e-45), "gamma");
    assert_eq!(named(&|model| model.header.far = 0), "far");
    assert_eq!(named(&|model| model.header.far *= 2), "limit");
    assert_eq!(named(&|model| model.header.distance_shift = 9), "shift");
    assert_eq!(named(&|model| model.header.centre_shift = 15), "shift");
    assert_eq!(named(&|model| model.header.variance_exponent = 61), "variances");
    assert_eq!(named(&|model| model.inputs[1].weight = 0), "limit");
    assert_eq!(named(&|model| model.inputs[1].limit = 0), "limit");
    assert_eq!(named(&|model| model.inputs[1].bits = 101), "mean");
    assert_eq!(named(&|model| model.inputs[1].mean += 1), "mean");
    assert_eq!(named(&|model| model.components[3].offset = i32::MIN), "offsets");
    assert_eq!(named(&|model| model.components[3].inverse_variance = 1 << 25), "variances");
    assert_eq!(named(&|model| model.components[3].shift = 15), "shift");
    assert_eq!(named(&|model| model.points[2].half_length += 1), "points");
    // An odd number of points, whose partner has weights.
    assert_eq!(named(&|model| model.header.points = 7), "weights");

    let mut deaf = genuine.clone();
    let far = deaf.score(&[1e12; 3]).unwrap().score.spe;
    assert_eq!(deaf.set_threshold(Threshold::new(far)), Err(Error::Deaf));
    assert_eq!(deaf.set_threshold(Threshold::new(0.98 * far)), Ok(()));
    assert!(deaf.score(&[1e12; 3]).unwrap().unusual);
    let infinite = Error::Parameter { name: "spe", rule: "finite" };
    assert_eq!(deaf.set_threshold(Threshold::new(f32::NEG_INFINITY)), Err(infinite));
}
