//! Readings in C, bit for bit those of the library: every feature and operator, by a real compiler
//! under strict warnings, on signals that bring out rounding.

use std::fs;
use std::process::{Command, Stdio};

use mercer::signal::{
    Channel, FLOOR, Feature, Features, Operator, RowsMut, fill_turn, outputs, width,
};

use super::super::BITS;
use super::*;
use crate::export::c::tables::access;

/// One channel more than there are kinds of scales.
const CHANNELS: usize = 3;

fn front(window: usize, hop: usize, features: &[Feature]) -> Front {
    Front {
        channels: (0..CHANNELS).map(|channel| format!("c{channel}")).collect(),
        window,
        hop,
        features: features.to_vec(),
        floor: FLOOR,
        scales: Vec::new(),
        operators: Vec::new(),
        rate: None,
        by: None,
    }
}

const TIME: [Feature; 13] = [
    Feature::Mean,
    Feature::Std,
    Feature::LogStd,
    Feature::Rms,
    Feature::PeakToPeak,
    Feature::Min,
    Feature::Max,
    Feature::Crest,
    Feature::Skew,
    Feature::Kurt,
    Feature::Mad,
    Feature::LogMad,
    Feature::ZeroCrossings,
];

/// Every feature alone and with all others; spectra of all lengths; every operator alone and in
/// chains; hops and scales of all kinds.
fn recipes() -> Vec<Front> {
    let operated = |operators: &[Operator]| Front {
        operators: operators.to_vec(),
        ..front(10, 5, &[Feature::Mean, Feature::LogStd])
    };
    let all = [&TIME[..], &[Feature::Bands(4), Feature::Bands(7)]].concat();
    let mut recipes: Vec<Front> = TIME.iter().map(|&feature| front(45, 20, &[feature])).collect();
    // Lengths whose last layer is odd and even, with fewer bins than bands, and none.
    recipes.extend((0..10).map(|power| front(1 << power, 1 << power, &[Feature::Bands(3)])));
    recipes.extend(
        [(1, 1), (2, 1), (31, 31), (32, 7), (33, 50), (100, 1)]
            .map(|(window, hop)| front(window, hop, &TIME)),
    );
    recipes
        .extend([(64, 32), (256, 128), (128, 200)].map(|(window, hop)| front(window, hop, &all)));
    use Operator::*;
    recipes.extend([
        operated(&[Average(1)]),
        operated(&[Average(4)]),
        operated(&[Ewma(0.3)]),
        operated(&[Lags(1)]),
        operated(&[Lags(3)]),
        operated(&[Difference]),
        operated(&[Average(3), Lags(2)]),
        operated(&[Lags(2), Ewma(0.1)]),
        operated(&[Difference, Lags(3), Average(2)]),
        operated(&[Ewma(1.0), Difference, Difference, Ewma(0.5)]),
        operated(&[Lags(1), Average(1), Lags(2), Lags(2)]),
    ]);
    for (scales, floor) in
        [(vec![0.25], 1e-3), (vec![-3e-5, 1e10, 1e-20], 1e-9), (vec![1.7; CHANNELS], 2.0)]
    {
        recipes.push(Front { scales, floor, operators: vec![Average(2)], ..front(64, 16, &all) });
    }
    recipes
}

/// What a monitor is given: a sample, or none where there is a gap.
type Event = Option<[f32; CHANNELS]>;

/// Noise on an offset, tones and steps; each channel is constant for a while, and twice there is a
/// gap: a number that is none, and one that is too large.
fn events() -> Vec<Event> {
    let mut state = 1_u32;
    let mut noise = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut sample = |t: usize| {
        let x = t as f32;
        let mut sample = [
            9.81 + 0.02 * noise() + 0.01 * (0.3 * x).sin(),
            (30_000.0 + 10.0 * noise()).round(),
            1e-12 * (noise() + (0.7 * x).sin() * if t % 200 < 100 { 1.0 } else { 3.0 }),
        ];
        // At rest, also at −0 and among the numbers below the normal ones; or as large as can be.
        if (300..700).contains(&t) {
            sample[0] = -0.0;
        }
        if (500..900).contains(&t) {
            sample[1] = 30_000.0;
        }
        if (1_000..1_100).contains(&t) {
            sample[2] = f32::from_bits((t % 3) as u32);
        }
        if (1_400..1_500).contains(&t) {
            sample[0] = 1e20 * noise();
        }
        sample
    };
    let mut events: Vec<Event> = (0..2_400).map(|t| Some(sample(t))).collect();
    events[1_200] = None;
    events[1_201] = None;
    events[1_700] = Some([0.0, f32::NAN, f32::INFINITY]);
    events[2_000] = Some([0.0, 0.0, -1.1e20]);
    events
}

/// What comes of an event that is not waited on: a channel that cannot be used, or a reading.
#[derive(Debug, PartialEq)]
enum Outcome {
    Channel(usize),
    /// Its bits, and how many features are at the floor.
    Reading(Vec<u32>),
}

