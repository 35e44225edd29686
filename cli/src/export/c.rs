//! A detector as C99: constant data and functions that score and project, for firmware that is not
//! written in Rust.
//!
//! The functions compute in the order of the library's, hence with the same bits, as long as the
//! compiler does not contract multiplications and additions: with a [Gaussian](gaussian) kernel in
//! `f32` in blocks of points, else point by point. Only where a kernel or a logarithmic input needs
//! another `exp`, `tanh` or `log` it is that of the C library. A model of raw samples has its
//! [front end](front) as well, whose readings are the same bits.
//!
//! Texts are templates: `NAME_` and `name_` stand for what the model is called, `REAL` for its type
//! of numbers, and `@` for what literals and functions of the type end in.

mod alarm;
mod front;
mod gaussian;
mod kernel;
mod project;
mod quantised;
mod reasons;
mod self_test;
mod tables;

pub(crate) use project::c_projector;
pub(crate) use quantised::{Whole, WholePoint, c_quantised, c_quantised_projector};

use mercer::Error;

use self::front::{FrontParts, Question};
use self::kernel::KernelParts;
use self::project::{DECLARATION, project};
use super::vectors::vectors;
use super::{Name, facts, list};
use crate::model::Model;
use crate::samples::SampleType;
use crate::{Number, Precision, escape};

/// A header and the source that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CSource {
    /// The `.h` file.
    pub header: String,
    /// The `.c` file.
    pub source: String,
}

/// Both files; `header_file` is what the source includes, in quotes. `samples` is what raw samples
/// are, if it takes any.
///
/// # Errors
/// Those of a model whose sizes do not match.
pub(crate) fn c_source<T: Number>(
    model: &Model<T>,
    name: &Name,
    samples: SampleType,
    header_file: &str,
) -> Result<CSource, Error> {
    let front = model
        .front
        .as_ref()
        .map(|front| FrontParts::new::<T>(front, samples, name, Question::Score));
    let mut source = source(model, name, header_file, front.as_ref())?;
    source += front.as_ref().map_or("", |front| &front.source);
    Ok(CSource { header: header(model, name, front)?, source })
}

/// Is there a centre, whose distance scores need, or are there projections only?
#[derive(Clone, Copy, PartialEq)]
enum Centre {
    With,
    Without,
}

/// A template with the name and the numbers of a model.
fn fill<T: Number>(template: &str, name: &Name) -> String {
    let typed = template.replace("REAL", T::NAMES[1]).replace('@', suffix::<T>());
    named(&typed, name)
}

/// A text in which `NAME_` and `name_` stand for what the model is called.
pub(super) fn named(template: &str, name: &Name) -> String {
    let upper = format!("{}_", name.upper());
    template.replace("NAME_", &upper).replace("name_", &format!("{}_", name.lower()))
}

/// What the header of a model with a front end includes.
fn stdint(front: &Option<FrontParts>) -> &'static str {
    if front.is_some() { STDINT } else { "" }
}

const STDINT: &str = "\n#include <stdint.h>\n";

fn header<T: Number>(
    model: &Model<T>,
    name: &Name,
    front: Option<FrontParts>,
) -> Result<String, Error> {
    let facts = facts(model, '"', escape::c_comment)?;
    let facts: String = facts.iter().map(|fact| format!(" * - {fact}\n")).collect();
    let upper = name.upper();
    let sizes = HEADER_SIZES
        .replace("INPUTS_COUNT", &model.inputs().to_string())
        .replace("COMPONENTS_COUNT", &model.components().to_string())
        .replace("CHECKSUM_VALUE", &format!("{:#010x}UL", model.checksum()?));
    let functions = [
        HEADER_SCORE,
        DECLARATION,
        reasons::DECLARATIONS,
        &alarm::declarations().replace("SMOOTHED", T::NAMES[1]),
        self_test::DECLARATION,
    ]
    .concat();
    Ok(format!(
        r#"/* Made by `mercer export`: do not edit.
 *
 * A detector of unusual readings that `mercer fit` learned, in C99: constant data, no allocation, and no state but what callers own.
 *
{facts} */
#ifndef {upper}_H
#define {upper}_H
{stdint}
#ifdef __cplusplus
extern "C" {{
#endif
{text}{front}
#ifdef __cplusplus
}}
#endif

#endif
"#,
        text = fill::<T>(&(sizes + &functions), name),
        stdint = stdint(&front),
        front = front.map(|front| front.header).unwrap_or_default(),
    ))
}

