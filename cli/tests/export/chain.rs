//! From a CSV to firmware: what the example `exported` is made of is what the program makes.

use super::*;

#[test]
fn the_firmware_example_carries_what_the_program_makes() {
    let (folder, data) = (Folder::new(), Data::walking());
    let (model, source) = (folder.path("walking.mercer"), folder.path("model.rs"));
    let fit = ["fit", &data.train, "--drop", "activity", "--out", &model];
    done(
        &[fit.as_slice(), &["--log", DEVIATIONS, "--landmarks", "12", "--components", "4"]]
            .concat(),
    );
    done(&["export", &model, "--rust", &source, "--name", "walking"]);
    let committed = |name: &str| read(&project(&format!("examples/data/walking/{name}")));
    let out_of_date = "out of date: run `cargo xtask data`";
    assert!(read(&source) == committed("model.rs"), "model.rs is {out_of_date}");
    let scores = done(&["score", &model, &data.readings]);
    assert_eq!(scores, committed("scores.csv"), "scores.csv is {out_of_date}");
}
