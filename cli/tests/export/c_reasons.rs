//! What C says beside scores, compared with `mercer score --why`: alarm, suspect and contributions;
//! and null pointers.

use super::c::{FLAGS, compiler, compiles};
use super::*;

/// Models to ask, and readings: all in one program, which answers a line for each reading.
struct Questions {
    folder: Folder,
    models: Vec<(String, Vec<Vec<String>>, String)>,
}

impl Questions {
    fn add(&mut self, model: &str, readings: Vec<Vec<String>>, precision: &str) {
        let name = stem(model).file_name().unwrap().to_str().unwrap().to_string();
        let header = self.folder.path(&format!("{name}.h"));
        done(&["export", model, "--c", &header, "--name", &name]);
        self.models.push((name, readings, precision.into()));
    }

    /// The program, with its data.
    fn main(&self) -> String {
        let mut main = String::from("#include <stdio.h>\n");
        let mut calls = String::new();
        for (name, readings, precision) in &self.models {
            let number = if precision == "f32" { "float" } else { "double" };
            let suffix = if precision == "f32" { "f" } else { "" };
            let literal = |cell: &String| format!("{:?}{suffix}", cell.parse::<f64>().unwrap());
            let rows: String = readings
                .iter()
                .map(|row| {
                    format!("{{{}}},\n", row.iter().map(literal).collect::<Vec<_>>().join(", "))
                })
                .collect();
            let template = MAIN.replace("NUMBER", number).replace("ROWS", &rows);
            let template = template.replace("COUNT", &readings.len().to_string());
            let template = template.replace("NAME_", &format!("{}_", name.to_uppercase()));
            main += &format!("#include \"{name}.h\"\n");
            main += &template.replace("name_", &format!("{name}_"));
            calls += &format!("    {name}_run();\n");
        }
        main + &format!("int main(void)\n{{\n{calls}    return 0;\n}}\n")
    }

    /// The lines that the program prints; none without a compiler.
    fn run(self) -> Option<Vec<Vec<String>>> {
        fs::write(self.folder.path("main.c"), self.main()).unwrap();
        let names = self.models.iter().map(|(name, ..)| name.as_str());
        let objects = compiles(&self.folder, &names.chain(["main"]).collect::<Vec<_>>())?;
        let program = self.folder.path("program");
        let linked = Command::new(compiler()?).args(objects).args(["-o", &program, "-lm"]).output();
        assert!(linked.unwrap().status.success());
        let output = Command::new(&program).output().unwrap();
        assert!(output.status.success());
        let cells = |line: &str| line.split(',').map(String::from).collect();
        Some(text(&output.stdout).lines().map(cells).collect())
    }
}

const MAIN: &str = r#"
static const NUMBER name_rows[COUNT][NAME_INPUTS] = {
ROWS};

static void name_run(void)
{
    static name_alarm alarm;
    int row, i;

    for (row = 0; row < COUNT; row++) {
        name_verdict verdict = {0, 0, 0, 0};
        name_suspect suspect = {-1, 0, 0, 0, 0};
        NUMBER out[NAME_INPUTS];
        const int code = name_score(name_rows[row], &verdict);
        const int state = name_alarm_update(&alarm, &verdict);

        printf("%d,%d,", code, state == NAME_RAISED);
        if (name_find_suspect(name_rows[row], &suspect) != 0) {
            printf("no suspect\n");
        }
        printf("%d,%s,%.17g,%.17g", verdict.unusual, name_input_names[suspect.input], (double)suspect.expected, (double)suspect.fall);
        if (name_contributions(name_rows[row], out) != 0) {
            printf("no contributions\n");
        }
        for (i = 0; i < NAME_INPUTS; i++) {
            printf(",%.17g", (double)out[i]);
        }
        printf("\n");
    }
    if (name_self_test() != 0) {
        printf("reading %d of the self-test\n", name_self_test());
    }
    if (name_score(0, 0) != NAME_NULL || name_score(name_rows[0], 0) != NAME_NULL
        || name_project(0, 0) != NAME_NULL || name_find_suspect(name_rows[0], 0) != NAME_NULL
        || name_contributions(0, 0) != NAME_NULL || name_alarm_update(0, 0) != NAME_NULL
        || name_alarm_update(&alarm, 0) != NAME_NULL || name_alarm_missing(0) != NAME_NULL
        || name_alarm_gap(0) != NAME_NULL || name_alarm_acknowledge(0) != NAME_NULL
        || name_alarm_reset(0) != NAME_NULL || name_alarm_state(0) != NAME_NULL) {
        printf("a null pointer was taken\n");
    }
}
"#;

