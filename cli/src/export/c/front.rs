//! The front end of a model in C: a monitor that takes raw samples, and judges or projects the
//! readings that they come to.
//!
//! Every sum is taken in the order of `mercer::signal`, and the logarithm is the library's:
//! readings are the same bits. What a recipe does not ask for is not written.

mod features;
mod logarithm;
mod operators;
mod spectrum;
mod statistics;
#[cfg(test)]
mod tests;

use mercer::signal::{LARGEST, memory};

use self::statistics::Wanted;
use super::{Name, literal, named};
use crate::front::Front;
use crate::samples::SampleType;
use crate::{Number, Precision, escape};

/// What a front end adds to both files of a model.
pub(super) struct FrontParts {
    pub(super) header: String,
    pub(super) source: String,
    /// Does it take the bits of numbers apart?
    pub(super) needs_bits: bool,
}

/// What is asked of a reading.
#[derive(Clone, Copy)]
pub(super) enum Question {
    Score,
    Project,
}

impl Question {
    /// The same text with the function that answers, what its answer is and where it goes.
    fn fill<T: Number>(self, template: &str) -> String {
        let projection = format!("{} out[NAME_COMPONENTS]", T::NAMES[1]);
        let (function, noun, out, there, done, done_what) = match self {
            Self::Score => ("score", "verdict", "name_verdict *out", "*out", "JUDGED", "judged"),
            Self::Project => {
                ("project", "projection", projection.as_str(), "out", "PROJECTED", "projected")
            }
        };
        [
            ("FUNCTION", function),
            ("NOUN", noun),
            ("OUT_THERE", there),
            ("OUT", out),
            ("DONE_WHAT", done_what),
            ("DONE", done),
        ]
        .iter()
        .fold(template.into(), |text: String, (token, with)| text.replace(token, with))
    }
}

impl FrontParts {
    pub(super) fn new<T: Number>(
        front: &Front,
        samples: SampleType,
        name: &Name,
        question: Question,
    ) -> Self {
        let wanted = Wanted::by(front);
        Self {
            needs_bits: wanted.centre || wanted.ln(),
            header: header::<T>(front, samples, name, question),
            source: source::<T>(front, name, question),
        }
    }
}

/// Numbers that the operators remember.
fn remembered(front: &Front) -> usize {
    memory(&front.operators, front.row())
}

/// A text, or nothing.
fn when(condition: bool, text: &str) -> &str {
    if condition { text } else { "" }
}

fn header<T: Number>(
    front: &Front,
    samples: SampleType,
    name: &Name,
    question: Question,
) -> String {
    let wanted = Wanted::by(front);
    let sizes = format!(
        r#"
/* Channels of a sample, samples of a window, and samples from the end of a window to that of the next. */
#define NAME_CHANNELS {channels}
#define NAME_WINDOW {window}
#define NAME_HOP {hop}
"#,
        channels = front.channels.len(),
        window = front.window,
        hop = front.hop,
    );
    let own = [
        when(wanted.spectrum, "    name_complex spectrum[NAME_WINDOW / 2];\n").to_string(),
        match remembered(front) {
            0 => String::new(),
            numbers => format!("    float memory[{numbers}];\n"),
        },
        when(operators::is_needed(front), "    uint32_t seen;\n").to_string(),
    ];
    let monitor = [
        &HEADER_HEAD.replace("SAMPLE", samples.c()),
        when(wanted.spectrum, HEADER_COMPLEX),
        &question.fill::<T>(HEADER_MONITOR),
        when(wanted.floor, HEADER_FLOORED),
        "    /* The rest is its own. */\n    name_sample rings[NAME_CHANNELS][NAME_WINDOW];\n",
        &own.concat(),
        &question.fill::<T>(HEADER_TAIL),
    ];
    named(&(sizes + &monitor.concat()), name)
}

