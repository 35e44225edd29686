//! How many dimensions do labels need, and how noisy are they?
//!
//! Relevant dimension estimation on three problems: a curve with noise, two data sets like those of
//! the lecture (one complex, one noisy), and the banana benchmark. Each time 64 samples.
//!
//! - host: `cargo run --release --example dimension`
//! - Cortex-M4F in QEMU: `cargo run --release --example dimension --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/random.rs"]
mod random;
mod support;

use mercer::Error;
use mercer::kernel::Rbf;
use mercer::methods::dimension::Method;
use mercer::methods::{DimensionOptions, DimensionWorkspace, dimension};
use random::Random;
use static_cell::ConstStaticCell;
use support::say;

const SAMPLES: usize = 64;
type Workspace = DimensionWorkspace<f32, SAMPLES>;

// Large values live in statics, never on the stack.
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(DimensionWorkspace::new());

/// Columns `x0, x1, label`; `data/banana/README.md` has the credit.
static BANANA: &str = include_str!("data/banana/banana.csv");

fn run() -> Result<(), Error> {
    let workspace = WORKSPACE.take();
    say!("{SAMPLES} samples a problem; the workspace takes {} bytes", Workspace::SIZE);
    curve(workspace)?;
    data_sets(workspace)
}

/// `sin(πx)/(πx)` with more and more noise; the de-noised labels beside the truth.
#[inline(never)]
fn curve(workspace: &mut Workspace) -> Result<(), Error> {
    say!("");
    say!("A curve, sin(pi x)/(pi x) for x from -4 to 4, and noise:");
    for noise in [0.1, 0.3, 0.5] {
        let mut random = Random::new(3);
        let x: [[f32; 1]; SAMPLES] = core::array::from_fn(|i| [0.125 * i as f32 - 3.9375]);
        let truth = x.map(|[x]| {
            let angle = core::f32::consts::PI * x;
            libm::sinf(angle) / angle
        });
        let y = truth.map(|truth| truth + noise * random.normal());
        let mut scratch = workspace.scratch(SAMPLES)?;
        let kernel = Rbf::new(0.5);
        let found =
            dimension::estimate(&kernel, &x[..], &y, DimensionOptions::VALUES, &mut scratch)?;
        let error = |labels: &[f32]| {
            let squares = labels.iter().zip(&truth).map(|(y, truth)| (y - truth) * (y - truth));
            libm::sqrtf(squares.sum::<f32>() / SAMPLES as f32)
        };
        say!("  noise {noise:.1}: {found}");
        say!(
            "    off the truth by {:.3} as labelled, by {:.3} when de-noised",
            error(&y),
            error(scratch.denoised)
        );
    }
    Ok(())
}

/// Points of a square with labels ±1, and the banana.
#[inline(never)]
fn data_sets(workspace: &mut Workspace) -> Result<(), Error> {
    let mut random = Random::new(1);
    let square: [[f32; 2]; SAMPLES] =
        core::array::from_fn(|_| [4.0 * random.uniform(), 4.0 * random.uniform()]);
    let sign = |positive| if positive { 1.0 } else { -1.0 };
    let chessboard = square.map(|[x, y]| sign((x as i32 + y as i32) % 2 == 1));
    let halves = square.map(|[x, y]| sign((x + 0.5 * y > 3.0) ^ (random.uniform() < 0.3)));
    say!("");
    say!("Two classes:");
    judge("a chessboard of 16 fields", &square, &chessboard, workspace)?;
    judge("two halves, three labels in ten wrong", &square, &halves, workspace)?;
    let mut points = [[0.0; 2]; SAMPLES];
    let mut labels = [0.0; SAMPLES];
    for ((point, label), line) in points.iter_mut().zip(&mut labels).zip(BANANA.lines().skip(1)) {
        let mut cells = line.split(',').filter_map(|cell| cell.parse().ok());
        for place in point.iter_mut().chain([label]) {
            *place = cells.next().unwrap_or(f32::NAN);
        }
    }
    judge("banana", &points, &labels, workspace)
}

fn judge(
    name: &str,
    points: &[[f32; 2]],
    labels: &[f32],
    workspace: &mut Workspace,
) -> Result<(), Error> {
    say!("  {name}");
    for method in [Method::TwoComponents, Method::LeaveOneOut] {
        let mut scratch = workspace.scratch(points.len())?;
        let options = DimensionOptions::SIGNS.method(method);
        let found = dimension::estimate(&Rbf::new(1.0), points, labels, options, &mut scratch)?;
        say!("    {found} ({method:?})");
        say!("    {}", found.assessment());
    }
    Ok(())
}

support::main!(run);
