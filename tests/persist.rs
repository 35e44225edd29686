//! Detectors as bytes: nothing is lost, nothing wrong is taken, and a cut of power leaves the old or the new one.

use mercer::kernel::{Exp, Laplacian, Linear, Normalised, Poly, Product, Rbf, Scale, Sigmoid, Sum};
use mercer::model::{Expansion, Header};
use mercer::persist::{Encode, FORMAT_VERSION};
use mercer::{
    Components, Detector, Error, FormatFault, Kernel, KernelPca, LandmarkWorkspace, Landmarks,
    Real, Scaling, Thresholds, Vector, Watch,
};

const SAMPLES: usize = 24;

/// Readings of three sensors around a curve; `phase` makes different ones.
fn readings<T: Real>(phase: f64) -> [[T; 3]; SAMPLES] {
    core::array::from_fn(|i| {
        let t = 0.61 * i as f64 + phase;
        [t.sin(), t.cos() * 2.0 + 5.0, (3.0 * t + phase).sin() * 0.3 - 1.0].map(T::from_f64)
    })
}

/// A detector of as many points and components as are wanted, which may be less than it has room for.
fn learn<K, T, const R: usize, const P: usize>(
    kernel: K,
    phase: f64,
    points: usize,
    components: usize,
) -> Detector<K, [T; 3], R, P>
where
    T: Real,
    K: Kernel<[T], Scalar = T>,
{
    let raw = readings::<T>(phase);
    let scaling: Scaling<[T; 3]> = Scaling::learn(raw.as_slice());
    let samples = raw.map(|x| scaling.apply(&x));
    let mut model = KernelPca::<K, [T; 3], R, P>::new();
    let mut workspace = LandmarkWorkspace::<T, SAMPLES, R>::new();
    let (landmarks, components) = (Landmarks::Rank(points), Components::Fixed(components));
    model.fit_landmarks(kernel, &samples, landmarks, components, &mut workspace).unwrap();
    let (spe, t2) = (T::from_f64(0.1 + phase), T::from_f64(9.5));
    Detector::from_parts(scaling, model, Thresholds { spe, t2, watch: Watch::Both })
}

type Small = Detector<Rbf<f32>, [f32; 3], 8, 4>;

fn small(phase: f64) -> Small {
    learn(Rbf::new(0.125), phase, 8, 4)
}

fn bytes_of<K, X, const R: usize, const P: usize>(detector: &Detector<K, X, R, P>) -> Vec<u8>
where
    X: Vector<Scalar: Encode>,
    K: Kernel<[X::Scalar], Scalar = X::Scalar> + Encode,
{
    // Not zeros: every byte must be written.
    let mut bytes = vec![0xA5; Detector::<K, X, R, P>::ENCODED_SIZE];
    let length = detector.write_to(&mut bytes).unwrap();
    assert_eq!(length, detector.encoded_len());
    bytes.truncate(length);
    bytes
}

/// The checksum of forged bytes, by the definition: a polynomial division, bit by bit.
fn seal(bytes: &mut [u8]) {
    let (body, check) = bytes.split_last_chunk_mut().unwrap();
    let crc = body.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 }
        })
    });
    *check = (!crc).to_le_bytes();
}

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
    K: Kernel<[T], Scalar = T> + Encode,
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
        assert_eq!(a.anomalous, b.anomalous);
    }
    // It replaces whatever was there, and nothing of that shines through.
    restored.read_from(&bytes).unwrap();
    assert_eq!(bytes_of(&restored), bytes);
}

fn round_trips<T: Real + Encode>()
where
    mercer::math::Libm: mercer::math::Math<T>,
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
    let error = FormatFault::Tag { what: "maths", expected: 1, found: 2 };
    assert_eq!(fault(&bytes_of(&fast)), error);
}