const HEADER_SIZES: &str = r#"
/* Inputs of a reading. */
#define NAME_INPUTS INPUTS_COUNT

/* Components that a reading is projected on. */
#define NAME_COMPONENTS COMPONENTS_COUNT

/* To tell which model a firmware has. */
#define NAME_CHECKSUM CHECKSUM_VALUE

/* Names of the inputs, in the order of a reading. */
extern const char *const name_input_names[NAME_INPUTS];
"#;

const HEADER_SCORE: &str = r#"
/* The scores of a reading; the larger, the less usual. */
typedef struct name_verdict {
    /* What the components cannot explain. */
    REAL spe;
    /* How far along the components, squared. */
    REAL t2;
    /* Sum of the absolute projections. */
    REAL abs_sum;
    /* 1 if spe is above its threshold, else 0. One unusual reading is not yet an alarm. */
    int unusual;
} name_verdict;

/* Codes of what cannot be done, beside -1 - i for input i. */
/* The reading is so far out that its scores are not finite; or it has no direction, and the kernel compares directions. */
#define NAME_UNUSABLE (-1 - NAME_INPUTS)
/* A null pointer. */
#define NAME_NULL (-2 - NAME_INPUTS)
/* An alarm or a monitor in memory that nobody prepared: neither all zeros, nor reset or initialised. */
#define NAME_NOT_READY (-3 - NAME_INPUTS)

/* Scores a raw reading. Returns 0, or -1 - i if input i is not finite or too large to be scaled, or NAME_UNUSABLE, or NAME_NULL; *out is then as before.
 *
 * Scores are those of `mercer score` but for rounding. Not to be compiled with -ffast-math, which takes every number for finite. */
int name_score(const REAL x[NAME_INPUTS], name_verdict *out);
"#;

fn source<T: Number>(
    model: &Model<T>,
    name: &Name,
    header_file: &str,
    front: Option<&FrontParts>,
) -> Result<String, Error> {
    let (upper, lower) = (name.upper(), name.lower());
    let weights = &model.weights;
    let data = [
        projection_data(model, name),
        vector(name, "centre", "POINTS", &weights.centre),
        vector(name, "variances", "COMPONENTS", &weights.variances),
    ]
    .concat();
    let parts = KernelParts::new(model, name, Centre::With);
    let judge = JUDGE
        .replace("CHECK_DIRECTION", &parts.check)
        .replace("DIAGONAL", &parts.diagonal)
        .replace("CENTRE_NORM", &literal(&weights.header.centre_norm))
        .replace("CLAMP", if weights.header.indefinite { "" } else { CLAMP })
        .replace("THRESHOLD", &literal(&model.threshold.spe));
    let functions = [
        scale(model).as_str(),
        &parts.functions,
        &judge,
        SCORE,
        &project(&parts, Centre::With),
        &alarm::source(&model.threshold),
    ]
    .concat();
    Ok(format!(
        r#"{beginning}{same}
#define {upper}_POINTS {points}

const char *const {lower}_input_names[{upper}_INPUTS] = {{
{names}}};

{data}{bits}{functions}{reasons}{test}"#,
        test = self_test::source(&vectors(model), tolerance::<T>(), name),
        beginning = beginning::<T>("mercer export", header_file, parts.needs_bits, name),
        points = model.points.rows(),
        names = strings(&model.columns),
        bits = bits(&parts, front, name),
        functions = fill::<T>(&functions, name),
        reasons = reasons::source(model, name),
        same = same_export(model.checksum()?, model.inputs(), model.components(), name),
    ))
}

