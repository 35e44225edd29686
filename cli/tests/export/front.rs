//! Models of raw samples in Rust: what is exported is compiled without `std`, and its monitor says
//! what `mercer score` says.

use super::rust::run_crate;
use super::*;

/// A model, and how it is exported.
struct Case {
    name: &'static str,
    fit: &'static [&'static str],
    export: &'static [&'static str],
    /// Does `score` have the same bits? Integers round.
    same: bool,
}

const CASES: [Case; 6] = [
    Case { name: "plain", fit: &["--window", "32"], export: &[], same: true },
    Case {
        name: "wide",
        fit: &["--window", "32", "--hop", "48", "--precision", "f64"],
        export: &[],
        same: true,
    },
    Case {
        name: "short",
        fit: &["--window", "20", "--hop", "5", "--features", "mean,std,zc,crest,logmad,kurt"],
        export: &[],
        same: true,
    },
    Case {
        name: "stacked",
        fit: &["--window", "16", "--features", "rms,bands3", "--operators", "ewma0.5,lag2"],
        export: &[],
        same: true,
    },
    Case {
        name: "counts",
        fit: &["--window", "32", "--units", "0.5,0.001", "--floor", "0.01", "--log", "none"],
        export: &["--samples", "i16"],
        same: true,
    },
    Case { name: "integers", fit: &["--window", "32"], export: &["--quantised"], same: false },
];

/// Whole numbers, so that counts are what floats are: two channels, four recordings.
fn samples(odd: bool) -> String {
    let mut csv = String::from("a b,\"tricky\"\"name\",run\n");
    let mut state = if odd { 99_u32 } else { 1 };
    for run in 0..4 {
        for t in 0..300 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = f64::from(state >> 24);
            let rattle = if odd && run > 1 { 400.0 * (2.8 * f64::from(t)).sin() } else { 0.0 };
            let x = 900.0 * (0.37 * f64::from(t) + f64::from(run)).sin() + noise + rattle;
            let y = 4000.0 + 3.0 * noise + 50.0 * (0.05 * f64::from(t)).cos();
            csv += &format!("{x:.0},{y:.0},{run}\n");
        }
    }
    csv
}

/// Pushes all samples of a file through the monitors.
const PROGRAM: &str = r#"//! Shows what the monitors say.

macro_rules! show {
    ($samples:expr, $name:literal, $number:ty, $module:ident, $detector:ident, $stream:ident, $monitor:ident) => {
        let mut stream = exported::$module::$stream::new();
        let mut monitor = exported::$module::$monitor::new(&exported::$module::$detector, &mut stream);
        let (mut run, mut row) = (String::new(), 0);
        for line in $samples.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            if run != cells[2] {
                monitor.gap();
                run = cells[2].into();
            }
            let sample: [$number; 2] = [cells[0].parse().unwrap(), cells[1].parse().unwrap()];
            if let Some(outcome) = monitor.push(&sample).unwrap() {
                let (score, unusual) = (outcome.verdict.score, u8::from(outcome.verdict.unusual));
                let alarm = u8::from(outcome.alarm.is_active());
                println!("{},{row},{:?},{:?},{:?},{unusual},{alarm}", $name, score.spe, score.t2, score.abs_sum);
            }
            row += 1;
        }
        let names: Vec<String> = monitor.names().iter().map(|name| name.to_string()).collect();
        println!("{}_names,{names:?}", $name);
        let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/", $name, ".bin")).unwrap();
        let detector = exported::$module::$stream::FRONT_END.require(&bytes).unwrap();
        let mut expected = vec![0; exported::$module::$detector.encoded_len()];
        exported::$module::$detector.write_to(&mut expected).unwrap();
        assert_eq!(detector, expected, "{}: other bytes", $name);
    };
}

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let samples = &std::fs::read_to_string(path).unwrap();
"#;

#[test]
fn monitors_say_what_mercer_score_says() {
    let folder = Folder::new();
    let (train, test) = (folder.path("train.csv"), folder.path("test.csv"));
    fs::write(&train, samples(false)).unwrap();
    fs::write(&test, samples(true)).unwrap();
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exported_front");
    fs::create_dir_all(home.join("src")).unwrap();
    let mut library = String::from(
        "//! Exported models.\n#![no_std]\n#![deny(warnings, missing_docs, unreachable_pub, nonstandard_style)]\n",
    );
    let (mut program, mut expected) = (String::from(PROGRAM), Vec::new());
    for Case { name, fit, export, .. } in &CASES {
        let model = folder.path(&format!("{name}.mercer"));
        let fixed = ["fit", &train, "--by", "run", "--landmarks", "12", "--out", &model];
        done(&[&fixed, *fit].concat());
        let [rust, bin] = [format!("src/{name}.rs"), format!("{name}.bin")];
        let [rust, bin] = [rust, bin].map(|path| show(&home.join(path)));
        let fixed = ["export", &model, "--rust", &rust, "--bin", &bin, "--name", name];
        let said = done(&[&fixed, *export].concat());
        assert!(said.contains("Monitor for raw samples"), "{said}");
        library +=
            &format!("/// Included.\npub mod m_{name} {{\n    include!(\"{name}.rs\");\n}}\n");
        let (upper, camel) = (name.to_uppercase(), name[..1].to_uppercase() + &name[1..]);
        let number = if export.contains(&"i16") { "i16" } else { "f32" };
        program += &format!(
            "    show!(samples, \"{name}\", {number}, m_{name}, {upper}, {camel}Stream, {camel}Monitor);\n"
        );
        expected.push(done(&["score", &model, &test]));
    }
    fs::write(home.join("src/lib.rs"), library).unwrap();
    fs::write(home.join("src/main.rs"), program + "}\n").unwrap();
    let printed = run_crate(&home, &test);
    for (case, expected) in CASES.iter().zip(expected) {
        let of = |name: String| -> Vec<&str> {
            printed.lines().filter_map(|line| line.strip_prefix(&name)).collect()
        };
        let name = case.name;
        // The last sample of a window here, its first row there.
        let without_row = |line: &str| line.split_once(',').expect("cells").1.to_string();
        let found: Vec<String> = of(format!("{name},")).into_iter().map(without_row).collect();
        let wanted: Vec<String> = expected.lines().skip(1).map(without_row).collect();
        assert_eq!(found.len(), wanted.len(), "{name}");
        let verdicts = |lines: &[String]| -> Vec<String> {
            lines.iter().map(|line| line.splitn(4, ',').nth(3).expect("verdicts").into()).collect()
        };
        assert_eq!(verdicts(&found), verdicts(&wanted), "{name}");
        assert!(verdicts(&wanted).iter().any(|verdict| verdict == "1,1"), "{name}: no alarm");
        assert!(verdicts(&wanted).iter().any(|verdict| verdict == "0,0"), "{name}: only alarms");
        if case.same {
            assert_eq!(found, wanted, "{name}: the same bits");
        }
        let names = of(format!("{name}_names,")).concat();
        assert!(names.starts_with("[\"a b_"), "{names}");
        assert!(names.contains("tricky\\\"name_"), "{names}");
    }
}

#[test]
fn samples_have_a_type_only_where_there_are_raw_ones() {
    let folder = Folder::new();
    let model = Data::golden("iris").fit(&folder, "rbf", "f32");
    let rust = folder.path("m.rs");
    let error =
        common::fail(Path::new("."), &["export", &model, "--rust", &rust, "--samples", "i16"]);
    assert!(error.contains("--samples is for one of raw samples"), "{error}");
}