/// One point, one input, one component: small enough to be checked by hand against the table in the documentation.
#[test]
fn the_format_is_pinned() {
    type Tiny = Detector<Rbf<f32>, [f32; 1], 1, 1>;
    #[rustfmt::skip]
    const GOLDEN: [u8; 78] = [
        b'M', b'R', b'C', b'R', // magic
        1, 0, // version
        4, // f32
        6, // both thresholds (2), indefinite (4)
        78, 0, 0, 0, // length
        1, 0, 0, 0, // inputs
        1, 0, 0, 0, // points
        1, 0, 0, 0, // components
        2, 0, 0, 0, 0x3f, 1, // Rbf, gamma 0.5, Libm
        0, 0, 0x80, 0x3e, // threshold of SPE: 0.25
        0, 0, 0x00, 0x41, // threshold of T²: 8
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
    const { assert!(FORMAT_VERSION == 1 && Tiny::ENCODED_SIZE == GOLDEN.len()) };
    let header = Header {
        points: 1,
        components: 1,
        centre_norm: 1.0,
        total_variance: 2.0,
        indefinite: true,
    };
    let expansion = Expansion::from_parts(header, [[0.75]], [1.0], [0.5], [1.5]);
    let tiny = Tiny::from_parts(
        Scaling { mean: [3.0], deviation: [4.0] },
        KernelPca::from_parts(Rbf::new(0.5), [[-1.0]], expansion),
        Thresholds { spe: 0.25, t2: 8.0, watch: Watch::Both },
    );
    assert_eq!(bytes_of(&tiny), GOLDEN);
    let mut restored = Tiny::new();
    restored.read_from(&GOLDEN).unwrap();
    assert_eq!(restored.thresholds(), tiny.thresholds());
    assert_eq!(restored.scaling(), tiny.scaling());
    assert_eq!(restored.model().points(), tiny.model().points());
    assert_eq!(restored.model().kernel(), tiny.model().kernel());
    assert_eq!(restored.model().expansion().header(), &header);
}

/// By Python's zlib.crc32, of the 74 bytes before.
const GOLDEN_CRC: [u8; 4] = 0x7D08_FAD4_u32.to_le_bytes();

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
        Header { points: 1, components: 1, total_variance: 1.0, ..Header::default() },
        [[1.0]],
        [1.0],
        [0.0],
        [1.0],
    );
    let model = KernelPca::from_parts(Rbf::new(1.0), [[0.0, 0.0]], expansion);
    let thresholds = Thresholds { spe: 1.0, t2: 1.0, watch: Watch::T2 };
    let two: Detector<Rbf<f32>, [f32; 2], 1, 1> =
        Detector::from_parts(Scaling::identity(), model, thresholds);
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
    assert_eq!(fault(&with(4, &[2, 0])), FormatFault::Version { found: 2, expected: 1 });
    assert_eq!(fault(&with(4, &[0, 1])), FormatFault::Version { found: 256, expected: 1 });
    assert_eq!(fault(&with(6, &[2])), FormatFault::Scalar { expected: 4, found: 2 });
    for flags in [3, 8, 0xFF] {
        assert_eq!(fault(&with(7, &[flags])), FormatFault::Flags { found: flags });
    }
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
        ("t2", 1),
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
                    "deviation" => {
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
    let rule = "> 0";
    assert_eq!(value(scalar - 1, 0.0), Error::Parameter { name: "variances", rule });
    let rule = "finite and > 0";
    assert_eq!(value(9, 0.0), Error::Parameter { name: "deviation", rule });
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
    let thresholds = Thresholds { spe: f32::NAN, ..*usual.thresholds() };
    let broken = Small::from_parts(*usual.scaling(), usual.model().clone(), thresholds);
    let error = Error::Parameter { name: "spe", rule: "finite" };
    assert_eq!(broken.write_to(&mut room), Err(error));
    let unscaled = Small::from_parts(Scaling::EMPTY, usual.model().clone(), *usual.thresholds());
    let error = Error::Parameter { name: "deviation", rule: "finite and > 0" };
    assert_eq!(unscaled.write_to(&mut room), Err(error));
}

#[test]
fn faults_read_as_sentences() {
    let text = |bytes: &[u8]| refused(bytes).to_string();
    assert_eq!(text(&[0xFF; 99]), "stored detector: these bytes are something else");
    let bytes = bytes_of(&small(0.0));
    assert_eq!(text(&bytes[..99]), "stored detector: 99 bytes, at least 362 needed");
    let other = bytes_of(&learn::<_, f32, 8, 4>(Linear, 0.0, 8, 2));
    assert_eq!(text(&other), "stored detector: kernel has tag 0x01, expected 0x02");
}

