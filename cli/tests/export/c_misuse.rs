//! C that is used wrongly: null pointers, readings that are none, memory that nobody prepared,
//! files that do not belong together. Codes say so, and nothing is lost. Compiled with sanitizers
//! for addresses and undefined behaviour where the compiler has them.

use super::c::{FLAGS, compiler};
use super::*;

/// A model of raw samples, of two channels.
fn raw_model(folder: &Folder) -> String {
    let (train, model) = (folder.path("raw.csv"), folder.path("raw.mercer"));
    let row = |t: i32| {
        let noise = f64::from(t.wrapping_mul(7_919).rem_euclid(1_009)) / 1_009.0;
        format!("{},{}\n", (0.37 * f64::from(t)).sin() + noise, (t * t) % 31)
    };
    let rows: String = (0..3_000).map(row).collect();
    fs::write(&train, format!("a,b\n{rows}")).unwrap();
    done(&["fit", &train, "--window", "16", "--out", &model, "--force", "--landmarks", "12"]);
    model
}

/// The flags of sanitizers, if a program with them can be linked and run.
fn sanitizers(cc: &str, folder: &Folder) -> Vec<&'static str> {
    const WANTED: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let (source, program) = (folder.path("empty.c"), folder.path("empty"));
    fs::write(&source, "int main(void)\n{\n    return 0;\n}\n").unwrap();
    let built = Command::new(cc).args(WANTED).args([&source, "-o", &program]).output();
    let runs = built.is_ok_and(|output| output.status.success())
        && Command::new(&program).output().is_ok_and(|output| output.status.success());
    if runs {
        return WANTED.into();
    }
    common::skipped("this compiler has no sanitizers: misuse is compiled without");
    Vec::new()
}

/// What holds for every detector; `CHECK` counts what does not.
const BEGINNING: &str = r#"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(holds) do { if (!(holds)) { printf("line %d: %s\n", __LINE__, #holds); failures++; } } while (0)
"#;

const DETECTOR: &str = r#"
static void name_null(void)
{
    static NUMBER x[NAME_INPUTS], out[NAME_INPUTS], f[NAME_COMPONENTS];
    static name_verdict verdict;
    static name_suspect suspect;
    static name_alarm alarm;

    CHECK(name_score(0, &verdict) == NAME_NULL && name_score(x, 0) == NAME_NULL);
    CHECK(name_project(0, f) == NAME_NULL && name_project(x, 0) == NAME_NULL);
    CHECK(name_find_suspect(0, &suspect) == NAME_NULL && name_find_suspect(x, 0) == NAME_NULL);
    CHECK(name_contributions(0, out) == NAME_NULL && name_contributions(x, 0) == NAME_NULL);
    CHECK(name_alarm_update(0, &verdict) == NAME_NULL && name_alarm_update(&alarm, 0) == NAME_NULL);
    CHECK(name_alarm_missing(0) == NAME_NULL && name_alarm_gap(0) == NAME_NULL && name_alarm_state(0) == NAME_NULL);
    CHECK(name_alarm_acknowledge(0) == NAME_NULL && name_alarm_reset(0) == NAME_NULL);
    CHECK(name_alarm_state(&alarm) == NAME_NORMAL);
}

/* Readings that are none: the code names the input, and what was to be written is as before. */
static void name_not_finite(void)
{
    const NUMBER wrong[3] = {(NUMBER)NAN, (NUMBER)INFINITY, (NUMBER)-INFINITY};
    int i, kind;

    for (i = 0; i < NAME_INPUTS; i++) {
        for (kind = 0; kind < 3; kind++) {
            NUMBER x[NAME_INPUTS], out[NAME_INPUTS], f[NAME_COMPONENTS];
            name_verdict verdict, kept;
            name_suspect suspect, none;
            int j;

            for (j = 0; j < NAME_INPUTS; j++) {
                x[j] = 1;
                out[j] = 7;
            }
            for (j = 0; j < NAME_COMPONENTS; j++) {
                f[j] = 7;
            }
            x[i] = wrong[kind];
            memset(&verdict, 0x11, sizeof verdict);
            memset(&suspect, 0x11, sizeof suspect);
            memcpy(&kept, &verdict, sizeof kept);
            memcpy(&none, &suspect, sizeof none);
            CHECK(name_score(x, &verdict) == -1 - i && memcmp(&verdict, &kept, sizeof kept) == 0);
            CHECK(name_find_suspect(x, &suspect) == -1 - i && memcmp(&suspect, &none, sizeof none) == 0);
            CHECK(name_project(x, f) == -1 - i && name_contributions(x, out) == -1 - i);
            for (j = 0; j < NAME_INPUTS; j++) {
                CHECK(!(out[j] < 7) && !(out[j] > 7));
            }
            for (j = 0; j < NAME_COMPONENTS; j++) {
                CHECK(!(f[j] < 7) && !(f[j] > 7));
            }
        }
    }
}

