//! Detectors as bytes: nothing is lost, and nothing wrong is taken.

mod stored;

use std::error::Error as _;

use mercer::detect::persist::{Encode, FORMAT_VERSION};
use mercer::detect::{LogScaling, Scaling, Threshold};
use mercer::error::FormatFault;
use mercer::kernel::{
    BlockKernel, Exp, Laplacian, Linear, Memos, Normalised, Poly, Product, Rbf, Scale, Sigmoid, Sum,
};
use mercer::kpca::{Expansion, ExpansionHeader};
use mercer::math::Real;
use mercer::{Detector, Error, KernelPca};
use stored::*;

/// Bytes that someone else wrote, with a valid checksum.
fn forge(bytes: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut forged = bytes.to_vec();
    change(&mut forged);
    seal(&mut forged);
    forged
}

/// Reads and expects an error; the detector must be what it was.
fn refused(bytes: &[u8]) -> Error {
    let mut detector = small(0.9);
    let before = bytes_of(&detector);
    let error = detector.read_from(bytes).expect_err("was read");
    assert_eq!(bytes_of(&detector), before, "changed by {error}");
    let mut empty = Small::new();
    assert_eq!(empty.read_from(bytes), Err(error));
    assert!(!empty.model().is_fitted());
    error
}

fn fault(bytes: &[u8]) -> FormatFault {
    match refused(bytes) {
        Error::Format(fault) => fault,
        other => panic!("{other:?}"),
    }
}

/// Stores, restores, and compares scores and bytes.
fn round_trip<K, T>(kernel: K)
where
    T: Real + Encode,
    K: BlockKernel<[T], Scalar = T> + Encode,
{
    let original = learn::<K, T, 8, 4>(kernel, 0.0, 8, 2);
    let bytes = bytes_of(&original);
    let mut restored = Detector::<K, [T; 3], 8, 4>::new();
    restored.read_from(&bytes).unwrap();
    assert_eq!(bytes_of(&restored), bytes);
    // `to_f64` is exact, so these are all bits of a number that is not NaN.
    let bits = |v: T| v.to_f64().to_bits();
    for x in readings::<T>(0.37) {
        let (a, b) = (original.score(&x).unwrap(), restored.score(&x).unwrap());
        assert_eq!(bits(a.score.spe), bits(b.score.spe));
        assert_eq!(bits(a.score.t2), bits(b.score.t2));
        assert_eq!(bits(a.score.centre_distance), bits(b.score.centre_distance));
        assert_eq!(a.unusual, b.unusual);
    }
    // It replaces whatever was there, and nothing of that shines through.
    restored.read_from(&bytes).unwrap();
    assert_eq!(bytes_of(&restored), bytes);
}

fn round_trips<T: Real + Encode>()
where
    mercer::math::Fast: mercer::math::Math<T>,
{
    let t = T::from_f64;
    let poly = Poly { gamma: t(0.5), coef0: t(1.0), degree: 3 };
    round_trip::<_, T>(Linear);
    round_trip::<_, T>(Rbf::new(t(0.125)));
    round_trip::<_, T>(Laplacian::new(t(0.2)));
    round_trip::<_, T>(poly);
    round_trip::<_, T>(Sigmoid::new(t(0.1), t(0.01)));
    round_trip::<_, T>(Scale { factor: t(2.5), kernel: Rbf::new(t(0.125)) });
    round_trip::<_, T>(Sum(Rbf::new(t(0.125)), Linear));
    round_trip::<_, T>(Product(Rbf::new(t(0.125)), poly));
    round_trip::<_, T>(Exp::new(Scale { factor: t(0.1), kernel: Linear }));
    round_trip::<_, T>(Normalised(poly));
}

#[test]
fn nothing_is_lost_f32() {
    round_trips::<f32>();
}

#[test]
fn nothing_is_lost_f64() {
    round_trips::<f64>();
}

