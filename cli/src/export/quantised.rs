//! A model in integers, for cores without an FPU: what `QuantisedDetector::quantise` makes of it,
//! or of its leading components, as a `static` in Rust or C, or as bytes.
//!
//! Unlike a detector, a quantised one is made by code whose sizes are constants; so there is one
//! copy of it for each number of inputs, and room for the most points and components that are worth
//! quantising.

use anyhow::{Context, Result, ensure};
use mercer::detect::persist::EncodeScaling;
use mercer::detect::quantised::{Component, QuantisedPoint};
use mercer::detect::{LogDetector, LogQuantisedDetector, LogScaling, Scaling, Threshold};
use mercer::{Alarm, AlarmConfig, AlarmState, QuantisedDetector};

use super::c::{Whole, WholePoint};
use super::vectors::{ProjectedVector, Vector, candidates};
use super::{Leading, Name, facts, rust};
use crate::model::Model;
use crate::text::thousands;
use crate::{KernelSpec, Number, Precision, escape};

const MOST_INPUTS: usize = 32;
const MOST_POINTS: usize = 128;
const MOST_COMPONENTS: usize = 64;

/// A quantised model for firmware.
pub(crate) struct Quantised {
    /// The Rust file.
    pub source: String,
    /// What `QuantisedDetector::read_from` reads.
    pub bytes: Vec<u8>,
    /// Bytes of it as a `static`.
    pub flash: usize,
    /// Its numbers, for C.
    pub whole: Whole,
}

/// Quantises a model, or its leading components.
///
/// # Errors
/// For other kernels than the Gaussian, other numbers than `f32`, models that are too large, and
/// whatever `QuantisedDetector::quantise` refuses.
pub(crate) fn quantise<T: Number>(
    model: &Model<T>,
    leading: Option<&Leading<'_, T>>,
    name: &Name,
) -> Result<Quantised> {
    let gaussian = matches!(model.kernel, KernelSpec::Rbf { .. });
    ensure!(
        gaussian && T::PRECISION == Precision::F32,
        "only models with kernel rbf in f32 can be quantised"
    );
    for (what, size, most) in [
        ("inputs", model.inputs(), MOST_INPUTS),
        ("landmarks", model.points.rows(), MOST_POINTS),
        ("components", model.components(), MOST_COMPONENTS),
    ] {
        ensure!(size <= most, "{size} {what} are more than a quantised model can have: {most}");
    }
    let bytes = model.device_bytes()?;
    let facts = match leading {
        Some(leading) => leading.facts('`', escape::rust_comment)?,
        None => facts(model, '`', escape::rust_comment)?,
    };
    let wanted = leading.map(|leading| leading.model.components());
    let narrow = |reading: Vec<T>| reading.iter().map(|x| x.to_f64() as f32).collect();
    let readings: Vec<Vec<f32>> = candidates(model).into_iter().map(narrow).collect();
    macro_rules! for_inputs {
        ($($inputs:literal)*) => {
            match model.inputs() {
                $($inputs => quantise_inputs::<$inputs>(&bytes, wanted, &facts, name, readings),)*
                _ => unreachable!("the number of inputs was checked"),
            }
        };
    }
    let mut made = for_inputs!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32)?;
    let components = leading.map(|leading| rust::components(leading, name)).unwrap_or_default();
    made.source = rust::beginning(model, name, VERSION)? + &components + &made.source;
    Ok(made)
}

/// What pins the format of the source, and its number.
const VERSION: (&str, u16) = (
    "detect::quantised::QUANTISED_FORMAT_VERSION",
    mercer::detect::quantised::QUANTISED_FORMAT_VERSION,
);

