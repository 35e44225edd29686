//! The figures of a course on kernels (C. Bauckhage, Principles of Machine Learning), drawn from
//! this library's results.
//!
//! | file | shows |
//! |---|---|
//! | `components.svg` | the first six components over three groups of points |
//! | `outlier.svg` | two scores around curved data: `F(x) = Σ|f_j(x)|` and SPE, and how they go on far away |
//! | `rings.svg` | two rings, as linear and as kernel PCA see them |
//! | `spectrum.svg` | eigenvalues by the width of the kernel |
//! | `names.svg` | names, by the substrings they share |
//!
//! - `cargo run --release --example figures` writes them to `target/figures`,
//! - with `-- --update` to `docs/figures`,
//! - with `-- --check` writes nothing, and fails when one in `docs/figures` is not what would be
//!   drawn (as `cargo test` does).
//!
//! Numbers come from arithmetic and libm alone, so they are the same everywhere. For the host only.

#[cfg(target_os = "none")]
compile_error!(
    "this example draws with plotters, which needs an operating system: see host-only in Cargo.toml"
);

mod components;
mod contour;
mod data;
mod draw;
mod names;
mod outlier;
mod rings;
mod spectrum;
#[path = "../support/names.rs"]
mod vocabulary;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Draws one figure, as the text of an SVG file.
type Draw = fn() -> Result<String, Box<dyn Error>>;

const FIGURES: [(&str, Draw); 5] = [
    ("components.svg", components::svg),
    ("outlier.svg", outlier::svg),
    ("rings.svg", rings::svg),
    ("spectrum.svg", spectrum::svg),
    ("names.svg", names::svg),
];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = root.join("docs/figures");
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => write(&root.join("target/figures")),
        ["--update"] => write(&docs),
        ["--check"] => check(&docs),
        _ => {
            eprintln!("usage: figures [--update | --check]");
            Ok(ExitCode::from(2))
        }
    }
}

fn write(folder: &Path) -> Result<ExitCode, Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    for (name, draw) in FIGURES {
        let (path, text) = (folder.join(name), draw()?);
        fs::write(&path, &text)?;
        println!("{}: {} bytes", path.display(), text.len());
    }
    Ok(ExitCode::SUCCESS)
}

fn check(folder: &Path) -> Result<ExitCode, Box<dyn Error>> {
    let old = out_of_date(folder)?;
    for name in &old {
        eprintln!("{name} is out of date: run `cargo run --release --example figures -- --update`");
    }
    println!("{} of {} figures are up to date", FIGURES.len() - old.len(), FIGURES.len());
    Ok(if old.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Figures that are missing, or not what would be drawn now.
fn out_of_date(folder: &Path) -> Result<Vec<&'static str>, Box<dyn Error>> {
    let mut old = Vec::new();
    for (name, draw) in FIGURES {
        let drawn = draw()?;
        // By lines, because git may have changed their ends.
        let found = fs::read_to_string(folder.join(name)).unwrap_or_default();
        if !found.lines().eq(drawn.lines()) {
            old.push(name);
        }
    }
    Ok(old)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_in_docs_are_up_to_date() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/figures");
        assert_eq!(out_of_date(&docs).unwrap(), [""; 0], "see `figures --update`");
    }

    #[test]
    fn missing_figures_are_noticed() {
        let old = out_of_date(Path::new("no such folder")).unwrap();
        assert_eq!(old.len(), FIGURES.len());
    }
}
