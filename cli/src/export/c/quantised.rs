//! A quantised model in C: the integers of the library's `QuantisedDetector`, hence its very scores.
//!
//! `src/detect/quantised` of the library explains the method; the tests of exports hold what stands here a second time to it, exactly.

use mercer::Error;
use mercer::detect::quantised::{Component, Input, QuantisedHeader, WholeVerdict};

use super::front::{FrontParts, Question};
use super::{CSource, HEADER_SIZES, STDINT, named, strings};
use super::{alarm, self_test};
use crate::export::vectors::Vector;
use crate::export::{Name, facts, list};
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
    let mut source = source(model, whole, name, header_file);
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
        text = named(&[&sizes, HEADER_SCORE, &alarm, self_test::DECLARATION].concat(), name),
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

/* A null pointer. */
#define NAME_NULL (-2 - NAME_INPUTS)

/* Scores a raw reading. Returns 0, or -1 - i if input i is not finite, or NAME_NULL; *out is then as before.
 *
 * Scores are those of a `QuantisedDetector`, to the last bit. All but the scores themselves is computed in integers; right shifts of negative ones must keep the sign,
 * as those of all common compilers do. */
int name_score(const float x[NAME_INPUTS], name_verdict *out);

/* As name_score, for readings that are whole numbers, e.g. of an ADC. */
int name_score_counts(const int16_t x[NAME_INPUTS], name_verdict *out);

/* Projects a raw reading on the components. Returns as name_score. */
int name_project(const float x[NAME_INPUTS], float out[NAME_COMPONENTS]);
"#;

fn source<T: Number>(model: &Model<T>, whole: &Whole, name: &Name, header_file: &str) -> String {
    let (upper, lower) = (name.upper(), name.lower());
    let QuantisedHeader { far, ceiling, distance_shift, centre_shift, variance_exponent, .. } =
        whole.header;
    let code = [
        data(whole).as_str(),
        super::BITS,
        FIXED,
        if whole.floors.is_empty() { "" } else { LOGARITHM },
        SCORE,
        ALARM,
        alarm::STATES,
    ]
    .concat()
    .replace("LOG_ROWS", &log_table())
    .replace("POWER_ROWS", &power_table())
    .replace("OFFSET_FLOAT", if whole.floors.is_empty() { FLOAT } else { FLOAT_OR_LOG })
    .replace("OFFSET_COUNT", if whole.floors.is_empty() { COUNT } else { COUNT_OR_LOG })
    .replace("ROOM", &far.saturating_sub(whole.inputs.len() as u32).to_string())
    .replace("FAR_", &far.to_string())
    .replace("CEILING_", &ceiling.to_string())
    .replace("DISTANCE_SHIFT", &(distance_shift & 15).to_string())
    .replace("CENTRE_SHIFT", &(centre_shift & 15).to_string())
    .replace("VARIANCE_EXPONENT", &format!("({variance_exponent})"))
    .replace("UNUSUAL", if whole.negative { "1" } else { "out->whole_spe > NAME_THRESHOLD" });
    let threshold = whole.verdict.threshold;
    format!(
        r#"/* Made by `mercer export --quantised`: do not edit. */
#include {header_file}

#include <math.h>

#define {upper}_POINTS {points}

/* Where SPE is unusual, and what it usually is, times 2^28. */
#define {upper}_THRESHOLD {spe}u
#define {upper}_USUAL {usual}u

const char *const {lower}_input_names[{upper}_INPUTS] = {{
{names}}};
{code}{test}"#,
        test = self_test::source(&whole.vectors, 0.0, name),
        points = whole.points.len(),
        spe = threshold.spe,
        usual = threshold.usual.min(threshold.spe),
        names = strings(&model.columns),
        code = named(&code, name),
    )
}

