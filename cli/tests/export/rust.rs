//! `--rust`: compiled under strict lints without `std`, for every kernel in both precisions, and
//! run.

use super::*;

use common::hostile::{
    HOSTILE, c_code, hostile_cell, is_order, mended, plain_json, rust_code, with_field,
};

/// A crate that includes the models, for firmware as it is and for a program that shows them.
pub(crate) struct Crate {
    folder: PathBuf,
    pub(crate) names: Vec<String>,
    /// Begins with `macro_rules! show`, and ends within `main`.
    program: &'static str,
}

impl Crate {
    /// Kept from run to run, so that what it depends on is compiled once.
    pub(crate) fn new(folder: &str, program: &'static str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(folder.join("src")).unwrap();
        Self { folder, names: Vec::new(), program }
    }

    fn path(&self, name: &str) -> String {
        show(&self.folder.join(name))
    }

    fn add(&mut self, model: &str, suffix: &str, options: &[&str]) {
        let name = format!("{}{suffix}", stem(model).file_name().unwrap().to_str().unwrap());
        let bin = self.path(&format!("{name}.bin"));
        self.include(model, &name, &[&["--bin", &bin], options].concat());
    }

    /// Exports a model into it; returns what the command says.
    pub(crate) fn include(&mut self, model: &str, name: &str, options: &[&str]) -> String {
        let rust = self.path(&format!("src/{name}.rs"));
        let export = ["export", model, "--rust", &rust, "--name", name];
        self.names.push(name.into());
        done(&[&export, options].concat())
    }

    /// A call of a model's own test, if it has one.
    fn test(&self, name: &str) -> String {
        let test = format!("{}_self_test", name.to_lowercase());
        match read(&self.path(&format!("src/{name}.rs"))).contains(&test) {
            true => format!("    assert_eq!(exported::m_{name}::{test}(), Ok(()), \"{name}\");\n"),
            false => String::new(),
        }
    }

    /// Builds and runs it on some readings; returns what it prints.
    pub(crate) fn run(&self, readings: &str) -> String {
        let write = |name: &str, text: &str| fs::write(self.path(name), text).unwrap();
        // Two in one module, next to names that could clash.
        let mut library = String::from(
            "//! Exported models.\n#![no_std]\n#![deny(warnings, missing_docs, unreachable_pub, nonstandard_style)]\n\
             mod private {\n    #![allow(unused)]\n    mod mercer {}\n    struct Detector;\n    const KERNEL: u8 = 0;\n    const POINTS: u8 = 0;\n",
        );
        for name in &self.names[..2] {
            library += &format!("    include!(\"{name}.rs\");\n");
        }
        library += "}\n";
        let mut main = String::from(self.program);
        for name in &self.names {
            library +=
                &format!("/// Included.\npub mod m_{name} {{\n    include!(\"{name}.rs\");\n}}\n");
            let upper = name.to_uppercase();
            main += &format!("    show!(readings, \"{name}\", exported::m_{name}::{upper});\n");
            main += &self.test(name);
        }
        write("src/lib.rs", &library);
        write("src/main.rs", &(main + "}\n"));
        run_crate(&self.folder, readings)
    }
}

/// Builds the crate in a folder that has its sources, and runs it with one argument; returns what
/// it prints.
pub(super) fn run_crate(folder: &Path, argument: &str) -> String {
    cargo(folder, &["run", "--quiet", "--offline", "--", argument])
}

/// Builds the programs of a crate in a folder that has its sources; returns where they are.
pub(super) fn build_crate(folder: &Path) -> PathBuf {
    cargo(folder, &["build", "--quiet", "--offline", "--bins"]);
    folder.join("target/debug")
}

/// Runs cargo on a crate of exported models, which must go well; returns what it prints.
fn cargo(folder: &Path, arguments: &[&str]) -> String {
    let manifest = format!(
        "[package]\nname = \"exported\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nmercer = {{ path = {:?} }}\n",
        project("")
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // The versions that are there already.
    fs::write(folder.join("Cargo.lock"), read(&project("Cargo.lock"))).unwrap();
    let cargo = option_env!("CARGO").unwrap_or("cargo");
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(folder);
    // What cargo tells this test about its own crate is not for another.
    command.env("CARGO_TARGET_DIR", folder.join("target"));
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).into()
}

/// Prints the bytes of each model, then its scores.
const PROGRAM: &str = r#"//! Shows what became of the models.

macro_rules! show {
    ($readings:expr, $name:literal, $model:expr) => {
        let mut bytes = vec![0; $model.encoded_len()];
        $model.write_to(&mut bytes).unwrap();
        println!("{},bytes,{bytes:02x?}", $name);
        for row in $readings.lines().skip(1) {
            let mut x = mercer::Detect::scaling(&$model).mean;
            for (x, cell) in x.iter_mut().zip(row.split(',').skip(1)) {
                *x = cell.parse().unwrap();
            }
            let reading = $model.score(&x).unwrap();
            let (score, unusual) = (reading.score, u8::from(reading.unusual));
            println!("{},score,{:?},{:?},{:?},{unusual}", $name, score.spe, score.t2, score.abs_sum);
        }
    };
}

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let readings = &std::fs::read_to_string(path).unwrap();
"#;

