//! Projections in C and Rust, of whole detectors and of `--project P`: compiled, run, and compared
//! with `mercer project`.

use super::rust::Crate;
use super::*;

/// Inputs of the readings, and what `mercer project` says of them.
struct Case {
    name: String,
    exact: bool,
    precision: &'static str,
    expected: Vec<Vec<f64>>,
    components: usize,
}

fn projections(model: &str, readings: &str) -> Vec<Vec<f64>> {
    let printed = done(&["project", model, readings]);
    let numbers = |row: &str| row.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
    printed.lines().skip(1).map(numbers).collect()
}

fn line(row: &str) -> Vec<f64> {
    row.split(' ').map(|cell| cell.parse().unwrap()).collect()
}

/// The largest difference, relative to the largest projection on any component.
fn difference(found: &[Vec<f64>], expected: &[Vec<f64>], components: usize) -> f64 {
    assert_eq!(found.len(), expected.len());
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.len(), components);
        for (f, g) in found.iter().zip(expected) {
            (worst, largest) = (worst.max((f - g).abs()), largest.max(g.abs()));
        }
    }
    worst / largest
}

/// A program that projects the readings on its standard input, each after the name of its model.
struct Program {
    folder: Folder,
    main: String,
    stems: Vec<String>,
    input: String,
}

impl Program {
    fn new() -> Self {
        let begin = "#include <stdio.h>\n#include <string.h>\n";
        Self { folder: Folder::new(), main: begin.into(), stems: Vec::new(), input: String::new() }
    }

    fn add(&mut self, model: &str, name: &str, options: &[&str]) {
        let header = self.folder.path(&format!("{name}.h"));
        done(&[&["export", model, "--c", &header, "--name", name], options].concat());
        self.main += &format!("#include \"{name}.h\"\n");
        self.stems.push(name.into());
    }

    fn ask(&mut self, name: &str, reading: &[String]) {
        self.input += &format!("{name} {}\n", reading.join(" "));
    }

    /// For each reading the code that was returned, and the projections.
    fn run(mut self) -> Option<Vec<(i32, Vec<f64>)>> {
        self.main += "int main(void)\n{\n    char name[64];\n    int i, code;\n\n    while (scanf(\"%63s\", name) == 1) {\n";
        for name in &self.stems {
            let double = name.contains("f64");
            let (number, format) = if double { ("double", "%lf") } else { ("float", "%f") };
            let upper = name.to_uppercase();
            self.main += &format!(
                "        if (strcmp(name, \"{name}\") == 0) {{\n\
                 \x20           {number} x[{upper}_INPUTS];\n\
                 \x20           {number} out[{upper}_COMPONENTS];\n\
                 \x20           for (i = 0; i < {upper}_COMPONENTS; i++) out[i] = 7;\n\
                 \x20           for (i = 0; i < {upper}_INPUTS; i++) {{\n\
                 \x20               if (scanf(\"{format}\", &x[i]) != 1) return 1;\n\
                 \x20           }}\n\
                 \x20           code = {name}_project(x, out);\n\
                 \x20           printf(\"%d\", code);\n\
                 \x20           for (i = 0; i < {upper}_COMPONENTS; i++) printf(\" %.17g\", (double)out[i]);\n\
                 \x20           printf(\"\\n\");\n\
                 \x20       }}\n"
            );
        }
        self.main += "    }\n    return 0;\n}\n";
        fs::write(self.folder.path("main.c"), &self.main).unwrap();
        fs::write(self.folder.path("input"), &self.input).unwrap();
        self.stems.push("main".into());
        let stems: Vec<&str> = self.stems.iter().map(String::as_str).collect();
        let objects = c::compiles(&self.folder, &stems)?;
        let program = self.folder.path("program");
        let linked =
            Command::new(c::compiler()?).args(objects).args(["-o", &program, "-lm"]).output();
        let linked = linked.unwrap();
        assert!(linked.status.success(), "{}", text(&linked.stderr));
        let input = fs::File::open(self.folder.path("input")).unwrap();
        let output = Command::new(&program).stdin(input).output().unwrap();
        assert!(output.status.success());
        let parse = |row: &str| {
            let (code, projections) = row.split_once(' ').unwrap();
            (code.parse().unwrap(), line(projections))
        };
        Some(text(&output.stdout).lines().map(parse).collect())
    }
}