#[cfg(feature = "micromath")]
#[test]
fn the_maths_backend_is_part_of_the_kernel() {
    use mercer::math::Micromath;
    let fast = learn::<_, f32, 8, 4>(Rbf { gamma: 0.125, math: Micromath }, 0.0, 8, 4);
    let error = FormatFault::Tag { what: "maths", expected: 3, found: 2 };
    assert_eq!(fault(&bytes_of(&fast)), error);
}

/// One point, one input, one component: small enough to be checked by hand against the table in the
/// documentation.
#[test]
fn the_format_is_pinned() {
    type Tiny = Detector<Rbf<f32>, [f32; 1], 1, 1>;
    #[rustfmt::skip]
    const GOLDEN: [u8; 78] = [
        b'M', b'R', b'C', b'R', // magic
        3, 0, // version
        4, // f32
        1, // indefinite
        78, 0, 0, 0, // length
        1, 0, 0, 0, // inputs
        1, 0, 0, 0, // points
        1, 0, 0, 0, // components
        2, 0, 0, 0, 0x3f, 3, // Rbf, gamma 0.5, Fast
        0, 0, 0x80, 0x3e, // threshold of SPE: 0.25
        0, 0, 0x00, 0x3e, // the usual SPE: 0.125
        0, 0, 0x80, 0x3f, // squared norm of the centre: 1
        0, 0, 0x00, 0x40, // total variance: 2
        0, 0, 0x40, 0x40, // mean: 3
        0, 0, 0x80, 0x40, // deviation: 4
        0, 0, 0x80, 0xbf, // the point: -1
        0, 0, 0x80, 0x3f, // its centre weight: 1
        0, 0, 0x40, 0x3f, // its weight: 0.75
        0, 0, 0x00, 0x3f, // offset: 0.5
        0, 0, 0xc0, 0x3f, // variance: 1.5
        GOLDEN_CRC[0], GOLDEN_CRC[1], GOLDEN_CRC[2], GOLDEN_CRC[3],
    ];
    const { assert!(FORMAT_VERSION == 3 && Tiny::ENCODED_SIZE == GOLDEN.len()) };
    let header = ExpansionHeader::new(1, 1, 1.0, 2.0, true);
    let expansion = Expansion::from_parts(header, [[0.75]], [1.0], [0.5], [1.5]).unwrap();
    let tiny = Tiny::from_parts(
        Scaling::new([3.0], [4.0]),
        KernelPca::from_parts(
            Rbf::new(0.5),
            [[-1.0]],
            Rbf::new(0.5_f32).memos(&[[-1.0]]),
            expansion,
        ),
        Threshold::new(0.25).with_usual(0.125),
    )
    .unwrap();
    assert_eq!(bytes_of(&tiny), GOLDEN);
    let mut restored = Tiny::new();
    restored.read_from(&GOLDEN).unwrap();
    assert_eq!(restored.threshold(), tiny.threshold());
    assert_eq!(restored.scaling(), tiny.scaling());
    assert_eq!(restored.model().points(), tiny.model().points());
    assert_eq!(restored.model().kernel(), tiny.model().kernel());
    assert_eq!(restored.model().expansion().header(), &header);
}

/// By Python's zlib.crc32, of the 74 bytes before.
const GOLDEN_CRC: [u8; 4] = 0x5AEE_3802_u32.to_le_bytes();

