//! Projections in C: a function of every detector, and all that there is of a projector.

use mercer::Error;

use super::front::{FrontParts, Question};
use super::kernel::KernelParts;
use super::{CSource, literal, projection_data, scale, stdint, suffix};
use crate::export::leading::Leading;
use crate::export::{Name, list};
use crate::model::Model;
use crate::samples::SampleType;
use crate::{Number, escape};

/// What stands in the header.
pub(super) fn declaration<T: Number>(name: &Name) -> String {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    format!(
        "/* Projects a raw reading on the components. Returns 0, or -1 - i if input i is not finite or too large to be scaled, or {upper}_UNUSABLE; out is then as before.\n\
         \x20*\n\
         \x20* Projections are those of `mercer project` but for rounding. */\n\
         int {lower}_project(const {number} x[{upper}_INPUTS], {number} out[{upper}_COMPONENTS]);\n"
    )
}

/// The sums over the points: projections, and with a centre also `Σ β_i k_i` and the scaled reading, which scores need.
pub(super) fn sums<T: Number>(
    model: &Model<T>,
    name: &Name,
    parts: &KernelParts,
    centre: bool,
) -> String {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    let (suffix, scale, check) = (suffix::<T>(), scale(model, name), &parts.check);
    let reading = format!("const {number} x[{upper}_INPUTS]");
    let projection = format!("{number} projection[{upper}_COMPONENTS]");
    let scaled = format!("{number} scaled[{upper}_INPUTS]");
    let (parameters, local, start, add) = match centre {
        true => (
            format!("{reading}, {scaled}, {projection}, {number} *centre_product"),
            String::new(),
            format!("    *centre_product = 0.0{suffix};\n"),
            format!("        *centre_product += {lower}_centre[i] * value;\n"),
        ),
        false => (
            format!("{reading}, {projection}"),
            format!("    {scaled};\n"),
            String::new(),
            String::new(),
        ),
    };
    format!(
        r#"/* Scales a raw reading and compares it with all points. Returns 0, or what is wrong with it. */
static int {lower}_sums({parameters})
{{
{local}    int i, j;

    for (i = 0; i < {upper}_INPUTS; i++) {{
{scale}        if (!isfinite(scaled[i])) {{
            return -1 - i;
        }}
    }}
{check}    for (j = 0; j < {upper}_COMPONENTS; j++) {{
        projection[j] = 0.0{suffix};
    }}
{start}    for (i = 0; i < {upper}_POINTS; i++) {{
        const {number} value = {lower}_kernel(scaled, {lower}_points[i]);
{add}        for (j = 0; j < {upper}_COMPONENTS; j++) {{
            projection[j] += {lower}_weights[i][j] * value;
        }}
    }}
    for (j = 0; j < {upper}_COMPONENTS; j++) {{
        projection[j] -= {lower}_offsets[j];
    }}
    return 0;
}}
"#
    )
}

/// The function that a firmware calls.
pub(super) fn project<T: Number>(name: &Name, centre: bool) -> String {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    let (locals, arguments) = match centre {
        true => (
            format!("    {number} scaled[{upper}_INPUTS];\n    {number} centre_product;\n"),
            "x, scaled, projection, &centre_product",
        ),
        false => (String::new(), "x, projection"),
    };
    format!(
        r#"int {lower}_project(const {number} x[{upper}_INPUTS], {number} out[{upper}_COMPONENTS])
{{
{locals}    {number} projection[{upper}_COMPONENTS];
    int j;
    const int code = {lower}_sums({arguments});

    if (code != 0) {{
        return code;
    }}
    for (j = 0; j < {upper}_COMPONENTS; j++) {{
        if (!isfinite(projection[j])) {{
            return {upper}_UNUSABLE;
        }}
    }}
    for (j = 0; j < {upper}_COMPONENTS; j++) {{
        out[j] = projection[j];
    }}
    return 0;
}}
"#
    )
}

/// Header and source of a projector; `header_file` is what the source includes, in quotes.
///
/// # Errors
/// Those of a model whose sizes do not match.
pub(crate) fn c_projector<T: Number>(
    leading: &Leading<'_, T>,
    name: &Name,
    samples: SampleType,
    header_file: &str,
) -> Result<CSource, Error> {
    let front = leading.whole.front.as_ref();
    let front = front.map(|front| FrontParts::new::<T>(front, samples, name, Question::Project));
    let mut source = source(leading, name, header_file);
    source += front.as_ref().map_or("", |front| &front.source);
    Ok(CSource { header: header(leading, name, front)?, source })
}

fn header<T: Number>(
    leading: &Leading<'_, T>,
    name: &Name,
    front: Option<FrontParts>,
) -> Result<String, Error> {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    let facts = leading.facts('"', escape::c_comment)?;
    let facts: String = facts.iter().map(|fact| format!(" * - {fact}\n")).collect();
    Ok(format!(
        r#"/* Made by `mercer export --project`: do not edit.
 *
 * Features of readings: components that `mercer fit` learned, in C99.
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

/* Names of the components, in the order of a projection, and which share of the variance each explains. */
extern const char *const {lower}_component_names[{upper}_COMPONENTS];
extern const {number} {lower}_explained[{upper}_COMPONENTS];

/* The reading is so far out that its projections are not finite; or it has no direction, and the kernel compares directions. */
#define {upper}_UNUSABLE (-1 - {upper}_INPUTS)

{declaration}{front}
#ifdef __cplusplus
}}
#endif

#endif
"#,
        inputs = leading.model.inputs(),
        components = leading.model.components(),
        checksum = leading.whole.checksum()?,
        declaration = declaration::<T>(name),
        stdint = stdint(&front),
        front = front.map(|front| front.header).unwrap_or_default(),
    ))
}

fn source<T: Number>(leading: &Leading<'_, T>, name: &Name, header_file: &str) -> String {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    let model = &leading.model;
    let parts = KernelParts::new(&model.kernel, name);
    let strings = |names: &[String]| -> String {
        names.iter().map(|name| format!("    {},\n", escape::c_string(name))).collect()
    };
    format!(
        r#"/* Made by `mercer export --project`: do not edit. */
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
{inputs}}};

const char *const {lower}_component_names[{upper}_COMPONENTS] = {{
{components}}};

const {number} {lower}_explained[{upper}_COMPONENTS] = {{{explained}}};

{data}
{kernel}
{sums}
{project}"#,
        points = model.points.rows(),
        inputs = strings(&model.columns),
        components = strings(&leading.names()),
        explained = list(&leading.explained(), literal),
        data = projection_data(model, name),
        kernel = parts.functions,
        sums = sums(model, name, &parts, false),
        project = project::<T>(name, false),
    )
}
