//! A detector as C99: constant data and functions that score and project, for firmware that is not written in Rust.
//!
//! The function computes in the order of the library's plain scoring, point by point. Only `exp`, `tanh` and `log` are another's, those of the C library;
//! with the other kernels, and without logarithmic inputs, scores are the same bits, as long as the compiler does not contract multiplications and additions. A model of raw samples has its
//! [front end](front) as well, whose readings are the same bits.

mod front;
mod kernel;
mod project;

pub(crate) use project::c_projector;

use mercer::Error;

use self::front::{FrontParts, Question};
use self::kernel::KernelParts;
use self::project::{declaration, project, sums};
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

/// Both files; `header_file` is what the source includes, in quotes. `samples` is what raw samples are, if it takes any.
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
    let mut source = source(model, name, header_file);
    source += front.as_ref().map_or("", |front| &front.source);
    Ok(CSource { header: header(model, name, front)?, source })
}

/// What the header of a model with a front end includes.
fn stdint(front: &Option<FrontParts>) -> &'static str {
    if front.is_some() { "\n#include <stdint.h>\n" } else { "" }
}

fn header<T: Number>(
    model: &Model<T>,
    name: &Name,
    front: Option<FrontParts>,
) -> Result<String, Error> {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    let facts = facts(model, '"', escape::c_comment)?;
    let facts: String = facts.iter().map(|fact| format!(" * - {fact}\n")).collect();
    Ok(format!(
        r#"/* Made by `mercer export`: do not edit.
 *
 * A detector of unusual readings that `mercer fit` learned, in C99.
 *
{facts} */
#ifndef {upper}_H
#define {upper}_H
{stdint}
#ifdef __cplusplus
extern "C" {{
#endif

/* Inputs of a reading. */
#define {upper}_INPUTS {inputs}

/* Components that a reading is projected on. */
#define {upper}_COMPONENTS {components}

/* To tell which model a firmware has. */
#define {upper}_CHECKSUM {checksum:#010x}UL

/* Names of the inputs, in the order of a reading. */
extern const char *const {lower}_input_names[{upper}_INPUTS];

/* The scores of a reading; the larger, the less usual. */
typedef struct {lower}_verdict {{
    /* What the components cannot explain. */
    {number} spe;
    /* How far along the components, squared. */
    {number} t2;
    /* Sum of the absolute projections. */
    {number} abs_sum;
    /* 1 if spe is above its threshold, else 0. One unusual reading is not yet an alarm. */
    int unusual;
}} {lower}_verdict;

/* The reading is so far out that its scores are not finite; or it has no direction, and the kernel compares directions. */
#define {upper}_UNUSABLE (-1 - {upper}_INPUTS)

/* Scores a raw reading. Returns 0, or -1 - i if input i is not finite or too large to be scaled, or {upper}_UNUSABLE; *out is then as before.
 *
 * Scores are those of `mercer score` but for rounding. Not to be compiled with -ffast-math, which takes every number for finite. */
int {lower}_score(const {number} x[{upper}_INPUTS], {lower}_verdict *out);

{project}{front}
#ifdef __cplusplus
}}
#endif

#endif
"#,
        inputs = model.inputs(),
        components = model.components(),
        project = declaration::<T>(name),
        checksum = model.checksum()?,
        stdint = stdint(&front),
        front = front.map(|front| front.header).unwrap_or_default(),
    ))
}