/// The same with a logarithmic input: a flag, and a floor behind the deviation.
#[test]
fn the_format_of_floors_is_pinned() {
    type Tiny = Detector<Rbf<f32>, [f32; 1], 1, 1, LogScaling<[f32; 1]>>;
    #[rustfmt::skip]
    const GOLDEN: [u8; 82] = [
        b'M', b'R', b'C', b'R', // magic
        3, 0, // version
        4, // f32
        5, // indefinite, with floors
        82, 0, 0, 0, // length
        1, 0, 0, 0, // inputs
        1, 0, 0, 0, // points
        1, 0, 0, 0, // components
        2, 0, 0, 0, 0x3f, 3, // Rbf, gamma 0.5, Fast
        0, 0, 0x80, 0x3e, // threshold of SPE: 0.25
        0, 0, 0x00, 0x3e, // what is usual: 0.125
        0, 0, 0x80, 0x3f, // squared norm of the centre: 1
        0, 0, 0x00, 0x40, // total variance: 2
        0, 0, 0x40, 0x40, // mean: 3
        0, 0, 0x80, 0x40, // deviation: 4
        0, 0, 0x00, 0x3e, // floor: 0.125
        0, 0, 0x80, 0xbf, // the point: -1
        0, 0, 0x80, 0x3f, // its centre weight: 1
        0, 0, 0x40, 0x3f, // its weight: 0.75
        0, 0, 0x00, 0x3f, // offset: 0.5
        0, 0, 0xc0, 0x3f, // variance: 1.5
        FLOOR_CRC[0], FLOOR_CRC[1], FLOOR_CRC[2], FLOOR_CRC[3],
    ];
    const { assert!(Tiny::ENCODED_SIZE == GOLDEN.len()) };
    let mut restored = Tiny::new();
    restored.read_from(&GOLDEN).unwrap();
    let expected = LogScaling::new(Scaling::new([3.0], [4.0]), [0.125]);
    assert_eq!(restored.scaling(), &expected);
    let mut bytes = [0; GOLDEN.len()];
    assert_eq!(restored.write_to(&mut bytes), Ok(GOLDEN.len()));
    assert_eq!(bytes, GOLDEN);
}

/// By Python's zlib.crc32, of the 78 bytes before.
const FLOOR_CRC: [u8; 4] = 0xD200_667A_u32.to_le_bytes();

#[test]
fn every_flipped_bit_is_found() {
    let bytes = bytes_of(&small(0.0));
    assert_eq!(bytes.len(), 362);
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let found = fault(&flipped);
        match bit / 8 {
            0..4 => assert_eq!(found, FormatFault::Magic),
            4..6 => assert!(matches!(found, FormatFault::Version { .. })),
            8..12 if matches!(found, FormatFault::Truncated { .. }) => {}
            _ => assert_eq!(found, FormatFault::Checksum, "bit {bit}"),
        }
    }
}

#[test]
fn every_truncation_is_found_and_what_follows_is_ignored() {
    let mut bytes = bytes_of(&small(0.0));
    for length in 0..bytes.len() {
        let found = fault(&bytes[..length]);
        assert!(matches!(found, FormatFault::Truncated { .. }), "{length}: {found:?}");
    }
    let whole = bytes.clone();
    bytes.extend([0xFF; 100]);
    let mut detector = Small::new();
    detector.read_from(&bytes).unwrap();
    assert_eq!(bytes_of(&detector), whole);
    assert_eq!(fault(&[0xFF; 400]), FormatFault::Magic, "erased flash");
    assert_eq!(fault(&[0; 400]), FormatFault::Magic);
}

#[test]
fn detectors_of_another_type_are_refused_by_name() {
    let laplacian = learn::<_, f32, 8, 4>(Laplacian::new(0.2), 0.0, 8, 4);
    let tag = FormatFault::Tag { what: "kernel", expected: 2, found: 3 };
    assert_eq!(fault(&bytes_of(&laplacian)), tag);
    let nested = learn::<_, f32, 8, 4>(Normalised(Rbf::new(0.2)), 0.0, 8, 4);
    let tag = FormatFault::Tag { what: "kernel", expected: 2, found: 0x14 };
    assert_eq!(fault(&bytes_of(&nested)), tag);
    let double = learn::<_, f64, 8, 4>(Rbf::new(0.2), 0.0, 8, 4);
    assert_eq!(fault(&bytes_of(&double)), FormatFault::Scalar { expected: 4, found: 8 });

    let expansion = Expansion::from_parts(
        ExpansionHeader::new(1, 1, 0.0, 1.0, false),
        [[1.0]],
        [1.0],
        [0.0],
        [1.0],
    )
    .unwrap();
    let model = KernelPca::from_parts(Rbf::new(1.0), [[0.0, 0.0]], Memos::NONE, expansion);
    let threshold = Threshold::new(0.5);
    let two: Detector<Rbf<f32>, [f32; 2], 1, 1> =
        Detector::from_parts(Scaling::identity(), model, threshold).unwrap();
    let inputs = Error::Shape { what: "inputs", expected: 3, given: 2 };
    assert_eq!(refused(&bytes_of(&two)), inputs);
}