/// By the library, from whole windows of each stretch.
fn expected(front: &Front, events: &[Event]) -> Vec<Outcome> {
    let unusable = |event: &Event| {
        event.and_then(|sample| sample.iter().position(|x| x.is_nan() || x.abs() > LARGEST))
    };
    let ends = |event: &Event| event.is_none() || unusable(event).is_some();
    let mut outcomes = Vec::new();
    for stretch in events.split_inclusive(ends) {
        let (samples, end) = match stretch.split_last() {
            Some((last, samples)) if ends(last) => (samples, unusable(last)),
            _ => (stretch, None),
        };
        let samples: Vec<[f32; CHANNELS]> = samples.iter().copied().flatten().collect();
        outcomes.extend(readings(front, &samples).into_iter().map(Outcome::Reading));
        outcomes.extend(end.map(Outcome::Channel));
    }
    outcomes
}

fn readings(front: &Front, samples: &[[f32; CHANNELS]]) -> Vec<Vec<u32>> {
    let Front { window, hop, features, floor, scales, operators, .. } = front;
    let (each, inputs) = (outputs(features), front.row());
    let features = Features::new(features, *floor, *window).unwrap();
    let (mut turn, mut spectrum) = (vec![0.0; *window], vec![0.0; *window]);
    fill_turn(&mut turn);
    let (mut memory, mut last) =
        (vec![f32::NAN; remembered(front)], vec![0.0; width(operators, inputs)]);
    let mut rows = RowsMut::new(operators, inputs, &mut memory, &mut last).unwrap();
    let mut readings = Vec::new();
    for samples in samples.windows(*window).step_by(*hop) {
        let mut row = vec![0.0; inputs];
        let mut floored = 0;
        for (number, out) in row.chunks_mut(each).enumerate() {
            let samples: Vec<f32> = samples.iter().map(|sample| sample[number]).collect();
            let scale = match scales.as_slice() {
                [] => 1.0,
                [one] => *one,
                each => each[number],
            };
            let channel = Channel::new(&samples).unwrap().scaled(scale);
            floored += features.write(&channel, &turn, &mut spectrum, out).unwrap() as u32;
        }
        if let Some(reading) = rows.push(&row).unwrap() {
            readings.push(reading.iter().map(|x| x.to_bits()).chain([floored]).collect());
        }
    }
    readings
}

/// A monitor with a detector that judges nothing, and a run of it.
fn c_source(front: &Front, samples: SampleType, name: &Name) -> String {
    let FrontParts { header, source, needs_bits } =
        FrontParts::new::<f32>(front, samples, name, Question::Score);
    let bits = if needs_bits { BITS } else { "" };
    let floored = if Wanted::by(front).floor { "monitor.floored" } else { "0" };
    let inputs = width(&front.operators, front.row());
    let before = "typedef struct name_verdict { int unusual; } name_verdict;\n";
    let score = "static int name_score(const float *x, name_verdict *out) { out->unusual = x[0] > 0.0f; return 0; }\n";
    let run = RUN.replace("FLOORED", floored);
    let sizes = format!(
        "#define NAME_INPUTS {inputs}\n#define NAME_NULL (-2 - NAME_INPUTS)\n#define NAME_NOT_READY (-3 - NAME_INPUTS)\n"
    );
    named(&(sizes + before + access::<f32>()), name)
        + &header
        + &named(score, name)
        + &named(bits, name)
        + &source
        + &named(&run, name)
}

const RUN: &str = r#"
static void name_run(void)
{
    static name_monitor monitor;
    name_verdict verdict;
    unsigned long i;
    int j, code;

    for (i = 0; i < sizeof monitor; i++) {
        ((unsigned char *)&monitor)[i] = 0xff;
    }
    name_monitor_init(&monitor);
    for (i = 0; i < EVENTS; i++) {
        name_sample sample[NAME_CHANNELS];

        if (gaps[i]) {
            name_monitor_gap(&monitor);
            continue;
        }
        for (j = 0; j < NAME_CHANNELS; j++) {
            sample[j] = (name_sample)samples[i][j];
        }
        code = name_monitor_push(&monitor, sample, &verdict);
        if (code < 0) {
            printf("%d\n", code);
        } else if (code == NAME_JUDGED) {
            printf("%d", FLOORED);
            for (j = 0; j < NAME_INPUTS; j++) {
                union { float value; uint32_t bits; } both;
                both.value = monitor.reading[j];
                printf(" %08lx", (unsigned long)both.bits);
            }
            printf("\n");
        }
    }
    printf("end\n");
}
"#;

