//! A quantised model in C: the integers of the library's `QuantisedDetector`, hence its very
//! scores.
//!
//! `src/detect/quantised` of the library explains the method; the tests of exports hold what stands
//! here a second time to it, exactly.

mod numbers;
mod reasons;

use mercer::Error;
use mercer::detect::quantised::{Component, Input, QuantisedHeader, WholeVerdict};

use self::numbers::{FIXED, LOGARITHM, log_table, power_table};
use super::front::{FrontParts, Question};
use super::reasons::DECLARATIONS;
use super::{CSource, Centre, HEADER_SIZES, STDINT, fill, named, project, same_export, strings};
use super::{alarm, self_test, tables};
use crate::export::vectors::{ProjectedVector, Vector};
use crate::export::{Leading, Name, facts, list};
use crate::model::Model;
use crate::samples::SampleType;
use crate::{Number, escape};

/// A quantised model whose sizes are known at run time.
pub(crate) struct Whole {
    pub header: QuantisedHeader,
    pub inputs: Vec<Input>,
    /// Of the inputs; empty if none is logarithmic.
    pub floors: Vec<f32>,
    /// An even number of them.
    pub points: Vec<WholePoint>,
    pub components: Vec<Component>,
    /// Any verdict: it has the threshold.
    pub verdict: WholeVerdict,
    /// Is every reading unusual?
    pub negative: bool,
    /// What must come of some readings.
    pub vectors: Vec<Vector<f32>>,
    pub projected: Vec<ProjectedVector<f32>>,
    /// What a coordinate of 1 is in each scaled input.
    pub units: Vec<f32>,
    /// What each scaled input usually reads: mean and deviation.
    pub usual: (Vec<f32>, Vec<f32>),
}

impl Whole {
    fn centre_shift(&self) -> u8 {
        self.header.centre_shift & 15
    }
}

/// A point and its weights, with `2^15` added to each number but the first.
pub(crate) struct WholePoint {
    pub half_length: u32,
    pub coordinates: Vec<u16>,
    pub weights: Vec<u16>,
    pub centre: u16,
}

/// Header and source; `header_file` is what the source includes, in quotes.
///
/// # Errors
/// Those of a model whose sizes do not match.
pub(crate) fn c_quantised<T: Number>(
    model: &Model<T>,
    whole: &Whole,
    name: &Name,
    samples: SampleType,
    header_file: &str,
) -> Result<CSource, Error> {
    let front = model.front.as_ref();
    let front = front.map(|front| FrontParts::new::<f32>(front, samples, name, Question::Score));
    let mut source = source(model, whole, name, header_file)?;
    source += front.as_ref().map_or("", |front| &front.source);
    Ok(CSource { header: header(model, name, front)?, source })
}

fn header<T: Number>(
    model: &Model<T>,
    name: &Name,
    front: Option<FrontParts>,
) -> Result<String, Error> {
    let facts = facts(model, '"', escape::c_comment)?;
    let facts: String = facts.iter().map(|fact| format!(" * - {fact}\n")).collect();
    let upper = name.upper();
    let sizes = HEADER_SIZES
        .replace("INPUTS_COUNT", &model.inputs().to_string())
        .replace("COMPONENTS_COUNT", &model.components().to_string())
        .replace("CHECKSUM_VALUE", &format!("{:#010x}UL", model.checksum()?));
    let alarm = alarm::declarations().replace("SMOOTHED", "uint64_t");
    Ok(format!(
        r#"/* Made by `mercer export --quantised`: do not edit.
 *
 * A detector of unusual readings that `mercer fit` learned, in integers, for cores without an FPU. C99: constant data, no allocation, and no state but what callers own.
 *
{facts} */
#ifndef {upper}_H
#define {upper}_H
{stdint}
#ifdef __cplusplus
extern "C" {{
#endif
{text}{front}
#ifdef __cplusplus
}}
#endif

#endif
"#,
        text = fill::<f32>(
            &[&sizes, HEADER_SCORE, HEADER_PROJECT, DECLARATIONS, &alarm, self_test::DECLARATION,]
                .concat(),
            name
        ),
        stdint = STDINT,
        front = front.map(|front| front.header).unwrap_or_default(),
    ))
}

