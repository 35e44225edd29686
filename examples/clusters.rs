//! Two rings, one inside the other: k-means cuts both in two, kernel k-means tells them apart.
//!
//! - host: `cargo run --release --example clusters`
//! - Cortex-M4F in QEMU: `cargo run --release --example clusters --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/plane.rs"]
mod plane;
#[path = "support/random.rs"]
mod random;
mod support;

use mercer::Error;
use mercer::kernel::{BlockKernel, Linear, Rbf};
use mercer::methods::{KMeansOptions, KMeansReport, KMeansWorkspace, KernelKMeans};
use plane::{rings, show};
use static_cell::ConstStaticCell;
use support::say;

const SAMPLES: usize = 64;
type Point = [f32; 2];
type Workspace = KMeansWorkspace<f32, SAMPLES, 2>;

// Large values live in statics, never on the stack.
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(KMeansWorkspace::new());
static PLAIN: ConstStaticCell<KernelKMeans<Linear, Point, SAMPLES, 2>> =
    ConstStaticCell::new(KernelKMeans::new());
static GAUSSIAN: ConstStaticCell<KernelKMeans<Rbf<f32>, Point, SAMPLES, 2>> =
    ConstStaticCell::new(KernelKMeans::new());

fn run() -> Result<(), Error> {
    let (workspace, plain, gaussian) = (WORKSPACE.take(), PLAIN.take(), GAUSSIAN.take());
    let samples: [Point; SAMPLES] = rings(1);
    let fresh: [Point; SAMPLES] = rings(2);
    say!("Two rings, {SAMPLES} points; the workspace takes {} bytes", Workspace::SIZE);

    let report = plain.fit(Linear, &samples, KMeansOptions::new(2), workspace)?;
    describe("Ordinary k-means (linear kernel)", &report, plain, &samples, &fresh)?;
    let report = gaussian.fit(Rbf::new(4.0), &samples, KMeansOptions::new(2), workspace)?;
    describe("Kernel k-means (Gaussian kernel, gamma 4)", &report, gaussian, &samples, &fresh)
}

fn describe<K: BlockKernel<[f32], Scalar = f32>>(
    name: &str,
    report: &KMeansReport<f32>,
    clusters: &KernelKMeans<K, Point, SAMPLES, 2>,
    samples: &[Point],
    fresh: &[Point],
) -> Result<(), Error> {
    say!("");
    say!(
        "{name}: {:?} after {} passes, objective {:.3}",
        report.outcome,
        report.passes,
        report.objective
    );
    let labels = clusters.labels();
    show(samples, |i| if labels.get(i) == Some(&0) { b'o' } else { b'x' });
    // Points of the outer ring have even numbers. Which cluster is which ring is for the clusters
    // to say.
    let together = |cluster_of: &dyn Fn(usize) -> Result<usize, Error>| {
        let mut right = 0;
        for i in 0..SAMPLES {
            right += usize::from(cluster_of(i)? == i % 2);
        }
        Ok::<usize, Error>(right.max(SAMPLES - right))
    };
    let trained = together(&|i| Ok(labels.get(i).map_or(0, |&label| label as usize)))?;
    let new = together(&|i| Ok(clusters.assign(fresh.get(i).ok_or(Error::NotFitted)?)?.cluster))?;
    say!("with their ring: {trained} of {SAMPLES} points, {new} of {SAMPLES} new ones");
    Ok(())
}

support::main!(run);
