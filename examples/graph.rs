//! A radio mesh gets a map of itself from nothing but who hears whom, and a node that belongs to
//! neither of its halves stands out.
//!
//! Twelve nodes on two floors, with the quality of each link; one link goes through the ceiling. A
//! thirteenth node hears both floors. Heat that spreads along the links makes a kernel of the
//! graph, `exp(−βL)`, and kernel PCA gives each node coordinates: the first one tells the floors
//! apart. Then each node is scored by a model of the twelve others.
//!
//! - host: `cargo run --release --example graph`
//! - Cortex-M4F in QEMU: `cargo run --release --example graph --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use mercer::kernel::{Normalised, Precomputed};
use mercer::kpca::{Components, ExactWorkspace};
use mercer::linalg::Matrix;
use mercer::linalg::eigen::{Eigensolver, TridiagonalQr};
use mercer::methods::graph::{Diffusion, connect};
use mercer::{Error, KernelPca};
use static_cell::ConstStaticCell;
use support::say;

/// Nodes 0 to 5 are on the lower floor, 6 to 11 on the upper one, and 12 is new.
const NODES: usize = 13;
const NEW: usize = NODES - 1;
const UPPER: usize = 6;

/// Who hears whom, and how well.
#[rustfmt::skip]
const LINKS: [(usize, usize, f32); 24] = [
    (0, 1, 0.9), (0, 2, 0.6), (1, 2, 0.8), (1, 3, 0.7), (2, 3, 0.9), (2, 4, 0.5),
    (3, 4, 0.8), (3, 5, 0.6), (4, 5, 0.9), (0, 5, 0.3),
    (6, 7, 0.8), (6, 8, 0.7), (7, 8, 0.9), (7, 9, 0.6), (8, 9, 0.8), (8, 10, 0.6),
    (9, 10, 0.9), (9, 11, 0.5), (10, 11, 0.8), (6, 11, 0.4),
    // Through the ceiling.
    (5, 6, 0.3),
    // The new node.
    (12, 1, 0.5), (12, 9, 0.5), (12, 4, 0.4),
];

type Square = Matrix<f32, NODES, NODES>;
type Workspace = ExactWorkspace<f32, NODES>;
/// Of all nodes but one. Nodes that are heard by few keep their heat to themselves; normalised,
/// they count as much as the others.
type Model<'a> = KernelPca<Normalised<Precomputed<'a, f32>>, usize, { NODES - 1 }, 2>;

static WEIGHTS: ConstStaticCell<Square> = ConstStaticCell::new(Matrix::zeros());
static GRAM: ConstStaticCell<Square> = ConstStaticCell::new(Matrix::zeros());
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(Workspace::new());

fn run() -> Result<(), Error> {
    let (weights, gram, workspace) = (WEIGHTS.take(), GRAM.take(), WORKSPACE.take());
    connect(LINKS, &mut weights.view_mut())?;
    let (mut values, mut scratch) = ([0.0; NODES], [0.0; NODES]);
    let matrix = &mut weights.view_mut();
    let solver = TridiagonalQr::scratch(&mut scratch);
    Diffusion::new(2.0).gram(matrix, &mut values, solver, &mut gram.view_mut())?;
    // As many eigenvalues of the Laplacian are 0 as the graph has parts.
    let parts = values.iter().filter(|&&value| value == 0.0).count();
    say!("{NODES} nodes, {} links, connected parts: {parts}", LINKS.len());

    let map = model_without(NEW, gram, workspace)?;
    let ratios = map.expansion().explained_ratios();
    say!("Two coordinates explain {:.1} % of the twelve nodes", 100.0 * ratios.sum::<f32>());
    say!("");
    say!("node      f1      f2   floor  SPE of a model without it");
    for node in 0..NODES {
        let f = map.project(&node)?;
        let floor = match node {
            NEW => "both",
            _ if node < UPPER => "lower",
            _ => "upper",
        };
        let spe = model_without(node, gram, workspace)?.score(&node)?.spe;
        say!("{node:>4} {:>7.3} {:>7.3}   {floor:<5}  {spe:>6.3}  {}", f[0], f[1], bar(spe));
    }
    Ok(())
}

/// Fits all nodes but one.
fn model_without<'a>(
    node: usize,
    gram: &'a Square,
    workspace: &mut Workspace,
) -> Result<Model<'a>, Error> {
    let others: [usize; NODES - 1] = core::array::from_fn(|i| i + usize::from(i >= node));
    let mut model = Model::new();
    let kernel = Normalised(Precomputed(gram.view()));
    model.fit_exact(kernel, &others, Components::Fixed(2), workspace)?;
    Ok(model)
}

/// A share of the whole as a bar of at most 40 characters.
fn bar(share: f32) -> &'static str {
    const BAR: &str = "########################################";
    BAR.get(..(share * 40.0) as usize).unwrap_or(BAR)
}

support::main!(run);