const HEADER_SCORE: &str = r#"
/* The scores of a reading; the larger, the less usual. */
typedef struct name_verdict {
    /* What the components cannot explain. */
    float spe;
    /* How far along the components, squared. */
    float t2;
    /* Sum of the absolute projections. */
    float abs_sum;
    /* 1 if spe is above its threshold, else 0. One unusual reading is not yet an alarm. */
    int unusual;
    /* SPE times 2^28: the same number. */
    uint32_t whole_spe;
} name_verdict;

/* Codes of what cannot be done, beside -1 - i for input i. */
/* The reading is so far out that its contributions are not finite; scores always are. */
#define NAME_UNUSABLE (-1 - NAME_INPUTS)
/* A null pointer. */
#define NAME_NULL (-2 - NAME_INPUTS)
/* An alarm or a monitor in memory that nobody prepared: neither all zeros, nor reset or initialised. */
#define NAME_NOT_READY (-3 - NAME_INPUTS)

/* Scores a raw reading. Returns 0, or -1 - i if input i is not finite, or NAME_NULL; *out is then as before.
 *
 * Scores are those of a `QuantisedDetector`, to the last bit. All but the scores themselves is computed in integers; right shifts of negative ones must keep the sign,
 * as those of all common compilers do. */
int name_score(const float x[NAME_INPUTS], name_verdict *out);

/* As name_score, for readings that are whole numbers, e.g. of an ADC. */
int name_score_counts(const int16_t x[NAME_INPUTS], name_verdict *out);
"#;

pub(super) const HEADER_PROJECT: &str = r#"
/* Projects a raw reading on the components. Returns 0, or -1 - i if input i is not finite, or NAME_NULL; out is then as before. Projections are those of a `QuantisedDetector`, to the last
 * bit, and computed in integers. */
int name_project(const float x[NAME_INPUTS], float out[NAME_COMPONENTS]);

/* As name_project, for readings that are whole numbers, e.g. of an ADC. */
int name_project_counts(const int16_t x[NAME_INPUTS], float out[NAME_COMPONENTS]);
"#;

fn source<T: Number>(
    model: &Model<T>,
    whole: &Whole,
    name: &Name,
    header_file: &str,
) -> Result<String, Error> {
    let (upper, lower) = (name.upper(), name.lower());
    let QuantisedHeader { ceiling, variance_exponent, .. } = whole.header;
    let judging = [SCORE, PROJECT, ALARM, &alarm::states("")]
        .concat()
        .replace("CEILING_", &ceiling.to_string())
        .replace("CENTRE_SHIFT", &whole.centre_shift().to_string())
        .replace("VARIANCE_EXPONENT", &format!("({variance_exponent})"))
        .replace("UNUSUAL", if whole.negative { "1" } else { "out->whole_spe > NAME_THRESHOLD" });
    let threshold = whole.verdict.threshold;
    let same = same_export(model.checksum()?, model.inputs(), model.components(), name);
    Ok(format!(
        r#"{beginning}{same}
/* Where SPE is unusual, and what it usually is, times 2^28. */
#define {upper}_THRESHOLD {spe}u
#define {upper}_USUAL {usual}u

const char *const {lower}_input_names[{upper}_INPUTS] = {{
{names}}};
{code}{reasons}{test}"#,
        beginning = beginning(whole, header_file, name),
        reasons = reasons::source(model, whole, name),
        test = self_test::source(&whole.vectors, 0.0, name),
        spe = threshold.spe,
        usual = threshold.usual.min(threshold.spe),
        names = strings(&model.columns),
        code = named(&(comparing(whole, Centre::With) + &judging), name),
    ))
}

/// What every source in integers begins with.
fn beginning(whole: &Whole, header_file: &str, name: &Name) -> String {
    format!(
        r#"/* Made by `mercer export --quantised`: do not edit. */
#include {header_file}

#include <math.h>
{tables}
#define {upper}_POINTS {points}
"#,
        tables = named(tables::access::<f32>(), name),
        upper = name.upper(),
        points = whole.points.len(),
    )
}