/// Relative to the largest of its kind in a reading.
fn tolerance(precision: &str) -> f64 {
    if precision == "f32" { 2e-4 } else { 1e-9 }
}

#[test]
fn c_gives_the_reasons_of_the_library() {
    let data = [Data::walking(), Data::golden("iris"), Data::golden("bc64")];
    let mut questions = Questions { folder: Folder::new(), models: Vec::new() };
    let folder = Folder::new();
    let mut expected = Vec::new();
    for data in &data {
        for precision in PRECISIONS {
            for kernel in KERNELS {
                let model = data.fit(&folder, kernel, precision);
                questions.add(&model, data.inputs(), precision);
                let printed = done(&["score", &model, &data.readings, "--why"]);
                expected.extend(printed.lines().skip(1).map(|line| {
                    let cells: Vec<String> = line.split(',').skip(4).map(String::from).collect();
                    (format!("{} {kernel} {precision}", data.name), precision, cells)
                }));
            }
        }
    }
    let Some(found) = questions.run() else { return };
    assert_eq!(found.len(), expected.len(), "{:?}", found.iter().find(|line| line.len() < 4));
    let (mut suspects, mut others) = (0, Vec::new());
    for (found, (what, precision, expected)) in found.iter().zip(&expected) {
        // code, alarm, unusual, suspect, expected, fall, contributions
        // unusual, alarm, suspect, expected, fall, contributions
        assert_eq!(found[0], "0", "{what}");
        assert_eq!([&found[2], &found[1]], [&expected[0], &expected[1]], "{what}: {expected:?}");
        let number = |cell: &String| cell.parse::<f64>().expect("a number");
        let pair = |a: &[String], b: &[String]| -> f64 {
            let largest = b.iter().map(|b| number(b).abs()).fold(1e-30, f64::max);
            let pairs = a.iter().zip(b);
            pairs.map(|(a, b)| (number(a) - number(b)).abs() / largest).fold(0.0, f64::max)
        };
        if !expected[2].is_empty() {
            suspects += 1;
            // A search by steps may end elsewhere where rounding decides between two equals.
            let same = found[3] == expected[2] && pair(&found[4..6], &expected[3..5]) <= 1e-2;
            if !same {
                others.push(format!("{what}: {:?} {:?}", &found[3..6], &expected[2..5]));
            }
        }
        let off = pair(&found[6..], &expected[5..]);
        assert!(off <= tolerance(precision), "{what}: {off:e} {found:?} {expected:?}");
    }
    println!("C: {suspects} suspects, {} others: {others:?}", others.len());
    assert!(suspects > 100, "{suspects}");
    assert!(others.len() * 200 <= suspects, "{others:?}");
}

