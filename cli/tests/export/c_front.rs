//! `--c` of a model that takes raw samples: compiled, run on a recording with gaps, and compared
//! with `mercer features` and `mercer score`.

use super::*;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Stdio;

/// Raw samples: the channels as text, and whose recording they are of.
struct Signal {
    train: String,
    all: String,
    channels: usize,
    /// The samples of `all`, each with its recording.
    rows: Vec<(Vec<String>, String)>,
}

impl Signal {
    /// A machine with an accelerometer, a converter and a faint sensor, in six recordings: it runs
    /// as usual in four, which are to be learned from. In the fifth, numbers are missing; in the
    /// last it shakes, and then a sensor hangs.
    fn machine(folder: &Folder) -> Self {
        let mut state = 7_u32;
        let mut noise = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24) - 0.5
        };
        let (header, mut rows) = ("ax,counts,faint,recording\n", Vec::new());
        for recording in 0..6 {
            for t in 0..700 {
                let (x, shakes) = (f64::from(t), recording == 5 && (200..400).contains(&t));
                let size = if shakes { 4.0 } else { 1.0 };
                let ax = 9.81 + 0.05 * size * (0.4 * x).sin() + 0.02 * noise();
                let counts = (20_000.0 + 60.0 * (0.11 * x).cos() + 40.0 * size * noise()).round();
                let faint = 1e-6 * (noise() + (1.3 * x).sin());
                let faint = if recording == 5 && t >= 500 { 1e-6 } else { faint };
                let mut cells = [ax as f32, counts as f32, faint as f32].map(|x| x.to_string());
                match (recording, t) {
                    (4, 150) => cells[1].clear(),
                    (4, 151) => cells[0] = "nan".into(),
                    (4, 420) => cells[2] = "-inf".into(),
                    (4, 421) => cells[0] = "2e20".into(),
                    _ => {}
                }
                rows.push((cells.to_vec(), recording.to_string()));
            }
        }
        let csv = |rows: &[(Vec<String>, String)]| {
            rows.iter().fold(String::from(header), |csv, (cells, recording)| {
                csv + &format!("{},{recording}\n", cells.join(","))
            })
        };
        let (train, all) = (folder.path("train.csv"), folder.path("all.csv"));
        fs::write(&train, csv(&rows[..4 * 700])).unwrap();
        fs::write(&all, csv(&rows)).unwrap();
        Self { train, all, channels: 3, rows }
    }

    /// A set of recordings that are no part of the repository; samples that are normal are to be
    /// learned from.
    fn shared(folder: &Folder, signals: &Path, name: &str) -> Self {
        let text = read(&show(&signals.join(name).join(format!("{name}.csv"))));
        let (header, samples) = text.split_once('\n').expect("a header");
        let channels = header.split(',').count() - 2;
        let header: Vec<&str> = header.split(',').collect();
        let header = format!("{},recording\n", header[..channels].join(","));
        let (mut train, mut all, mut rows) = (header.clone(), header, Vec::new());
        for line in samples.lines() {
            let cells: Vec<&str> = line.split(',').collect();
            let (sample, label, recording) =
                (&cells[..channels], cells[channels], cells[channels + 1]);
            let row = format!("{},{recording}\n", sample.join(","));
            all += &row;
            if label == "0" {
                train += &row;
            }
            rows.push((sample.iter().map(ToString::to_string).collect(), recording.into()));
        }
        let paths = [("train", train), ("all", all)].map(|(part, text)| {
            let path = folder.path(&format!("{name}_{part}.csv"));
            fs::write(&path, text).unwrap();
            path
        });
        let [train, all] = paths;
        Self { train, all, channels, rows }
    }

    /// What a monitor is given: `s` and a sample, or `g` where a recording begins.
    fn events(&self) -> String {
        let mut events = String::new();
        let mut last = None;
        for (sample, recording) in &self.rows {
            if last.replace(recording).is_some_and(|last| last != recording) {
                events += "g\n";
            }
            let cell = |cell: &String| if cell.is_empty() { "nan" } else { cell }.to_string();
            let cells: Vec<String> = sample.iter().map(cell).collect();
            writeln!(events, "s {}", cells.join(" ")).unwrap();
        }
        events
    }
}