/// Data, and functions that compare a reading with the points; a template.
fn comparing(whole: &Whole, centre: Centre) -> String {
    let QuantisedHeader { far, distance_shift, .. } = whole.header;
    let text = [
        data(whole, centre).as_str(),
        super::BITS,
        FIXED,
        if whole.floors.is_empty() { "" } else { LOGARITHM },
        COMPARE,
    ]
    .concat();
    let text = match centre {
        Centre::With => text,
        Centre::Without => OF_CENTRE.iter().fold(text, |text, line| text.replace(line, "")),
    };
    text.replace("LOG_ROWS", &log_table())
        .replace("POWER_ROWS", &power_table())
        .replace("OFFSET_FLOAT", if whole.floors.is_empty() { FLOAT } else { FLOAT_OR_LOG })
        .replace("OFFSET_COUNT", if whole.floors.is_empty() { COUNT } else { COUNT_OR_LOG })
        .replace("ROOM", &far.saturating_sub(whole.inputs.len() as u32).to_string())
        .replace("FAR_", &far.to_string())
        .replace("DISTANCE_SHIFT", &(distance_shift & 15).to_string())
}

/// Lines that projections alone do without.
const OF_CENTRE: [&str; 5] = [
    "    uint16_t centre;\n",
    "    uint32_t centre;\n",
    "    uint32_t inverse_variance;\n",
    "    sums->centre = 0;\n",
    "        sums->centre += k * (uint32_t)NAME_READ16(a->centre) + l * (uint32_t)NAME_READ16(b->centre);\n",
];

/// Header and source of a projector in integers.
///
/// # Errors
/// Those of a model whose sizes do not match.
pub(crate) fn c_quantised_projector<T: Number>(
    leading: &Leading<'_, T>,
    whole: &Whole,
    name: &Name,
    samples: SampleType,
    header_file: &str,
) -> Result<CSource, Error> {
    let front = leading.whole.front.as_ref();
    let front = front.map(|front| FrontParts::new::<f32>(front, samples, name, Question::Project));
    let code = comparing(whole, Centre::Without) + PROJECT;
    let source = [
        beginning(whole, header_file, name),
        project::leading_export(leading, name)?,
        project::names(leading, name),
        named(&code, name),
        self_test::projections(&whole.projected, 0.0, name),
        front.as_ref().map(|front| front.source.clone()).unwrap_or_default(),
    ]
    .concat();
    Ok(CSource { header: project::header(leading, name, HEADER_PROJECT, STDINT, front)?, source })
}

/// The arrays.
fn data(whole: &Whole, centre: Centre) -> String {
    let rows = |rows: Vec<String>| -> String {
        rows.iter().map(|row| format!("    {{{row}}},\n")).collect()
    };
    let inputs = whole.inputs.iter().map(|input| {
        let Input { mean, bits, limit, weight } = input;
        format!("{mean}, {bits}, {limit}u, {weight}u")
    });
    let points = whole.points.iter().map(|point| {
        let (coordinates, weights) =
            (list(&point.coordinates, number), list(&point.weights, number));
        let own = format!("{}u, {{{coordinates}}}, {{{weights}}}", point.half_length);
        match centre {
            Centre::With => format!("{own}, {}u", point.centre),
            Centre::Without => own,
        }
    });
    let components = whole.components.iter().map(|component| {
        let Component { offset, inverse_variance, shift } = component;
        match centre {
            Centre::With => format!("{offset}, {inverse_variance}u, {}u", shift & 15),
            Centre::Without => format!("{offset}, {}u", shift & 15),
        }
    });
    let floors = match whole.floors.as_slice() {
        [] => String::new(),
        floors => FLOORS.replace(
            "VALUES",
            &list(floors, |floor| {
                format!("{:#010x}", if *floor > 0.0 { floor.to_bits() } else { 0 })
            }),
        ),
    };
    DATA.replace("INPUT_ROWS", &rows(inputs.collect()))
        .replace("POINT_ROWS", &rows(points.collect()))
        .replace("COMPONENT_ROWS", &rows(components.collect()))
        + &floors
}

fn number(value: &u16) -> String {
    format!("{value}u")
}