fn quantise_inputs<const D: usize>(
    detector_bytes: &[u8],
    wanted: Option<usize>,
    facts: &[String],
    name: &Name,
    readings: Vec<Vec<f32>>,
) -> Result<Quantised> {
    // Those without logarithmic inputs are read and written all the same.
    let mut detector = Box::new(LogDetector::<D, MOST_POINTS, MOST_COMPONENTS>::new());
    detector.read_from(detector_bytes)?;
    let mut quantised = Box::new(LogQuantisedDetector::<D, MOST_POINTS, MOST_COMPONENTS>::new());
    quantised.quantise(&detector).context("this model cannot be quantised")?;
    let mut bytes = vec![0; quantised.encoded_len()];
    quantised.write_to(&mut bytes)?;

    let model = quantised.model();
    let mut header = model.header;
    let (points, components) =
        (header.points as usize, wanted.unwrap_or(header.components as usize));
    header.components = components as _;
    let room = points.next_multiple_of(2);
    let LogScaling { scaling: Scaling { mean, deviation, .. }, floor, .. } = quantised.scaling();
    let floor = if quantised.scaling().has_floors() { floor.as_slice() } else { &[] };
    let threshold = if wanted.is_some() { size_of::<Threshold<f32>>() } else { 0 };
    let flash = flash::<D>(room, components) + size_of_val(floor) - threshold;
    let (kind, what, end) = match wanted {
        Some(_) => (
            "detect::quantised::QuantisedProjector",
            "Features of readings in integers, for cores without an FPU: components",
            String::new(),
        ),
        None => (
            "QuantisedDetector",
            "A detector of unusual readings in integers, for cores without an FPU,",
            format!("\n        {},", rust::threshold(quantised.threshold())),
        ),
    };
    let point_rows: String = model.points[..room]
        .iter()
        .map(|point| {
            format!(
                "            QuantisedPoint {{ half_length: {}, coordinates: {:?}, weights: {:?}, centre: {} }},\n",
                point.half_length,
                point.coordinates,
                &point.weights[..components],
                point.centre
            )
        })
        .collect();
    let rows = |values: Vec<String>| -> String {
        values.iter().map(|value| format!("            {value},\n")).collect()
    };
    let docs: String = facts.iter().map(|fact| format!("/// - {fact}\n")).collect();
    let source = format!(
        r#"/// The type of [`{upper}`].
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub type {alias} = ::mercer::{kind}<{D}, {room}, {components}{scaling_type}>;

/// {what} that `mercer fit` learned and `mercer export` quantised.
///
{docs}/// - flash: {flash_text} bytes
#[rustfmt::skip]
{allow}
pub static {upper}: {alias} = {{
    use ::mercer::detect::quantised::{{Component, Input, QuantisedHeader, QuantisedModel, QuantisedPoint}};
    let detector = {alias}::from_parts(
        {scaling},
        QuantisedModel {{
            header: {header:?},
            inputs: [
{inputs}            ],
            points: [
{point_rows}            ],
            components: [
{component_rows}            ],
        }},{end}
    );
    match detector {{
        ::core::result::Result::Ok(detector) => detector,
        ::core::result::Result::Err(_) => ::core::panic!("{upper} is not what `mercer export` wrote: `{alias}::from_parts` says what is wrong with it"),
    }}
}};
"#,
        flash_text = thousands(flash),
        allow = rust::ALLOW_NUMBERS,
        upper = name.upper(),
        alias = name.camel(),
        scaling_type = rust::scaling_type(floor, "f32"),
        scaling = rust::scaling(mean, deviation, floor),
        header = header,
        inputs = rows(model.inputs.iter().map(|input| format!("{input:?}")).collect()),
        component_rows =
            rows(model.components[..components].iter().map(|c| format!("{c:?}")).collect()),
    );
    let projected = projected(&quantised, &readings, components);
    let vectors = vectors(&quantised, readings);
    let source = source
        + &match wanted {
            Some(_) => rust::projection_test(&projected, (D, components), name),
            None => rust::self_test(&vectors, D, name, rust::Judge::Integers),
        };
    let usual = quantised.usual();
    let whole = Whole {
        header,
        inputs: model.inputs.to_vec(),
        floors: floor.to_vec(),
        points: model.points[..room].iter().map(|point| whole_point(point, components)).collect(),
        components: model.components[..components].to_vec(),
        verdict: quantised.judge_counts(&[0; D])?,
        negative: quantised.threshold().spe < 0.0,
        vectors,
        projected,
        units: quantised.units().to_vec(),
        usual: (usual.0.to_vec(), usual.1.to_vec()),
    };
    Ok(Quantised { source, bytes, flash, whole })
}

/// What the quantised detector says of some readings.
fn vectors<const D: usize>(
    detector: &LogQuantisedDetector<D, MOST_POINTS, MOST_COMPONENTS>,
    readings: Vec<Vec<f32>>,
) -> Vec<Vector<f32>> {
    let Ok(mut alarm) = Alarm::<u64>::new(AlarmConfig::DEFAULT) else { return Vec::new() };
    let judged = readings.into_iter().filter_map(|reading| {
        let x = reading.as_slice().try_into().ok()?;
        let (verdict, whole) = (detector.score(x).ok()?, detector.judge(x).ok()?);
        let raised = alarm.update(&whole) == AlarmState::Raised;
        Some(Vector { reading, spe: verdict.score.spe, unusual: verdict.unusual, raised })
    });
    judged.collect()
}

/// Its projections of some readings.
fn projected<const D: usize>(
    detector: &LogQuantisedDetector<D, MOST_POINTS, MOST_COMPONENTS>,
    readings: &[Vec<f32>],
    components: usize,
) -> Vec<ProjectedVector<f32>> {
    let project = |reading: &Vec<f32>| {
        let projection = detector.project(reading.as_slice().try_into().ok()?).ok()?;
        let projection = projection.iter().take(components).copied().collect();
        Some(ProjectedVector { reading: reading.clone(), projection })
    };
    readings.iter().filter_map(project).collect()
}

fn whole_point<const D: usize, const P: usize>(
    point: &QuantisedPoint<D, P>,
    components: usize,
) -> WholePoint {
    WholePoint {
        half_length: point.half_length,
        coordinates: point.coordinates.to_vec(),
        weights: point.weights[..components].to_vec(),
        centre: point.centre,
    }
}

/// `QuantisedDetector::SIZE` for sizes that are known at run time.
fn flash<const D: usize>(points: usize, components: usize) -> usize {
    // What depends on neither is that of the smallest detector, less its points and its component.
    let rest = size_of::<QuantisedDetector<D, 2, 1>>()
        - 2 * size_of::<QuantisedPoint<D, 1>>()
        - size_of::<Component>();
    let point = size_of::<u32>() + (D + components + 1) * size_of::<u16>();
    rest + points * point.next_multiple_of(align_of::<u32>()) + components * size_of::<Component>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_at_run_time_are_those_of_the_types() {
        assert_eq!(flash::<1>(2, 1), QuantisedDetector::<1, 2, 1>::SIZE);
        assert_eq!(flash::<6>(12, 8), QuantisedDetector::<6, 12, 8>::SIZE);
        assert_eq!(flash::<12>(48, 24), QuantisedDetector::<12, 48, 24>::SIZE);
        assert_eq!(flash::<7>(10, 5), QuantisedDetector::<7, 10, 5>::SIZE);
    }
}
