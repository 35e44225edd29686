//! The features of a channel in C: which number stands where.

use mercer::signal::{Feature, outputs};

use super::statistics::Wanted;
use super::when;
use crate::front::Front;

/// `NAME_extract`, with the functions of single features.
pub(super) fn source(front: &Front, wanted: &Wanted) -> String {
    let features = &front.features;
    let has = |feature| features.contains(&feature);
    let mut place = 0;
    let mut writes = String::new();
    for &feature in features {
        writes += &write(feature, place, wanted);
        place += feature.outputs();
    }
    let bands = features.iter().any(|feature| matches!(feature, Feature::Bands(_)));
    let returned = if wanted.floor { "int" } else { "void" };
    [
        when(has(Feature::Rms), RMS),
        when(has(Feature::Crest), CREST),
        when(wanted.floor, AT_LEAST),
        when(wanted.logarithms, LOG),
        when(wanted.floor, "\n/* Writes the features of a channel; returns how many are logarithms at the floor. */\n"),
        when(!wanted.floor, "\n/* Writes the features of a channel. */\n"),
        &format!("static {returned} name_extract(name_monitor *monitor, int channel)\n{{\n"),
        "    const name_statistics found = name_measure(monitor, channel);\n",
        &format!("    float *const out = monitor->reading + channel * {};\n", outputs(features)),
        when(wanted.floor, "    int floored = 0;\n"),
        when(wanted.spectrum, "    float log_factor = 0.0f;\n"),
        when(bands, "    int i;\n"),
        "\n",
        when(wanted.spectrum, "    if (found.min < found.max) {\n        log_factor = name_transform(monitor, channel, &found.origin);\n    }\n"),
        // No other feature may have looked at it.
        when(bands && !wanted.spectrum, "    (void)found;\n"),
        &writes,
        when(wanted.floor, "    return floored;\n"),
        "}\n",
    ]
    .concat()
}

/// Writes a feature to its place.
fn write(feature: Feature, place: usize, wanted: &Wanted) -> String {
    let unless_equal = |value: &str| format!("found.min < found.max ? {value} : 0.0f");
    let value = match feature {
        Feature::Mean => "found.mean".into(),
        Feature::Std => "found.deviation".into(),
        Feature::LogStd => "name_log(found.deviation, &floored)".into(),
        Feature::Rms => "name_rms(fabsf(found.mean), found.deviation)".into(),
        Feature::PeakToPeak => "found.max - found.min".into(),
        Feature::Min => "found.min".into(),
        Feature::Max => "found.max".into(),
        Feature::Crest => unless_equal("name_crest(&found)"),
        Feature::Skew => unless_equal("found.third / (found.second * sqrtf(found.second))"),
        Feature::Kurt => unless_equal("found.fourth / (found.second * found.second) - 3.0f"),
        Feature::Mad => "found.step".into(),
        Feature::LogMad => "name_log(found.step, &floored)".into(),
        Feature::ZeroCrossings => "(float)found.crossings".into(),
        Feature::Bands(bands) => return write_bands(bands, place, wanted),
    };
    format!("    out[{place}] = {value};\n")
}

fn write_bands(bands: u8, place: usize, wanted: &Wanted) -> String {
    let energy = match wanted.spectrum {
        true => {
            format!(
                "found.min < found.max ? name_log_energy(monitor->spectrum, name_bands{bands}[i], name_bands{bands}[i + 1]) + log_factor : -INFINITY"
            )
        }
        false => "-INFINITY".into(),
    };
    format!(
        "    for (i = 0; i < {bands}; i++) {{\n        const float log = {energy};\n\n        out[{place} + i] = name_at_least(log, 2.0f * NAME_LEAST, &floored);\n    }}\n"
    )
}

const RMS: &str = r#"
/* Of a right triangle with mean and deviation as its sides. */
static float name_rms(float mean, float deviation)
{
    const float larger = mean > deviation ? mean : deviation;
    const float smaller = mean > deviation ? deviation : mean;
    float ratio;

    if (!(smaller > 0.0f)) {
        return larger;
    }
    ratio = smaller / larger;
    return larger * sqrtf(1.0f + ratio * ratio);
}
"#;

const CREST: &str = r#"
/* The largest distance from the mean, in deviations. */
static float name_crest(const name_statistics *found)
{
    const float above = name_centred(&found->origin, found->max);
    const float below = -name_centred(&found->origin, found->min);

    return (below > above ? below : above) / sqrtf(found->second);
}
"#;

const AT_LEAST: &str = r#"
static float name_at_least(float log, float least, int *floored)
{
    if (log > least) {
        return log;
    }
    ++*floored;
    return least;
}
"#;

const LOG: &str = r#"
static float name_log(float value, int *floored)
{
    return name_at_least(value > NAME_FLOOR ? name_ln(value) : NAME_LEAST, NAME_LEAST, floored);
}
"#;
