//! A detector in integers for the firmware: converted here, so that the conversion is not in there.

use std::fmt::Debug;

use anyhow::Result;
use mercer::QuantisedDetector;
use mercer::detect::LogQuantisedDetector;

#[allow(dead_code, reason = "what the firmware works on; here it is only the detectors")]
#[path = "../../../tests/device/bench/inputs.rs"]
mod inputs;

/// An implementation of `Integers` in tests/device/bench/scoring.rs for a type of this name, of
/// inputs as they are or of logarithms; in the shape [`super::plan::SCORE`].
pub(crate) fn integers(name: &str, logarithms: bool) -> Result<String> {
    let literal = if logarithms {
        let mut detector = LogQuantisedDetector::<8, 64, 4>::new();
        detector.quantise(&inputs::logarithmic::<8, 64, 4>())?;
        literal(detector.model())
    } else {
        let mut detector = QuantisedDetector::<8, 64, 4>::new();
        detector.quantise(&inputs::detector::<8, 64, 4>())?;
        literal(detector.model())
    };
    Ok(format!(
        "use mercer::detect::quantised::*;\nstruct {name};\nimpl Integers<8, 64, 4> for {name} {{\n    \
         const MODEL: QuantisedModel<8, 64, 4> = {literal};\n}}\n"
    ))
}

/// What `derive(Debug)` writes of structs, arrays and finite numbers is Rust.
fn literal(model: &impl Debug) -> String {
    format!("{model:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_a_detector() {
        for logarithms in [false, true] {
            let text = integers("Model", logarithms).unwrap();
            assert_eq!(text.matches("QuantisedPoint {").count(), 64);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}
