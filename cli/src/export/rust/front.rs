//! The front end of a model: its recipe as a type, with that of a stream and of a monitor for it.

use super::super::{Name, list};
use super::ALLOW;
use crate::front::Front;
use crate::samples::SampleType;
use crate::text::thousands;
use crate::{Number, escape};

/// What stands behind a detector or a projector: the recipe, and a stream for it.
pub(crate) fn stream_source(front: &Front, name: &Name, samples: SampleType) -> String {
    let (alias, upper) = (name.camel(), name.upper());
    let signal = |kind: &str, items: &[String]| {
        let path = |item: &String| format!("::mercer::signal::{kind}::{item}");
        format!(
            "const {}S: &'static [::mercer::signal::{kind}] = &[{}];",
            kind.to_uppercase(),
            list(items, path)
        )
    };
    let debug = |item: &dyn std::fmt::Debug| format!("{item:?}");
    let features: Vec<String> = front.features.iter().map(|feature| debug(feature)).collect();
    let operators: Vec<String> = front.operators.iter().map(|operator| debug(operator)).collect();
    let recipe = [
        signal("Feature", &features),
        format!("const FLOOR: f32 = {:?};", front.floor),
        format!("const SCALES: &'static [f32] = &{:?};", front.scales),
        signal("Operator", &operators),
        format!(
            "const CHANNELS: &'static [&'static str] = &[{}];",
            list(&front.channels, |name| escape::rust_string(name))
        ),
    ]
    .map(|line| format!("    {line}\n"))
    .concat();
    let sample = samples.rust();
    let (channels, window, hop) = (front.channels.len(), front.window, front.hop);
    format!(
        r#"
/// What makes readings of raw samples for [`{upper}`]: {description}.
#[rustfmt::skip]
{ALLOW}
#[derive(Clone, Copy, Debug)]
pub struct {alias}Front;

#[rustfmt::skip]
{ALLOW}
impl ::mercer::signal::FrontEnd for {alias}Front {{
{recipe}
}}

/// Raw samples of {channels} channels in, readings for [`{upper}`] out: about {ram} bytes of RAM.
#[rustfmt::skip]
{ALLOW}
pub type {alias}Stream = ::mercer::stream!({alias}Front, {sample}, {channels}, {window}, {hop});
"#,
        description = escape::rust_comment(&front.description()),
        ram = thousands(front.ram(samples)),
    )
}

/// What stands behind that of a detector: a monitor.
pub(crate) fn monitor_source<T: Number>(front: &Front, name: &Name) -> String {
    let (alias, upper) = (name.camel(), name.upper());
    // An f64 detector takes readings widened.
    let reading = match T::NAMES[0] {
        "f32" => String::new(),
        number => format!(", [{number}; {}]", front.inputs()),
    };
    format!(
        r#"
/// Raw samples in, verdicts of [`{upper}`] and alarms out.
///
/// ```text
/// static STREAM: ConstStaticCell<{alias}Stream> = ConstStaticCell::new({alias}Stream::new());
/// let mut monitor = {alias}Monitor::new(&{upper}, STREAM.take());
/// if let Some(outcome) = monitor.push(&sample)? && outcome.alarm.is_active() {{
///     let suspect = monitor.suspect()?;
/// }}
/// ```
#[rustfmt::skip]
{ALLOW}
pub type {alias}Monitor<'a> =
    ::mercer::Monitor<&'a {alias}, &'a mut {alias}Stream{reading}>;
"#
    )
}
