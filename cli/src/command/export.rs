//! `mercer export`: a model for firmware.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ArgGroup;

use super::tell;
use crate::export::{
    CSource, Leading, Name, c_projector, c_quantised, c_source, monitor_source, quantise,
    rust_projector, rust_source, stream_source,
};
use crate::model::{Model, with_model};
use crate::samples::SampleType;
use crate::text::thousands;
use crate::whole::{require_other, write_together};
use crate::{Number, escape, file};

/// Write a model for firmware: as a Rust file to `include!`, as C99, or as the bytes that `Detector::read_from` reads.
///
/// A model of raw samples brings its front end along: in Rust types NAMEFront, NAMEStream and NAMEMonitor, in the bytes in front of those of the
/// detector.
#[derive(clap::Args, Debug)]
#[command(group(ArgGroup::new("form").args(["rust", "bin", "c"]).required(true).multiple(true)))]
pub(super) struct Arguments {
    /// A model that `mercer fit` wrote
    #[arg(value_name = "M.mercer")]
    model: PathBuf,
    /// A Rust file with the detector as a `static`
    #[arg(long, value_name = "MODEL.rs")]
    rust: Option<PathBuf>,
    /// The bytes of the detector
    #[arg(long, value_name = "MODEL.bin")]
    bin: Option<PathBuf>,
    /// A C header with functions that score, project, give reasons and raise an alarm, and MODEL.c beside it
    #[arg(long, value_name = "MODEL.h")]
    c: Option<PathBuf>,
    /// In integers, for cores without an FPU: a `QuantisedDetector`, in Rust or as bytes, or the same in C
    #[arg(long)]
    quantised: bool,
    /// What raw samples are on the device, for a model of them
    #[arg(long, value_enum, value_name = "TYPE", default_value_t)]
    samples: SampleType,
    /// Only the projection on the first P components, in Rust or C: features without a verdict, in less flash
    #[arg(long, value_name = "P", conflicts_with_all = ["bin", "quantised"])]
    project: Option<usize>,
    /// What the detector is called: in Rust in capitals, in C in front of all names
    #[arg(long, default_value = "MODEL")]
    name: Name,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.model)?, model => export(&model, arguments))
}

/// A file to be written, and what to say of it.
struct Product {
    path: PathBuf,
    content: Vec<u8>,
    what: String,
}

fn export<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let name = &arguments.name;
    // Everything is made before anything is written.
    let mut products: Vec<Product> = Vec::new();
    let file = || arguments.model.display().to_string();
    let quantised =
        arguments.quantised.then(|| quantise(model, name).with_context(file)).transpose()?;
    let leading = arguments
        .project
        .map(|components| Leading::of(model, components).with_context(file))
        .transpose()?;
    let front = model.front.as_ref();
    ensure!(
        front.is_some() || arguments.samples == SampleType::default(),
        "{}: the model takes readings, --samples is for one of raw samples",
        file()
    );
    if let Some(path) = &arguments.rust {
        let (mut source, flash) = match (&quantised, &leading) {
            (Some(quantised), _) => (quantised.source.clone(), quantised.flash),
            (None, Some(leading)) => (rust_projector(leading, name)?, leading.flash()),
            (None, None) => (rust_source(model, name)?, model.flash()),
        };
        let mut what = format!("static {}, {} bytes of flash", name.upper(), thousands(flash));
        if let Some(front) = front {
            source += &stream_source(front, name, arguments.samples);
            let kind = if leading.is_some() { "Stream" } else { "Monitor" };
            if leading.is_none() {
                source += &monitor_source::<T>(front, name);
            }
            let (alias, ram) = (name.camel(), thousands(front.ram(arguments.samples)));
            what += &format!("; {alias}{kind} for raw samples, about {ram} bytes of RAM");
        }
        products.push(Product { path: path.clone(), content: source.into_bytes(), what });
    }
    if let Some(path) = &arguments.bin {
        let content = match &quantised {
            Some(quantised) => quantised.bytes.clone(),
            None => model.device_bytes()?,
        };
        let mut bytes = match front {
            Some(front) => front.device_bytes(arguments.samples)?,
            None => Vec::new(),
        };
        bytes.extend(content);
        let content = bytes;
        let what = format!("{} bytes", thousands(content.len()));
        products.push(Product { path: path.clone(), content, what });
    }
    if let Some(path) = &arguments.c {
        let (header_file, source_file) = pair(path)?;
        let file_name = header_file.file_name().and_then(|name| name.to_str());
        let file_name = file_name.and_then(escape::c_include).with_context(|| {
            format!("{}: C can only include names of letters, digits and . _ + -", path.display())
        })?;
        let function = if leading.is_some() { "project" } else { "score" };
        let CSource { header, source } = match (&leading, &quantised) {
            (Some(leading), _) => c_projector(leading, name, arguments.samples, &file_name)?,
            (None, Some(quantised)) => {
                c_quantised(model, &quantised.whole, name, arguments.samples, &file_name)?
            }
            (None, None) => c_source(model, name, arguments.samples, &file_name)?,
        };
        let lower = name.lower();
        let what = match front {
            Some(_) => format!("int {lower}_monitor_push(…), int {lower}_{function}(…)"),
            None => format!("int {lower}_{function}(…)"),
        };
        products.push(Product { path: header_file, content: header.into_bytes(), what });
        let what = "its source".into();
        products.push(Product { path: source_file, content: source.into_bytes(), what });
    }
    for product in &products {
        require_other(&product.path, [arguments.model.as_path()])?;
    }
    let files: Vec<(&Path, &[u8])> = products
        .iter()
        .map(|product| (product.path.as_path(), product.content.as_slice()))
        .collect();
    write_together(&files)?;
    for Product { path, what, .. } in products {
        tell!("{}: {what}", path.display());
    }
    Ok(())
}

/// Header and source of the same name.
fn pair(path: &Path) -> Result<(PathBuf, PathBuf)> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    ensure!(
        matches!(extension, Some("h" | "c")),
        "{}: the name of a C file ends in .h or .c",
        path.display()
    );
    Ok((path.with_extension("h"), path.with_extension("c")))
}