#[path = "../examples/support/flash.rs"]
mod flash;
#[path = "../examples/support/store.rs"]
mod store;

mod power {
    //! Power fails while a model is saved.

    use embassy_futures::block_on;

    use super::flash::{FlashError, RamFlash};
    use super::store::{Store, StoreError};
    use super::{Small, bytes_of, small};

    fn open<const PAGES: usize, const PAGE: usize>(
        flash: &mut RamFlash<PAGES, PAGE>,
    ) -> Store<&mut RamFlash<PAGES, PAGE>> {
        Store::new(flash, 0..(PAGES * PAGE) as u32).unwrap()
    }

    fn save<const PAGES: usize, const PAGE: usize>(
        flash: &mut RamFlash<PAGES, PAGE>,
        model: &[u8],
    ) -> Result<(), StoreError<FlashError>> {
        block_on(open(flash).save(model))
    }

    fn load<const PAGES: usize, const PAGE: usize>(
        flash: &mut RamFlash<PAGES, PAGE>,
    ) -> Option<Vec<u8>> {
        let mut room = [0; 8192];
        block_on(open(flash).load(&mut room)).unwrap().map(<[u8]>::to_vec)
    }

    /// How many cuts left the old model, and how many the new one.
    #[derive(Debug, Default)]
    struct Outcomes {
        old: usize,
        new: usize,
    }

    /// Cuts power at every byte that saving `new` over `old` programs or erases.
    fn cut_everywhere<const PAGES: usize, const PAGE: usize>(
        flash: &RamFlash<PAGES, PAGE>,
        [old, new, next]: [&[u8]; 3],
        torn: u8,
        outcomes: &mut Outcomes,
    ) {
        for bytes in 0.. {
            let mut flash = flash.clone();
            flash.cut_power_after(bytes, torn);
            let saved = save(&mut flash, new);
            flash.restore_power();
            let after = load(&mut flash).unwrap_or_else(|| panic!("nothing after {bytes} bytes"));
            if saved.is_ok() {
                assert_eq!(after, new, "saved, but not there");
                outcomes.new += 1;
                break;
            }
            match after {
                after if after == old => outcomes.old += 1,
                after if after == new => outcomes.new += 1,
                _ => panic!("a mixture after {bytes} bytes"),
            }
            // And on it goes.
            save(&mut flash, next).unwrap_or_else(|e| panic!("full after {bytes} bytes: {e:?}"));
            assert_eq!(load(&mut flash).as_deref(), Some(next));
        }
    }

    /// Cuts in every save from the first to one long after all pages were erased for the first time.
    fn saves<const PAGES: usize, const PAGE: usize>(
        models: [&[u8]; 3],
        rounds: usize,
        torn: u8,
    ) -> Outcomes {
        assert_eq!(PAGES, Store::<RamFlash<PAGES, PAGE>>::pages(models[0].len()));
        let mut flash = RamFlash::<PAGES, PAGE>::new();
        assert_eq!(load(&mut flash), None);
        save(&mut flash, models[0]).unwrap();
        let mut total = Outcomes::default();
        for round in 0..rounds {
            let order = [0, 1, 2].map(|i| models[(round + i) % 3]);
            let mut outcomes = Outcomes::default();
            cut_everywhere(&flash, order, torn, &mut outcomes);
            assert!(outcomes.old > models[0].len(), "{outcomes:?}");
            // The last cut is none; the one before it is in the padding of the last item.
            assert!(outcomes.new > 1, "{outcomes:?}");
            total.old += outcomes.old;
            total.new += outcomes.new;
            save(&mut flash, order[1]).unwrap();
        }
        total
    }

    fn small_models() -> [Vec<u8>; 3] {
        [0.0, 0.4, 0.8].map(|phase| bytes_of(&small(phase)))
    }

    fn borrowed(models: &[Vec<u8>; 3]) -> [&[u8]; 3] {
        models.each_ref().map(Vec::as_slice)
    }

