//! Power fails while a model is saved to flash: the old one or the new one is left, whole.

mod faults;
#[path = "../examples/support/flash.rs"]
mod flash;
#[path = "../examples/support/store.rs"]
mod store;
mod stored;

use embassy_futures::block_on;

use flash::{FlashError, RamFlash};
use store::{Loaded, Saved, Slot, Store, StoreError};
use stored::{Small, bytes_of, small};

/// As a row of `docs/FAULTS.md` names this program.
const TEST: &str = "--test power_cut";

fn open<const PAGES: usize, const PAGE: usize>(
    flash: &mut RamFlash<PAGES, PAGE>,
) -> Store<&mut RamFlash<PAGES, PAGE>> {
    Store::new(flash, 0..(PAGES * PAGE) as u32).unwrap()
}

fn save<const PAGES: usize, const PAGE: usize>(
    flash: &mut RamFlash<PAGES, PAGE>,
    model: &[u8],
) -> Result<Saved, StoreError<FlashError>> {
    block_on(open(flash).save(model))
}

/// What is loaded, and what is said of it.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Newest(Vec<u8>),
    Older(Vec<u8>, Slot),
    Nothing([Slot; 2]),
}

fn load_outcome<const PAGES: usize, const PAGE: usize>(
    flash: &mut RamFlash<PAGES, PAGE>,
) -> Outcome {
    let mut room = [0; 8192];
    match block_on(open(flash).load(&mut room)).unwrap() {
        Loaded::Newest { model, .. } => Outcome::Newest(model.to_vec()),
        Loaded::Older { model, other, .. } => Outcome::Older(model.to_vec(), other),
        Loaded::Nothing { slots } => Outcome::Nothing(slots),
    }
}

fn load<const PAGES: usize, const PAGE: usize>(
    flash: &mut RamFlash<PAGES, PAGE>,
) -> Option<Vec<u8>> {
    match load_outcome(flash) {
        Outcome::Newest(model) | Outcome::Older(model, _) => Some(model),
        Outcome::Nothing(_) => None,
    }
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
        // A model that was never completed is no model that was lost.
        if let Outcome::Older(_, other) = load_outcome(&mut flash) {
            assert_eq!(other, Slot::Unfinished, "after {bytes} bytes");
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
    let outcomes = saves::<2, 1024>(borrowed(&models), 8, 0);
    println!("small, 2 pages of 1 KB: {outcomes:?}");
    let cuts = outcomes.old + outcomes.new;
    faults::record(12, "power cuts while a model is saved, at every byte", cuts, cuts, TEST);
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
        let outcomes = saves::<4, 288>(borrowed(&models), 3, torn);
        println!("4 pages of 288 bytes, torn {torn:#04x}: {outcomes:?}");
        assert!(outcomes.old > 3 * 900, "pages were not erased: {outcomes:?}");
    }
}

#[test]
fn a_model_larger_than_a_page_survives_too() {
    let models = small_models();
    assert!(models[0].len() > 288);
    let outcomes = saves::<4, 288>(borrowed(&models), 4, 0);
    println!("4 pages of 288 bytes: {outcomes:?}");
}

/// Power fails a second time, while the next save also repairs what the first cut left.
#[test]
fn two_cuts_in_a_row_change_nothing() {
    let models = small_models();
    let [old, new, next] = borrowed(&models);
    let mut flash = RamFlash::<2, 1024>::new();
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
    faults::record(12, "two power cuts in a row, while a model is saved", pairs, pairs, TEST);
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
            let saved = block_on(store.save(&model)).map(|saved| saved.generation);
            assert_eq!(saved, Ok(round.into()), "{length} bytes in {pages} pages");
            let mut room = vec![0; length];
            let newest = Loaded::Newest { model: &model, generation: round.into() };
            assert_eq!(block_on(store.load(&mut room)), Ok(newest));
        }
    }
}

/// A small generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

