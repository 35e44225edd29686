//! De-noising by kernel PCA beside linear PCA: the experiment of Mika et al. 1998, digits, and
//! `docs/DENOISING.md`.
//!
//! `cargo test --test denoising -- --nocapture` prints the tables, `MERCER_UPDATE=1` writes the
//! document anew.

mod common;
#[path = "../examples/support/digits.rs"]
mod digits;
mod document;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use common::{Fitted, Grid, Route, Table, fit_exact, fit_leading, fit_pca};
use digits::{BYTES, Digit, EACH, Noise, PIXELS, TRAINING, UNSEEN, squared_error};
use mercer::kernel::Rbf;
use mercer::kpca::preimage::ITERATIONS;
use mercer::kpca::{Components, ExpansionHeader, ExpansionView, KernelPcaView};
use mercer::linalg::MatrixView;
use mercer::methods::ridge::KernelRidgeView;

/// One test for both: when the tables are written, it is to the same file.
#[test]
fn tables_are_true() {
    require_section("groups", &groups_table());
    require_section("digits", &digits_table());
}

/// The same model with fewer components.
fn leading(fitted: &Fitted<f32>, components: usize) -> ExpansionView<'_, f32> {
    let all = fitted.expansion();
    let mut header: ExpansionHeader<f32> = *all.header();
    header.components = components as u32;
    ExpansionView::new(
        header,
        all.weights().leading(all.points(), components),
        all.centre(),
        &all.offsets()[..components],
        &all.variances()[..components],
    )
    .unwrap()
}

/// By the pre-image that is searched for.
fn denoise(model: &KernelPcaView<'_, Rbf<f32>, MatrixView<'_, f32>>, x: &[f32]) -> Vec<f32> {
    let mut projection = vec![0.0; model.expansion().components()];
    let (mut scratch, mut denoised) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    model.denoise(x, ITERATIONS, &mut projection, &mut scratch, &mut denoised).unwrap();
    denoised
}

// ---- groups of points ----

const GROUPS: usize = 11;
const DIMENSIONS: usize = 10;
const TRAINING_EACH: usize = 100;
const TEST_EACH: usize = 33;
const SIGMAS: [f64; 5] = [0.05, 0.1, 0.2, 0.4, 0.8];
const MOST: usize = 9;

/// Numbers that look random, the same in every run and, by libm, on every platform: the document
/// must match to the digit.
struct Random(u64);

impl Random {
    /// Uniform in `[0, 1)`.
    fn uniform(&mut self) -> f64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normal, of mean 0 and variance 1 (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * libm::log(radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)
    }
}

/// Mean squared distance to the centres by linear PCA over that by kernel PCA, for 1 to [`MOST`]
/// components.
fn ratios(sigma: f64) -> Vec<f64> {
    let random = &mut Random(1);
    let centres = Grid::from_fn(GROUPS, DIMENSIONS, |_, _| 2.0 * random.uniform() - 1.0);
    let mut draw = |each: usize| {
        let noisy = |i, j| centres.at(i / each, j) + sigma * random.normal();
        Grid::from_fn(GROUPS * each, DIMENSIONS, noisy).cast::<f32>()
    };
    let (training, test) = (draw(TRAINING_EACH), draw(TEST_EACH));
    let error = |denoise: &dyn Fn(&[f32]) -> Vec<f32>| {
        let squares = test.iter_rows().enumerate().map(|(i, x)| {
            let pairs = denoise(x).into_iter().zip(centres.row(i / TEST_EACH));
            pairs.map(|(z, centre)| (f64::from(z) - centre).powi(2)).sum::<f64>()
        });
        squares.sum::<f64>() / test.rows as f64
    };
    let kernel = Rbf::new((1.0 / (2.0 * DIMENSIONS as f64 * sigma * sigma)) as f32);
    let points = training.view();
    let fitted = fit_leading(&kernel, &points, MOST).unwrap();
    let ratio = |components| {
        let pca = fit_pca(&training, Components::Fixed(components), Route::Primal).unwrap();
        let mut memos = vec![Default::default(); leading(&fitted, components).points()];
        let model =
            KernelPcaView::new(&kernel, &points, leading(&fitted, components), &mut memos).unwrap();
        error(&|x| pca.denoise(x)) / error(&|x| denoise(&model, x))
    };
    (1..=MOST).map(ratio).collect()
}

/// The shape of the table in the paper: nearly everywhere above 1, by orders of magnitude where
/// noise is small, more with more components where it is large.
fn groups_table() -> String {
    let table: Vec<Vec<f64>> = SIGMAS.iter().map(|&sigma| ratios(sigma)).collect();
    let mut text = String::from("| σ \\ components |");
    for components in 1..=MOST {
        write!(text, " {components} |").unwrap();
    }
    writeln!(text, "\n|{}", "---|".repeat(1 + MOST)).unwrap();
    for (sigma, row) in SIGMAS.iter().zip(&table) {
        let cells = row.iter().map(|&ratio| format!(" {} |", three_digits(ratio)));
        writeln!(text, "| {sigma} |{}", cells.collect::<String>()).unwrap();
    }
    print!("{text}");
    let all = || table.iter().flatten();
    assert!(all().filter(|&&ratio| ratio > 1.0).count() >= all().count() - 2, "{text}");
    assert!(all().all(|&ratio| ratio > 0.9), "{text}");
    assert!(table[0].iter().all(|&ratio| ratio > 50.0) && table[0][0] > 1000.0, "{text}");
    assert!(table[0].iter().zip(&table[2]).all(|(small, large)| *small > 3.0 * large), "{text}");
    for row in &table[3..] {
        assert!(row.is_sorted(), "{text}");
    }
    text
}

