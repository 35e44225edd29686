//! `mercer export`: a model for firmware.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ArgGroup;

use super::tell;
use crate::export::{
    CSource, Contents, Ecosystem, Example, Leading, MARK, Name, PackageFile, Quantised, Release,
    c_projector, c_quantised, c_quantised_projector, c_source, candidates, facts, folders,
    header_file, monitor_source, package, quantise, rust_projector, rust_source, stream_source,
};
use crate::model::{Model, with_model};
use crate::samples::SampleType;
use crate::text::thousands;
use crate::whole::{NewFolders, require_other, write_together};
use crate::{Number, escape, file};

/// Write a model for firmware: as a Rust file to `include!`, as C99, as a package of that for an
/// ecosystem, or as the bytes that `Detector::read_from` reads.
///
/// A model of raw samples brings its front end along: in Rust types NAMEFront, NAMEStream and
/// NAMEMonitor, in the bytes in front of those of the detector.
#[derive(clap::Args, Debug)]
#[command(group(ArgGroup::new("form").args(["rust", "bin", "c", "package"]).required(true).multiple(true)))]
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
    /// A C header with functions that score, project, give reasons and raise an alarm, and MODEL.c
    /// beside it
    #[arg(long, value_name = "MODEL.h")]
    c: Option<PathBuf>,
    /// A folder, named by --out, that the tools of an ecosystem take: C with a manifest, an
    /// example and a README
    ///
    /// A folder that is there already is brought up to date; a file in it that `mercer export` did
    /// not write is left alone, with an error.
    #[arg(long, value_enum, value_name = "FOR", requires = "out")]
    package: Option<Ecosystem>,
    /// The folder of the package
    #[arg(long, value_name = "DIR", requires = "package")]
    out: Option<PathBuf>,
    /// The version of the package: count it up when the model is another one
    #[arg(long, value_name = "X.Y.Z", default_value = "1.0.0", requires = "package")]
    package_version: Release,
    /// In integers, for cores without an FPU: a `QuantisedDetector`, in Rust or as bytes, or the
    /// same in C
    #[arg(long)]
    quantised: bool,
    /// What raw samples are on the device, for a model of them
    #[arg(long, value_enum, value_name = "TYPE", default_value_t)]
    samples: SampleType,
    /// Only the projection on the first P components, in Rust or C: features without a verdict, in
    /// less flash
    #[arg(long, value_name = "P", conflicts_with = "bin")]
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
    let leading = arguments
        .project
        .map(|components| Leading::of(model, components).with_context(file))
        .transpose()?;
    let quantised = arguments
        .quantised
        .then(|| quantise(model, leading.as_ref(), name).with_context(file))
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
    let sources = C { model, leading, quantised, name, samples: arguments.samples };
    if let Some(path) = &arguments.c {
        let (header_file, source_file) = pair(path)?;
        let file_name = header_file.file_name().and_then(|name| name.to_str());
        let file_name = file_name.and_then(escape::c_include).with_context(|| {
            format!("{}: C can only include names of letters, digits and . _ + -", path.display())
        })?;
        let CSource { header, source } = sources.files(&file_name)?;
        let (lower, function) = (name.lower(), sources.function());
        let what = match front {
            Some(_) => format!("int {lower}_monitor_push(…), int {lower}_{function}(…)"),
            None => format!("int {lower}_{function}(…)"),
        };
        products.push(Product { path: header_file, content: header.into_bytes(), what });
        let what = "its source".into();
        products.push(Product { path: source_file, content: source.into_bytes(), what });
    }
    let mut new_folders = Vec::new();
    if let (Some(ecosystem), Some(out)) = (arguments.package, &arguments.out) {
        let files = package(ecosystem, &sources.contents(&arguments.package_version)?);
        require_ours(out, &files)?;
        new_folders = folders(out, &files);
        products.extend(files.into_iter().map(|(path, text)| Product {
            path: out.join(path),
            content: text.into_bytes(),
            what: format!("of {}", ecosystem.noun()),
        }));
    }
    for product in &products {
        require_other(&product.path, [arguments.model.as_path()])?;
    }
    let files: Vec<(&Path, &[u8])> = products
        .iter()
        .map(|product| (product.path.as_path(), product.content.as_slice()))
        .collect();
    let new_folders = NewFolders::make(&new_folders)?;
    write_together(&files)?;
    new_folders.keep();
    for Product { path, what, .. } in products {
        tell!("{}: {what}", path.display());
    }
    Ok(())
}

/// A model, and in which form it goes to C.
struct C<'a, T> {
    model: &'a Model<T>,
    leading: Option<Leading<'a, T>>,
    quantised: Option<Quantised>,
    name: &'a Name,
    samples: SampleType,
}

impl<T: Number> C<'_, T> {
    /// Both files; `header_file` is what the source includes, in quotes.
    fn files(&self, header_file: &str) -> Result<CSource> {
        let Self { model, name, samples, .. } = *self;
        Ok(match (&self.leading, &self.quantised) {
            (Some(leading), Some(quantised)) => {
                c_quantised_projector(leading, &quantised.whole, name, samples, header_file)?
            }
            (Some(leading), None) => c_projector(leading, name, samples, header_file)?,
            (None, Some(quantised)) => {
                c_quantised(model, &quantised.whole, name, samples, header_file)?
            }
            (None, None) => c_source(model, name, samples, header_file)?,
        })
    }

    /// What a firmware asks of a reading.
    fn function(&self) -> &'static str {
        if self.leading.is_some() { "project" } else { "score" }
    }

    /// What a package is made of.
    fn contents<'b>(&'b self, release: &'b Release) -> Result<Contents<'b>> {
        let readings = candidates(self.model);
        // The first is a point of the model, the others are further and further away from one.
        let shown: Vec<Vec<T>> = [0, 5].iter().filter_map(|&i| readings.get(i).cloned()).collect();
        let mut example = Example::judging(&shown);
        let facts = match &self.leading {
            Some(leading) => {
                example = example.projecting();
                leading.facts('`', escape::rust_comment)?
            }
            None => facts(self.model, '`', escape::rust_comment)?,
        };
        if self.model.front.is_some() {
            example = example.of_samples();
        }
        let (c, checksum) = (self.files(&header_file(self.name))?, self.model.checksum()?);
        Ok(Contents { name: self.name, release, c, example, facts, checksum })
    }
}

/// A package must not replace what somebody else wrote.
fn require_ours(out: &Path, files: &[PackageFile]) -> Result<()> {
    for path in files.iter().map(|(path, _)| out.join(path)) {
        let is_ours = match fs::read(&path) {
            Ok(content) => String::from_utf8_lossy(&content).contains(MARK),
            Err(error) => {
                matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
            }
        };
        ensure!(
            is_ours,
            "{}: is there, and was not written by `mercer export`: name another folder",
            path.display()
        );
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
