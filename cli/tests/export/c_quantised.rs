//! `--quantised --c`: the integers of `QuantisedDetector`, exactly, with scores, verdicts and
//! alarms.

use super::c::{compiler, compiles};
use super::project::PROGRAM;
use super::rust::Crate;
use super::*;

use mercer::detect::LogQuantisedDetector;
use mercer::{Alarm, AlarmConfig, AlarmState};

/// What C prints for a reading of floats: code, bits of the scores, verdict, state of the alarm,
/// bits of the projections; and for one of counts.
const MAIN: &str = r#"
static uint32_t name_as_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void name_print(int code, const name_verdict *v, int state)
{
    printf("%d %lx %lx %lx %lx %d %d", code, (unsigned long)name_as_bits(v->spe), (unsigned long)name_as_bits(v->t2),
        (unsigned long)name_as_bits(v->abs_sum), (unsigned long)v->whole_spe, v->unusual, state);
}

static int name_run(void)
{
    static name_alarm alarm, counted;
    int kind, i;

    while (scanf("%d", &kind) == 1) {
        name_verdict verdict = {0, 0, 0, 0, 0};
        if (kind == 0) {
            float x[NAME_INPUTS], f[NAME_COMPONENTS];
            int code;
            for (i = 0; i < NAME_INPUTS; i++) {
                if (scanf("%f", &x[i]) != 1) return 1;
            }
            code = name_score(x, &verdict);
            name_print(code, &verdict, code == 0 ? name_alarm_update(&alarm, &verdict) : name_alarm_missing(&alarm));
            for (i = 0; i < NAME_COMPONENTS && name_project(x, f) == 0; i++) {
                printf(" %lx", (unsigned long)name_as_bits(f[i]));
            }
        } else if (kind == 2) {
            float x[NAME_INPUTS], out[NAME_INPUTS];
            name_suspect suspect = {-1, 0, 0, 0, 0};
            for (i = 0; i < NAME_INPUTS; i++) {
                if (scanf("%f", &x[i]) != 1) return 1;
            }
            printf("%d", name_find_suspect(x, &suspect));
            printf(" %d %.9g %.9g %.9g %.9g", suspect.input, (double)suspect.read, (double)suspect.expected, (double)suspect.fall, (double)suspect.rest);
            printf(" %d", name_contributions(x, out));
            for (i = 0; i < NAME_INPUTS; i++) {
                printf(" %.9g", (double)out[i]);
            }
        } else {
            int16_t x[NAME_INPUTS];
            for (i = 0; i < NAME_INPUTS; i++) {
                int count;
                if (scanf("%d", &count) != 1) return 1;
                x[i] = (int16_t)count;
            }
            i = name_score_counts(x, &verdict);
            name_print(i, &verdict, name_alarm_update(&counted, &verdict));
        }
        printf("\n");
    }
    return name_self_test() != 0 || name_score(0, 0) != NAME_NULL || name_score_counts(0, 0) != NAME_NULL || name_project(0, 0) != NAME_NULL
        || name_find_suspect(0, 0) != NAME_NULL || name_contributions(0, 0) != NAME_NULL;
}

int main(void)
{
    return name_run();
}
"#;

fn state(state: AlarmState) -> i32 {
    i32::from(state == AlarmState::Raised)
}

/// Readings of the data, and such as are far out in one input, tiny, huge, or no numbers.
fn readings<const D: usize>(data: &Data) -> (Vec<[f32; D]>, Vec<[i16; D]>) {
    let parse = |row: Vec<String>| -> [f32; D] {
        let row: Vec<f32> = row.iter().map(|cell| cell.parse().unwrap()).collect();
        row.try_into().unwrap()
    };
    let usual: Vec<[f32; D]> = data.inputs().into_iter().map(parse).collect();
    let mut floats = usual.clone();
    for (i, reading) in usual.iter().enumerate().take(40) {
        for value in
            [0.0, -0.0, 1e-40, 1e-3, -5.0, 1e6, -3e9, 1e30, f32::MAX, f32::NAN, f32::INFINITY]
        {
            let mut reading = *reading;
            reading[i % D] = value;
            floats.push(reading);
        }
        for factor in [0.5, 0.9, 1.1, 2.0, -1.0] {
            floats.push(reading.map(|x| x * factor));
        }
    }
    let counts = floats
        .iter()
        .map(|reading| reading.map(|x| (x.round() as i32).clamp(-32768, 32767) as i16));
    let counts = counts.collect();
    (floats, counts)
}