/// The share of the largest SPE by which compilers and C libraries may differ.
fn tolerance<T: Number>() -> f64 {
    match T::PRECISION {
        Precision::F32 => 1e-4,
        Precision::F64 => 1e-10,
    }
}

/// Refuses a header that was not exported with the source.
fn same_export(checksum: u32, inputs: usize, components: usize, name: &Name) -> String {
    let text = SAME_EXPORT
        .replace("CHECKSUM_VALUE", &format!("{checksum:#010x}UL"))
        .replace("INPUTS_COUNT", &inputs.to_string())
        .replace("COMPONENTS_COUNT", &components.to_string());
    named(&text, name)
}

const SAME_EXPORT: &str = r#"
#if NAME_CHECKSUM != CHECKSUM_VALUE || NAME_INPUTS != INPUTS_COUNT || NAME_COMPONENTS != COMPONENTS_COUNT
#error "the header is that of another model or export: both files belong together"
#endif
"#;

/// What every source begins with.
fn beginning<T: Number>(command: &str, header_file: &str, needs_bits: bool, name: &Name) -> String {
    let stdint = if needs_bits { "\n#include <stdint.h>" } else { "" };
    let float = if T::PRECISION == Precision::F64 { "#include <float.h>\n" } else { "" };
    format!(
        r#"/* Made by `{command}`: do not edit. */
#include {header_file}

{float}#include <math.h>{stdint}

#ifdef __FAST_MATH__
#error "-ffast-math takes every number for finite: compile this file without it"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
{tables}"#,
        tables = named(tables::access::<T>(), name),
    )
}

/// Texts of others, each on a line of an array.
fn strings(names: &[String]) -> String {
    names.iter().map(|name| format!("    {},\n", escape::c_string(name))).collect()
}

/// What takes numbers apart, where that is needed.
fn bits(parts: &KernelParts, front: Option<&FrontParts>, name: &Name) -> String {
    match parts.needs_bits || front.is_some_and(|front| front.needs_bits) {
        true => named(BITS, name),
        false => String::new(),
    }
}

const BITS: &str = r#"
static uint32_t name_bits(float value)
{
    union { float value; uint32_t bits; } both;

    both.value = value;
    return both.bits;
}

static float name_from_bits(uint32_t bits)
{
    union { float value; uint32_t bits; } both;

    both.bits = bits;
    return both.value;
}
"#;

const JUDGE: &str = r#"
/* Scores a scaled reading, and writes its projections. Returns 0, or NAME_UNUSABLE; *out is then as before. */
static int name_judge(const REAL *scaled, REAL *projection, name_verdict *out)
{
    REAL centre_product, centre_distance, explained = 0.0@;
    REAL spe, t2 = 0.0@, abs_sum = 0.0@;
    int j;

CHECK_DIRECTION    name_compare(scaled, projection, &centre_product);
    centre_distance = DIAGONAL - (centre_product + centre_product) + CENTRE_NORM;
    for (j = 0; j < NAME_COMPONENTS; j++) {
        const REAL square = projection[j] * projection[j];

        explained += square;
        t2 += square / NAME_READ(name_variances[j]);
        abs_sum += fabs@(projection[j]);
    }
    spe = centre_distance - explained;
CLAMP    if (!isfinite(spe + t2 + centre_distance)) {
        return NAME_UNUSABLE;
    }
    out->spe = spe;
    out->t2 = t2;
    out->abs_sum = abs_sum;
    out->unusual = spe > THRESHOLD;
    return 0;
}
"#;

/// With a kernel that is positive semi-definite, only rounding makes it negative.
const CLAMP: &str = "    spe = spe > 0.0@ ? spe : 0.0@;\n";