const DATA: &str = r#"
/* How an input becomes a whole number z = x * 2^bits - mean; from which z on it is far from all points; the weight of its square. */
typedef struct name_input {
    int32_t mean;
    int16_t bits;
    uint16_t limit;
    uint16_t weight;
} name_input;

/* Half its squared length, and numbers with 2^15 added. */
typedef struct name_point {
    uint32_t half_length;
    uint16_t coordinates[NAME_INPUTS];
    uint16_t weights[NAME_COMPONENTS];
    uint16_t centre;
} name_point;

typedef struct name_component {
    int32_t offset;
    uint32_t inverse_variance;
    uint16_t shift;
} name_component;

static const name_input name_inputs[NAME_INPUTS] NAME_TABLE = {
INPUT_ROWS};

static const name_point name_points[NAME_POINTS] NAME_TABLE = {
POINT_ROWS};

static const name_component name_components[NAME_COMPONENTS] NAME_TABLE = {
COMPONENT_ROWS};

/* 2^(-i/128) and, in the lowest 12 bits, by how much the next one is smaller. */
static const uint32_t name_powers_of_half[128] NAME_TABLE = {
POWER_ROWS};
"#;

const FLOORS: &str = r#"
/* Below this a logarithmic input counts as this: the bits of a float, or 0 for other inputs. */
static const int32_t name_floor_bits[NAME_INPUTS] NAME_TABLE = {VALUES};
"#;

const FLOAT: &str = "        if (!name_to_fixed(x[i], name_bits_of(i), &z[i])) {\n            return -1 - i;\n        }\n        z[i] -= name_mean_of(i);\n";
const FLOAT_OR_LOG: &str = "        const int is_finite = (int32_t)NAME_READ32(name_floor_bits[i]) > 0 ? name_log_to_fixed(x[i], i, &z[i]) : name_to_fixed(x[i], name_bits_of(i), &z[i]);\n\n        if (!is_finite) {\n            return -1 - i;\n        }\n        z[i] -= name_mean_of(i);\n";
const COUNT: &str =
    "        z[i] = name_count_to_fixed(x[i], name_bits_of(i)) - name_mean_of(i);\n";
const COUNT_OR_LOG: &str = "        if ((int32_t)NAME_READ32(name_floor_bits[i]) > 0) {\n            (void)name_log_to_fixed((float)x[i], i, &z[i]);\n        } else {\n            z[i] = name_count_to_fixed(x[i], name_bits_of(i));\n        }\n        z[i] -= name_mean_of(i);\n";

const COMPARE: &str = r#"
/* As name_to_fixed, of a whole number. */
static int32_t name_count_to_fixed(int16_t x, int bits)
{
    const uint32_t magnitude = x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
    uint32_t fixed;

    if (bits >= 0) {
        const int left = bits < 30 ? bits : 30;
        const uint32_t most = 0x40000000u >> left;

        fixed = (magnitude < most ? magnitude : most) << left;
    } else {
        /* With one more bit, to round by. */
        fixed = (((magnitude << 1) >> (bits > -31 ? -bits : 31)) + 1u) >> 1;
    }
    return x < 0 ? -(int32_t)fixed : (int32_t)fixed;
}

/* 2^-x times 2^16, for x times 2^19. */
static uint32_t name_power(uint32_t x)
{
    const uint32_t octaves = x >> 19;
    uint32_t entry;

    if (octaves >= 17u) {
        return 0;
    }
    entry = NAME_READ32(name_powers_of_half[(x >> 12) % 128u]);
    return (entry - (entry % 4096u) * (x % 4096u)) >> (15u + octaves);
}

/* What z adds to half the squared length of a reading. */
static uint32_t name_half_square(uint32_t z, uint32_t weight)
{
    const uint32_t square = z * z;

    return (((square >> 16) * weight) << 2) + (((square & 0xffffu) * weight) >> 14);
}

/* Sums over the points, modulo 2^32. */
typedef struct name_totals {
    uint32_t kernel;
    uint32_t centre;
    uint32_t projections[NAME_COMPONENTS];
} name_totals;

