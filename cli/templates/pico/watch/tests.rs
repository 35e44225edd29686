//! The firmware's logic on the desk: put a recording beside Cargo.toml, and say when the alarm shall be raised.

use watch::{HEADER, MODEL_INPUTS, ModelStream, Sample, Watcher, model_self_test, read_line, write_line};

/// The model scores here, and on every core, what it scored where it was exported.
#[test]
fn the_model_is_what_was_exported() {
    assert_eq!(model_self_test(), Ok(()));
    assert_eq!(MODEL_INPUTS.len(), ModelStream::INPUTS);
}

#[test]
fn lines_are_read_as_they_were_written() {
    let sample: Sample = core::array::from_fn(|channel| 4095 - channel as i16);
    let mut text = String::new();
    write_line(&sample, &mut text).unwrap();
    assert_eq!(read_line(&text), Some(sample));
    assert_eq!(read_line(HEADER), None);
}

/// Plays `recording.csv`, as `record` of the board sends it; `cargo test -- --nocapture` shows when the alarm changes.
#[test]
fn a_recording_is_watched() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/recording.csv");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("no recording.csv: nothing was played");
        return;
    };
    let mut stream = ModelStream::new();
    let mut watcher = Watcher::new(&mut stream);
    let (mut windows, mut changes) = (0, Vec::new());
    for (number, line) in text.lines().enumerate().skip(1) {
        let sample = read_line(line).unwrap_or_else(|| panic!("line {} is no sample", number + 1));
        if let Some(window) = watcher.on_sample(&sample).unwrap() {
            windows += 1;
            if window.changed {
                println!("{window}");
                changes.push(window.number);
            }
        }
    }
    assert!(windows > 0, "the recording is shorter than a window");
    // Yours to say, such as: assert_eq!(changes, [105, 121]);
}