/// A window that was judged: its reading as bits, its scores, the verdict.
#[derive(Debug)]
struct Judged {
    reading: Vec<u32>,
    spe: f64,
    unusual: bool,
}

/// What comes out of a monitor: windows by their first rows, and the channels that could not be
/// used, by theirs.
#[derive(Debug, Default)]
struct Found {
    judged: BTreeMap<usize, Judged>,
    refused: Vec<(usize, usize)>,
}

/// A model with a front end as C, ready to be linked.
struct Monitor<'a> {
    folder: &'a Folder,
    name: &'a str,
    window: usize,
}

impl<'a> Monitor<'a> {
    /// Fits a model with `recipe` and `kernel`, and exports it; returns its file, too.
    fn new(folder: &'a Folder, name: &'a str, signal: &Signal, case: &Case) -> (Self, String) {
        let model = folder.path(&format!("{name}.mercer"));
        let fit = ["fit", &signal.train, "--out", &model, "--by", "recording", "--log", "none"];
        let size = ["--landmarks", "16", "--variance", "0.9"];
        done(&[&fit, case.recipe, case.kernel, &size].concat());
        let header = folder.path(&format!("{name}.h"));
        let said = done(&["export", &model, "--c", &header, "--name", name]);
        assert!(said.contains(&format!("int {name}_monitor_push(…)")), "{said}");
        (Self { folder, name, window: case.window() }, model)
    }

    /// Compiles and runs it; none if there is no compiler.
    fn run(&self, signal: &Signal) -> Option<Found> {
        let (name, upper) = (self.name, self.name.to_uppercase());
        let main = format!("{name}_main");
        let source =
            MAIN.replace("NAME_", &format!("{upper}_")).replace("name_", &format!("{name}_"));
        fs::write(self.folder.path(&format!("{main}.c")), source.replace("HEADER", name)).unwrap();
        let objects = c::compiles(self.folder, &[name, &main])?;
        let program = self.folder.path(&format!("{name}_program"));
        let linked = Command::new("cc").args(objects).args(["-o", &program, "-lm"]).output();
        let linked = linked.unwrap();
        assert!(linked.status.success(), "{}", text(&linked.stderr));
        let events = self.folder.path("events");
        fs::write(&events, signal.events()).unwrap();
        let input = Stdio::from(fs::File::open(events).unwrap());
        let output = Command::new(&program).stdin(input).output().unwrap();
        assert!(output.status.success());
        let mut found = Found::default();
        for line in text(&output.stdout).lines() {
            let mut cells = line.split(' ');
            let mut next = || cells.next().unwrap();
            let row: usize = next().parse().unwrap();
            let code: i32 = next().parse().unwrap();
            if code < 0 {
                found.refused.push((row, (-1 - code) as usize));
                continue;
            }
            assert_eq!(code, 1, "every reading can be scored");
            let (unusual, spe) = (next() == "1", next().parse().unwrap());
            let reading = cells.map(|bits| u32::from_str_radix(bits, 16).unwrap()).collect();
            found.judged.insert(row + 1 - self.window, Judged { reading, spe, unusual });
        }
        Some(found)
    }
}

const MAIN: &str = r#"#include <stdio.h>
#include "HEADER.h"

static name_monitor monitor;