/// A ratio to three digits: more of them another draw of noise would change.
fn three_digits(ratio: f64) -> String {
    let magnitude = libm::log10(ratio).floor() as i32;
    let decimals = (2 - magnitude).max(0) as usize;
    let unit = libm::pow(10.0, f64::from(magnitude - 2));
    format!("{:.decimals$}", (ratio / unit).round() * unit)
}

// ---- digits ----

const COMPONENTS: [usize; 7] = [4, 8, 12, 16, 32, 48, 79];
const RIDGE: f32 = 1e-2;

/// Mean squared errors of all digits by one method.
fn mean_error(pairs: &[(Digit, Digit)], denoise: impl Fn(&Digit) -> Vec<f32>) -> f64 {
    let error = |(digit, noisy): &(Digit, Digit)| {
        let denoised = denoise(noisy).try_into().expect("as many pixels");
        f64::from(squared_error(digit, &denoised))
    };
    pairs.iter().map(error).sum::<f64>() / pairs.len() as f64
}

fn digits_table() -> String {
    let training = Grid::from_rows(&digits::training().collect::<Vec<_>>());
    assert_eq!((training.rows, digits::unseen().count()), (TRAINING, UNSEEN));
    let points = training.view();
    let kernel = Rbf::for_samples(&points, 2.0).unwrap();
    let fitted = fit_exact(&kernel, &points, Components::Fixed(TRAINING - 1)).unwrap();
    let mut text = String::from("| noise | method | before |");
    for components in COMPONENTS {
        write!(text, " {components} |").unwrap();
    }
    writeln!(text, "\n|{}", "---|".repeat(3 + COMPONENTS.len())).unwrap();
    for noise in [Noise::Gaussian, Noise::Speckle] {
        let mut random = digits::Random(1998);
        let spoil = |digit: Digit| (digit, random.spoil(&digit, noise));
        let pairs: Vec<_> = digits::unseen().map(spoil).collect();
        let before = mean_error(&pairs, |noisy| noisy.to_vec());
        let mut memos = vec![0.0; fitted.expansion().points()];
        let memos = KernelPcaView::new(&kernel, &points, fitted.expansion(), &mut memos);
        let memos = memos.unwrap().memos();
        let model = |components| {
            let expansion = leading(&fitted, components);
            KernelPcaView::with_memos(&kernel, &points, memos, expansion).unwrap()
        };
        let linear = COMPONENTS.map(|components| {
            // The digits span fewer axes than kernel PCA has components.
            let pca = fit_pca(&training, Components::Fixed(components), Route::Primal).ok()?;
            Some(mean_error(&pairs, |noisy| pca.denoise(noisy)))
        });
        let searched = COMPONENTS.map(|components| {
            let model = model(components);
            Some(mean_error(&pairs, |noisy| denoise(&model, noisy)))
        });
        let learned =
            COMPONENTS.map(|components| Some(learned_error(&pairs, &model(components), &points)));
        let rows =
            [("linear", linear), ("kernel, searched", searched), ("kernel, learned", learned)];
        let best = rows.map(|(method, errors)| {
            let best = errors.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let cell = |error: &Option<f64>| match error {
                Some(error) if *error == best => format!(" **{error:.4}** |"),
                Some(error) => format!(" {error:.4} |"),
                None => " – |".into(),
            };
            let cells: String = errors.iter().map(cell).collect();
            writeln!(text, "| {noise:?} | {method} | {before:.4} |{cells}").unwrap();
            best
        });
        let [linear, searched, learned] = best;
        assert!(searched < 0.9 * linear, "{noise:?}: {searched} is not much below {linear}");
        assert!(learned < before && linear < 0.5 * before, "{noise:?}: {learned}, {linear}");
    }
    print!("{text}");
    text
}

/// By pre-images that are learned.
fn learned_error(
    pairs: &[(Digit, Digit)],
    model: &KernelPcaView<'_, Rbf<f32>, MatrixView<'_, f32>>,
    samples: &MatrixView<'_, f32>,
) -> f64 {
    let components = model.expansion().components();
    let (mut gram, mut projections) =
        (Grid::zeros(TRAINING, TRAINING), Grid::zeros(TRAINING, components));
    let mut weights = Grid::zeros(TRAINING, PIXELS);
    let views = (&mut projections.view_mut(), &mut gram.view_mut(), &mut weights.view_mut());
    mercer::methods::preimage::learn(
        model,
        model.kernel(),
        samples,
        RIDGE,
        views.0,
        views.1,
        views.2,
    )
    .unwrap();
    let projections = projections.view();
    let regression = KernelRidgeView::new(model.kernel(), &projections, weights.view()).unwrap();
    mean_error(pairs, |noisy| {
        let (mut projection, mut denoised) = (vec![0.0; components], vec![0.0; PIXELS]);
        model.project(noisy, &mut projection).unwrap();
        regression.predict(&projection, &mut denoised).unwrap();
        denoised
    })
}

#[test]
fn the_digits_are_the_first_ten_of_each_kind() {
    let folder = "../shared/data/digits";
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).is_dir() {
        // Not `println!`, which the test runner swallows.
        let _ = writeln!(std::io::stderr(), "skipped: there is no {folder} beside the repository");
        return;
    }
    let table = Table::read(&format!("../../{folder}/digits.csv")).numbers();
    for (kind, own) in BYTES.chunks(EACH * PIXELS).enumerate() {
        let rows = table.iter_rows().filter(|row| row[PIXELS] == kind as f64).take(EACH);
        let pixels: Vec<u8> = rows.flat_map(|row| &row[..PIXELS]).map(|&p| p as u8).collect();
        assert_eq!(own, pixels, "digits {kind}");
    }
}

fn require_section(name: &str, expected: &str) {
    document::require_section("docs/DENOISING.md", name, expected, "denoising");
}
