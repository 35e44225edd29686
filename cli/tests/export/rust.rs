//! `--rust`: compiled under strict lints without `std`, for every kernel in both precisions, and run.

use super::*;

/// A crate that includes the models, for firmware as it is and for a program that shows them.
struct Crate {
    folder: PathBuf,
    names: Vec<String>,
}

impl Crate {
    /// Kept from run to run, so that what it depends on is compiled once.
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exported");
        fs::create_dir_all(folder.join("src")).unwrap();
        Self { folder, names: Vec::new() }
    }

    fn path(&self, name: &str) -> String {
        show(&self.folder.join(name))
    }

    fn add(&mut self, model: &str, suffix: &str, options: &[&str]) {
        let stem = stem(model);
        let name = format!("{}{suffix}", stem.file_name().unwrap().to_str().unwrap());
        let (rust, bin) = (self.path(&format!("src/{name}.rs")), self.path(&format!("{name}.bin")));
        let export = ["export", model, "--rust", &rust, "--bin", &bin, "--name", &name];
        done(&[&export, options].concat());
        self.names.push(name);
    }

    /// Builds and runs it on some readings; returns what it prints.
    fn run(&self, readings: &str) -> String {
        let write = |name: &str, text: &str| fs::write(self.path(name), text).unwrap();
        write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"exported\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nmercer = {{ path = {:?} }}\n",
                project("")
            ),
        );
        // The versions that are there already.
        write("Cargo.lock", &read(&project("Cargo.lock")));
        // Two in one module, next to names that could clash.
        let mut library = String::from(
            "//! Exported models.\n#![no_std]\n#![deny(warnings, missing_docs, unreachable_pub, nonstandard_style)]\n\
             mod private {\n    #![allow(unused)]\n    mod mercer {}\n    struct Detector;\n    const KERNEL: u8 = 0;\n    const POINTS: u8 = 0;\n",
        );
        for name in &self.names[..2] {
            library += &format!("    include!(\"{name}.rs\");\n");
        }
        library += "}\n";
        let mut main = String::from(PROGRAM);
        for name in &self.names {
            library +=
                &format!("/// Included.\npub mod {name} {{\n    include!(\"{name}.rs\");\n}}\n");
            let upper = name.to_uppercase();
            main += &format!("    show!(readings, \"{name}\", exported::{name}::{upper});\n");
        }
        write("src/lib.rs", &library);
        write("src/main.rs", &(main + "}\n"));
        let cargo = option_env!("CARGO").unwrap_or("cargo");
        let mut command = Command::new(cargo);
        command.args(["run", "--quiet", "--offline", "--", readings]).current_dir(&self.folder);
        // What cargo tells this test about its own crate is not for another.
        command.env("CARGO_TARGET_DIR", self.folder.join("target"));
        let output = command.output().expect("cargo runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).into()
    }
}

/// Prints the bytes of each model, then its scores.
const PROGRAM: &str = r#"//! Shows what became of the models.

macro_rules! show {
    ($readings:expr, $name:literal, $model:expr) => {
        let mut bytes = vec![0; $model.encoded_len()];
        $model.write_to(&mut bytes).unwrap();
        println!("{},bytes,{bytes:02x?}", $name);
        for row in $readings.lines().skip(1) {
            let mut x = $model.scaling().mean;
            for (x, cell) in x.iter_mut().zip(row.split(',').skip(1)) {
                *x = cell.parse().unwrap();
            }
            let reading = $model.score(&x).unwrap();
            let (score, alarm) = (reading.score, u8::from(reading.anomalous));
            println!("{},score,{:?},{:?},{:?},{alarm}", $name, score.spe, score.t2, score.abs_sum);
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
    let mut exported = Crate::new();
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

/// A name that tries to get out of its comment, its literal or its line.
const WILD: &str = "\"a\"\"b\\c\n*/ ??/ `[x]` <i> °C\"";

/// A file with a column of that name.
fn wild_data(folder: &Folder) -> String {
    let path = folder.path("wild.csv");
    let rows: String = (0..40)
        .map(|i| format!("{},{}\n", f64::from(i % 7), f64::from(i % 5) + 0.1 * f64::from(i % 3)))
        .collect();
    fs::write(&path, format!("{WILD},plain\n{rows}")).unwrap();
    path
}

#[test]
fn source_is_formatted_whatever_the_names_of_the_columns_are() {
    let folder = Folder::new();
    let (data, model) = (wild_data(&folder), folder.path("wild.mercer"));
    let [rust, c] = ["wild.rs", "wild.h"].map(|name| folder.path(name));
    done(&["fit", &data, "--out", &model, "--landmarks", "8", "--variance", "0.8"]);
    done(&["export", &model, "--rust", &rust, "--c", &c, "--name", "Wild"]);
    let source = read(&rust);
    assert!(
        source.contains(
            "WILD_INPUTS: [&str; 2] = [\"a\\\"b\\\\c\\n*/ ??/ `[x]` <i> °C\", \"plain\"]"
        )
    );
    assert!(source.contains("/// - inputs, in this order: `a_b_c__/ __/ __x__ _i_ °C`, `plain`\n"));
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
    c::compiles(&folder, &["wild"]);
}