/* Any finite numbers: a code, and a verdict of finite numbers or none. */
static void name_extremes(void)
{
    const NUMBER sizes[8] = {0, (NUMBER)FLT_MAX, (NUMBER)-FLT_MAX, (NUMBER)FLT_MIN, (NUMBER)1e-40, (NUMBER)1e20, -1, (NUMBER)65535};
    int a, b, j;

    for (a = 0; a < 8; a++) {
        for (b = 0; b < 8; b++) {
            NUMBER x[NAME_INPUTS], out[NAME_INPUTS];
            name_verdict verdict;
            name_suspect suspect;

            for (j = 0; j < NAME_INPUTS; j++) {
                x[j] = sizes[j % 2 == 0 ? a : b];
            }
            if (name_score(x, &verdict) == 0) {
                CHECK(isfinite(verdict.spe) && isfinite(verdict.t2) && (verdict.unusual == 0 || verdict.unusual == 1));
            }
            if (name_find_suspect(x, &suspect) == 0) {
                CHECK(suspect.input >= 0 && suspect.input < NAME_INPUTS && isfinite(suspect.rest));
            }
            (void)name_contributions(x, out);
        }
    }
}

/* An alarm in memory that nobody prepared says so, stays as it is, and works once it is reset. */
static void name_alarm_unprepared(void)
{
    const int fillings[5] = {0xff, 0x7f, 0x80, 0x55, 0x01};
    static name_verdict verdict;
    int kind;

    for (kind = 0; kind < 5; kind++) {
        name_alarm alarm, kept;

        memset(&alarm, fillings[kind], sizeof alarm);
        memcpy(&kept, &alarm, sizeof kept);
        CHECK(name_alarm_update(&alarm, &verdict) == NAME_NOT_READY && name_alarm_missing(&alarm) == NAME_NOT_READY);
        CHECK(name_alarm_gap(&alarm) == NAME_NOT_READY && name_alarm_acknowledge(&alarm) == NAME_NOT_READY);
        CHECK(name_alarm_state(&alarm) == NAME_NOT_READY && memcmp(&alarm, &kept, sizeof kept) == 0);
        CHECK(name_alarm_reset(&alarm) == NAME_NORMAL && name_alarm_update(&alarm, &verdict) == NAME_NORMAL);
    }
}

static void name_run(void)
{
    name_null();
    name_not_finite();
    name_extremes();
    name_alarm_unprepared();
    CHECK(name_self_test() == 0);
}
"#;

const MONITOR: &str = r#"
/* Samples: none before a monitor is prepared, none that is no number, and no window across either. */
static void name_samples(void)
{
    const int fillings[4] = {0xff, 0x7f, 0x80, 0x55};
    static name_monitor monitor;
    name_sample sample[NAME_CHANNELS];
    name_verdict verdict;
    int i, kind, code, judged = 0;

    memset(&verdict, 0x11, sizeof verdict);
    for (i = 0; i < NAME_CHANNELS; i++) {
        sample[i] = 1;
    }
    name_monitor_init(0);
    name_monitor_gap(0);
    CHECK(name_monitor_push(0, sample, &verdict) == NAME_NULL && name_monitor_push(&monitor, 0, &verdict) == NAME_NULL);
    CHECK(name_monitor_push(&monitor, sample, 0) == NAME_NULL);
    for (kind = 0; kind < 4; kind++) {
        static name_monitor other, kept;

        memset(&other, fillings[kind], sizeof other);
        memcpy(&kept, &other, sizeof kept);
        CHECK(name_monitor_push(&other, sample, &verdict) == NAME_NOT_READY && memcmp(&other, &kept, sizeof kept) == 0);
        name_monitor_init(&other);
        CHECK(name_monitor_push(&other, sample, &verdict) == NAME_MORE);
    }
    for (i = 0; i < 10 * NAME_WINDOW; i++) {
        sample[0] = (name_sample)(i % 7);
        code = name_monitor_push(&monitor, sample, &verdict);
        CHECK(code == NAME_MORE || code == NAME_JUDGED || code == NAME_NOT_JUDGED);
        judged += code == NAME_JUDGED;
    }
    CHECK(judged > 0);
    for (i = 0; i < NAME_CHANNELS; i++) {
        const name_sample own = sample[i];

        sample[i] = (name_sample)NAN;
        CHECK(name_monitor_push(&monitor, sample, &verdict) == -1 - i);
        sample[i] = (name_sample)1e30;
        CHECK(name_monitor_push(&monitor, sample, &verdict) == -1 - i);
        sample[i] = own;
    }
    for (i = 0; i < NAME_WINDOW - 1; i++) {
        CHECK(name_monitor_push(&monitor, sample, &verdict) == NAME_MORE);
    }
}
"#;