int main(void)
{
    char event;
    int row = 0, i;

    while (scanf(" %c", &event) == 1) {
        float sample[NAME_CHANNELS];
        name_verdict verdict;
        int code;

        if (event == 'g') {
            name_monitor_gap(&monitor);
            continue;
        }
        for (i = 0; i < NAME_CHANNELS; i++) {
            if (scanf("%f", &sample[i]) != 1) return 1;
        }
        code = name_monitor_push(&monitor, sample, &verdict);
        if (code < 0) {
            printf("%d %d\n", row, code);
        } else if (code != NAME_MORE) {
            printf("%d %d %d %.17g", row, code, verdict.unusual, (double)verdict.spe);
            for (i = 0; i < NAME_INPUTS; i++) {
                union { float value; uint32_t bits; } both;
                both.value = monitor.reading[i];
                printf(" %08lx", (unsigned long)both.bits);
            }
            printf("\n");
        }
        row++;
    }
    return name_channel_names[0] == 0 || name_input_names[0] == 0;
}
"#;

/// A front end and a kernel, as options.
struct Case {
    recipe: &'static [&'static str],
    kernel: &'static [&'static str],
}

impl Case {
    fn window(&self) -> usize {
        let place = self.recipe.iter().position(|&option| option == "--window").unwrap();
        self.recipe[place + 1].parse().unwrap()
    }

    fn has(&self, option: &str) -> bool {
        self.kernel.contains(&option)
    }

    /// Holds C to what `mercer` says of the same samples.
    fn compare(&self, signal: &Signal, found: &Found, model: &str) -> usize {
        let features = ["features", &signal.all, "--by", "recording"];
        let readings = done(&[&features, self.recipe].concat());
        let scores = done(&["score", model, &signal.all]);
        assert_eq!(readings.lines().count(), scores.lines().count());
        assert_eq!(found.judged.len() + 1, scores.lines().count(), "other windows");
        let mut unusual = 0;
        for (reading, score) in readings.lines().zip(scores.lines()).skip(1) {
            let (row, reading) = reading.split_once(',').unwrap();
            let mut score = score.split(',');
            assert_eq!(score.next(), Some(row));
            let here = &found.judged[&row.parse().unwrap()];
            // After the row there is the recording.
            let cells = reading.split(',').skip(1);
            let bits: Vec<u32> = cells.map(|cell| cell.parse::<f32>().unwrap().to_bits()).collect();
            assert_eq!(here.reading, bits, "row {row} of {:?}", self.recipe);
            let spe = score.next().unwrap();
            let (spe, bound) = match self.has("f64") {
                true => (spe.parse::<f64>().unwrap(), bound("f64")),
                false => (spe.parse::<f32>().unwrap().into(), bound("f32")),
            };
            // A linear kernel calls no `exp`. SPE of the others is at most about 1.
            let bound = if self.has("linear") { 0.0 } else { bound };
            assert!((here.spe - spe).abs() <= bound, "row {row}: {} and {spe}", here.spe);
            assert_eq!(here.unusual, score.nth(2) == Some("1"), "row {row} of {:?}", self.recipe);
            unusual += usize::from(here.unusual);
        }
        unusual
    }
}

const CASES: [Case; 7] = [
    Case { recipe: &["--window", "64"], kernel: &[] },
    Case {
        recipe: &["--window", "32", "--hop", "32", "--features", "mean,std,rms,min,max,mad,zc"],
        kernel: &["--kernel", "laplacian"],
    },
    Case {
        recipe: &[
            "--window",
            "50",
            "--hop",
            "60",
            "--features",
            "p2p,crest,skew,kurt,logmad",
            "--floor",
            "1e-5",
        ],
        kernel: &["--precision", "f64"],
    },
    Case {
        recipe: &[
            "--window",
            "32",
            "--hop",
            "16",
            "--features",
            "mean,bands4,bands3",
            "--operators",
            "ma3,lag2",
        ],
        kernel: &["--kernel", "linear"],
    },
    Case {
        recipe: &[
            "--window",
            "16",
            "--hop",
            "8",
            "--operators",
            "ewma0.3,diff",
            "--units",
            "0.1,3e-5,1e6",
        ],
        kernel: &["--kernel", "laplacian", "--precision", "f64"],
    },
    Case {
        recipe: &[
            "--window",
            "40",
            "--hop",
            "10",
            "--units",
            "-2",
            "--features",
            "mean,logstd",
            "--operators",
            "lag3",
        ],
        kernel: &["--kernel", "linear", "--precision", "f64"],
    },
    Case {
        recipe: &[
            "--window",
            "25",
            "--hop",
            "1",
            "--features",
            "logstd,rms",
            "--operators",
            "diff,diff,ma5",
        ],
        kernel: &[],
    },
];