fn same<const D: usize>(data: &Data) {
    let folder = Folder::new();
    let model = data.fit(&folder, "rbf", "f32");
    let (header, bin) = (folder.path("model.h"), folder.path("model.bin"));
    done(&["export", &model, "--quantised", "--c", &header, "--bin", &bin, "--name", "whole"]);
    let mut detector = Box::new(LogQuantisedDetector::<D, 128, 64>::new());
    detector.read_from(&fs::read(bin).unwrap()).unwrap();
    let (floats, counts) = readings::<D>(data);

    let main = MAIN.replace("NAME_", "WHOLE_").replace("name_", "whole_");
    let main = format!("#include <stdio.h>\n#include <string.h>\n#include \"model.h\"\n{main}");
    fs::write(folder.path("main.c"), main).unwrap();
    let Some(objects) = compiles(&folder, &["model", "main"]) else { return };
    let program = folder.path("program");
    let mut linker = Command::new(compiler().unwrap());
    let linked = linker.args(objects).args(["-o", &program, "-lm"]).output().unwrap();
    assert!(linked.status.success());
    let line = |kind: &str, cells: Vec<String>| format!("{kind} {}\n", cells.join(" "));
    let mut input = String::new();
    floats.iter().for_each(|x| input += &line("0", x.map(|x| format!("{x:e}")).to_vec()));
    counts.iter().for_each(|x| input += &line("1", x.map(|x| x.to_string()).to_vec()));
    let numbers: Vec<[f32; D]> =
        floats.iter().copied().filter(|x| x.iter().all(|x| x.is_finite())).collect();
    numbers.iter().for_each(|x| input += &line("2", x.map(|x| format!("{x:e}")).to_vec()));
    fs::write(folder.path("input"), input).unwrap();
    let stdin = fs::File::open(folder.path("input")).unwrap();
    let output = Command::new(&program).stdin(stdin).output().unwrap();
    assert!(output.status.success());
    let mut found = text(&output.stdout).lines();

    let mut alarm = Alarm::<u64>::new(AlarmConfig::DEFAULT).unwrap();
    let (mut raised, mut unusual) = (0, 0);
    for x in &floats {
        let expected = match (detector.score(x), detector.judge(x)) {
            (Ok(verdict), Ok(whole)) => {
                let scores = [verdict.score.spe, verdict.score.t2, verdict.score.abs_sum];
                let [spe, t2, abs_sum] = scores.map(f32::to_bits);
                let state = state(alarm.update(&whole));
                raised += state;
                unusual += i32::from(verdict.unusual);
                let projection = detector.project(x).unwrap();
                let bits: String =
                    projection.iter().map(|f| format!(" {:x}", f.to_bits())).collect();
                let unusual = i32::from(verdict.unusual);
                format!("0 {spe:x} {t2:x} {abs_sum:x} {:x} {unusual} {state}{bits}", whole.spe)
            }
            _ => {
                let input = x.iter().position(|x| !x.is_finite()).unwrap();
                format!("{} 0 0 0 0 0 {}", -1 - input as i32, state(alarm.missing()))
            }
        };
        assert_eq!(found.next(), Some(expected.as_str()), "{}: {x:?}", data.name);
    }
    let mut alarm = Alarm::<u64>::new(AlarmConfig::DEFAULT).unwrap();
    for x in &counts {
        let (verdict, whole) =
            (detector.score_counts(x).unwrap(), detector.judge_counts(x).unwrap());
        let scores = [verdict.score.spe, verdict.score.t2, verdict.score.abs_sum];
        let [spe, t2, abs_sum] = scores.map(f32::to_bits);
        let (state, unusual) = (state(alarm.update(&whole)), i32::from(verdict.unusual));
        let expected = format!("0 {spe:x} {t2:x} {abs_sum:x} {:x} {unusual} {state}", whole.spe);
        assert_eq!(found.next(), Some(expected.as_str()), "{}: {x:?}", data.name);
    }
    let off = reasons(&detector, &numbers, &mut found, data.has_logs());
    assert_eq!(found.next(), None);
    println!("C in integers, {}: contributions off by {off:.1e} of the largest;", data.name);
    println!(
        "C in integers, {}: {} readings, {unusual} unusual, {raised} in alarm",
        data.name,
        floats.len()
    );
    assert!(raised > 0 && unusual > 0);
}