/// Runs all monitors on the events; for each, what came out. None if there is no such compiler.
fn run(
    compiler: &str,
    samples: SampleType,
    fronts: &[Front],
    events: &[Event],
) -> Option<Vec<Vec<Outcome>>> {
    let names: Vec<Name> =
        (0..fronts.len()).map(|number| format!("front_{number}").parse().unwrap()).collect();
    let gaps: Vec<&str> =
        events.iter().map(|event| if event.is_some() { "0" } else { "1" }).collect();
    let table: Vec<String> = events
        .iter()
        .map(|event| {
            let cells = event.unwrap_or_default().map(|x| match x {
                x if x.is_nan() => "NAN".into(),
                x if x.is_infinite() => "INFINITY".into(),
                x => literal(&x),
            });
            format!("{{{}}}", cells.join(", "))
        })
        .collect();
    let sources: String =
        fronts.iter().zip(&names).map(|(front, name)| c_source(front, samples, name)).collect();
    let calls: String = names.iter().map(|name| format!("    {}_run();\n", name.lower())).collect();
    let program = format!(
        "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#define EVENTS {events}\n\
         static const unsigned char gaps[EVENTS] = {{{gaps}}};\n\
         static const float samples[EVENTS][{CHANNELS}] = {{\n{table}}};\n\
         {sources}\nint main(void)\n{{\n{calls}    return 0;\n}}\n",
        events = events.len(),
        gaps = gaps.join(", "),
        table = table.join(",\n"),
    );
    let printed = String::from_utf8(output_of(compiler, &program)?).unwrap();
    let parse = |line: &str| {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let first: i32 = first.parse().unwrap();
        if first < 0 {
            return Outcome::Channel((-1 - first) as usize);
        }
        let bits = rest.split(' ').map(|bits| u32::from_str_radix(bits, 16).unwrap());
        Outcome::Reading(bits.chain([first as u32]).collect())
    };
    let runs = printed.split_terminator("end\n");
    Some(runs.map(|run| run.lines().map(parse).collect()).collect())
}

/// What a program prints; none if there is no such compiler.
fn output_of(compiler: &str, program: &str) -> Option<Vec<u8>> {
    let strict = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow"];
    let stricter = ["-Wconversion", "-Wdouble-promotion", "-ffp-contract=off"];
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("program.c"), folder.path().join("program"));
    fs::write(&source, program).unwrap();
    let files = [source.as_os_str(), "-o".as_ref(), binary.as_os_str(), "-lm".as_ref()];
    let compiled = Command::new(compiler).args(strict).args(stricter).args(files).output().ok()?;
    let complaints = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{compiler}: {complaints}");
    let output = Command::new(&binary).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success());
    Some(output.stdout)
}

/// Where compilers are looked for; the names of GCC and Clang.
const COMPILERS: [&str; 2] = ["cc", "clang"];

/// Compares all readings, if there is such a compiler.
fn compare(compiler: &str, samples: SampleType, recipes: &[Front], events: &[Event]) {
    let Some(found) = run(compiler, samples, recipes, events) else { return };
    assert_eq!(found.len(), recipes.len());
    for (front, found) in recipes.iter().zip(found) {
        let (expected, what) = (expected(front, events), front.description());
        assert!(expected.len() > 3, "{what}");
        assert_eq!(found.len(), expected.len(), "{compiler}, {what}");
        for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{compiler}, {what}: {number}");
        }
    }
}

#[test]
fn readings_have_the_bits_of_the_library() {
    let (recipes, events) = (recipes(), events());
    for compiler in COMPILERS {
        compare(compiler, SampleType::F32, &recipes, &events);
    }
}

/// Counts take half the memory, and give the bits that they give as floats.
#[test]
fn counts_are_samples_too() {
    // As numbers saturate, NaN is 0.
    let counts = |x: f32| f32::from(x as i16);
    let events: Vec<Event> = events()
        .into_iter()
        .map(|event| event.map(|[_, b, c]| [b, -b, 1e16 * c].map(counts)))
        .collect();
    let scaled = Front {
        scales: vec![1.0 / 32_768.0, -0.1, 3e-5],
        ..front(64, 32, &[Feature::Mean, Feature::LogStd, Feature::Bands(4)])
    };
    let recipes = [front(100, 50, &TIME), scaled];
    for compiler in COMPILERS {
        compare(compiler, SampleType::I16, &recipes, &events);
    }
}

/// One number in a thousand or so, of all that have a logarithm: from the smallest to the largest.
#[test]
fn logarithms_have_the_bits_of_the_library() {
    const STEP: u32 = 1_009;
    let largest = f32::MAX.to_bits();
    let name: Name = "x".parse().unwrap();
    let program = format!(
        "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n{}int main(void)\n{{\n    uint32_t bits;\n\n    for (bits = 0; bits <= {largest}u; bits += {STEP}u) {{\n        const uint32_t found = x_bits(x_ln(x_from_bits(bits)));\n        fwrite(&found, 4, 1, stdout);\n    }}\n    return 0;\n}}\n",
        named(&[BITS, logarithm::LN].concat(), &name)
    );
    for compiler in COMPILERS {
        let Some(output) = output_of(compiler, &program) else { continue };
        let numbers = (0..=largest).step_by(STEP as usize);
        let found =
            output.chunks_exact(4).map(|bytes| u32::from_ne_bytes(bytes.try_into().unwrap()));
        assert_eq!(output.len() / 4, numbers.clone().count());
        for (bits, found) in numbers.zip(found) {
            let x = f32::from_bits(bits);
            assert_eq!(found, mercer::math::Real::ln(x).to_bits(), "{compiler}: {x:e}");
        }
    }
}
