//! Inside or outside? A kernel Fisher discriminant tells two rings apart, where a straight line
//! cannot.
//!
//! - host: `cargo run --release --example fisher`
//! - Cortex-M4F in QEMU: `cargo run --release --example fisher --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/plane.rs"]
mod plane;
#[path = "support/random.rs"]
mod random;
mod support;

use mercer::Error;
use mercer::kernel::{BlockKernel, Linear, Rbf};
use mercer::methods::{FisherWorkspace, KernelFisher};
use plane::{rings, show};
use static_cell::ConstStaticCell;
use support::say;

/// A workspace for as many fits into the 16 KB of RAM of a micro:bit (Cortex-M0).
const SAMPLES: usize = 40;
type Point = [f32; 2];
type Workspace = FisherWorkspace<f32, SAMPLES>;

// Large values live in statics, never on the stack.
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(FisherWorkspace::new());
static LINEAR: ConstStaticCell<KernelFisher<Linear, Point, SAMPLES>> =
    ConstStaticCell::new(KernelFisher::new());
static GAUSSIAN: ConstStaticCell<KernelFisher<Rbf<f32>, Point, SAMPLES>> =
    ConstStaticCell::new(KernelFisher::new());

fn run() -> Result<(), Error> {
    let (workspace, linear, gaussian) = (WORKSPACE.take(), LINEAR.take(), GAUSSIAN.take());
    say!("Two rings, {SAMPLES} points: is a point of the inner one (+1) or of the outer one (-1)?");
    say!("The workspace takes {} bytes.", Workspace::SIZE);
    learn("A straight line (linear kernel)", linear, Linear, workspace)?;
    learn("Gaussian kernel, gamma 2", gaussian, Rbf::new(2.0), workspace)
}

#[inline(never)]
fn learn<K: BlockKernel<[f32], Scalar = f32>>(
    name: &str,
    fisher: &mut KernelFisher<K, Point, SAMPLES>,
    kernel: K,
    workspace: &mut Workspace,
) -> Result<(), Error> {
    let samples: [Point; SAMPLES] = rings(1);
    // Points of the outer ring have even numbers.
    let label = |i: usize| if i.is_multiple_of(2) { -1.0 } else { 1.0 };
    let labels: [f32; SAMPLES] = core::array::from_fn(label);
    let report = fisher.fit(kernel, &samples, &labels, 0.1, workspace)?;
    say!("");
    say!("{name}:");
    say!(
        "  class means at +1 and -1, samples off by {:.3} on average; {} of {SAMPLES} on the wrong side",
        report.deviation,
        report.errors
    );
    let fresh: [Point; SAMPLES] = rings(2);
    let mut classes = [0.0; SAMPLES];
    for (class, point) in classes.iter_mut().zip(&fresh) {
        *class = fisher.classify(point)?;
    }
    let wrong = classes.iter().enumerate().filter(|&(i, &class)| class != label(i)).count();
    say!("  new points on the wrong side: {wrong} of {SAMPLES}; taken for +1 (+) and for -1 (-):");
    show(&fresh, |i| if classes.get(i) == Some(&1.0) { b'+' } else { b'-' });
    Ok(())
}

support::main!(run);
