//! `--c`: compiled with a real compiler under strict warnings, run, and compared with `mercer
//! score`.

use super::*;

use std::process::Stdio;

pub(crate) const FLAGS: [&str; 11] = [
    "-std=c99",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wpedantic",
    "-Wshadow",
    "-Wconversion",
    "-Wdouble-promotion",
    // Or scores would not have the bits of the library's.
    "-ffp-contract=off",
    "-c",
];

/// The kernels that call `exp` or `tanh`. Here these are those of the C library, but for the
/// Gaussian one in `f32`, which has the library's. With that and the others, scores have the same
/// bits.
pub(crate) const TRANSCENDENTAL: [&str; 3] = ["rbf", "laplacian", "sigmoid"];

/// The C compiler, if there is one.
pub(crate) fn compiler() -> Option<&'static str> {
    let found = Command::new("cc").arg("--version").output();
    match found {
        Ok(output) if output.status.success() => Some("cc"),
        _ => {
            common::skipped("there is no C compiler `cc`");
            None
        }
    }
}

/// Compiles sources of a folder, without any warning; returns the objects.
pub(crate) fn compiles(folder: &Folder, stems: &[&str]) -> Option<Vec<String>> {
    let cc = compiler()?;
    let compile = |stem: &&str| {
        let (source, object) =
            (folder.path(&format!("{stem}.c")), folder.path(&format!("{stem}.o")));
        let output = Command::new(cc).args(FLAGS).args([&source, "-o", &object]).output().unwrap();
        assert!(output.status.success(), "{stem}: {}", text(&output.stderr));
        object
    };
    Some(stems.iter().map(compile).collect())
}

/// A program with some models: scores the readings on its standard input, each after the name of
/// its model.
struct Program {
    folder: Folder,
    main: String,
    names: Vec<String>,
    input: String,
}

impl Program {
    fn new() -> Self {
        let main = "#include <stdio.h>\n#include <string.h>\n".into();
        Self { folder: Folder::new(), main, names: Vec::new(), input: String::new() }
    }

    /// Exports a model into it.
    fn add(&mut self, model: &str) -> String {
        let name = stem(model).file_name().unwrap().to_str().unwrap().to_string();
        let header = self.folder.path(&format!("{name}.h"));
        done(&["export", model, "--c", &header, "--name", &name]);
        self.main += &format!("#include \"{name}.h\"\n");
        self.names.push(name.clone());
        name
    }

    fn ask(&mut self, name: &str, reading: &[String]) {
        self.input += &format!("{name} {}\n", reading.join(" "));
    }

    /// For each reading the code that was returned and the scores; none if there is no compiler.
    fn run(mut self) -> Option<Vec<(i32, Scores)>> {
        self.main += "int main(void)\n{\n    char name[64];\n    int i, code;\n\n    while (scanf(\"%63s\", name) == 1) {\n";
        for name in &self.names {
            let (number, format) =
                if name.ends_with("f32") { ("float", "%f") } else { ("double", "%lf") };
            let upper = name.to_uppercase();
            self.main += &format!(
                "        if (strcmp(name, \"{name}\") == 0) {{\n\
                 \x20           {number} x[{upper}_INPUTS];\n\
                 \x20           {name}_verdict out = {{0, 0, 0, 0}};\n\
                 \x20           for (i = 0; i < {upper}_INPUTS; i++) {{\n\
                 \x20               if (scanf(\"{format}\", &x[i]) != 1) return 1;\n\
                 \x20           }}\n\
                 \x20           code = {name}_score(x, &out);\n\
                 \x20           printf(\"%d %.17g %.17g %.17g %d\\n\", code, (double)out.spe, (double)out.t2, (double)out.abs_sum, out.unusual);\n\
                 \x20       }}\n"
            );
        }
        self.main += "    }\n    return 0;\n}\n";
        let file = |name: &str, text: &str| fs::write(self.folder.path(name), text).unwrap();
        file("main.c", &self.main);
        file("input", &self.input);
        let stems: Vec<&str> = self.names.iter().map(String::as_str).chain(["main"]).collect();
        let objects = compiles(&self.folder, &stems)?;
        let program = self.folder.path("program");
        let linked = Command::new(compiler()?).args(objects).args(["-o", &program, "-lm"]).output();
        let linked = linked.unwrap();
        assert!(linked.status.success(), "{}", text(&linked.stderr));
        let input = Stdio::from(fs::File::open(self.folder.path("input")).unwrap());
        let output = Command::new(&program).stdin(input).output().unwrap();
        assert!(output.status.success());
        let parse = |line: &str| {
            let (code, scores) = line.split_once(' ').unwrap();
            (code.parse().unwrap(), Scores::parse(scores.split(' '), "f64"))
        };
        Some(text(&output.stdout).lines().map(parse).collect())
    }
}

