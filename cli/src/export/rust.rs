//! A detector as a `static` in Rust, for `include!` in a firmware.
//!
//! Paths are complete and helpers are inside of the `static`, so that nothing clashes with what is
//! around the `include!`.

mod front;
mod project;
mod self_test;

pub(crate) use front::{monitor_source, stream_source};
pub(super) use project::components;
pub(crate) use project::rust_projector;
pub(super) use self_test::{Judge, projection_test, self_test};

use mercer::Error;
use mercer::detect::Threshold;

use super::vectors::vectors;
use super::{Name, facts, list};
use crate::model::Model;
use crate::text::thousands;
use crate::{KernelSpec, Number, escape};

/// Items that nobody uses or sees are no mistake here.
const ALLOW: &str = "#[allow(dead_code, unreachable_pub)]";
/// Nor are numbers that look like constants, large arrays, and the time it takes to compile them.
pub(super) const ALLOW_NUMBERS: &str =
    "#[allow(dead_code, unreachable_pub, long_running_const_eval, clippy::all, clippy::pedantic)]";

/// The source file.
///
/// # Errors
/// Those of a model whose sizes do not match.
pub(crate) fn rust_source<T: Number>(model: &Model<T>, name: &Name) -> Result<String, Error> {
    let test = self_test(&vectors(model), model.inputs(), name, Judge::Floats(T::NAMES[0]));
    Ok(beginning(model, name, VERSION)? + &detector(model, name)? + &test)
}

/// What pins the format of the source, and its number.
const VERSION: (&str, u16) =
    ("detect::persist::FORMAT_VERSION", mercer::detect::persist::FORMAT_VERSION);

/// What stands before a detector: the version that it is pinned to, names of inputs, and checksum.
pub(super) fn beginning<T: Number>(
    model: &Model<T>,
    name: &Name,
    (constant, version): (&str, u16),
) -> Result<String, Error> {
    let upper = name.upper();
    let checksum = model.checksum()?;
    Ok(format!(
        r#"// Made by `mercer export`: do not edit.

#[rustfmt::skip]
const _: () = assert!(
    ::mercer::{constant} == {version},
    "{upper} is of format version {version}, this is another version of mercer: run `mercer export` again"
);

/// Names of the inputs of [`{upper}`], in the order of a reading.
#[rustfmt::skip]
{ALLOW}
pub const {upper}_INPUTS: [&str; {inputs}] = [{columns}];

/// Checksum of [`{upper}`], to tell which model a firmware has.
#[rustfmt::skip]
{ALLOW}
pub const {upper}_CHECKSUM: u32 = 0x{high:04x}_{low:04x};

"#,
        inputs = model.inputs(),
        columns = list(&model.columns, |name| escape::rust_string(name)),
        high = checksum >> 16,
        low = checksum & 0xffff,
    ))
}