/// A number that is altered anywhere is noticed, and a firmware that does not call the test does
/// not have it.
#[test]
fn the_self_test_notices_what_was_altered() {
    let Some(cc) = compiler() else { return };
    let folder = Folder::new();
    let model = Data::golden("iris").fit(&folder, "rbf", "f32");
    for quantised in [false, true] {
        let header = folder.path("model.h");
        let export = ["export", &model, "--c", &header, "--name", "m"];
        let option: &[&str] = if quantised { &["--quantised"] } else { &[] };
        done(&[&export, option].concat());
        let source = read(&folder.path("model.c"));
        let main = "#include \"model.h\"\nint main(void) { return m_self_test(); }\n";
        fs::write(folder.path("main.c"), main).unwrap();
        let run = |source: &str| {
            fs::write(folder.path("model.c"), source).unwrap();
            let (program, files) = (folder.path("program"), ["main.c", "model.c"]);
            let files = files.map(|file| folder.path(file));
            let built =
                Command::new(cc).args(files).args(["-o", &program, "-lm"]).output().unwrap();
            assert!(built.status.success(), "{}", text(&built.stderr));
            Command::new(&program).status().unwrap().code()
        };
        assert_eq!(run(&source), Some(0));
        // In the rows of the points, the first number is another.
        let points = source.find("m_points[M_POINTS]").unwrap();
        let row = points + source[points..].find("\n    {").unwrap() + "\n    {".len();
        let end = row + source[row..].find([',', '}']).unwrap();
        let other = if quantised { "12345678u" } else { "1.875f" };
        let altered = format!("{}{other}{}", &source[..row], &source[end..]);
        assert_ne!(run(&altered), Some(0), "quantised: {quantised}");

        fs::write(folder.path("model.c"), &source).unwrap();
        let main = "#include \"model.h\"\nint main(void) { m_verdict v; float x[M_INPUTS] = {0}; return m_score(x, &v); }\n";
        fs::write(folder.path("main.c"), main).unwrap();
        let (program, files) = (folder.path("program"), ["main.c", "model.c"]);
        let built = Command::new(cc)
            .args([
                "-ffunction-sections",
                "-fdata-sections",
                "-Wl,--gc-sections",
                "-Wl,--print-gc-sections",
            ])
            .args(files.map(|file| folder.path(file)))
            .args(["-o", &program, "-lm"])
            .output()
            .unwrap();
        let dropped = text(&built.stderr);
        for section in ["m_self_test", "m_vectors", "m_alarm_update"] {
            let is_dropped = dropped.lines().any(|line| line.contains(section));
            assert!(is_dropped, "{section} is in the image: {dropped}");
        }
    }
}

/// Headers and sources are C++ as well.
#[test]
fn c_is_clean_as_cpp() {
    if !Command::new("c++").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return common::skipped("there is no C++ compiler `c++`");
    }
    let folder = Folder::new();
    let whole: [&[&str]; 3] =
        [&["--quantised"], &["--project", "1"], &["--project", "1", "--quantised"]];
    let forms = KERNELS.iter().map(|&kernel| (kernel, "f32", &[][..]));
    let forms = forms.chain(whole.map(|options| ("rbf", "f32", options)));
    for (kernel, precision, options) in forms.chain([("rbf", "f64", &[][..])]) {
        let model = Data::walking().fit(&folder, kernel, precision);
        let export = ["export", &model, "--c", &folder.path("model.h"), "--name", kernel];
        done(&[&export[..], options].concat());
        let warnings = FLAGS.iter().filter(|flag| flag.starts_with("-W"));
        let output = Command::new("c++")
            .args(warnings)
            .args(["-std=c++11", "-x", "c++", "-c", &folder.path("model.c")])
            .args(["-o", &folder.path("model.o")])
            .output()
            .unwrap();
        assert!(output.status.success(), "{kernel} {options:?}: {}", text(&output.stderr));
    }
}