/// Flash that was used before: all zeros, half erased, or random.
#[test]
fn flash_that_was_not_erased_is_used_all_the_same() {
    let [model, next, _] = small_models();
    for seed in 0..50 {
        let mut random = Random(seed);
        let mut flash = RamFlash::<2, 1024>::new();
        let garbage = flash.bytes_mut();
        match seed {
            0 => garbage.fill(0),
            1 => garbage[..700].fill(0x5A),
            2 => garbage[700..1500].fill(0x5A),
            _ => garbage.fill_with(|| random.next() as u8),
        }
        let before = load_outcome(&mut flash);
        assert!(matches!(before, Outcome::Nothing(_)), "{seed}: {before:?}");
        if seed > 2 {
            assert_eq!(before, Outcome::Nothing([Slot::Foreign; 2]));
        }
        // Cut at any byte of the first save, nothing is loaded that was not saved.
        for bytes in (0..).step_by(if seed < 5 { 1 } else { 97 }) {
            let mut flash = flash.clone();
            flash.cut_power_after(bytes, seed as u8);
            let saved = save(&mut flash, &model);
            flash.restore_power();
            let after = load(&mut flash);
            assert!(after.as_ref().is_none_or(|after| *after == model));
            save(&mut flash, &next).unwrap();
            assert_eq!(load_outcome(&mut flash), Outcome::Newest(next.clone()));
            if let Ok(saved) = saved {
                assert_eq!(after, Some(model.clone()));
                assert_ne!(saved.replaced, Slot::Whole { generation: 0 });
                break;
            }
        }
    }
}

/// Every bit of the flash, one at a time: the newest model or, openly, the one before.
#[test]
fn a_flipped_bit_is_never_silent() {
    let models = small_models();
    let [older, newest, next] = borrowed(&models);
    // The newest is in either slot.
    let mut tried = 0;
    for rounds in [2, 3] {
        let mut flash = RamFlash::<2, 640>::new();
        for round in 0..rounds {
            let model = if round + 1 == rounds { newest } else { older };
            save(&mut flash, model).unwrap();
        }
        let (mut harmless, mut noticed) = (0, 0);
        for bit in 0..8 * 2 * 640 {
            let mut flash = flash.clone();
            flash.bytes_mut()[bit / 8] ^= 1 << (bit % 8);
            match load_outcome(&mut flash) {
                Outcome::Newest(model) => {
                    assert_eq!(model, newest, "bit {bit}");
                    harmless += 1;
                }
                Outcome::Older(model, other) => {
                    assert_eq!(model, older, "bit {bit}");
                    assert_eq!(other, Slot::Damaged { generation: rounds - 1 });
                    noticed += 1;
                }
                Outcome::Nothing(slots) => panic!("bit {bit}: {slots:?}"),
            }
            // It goes on from there, with a new number.
            assert_eq!(save(&mut flash, next).unwrap().generation, rounds);
            assert_eq!(load_outcome(&mut flash), Outcome::Newest(next.to_vec()));
        }
        println!("newest of {rounds}: {harmless} flips did no harm, {noticed} were noticed");
        assert_eq!(noticed, 8 * newest.len());
        tried += harmless + noticed;
    }
    faults::record(12, "single flipped bits in the flash of a store", tried, tried, TEST);
}

/// After the newest was damaged, the one before is all there is: no cut may cost it.
#[test]
fn a_cut_during_recovery_keeps_the_intact_model() {
    let models = small_models();
    let [older, newest, next] = borrowed(&models);
    let mut flash = RamFlash::<2, 640>::new();
    save(&mut flash, older).unwrap();
    save(&mut flash, newest).unwrap();
    flash.bytes_mut()[640 + 200] ^= 0x10;
    for torn in [0, 0x55, 0xFF] {
        for bytes in 0.. {
            let mut flash = flash.clone();
            flash.cut_power_after(bytes, torn);
            let saved = save(&mut flash, next);
            flash.restore_power();
            let after = load(&mut flash).expect("a model");
            assert!(after == older || after == next, "after {bytes} bytes");
            if saved.is_ok() {
                assert_eq!(after, next);
                break;
            }
        }
    }
}