/* Compares a reading with all points, two at a time. */
static void name_compare(const int32_t *z, name_totals *sums)
{
    uint32_t negated[NAME_INPUTS];
    uint32_t room = ROOMu, sum = 0, start;
    int i, j;

    sums->kernel = 0;
    sums->centre = 0;
    for (j = 0; j < NAME_COMPONENTS; j++) {
        sums->projections[j] = 0;
    }
    for (i = 0; i < NAME_INPUTS; i++) {
        const uint32_t magnitude = z[i] < 0 ? 0u - (uint32_t)z[i] : (uint32_t)z[i];
        const uint32_t half = name_half_square(magnitude, NAME_READ16(name_inputs[i].weight));

        room = magnitude > NAME_READ16(name_inputs[i].limit) || room < half ? 0 : room - half;
        negated[i] = 0u - (uint32_t)z[i];
        sum += negated[i];
    }
    if (room == 0) {
        /* So far away that all kernel values are 0. */
        return;
    }
    start = FAR_u - room - sum * 32768u;
    for (i = 0; i < NAME_POINTS; i += 2) {
        const name_point *a = &name_points[i], *b = &name_points[i + 1];
        uint32_t k = NAME_READ32(a->half_length) + start, l = NAME_READ32(b->half_length) + start;

        for (j = 0; j < NAME_INPUTS; j++) {
            k += (uint32_t)NAME_READ16(a->coordinates[j]) * negated[j];
            l += (uint32_t)NAME_READ16(b->coordinates[j]) * negated[j];
        }
        k = name_power(k >> DISTANCE_SHIFT);
        l = name_power(l >> DISTANCE_SHIFT);
        sums->kernel += k + l;
        sums->centre += k * (uint32_t)NAME_READ16(a->centre) + l * (uint32_t)NAME_READ16(b->centre);
        for (j = 0; j < NAME_COMPONENTS; j++) {
            sums->projections[j] += k * (uint32_t)NAME_READ16(a->weights[j]) + l * (uint32_t)NAME_READ16(b->weights[j]);
        }
    }
}

/* Component j of the projection, times 2^29. */
static int32_t name_projection(const name_totals *sums, int j)
{
    const uint32_t sum = (sums->projections[j] - sums->kernel * 32768u) << NAME_READ16(name_components[j].shift);

    return (int32_t)((uint32_t)((int32_t)sum >> 1) - (uint32_t)NAME_READ32(name_components[j].offset));
}

/* value * 2^exponent. */
static float name_to_float(uint32_t value, int exponent)
{
    return value == 0 ? 0.0f : name_from_bits(name_bits((float)value) + ((uint32_t)exponent << 23));
}

/* The inputs of a reading as whole numbers. Returns 0, or which of them is not finite. */
static int name_whole(const float *x, int32_t *z)
{
    int i;

    for (i = 0; i < NAME_INPUTS; i++) {
OFFSET_FLOAT    }
    return 0;
}

static void name_whole_counts(const int16_t *x, int32_t *z)
{
    int i;

    for (i = 0; i < NAME_INPUTS; i++) {
OFFSET_COUNT    }
}
"#;

const SCORE: &str = r#"
/* A square times 2^28, of a number times 2^29. */
static uint32_t name_whole_square(int32_t f)
{
    const int32_t high = (int32_t)((uint32_t)f + 16384u) >> 15;
    const int32_t low = (int32_t)((uint32_t)f - ((uint32_t)high << 15));

    return (uint32_t)(high * high) + (uint32_t)((high * low) >> 14);
}

/* Rounded to as many bits as a float has, half to even. */
static uint32_t name_rounded(uint32_t value)
{
    uint32_t unit = 1, half, odd;

    while ((value / unit) >> 24) {
        unit <<= 1;
    }
    half = unit >> 1;
    odd = (value & unit) && half ? 1u : 0u;
    return (value + (half ? half - 1u : 0u) + odd) & ~(unit - 1u);
}