#[test]
fn what_fits_is_read_whatever_the_capacity() {
    let roomy = learn::<Rbf<f32>, f32, 20, 12>(Rbf::new(0.125), 0.0, 8, 4);
    let bytes = bytes_of(&roomy);
    assert_eq!(bytes, bytes_of(&small(0.0)), "capacity is no part of the format");
    let mut tight = Small::new();
    tight.read_from(&bytes).unwrap();
    let mut back = learn::<Rbf<f32>, f32, 20, 12>(Rbf::new(0.3), 0.5, 20, 12);
    back.read_from(&bytes_of(&tight)).unwrap();
    assert_eq!(bytes_of(&back), bytes);
    for x in readings(0.2) {
        assert_eq!(back.score(&x), roomy.score(&x));
        assert_eq!(tight.score(&x), roomy.score(&x));
    }

    let nine = learn::<Rbf<f32>, f32, 20, 12>(Rbf::new(0.125), 0.0, 9, 4);
    let error = Error::Capacity { what: "points", needed: 9, capacity: 8 };
    assert_eq!(refused(&bytes_of(&nine)), error);
    let five = learn::<Rbf<f32>, f32, 20, 12>(Rbf::new(0.125), 0.0, 8, 5);
    let error = Error::Capacity { what: "components", needed: 5, capacity: 4 };
    assert_eq!(refused(&bytes_of(&five)), error);
}

#[test]
fn forged_bytes_are_refused_by_name() {
    let bytes = bytes_of(&small(0.0));
    let with = |offset: usize, new: &[u8]| {
        forge(&bytes, |bytes| bytes[offset..offset + new.len()].copy_from_slice(new))
    };
    assert_eq!(forge(&bytes, |_| {}), bytes);
    assert_eq!(fault(&with(4, &[1, 0])), FormatFault::Version { found: 1, expected: 3 });
    assert_eq!(fault(&with(4, &[0, 1])), FormatFault::Version { found: 256, expected: 3 });
    assert_eq!(fault(&with(6, &[2])), FormatFault::Scalar { expected: 4, found: 2 });
    for flags in [2, 3, 6, 8, 0xFF] {
        assert_eq!(fault(&with(7, &[flags])), FormatFault::Flags { found: flags });
    }
    let logarithmic = FormatFault::Tag { what: "scaling", expected: 0, found: 4 };
    assert_eq!(fault(&with(7, &[4])), logarithmic);
    let nothing = fault(&with(16, &[0; 4]));
    assert!(matches!(nothing, FormatFault::Length { found: 362, .. }), "{nothing:?}");
    assert!(matches!(fault(&with(20, &[0; 4])), FormatFault::Length { .. }));
    let seven = fault(&with(16, &7_u32.to_le_bytes()));
    assert_eq!(seven, FormatFault::Length { expected: 362 - 8 * 4, found: 362 });
    let many = Error::Capacity { what: "points", needed: u32::MAX as usize, capacity: 8 };
    assert_eq!(refused(&with(16, &[0xFF; 4])), many);
    let longer = forge(&[bytes.as_slice(), &[0; 4]].concat(), |bytes| bytes[8] += 4);
    assert_eq!(fault(&longer), FormatFault::Length { expected: 362, found: 366 });

    // Values, by the table in the documentation.
    let value = |scalar: usize, value: f32| refused(&with(30 + 4 * scalar, &value.to_le_bytes()));
    let finite = |name| Error::Parameter { name, rule: "finite" };
    let sections = [
        ("spe", 1),
        ("usual", 1),
        ("centre_norm", 1),
        ("total_variance", 1),
        ("mean", 3),
        ("deviation", 3),
        ("points", 24),
        ("centre", 8),
        ("weights", 32),
        ("offsets", 4),
        ("variances", 4),
    ];
    let mut scalar = 0;
    for (name, count) in sections {
        for _ in 0..count {
            for bad in [f32::NAN, f32::INFINITY] {
                match name {
                    "deviation" | "total_variance" | "variances" => {
                        let rule = "finite and > 0";
                        assert_eq!(value(scalar, bad), Error::Parameter { name, rule });
                    }
                    _ => assert_eq!(value(scalar, bad), finite(name)),
                }
            }
            scalar += 1;
        }
    }
    assert_eq!(30 + 4 * scalar + 4, bytes.len());
    let rule = "finite and > 0";
    assert_eq!(value(scalar - 1, 0.0), Error::Parameter { name: "variances", rule });
    assert_eq!(value(9, 0.0), Error::Parameter { name: "deviation", rule });
    assert_eq!(value(1, -0.001), Error::Parameter { name: "usual", rule: ">= 0" });
    let gamma = refused(&with(25, &(-1.0_f32).to_le_bytes()));
    assert_eq!(gamma, Error::Parameter { name: "gamma", rule });
}