/// Compares suspects and contributions with the library's: which input, and codes, must be the
/// same, and without logarithms, which are another's, what was read and is expected, bit by
/// bit. Returns the largest difference of contributions, whose `exp` is another's, as a share of
/// the largest of its reading.
fn reasons<'a, const D: usize>(
    detector: &LogQuantisedDetector<D, 128, 64>,
    readings: &[[f32; D]],
    found: &mut impl Iterator<Item = &'a str>,
    has_logs: bool,
) -> f64 {
    let (mut worst, mut others) = (0.0_f64, 0);
    for x in readings {
        let cells: Vec<&str> = found.next().expect("a line for each").split(' ').collect();
        let number = |cell: &str| cell.parse::<f32>().expect("a number");
        match detector.suspect(x) {
            Ok(suspect) => {
                assert_eq!(cells[0], "0", "{x:?}");
                let expected = [suspect.read, suspect.expected, suspect.fall, suspect.rest];
                let same = cells[1] == suspect.input.to_string();
                let values = cells[2..6].iter().map(|cell| number(cell));
                if !has_logs {
                    assert!(same && values.eq(expected), "{x:?}: {cells:?}, not {suspect:?}");
                } else if !same {
                    // Another may explain the reading as well, but for the logarithm.
                    assert!((number(cells[5]) - suspect.rest).abs() < 1e-4, "{x:?}: {cells:?}");
                    others += 1;
                }
            }
            Err(_) => assert!(cells[0].parse::<i32>().unwrap() < 0, "{x:?}: {cells:?}"),
        }
        match detector.contributions(x) {
            Ok(expected) => {
                assert_eq!(cells[6], "0", "{x:?}");
                let largest = expected.iter().fold(0.0_f32, |most, c| most.max(c.abs()));
                for (cell, expected) in cells[7..].iter().zip(expected) {
                    let off = (number(cell) - expected).abs();
                    worst = worst.max(if off == 0.0 { 0.0 } else { f64::from(off / largest) });
                }
            }
            Err(_) => assert!(cells[6].parse::<i32>().unwrap() < 0, "{x:?}: {cells:?}"),
        }
    }
    assert!(others * 100 <= readings.len(), "{others} other suspects");
    assert!(worst < 1e-5, "{worst}");
    worst
}

#[test]
fn c_has_the_integers_of_the_library() {
    same::<4>(&Data::golden("iris"));
    same::<12>(&Data::walking());
}

/// `--project P --quantised`, in C and in Rust: the leading projections of `QuantisedDetector`, bit
/// by bit, in less flash. Both have tested themselves.
#[test]
fn projections_in_integers_are_those_of_the_detector() {
    let (folder, data) = (Folder::new(), Data::walking());
    let model = data.fit(&folder, "rbf", "f32");
    let bin = folder.path("whole.bin");
    let whole =
        done(&["export", &model, "--quantised", "--bin", &bin, "--rust", &folder.path("w.rs")]);
    let mut detector = Box::new(LogQuantisedDetector::<12, 128, 64>::new());
    detector.read_from(&fs::read(bin).unwrap()).unwrap();
    let readings: Vec<[f32; 12]> =
        data.inputs().iter().map(|row| std::array::from_fn(|i| row[i].parse().unwrap())).collect();
    let mut exported = Crate::new("projected_whole", PROGRAM);
    let flash = |said: &str| -> usize {
        let words: Vec<&str> = said.split(' ').collect();
        let at = words.iter().position(|&word| word == "bytes").unwrap();
        words[at - 1].replace(',', "").parse().unwrap()
    };
    for components in [1, 2] {
        let (name, count) = (format!("p{components}"), components.to_string());
        let header = folder.path(&format!("{name}.h"));
        let project = ["--project", &count, "--quantised"];
        let c = [&["--c", &header], &project[..]].concat();
        let said = exported.include(&model, &name, &c);
        assert!(flash(&said) < flash(whole.lines().next().unwrap()), "{said}{whole}");
        let rows: String = readings
            .iter()
            .map(|x| format!("    {{{}}},\n", x.map(|x| format!("{x:?}f")).join(", ")))
            .collect();
        let main = PROJECTIONS.replace("ROWS", &rows).replace("COUNT", &readings.len().to_string());
        let main =
            main.replace("NAME_", &format!("P{components}_")).replace("name_", &format!("{name}_"));
        let main_name = format!("main{components}");
        fs::write(
            folder.path(&format!("{main_name}.c")),
            format!("#include <stdio.h>\n#include <string.h>\n#include \"{name}.h\"\n{main}"),
        )
        .unwrap();
        let Some(objects) = compiles(&folder, &[&name, &main_name]) else { return };
        let program = folder.path(&format!("program{components}"));
        let mut linker = Command::new(compiler().unwrap());
        assert!(linker.args(objects).args(["-o", &program, "-lm"]).status().unwrap().success());
        let output = Command::new(&program).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stdout));
        let expected: String = readings
            .iter()
            .map(|x| {
                let projection = detector.project(x).unwrap();
                let bits =
                    projection.iter().take(components).map(|f| format!(" {:x}", f.to_bits()));
                bits.collect::<String>() + "\n"
            })
            .collect();
        assert_eq!(text(&output.stdout), expected);
    }
    let printed = exported.run(&data.readings);
    for components in [1, 2] {
        let start = format!("p{components},project,");
        let rows: Vec<&str> =
            printed.lines().filter_map(|line| line.strip_prefix(&start)).collect();
        assert_eq!(rows.len(), readings.len());
        for (row, x) in rows.iter().zip(&readings) {
            let row = row.trim_matches(['[', ']']).split(',');
            let found: Vec<f32> = row.map(|f| f.trim().parse().unwrap()).collect();
            assert_eq!(found, detector.project(x).unwrap()[..components]);
        }
    }
}

