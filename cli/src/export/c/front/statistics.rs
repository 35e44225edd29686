//! Statistics of a channel in C, in the passes of `mercer::signal`: what its features are made of
//! in the time domain.

use mercer::signal::Feature;

use super::when;
use crate::front::Front;

/// What a recipe needs.
pub(super) struct Wanted {
    /// The mean of all samples.
    pub(super) mean: bool,
    /// Samples less that.
    pub(super) centre: bool,
    pub(super) steps: bool,
    pub(super) squares: bool,
    pub(super) cubes: bool,
    pub(super) crossings: bool,
    pub(super) spectrum: bool,
    /// Logarithms of deviations or mean differences.
    pub(super) logarithms: bool,
    /// The floor of logarithms.
    pub(super) floor: bool,
}

impl Wanted {
    pub(super) fn by(front: &Front) -> Self {
        use Feature::*;
        let has = |wanted: fn(&Feature) -> bool| front.features.iter().any(wanted);
        let bands = has(|feature| matches!(feature, Bands(_)));
        let logarithms = has(|feature| matches!(feature, LogStd | LogMad));
        let squares = has(|feature| matches!(feature, Std | LogStd | Rms | Crest | Skew | Kurt));
        let crossings = has(|feature| matches!(feature, ZeroCrossings));
        // A single sample has no energy in any band.
        let spectrum = bands && front.window > 1;
        let centre = squares || crossings || spectrum;
        Self {
            mean: centre || has(|feature| matches!(feature, Mean)),
            centre,
            steps: has(|feature| matches!(feature, Mad | LogMad)),
            squares,
            cubes: has(|feature| matches!(feature, Skew | Kurt)),
            crossings,
            spectrum,
            logarithms,
            floor: logarithms || bands,
        }
    }

    /// Is the logarithm of anything taken?
    pub(super) fn ln(&self) -> bool {
        self.logarithms || self.spectrum
    }
}

/// `NAME_measure`, which makes the passes that are needed.
pub(super) fn source(wanted: &Wanted) -> String {
    let Wanted { mean, centre, steps, squares, cubes, crossings, .. } = *wanted;
    let (sums, is_summed) = (first_sums(wanted), mean || steps);
    [
        when(centre, ORIGIN),
        "\n/* Of samples that are all equal: zeros, but for least, largest and mean. */\ntypedef struct name_statistics {\n    float min;\n    float max;\n",
        when(mean, "    float mean;\n"),
        when(steps, "    float step;\n"),
        when(squares, "    float deviation;\n    float second;\n"),
        when(cubes, "    float third;\n    float fourth;\n"),
        when(crossings, "    int crossings;\n"),
        when(centre, "    name_origin origin;\n"),
        "} name_statistics;\n",
        when(is_summed, "\n/* Samples are added up 32 at a time, so that little is lost to rounding in long windows. */\n#define NAME_BLOCK 32\n"),
        "\nstatic name_statistics name_measure(const name_monitor *monitor, int channel)\n{\n",
        "    const float first = name_value(monitor, channel, 0);\n",
        "    name_statistics found = {0};\n",
        "    float min = first, max = first;\n",
        when(mean, "    float sum = 0.0f, rest = 0.0f, rough, shift;\n"),
        when(steps, "    float previous = first, steps = 0.0f;\n"),
        when(squares, "    float squares = 0.0f;\n"),
        when(cubes, "    float cubes = 0.0f, fourths = 0.0f;\n"),
        when(crossings, "    uint32_t before;\n"),
        when(is_summed, "    int start, end;\n"),
        "    int i;\n\n",
        &pass(LOOK, &sums, when(steps, "previous = x;\n")),
        "    found.min = min;\n    found.max = max;\n",
        when(mean, "    found.mean = first;\n"),
        when(is_summed, "    if (!(min < max)) {\n        return found;\n    }\n"),
        when(steps, "    found.step = steps / ((float)NAME_WINDOW - 1.0f);\n"),
        when(mean, "    rough = sum / (float)NAME_WINDOW;\n"),
        when(mean, &pass("\n", &[("rest", "(x - first) - rough")], "")),
        when(mean, "    shift = rough + rest / (float)NAME_WINDOW;\n    found.mean = first + shift;\n"),
        when(centre, "    found.origin = name_origin_of(first, shift, max - min);\n"),
        when(crossings, "    before = name_bits(name_centred(&found.origin, first));\n"),
        when(squares || crossings, &moments(wanted)),
        "    return found;\n}\n",
    ]
    .concat()
}