#[test]
fn random_bytes_are_refused_without_a_panic() {
    let genuine = bytes_of(&small(0.0));
    let mut seed = 7_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) as u8
    };
    for round in 0..5000 {
        // Everything random but for the part up to the length, then only a few bytes.
        let forged = forge(&genuine, |bytes| match round % 2 {
            0 => bytes[12..].fill_with(&mut random),
            _ => (0..3).for_each(|_| bytes[12 + usize::from(random())] = random()),
        });
        let _ = Small::new().read_from(&forged);
    }
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let mut room = [0; Small::ENCODED_SIZE];
    assert_eq!(Small::new().write_to(&mut room), Err(Error::NotFitted));
    assert_eq!(Small::new().write_to(&mut []), Err(Error::NotFitted));
    let error = Error::Capacity { what: "encoded detector", needed: 362, capacity: 361 };
    assert_eq!(small(0.0).write_to(&mut room[1..]), Err(error));
    assert_eq!(Small::ENCODED_SIZE, 362);
    let usual = small(0.0);
    let threshold = Threshold::new(f32::NAN);
    let broken = Small::from_parts(*usual.scaling(), usual.model().clone(), threshold);
    let error = Error::Parameter { name: "spe", rule: "finite" };
    assert_eq!(broken.err(), Some(error));
    let unscaled = Small::from_parts(Scaling::EMPTY, usual.model().clone(), *usual.threshold());
    let error = Error::Parameter { name: "deviation", rule: "finite and > 0" };
    assert_eq!(unscaled.err(), Some(error));
}

#[test]
fn faults_read_as_sentences() {
    let text = |bytes: &[u8]| {
        let error = refused(bytes);
        let source = error.source().expect("the fault is the source").to_string();
        assert_eq!(error.to_string(), format!("what was stored cannot be used: {source}"));
        error.to_string()
    };
    assert_eq!(
        text(&[0xFF; 99]),
        "what was stored cannot be used: bytes do not begin with the magic number"
    );
    let bytes = bytes_of(&small(0.0));
    assert_eq!(text(&bytes[..99]), "what was stored cannot be used: 99 bytes, at least 362 needed");
    let other = bytes_of(&learn::<_, f32, 8, 4>(Linear, 0.0, 8, 2));
    assert_eq!(text(&other), "what was stored cannot be used: kernel has tag 0x01, expected 0x02");
}