const PROJECTIONS: &str = r#"
static const float rows[COUNT][NAME_INPUTS] = {
ROWS};

int main(void)
{
    int row, i;

    for (row = 0; row < COUNT; row++) {
        float out[NAME_COMPONENTS];
        unsigned long bits = 0;

        if (name_project(rows[row], out) != 0) {
            return 1;
        }
        for (i = 0; i < NAME_COMPONENTS; i++) {
            uint32_t pattern;

            memcpy(&pattern, &out[i], sizeof pattern);
            bits = pattern;
            printf(" %lx", bits);
        }
        printf("\n");
    }
    return name_self_test() != 0 || name_project(0, 0) != NAME_NULL || name_project_counts(0, 0) != NAME_NULL;
}
"#;

/// A model of raw samples in integers: its front end stands beside them in one file.
#[test]
fn c_judges_raw_samples_in_integers() {
    let folder = Folder::new();
    let (train, model, header) =
        (folder.path("t.csv"), folder.path("t.mercer"), folder.path("model.h"));
    let row = |t: i32| {
        let x = f64::from(t);
        let noise = f64::from(t.wrapping_mul(7_919).rem_euclid(1_009)) / 1_009.0;
        format!(
            "{},{}\n",
            9.81 + 0.1 * (0.37 * x).sin() + 0.05 * noise,
            0.2 * (0.11 * x).cos() + 0.1 * noise
        )
    };
    let rows: Vec<String> = (0..4_000).map(row).collect();
    fs::write(&train, format!("ax,ay\n{}", rows.concat())).unwrap();
    let fit = ["fit", &train, "--window", "32", "--out", &model, "--force", "--landmarks", "12"];
    done(&fit);
    done(&["export", &model, "--quantised", "--c", &header, "--name", "raw"]);
    let rows = rows[..320].iter().map(|row| format!("{{{}}},", row.trim()));
    let main = format!(
        "#include \"model.h\"\nstatic const double rows[320][RAW_CHANNELS] = {{{}}};\n\
         static raw_monitor monitor;\nint main(void)\n{{\n    int i, judged = 0;\n    raw_verdict verdict;\n    \
         for (i = 0; i < 320; i++) {{\n        const raw_sample sample[RAW_CHANNELS] = {{(raw_sample)rows[i][0], (raw_sample)rows[i][1]}};\n        \
         const int code = raw_monitor_push(&monitor, sample, &verdict);\n\n        if (code < 0) {{\n            return 100;\n        }}\n        \
         judged += code == RAW_JUDGED;\n    }}\n    if (raw_self_test() != 0 || raw_monitor_push(0, 0, 0) != RAW_NULL) {{\n        return 101;\n    }}\n    \
         return judged;\n}}\n",
        rows.collect::<String>()
    );
    fs::write(folder.path("main.c"), main).unwrap();
    let Some(objects) = compiles(&folder, &["model", "main"]) else { return };
    let program = folder.path("program");
    let mut linker = Command::new(compiler().unwrap());
    assert!(linker.args(objects).args(["-o", &program, "-lm"]).status().unwrap().success());
    let judged = Command::new(&program).status().unwrap().code().unwrap();
    let windows = done(&["score", &model, &train])
        .lines()
        .skip(1)
        .filter(|line| line.split(',').next().unwrap().parse::<usize>().unwrap() <= 320 - 32 + 1)
        .count();
    assert!(judged as usize == windows && windows >= 10, "{judged} windows, not {windows}");
}