/// Many flipped bits, in both slots: at worst there is no model, and this is said.
#[test]
fn many_flipped_bits_never_make_a_model() {
    let models = small_models();
    let [older, newest, next] = borrowed(&models);
    let mut flash = RamFlash::<2, 640>::new();
    save(&mut flash, older).unwrap();
    save(&mut flash, newest).unwrap();
    let mut random = Random(1);
    let mut lost = 0;
    for _ in 0..5000 {
        let mut flash = flash.clone();
        for _ in 0..1 + random.next() % 40 {
            flash.bytes_mut()[random.next() as usize % 1280] ^= 1 << (random.next() % 8);
        }
        match load_outcome(&mut flash) {
            Outcome::Newest(model) => assert!(model == newest, "silent"),
            Outcome::Older(model, other) => {
                assert!(model == older || model == newest, "neither");
                assert!(matches!(other, Slot::Damaged { generation: 1 } | Slot::Foreign));
            }
            Outcome::Nothing(_) => lost += 1,
        }
        save(&mut flash, next).unwrap();
        assert_eq!(load_outcome(&mut flash), Outcome::Newest(next.to_vec()));
    }
    println!("{lost} of 5000 lost both");
    faults::record(12, "up to 40 flipped bits in the flash of a store", 5000, 5000, TEST);
    assert!((1000..4900).contains(&lost), "{lost}");
}

/// A byte that can no longer be changed: the save fails, or it does not matter.
#[test]
fn worn_pages_are_noticed() {
    let models = small_models();
    let [older, newest, next] = borrowed(&models);
    let (mut noticed, mut harmless) = (0, 0);
    for address in 0..1280 {
        let mut flash = RamFlash::<2, 640>::new();
        save(&mut flash, older).unwrap();
        save(&mut flash, newest).unwrap();
        flash.wear_out(address);
        match save(&mut flash, next) {
            Ok(_) => {
                assert_eq!(load_outcome(&mut flash), Outcome::Newest(next.to_vec()));
                harmless += 1;
            }
            Err(error) => {
                assert_eq!(error, StoreError::Worn { slot: 0 }, "{address}");
                assert_eq!(load(&mut flash).as_deref(), Some(newest));
                noticed += 1;
            }
        }
    }
    println!("worn: {noticed} noticed, {harmless} harmless");
    let worn = noticed + harmless;
    faults::record(12, "bytes of flash that can no longer be changed", worn, worn, TEST);
    assert!(noticed > 200, "{noticed}");
    // With nothing to lose, the other slot will do.
    let mut flash = RamFlash::<2, 640>::new();
    flash.wear_out(100);
    assert_eq!(load(&mut flash), None);
    save(&mut flash, older).unwrap();
    assert_eq!(load(&mut flash).as_deref(), Some(older));
}

/// The numbers of generations wrap around.
#[test]
fn generations_wrap_around() {
    let models = small_models();
    let mut flash = RamFlash::<2, 640>::new();
    save(&mut flash, &models[0]).unwrap();
    // As if it had been the last but one before.
    let header = |generation: u32, block: &mut [u8]| {
        block[4..8].copy_from_slice(&generation.to_le_bytes());
        let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&block[..16]);
        block[16..20].copy_from_slice(&crc.to_le_bytes());
    };
    header(u32::MAX - 1, &mut flash.bytes_mut()[..64]);
    header(u32::MAX - 1, &mut flash.bytes_mut()[640 - 64..640]);
    assert_eq!(load_outcome(&mut flash), Outcome::Newest(models[0].clone()));
    for (round, generation) in [u32::MAX, 0, 1, 2].into_iter().enumerate() {
        let model = &models[(round + 1) % 3];
        assert_eq!(save(&mut flash, model).unwrap().generation, generation);
        assert_eq!(load_outcome(&mut flash), Outcome::Newest(model.clone()));
    }
}

#[test]
fn wrong_use_of_the_store_is_an_error() {
    let mut flash = RamFlash::<2, 1024>::new();
    for range in [0..1024, 0..2000, 512..2048, 0..4096, 1024..1024] {
        assert!(matches!(Store::new(&mut flash, range), Err(StoreError::Range)));
    }
    save(&mut flash, &[7; 300]).unwrap();
    let mut room = [0; 299];
    let short = block_on(open(&mut flash).load(&mut room));
    assert_eq!(short, Err(StoreError::Buffer { needed: 300 }));
    // Too large for the flash: the old one stays.
    let full = save(&mut flash, &[8; 897]);
    assert_eq!(full, Err(StoreError::Length { capacity: 896 }));
    assert_eq!(load(&mut flash), Some(vec![7; 300]));
    save(&mut flash, &[8; 896]).unwrap();
    assert_eq!(load(&mut flash), Some(vec![8; 896]));
    save(&mut flash, &[]).unwrap();
    assert_eq!(load(&mut flash), Some(vec![]));
}