    #[test]
    fn a_cut_at_any_byte_leaves_the_old_or_the_new_model() {
        let models = small_models();
        let outcomes = saves::<3, 1024>(borrowed(&models), 8, 0);
        println!("small, 3 pages of 1 KB: {outcomes:?}");
        assert!(outcomes.old + outcomes.new > 5000);
        // Equal bytes are equal detectors.
        for (model, phase) in models.iter().zip([0.0, 0.4, 0.8]) {
            let mut restored = Small::new();
            restored.read_from(model).unwrap();
            let x = [0.3, 5.5, -0.9];
            assert_eq!(restored.score(&x), small(phase).score(&x));
        }
    }

    #[test]
    fn a_byte_that_is_programmed_or_erased_in_part_changes_nothing() {
        let models = small_models();
        for torn in [0x55, 0xFE] {
            let outcomes = saves::<5, 288>(borrowed(&models), 3, torn);
            println!("5 pages of 288 bytes, torn {torn:#04x}: {outcomes:?}");
            assert!(outcomes.old > 3 * 430, "pages were not erased: {outcomes:?}");
        }
    }

    #[test]
    fn a_model_larger_than_a_page_survives_too() {
        let models = small_models();
        assert!(models[0].len() > 288);
        let outcomes = saves::<5, 288>(borrowed(&models), 4, 0);
        println!("5 pages of 288 bytes: {outcomes:?}");
    }

    /// Power fails a second time, while the next save also repairs what the first cut left.
    #[test]
    fn two_cuts_in_a_row_change_nothing() {
        let models = small_models();
        let [old, new, next] = borrowed(&models);
        let mut flash = RamFlash::<3, 1024>::new();
        for model in [new, next, old, new, next, old] {
            save(&mut flash, model).unwrap();
        }
        let mut pairs = 0;
        for first in (0..2000).step_by(23) {
            let mut flash = flash.clone();
            flash.cut_power_after(first, 0x3C);
            let saved = save(&mut flash, new);
            flash.restore_power();
            let before = load(&mut flash.clone()).unwrap();
            assert!(before == old || before == new);
            for second in (0..2500).step_by(17) {
                let mut flash = flash.clone();
                flash.cut_power_after(second, 0xC3);
                let saved = save(&mut flash, next);
                flash.restore_power();
                let after = load(&mut flash).unwrap();
                assert!(after == next || after == before, "{first}, then {second}");
                pairs += 1;
                if saved.is_ok() {
                    assert_eq!(after, next);
                    break;
                }
            }
            if saved.is_ok() {
                break;
            }
        }
        println!("two cuts: {pairs} pairs");
        assert!(pairs > 1000, "{pairs}");
    }

    /// What `Store::pages` says is enough, for ever.
    #[test]
    fn the_pages_that_are_asked_for_are_enough() {
        const PAGE: usize = 512;
        type Flash = RamFlash<40, PAGE>;
        for length in (4..1500).step_by(122) {
            let pages = Store::<Flash>::pages(length);
            let mut flash = Flash::new();
            let range = 0..(pages * PAGE) as u32;
            for round in 0..20 {
                let model = vec![round; length];
                let mut store = Store::new(&mut flash, range.clone()).unwrap();
                let saved = block_on(store.save(&model));
                assert_eq!(saved, Ok(()), "{length} bytes in {pages} pages, round {round}");
                let mut room = vec![0; length];
                assert_eq!(block_on(store.load(&mut room)), Ok(Some(model.as_slice())));
            }
        }
    }

    #[test]
    fn wrong_use_of_the_store_is_an_error() {
        let mut flash = RamFlash::<3, 1024>::new();
        assert!(matches!(Store::new(&mut flash, 0..1024), Err(StoreError::Range(_))));
        assert_eq!(save(&mut flash, &[1, 2, 3]), Err(StoreError::Length));
        save(&mut flash, &[7; 300]).unwrap();
        let mut room = [0; 299];
        let short = block_on(open(&mut flash).load(&mut room));
        assert_eq!(short, Err(StoreError::Buffer { needed: 300 }));
        // Too large for the flash: the old one stays.
        let full = save(&mut flash, &[8; 3000]);
        assert_eq!(full, Err(StoreError::Map(sequential_storage::Error::FullStorage)));
        assert_eq!(load(&mut flash), Some(vec![7; 300]));
    }
}
