//! `--package`: folders that tools of others take. Whether these do is the matter of `cargo xtask
//! packages`; here, that a folder is written whole or not at all, and is right in itself.

use super::c::{FLAGS, compiler};
use super::refusals::refused;
use super::*;

use std::collections::BTreeMap;

const ECOSYSTEMS: [&str; 4] = ["arduino", "platformio", "zephyr", "esp-idf"];

/// All files below a folder, by their path in it.
fn files(folder: &str) -> BTreeMap<String, String> {
    fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => collect(root, &path, files),
                false => {
                    let name = show(path.strip_prefix(root).unwrap());
                    files.insert(name, read(&show(&path)));
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(Path::new(folder), Path::new(folder), &mut found);
    found
}

fn fitted(folder: &Folder) -> String {
    Data::golden("iris").fit(folder, "rbf", "f32")
}

#[test]
fn a_package_has_what_its_ecosystem_asks_for() {
    let folder = Folder::new();
    let model = fitted(&folder);
    let checksum = done(&["inspect", &model]);
    let checksum = checksum.lines().find(|line| line.starts_with("checksum")).unwrap();
    let checksum = checksum.split_whitespace().last().unwrap();
    for ecosystem in ECOSYSTEMS {
        let out = folder.path(ecosystem);
        let export = ["export", &model, "--package", ecosystem, "--out", &out];
        let said = done(
            &[&export[..], &["--name", "Flower_Name_2", "--package-version", "2.10.0"]].concat(),
        );
        let files = files(&out);
        assert_eq!(said.lines().count(), files.len());
        let manifest = match ecosystem {
            "arduino" => "library.properties",
            "platformio" => "library.json",
            "zephyr" => "zephyr/module.yml",
            _ => "idf_component.yml",
        };
        for name in
            [manifest, "README.md", "LICENSE.txt", "src/flower_name_2.h", "src/flower_name_2.c"]
        {
            assert!(files.contains_key(name), "{ecosystem} has no {name}");
        }
        for (name, text) in &files {
            assert!(text.contains("Made by `mercer export`"), "{ecosystem}: {name}");
            for token in [
                "{lower}",
                "{purpose}",
                "{upper}",
                "{mark}",
                "{checksum}",
                "{release}",
                "NAME__",
                "REAL ",
            ] {
                assert!(!text.contains(token), "{ecosystem}: {name} has {token}");
            }
        }
        let example =
            files.iter().find(|(name, _)| name.ends_with("main.c") || name.ends_with(".ino"));
        let (_, example) = example.expect("an example");
        assert!(
            example.contains("flower_name_2_self_test()")
                && example.contains("flower_name_2_score(")
        );
        assert!(files["README.md"].contains(checksum), "{}", files["README.md"]);
        if ecosystem != "zephyr" {
            assert!(files[manifest].contains("2.10.0"), "{}", files[manifest]);
        }
    }
    let json: serde_json::Value =
        serde_json::from_str(&read(&folder.path("platformio/library.json"))).unwrap();
    assert_eq!(json["name"], "flower_name_2");
    for file in json["examples"][0]["files"].as_array().unwrap() {
        let place = format!("platformio/examples/score/{}", file.as_str().unwrap());
        assert!(Path::new(&folder.path(&place)).is_file(), "{place}");
    }
}

/// Whatever the form of the model, the example compiles without a warning, says that the self-test
/// passes, and of a raw or quantised model the same.
#[test]
fn examples_compile_and_run() {
    let Some(cc) = compiler() else { return };
    let folder = Folder::new();
    let model = fitted(&folder);
    let double = Data::golden("iris").fit(&folder, "laplacian", "f64");
    let (raw, signal) = (folder.path("raw.mercer"), folder.path("raw.csv"));
    let rows: String = (0..2_400_i32).map(|t| format!("{},{}\n", (t * t) % 97, t % 13)).collect();
    fs::write(&signal, format!("a,b\n{rows}")).unwrap();
    done(&["fit", &signal, "--window", "16", "--out", &raw, "--force", "--landmarks", "12"]);
    let forms: [(&str, &[&str]); 7] = [
        (&model, &[]),
        (&model, &["--quantised"]),
        (&model, &["--project", "2"]),
        (&double, &[]),
        (&raw, &[]),
        (&raw, &["--quantised", "--samples", "i16"]),
        (&raw, &["--project", "1"]),
    ];
    for (number, (model, options)) in forms.into_iter().enumerate() {
        let out = folder.path(&format!("package{number}"));
        let export = ["export", model, "--package", "platformio", "--out", &out, "--name", "m"];
        done(&[&export[..], options].concat());
        let program = folder.path(&format!("program{number}"));
        let sources = ["src/m.c", "examples/score/src/main.c"].map(|file| format!("{out}/{file}"));
        let flags = FLAGS.iter().filter(|flag| **flag != "-c");
        let mut command = Command::new(cc);
        command.args(flags).arg(format!("-I{out}/src")).args(sources);
        let built = command.args(["-o", &program, "-lm"]).output().unwrap();
        assert!(built.status.success(), "{model} {options:?}: {}", text(&built.stderr));
        let said = Command::new(&program).output().unwrap();
        let said = text(&said.stdout);
        assert!(
            said.lines().next().unwrap().ends_with("self-test 0"),
            "{model} {options:?}: {said}"
        );
        assert!(said.lines().count() >= 3, "{model} {options:?}: {said}");
    }
}

#[test]
fn a_folder_is_brought_up_to_date_but_others_files_stay() {
    let folder = Folder::new();
    let (model, out) = (fitted(&folder), folder.path("out"));
    let export = ["export", &model, "--package", "arduino", "--out", &out];
    done(&export);
    let first = files(&out);
    fs::write(folder.path("out/mine.txt"), "mine").unwrap();
    done(&[&export[..], &["--package-version", "1.0.1"]].concat());
    let mut second = files(&out);
    assert_eq!(second.remove("mine.txt").as_deref(), Some("mine"));
    assert!(second["library.properties"].contains("1.0.1"));
    assert_eq!(first["src/model.c"], second["src/model.c"]);
    // A file that somebody else wrote in one of the places stops all of it.
    fs::write(folder.path("out/README.md"), "my own notes").unwrap();
    let before = files(&out);
    let error = refused(&[&export[..], &["--package-version", "1.0.2"]].concat());
    assert!(
        error.contains("README.md: is there, and was not written by `mercer export`"),
        "{error}"
    );
    assert_eq!(files(&out), before);
}

#[test]
fn nothing_is_left_of_a_package_that_cannot_be_written() {
    let folder = Folder::new();
    let model = fitted(&folder);
    let out = folder.path("out");
    let export = ["export", &model, "--package", "esp-idf", "--out"];
    let with = |out: &str, more: &[&str]| refused(&[&export[..], &[out], more].concat());
    let missing = folder.path("no/such/out");
    assert!(with(&missing, &[]).contains("there is no folder"));
    let file = folder.path("file");
    fs::write(&file, "").unwrap();
    assert!(with(&file, &[]).contains("is no folder"));
    // Another output that cannot be written: neither is.
    assert!(with(&out, &["--rust", &folder.path("no/model.rs")]).contains("there is no folder"));
    assert!(!Path::new(&out).exists());
    fs::create_dir_all(folder.path("out/src/model.c")).unwrap();
    with(&out, &[]);
    assert_eq!(files(&out).len(), 0, "a folder stands where a file should");
    assert!(!Path::new(&folder.path("out/examples")).exists());
    for (arguments, why) in [
        (&["export", &model, "--package", "arduino"][..], "--out"),
        (&["export", &model, "--rust", "m.rs", "--out", &out], "--package"),
        (&["export", &model, "--package", "mbed", "--out", &out], "invalid value"),
        (
            &["export", &model, "--package", "zephyr", "--out", &out, "--package-version", "1"],
            "three numbers",
        ),
    ] {
        let error = refused(arguments);
        assert!(error.contains(why), "{arguments:?}: {error}");
    }
}