/* Scores a reading of whole numbers. */
static void name_judge(const int32_t *z, name_verdict *out)
{
    name_totals sums;
    uint32_t explained = 0, abs_sum = 0, distance, spe;
    uint64_t t2 = 0;
    int32_t twice;
    int j;

    name_compare(z, &sums);
    for (j = 0; j < NAME_COMPONENTS; j++) {
        const int32_t f = name_projection(&sums, j);
        const uint32_t square = name_whole_square(f);
        const uint32_t magnitude = (f < 0 ? 0u - (uint32_t)f : (uint32_t)f) >> 3;

        explained = explained + square < explained ? 0xffffffffu : explained + square;
        abs_sum = abs_sum + magnitude < abs_sum ? 0xffffffffu : abs_sum + magnitude;
        t2 += (uint64_t)square * NAME_READ32(name_components[j].inverse_variance);
    }
    twice = (int32_t)((sums.centre - sums.kernel * 32768u) << CENTRE_SHIFT) >> 1;
    twice = (int32_t)(CEILING_u - (uint32_t)twice);
    /* Only rounding makes these negative. */
    distance = twice > 0 ? (uint32_t)twice : 0u;
    spe = distance > explained ? distance - explained : 0u;
    out->spe = name_to_float(spe, -28);
    if (t2 >> 48) {
        out->t2 = name_to_float((uint32_t)(t2 >> 32), 4 + VARIANCE_EXPONENT);
    } else if (t2 >> 32) {
        out->t2 = name_to_float((uint32_t)(t2 >> 16), -12 + VARIANCE_EXPONENT);
    } else {
        out->t2 = name_to_float((uint32_t)t2, -28 + VARIANCE_EXPONENT);
    }
    out->abs_sum = name_to_float(abs_sum, -26);
    out->whole_spe = name_rounded(spe);
    out->unusual = UNUSUAL;
}

int name_score(const float x[NAME_INPUTS], name_verdict *out)
{
    int32_t z[NAME_INPUTS];
    int code;

    if (!x || !out) {
        return NAME_NULL;
    }
    code = name_whole(x, z);
    if (code == 0) {
        name_judge(z, out);
    }
    return code;
}

int name_score_counts(const int16_t x[NAME_INPUTS], name_verdict *out)
{
    int32_t z[NAME_INPUTS];

    if (!x || !out) {
        return NAME_NULL;
    }
    name_whole_counts(x, z);
    name_judge(z, out);
    return 0;
}
"#;

const PROJECT: &str = r#"
/* Projects a reading of whole numbers. */
static void name_project_whole(const int32_t *z, float *out)
{
    name_totals sums;
    int j;

    name_compare(z, &sums);
    for (j = 0; j < NAME_COMPONENTS; j++) {
        const int32_t f = name_projection(&sums, j);

        out[j] = f < 0 ? -name_to_float(0u - (uint32_t)f, -29) : name_to_float((uint32_t)f, -29);
    }
}

int name_project(const float x[NAME_INPUTS], float out[NAME_COMPONENTS])
{
    int32_t z[NAME_INPUTS];
    int code;

    if (!x || !out) {
        return NAME_NULL;
    }
    code = name_whole(x, z);
    if (code == 0) {
        name_project_whole(z, out);
    }
    return code;
}

int name_project_counts(const int16_t x[NAME_INPUTS], float out[NAME_COMPONENTS])
{
    int32_t z[NAME_INPUTS];

    if (!x || !out) {
        return NAME_NULL;
    }
    name_whole_counts(x, z);
    name_project_whole(z, out);
    return 0;
}
"#;

const ALARM: &str = r#"
/* Lets the smoothed score, which has NAME_ALARM_SHIFT bits more, follow a reading: is it up (1), is it over (-1)? */
static int name_alarm_follow(name_alarm *alarm, const name_verdict *verdict)
{
    const uint64_t limit = (uint64_t)NAME_THRESHOLD << NAME_ALARM_SHIFT;
    const uint64_t before = alarm->is_smoothed ? alarm->smoothed : (uint64_t)NAME_USUAL << NAME_ALARM_SHIFT;

    alarm->smoothed = before - (before >> NAME_ALARM_SHIFT) + verdict->whole_spe;
    alarm->is_smoothed = 1;
    if (alarm->smoothed > limit) {
        return 1;
    }
    return alarm->smoothed * 100u < limit * (uint64_t)NAME_ALARM_END ? -1 : 0;
}

static int name_alarm_is_missing(const name_verdict *verdict)
{
    (void)verdict;
    return 0;
}
"#;
