//! Power fails while a model is saved to flash: the old one or the new one is left, whole.

#[path = "../examples/support/flash.rs"]
mod flash;
#[path = "../examples/support/store.rs"]
mod store;
mod stored;

use embassy_futures::block_on;

use flash::{FlashError, RamFlash};
use store::{Store, StoreError};
use stored::{Small, bytes_of, small};

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