const LOOK: &str = "\nmin = x < min ? x : min;\nmax = x > max ? x : max;\n";

/// What is added up while the least and the largest sample are looked for.
fn first_sums(wanted: &Wanted) -> Vec<(&'static str, &'static str)> {
    let mut sums = Vec::new();
    if wanted.mean {
        sums.push(("sum", "x - first"));
    }
    if wanted.steps {
        sums.push(("steps", "fabsf(x - previous)"));
    }
    sums
}

/// The pass over samples less their mean, and what follows from it.
fn moments(wanted: &Wanted) -> String {
    let mut sums = Vec::new();
    if wanted.squares {
        sums.push(("squares", "c * c"));
    }
    if wanted.cubes {
        sums.extend([("cubes", "c * c * c"), ("fourths", "(c * c) * (c * c)")]);
    }
    let cross = "/* A difference of equal numbers is +0, hence above. */\nfound.crossings += (int)((name_bits(c) ^ before) >> 31);\nbefore = name_bits(c);\n";
    [
        &pass(
            "const float c = name_centred(&found.origin, x);\n\n",
            &sums,
            when(wanted.crossings, cross),
        ),
        when(wanted.squares, "    found.second = squares / (float)NAME_WINDOW;\n    found.deviation = sqrtf(found.second) / found.origin.per_unit;\n"),
        when(wanted.cubes, "    found.third = cubes / (float)NAME_WINDOW;\n    found.fourth = fourths / (float)NAME_WINDOW;\n"),
    ]
    .concat()
}

/// A loop over the samples `x` of a window, with statements before and after some sums of terms: a
/// block of samples after the other.
fn pass(before: &str, sums: &[(&str, &str)], after: &str) -> String {
    let indented = |depth: usize, lines: &str| -> String {
        let indent = " ".repeat(4 * depth);
        let line =
            |line: &str| if line.is_empty() { "\n".into() } else { format!("{indent}{line}\n") };
        lines.lines().map(line).collect()
    };
    let sample = "const float x = name_value(monitor, channel, i);\n";
    let terms: String =
        sums.iter().map(|(sum, term)| format!("{sum}_of_block += {term};\n")).collect();
    let body = [sample, before, &terms, after].concat();
    if sums.is_empty() {
        let body = indented(2, &body);
        return format!("    for (i = 0; i < NAME_WINDOW; i++) {{\n{body}    }}\n");
    }
    let zeros: Vec<String> = sums.iter().map(|(sum, _)| format!("{sum}_of_block = 0.0f")).collect();
    let totals: String =
        sums.iter().map(|(sum, _)| format!("        {sum} += {sum}_of_block;\n")).collect();
    format!(
        r#"    for (start = 0; start < NAME_WINDOW; start = end) {{
        float {zeros};

        end = NAME_WINDOW - start > NAME_BLOCK ? start + NAME_BLOCK : NAME_WINDOW;
        for (i = start; i < end; i++) {{
{body}        }}
{totals}    }}
"#,
        zeros = zeros.join(", "),
        body = indented(3, &body),
    )
}

const ORIGIN: &str = r#"
/* How to bring samples to their mean, in units of the power of two below their range: it changes no bit, and nothing overflows. */
typedef struct name_origin {
    float first;
    float shift;
    float per_unit;
    int exponent;
} name_origin;

static name_origin name_origin_of(float first, float shift, float range)
{
    const uint32_t exponent = name_bits(range) >> 23;
    /* The numbers below all powers that have an inverse share the smallest of them. */
    const uint32_t biased = exponent > 1u ? exponent : 1u;
    name_origin origin;

    origin.first = first;
    origin.per_unit = name_from_bits((254u - biased) << 23);
    origin.shift = shift * origin.per_unit;
    origin.exponent = (int)biased - 127;
    return origin;
}

static float name_centred(const name_origin *origin, float x)
{
    return (x - origin->first) * origin->per_unit - origin->shift;
}
"#;