const HEADER_HEAD: &str = r#"
/* Names of the channels, in the order of a sample. */
extern const char *const name_channel_names[NAME_CHANNELS];

/* One channel of a sample. */
typedef SAMPLE name_sample;
"#;

const HEADER_COMPLEX: &str = r#"
typedef struct name_complex {
    float re;
    float im;
} name_complex;
"#;

const HEADER_MONITOR: &str = r#"
/* Takes raw samples to NOUNs, in memory of the caller's. One that is all zeros, as a static one is, has seen nothing and is ready. */
typedef struct name_monitor {
    /* What was DONE_WHAT last; of no use while more samples or windows are needed. */
    float reading[NAME_INPUTS];
"#;

const HEADER_FLOORED: &str = r#"    /* How many features of the last window are logarithms at the floor, where a detector is blind. */
    int floored;
"#;

const HEADER_TAIL: &str = r#"    int next;
    int since;
    int running;
} name_monitor;

/* What a pushed sample came to, if it could be used. */
enum {
    /* Nothing yet. */
    NAME_MORE = 0,
    /* A window was completed and DONE_WHAT. */
    NAME_DONE = 1,
    /* A window was completed, but its reading cannot be DONE_WHAT: name_FUNCTION says why. */
    NAME_NOT_DONE = 2
};

/* Makes a monitor one that has seen nothing. */
void name_monitor_init(name_monitor *monitor);

/* Samples are missing here, or another recording begins: no window spans this place, and no reading remembers what was before. */
void name_monitor_gap(name_monitor *monitor);

/* Takes a sample of all channels. Returns NAME_DONE, with the NOUN in OUT_THERE, every NAME_HOP samples or so; else NAME_MORE or NAME_NOT_DONE, or -1 - c if channel c is
 * not finite or beyond 1e20, which counts as a gap, or NAME_NULL, or NAME_NOT_READY. OUT_THERE is then as before.
 *
 * The work of a window is done in the call that completes it. Readings are those of `mercer features`, bit by bit, where the compiler does not contract multiplications
 * and additions: GCC contracts them for some cores unless it is called with -std=c99 or -ffp-contract=off; Clang is told in the source. Contracted, last digits differ,
 * and logarithms of faint bands by up to 2e-4. */
int name_monitor_push(name_monitor *monitor, const name_sample sample[NAME_CHANNELS], OUT);
"#;

fn source<T: Number>(front: &Front, name: &Name, question: Question) -> String {
    let wanted = Wanted::by(front);
    let channel_names: String = front
        .channels
        .iter()
        .map(|channel| format!("    {},\n", escape::c_string(channel)))
        .collect();
    let mut parts = vec![value(front)];
    if wanted.ln() {
        parts.push(logarithm::LN.into());
    }
    if wanted.floor {
        parts.push(logarithm::floor(front.floor));
    }
    parts.push(statistics::source(&wanted));
    if wanted.spectrum {
        parts.push(spectrum::source(front));
    }
    parts.push(features::source(front, &wanted));
    parts.push(operators::source(front));
    parts.push(question.fill::<T>(&monitor::<T>(front, &wanted)));
    // Names of channels are others' texts, and stay as they are.
    format!(
        "\nconst char *const {}_channel_names[{}_CHANNELS] = {{\n{channel_names}}};\n{}",
        name.lower(),
        name.upper(),
        named(&parts.concat(), name)
    )
}

/// Reads a sample of a window.
fn value(front: &Front) -> String {
    let scales = match front.scales.as_slice() {
        [] => String::new(),
        [one] => format!(
            "\n/* What samples are multiplied by. */\n#define NAME_SCALE ({})\n",
            literal(one)
        ),
        each => format!(
            "\n/* What the samples of each channel are multiplied by. */\nstatic const float name_scales[NAME_CHANNELS] NAME_TABLE = {{{}}};\n",
            super::list(each, literal)
        ),
    };
    let scaled = match front.scales.as_slice() {
        [] => "",
        [_] => " * NAME_SCALE",
        _ => " * NAME_READ(name_scales[channel])",
    };
    format!(
        r#"{scales}
/* Sample i of the window, from the oldest on. */
static float name_value(const name_monitor *monitor, int channel, int i)
{{
    const int place = i < NAME_WINDOW - monitor->next ? monitor->next + i : monitor->next + i - NAME_WINDOW;

    return (float)monitor->rings[channel][place]{scaled};
}}
"#
    )
}

