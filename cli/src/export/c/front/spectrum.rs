//! Spectral bands in C, with the butterflies of `mercer::signal` in their order. The length of a
//! window is known here, so that only the layers it has are written.

use std::collections::BTreeSet;

use mercer::math::Real;
use mercer::signal::{Feature, fill_turn};

use super::super::{list, literal};
use super::when;
use crate::front::Front;

/// Tables, `NAME_transform` and `NAME_log_energy`, for windows of at least two samples.
pub(super) fn source(front: &Front) -> String {
    let pairs = front.window / 2;
    let powers = match pairs {
        1 => String::new(),
        2 => [SUMS, PAIR].concat(),
        _ => groups(pairs),
    };
    [
        &tables(front),
        &powers,
        TRANSFORM_HEAD,
        when(pairs > 1, "    name_powers(z);\n"),
        TRANSFORM_TAIL,
    ]
    .concat()
}

/// The transform of four pairs or more.
fn groups(pairs: usize) -> String {
    // So that the number of layers left is even.
    let (size, first) = if pairs.trailing_zeros() % 2 == 1 { (8, EIGHT) } else { (4, FOUR) };
    let calls = format!(
        r#"
/* Turns pairs of samples, in bit-reversed order, into squared sizes: bin k in the first part of entry k. Entry 0 is left to be done. */
static void name_powers(name_complex *z)
{{
    int i;

    for (i = 0; i < NAME_PAIRS; i += {size}) {{
        name_transform_{size}(z + i);
    }}
{}    name_unfold(z);
}}
"#,
        match pairs > size {
            true => format!(
                "    for (i = {size}; i < NAME_PAIRS; i *= 4) {{\n        name_two_layers(z, i);\n    }}\n"
            ),
            false => String::new(),
        }
    );
    [SUMS, JOIN, first, BACK, when(pairs > size, LAYERS), UNFOLD, &calls].concat()
}

fn tables(front: &Front) -> String {
    let samples = front.window;
    let mut turn = vec![0.0; samples];
    fill_turn(&mut turn);
    let turn: String = turn
        .chunks(8)
        .map(|some| some.chunks(2).map(|both| format!("{{{}}}", list(both, literal))).collect())
        .map(|some: Vec<String>| format!("    {},\n", some.join(", ")))
        .collect();
    let bands: BTreeSet<usize> = front.features.iter().filter_map(bands).collect();
    let bands: String = bands.into_iter().map(|bands| ends(samples / 2, bands)).collect();
    // n times the sum of the squared weights, which is 3n/8 but for the shortest window.
    let count = samples as f32;
    let norm = count * if samples > 2 { 0.375 * count } else { 1.0 };
    format!(
        r#"
#define NAME_PAIRS {pairs}

/* Cosine and sine of half a turn. */
static const name_complex name_turns[NAME_PAIRS] NAME_TABLE = {{
{turn}}};

/* The last bin before each band, and of the last band. */
{bands}
/* The logarithm of what the squares are divided by. */
#define NAME_LOG_NORM ({log_norm})
"#,
        pairs = samples / 2,
        log_norm = literal(&Real::ln(norm)),
    )
}

fn bands(feature: &Feature) -> Option<usize> {
    matches!(feature, Feature::Bands(_)).then(|| feature.outputs())
}

/// Where bands end.
fn ends(bins: usize, bands: usize) -> String {
    let ends: Vec<usize> = (0..=bands).map(|band| band * bins / bands).collect();
    let numbers = list(&ends, ToString::to_string);
    format!("static const int name_bands{bands}[{}] = {{{numbers}}};\n", bands + 1)
}

const SUMS: &str = r#"
static name_complex name_add(name_complex a, name_complex b)
{
    a.re += b.re;
    a.im += b.im;
    return a;
}

static name_complex name_subtract(name_complex a, name_complex b)
{
    a.re -= b.re;
    a.im -= b.im;
    return a;
}

static float name_square(name_complex a)
{
    return a.re * a.re + a.im * a.im;
}
"#;

/// The transform of two pairs.
const PAIR: &str = r#"
static void name_powers(name_complex *z)
{
    const name_complex a = z[0], b = z[1];

    z[0] = name_add(a, b);
    z[1].re = 2.0f * name_square(name_subtract(a, b));
}
"#;

const JOIN: &str = r#"
/* The last layer: a transform of two numbers, a and b, joined with another one, c and d, whose factors are in it but for the -i of d. */
static void name_join(name_complex *z, int stride, name_complex a, name_complex b, name_complex c, name_complex d)
{
    name_complex turned;

    turned.re = d.im;
    turned.im = -d.re;
    z[0] = name_add(a, c);
    z[stride] = name_add(b, turned);
    z[2 * stride] = name_subtract(a, c);
    z[3 * stride] = name_subtract(b, turned);
}
"#;

const FOUR: &str = r#"
/* Of four numbers in bit-reversed order. */
static void name_transform_4(name_complex *z)
{
    const name_complex a = z[0], b = z[1], c = z[2], d = z[3];

    name_join(z, 1, name_add(a, b), name_subtract(a, b), name_add(c, d), name_subtract(c, d));
}
"#;

const EIGHT: &str = r#"
/* Times (1 - i) / sqrt(2). */
static name_complex name_eighth_back(name_complex a)
{
    const float half = 0.70710677f;
    name_complex turned;

    turned.re = half * (a.re + a.im);
    turned.im = half * (a.im - a.re);
    return turned;
}

