//! On however many cores: the same bytes.

mod common;

use std::fs;

use common::Desk;

/// Readings of four inputs, with some anomalies.
fn readings(rows: usize) -> String {
    let mut csv = String::from("a,b,c,d,state\n");
    let mut seed = 3_u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
    };
    for row in 0..rows {
        let (cause, odd) = (4.0 * noise(), row % 17 == 16);
        let shift = if odd { 1.5 } else { 0.0 };
        csv += &format!(
            "{:.4},{:.4},{:.4},{:.4},{}\n",
            cause + noise(),
            cause * cause + noise() + shift,
            noise() - cause,
            noise() - shift,
            if odd { "odd" } else { "ok" }
        );
    }
    csv
}

/// What a command says, with so many threads.
fn said(desk: &Desk, threads: &str, arguments: &[&str]) -> String {
    let output = desk.command(arguments).env("MERCER_THREADS", threads).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn threads_change_no_byte() {
    let desk = Desk::new();
    desk.write("data.csv", &readings(1200));
    let fit = ["fit", "data.csv", "--where", "state=ok", "--out", "m.mercer"];
    let trimmed = ["--trim", "0.02", "--precision", "f64", "--folds", "7"];
    let commands: [Vec<&str>; 4] = [
        fit.to_vec(),
        fit.iter().chain(&trimmed).copied().collect(),
        vec!["eval", "m.mercer", "data.csv", "--label", "state", "--normal", "ok", "--timeline"],
        vec!["tune", "data.csv", "--label", "state", "--normal", "ok", "--every", "12", "--all"],
    ];
    for command in commands {
        let mut models = Vec::new();
        // More threads than folds, too.
        let answers = ["1", "2", "16"].map(|threads| {
            let answer = said(&desk, threads, &command);
            models.push(fs::read(desk.path("m.mercer")).expect("a model"));
            answer
        });
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{command:?}: {answers:?}");
        assert!(models.iter().all(|model| *model == models[0]), "{command:?}");
    }
}

/// Also what is wrong: the first row or fold that cannot be used is named.
#[test]
fn threads_change_no_error() {
    let desk = Desk::new();
    desk.write("data.csv", &readings(1200));
    // Beyond what can be scaled, at both ends of the file.
    let huge = readings(1200).replacen('\n', "\n1,1,1,3e38,ok\n", 1) + "1,1,1,-3e38,odd\n";
    desk.write("huge.csv", &huge);
    desk.succeed(&["fit", "data.csv", "--drop", "state", "--out", "m.mercer"]);
    for arguments in [
        &["eval", "m.mercer", "huge.csv", "--label", "state", "--normal", "ok"][..],
        &[
            "fit", "huge.csv", "--drop", "state", "--scale", "none", "--kernel", "poly", "--out",
            "x",
        ],
    ] {
        let errors = ["1", "3"].map(|threads| {
            let output = desk.command(arguments).env("MERCER_THREADS", threads).output();
            let output = output.expect("it runs");
            assert!(!output.status.success(), "{arguments:?}");
            String::from_utf8(output.stderr).expect("text")
        });
        assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    }
}