/// The arrays.
fn data(whole: &Whole) -> String {
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
        format!("{}u, {{{coordinates}}}, {{{weights}}}, {}u", point.half_length, point.centre)
    });
    let components = whole.components.iter().map(|component| {
        let Component { offset, inverse_variance, shift } = component;
        format!("{offset}, {inverse_variance}u, {}u", shift & 15)
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

/// Entries of a table, eight on a line.
fn lines(entries: &[String], on_a_line: usize) -> String {
    entries.chunks(on_a_line).map(|line| format!("    {},\n", line.join(", "))).collect()
}

/// `2^(−i/128)` in Q31 and, in the lowest 12 bits, by how much the next entry is smaller, in Q19.
fn power_table() -> String {
    const BITS: u32 = 62;
    let round = |value: u128| ((value + (1 << (BITS - 20))) >> (BITS - 19)) as u32;
    // 2^(−1/128) is the seventh square root of one half.
    let root = (0..7).fold(1_u128 << (BITS - 1), |root, _| (root << BITS).isqrt());
    // Half a unit of the result, so that cutting off rounds.
    let half = 1_u128 << (BITS - 17);
    let mut power = 1_u128 << BITS;
    let mut entry = round(power + half);
    let entries: Vec<String> = (0..128)
        .map(|_| {
            power = (power * root) >> BITS;
            let next = round(power + half);
            let both = (entry << 12) + (entry - next);
            entry = next;
            format!("{both:#010x}u")
        })
        .collect();
    lines(&entries, 8)
}

/// For each 32nd of an octave a `c` near `1/m` in Q14, and `−log2 c` in Q24.
fn log_table() -> String {
    let entries: Vec<String> = (0..32)
        .map(|i| {
            let middle = 1.0 + (f64::from(i) + 0.5) / 32.0;
            let inverse = (f64::from(1 << 14) / middle + 0.5) as u32;
            let log = log2_series(f64::from(1 << 14) / f64::from(inverse));
            format!("{{{inverse}u, {}}}", (log * f64::from(1 << 24) + 0.5) as i32)
        })
        .collect();
    lines(&entries, 4)
}

/// `log2 y` for `1 ≤ y ≤ 2`: the terms that the library adds up.
fn log2_series(y: f64) -> f64 {
    let z = (y - 1.0) / (y + 1.0);
    let (mut sum, mut power) = (0.0, z);
    for k in (1..40).step_by(2) {
        sum += power / f64::from(k);
        power *= z * z;
    }
    2.0 * std::f64::consts::LOG2_E * sum
}

const DATA: &str = r#"
/* How an input becomes a whole number z = x * 2^bits - mean; from which z on it is far from all points; the weight of its square. */
typedef struct name_input {
    int32_t mean;
    int bits;
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
    uint32_t shift;
} name_component;

static const name_input name_inputs[NAME_INPUTS] = {
INPUT_ROWS};

static const name_point name_points[NAME_POINTS] = {
POINT_ROWS};

static const name_component name_components[NAME_COMPONENTS] = {
COMPONENT_ROWS};

/* 2^(-i/128) and, in the lowest 12 bits, by how much the next one is smaller. */
static const uint32_t name_powers_of_half[128] = {
POWER_ROWS};
"#;

const FLOORS: &str = r#"
/* Below this a logarithmic input counts as this: the bits of a float, or 0 for other inputs. */
static const int32_t name_floor[NAME_INPUTS] = {VALUES};
"#;

const FIXED: &str = r#"
/* x * 2^bits, rounded to the nearest and at most 2^30 in magnitude. Returns whether x is finite. */
static int name_to_fixed(float x, int bits, int32_t *fixed)
{
    const uint32_t pattern = name_bits(x);
    const int exponent = (int)((pattern >> 23) & 0xffu);
    const uint32_t mantissa = (pattern << 8) | 0x80000000u;
    const int excess = 157 - bits - exponent;
    int32_t magnitude = 0;

    if (exponent == 0xff) {
        return 0;
    }
    if (excess < 1) {
        magnitude = 0x40000000;
    } else if (excess < 32) {
        magnitude = (int32_t)(((mantissa >> excess) + 1u) >> 1);
    }
    *fixed = pattern >> 31 ? -magnitude : magnitude;
    return 1;
}
"#;

const LOGARITHM: &str = r#"
/* An inverse and its logarithm for each 32nd of an octave. */
static const struct {
    uint32_t inverse;
    int32_t log;
} name_logs[32] = {
LOG_ROWS};

/* The logarithm to base 2, times 2^24, of the float above 0 with these bits. */
static int32_t name_log2(uint32_t pattern)
{
    const uint32_t exponent = (pattern >> 23) - 127u;
    const uint32_t mantissa = (pattern & 0x007fffffu) | 0x00800000u;
    const uint32_t step = (pattern >> 18) % 32u;
    const int32_t rest = (int32_t)(mantissa * name_logs[step].inverse);
    const int32_t small = rest >> 16;
    const int32_t square = ((15758 * small) >> 21) - 23637;
    const int32_t linear = ((square * small) >> 14) + 6051101;
    const int32_t near = (int32_t)(((int64_t)rest * linear) >> 35);

    return (int32_t)((exponent << 24) + (uint32_t)name_logs[step].log + (uint32_t)near);
}

/* The logarithm of an input, or of its floor, in the units of the input. Returns whether x is finite. */
static int name_log_to_fixed(float x, int input, int32_t *fixed)
{
    const uint32_t pattern = name_bits(x);
    const int32_t floor = name_floor[input];
    const int32_t log = name_log2((uint32_t)((int32_t)pattern > floor ? (int32_t)pattern : floor));
    const int excess = (24 - name_inputs[input].bits) & 31;

    *fixed = ((log >> (excess - 1)) + 1) >> 1;
    return ((pattern >> 23) & 0xffu) != 0xffu;
}
"#;

const FLOAT: &str = "        if (!name_to_fixed(x[i], name_inputs[i].bits, &z[i])) {\n            return -1 - i;\n        }\n        z[i] -= name_inputs[i].mean;\n";
const FLOAT_OR_LOG: &str = "        const int is_finite = name_floor[i] > 0 ? name_log_to_fixed(x[i], i, &z[i]) : name_to_fixed(x[i], name_inputs[i].bits, &z[i]);\n\n        if (!is_finite) {\n            return -1 - i;\n        }\n        z[i] -= name_inputs[i].mean;\n";
const COUNT: &str =
    "        z[i] = name_count_to_fixed(x[i], name_inputs[i].bits) - name_inputs[i].mean;\n";
const COUNT_OR_LOG: &str = "        if (name_floor[i] > 0) {\n            (void)name_log_to_fixed((float)x[i], i, &z[i]);\n        } else {\n            z[i] = name_count_to_fixed(x[i], name_inputs[i].bits);\n        }\n        z[i] -= name_inputs[i].mean;\n";

const SCORE: &str = r#"
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
    entry = name_powers_of_half[(x >> 12) % 128u];
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
        const uint32_t half = name_half_square(magnitude, name_inputs[i].weight);

        room = magnitude > name_inputs[i].limit || room < half ? 0 : room - half;
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
        uint32_t k = a->half_length + start, l = b->half_length + start;

        for (j = 0; j < NAME_INPUTS; j++) {
            k += (uint32_t)a->coordinates[j] * negated[j];
            l += (uint32_t)b->coordinates[j] * negated[j];
        }
        k = name_power(k >> DISTANCE_SHIFT);
        l = name_power(l >> DISTANCE_SHIFT);
        sums->kernel += k + l;
        sums->centre += k * (uint32_t)a->centre + l * (uint32_t)b->centre;
        for (j = 0; j < NAME_COMPONENTS; j++) {
            sums->projections[j] += k * (uint32_t)a->weights[j] + l * (uint32_t)b->weights[j];
        }
    }
}