#[test]
fn c_judges_raw_samples_as_the_library_does() {
    let folder = Folder::new();
    let signal = Signal::machine(&folder);
    for (number, case) in CASES.iter().enumerate() {
        let name = format!("machine{number}");
        let (monitor, model) = Monitor::new(&folder, &name, &signal, case);
        let Some(found) = monitor.run(&signal) else { return };
        let unusual = case.compare(&signal, &found, &model);
        println!("{:?}: {unusual} of {} windows are unusual", case.recipe, found.judged.len());
        assert!(0 < unusual && unusual < found.judged.len() / 2, "{:?}", case.recipe);
        let bad = 4 * 700;
        let expected = [(bad + 150, 1), (bad + 151, 0), (bad + 420, 2), (bad + 421, 0)];
        assert_eq!(found.refused, expected, "the channels to blame");
    }
}

#[test]
fn c_judges_real_recordings_as_the_library_does() {
    let Some(signals) = common::shared("signals") else { return };
    let folder = Folder::new();
    for name in ["fan", "cnc", "current", "shoulder", "pressure"] {
        let signal = Signal::shared(&folder, &signals, name);
        let (monitor, model) = Monitor::new(&folder, name, &signal, &CASES[0]);
        let Some(found) = monitor.run(&signal) else { return };
        let unusual = CASES[0].compare(&signal, &found, &model);
        println!(
            "{name}, {} channels: {unusual} of {} windows are unusual",
            signal.channels,
            found.judged.len()
        );
        assert!(found.refused.is_empty());
    }
}