#[test]
fn c_projects_as_the_library_does() {
    let folder = Folder::new();
    let mut program = Program::new();
    let mut cases: Vec<Case> = Vec::new();
    for data in [Data::walking(), Data::golden("iris"), Data::golden("bc64")] {
        for precision in PRECISIONS {
            for kernel in KERNELS {
                let model = data.fit(&folder, kernel, precision);
                let whole = stem(&model).file_name().unwrap().to_str().unwrap().to_string();
                let expected = projections(&model, &data.readings);
                let all = expected[0].len();
                let two = all.min(2);
                let exact = !data.has_logs() && !c::TRANSCENDENTAL.contains(&kernel);
                for (name, components, options) in [
                    (whole.clone(), all, vec![]),
                    (format!("{whole}_two"), two, vec!["--project".into(), two.to_string()]),
                ] {
                    let options: Vec<&str> = options.iter().map(String::as_str).collect();
                    program.add(&model, &name, &options);
                    data.inputs().iter().for_each(|reading| program.ask(&name, reading));
                    let expected = expected.clone();
                    cases.push(Case { name, exact, precision, expected, components });
                }
            }
        }
    }
    let Some(mut found) = program.run() else { return };
    assert!(found.iter().all(|(code, _)| *code == 0));
    let mut worst = 0.0_f64;
    for Case { name, exact, precision, expected, components } in &cases {
        let here: Vec<Vec<f64>> = found.drain(..expected.len()).map(|(_, f)| f).collect();
        let expected: Vec<Vec<f64>> = match *precision {
            // As C prints them: what was read as an f32, widened.
            "f32" => {
                let widened = |f: &f64| f64::from(*f as f32);
                expected.iter().map(|row| row.iter().map(widened).collect()).collect()
            }
            _ => expected.clone(),
        };
        let off = difference(&here, &expected, *components);
        match exact {
            true => assert_eq!(off, 0.0, "{name}: not the same bits"),
            false => assert!(off <= bound(precision), "{name}: {off}"),
        }
        if *precision == "f32" {
            worst = worst.max(off);
        }
    }
    assert!(found.is_empty());
    println!("projections in C, f32: off by up to {worst:.1e} of the largest");
}

#[test]
fn c_says_which_input_cannot_be_projected() {
    let (folder, data) = (Folder::new(), Data::golden("iris"));
    let mut program = Program::new();
    let mut expected = Vec::new();
    for kernel in ["rbf", "linear", "cosine"] {
        let model = data.fit(&folder, kernel, "f32");
        for (name, options) in
            [(kernel.to_string(), &[][..]), (format!("{kernel}_1"), &["--project", "1"])]
        {
            program.add(&model, &name, options);
            for (input, value, code) in [(1, "nan", -2), (3, "inf", -4), (0, "-inf", -1)] {
                let mut reading = data.inputs()[0].clone();
                reading[input] = value.into();
                program.ask(&name, &reading);
                expected.push(code);
            }
        }
    }
    // Far out, products overflow.
    program.ask("cosine_1", &["1e30", "1e30", "1e30", "1e30"].map(String::from));
    expected.push(-5);
    let Some(found) = program.run() else { return };
    assert_eq!(found.iter().map(|(code, _)| *code).collect::<Vec<_>>(), expected);
    assert!(found.iter().all(|(_, out)| out.iter().all(|&f| f == 7.0)), "as before");
}

/// Prints what is known of each projector, then its projections.
pub(crate) const PROGRAM: &str = r#"//! Shows what became of the projectors.

macro_rules! show {
    ($readings:expr, $name:literal, $model:expr) => {
        println!("{},flash,{}", $name, size_of_val(&$model));
        for row in $readings.lines().skip(1) {
            let mut x = mercer::detect::VectorScaling::standard($model.scaling()).mean;
            for (x, cell) in x.iter_mut().zip(row.split(',').skip(1)) {
                *x = cell.parse().unwrap();
            }
            println!("{},project,{:?}", $name, $model.project(&x).unwrap());
        }
    };
}

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let readings = &std::fs::read_to_string(path).unwrap();
"#;