fn source<T: Number>(model: &Model<T>, name: &Name, header_file: &str) -> String {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    let (weights, suffix) = (&model.weights, suffix::<T>());
    let data = [
        projection_data(model, name),
        vector(name, "centre", "POINTS", &weights.centre),
        vector(name, "variances", "COMPONENTS", &weights.variances),
    ]
    .concat();
    let parts = KernelParts::new(&model.kernel, name);
    format!(
        r#"/* Made by `mercer export`: do not edit. */
#include {header_file}

#include <math.h>

#ifdef __FAST_MATH__
#error "-ffast-math takes every number for finite: compile this file without it"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define {upper}_POINTS {points}

const char *const {lower}_input_names[{upper}_INPUTS] = {{
{names}}};

{data}
{kernel}
{sums}
int {lower}_score(const {number} x[{upper}_INPUTS], {lower}_verdict *out)
{{
    {number} scaled[{upper}_INPUTS];
    {number} projection[{upper}_COMPONENTS];
    {number} centre_product, centre_distance, explained = 0.0{suffix};
    {number} spe, t2 = 0.0{suffix}, abs_sum = 0.0{suffix};
    int j;
    const int code = {lower}_sums(x, scaled, projection, &centre_product);

    if (code != 0) {{
        return code;
    }}
    centre_distance = {diagonal} - (centre_product + centre_product) + {centre_norm};
    for (j = 0; j < {upper}_COMPONENTS; j++) {{
        const {number} square = projection[j] * projection[j];
        explained += square;
        t2 += square / {lower}_variances[j];
        abs_sum += fabs{suffix}(projection[j]);
    }}
    spe = centre_distance - explained;
{clamp}    if (!isfinite(spe + t2 + centre_distance)) {{
        return {upper}_UNUSABLE;
    }}
    out->spe = spe;
    out->t2 = t2;
    out->abs_sum = abs_sum;
    out->unusual = spe > {threshold};
    return 0;
}}

{project}"#,
        points = model.points.rows(),
        sums = sums(model, name, &parts, true),
        project = project::<T>(name, true),
        names = model
            .columns
            .iter()
            .map(|name| format!("    {},\n", escape::c_string(name)))
            .collect::<String>(),
        kernel = parts.functions,
        diagonal = parts.diagonal,
        centre_norm = literal(&weights.header.centre_norm),
        // With a kernel that is positive semi-definite, only rounding makes it negative.
        clamp = match weights.header.indefinite {
            true => String::new(),
            false => format!("    spe = spe > 0.0{suffix} ? spe : 0.0{suffix};\n"),
        },
        threshold = literal(&model.threshold.spe),
    )
}

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
    format!("static const {number} {lower}_{what}[{upper}_{size}] = {{{values}}};\n")
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
        "static const {number} {lower}_{what}[{upper}_POINTS][{upper}_{columns}] = {{\n{rows}}};\n"
    )
}

/// Scales an input, after its logarithm if it is logarithmic.
fn scale<T: Number>(model: &Model<T>, name: &Name) -> String {
    let (number, lower, suffix) = (T::NAMES[1], name.lower(), suffix::<T>());
    let apply = |value: &str| {
        format!("        scaled[i] = ({value} - {lower}_mean[i]) / {lower}_deviation[i];\n")
    };
    if model.floor.is_empty() {
        return apply("x[i]");
    }
    format!(
        r#"        const {number} floor = {lower}_floor[i];
        {number} value = x[i];
        if (!isfinite(value)) {{
            return -1 - i;
        }}
        if (floor > 0.0{suffix}) {{
            value = log{suffix}(value > floor ? value : floor);
        }}
{}"#,
        apply("value")
    )
}

/// What literals and functions of the type end in.
fn suffix<T: Number>() -> &'static str {
    match T::PRECISION {
        Precision::F32 => "f",
        Precision::F64 => "",
    }
}

/// A number as a hexadecimal literal, which is exact: `0x1.8p-3f` for 0.1875.
fn literal<T: Number>(value: &T) -> String {
    const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    const BIAS: i64 = f64::MAX_EXP as i64 - 1;
    let bits = value.to_f64().to_bits();
    let sign = if value.to_f64().is_sign_negative() { "-" } else { "" };
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let (whole, exponent) = match (bits << 1) >> (FRACTION_BITS + 1) {
        0 if fraction == 0 => (0, 0),
        // Below the normal numbers there is no hidden bit.
        0 => (0, 1 - BIAS),
        biased => (1, biased as i64 - BIAS),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x{whole}{point}{digits}p{exponent:+}{}", suffix::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_literals_are_exact() {
        for (value, expected) in [
            (1.0, "0x1p+0"),
            (-0.0, "-0x0p+0"),
            (0.1875, "0x1.8p-3"),
            (0.1, "0x1.999999999999ap-4"),
            (-2.5e300, "-0x1.ddd4baa009303p+997"),
            (f64::MIN_POSITIVE, "0x1p-1022"),
            (f64::from_bits(1), "0x0.0000000000001p-1022"),
        ] {
            assert_eq!(literal(&value), expected, "{value:?}");
        }
        assert_eq!(literal(&0.1_f32), "0x1.99999ap-4f");
        assert_eq!(literal(&f32::from_bits(1)), "0x1p-149f", "below the normal numbers of f32");
        assert_eq!(literal(&f32::MAX), "0x1.fffffep+127f");
    }
}