/// Every call of an alarm in any order, with and without latch and warm-up, against the library's
/// state machine.
#[test]
fn c_alarms_are_those_of_the_library() {
    use mercer::detect::{AlarmRule, Threshold};
    use mercer::kpca::Score;
    use mercer::{Alarm, AlarmConfig, AlarmState};

    let Some(cc) = compiler() else { return };
    let folder = Folder::new();
    let model = Data::golden("iris").fit(&folder, "rbf", "f32");
    done(&["export", &model, "--c", &folder.path("model.h"), "--name", "m"]);
    let file: serde_json::Value = serde_json::from_str(&read(&model)).unwrap();
    let number = |name: &str| file[name].as_f64().unwrap() as f32;
    let threshold = Threshold::new(number("threshold_spe")).with_usual(number("usual_spe"));
    // What is done, and the score of what is judged, in thresholds: mostly long runs of either
    // kind.
    let mut state = 3_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    let events: Vec<(u32, f32)> = (0..4_000)
        .map(|i| {
            let event = if random() % 8 == 0 { random() % 5 } else { 0 };
            let size = if i / 25 % 2 == 0 { 0.4 } else { 2.0 };
            let spe = if random() % 50 == 0 { f32::NAN } else { size * random() as f32 / 65_536.0 };
            (event, spe * threshold.spe)
        })
        .collect();
    let rows = events.iter().map(|(event, spe)| match spe.is_nan() {
        true => format!("{{{event}, NAN}},\n"),
        false => format!("{{{event}, {spe:?}f}},\n"),
    });
    let main = format!(
        "#include <math.h>\n#include <stdio.h>\n#include \"model.h\"\nstatic const struct {{ int event; float spe; }} events[] = {{\n{}}};\n{ALARM_MAIN}",
        rows.collect::<String>()
    );
    fs::write(folder.path("main.c"), main).unwrap();
    for (latch, warm_up, shift, end) in
        [(0, 0, 3, 80), (1, 0, 3, 80), (0, 7, 0, 100), (1, 2, 2, 60)]
    {
        let defines = [("SHIFT", shift), ("END", end), ("LATCH", latch), ("WARM_UP", warm_up)];
        let defines = defines.map(|(name, value)| format!("-DM_ALARM_{name}={value}"));
        let (program, files) = (folder.path("program"), ["main.c", "model.c"]);
        let files = files.map(|file| folder.path(file));
        let built = Command::new(cc)
            .args(["-std=c99", "-ffp-contract=off"])
            .args(defines)
            .args(files)
            .args(["-o", &program, "-lm"])
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", text(&built.stderr));
        let printed = Command::new(&program).output().unwrap();
        let found: Vec<&str> = text(&printed.stdout).lines().collect();
        let rule = AlarmRule::Smoothed { shift: shift as u8, end: end as u8 };
        let config = AlarmConfig::DEFAULT.rule(rule).latch(latch == 1).warm_up(warm_up as u16);
        let mut alarm = Alarm::<f32>::new(config).unwrap();
        let mut seen = [0; 5];
        for (i, ((event, spe), found)) in events.iter().zip(&found).enumerate() {
            let state = match event {
                0 => {
                    let mut score = Score::default();
                    score.spe = *spe;
                    alarm.update(&threshold.judge(score))
                }
                1 => alarm.missing(),
                2 => alarm.gap(),
                3 => alarm.acknowledge(),
                _ if i % 10 == 0 => alarm.reset(),
                _ => alarm.state(),
            };
            let code = match state {
                AlarmState::Normal => 0,
                AlarmState::Raised => 1,
                AlarmState::Acknowledged => 2,
                AlarmState::Latched => 3,
                _ => 4,
            };
            seen[code] += 1;
            assert_eq!(*found, format!("{code} {}", alarm.absent()), "event {i} of {config:?}");
        }
        assert_eq!(found.len(), events.len());
        assert!(seen[0] > 0 && seen[1] > 0 && seen[2] > 0, "{seen:?}");
        assert!((latch == 0 || seen[3] > 0) && (warm_up == 0 || seen[4] > 0), "{seen:?}");
    }
}

const ALARM_MAIN: &str = r#"
int main(void)
{
    static m_alarm alarm;
    unsigned long i;

    for (i = 0; i < sizeof events / sizeof events[0]; i++) {
        m_verdict verdict = {0, 0, 0, 0};
        int state;

        verdict.spe = events[i].spe;
        switch (events[i].event) {
        case 0: state = m_alarm_update(&alarm, &verdict); break;
        case 1: state = m_alarm_missing(&alarm); break;
        case 2: state = m_alarm_gap(&alarm); break;
        case 3: state = m_alarm_acknowledge(&alarm); break;
        default: state = i % 10 == 0 ? m_alarm_reset(&alarm) : m_alarm_state(&alarm);
        }
        printf("%d %d\n", state, alarm.absent);
    }
    return 0;
}
"#;