/* Component j of the projection, times 2^29. */
static int32_t name_projection(const name_totals *sums, int j)
{
    const uint32_t sum = (sums->projections[j] - sums->kernel * 32768u) << name_components[j].shift;

    return (int32_t)((uint32_t)((int32_t)sum >> 1) - (uint32_t)name_components[j].offset);
}

/* A square times 2^28, of a number times 2^29. */
static uint32_t name_whole_square(int32_t f)
{
    const int32_t high = (int32_t)((uint32_t)f + 16384u) >> 15;
    const int32_t low = (int32_t)((uint32_t)f - ((uint32_t)high << 15));

    return (uint32_t)(high * high) + (uint32_t)((high * low) >> 14);
}

/* value * 2^exponent. */
static float name_to_float(uint32_t value, int exponent)
{
    return value == 0 ? 0.0f : name_from_bits(name_bits((float)value) + ((uint32_t)exponent << 23));
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
        t2 += (uint64_t)square * name_components[j].inverse_variance;
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

/* The inputs of a reading as whole numbers. Returns 0, or which of them is not finite. */
static int name_scale(const float *x, int32_t *z)
{
    int i;

    for (i = 0; i < NAME_INPUTS; i++) {
OFFSET_FLOAT    }
    return 0;
}

int name_score(const float x[NAME_INPUTS], name_verdict *out)
{
    int32_t z[NAME_INPUTS];
    int code;

    if (!x || !out) {
        return NAME_NULL;
    }
    code = name_scale(x, z);
    if (code == 0) {
        name_judge(z, out);
    }
    return code;
}

int name_score_counts(const int16_t x[NAME_INPUTS], name_verdict *out)
{
    int32_t z[NAME_INPUTS];
    int i;

    if (!x || !out) {
        return NAME_NULL;
    }
    for (i = 0; i < NAME_INPUTS; i++) {
OFFSET_COUNT    }
    name_judge(z, out);
    return 0;
}

int name_project(const float x[NAME_INPUTS], float out[NAME_COMPONENTS])
{
    int32_t z[NAME_INPUTS];
    name_totals sums;
    int j, code;

    if (!x || !out) {
        return NAME_NULL;
    }
    code = name_scale(x, z);
    if (code != 0) {
        return code;
    }
    name_compare(z, &sums);
    for (j = 0; j < NAME_COMPONENTS; j++) {
        const int32_t f = name_projection(&sums, j);

        out[j] = f < 0 ? -name_to_float(0u - (uint32_t)f, -29) : name_to_float((uint32_t)f, -29);
    }
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