/// The documented `static`.
fn detector<T: Number>(model: &Model<T>, name: &Name) -> Result<String, Error> {
    let (alias, name) = (name.camel(), name.upper());
    let mut docs = facts(model, '`', escape::rust_comment)?;
    docs.push(format!("flash: {} bytes", thousands(model.flash())));
    let docs: String = docs.iter().map(|fact| format!("/// - {fact}\n")).collect();
    let (kernel_type, kernel) = kernel(&model.kernel);
    let (number, inputs) = (T::NAMES[0], model.inputs());
    let (points, components) = (model.points.rows(), model.components());
    let weights = &model.weights;
    let numbers = |values: &[T]| format!("[{}]", list(values, literal));
    let rows = |indent: usize, rows: &mut dyn Iterator<Item = &[T]>| -> String {
        rows.map(|row| format!("{:indent$}{},\n", "", numbers(row))).collect()
    };
    Ok(format!(
        r#"/// The type of [`{name}`].
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub type {alias} =
    ::mercer::Detector<{kernel_type}, [{number}; {inputs}], {points}, {components}{scaling_type}>;

/// A detector of unusual readings that `mercer fit` learned.
///
{docs}///
/// ```text
/// const _: () = assert!({name}_INPUTS.len() == SENSORS, "trained for other sensors");
/// let verdict = {name}.score(&x)?;
/// if verdict.unusual {{
///     let suspect = {name}.suspect(&x)?;
/// }}
/// ```
#[rustfmt::skip]
{ALLOW_NUMBERS}
pub static {name}: {alias} = {{
    let expansion = ::mercer::kpca::Expansion::from_parts(
        // Points, components, squared norm of the centre, total variance, indefinite?
        ::mercer::kpca::ExpansionHeader::new({points}, {components}, {centre_norm}, {total_variance}, {indefinite}),
        [
{weight_rows}        ],
        {centre},
        {offsets},
        {variances},
    );
    let expansion = match expansion {{
        ::core::result::Result::Ok(expansion) => expansion,
        ::core::result::Result::Err(_) => ::core::panic!("{name} has other counts than `mercer export` wrote"),
    }};
    {alias}::in_flash(
        {scaling},
        {kernel},
        [
{point_rows}        ],
        expansion,
        {threshold},
    )
    .expect("{name} is not what `mercer export` wrote: `Detector::from_parts` says what is wrong with it")
}};
"#,
        point_rows = rows(12, &mut model.points.iter_rows()),
        scaling_type = scaling_type(&model.floor, number),
        scaling = scaling(&model.mean, &model.deviation, &model.floor),
        centre_norm = literal(&weights.header.centre_norm),
        total_variance = literal(&weights.header.total_variance),
        indefinite = weights.header.indefinite,
        weight_rows = rows(12, &mut weights.weights.iter_rows()),
        centre = numbers(&weights.centre),
        offsets = numbers(&weights.offsets),
        variances = numbers(&weights.variances),
        threshold = threshold(&model.threshold),
    ))
}

/// What names the scaling in the type of a detector, if it is not the default.
pub(super) fn scaling_type<T>(floor: &[T], number: &str) -> String {
    match floor.len() {
        0 => String::new(),
        inputs => format!(", ::mercer::detect::LogScaling<[{number}; {inputs}]>"),
    }
}

/// A scaling as an expression.
pub(super) fn scaling<T: Number>(mean: &[T], deviation: &[T], floor: &[T]) -> String {
    let numbers = |values: &[T]| format!("[{}]", list(values, literal));
    let standard =
        format!("::mercer::detect::Scaling::new({}, {})", numbers(mean), numbers(deviation));
    match floor.is_empty() {
        true => standard,
        false => format!("::mercer::detect::LogScaling::new({standard}, {})", numbers(floor)),
    }
}

/// A threshold as an expression.
pub(super) fn threshold<T: Number>(threshold: &Threshold<T>) -> String {
    let (spe, usual) = (literal(&threshold.spe), literal(&threshold.usual));
    format!("::mercer::detect::Threshold::new({spe}).with_usual({usual})")
}

/// The shortest decimal that reads back as the same number.
fn literal<T: Number>(value: &T) -> String {
    format!("{value:?}")
}

/// Type and value of a kernel.
fn kernel<T: Number>(kernel: &KernelSpec<T>) -> (String, String) {
    let number = T::NAMES[0];
    let path = |name: &str| format!("::mercer::kernel::{name}");
    let of_numbers = |name: &str| format!("{}<{number}>", path(name));
    match kernel {
        KernelSpec::Linear {} => (path("Linear"), path("Linear")),
        KernelSpec::Rbf { gamma } => {
            (of_numbers("Rbf"), format!("{}({gamma:?})", path("Rbf::new")))
        }
        KernelSpec::Laplacian { gamma } => {
            (of_numbers("Laplacian"), format!("{}({gamma:?})", path("Laplacian::new")))
        }
        KernelSpec::Poly { gamma, coef0, degree } => (
            of_numbers("Poly"),
            format!("{} {{ gamma: {gamma:?}, coef0: {coef0:?}, degree: {degree} }}", path("Poly")),
        ),
        KernelSpec::Sigmoid { gamma, coef0 } => {
            (of_numbers("Sigmoid"), format!("{}({gamma:?}, {coef0:?})", path("Sigmoid::new")))
        }
        KernelSpec::Cosine {} => {
            (path("Cosine"), format!("{}({})", path("Normalised"), path("Linear")))
        }
    }
}
