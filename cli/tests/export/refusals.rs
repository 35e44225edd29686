//! Bad input: one line on standard error, exit code 2, nothing written.

use super::*;

/// What is said of a command that fails, which may be more than a line where an option is wrong; it
/// prints nothing else.
pub(crate) fn refused(arguments: &[&str]) -> String {
    let output = common::mercer(Path::new("."), arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    text(&output.stderr).into()
}

#[test]
fn bad_input_is_named_and_nothing_is_written() {
    let (folder, data) = (Folder::new(), Data::golden("iris"));
    let model = data.fit(&folder, "rbf", "f32");
    let files = || fs::read_dir(folder.0.path()).unwrap().count();
    let before = files();
    let (rust, c) = (folder.path("model.rs"), folder.path("model.txt"));

    assert!(refused(&["export", &model]).contains("--rust"));
    for name in ["", "2nd", "a-b", "a b", "_", "größe"] {
        let error = refused(&["export", &model, "--rust", &rust, "--name", name]);
        assert!(error.contains("a letter, then letters, digits and _"), "{name}: {error}");
    }
    let error = refused(&["export", &model, "--rust", &rust, "--c", &c]);
    assert_eq!(error, format!("mercer: {c}: the name of a C file ends in .h or .c\n"));
    let error = refused(&["export", &model, "--rust", &rust, "--bin", &rust]);
    assert_eq!(error, format!("mercer: {rust}: asked for twice\n"));
    let linear = data.fit(&folder, "linear", "f32");
    let error = refused(&["export", &linear, "--quantised", "--rust", &rust]);
    assert!(error.contains("only models with kernel rbf in f32 can be quantised"), "{error}");
    let header = folder.path("model.h");
    let error = refused(&["export", &linear, "--quantised", "--c", &header]);
    assert!(error.contains("only models with kernel rbf in f32 can be quantised"), "{error}");
    for (project, why) in [
        ("0", "a projection on nothing"),
        ("99", "the model has only"),
        ("-1", "unexpected argument"),
        ("two", "invalid value"),
    ] {
        let error = refused(&["export", &model, "--rust", &rust, "--project", project]);
        assert!(error.contains(why), "{project}: {error}");
    }
    let error = refused(&["export", &model, "--project", "1", "--bin", "model.bin"]);
    assert!(error.contains("cannot be used with"), "{error}");
    fs::remove_file(&linear).unwrap();
    let error = refused(&["export", &data.train, "--rust", &rust]);
    assert_eq!(error, format!("mercer: {}: not a model of mercer\n", data.train));
    let missing = folder.path("missing.mercer");
    assert!(refused(&["export", &missing, "--rust", &rust]).contains(&missing));
    let nowhere = folder.path("no/folder/model.rs");
    assert!(refused(&["export", &model, "--rust", &nowhere]).contains(&nowhere));
    assert_eq!(files(), before);

    let altered = read(&model).replacen("\"gamma\": 0.0", "\"gamma\": 0.1", 1);
    assert_ne!(altered, read(&model));
    fs::write(&model, altered).unwrap();
    let error = refused(&["export", &model, "--rust", &rust]);
    assert_eq!(error, format!("mercer: {model}: altered: it does not match its checksum\n"));
}

#[test]
fn all_forms_in_one_call() {
    let folder = Folder::new();
    let model = Data::golden("iris").fit(&folder, "rbf", "f32");
    let [rust, bin, c] = ["m.rs", "m.bin", "m.c"].map(|name| folder.path(name));
    let said = done(&["export", &model, "--rust", &rust, "--bin", &bin, "--c", &c]);
    assert_eq!(said.lines().count(), 4, "{said}");
    for name in ["m.rs", "m.bin", "m.c", "m.h"] {
        assert!(said.contains(&folder.path(name)), "{said}");
        assert!(fs::metadata(folder.path(name)).unwrap().len() > 0);
    }
    assert!(read(&c).contains("#include \"m.h\""));
    assert!(read(&rust).contains("pub static MODEL: "));
}