#[test]
fn misuse_has_a_code_and_loses_nothing() {
    let Some(cc) = compiler() else { return };
    let folder = Folder::new();
    let raw = raw_model(&folder);
    let (data, iris) = (Data::walking(), Data::golden("iris"));
    let forms: [(String, &str, &[&str], bool); 5] = [
        (raw.clone(), "float", &[], true),
        (raw, "float", &["--quantised"], true),
        (data.fit(&folder, "rbf", "f32"), "float", &["--quantised"], false),
        (data.fit(&folder, "cosine", "f64"), "double", &[], false),
        (iris.fit(&folder, "poly", "f32"), "float", &[], false),
    ];
    // All in one program: each has its own names.
    let mut main = String::from(BEGINNING);
    let (mut calls, mut sources) = (String::new(), vec![folder.path("main.c")]);
    for (number, (model, numbers, options, samples)) in forms.iter().enumerate() {
        let name = format!("m{number}");
        let header = folder.path(&format!("{name}.h"));
        done(&[&["export", model, "--c", &header, "--name", &name], *options].concat());
        let text = if *samples { [DETECTOR, MONITOR].concat() } else { DETECTOR.into() };
        let text = text.replace("NUMBER", numbers).replace("NAME_", &format!("M{number}_"));
        main += &format!("#include \"{name}.h\"\n{}", text.replace("name_", &format!("{name}_")));
        calls += &format!("    {name}_run();\n");
        calls += &if *samples { format!("    {name}_samples();\n") } else { String::new() };
        sources.push(folder.path(&format!("{name}.c")));
    }
    main += &format!("\nint main(void)\n{{\n{calls}    return failures != 0;\n}}\n");
    fs::write(&sources[0], main).unwrap();
    let program = folder.path("misuse");
    let mut command = Command::new(cc);
    command.args(["-std=c99", "-O1", "-g"]).args(sanitizers(cc, &folder)).args(&sources);
    let built = command.args(["-o", &program, "-lm"]).output().unwrap();
    assert!(built.status.success(), "{}", text(&built.stderr));
    let output = Command::new(&program).output().unwrap();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// A header and a source of different models or exports do not compile.
#[test]
fn files_that_do_not_belong_together_are_refused() {
    let Some(cc) = compiler() else { return };
    let folder = Folder::new();
    let data = Data::golden("iris");
    let (one, other) = (data.fit(&folder, "rbf", "f32"), data.fit(&folder, "linear", "f32"));
    let forms: [(&str, &[&str]); 4] = [
        (&one, &[]),
        (&other, &[]),
        (&one, &["--project", "1"]),
        (&one, &["--project", "1", "--quantised"]),
    ];
    for (number, (model, options)) in forms.iter().enumerate() {
        let header = folder.path(&format!("h{number}.h"));
        done(&[&["export", model, "--c", &header, "--name", "m"], *options].concat());
    }
    for (header, source) in [(0, 1), (1, 0), (2, 0), (0, 2), (3, 1), (1, 3)] {
        let text_of_source = read(&folder.path(&format!("h{source}.c")));
        let mixed = text_of_source.replace(&format!("h{source}.h"), &format!("h{header}.h"));
        fs::write(folder.path("mixed.c"), mixed).unwrap();
        let object = folder.path("mixed.o");
        let output =
            Command::new(cc).args(FLAGS).args([&folder.path("mixed.c"), "-o", &object]).output();
        let output = output.unwrap();
        assert!(!output.status.success(), "{header} with {source}");
        assert!(
            text(&output.stderr).contains("both files belong together"),
            "{header} with {source}"
        );
    }
}

/// GCC knows how many inputs a reading has, and warns of an array with fewer.
#[test]
fn an_array_that_is_too_short_is_noticed_by_the_compiler() {
    let Some(cc) = compiler() else { return };
    let version = Command::new(cc).args(["-dumpfullversion"]).output().unwrap();
    let major =
        text(&version.stdout).split('.').next().and_then(|major| major.trim().parse::<u32>().ok());
    if major.is_none_or(|major| major < 11) {
        return common::skipped("the compiler is no GCC from 11 on");
    }
    let folder = Folder::new();
    let model = Data::golden("iris").fit(&folder, "rbf", "f32");
    done(&["export", &model, "--c", &folder.path("m.h"), "--name", "m"]);
    for (size, fits) in [("M_INPUTS", true), ("M_INPUTS - 1", false)] {
        let main = format!(
            "#include \"m.h\"\nint main(void)\n{{\n    static const float x[{size}] = {{0}};\n    m_verdict verdict;\n\n    return m_score(x, &verdict);\n}}\n"
        );
        fs::write(folder.path("main.c"), main).unwrap();
        let object = folder.path("main.o");
        let output =
            Command::new(cc).args(FLAGS).args([&folder.path("main.c"), "-o", &object]).output();
        assert_eq!(output.unwrap().status.success(), fits, "{size}");
    }
}