#[test]
fn exported_source_compiles_and_is_the_same_model_bit_for_bit() {
    let (folder, data) = (Folder::new(), Data::walking());
    let mut exported = Crate::new("exported", PROGRAM);
    let mut expected = Vec::new();
    for precision in PRECISIONS {
        for kernel in KERNELS {
            let model = data.fit(&folder, kernel, precision);
            exported.add(&model, "", &[]);
            expected.push((kernel, precision, scores(&model, &data.readings, precision)));
        }
    }
    let gaussian = data.fit(&folder, "rbf", "f32");
    exported.add(&gaussian, "_quantised", &["--quantised"]);
    expected.push(("quantised", "f32", scores(&gaussian, &data.readings, "f32")));
    // Names that do harm if they can: they only have to compile.
    exported.add(&hostile_model(&folder, "self"), "", &[]);
    exported.add(&hostile_model(&folder, "kernel"), "", &["--quantised"]);
    let printed = exported.run(&data.readings);
    for (name, (kernel, precision, expected)) in exported.names.iter().zip(&expected) {
        let lines = |what: &str| {
            let start = format!("{name},{what},");
            printed.lines().filter_map(move |line| line.strip_prefix(&start)).collect::<Vec<_>>()
        };
        let bytes = fs::read(exported.path(&format!("{name}.bin"))).unwrap();
        let pinned = format!("FORMAT_VERSION == {},", u16::from_le_bytes([bytes[4], bytes[5]]));
        assert!(read(&exported.path(&format!("src/{name}.rs"))).contains(&pinned), "{name}");
        assert_eq!(lines("bytes"), [format!("{bytes:02x?}")], "{name}");
        assert!(!exported.test(name).is_empty(), "{name} has no test of itself");
        let found: Vec<Scores> =
            lines("score").iter().map(|row| Scores::parse(row.split(','), precision)).collect();
        if *kernel == "quantised" {
            let off = differences(&found, expected);
            println!(
                "quantised: off by {:.1e} of the largest score",
                off.into_iter().fold(0.0, f64::max)
            );
            // Whole numbers of 16 bits; the library's tests say more.
            assert!(off.iter().all(|&off| off < 0.01), "{off:?}");
        } else {
            assert_eq!(&found, expected, "{kernel} in {precision}: the same bits");
        }
    }
}

/// A model with hostile names and warnings, by hand: as many inputs as there are names.
fn hostile_model(folder: &Folder, name: &str) -> String {
    let names: Vec<String> = HOSTILE.iter().map(|name| hostile_cell(name)).collect();
    let mut csv = names.join(",") + "\n";
    for row in 0..60_usize {
        let cells = (0..names.len()).map(|i| ((row * (i + 3)) % (7 + i)).to_string());
        csv += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    let (data, model) = (folder.path("hostile.csv"), folder.path(&format!("{name}.mercer")));
    fs::write(&data, csv).unwrap();
    done(&["fit", &data, "--out", &model, "--landmarks", "8", "--variance", "0.8"]);
    let warnings = plain_json(&serde_json::json!(HOSTILE));
    let forged = with_field(&read(&model), "warnings", &warnings);
    fs::write(&model, mended(&forged)).unwrap();
    model
}

#[test]
fn hostile_names_do_nothing_in_source() {
    let folder = Folder::new();
    let model = hostile_model(&folder, "hostile");
    let [rust, c] = ["hostile.rs", "hostile.h"].map(|name| folder.path(name));
    done(&["export", &model, "--rust", &rust, "--c", &c, "--name", "int"]);
    let source = read(&rust);
    for name in HOSTILE {
        assert!(source.contains(&format!("{name:?}")), "{name:?} stands there as a literal");
    }
    assert!(source.contains("/// - inputs, in this order: `_/ int injected(void); /_`, `"));
    for (path, code) in [
        (&rust, rust_code as fn(&str) -> String),
        (&c, c_code),
        (&folder.path("hostile.c"), c_code),
    ] {
        let source = read(path);
        assert!(!source.chars().any(is_order), "{path}: {source:?}");
        assert!(source.contains("injected") && !code(&source).contains("injected"), "{path}");
    }
    assert!(read(&c).is_ascii() && read(&folder.path("hostile.c")).is_ascii());
    for options in [&[][..], &["--config", "max_width=60"], &["--config", "max_width=400"]] {
        let rustfmt = Command::new("rustfmt")
            .args(["--check", "--edition", "2024"])
            .args(options)
            .arg(&rust)
            .output();
        match rustfmt {
            Ok(output) => {
                assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr))
            }
            Err(error) => common::skipped(&format!("rustfmt does not run: {error}")),
        }
    }
    c::compiles(&folder, &["hostile"]);
}
