//! A test of itself in Rust: readings, and what was said of them when the model was exported.

use super::{ALLOW_NUMBERS, literal};
use crate::Number;
use crate::export::vectors::{ProjectedVector, Vector};
use crate::export::{Name, list};

/// What an alarm is updated with, where `x` is a reading and `verdict` that of the detector.
#[derive(Clone, Copy)]
pub(crate) enum Judge {
    /// The verdict, of numbers of this type.
    Floats(&'static str),
    /// A verdict in whole numbers.
    Integers,
}

/// The function.
pub(crate) fn self_test<T: Number>(
    vectors: &[Vector<T>],
    inputs: usize,
    name: &Name,
    judge: Judge,
) -> String {
    let (number, count) = (T::NAMES[0], vectors.len());
    let (alarm_number, state) = match judge {
        Judge::Floats(number) => (number, "alarm.update(&verdict)".to_string()),
        Judge::Integers => (
            "u64",
            format!(
                "match {}.judge(x) {{
            ::core::result::Result::Ok(judged) => alarm.update(&judged),
            ::core::result::Result::Err(_) => return ::core::result::Result::Err(index),
        }}",
                name.upper()
            ),
        ),
    };
    let rows: String = vectors
        .iter()
        .map(|Vector { reading, spe, unusual, raised }| {
            format!(
                "        ([{}], {}, {unusual}, {raised}),\n",
                list(reading, literal),
                literal(spe)
            )
        })
        .collect();
    format!(
        r#"
/// Scores some readings whose scores and alarms were known when [`{upper}`] was exported, as at boot. Not in the image of a firmware that does not call it.
///
/// # Errors
/// Which reading, from 0 on, is the first of which something else came.
#[rustfmt::skip]
{ALLOW_NUMBERS}
pub fn {lower}_self_test() -> ::core::result::Result<(), usize> {{
    // Readings, their SPE, whether that is unusual, and whether an alarm is up after them.
    static VECTORS: [([{number}; {inputs}], {number}, bool, bool); {count}] = [
{rows}    ];
    let mut alarm = match ::mercer::Alarm::<{alarm_number}>::new(::mercer::AlarmConfig::DEFAULT) {{
        ::core::result::Result::Ok(alarm) => alarm,
        ::core::result::Result::Err(_) => return ::core::result::Result::Err(0),
    }};
    for (index, (x, spe, unusual, raised)) in VECTORS.iter().enumerate() {{
        let verdict = match {upper}.score(x) {{
            ::core::result::Result::Ok(verdict) => verdict,
            ::core::result::Result::Err(_) => return ::core::result::Result::Err(index),
        }};
        let state = {state};
        let is_raised = ::core::matches!(state, ::mercer::AlarmState::Raised);
        if verdict.score.spe.to_bits() != spe.to_bits() || verdict.unusual != *unusual || is_raised != *raised {{
            return ::core::result::Result::Err(index);
        }}
    }}
    ::core::result::Result::Ok(())
}}
"#,
        upper = name.upper(),
        lower = name.lower(),
    )
}

/// The function of a projector.
pub(crate) fn projection_test<T: Number>(
    vectors: &[ProjectedVector<T>],
    (inputs, components): (usize, usize),
    name: &Name,
) -> String {
    let (number, count) = (T::NAMES[0], vectors.len());
    let row = |vector: &ProjectedVector<T>| {
        let (reading, projection) =
            (list(&vector.reading, literal), list(&vector.projection, literal));
        format!("        ([{reading}], [{projection}]),\n")
    };
    let rows: String = vectors.iter().map(row).collect();
    format!(
        r#"
/// Projects some readings whose projections were known when [`{upper}`] was exported, as at boot. Not in the image of a firmware that does not call it.
///
/// # Errors
/// Which reading, from 0 on, is the first of which something else came.
#[rustfmt::skip]
{ALLOW_NUMBERS}
pub fn {lower}_self_test() -> ::core::result::Result<(), usize> {{
    // Readings and their projections.
    static VECTORS: [([{number}; {inputs}], [{number}; {components}]); {count}] = [
{rows}    ];
    for (index, (x, expected)) in VECTORS.iter().enumerate() {{
        let same = match {upper}.project(x) {{
            ::core::result::Result::Ok(found) => found.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits()),
            ::core::result::Result::Err(_) => false,
        }};
        if !same {{
            return ::core::result::Result::Err(index);
        }}
    }}
    ::core::result::Result::Ok(())
}}
"#,
        upper = name.upper(),
        lower = name.lower(),
    )
}