#[test]
fn rust_projects_with_the_same_bits_in_less_flash() {
    let (folder, data) = (Folder::new(), Data::walking());
    let mut exported = Crate::new("projected", PROGRAM);
    let mut expected = Vec::new();
    for precision in PRECISIONS {
        for kernel in KERNELS {
            let model = data.fit(&folder, kernel, precision);
            let projections = done(&["project", &model, &data.readings]);
            let name = format!("{kernel}_{precision}");
            let said = exported.include(&model, &name, &["--project", "2"]);
            expected.push((model, projections, said));
        }
    }
    let printed = exported.run(&data.readings);
    for (name, (model, projections, said)) in exported.names.iter().zip(&expected) {
        let lines = |what: &str| {
            let start = format!("{name},{what},");
            printed.lines().filter_map(move |line| line.strip_prefix(&start)).collect::<Vec<_>>()
        };
        let first_two = |row: &str| {
            let cells: Vec<&str> = row.split(',').skip(1).take(2).collect();
            cells.join(",")
        };
        let wanted: Vec<String> = projections.lines().skip(1).map(first_two).collect();
        let parsed = |row: &str, precision: &str| -> Vec<u64> {
            let row = row.trim_matches(['[', ']']).split(',').map(str::trim);
            match precision {
                "f32" => row.map(|f| f.parse::<f32>().unwrap().to_bits().into()).collect(),
                _ => row.map(|f| f.parse::<f64>().unwrap().to_bits()).collect(),
            }
        };
        let precision = &name[name.len() - 3..];
        let bits =
            |rows: &[&str]| rows.iter().map(|row| parsed(row, precision)).collect::<Vec<_>>();
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        assert_eq!(bits(&lines("project")), bits(&wanted), "{name}");
        // As many bytes as the command said, and fewer than the detector takes.
        let flash: usize = lines("flash")[0].parse().unwrap();
        let bytes = |said: &str| -> usize {
            let words: Vec<&str> = said.split(' ').collect();
            let at = words.iter().position(|&word| word == "bytes").unwrap();
            words[at - 1].replace(',', "").parse().unwrap()
        };
        assert_eq!(bytes(said), flash, "{name}: {said}");
        let whole = bytes(&done(&["export", model, "--rust", &folder.path("whole.rs")]));
        println!(
            "{name}: {flash} bytes of {whole}, {} components of 12 inputs",
            projections.lines().next().unwrap().matches(",f").count()
        );
        assert!(flash < whole, "{name}: {flash} of {whole}");
    }
}

/// The default sizes: most of a detector's flash is for components that a classifier does not need.
#[test]
fn two_components_take_half_of_the_flash_of_a_default_model() {
    let (folder, data) = (Folder::new(), Data::golden("bc64"));
    let model = folder.path("default.mercer");
    done(&["fit", &data.train, "--out", &model, "--log", "none"]);
    let [whole, part] = [&[][..], &["--project", "2"]].map(|options| {
        let rust = folder.path("model.rs");
        let said = done(&[&["export", &model, "--rust", &rust], options].concat());
        let bytes = said.split(", ").nth(1).unwrap().split(' ').next().unwrap();
        (bytes.replace(',', "").parse::<usize>().unwrap(), read(&rust))
    });
    println!("two components: {} bytes of flash, the detector {}", part.0, whole.0);
    assert!(10 * part.0 < 6 * whole.0, "{} of {}", part.0, whole.0);
    for what in [
        "pub const MODEL_COMPONENTS: [&str; 2] = [\"f0\", \"f1\"];",
        "pub const MODEL_EXPLAINED: [f32; 2] = [",
    ] {
        assert!(part.1.contains(what), "{what}");
    }
    assert!(!part.1.contains("Threshold") && !part.1.contains("Expansion"));
}

/// What no component needs is not there.
#[test]
fn points_without_weight_are_left_out() {
    let (folder, data) = (Folder::new(), Data::golden("iris"));
    let model = data.fit(&folder, "rbf", "f32");
    let file: serde_json::Value = serde_json::from_str(&read(&model)).unwrap();
    let points = file["points"].as_array().unwrap().len();
    // One point has no weight in the first component.
    let row = file["weights"][3].to_string();
    let mut without = file["weights"][3].clone();
    without[0] = serde_json::json!(0.0);
    let altered = read(&model).replacen(&row, &without.to_string(), 1);
    assert_ne!(altered, read(&model));
    fs::write(&model, common::hostile::mended(&altered)).unwrap();
    for (components, expected) in [("1", points - 1), ("2", points)] {
        let header = folder.path("model.h");
        done(&["export", &model, "--c", &header, "--project", components]);
        let source = read(&folder.path("model.c"));
        assert!(source.contains(&format!("#define MODEL_POINTS {expected}\n")), "{components}");
        c::compiles(&folder, &["model"]);
    }
}
