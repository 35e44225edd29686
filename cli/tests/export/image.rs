//! What of an export is in an image: no state of its own, and no self-test that nobody calls.

use super::c::{FLAGS, compiler};
use super::rust::build_crate;
use super::*;

/// The forms that a model has in C: its name, and options of the export.
const FORMS: [(&str, &[&str]); 4] = [
    ("plain", &[]),
    ("whole", &["--quantised"]),
    ("leading", &["--project", "2"]),
    ("leading_whole", &["--project", "2", "--quantised"]),
];

/// Sections of their own, at the places that they have in a firmware, which is not moved.
const SECTIONS: [&str; 3] = ["-ffunction-sections", "-fdata-sections", "-fno-pic"];

/// A model of raw samples, so that a monitor is there as well.
fn model(folder: &Folder) -> String {
    let (train, model) = (folder.path("raw.csv"), folder.path("raw.mercer"));
    let rows: String = (0..2_400_i32).map(|t| format!("{},{}\n", (t * t) % 97, t % 13)).collect();
    fs::write(&train, format!("a,b\n{rows}")).unwrap();
    let fit = ["fit", &train, "--window", "16", "--out", &model, "--force", "--landmarks", "12"];
    done(&[&fit[..], &["--components", "3"]].concat());
    model
}

/// Symbols of an object or a program, with the letters of their sections.
fn symbols(file: &str) -> Option<Vec<(char, String)>> {
    let Ok(output) = Command::new("nm").arg(file).output() else {
        common::skipped("there is no `nm`");
        return None;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let symbol = |line: &str| {
        let mut words = line.split_whitespace().rev();
        let name = words.next()?.to_string();
        Some((words.next()?.chars().next()?, name))
    };
    Some(text(&output.stdout).lines().filter_map(symbol).collect())
}

fn compile(cc: &str, source: &str, object: &str) {
    let output = Command::new(cc).args(FLAGS).args(SECTIONS).args([source, "-o", object]).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Reentrant, and several at once: nothing that could be written is in an object.
#[test]
fn c_has_no_state_of_its_own() {
    let Some(cc) = compiler() else { return };
    let folder = Folder::new();
    let model = model(&folder);
    let double = Data::walking().fit(&folder, "sigmoid", "f64");
    let forms = FORMS.iter().map(|(name, options)| (&model, *name, *options));
    for (model, name, options) in forms.chain([(&double, "double", &[][..])]) {
        let [header, source, object] =
            ["h", "c", "o"].map(|end| folder.path(&format!("{name}.{end}")));
        done(&[&["export", model, "--c", &header, "--name", name], options].concat());
        compile(cc, &source, &object);
        let Some(symbols) = symbols(&object) else { return };
        assert!(symbols.iter().any(|(kind, _)| *kind == 'T'));
        let state: Vec<_> =
            symbols.iter().filter(|(kind, _)| "dDbBcCsSgG".contains(*kind)).collect();
        assert!(state.is_empty(), "{name}: {state:?}");
    }
}

/// A linker that drops unused sections leaves the self-test out, with its readings, unless it is
/// called.
#[test]
fn c_keeps_a_self_test_that_nobody_calls_out_of_the_image() {
    let Some(cc) = compiler() else { return };
    let folder = Folder::new();
    let model = model(&folder);
    for (name, options) in FORMS {
        let [header, source, object] =
            ["h", "c", "o"].map(|end| folder.path(&format!("{name}.{end}")));
        done(&[&["export", &model, "--c", &header, "--name", name], options].concat());
        compile(cc, &source, &object);
        let upper = name.to_uppercase();
        let (function, out) = match name.starts_with("leading") {
            true => ("project", format!("float out[{upper}_COMPONENTS];")),
            false => ("score", format!("{name}_verdict out[1];")),
        };
        for (called, test) in [(false, "0".to_string()), (true, format!("{name}_self_test()"))] {
            let main = format!(
                "#include \"{name}.h\"\nint main(void)\n{{\n    static const float x[{upper}_INPUTS] = {{0}};\n    {out}\n\n    return {name}_{function}(x, out) + {test};\n}}\n"
            );
            fs::write(folder.path("main.c"), main).unwrap();
            compile(cc, &folder.path("main.c"), &folder.path("main.o"));
            let program = folder.path("program");
            let mut linker = Command::new(cc);
            linker.args(["-no-pie", "-Wl,--gc-sections", &folder.path("main.o"), &object]);
            let linked = linker.args(["-o", &program, "-lm"]).output().unwrap();
            assert!(linked.status.success(), "{}", text(&linked.stderr));
            let Some(symbols) = symbols(&program) else { return };
            let has =
                |what: &str| symbols.iter().any(|(_, symbol)| *symbol == format!("{name}_{what}"));
            assert!(has(function));
            assert_eq!([has("self_test"), has("vectors")], [called; 2], "{name}");
        }
    }
}

/// The readings of a self-test in Rust are in a program that calls it, and in no other.
#[test]
fn rust_keeps_a_self_test_that_nobody_calls_out_of_the_image() {
    let folder = Folder::new();
    let model = Data::golden("iris").fit(&folder, "rbf", "f32");
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("image");
    fs::create_dir_all(home.join("src/bin")).unwrap();
    let forms: [(&str, &str, &[&str]); 4] = [
        ("plain", "score", &[]),
        ("whole", "score", &["--quantised"]),
        ("leading", "project", &["--project", "2"]),
        ("leading_whole", "project", &["--project", "2", "--quantised"]),
    ];
    let mut readings = Vec::new();
    for (name, function, options) in forms {
        let rust = show(&home.join(format!("src/{name}.rs")));
        done(&[&["export", &model, "--rust", &rust, "--name", name], options].concat());
        let exported = read(&rust);
        let rows = exported.split_once("static VECTORS").expect("a self-test").1;
        let first = rows.split_once("\n        ([").unwrap().1.split_once(']').unwrap().0;
        let bytes: Vec<u8> =
            first.split(", ").flat_map(|x| x.parse::<f32>().unwrap().to_le_bytes()).collect();
        assert_eq!(bytes.len(), 16);
        readings.push(bytes);
        let upper = name.to_uppercase();
        for (program, test) in
            [("without", String::new()), ("with", format!("assert!({name}_self_test().is_ok());"))]
        {
            let main = format!(
                "include!(\"../{name}.rs\");\nfn main() {{\n    let x = std::env::args().count() as f32;\n    println!(\"{{:?}}\", {upper}.{function}(&[x; 4]));\n    {test}\n}}\n"
            );
            fs::write(home.join(format!("src/bin/{program}_{name}.rs")), main).unwrap();
        }
    }
    let built = build_crate(&home);
    for ((name, ..), bytes) in forms.iter().zip(readings) {
        let has = |program: &str| {
            let image = fs::read(built.join(format!("{program}_{name}"))).unwrap();
            image.windows(bytes.len()).any(|window| window == bytes)
        };
        assert_eq!([has("without"), has("with")], [false, true], "{name}");
    }
}