#[test]
fn c_scores_as_the_library_does() {
    let folder = Folder::new();
    let data =
        [Data::walking(), Data::golden("iris"), Data::golden("circles"), Data::golden("bc64")];
    let mut program = Program::new();
    let mut expected: Vec<(bool, &str, &str, Vec<Scores>)> = Vec::new();
    for data in &data {
        for precision in PRECISIONS {
            for kernel in KERNELS {
                let model = data.fit(&folder, kernel, precision);
                let name = program.add(&model);
                data.inputs().iter().for_each(|reading| program.ask(&name, reading));
                let scores = scores(&model, &data.readings, precision);
                expected.push((data.has_logs(), kernel, precision, scores));
            }
        }
    }
    let Some(mut found) = program.run() else { return };
    assert!(found.iter().all(|(code, _)| *code == 0));
    let cases = PRECISIONS.map(|precision| TRANSCENDENTAL.map(|kernel| (kernel, precision)));
    let others = cases.as_flattened().iter().filter(|&&case| case != ("rbf", "f32"));
    let mut worst: Vec<_> = others.map(|&case| (case, [0.0_f64; 3])).collect();
    for (has_logs, kernel, precision, expected) in &expected {
        let here: Vec<Scores> = found.drain(..expected.len()).map(|(_, scores)| scores).collect();
        let off = differences(&here, expected);
        match worst.iter_mut().find(|(case, _)| *case == (*kernel, *precision)) {
            Some((_, worst)) => (0..3).for_each(|i| worst[i] = worst[i].max(off[i])),
            // The logarithm is that of the C library, too.
            None if *has_logs => {
                println!("C, {kernel} in {precision} with logarithms: off by {off:?}");
                assert!(off.iter().all(|&off| off <= bound(precision)), "{kernel} in {precision}");
            }
            None => assert_eq!(off, [0.0; 3], "{kernel} in {precision}: not the same bits"),
        }
    }
    assert!(found.is_empty());
    for ((kernel, precision), off) in worst {
        let [spe, t2, abs_sum] = off;
        println!(
            "C, {kernel} in {precision}: SPE off by {spe:.1e}, T² by {t2:.1e}, Σ|f| by {abs_sum:.1e} of the largest"
        );
        assert!(off.iter().all(|&off| off <= bound(precision)), "{kernel} in {precision}");
    }
    println!("C, rbf in f32, poly, linear and cosine without logarithms: the same bits");
}

#[test]
fn c_takes_logarithms_down_to_the_floor() {
    let (folder, data) = (Folder::new(), Data::walking());
    let mut program = Program::new();
    const LOGARITHMIC: usize = 7;
    for precision in PRECISIONS {
        let model = data.fit(&folder, "rbf", precision);
        let name = program.add(&model);
        let file: serde_json::Value = serde_json::from_str(&read(&model)).unwrap();
        let floor = file["floor"][LOGARITHMIC].to_string();
        for value in [&floor, "0", "-1", "1e-30", "nan", "inf", "-inf"] {
            let mut reading = data.inputs()[0].clone();
            reading[LOGARITHMIC] = value.into();
            program.ask(&name, &reading);
        }
    }
    let Some(found) = program.run() else { return };
    for found in found.chunks(7) {
        assert!(found[..4].iter().all(|reading| *reading == found[0]), "{found:?}");
        assert_eq!(found[0].0, 0);
        assert!(found[4..].iter().all(|(code, _)| *code == -1 - LOGARITHMIC as i32), "{found:?}");
    }
    // Who takes none needs none of the C library.
    let plain = Data::golden("iris").fit(&folder, "linear", "f32");
    done(&["export", &plain, "--c", &folder.path("plain.h")]);
    assert!(!read(&folder.path("plain.c")).contains("log"));
}

