//! Projections in C: a function of every detector, and all that there is of a projector.

use mercer::Error;

use super::front::{FrontParts, Question};
use super::kernel::KernelParts;
use super::{
    CSource, Centre, beginning, bits, fill, literal, projection_data, same_export, scale,
    self_test, stdint, strings, tolerance,
};
use crate::export::leading::Leading;
use crate::export::vectors::projected;
use crate::export::{Name, list};
use crate::samples::SampleType;
use crate::{Number, escape};

/// What stands in the header.
pub(super) const DECLARATION: &str = r#"
/* Projects a raw reading on the components. Returns 0, or -1 - i if input i is not finite or too large to be scaled, or NAME_UNUSABLE, or NAME_NULL; out is then as before.
 *
 * Projections are those of `mercer project` but for rounding. */
int name_project(const REAL x[NAME_INPUTS], REAL out[NAME_COMPONENTS]);
"#;

/// The function that a firmware calls.
pub(super) fn project(parts: &KernelParts, centre: Centre) -> String {
    let (local, argument) = match centre {
        Centre::With => ("    REAL centre_product;\n", ", &centre_product"),
        Centre::Without => ("", ""),
    };
    PROJECT
        .replace("LOCAL", local)
        .replace("ARGUMENT", argument)
        .replace("CHECK_DIRECTION", &parts.check)
}

const PROJECT: &str = r#"int name_project(const REAL x[NAME_INPUTS], REAL out[NAME_COMPONENTS])
{
    REAL scaled[NAME_INPUTS], projection[NAME_COMPONENTS];
LOCAL    int j, code;

    if (!x || !out) {
        return NAME_NULL;
    }
    code = name_scale(x, scaled);
    if (code != 0) {
        return code;
    }
CHECK_DIRECTION    name_compare(scaled, projectionARGUMENT);
    for (j = 0; j < NAME_COMPONENTS; j++) {
        if (!isfinite(projection[j])) {
            return NAME_UNUSABLE;
        }
    }
    for (j = 0; j < NAME_COMPONENTS; j++) {
        out[j] = projection[j];
    }
    return 0;
}
"#;

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
    let mut source = source(leading, name, header_file, front.as_ref())?;
    source += front.as_ref().map_or("", |front| &front.source);
    let stdint = stdint(&front);
    Ok(CSource { header: header(leading, name, DECLARATION, stdint, front)?, source })
}

/// The header of a projector, with the declaration of what projects; and what the header includes.
pub(super) fn header<T: Number>(
    leading: &Leading<'_, T>,
    name: &Name,
    declaration: &str,
    stdint: &str,
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
/* A null pointer. */
#define {upper}_NULL (-2 - {upper}_INPUTS)
/* A monitor in memory that nobody prepared: neither all zeros, nor initialised. */
#define {upper}_NOT_READY (-3 - {upper}_INPUTS)
{declaration}{front}
#ifdef __cplusplus
}}
#endif

#endif
"#,
        inputs = leading.model.inputs(),
        components = leading.model.components(),
        checksum = leading.whole.checksum()?,
        declaration = fill::<T>(&[declaration, self_test::PROJECTION_DECLARATION].concat(), name),
        front = front.map(|front| front.header).unwrap_or_default(),
    ))
}

fn source<T: Number>(
    leading: &Leading<'_, T>,
    name: &Name,
    header_file: &str,
    front: Option<&FrontParts>,
) -> Result<String, Error> {
    let upper = name.upper();
    let model = &leading.model;
    let parts = KernelParts::new(model, name, Centre::Without);
    let functions =
        [scale(model), parts.functions.clone(), "\n".into(), project(&parts, Centre::Without)]
            .concat();
    Ok(format!(
        r#"{beginning}{same}
#define {upper}_POINTS {points}

{names}
{data}{bits}{functions}{test}"#,
        test = self_test::projections(&projected(leading), tolerance::<T>(), name),
        beginning = beginning::<T>("mercer export --project", header_file, parts.needs_bits, name),
        points = model.points.rows(),
        names = names(leading, name),
        data = projection_data(model, name),
        bits = bits(&parts, front, name),
        functions = fill::<T>(&functions, name),
        same = leading_export(leading, name)?,
    ))
}

/// Refuses a header that was not exported with the source.
pub(super) fn leading_export<T: Number>(
    leading: &Leading<'_, T>,
    name: &Name,
) -> Result<String, Error> {
    let (inputs, components) = (leading.model.inputs(), leading.model.components());
    Ok(same_export(leading.whole.checksum()?, inputs, components, name))
}

/// Names of inputs and components, and what these explain.
pub(super) fn names<T: Number>(leading: &Leading<'_, T>, name: &Name) -> String {
    let (number, upper, lower) = (T::NAMES[1], name.upper(), name.lower());
    format!(
        r#"
const char *const {lower}_input_names[{upper}_INPUTS] = {{
{inputs}}};

const char *const {lower}_component_names[{upper}_COMPONENTS] = {{
{components}}};

const {number} {lower}_explained[{upper}_COMPONENTS] = {{{explained}}};
"#,
        inputs = strings(&leading.model.columns),
        components = strings(&leading.names()),
        explained = list(&leading.explained(), literal),
    )
}