/* Of eight numbers in bit-reversed order: of the sums of pairs, and of their differences, which are an eighth of a turn apart. */
static void name_transform_8(name_complex *z)
{
    const name_complex a = name_add(z[0], z[1]), b = name_subtract(z[0], z[1]);
    const name_complex c = name_add(z[2], z[3]), d = name_subtract(z[2], z[3]);
    const name_complex e = name_add(z[4], z[5]), f = name_subtract(z[4], z[5]);
    const name_complex g = name_add(z[6], z[7]), h = name_subtract(z[6], z[7]);
    name_complex d_turned, h_turned;

    d_turned.re = d.im;
    d_turned.im = -d.re;
    h_turned.re = h.im;
    h_turned.im = -h.re;
    name_join(z, 2, name_add(a, c), name_subtract(a, c), name_add(e, g), name_subtract(e, g));
    name_join(z + 1, 2, name_add(b, d_turned), name_subtract(b, d_turned), name_eighth_back(name_add(f, h_turned)), name_eighth_back(name_subtract(f, h_turned)));
}
"#;

const BACK: &str = r#"
static name_complex name_turn(int i)
{
    name_complex turn;

    turn.re = NAME_READ(name_turns[i].re);
    turn.im = NAME_READ(name_turns[i].im);
    return turn;
}

/* Times cos - i sin. */
static name_complex name_back(name_complex a, name_complex turn)
{
    name_complex turned;

    turned.re = a.re * turn.re + a.im * turn.im;
    turned.im = a.im * turn.re - a.re * turn.im;
    return turned;
}
"#;

const LAYERS: &str = r#"
/* Joins groups of four transforms of some size. */
static void name_two_layers(name_complex *z, int size)
{
    const int step = NAME_PAIRS / (2 * size);
    int i, j;

    for (i = 0; i < NAME_PAIRS; i += 4 * size) {
        for (j = 0; j < size; j++) {
            name_complex *const group = z + i + j;
            const name_complex outer = name_turn(j * step), inner = name_turn(2 * j * step);
            const name_complex a = group[0], c = group[2 * size];
            const name_complex b = name_back(group[size], inner), d = name_back(group[3 * size], inner);

            name_join(group, size, name_add(a, b), name_subtract(a, b), name_back(name_add(c, d), outer), name_back(name_subtract(c, d), outer));
        }
    }
}
"#;

const UNFOLD: &str = r#"
/* From the spectrum of pairs to squared sizes of the samples' own: twice those, for the negative frequencies. */
static void name_unfold(name_complex *z)
{
    int k;

    for (k = 1; k < NAME_PAIRS / 2; k++) {
        const name_complex p = z[k], q = z[NAME_PAIRS - k];
        name_complex even, odd;

        even.re = p.re + q.re;
        even.im = p.im - q.im;
        odd.re = p.im + q.im;
        odd.im = q.re - p.re;
        odd = name_back(odd, name_turn(k));
        z[k].re = 0.5f * name_square(name_add(even, odd));
        z[NAME_PAIRS - k].re = 0.5f * name_square(name_subtract(even, odd));
    }
    z[NAME_PAIRS / 2].re = 2.0f * name_square(z[NAME_PAIRS / 2]);
}
"#;

const TRANSFORM_HEAD: &str = r#"
/* Sample i less the mean, times a periodic Hann window. */
static float name_weighed(const name_monitor *monitor, int channel, const name_origin *origin, int i)
{
    const float half_cosine = i < NAME_PAIRS ? -0.5f * NAME_READ(name_turns[i].re) : 0.5f * NAME_READ(name_turns[i - NAME_PAIRS].re);

    return name_centred(origin, name_value(monitor, channel, i)) * (0.5f + half_cosine);
}

/* Writes the spectrum of a channel; returns the logarithm of what brings it to energies. */
static float name_transform(name_monitor *monitor, int channel, const name_origin *origin)
{
    name_complex *const z = monitor->spectrum;
    float sum, difference;
    int i, bit, place = 0;

    for (i = 0; i < NAME_PAIRS; i++) {
        z[place].re = name_weighed(monitor, channel, origin, 2 * i);
        z[place].im = name_weighed(monitor, channel, origin, 2 * i + 1);
        /* Counts up with the bits reversed. */
        for (bit = NAME_PAIRS / 2; bit > 0 && (place & bit) != 0; bit /= 2) {
            place -= bit;
        }
        place += bit;
    }
"#;

const TRANSFORM_TAIL: &str = r#"    sum = z[0].re + z[0].im;
    difference = z[0].re - z[0].im;
    z[0].re = sum * sum;
    z[0].im = difference * difference;
    return 2.0f * ((float)origin->exponent * 0.6931472f) - NAME_LOG_NORM;
}

/* The logarithm of the energy in the bins after one, up to another; the last bin of all stands beside the first. */
static float name_log_energy(const name_complex *z, int after, int last)
{
    float sum = 0.0f;
    int k;

    for (k = after + 1; k <= last && k < NAME_PAIRS; k++) {
        sum += z[k].re;
    }
    return name_ln(sum + (last == NAME_PAIRS ? z[0].im : 0.0f));
}
"#;
