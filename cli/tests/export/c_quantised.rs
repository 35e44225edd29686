//! `--quantised --c`: the integers of `QuantisedDetector`, exactly, with scores, verdicts and alarms.

use super::c::{compiler, compiles};
use super::*;

use mercer::detect::LogQuantisedDetector;
use mercer::{Alarm, AlarmConfig, AlarmState};

/// What C prints for a reading of floats: code, bits of the scores, verdict, state of the alarm, bits of the projections; and for one of counts.
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
    return name_self_test() != 0 || name_score(0, 0) != NAME_NULL || name_score_counts(0, 0) != NAME_NULL || name_project(0, 0) != NAME_NULL;
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
    assert_eq!(found.next(), None);
    println!(
        "C in integers, {}: {} readings, {unusual} unusual, {raised} in alarm",
        data.name,
        floats.len()
    );
    assert!(raised > 0 && unusual > 0);
}

#[test]
fn c_has_the_integers_of_the_library() {
    same::<4>(&Data::golden("iris"));
    same::<12>(&Data::walking());
}

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