/// Also for cores that have no FPU, or a small one: the same warnings, and nothing but `math.h`.
#[test]
fn c_compiles_for_microcontrollers() {
    const COMPILER: &str = "arm-none-eabi-gcc";
    if !Command::new(COMPILER).arg("--version").output().is_ok_and(|known| known.status.success()) {
        return common::skipped(&format!("there is no {COMPILER}"));
    }
    let folder = Folder::new();
    let signal = Signal::machine(&folder);
    for (number, case) in CASES.iter().enumerate() {
        let name = format!("machine{number}");
        let _ = Monitor::new(&folder, &name, &signal, case);
        for core in ["cortex-m0", "cortex-m4"] {
            let fpu: &[&str] = match core {
                "cortex-m4" => &["-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
                _ => &[],
            };
            let source = folder.path(&format!("{name}.c"));
            let files = [source.as_str(), "-o", &folder.path("machine.o")];
            let output = Command::new(COMPILER)
                .args(["-mthumb", &format!("-mcpu={core}")])
                .args(fpu)
                .args(c::FLAGS)
                .args(files)
                .output()
                .unwrap();
            assert!(output.status.success(), "{core}: {}", text(&output.stderr));
        }
    }
}

/// Names of channels are strings of C, whatever is in them.
#[test]
fn names_of_channels_are_only_names() {
    use common::hostile::{HOSTILE, assert_visible, c_code, hostile_cell};
    let folder = Folder::new();
    let signal = Signal::machine(&folder);
    let header: Vec<String> = HOSTILE.iter().map(|name| hostile_cell(name)).collect();
    let mut train = format!("{},recording\n", header.join(","));
    for (sample, recording) in &signal.rows[..4 * 700] {
        let cells: Vec<&str> =
            sample.iter().cycle().take(HOSTILE.len()).map(|x| x.as_str()).collect();
        writeln!(train, "{},{recording}", cells.join(",")).unwrap();
    }
    fs::write(&signal.train, train).unwrap();
    let _ = Monitor::new(&folder, "hostile", &signal, &CASES[0]);
    for file in ["hostile.c", "hostile.h"] {
        let source = read(&folder.path(file));
        assert!(!c_code(assert_visible(source.as_bytes())).contains("injected"), "{file}");
    }
    c::compiles(&folder, &["hostile"]);
}

const PROJECT: &str = r#"#include <stdio.h>
#include "HEADER.h"

static name_monitor monitor;

int main(void)
{
    char event;
    int row = 0, i;

    while (scanf(" %c", &event) == 1) {
        float sample[NAME_CHANNELS];
        NUMBER out[NAME_COMPONENTS];

        if (event == 'g') {
            name_monitor_gap(&monitor);
            continue;
        }
        for (i = 0; i < NAME_CHANNELS; i++) {
            if (scanf("%f", &sample[i]) != 1) return 1;
        }
        if (name_monitor_push(&monitor, sample, out) == NAME_PROJECTED) {
            printf("%d", row + 1 - NAME_WINDOW);
            for (i = 0; i < NAME_COMPONENTS; i++) {
                printf(" %.17g", (double)out[i]);
            }
            printf("\n");
        }
        row++;
    }
    return 0;
}
"#;

#[test]
fn raw_samples_are_projected_without_a_verdict() {
    let folder = Folder::new();
    let signal = Signal::machine(&folder);
    for (name, number, kernel, bound) in [
        ("p32", "float", ["--kernel", "linear", "--precision", "f32"], 0.0),
        ("p64", "double", ["--kernel", "rbf", "--precision", "f64"], bound("f64")),
    ] {
        let (model, header) =
            (folder.path(&format!("{name}.mercer")), folder.path(&format!("{name}.h")));
        let fit = ["fit", &signal.train, "--out", &model, "--by", "recording", "--window", "64"];
        done(&[&fit, kernel.as_slice(), &["--landmarks", "16", "--components", "3"]].concat());
        let said = done(&["export", &model, "--c", &header, "--name", name, "--project", "2"]);
        assert!(
            said.contains(&format!("int {name}_monitor_push(…), int {name}_project(…)")),
            "{said}"
        );
        assert!(!read(&folder.path(&format!("{name}.c"))).contains("_score"));
        let main = PROJECT.replace("NAME_", &format!("{}_", name.to_uppercase()));
        let main = main.replace("name_", &format!("{name}_")).replace("HEADER", name);
        fs::write(folder.path("main.c"), main.replace("NUMBER", number)).unwrap();
        let Some(objects) = c::compiles(&folder, &[name, "main"]) else { return };
        let program = folder.path("program");
        let linked = Command::new("cc").args(objects).args(["-o", &program, "-lm"]).output();
        assert!(linked.unwrap().status.success());
        fs::write(folder.path("events"), signal.events()).unwrap();
        let input = Stdio::from(fs::File::open(folder.path("events")).unwrap());
        let output = Command::new(&program).stdin(input).output().unwrap();
        let found = text(&output.stdout);
        let expected = done(&["project", &model, &signal.all]);
        assert_eq!(found.lines().count() + 1, expected.lines().count(), "other windows");
        for (found, expected) in found.lines().zip(expected.lines().skip(1)) {
            let mut expected = expected.split(',').take(3);
            let mut found = found.split(' ');
            assert_eq!(found.next(), expected.next());
            for (found, expected) in found.zip(expected) {
                let (found, expected): (f64, f64) =
                    (found.parse().unwrap(), expected.parse::<f64>().unwrap());
                let expected =
                    if number == "float" { f64::from(expected as f32) } else { expected };
                assert!((found - expected).abs() <= bound, "{name}: {found} and {expected}");
            }
        }
    }
}