const SCORE: &str = r#"
int name_score(const REAL x[NAME_INPUTS], name_verdict *out)
{
    REAL scaled[NAME_INPUTS], projection[NAME_COMPONENTS];
    int code;

    if (!x || !out) {
        return NAME_NULL;
    }
    code = name_scale(x, scaled);
    return code != 0 ? code : name_judge(scaled, projection, out);
}

"#;

/// The arrays that projections need.
fn projection_data<T: Number>(model: &Model<T>, name: &Name) -> String {
    let floor = match model.floor.is_empty() {
        true => String::new(),
        false => vector(name, "floor", "INPUTS", &model.floor),
    };
    [
        vector(name, "mean", "INPUTS", &model.mean),
        vector(name, "deviation", "INPUTS", &model.deviation),
        floor,
        matrix(name, "points", "INPUTS", model.points.iter_rows()),
        matrix(name, "weights", "COMPONENTS", model.weights.weights.iter_rows()),
        vector(name, "offsets", "COMPONENTS", &model.weights.offsets),
    ]
    .concat()
}

fn vector<T: Number>(name: &Name, what: &str, size: &str, values: &[T]) -> String {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    let values = list(values, literal);
    format!("static const {number} {lower}_{what}[{upper}_{size}] {upper}_TABLE = {{{values}}};\n")
}

fn matrix<'a, T: Number>(
    name: &Name,
    what: &str,
    columns: &str,
    rows: impl Iterator<Item = &'a [T]>,
) -> String {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    let rows: String = rows.map(|row| format!("    {{{}}},\n", list(row, literal))).collect();
    format!(
        "static const {number} {lower}_{what}[{upper}_POINTS][{upper}_{columns}] {upper}_TABLE = {{\n{rows}}};\n"
    )
}

/// Scales a reading, after the logarithms of inputs that are logarithmic.
fn scale<T: Number>(model: &Model<T>) -> String {
    let (logarithm, value) = match model.floor.is_empty() {
        true => ("", "x[i]"),
        false => (LOGARITHM, "value"),
    };
    // As `Real::scaled_by` does it.
    let divided = match T::PRECISION {
        Precision::F32 => "* (1.0f / NAME_READ(name_deviation[i]))",
        Precision::F64 => "/ NAME_READ(name_deviation[i])",
    };
    SCALE.replace("LOGARITHM", logarithm).replace("VALUE", value).replace("DIVIDED", divided)
}

const SCALE: &str = r#"
/* Scales a raw reading. Returns 0, or which input cannot be used. */
static int name_scale(const REAL *x, REAL *scaled)
{
    int i;

    for (i = 0; i < NAME_INPUTS; i++) {
LOGARITHM        scaled[i] = (VALUE - NAME_READ(name_mean[i])) DIVIDED;
        if (!isfinite(scaled[i])) {
            return -1 - i;
        }
    }
    return 0;
}
"#;

const LOGARITHM: &str = r#"        const REAL floor = NAME_READ(name_floor[i]);
        REAL value = x[i];

        if (!isfinite(value)) {
            return -1 - i;
        }
        if (floor > 0.0@) {
            value = log@(value > floor ? value : floor);
        }
"#;

/// What literals and functions of the type end in.
fn suffix<T: Number>() -> &'static str {
    match T::PRECISION {
        Precision::F32 => "f",
        Precision::F64 => "",
    }
}

/// The shortest decimal that reads back as the same number.
pub(super) fn literal<T: Number>(value: &T) -> String {
    format!("{value:?}{}", suffix::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_read_back_as_the_same_number() {
        for (value, expected) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1875, "0.1875"),
            (1e-7, "1e-7"),
            (-2.5e300, "-2.5e300"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (f64::from_bits(1), "5e-324"),
        ] {
            assert_eq!(literal(&value), expected, "{value:?}");
        }
        assert_eq!(literal(&0.1_f32), "0.1f");
        assert_eq!(literal(&f32::from_bits(1)), "1e-45f", "below the normal numbers of f32");
        assert_eq!(literal(&f32::MAX), "3.4028235e38f");
    }
}
