//! Names become points in the plane: word embeddings without a neural network.
//!
//! Kernel PCA needs no numbers, only a kernel. Two names are the more alike the more substrings of
//! three letters they share, and so the 35 names of a lecture's vocabulary get coordinates. Three
//! names that are not in it are then projected as well: each lands next to its family, whether two
//! coordinates are compared or sixteen.
//!
//! - host: `cargo run --release --example names`
//! - Cortex-M4F in QEMU: `cargo run --release --example names --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/names.rs"]
mod names;
mod support;

use mercer::kernel::{Normalised, Spectrum};
use mercer::kpca::{Components, ExactWorkspace};
use mercer::{Error, KernelPca};
use names::{NEW, VOCABULARY, family, nearest};
use static_cell::ConstStaticCell;
use support::say;

const NAMES: usize = VOCABULARY.len();
const COMPONENTS: usize = 16;

type Model = KernelPca<Normalised<Spectrum<f32>>, &'static str, NAMES, COMPONENTS>;
type Workspace = ExactWorkspace<f32, NAMES>;
type Embedding = [[f32; COMPONENTS]; NAMES];

static MODEL: ConstStaticCell<Model> = ConstStaticCell::new(Model::new());
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(Workspace::new());
static EMBEDDING: ConstStaticCell<Embedding> = ConstStaticCell::new([[0.0; COMPONENTS]; NAMES]);

fn run() -> Result<(), Error> {
    let (model, workspace, embedding) = (MODEL.take(), WORKSPACE.take(), EMBEDDING.take());
    let kernel = Normalised(Spectrum::new(3));
    let report = model.fit_exact(kernel, &VOCABULARY, Components::Fixed(COMPONENTS), workspace)?;
    say!(
        "{NAMES} names, compared by substrings of 3 letters: {} of {} components explain {:.1} %",
        report.components,
        report.rank,
        100.0 * report.explained
    );
    say!("     f1      f2  name");
    for (place, name) in embedding.iter_mut().zip(VOCABULARY) {
        place.copy_from_slice(&model.project(name)?);
        say!("{:>7.3} {:>7.3}  {name}", place[0], place[1]);
    }

    say!("");
    say!("Names it has not seen, and the nearest ones it has:");
    for name in NEW {
        let f = model.project(name)?;
        say!("{:>7.3} {:>7.3}  {name}", f[0], f[1]);
        for components in [2, 4, 8, 16] {
            let places = embedding.iter().map(|place| place.as_slice());
            let found = nearest(&f, places, components).map_or("nobody", |i| VOCABULARY[i]);
            let verdict = if family(found) == family(name) { "the family" } else { "a stranger" };
            say!("    by {components:>2} components: {found}, {verdict}");
        }
    }
    Ok(())
}

support::main!(run);