#[test]
fn c_names_the_input_that_cannot_be_used() {
    let (folder, data) = (Folder::new(), Data::golden("iris"));
    let mut program = Program::new();
    let mut expected: Vec<i32> = Vec::new();
    for precision in PRECISIONS {
        for kernel in KERNELS {
            let model = data.fit(&folder, kernel, precision);
            let name = program.add(&model);
            let usual = data.inputs()[0].clone();
            let with = |input: usize, value: &str| {
                let mut reading = usual.clone();
                reading[input] = value.into();
                reading
            };
            program.ask(&name, &with(1, "nan"));
            program.ask(&name, &with(3, "inf"));
            program.ask(&name, &with(0, "-inf"));
            expected.extend([-2, -4, -1]);
            // Its scores cannot be told, but it is not the fault of one input.
            let large = if precision == "f32" { "1e30" } else { "1e300" };
            program.ask(&name, &with(2, large));
            expected.push(if TRANSCENDENTAL.contains(&kernel) { 0 } else { -5 });
            // The mean has no direction.
            let file: serde_json::Value = serde_json::from_str(&read(&model)).unwrap();
            let mean: Vec<String> =
                file["mean"].as_array().unwrap().iter().map(ToString::to_string).collect();
            program.ask(&name, &mean);
            expected.push(if kernel == "cosine" { -5 } else { 0 });
        }
    }
    let Some(found) = program.run() else { return };
    assert_eq!(found.iter().map(|(code, _)| *code).collect::<Vec<_>>(), expected);
    let untouched = Scores { values: [0.0; 3], unusual: false };
    assert!(found.iter().all(|(code, scores)| *code == 0 || *scores == untouched));
}

/// The Gaussian kernel in `f32` where points are few, far out, or left over from blocks, with
/// readings near and far.
#[test]
fn c_has_the_bits_of_every_route() {
    let (folder, data) = (Folder::new(), Data::golden("bc64"));
    let mut program = Program::new();
    let mut expected = Vec::new();
    for (gamma, landmarks) in
        [("0.001", "13"), ("0.02", "8"), ("0.2", "16"), ("0.5", "7"), ("3", "9"), ("0.05", "3")]
    {
        let model = folder.path(&format!("{}_{landmarks}_f32.mercer", gamma.replace('.', "d")));
        let model = model.replace("/0d", "/g0d").replace("/3_", "/g3_");
        let fit = ["fit", &data.train, "--out", &model, "--force", "--log", "none"];
        let fit = [&fit[..], &["--gamma", gamma, "--landmarks", landmarks, "--components", "2"]];
        done(&fit.concat());
        let name = program.add(&model);
        data.inputs().iter().for_each(|reading| program.ask(&name, reading));
        expected.extend(scores(&model, &data.readings, "f32"));
    }
    let Some(found) = program.run() else { return };
    assert!(found.iter().all(|(code, _)| *code == 0));
    let found: Vec<Scores> = found.into_iter().map(|(_, scores)| scores).collect();
    assert_eq!(found, expected, "not the same bits");
}

#[test]
fn fast_math_is_refused() {
    let (folder, Some(cc)) = (Folder::new(), compiler()) else { return };
    let model = Data::golden("iris").fit(&folder, "rbf", "f32");
    let header = folder.path("model.h");
    done(&["export", &model, "--c", &header]);
    let arguments = ["-ffast-math", "-c", &folder.path("model.c"), "-o", &folder.path("model.o")];
    let output = Command::new(cc).args(arguments).output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("-ffast-math takes every number for finite"));
}