fn monitor<T: Number>(front: &Front, wanted: &Wanted) -> String {
    let seen = operators::is_needed(front);
    let (widened, widen, reading) = match T::PRECISION {
        Precision::F32 => ("", "", "monitor->reading"),
        Precision::F64 => (
            "    double wide[NAME_INPUTS];\n",
            "    for (i = 0; i < NAME_INPUTS; i++) {\n        wide[i] = (double)monitor->reading[i];\n    }\n",
            "wide",
        ),
    };
    format!(
        r#"
void name_monitor_init(name_monitor *monitor)
{{
    int i;

    if (!monitor) {{
        return;
    }}
    for (i = 0; i < NAME_INPUTS; i++) {{
        monitor->reading[i] = 0.0f;
    }}
{forget}{no_floored}    name_monitor_gap(monitor);
}}

void name_monitor_gap(name_monitor *monitor)
{{
    if (!monitor) {{
        return;
    }}
    monitor->next = 0;
    monitor->since = 0;
    monitor->running = 0;
{unseen}}}

int name_monitor_push(name_monitor *monitor, const name_sample sample[NAME_CHANNELS], OUT)
{{
{widened}    int i{is_given};

    if (!monitor || !sample || !out) {{
        return NAME_NULL;
    }}
    if (monitor->next < 0 || monitor->next >= NAME_WINDOW || monitor->since < 0
        || monitor->since >= {longest} || (monitor->running != 0 && monitor->running != 1)) {{
        return NAME_NOT_READY;
    }}
    for (i = 0; i < NAME_CHANNELS; i++) {{
        if (!(fabsf((float)sample[i]) <= {largest})) {{
            name_monitor_gap(monitor);
            return -1 - i;
        }}
    }}
    for (i = 0; i < NAME_CHANNELS; i++) {{
        monitor->rings[i][monitor->next] = sample[i];
    }}
    monitor->next = monitor->next + 1 < NAME_WINDOW ? monitor->next + 1 : 0;
    monitor->since++;
    if (monitor->since < (monitor->running ? NAME_HOP : NAME_WINDOW)) {{
        return NAME_MORE;
    }}
    monitor->since = 0;
    monitor->running = 1;
{no_floored}    for (i = 0; i < NAME_CHANNELS; i++) {{
        {count}name_extract(monitor, i);
    }}
{operate}{widen}    return name_FUNCTION({reading}, out) == 0 ? NAME_DONE : NAME_NOT_DONE;
}}
"#,
        forget = forget(remembered(front)),
        unseen = when(seen, "    monitor->seen = 0;\n"),
        no_floored = when(wanted.floor, "    monitor->floored = 0;\n"),
        is_given = when(seen, ", is_given"),
        count = when(wanted.floor, "monitor->floored += "),
        operate = when(seen, OPERATE),
        largest = literal(&LARGEST),
        longest = front.window.max(front.hop),
    )
}

const OPERATE: &str = "    is_given = name_operate(monitor);
    monitor->seen += monitor->seen < UINT32_MAX ? 1u : 0u;
    if (!is_given) {
        return NAME_MORE;
    }
";

/// Makes what the operators remember zeros.
fn forget(numbers: usize) -> String {
    match numbers {
        0 => String::new(),
        _ => format!(
            "    for (i = 0; i < {numbers}; i++) {{\n        monitor->memory[i] = 0.0f;\n    }}\n"
        ),
    }
}
