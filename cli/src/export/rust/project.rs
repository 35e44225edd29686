//! A projector as a `static` in Rust: features, and no verdict.

use mercer::Error;

use super::{
    ALLOW, ALLOW_NUMBERS, VERSION, beginning, kernel, literal, projection_test, scaling,
    scaling_type,
};
use crate::export::leading::Leading;
use crate::export::vectors::projected;
use crate::export::{Name, list};
use crate::text::thousands;
use crate::{Number, escape};

/// The source file.
///
/// # Errors
/// Those of a model whose sizes do not match.
pub(crate) fn rust_projector<T: Number>(
    leading: &Leading<'_, T>,
    name: &Name,
) -> Result<String, Error> {
    let beginning = beginning(leading.whole, name, VERSION)?;
    let sizes = (leading.model.inputs(), leading.model.components());
    let test = projection_test(&projected(leading), sizes, name);
    Ok(beginning + &components(leading, name) + &projector(leading, name)? + &test)
}

/// Names of the components, and what they explain.
pub(crate) fn components<T: Number>(leading: &Leading<'_, T>, name: &Name) -> String {
    let (upper, number, count) = (name.upper(), T::NAMES[0], leading.model.components());
    format!(
        r#"/// Names of the components of [`{upper}`], in the order of a projection.
#[rustfmt::skip]
{ALLOW}
pub const {upper}_COMPONENTS: [&str; {count}] = [{names}];

/// Which share of the variance each component explains.
#[rustfmt::skip]
{ALLOW_NUMBERS}
pub const {upper}_EXPLAINED: [{number}; {count}] = [{explained}];

"#,
        names = list(&leading.names(), |name| escape::rust_string(name)),
        explained = list(&leading.explained(), literal),
    )
}

/// The documented `static`.
fn projector<T: Number>(leading: &Leading<'_, T>, name: &Name) -> Result<String, Error> {
    let (alias, name) = (name.camel(), name.upper());
    let model = &leading.model;
    let mut docs = leading.facts('`', escape::rust_comment)?;
    docs.push(format!(
        "flash: {} bytes; as a detector {}",
        thousands(leading.flash()),
        thousands(leading.whole.flash())
    ));
    let docs: String = docs.iter().map(|fact| format!("/// - {fact}\n")).collect();
    let (kernel_type, kernel) = kernel(&model.kernel);
    let (number, inputs) = (T::NAMES[0], model.inputs());
    let (points, components) = (model.points.rows(), model.components());
    let rows = |rows: &mut dyn Iterator<Item = &[T]>| -> String {
        rows.map(|row| format!("        [{}],\n", list(row, literal))).collect()
    };
    Ok(format!(
        r#"/// The type of [`{name}`].
#[rustfmt::skip]
{ALLOW}
pub type {alias} =
    ::mercer::Projector<{kernel_type}, [{number}; {inputs}], {points}, {components}{scaling_type}>;

/// Features of readings: components that `mercer fit` learned, without a threshold.
///
{docs}///
/// ```text
/// const _: () = assert!({name}_INPUTS.len() == SENSORS, "trained for other sensors");
/// let features = {name}.project(&x)?;
/// ```
#[rustfmt::skip]
{ALLOW_NUMBERS}
pub static {name}: {alias} = {alias}::in_flash(
    {scaling},
    {kernel},
    [
{point_rows}    ],
    [
{weight_rows}    ],
    [{offsets}],
)
.expect("{name} is not what `mercer export` wrote: `Projector::from_parts` says what is wrong with it");
"#,
        scaling_type = scaling_type(&model.floor, number),
        scaling = scaling(&model.mean, &model.deviation, &model.floor),
        point_rows = rows(&mut model.points.iter_rows()),
        weight_rows = rows(&mut model.weights.weights.iter_rows()),
        offsets = list(&model.weights.offsets, literal),
    ))
}
