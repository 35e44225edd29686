//! Writes the header for a library with the sizes that the environment says:
//! `cargo run --example header -- mercer.h`.

use std::fmt::Write as _;
use std::{env, fs, process};

use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};
use mercer_c::detector::{MERCER_DETECTOR_WORDS, MERCER_SAVED_BYTES};
use mercer_c::learner::MERCER_LEARNER_WORDS;
use mercer_c::monitor::{MERCER_ALARM_BYTES, MERCER_MONITOR_WORDS};
use mercer_c::{config, mercer_input_name};

/// Types as the header calls them.
const NAMES: [(&str, &str); 10] = [
    ("DetectorMemory", "mercer_detector"),
    ("LearnerMemory", "mercer_learner"),
    ("MonitorMemory", "mercer_monitor"),
    ("CVerdict", "mercer_verdict"),
    ("CSuspect", "mercer_suspect"),
    ("CRecipe", "mercer_recipe"),
    ("CReport", "mercer_report"),
    ("CAlarm", "mercer_alarm"),
    ("COutcome", "mercer_outcome"),
    ("Sample", "mercer_sample"),
];

fn main() {
    let Some(path) = env::args().nth(1) else {
        eprintln!("usage: cargo run --example header -- FILE");
        process::exit(2);
    };
    if let Err(error) = header().and_then(|text| fs::write(&path, text).map_err(|e| e.to_string()))
    {
        eprintln!("{path}: {error}");
        process::exit(1);
    }
}

/// The choices of the builder, and what follows from them.
fn sizes() -> String {
    let mut text = String::from(
        "\n/* The choices of the builder, with which the library must have been built as well. */\n",
    );
    let mut define = |name: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "#define {name} {value}");
    };
    define("MERCER_BUILD", format!("{:#010x}u", config::BUILD));
    define("MERCER_INPUTS", config::INPUTS.to_string());
    define("MERCER_READINGS", config::READINGS.to_string());
    define("MERCER_POINTS", config::POINTS.to_string());
    define("MERCER_COMPONENTS", config::COMPONENTS.to_string());
    front_end(&mut define);
    define("MERCER_SAVED_BYTES", MERCER_SAVED_BYTES.to_string());
    define("MERCER_ALARM_BYTES", MERCER_ALARM_BYTES.to_string());
    define("MERCER_DETECTOR_WORDS", MERCER_DETECTOR_WORDS.to_string());
    define("MERCER_LEARNER_WORDS", MERCER_LEARNER_WORDS.to_string());
    define("MERCER_MONITOR_WORDS", MERCER_MONITOR_WORDS.to_string());
    let _ = write!(text, "{}\n/* Inputs:", sample_type());
    for input in 0..config::INPUTS {
        let name = mercer_input_name(input);
        // SAFETY: a name of the library, which ends with a 0 and stays.
        let name = unsafe { std::ffi::CStr::from_ptr(name) };
        let _ = write!(
            text,
            "{} {input} {}",
            if input == 0 { "" } else { "," },
            name.to_string_lossy()
        );
    }
    text + ". */\n"
}

#[cfg(raw)]
fn front_end(define: &mut impl FnMut(&str, String)) {
    define("MERCER_RAW", "1".to_string());
    define("MERCER_CHANNELS", config::CHANNELS.to_string());
    define("MERCER_WINDOW", config::WINDOW.to_string());
    define("MERCER_HOP", config::HOP.to_string());
}
#[cfg(not(raw))]
fn front_end(_: &mut impl FnMut(&str, String)) {}

#[cfg(raw)]
fn sample_type() -> &'static str {
    match size_of::<config::Sample>() {
        2 => "\n/* One channel of a raw sample. */\ntypedef int16_t mercer_sample;\n",
        _ => "\n/* One channel of a raw sample. */\ntypedef float mercer_sample;\n",
    }
}
#[cfg(not(raw))]
fn sample_type() -> &'static str {
    ""
}

const ABOUT: &str = "/* mercer: kernel PCA for microcontrollers, as a static library. Made by `cargo run --example header`;
 * docs/C_LIBRARY.md is the guide.
 *
 * Functions return MERCER_OK or another code that is not negative, or an error, which is: what was collected, learned,
 * loaded or raised stays.
 * Objects belong to the caller, who may have as many as there is room for. No two calls use an object at the same
 * time, one of an interrupt and one of what it interrupts among them, unless both take it as const. */";

fn header() -> Result<String, String> {
    let mut choices = Config {
        language: Language::C,
        style: Style::Type,
        documentation_style: DocumentationStyle::C,
        cpp_compat: true,
        usize_is_size_t: true,
        no_includes: true,
        sys_includes: vec!["stddef.h".to_string(), "stdint.h".to_string()],
        include_guard: Some("MERCER_H".to_string()),
        header: Some(ABOUT.to_string()),
        after_includes: Some(sizes()),
        ..Config::default()
    };
    choices.defines.insert("raw".to_string(), "MERCER_RAW".to_string());
    for (ours, theirs) in NAMES {
        choices.export.rename.insert(ours.to_string(), theirs.to_string());
    }
    // Among the sizes already; a type of the library; and what only the proof that nothing panics
    // has.
    choices.export.exclude =
        ["MERCER_ALARM_BYTES", "Detector", "mercer_panics"].map(str::to_string).to_vec();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs");
    let builder = Builder::new().with_config(choices).with_src(source);
    let mut text = Vec::new();
    builder.generate().map_err(|error| error.to_string())?.write(&mut text);
    String::from_utf8(text).map(|text| tidy(&text)).map_err(|error| error.to_string())
}

/// Shorter comments, and macros that stand for one value wherever they stand.
fn tidy(text: &str) -> String {
    // What C promises is said once, at the top.
    let text = text.replace("\n\n # Safety\n As C promises.", "");
    let (mut tidied, mut comment) = (String::new(), None::<Vec<&str>>);
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        match (line.trim(), &mut comment) {
            ("/*", None) => comment = Some(Vec::new()),
            ("*/", Some(words)) => {
                let indent = indent.strip_suffix(' ').unwrap_or(indent);
                let between = format!("\n{indent} * ");
                tidied +=
                    &format!("{indent}/* {} */\n", words.join(&between)).replace("* \n", "*\n");
                comment = None;
            }
            (words, Some(comment)) => comment.push(words),
            _ => {
                tidied += &match line.rsplit_once(" -") {
                    Some((define, number)) if define.starts_with("#define") => {
                        format!("{define} (-{number})")
                    }
                    _ => line.to_string(),
                };
                tidied.push('\n');
            }
        }
    }
    tidied
}

#[cfg(test)]
mod tests {
    /// For the choices that a build has without any variables.
    #[test]
    fn the_committed_header_is_up_to_date() {
        let committed = include_str!("../include/mercer.h");
        let made = super::header().unwrap();
        assert!(
            made == committed,
            "run `cargo run --example header -- include/mercer.h`, without any MERCER_ variable"
        );
    }
}
