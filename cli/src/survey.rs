//! Columns that are no inputs, by their names and first cells.
//!
//! - *Clocks and counters* rise or fall by the same from row to row: the values lie on a line, as
//!   near as the digits that are written (or single precision) allow, and each step is at least one
//!   unit of the last digit. The line may start afresh once in 16 rows, as with each recording. A
//!   clock whose steps differ is known by its name only.
//! - *Texts*: more than half of the cells that say anything are no numbers.
//! - *Labels* and *ids* by name: few different values, or whole numbers.
//!
//! Everything else is an input. What only rises, only falls, or has two values may be a sensor: it
//! stays, and is named.

use crate::decimals::Decimals;
use crate::escape;
use crate::missing::says_nothing;
use crate::names::join;
use crate::text::{excerpt, short};

/// Fewer rows say nothing about how a column goes on.
const ENOUGH_ROWS: usize = 8;
/// A line starts afresh, or a clock falls, at most once in so many rows.
const ROWS_PER_START: usize = 16;
/// Labels have few different values.
const MOST_LABELS: usize = 32;

/// Names of labels, ids and clocks, without whatever is no letter or digit, in lower case.
const LABELS: [&str; 20] = [
    "label",
    "labels",
    "class",
    "classlabel",
    "target",
    "groundtruth",
    "truth",
    "anomaly",
    "isanomaly",
    "anomalous",
    "isanomalous",
    "outlier",
    "isoutlier",
    "fault",
    "isfault",
    "faulty",
    "failure",
    "machinefailure",
    "attack",
    "defect",
];
const IDS: [&str; 8] = ["id", "uid", "uuid", "guid", "serial", "serialnumber", "serialno", "index"];
const CLOCKS: [&str; 10] = [
    "time",
    "timestamp",
    "datetime",
    "date",
    "epoch",
    "unixtime",
    "utc",
    "clock",
    "timems",
    "times",
];

/// The cells of a column, as far as they were looked at.
#[derive(Debug, Default)]
pub(crate) struct Column {
    name: String,
    /// With NaN where there is none.
    values: Vec<f64>,
    texts: usize,
    /// The first cell that is a text.
    text: String,
    /// The most digits behind the decimal mark; none if there are exponents.
    digits: Option<usize>,
}

/// What a column is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Input,
    /// An input that may be none, and why.
    Doubtful(&'static str),
    /// No input, and why.
    Other(String),
}

impl Column {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.into(), digits: Some(0), ..Self::default() }
    }

    pub(crate) fn push(&mut self, cell: &str, decimals: &Decimals) {
        let number = decimals.parse::<f64>(cell).ok().filter(|value| value.is_finite());
        self.values.push(number.unwrap_or(f64::NAN));
        if number.is_some() {
            self.digits = self.digits.zip(Decimals::digits(cell)).map(|(a, b)| a.max(b));
        } else if !says_nothing(cell) {
            if self.texts == 0 {
                self.text = excerpt(cell);
            }
            self.texts += 1;
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        let numbers: Vec<f64> = self.values.iter().copied().filter(|v| v.is_finite()).collect();
        if self.texts > numbers.len().max(1) {
            return Kind::Other(format!("text, such as {:?}", self.text));
        }
        let words = Words::of(&self.name);
        let values = distinct(&numbers);
        if words.is_in(&LABELS) && (1..=MOST_LABELS).contains(&values) {
            return Kind::Other("a label by its name".into());
        }
        let is_whole = numbers.iter().all(|value| value.fract() == 0.0);
        if (words.is_in(&IDS) || words.is_id) && is_whole && !numbers.is_empty() {
            return Kind::Other("an id by its name".into());
        }
        if numbers.len() < ENOUGH_ROWS {
            return Kind::Input;
        }
        if let Some(step) = self.step() {
            return Kind::Other(format!("a clock or counter, {} from row to row", signed(step)));
        }
        let count = |goes: fn(f64, f64) -> bool| {
            numbers.windows(2).filter(|pair| goes(pair[0], pair[1])).count()
        };
        let (rises, falls) = (count(|a, b| a < b), count(|a, b| a > b));
        if words.is_in(&CLOCKS) && rises > 0 && falls <= numbers.len() / ROWS_PER_START {
            return Kind::Other("a clock by its name, and rises".into());
        }
        match (values, rises, falls) {
            (2, ..) => Kind::Doubtful("has two values"),
            (3.., _, 0) => Kind::Doubtful("only rises"),
            (3.., 0, _) => Kind::Doubtful("only falls"),
            _ => Kind::Input,
        }
    }

    /// What it rises by from row to row, if that is always the same.
    fn step(&self) -> Option<f64> {
        let points: Vec<(usize, f64)> =
            self.values.iter().copied().enumerate().filter(|(_, v)| v.is_finite()).collect();
        let slope =
            |pair: &[(usize, f64)]| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0) as f64;
        let mut slopes: Vec<f64> = points.windows(2).map(slope).collect();
        slopes.sort_by(f64::total_cmp);
        let usual = *slopes.get(slopes.len() / 2)?;
        let largest = points.iter().fold(0.0_f64, |most, (_, value)| most.max(value.abs()));
        // Single precision, as long as that leaves the steps apart.
        let single = (4.0 * f64::from(f32::EPSILON) * largest).min(usual.abs() / 8.0);
        let digit = self.digits.map_or(0.0, |digits| 0.1_f64.powi(digits as i32));
        let unit = single.max(digit);
        // Each value is written as the nearest of its digits, and so is the first.
        let tolerance = unit * (1.0 + 1e-9);
        if usual == 0.0 || usual.abs() < digit * (1.0 - 1e-9) {
            return None;
        }
        let (mut starts, mut first, mut slopes) = (0, points[0], (f64::MIN, f64::MAX));
        for &(row, value) in &points[1..] {
            let rows = (row - first.0) as f64;
            let rise = value - first.1;
            let low = f64::max(slopes.0, (rise - tolerance) / rows);
            let high = f64::min(slopes.1, (rise + tolerance) / rows);
            // A line that is about as steep as usual must go through all of them.
            let is_steep = if usual > 0.0 { high > usual / 2.0 } else { low < usual / 2.0 };
            if low <= high && is_steep {
                slopes = (low, high);
            } else {
                (starts, first, slopes) = (starts + 1, (row, value), (f64::MIN, f64::MAX));
            }
        }
        (starts <= points.len() / ROWS_PER_START).then_some(usual)
    }
}

fn signed(step: f64) -> String {
    let sign = if step > 0.0 { "+" } else { "−" };
    format!("{sign}{}", short(step.abs()).trim_end_matches('0').trim_end_matches('.'))
}

/// How many different values there are, up to one more than labels have.
fn distinct(values: &[f64]) -> usize {
    let mut known: Vec<f64> = Vec::new();
    for value in values {
        if !known.contains(value) {
            known.push(*value);
        }
        if known.len() > MOST_LABELS {
            break;
        }
    }
    known.len()
}

/// A name in pieces.
struct Words {
    all: String,
    /// Its last word is `id`.
    is_id: bool,
}

impl Words {
    fn of(name: &str) -> Self {
        let all: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
        let ends = ["_id", " id", "-id", ".id", "_ID", " ID", "-ID", ".ID", "Id"];
        let is_id = ends.iter().any(|end| name.trim().ends_with(end));
        Self { all: all.to_lowercase(), is_id }
    }

    fn is_in(&self, names: &[&str]) -> bool {
        names.contains(&self.all.as_str())
    }
}

/// What to say of columns that are no inputs, or may be none.
pub(crate) fn in_words(columns: &[(String, Kind)]) -> Vec<String> {
    let (mut others, mut doubtful) = (Vec::new(), Vec::new());
    for (name, kind) in columns {
        match kind {
            Kind::Input => {}
            Kind::Other(why) => others.push((name, why.as_str())),
            Kind::Doubtful(why) => doubtful.push((name, *why)),
        }
    }
    let told = |columns: &[(&String, &str)], link: &str| {
        let texts: Vec<String> =
            columns.iter().map(|(name, why)| format!("{}{link}{why}", excerpt(name))).collect();
        listed(&texts)
    };
    let named = |columns: &[(&String, &str)]| {
        let names: Vec<&String> = columns.iter().map(|(name, _)| *name).collect();
        escape::shell(&join(&names))
    };
    let mut notes = Vec::new();
    if !others.is_empty() {
        notes.push(format!(
            "no inputs: {} (to make inputs of them: --keep {})",
            told(&others, ": "),
            named(&others)
        ));
    }
    if !doubtful.is_empty() {
        notes.push(format!(
            "inputs, but are they sensors? {} (if not: --drop {})",
            told(&doubtful, " "),
            named(&doubtful)
        ));
    }
    notes
}

/// Texts that are not cut, as many as a message has room for.
fn listed(texts: &[String]) -> String {
    const MOST: usize = 12;
    match texts.len() > MOST {
        true => format!("{}; … ({} in all)", texts[..MOST].join("; "), texts.len()),
        false => texts.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind<S: AsRef<str>>(name: &str, cells: impl IntoIterator<Item = S>) -> Kind {
        let (mut column, decimals) = (Column::new(name), Decimals::new(None, b','));
        cells.into_iter().for_each(|cell| column.push(cell.as_ref(), &decimals));
        column.kind()
    }

    fn numbers(of: impl Fn(usize) -> f64, rows: usize) -> Vec<String> {
        (0..rows).map(|i| of(i).to_string()).collect()
    }

    fn is_other(kind: &Kind) -> bool {
        matches!(kind, Kind::Other(_))
    }

    #[test]
    fn clocks_and_counters_are_known_wherever_they_start() {
        let cases: [(&str, Vec<String>); 13] = [
            ("from 0", numbers(|i| i as f64, 40)),
            ("from anywhere", numbers(|i| 123_456_789.0 + 256.0 * i as f64, 40)),
            ("downwards", numbers(|i| 1e6 - i as f64, 40)),
            ("negative", numbers(|i| i as f64 - 20.0, 40)),
            (
                "nanoseconds",
                (0..40)
                    .map(|i| format!("{}", 1_700_000_000_000_000_000_u64 + 1_000_000 * i))
                    .collect(),
            ),
            ("a tenth, in double", numbers(|i| 0.1 * i as f64, 4000)),
            (
                "a tenth, added up",
                (0..40)
                    .scan(0.0, |t, _| {
                        *t += 0.1;
                        Some(t.to_string())
                    })
                    .collect(),
            ),
            ("a tenth, in single", (0..4000).map(|i| (i as f32 * 0.1).to_string()).collect()),
            (
                "thirtieths, to hundredths",
                (0..4000).map(|i| format!("{:.2}", i as f64 / 30.0)).collect(),
            ),
            ("with an exponent", (0..40).map(|i| format!("{:e}", 1e-6 * i as f64)).collect()),
            ("afresh with each recording", numbers(|i| (i % 20) as f64 * 0.05, 400)),
            (
                "with holes",
                (0..40).map(|i| if i % 5 == 3 { String::new() } else { i.to_string() }).collect(),
            ),
            ("rows lost here and there", numbers(|i| (i + 7 * (i / 40)) as f64, 400)),
        ];
        for (what, cells) in cases {
            let found = kind("x", &cells);
            assert!(is_other(&found), "{what}: {found:?} of {:?}", &cells[..8]);
        }
    }

    #[test]
    fn sensors_stay() {
        let noise = |i: usize| ((i * 7919 + 13) % 1000) as f64 / 1000.0;
        let cases: [(&str, Vec<String>); 9] = [
            ("noise", numbers(noise, 400)),
            ("a constant", numbers(|_| 5.0, 400)),
            ("a switch", numbers(|i| (i % 2) as f64, 400)),
            ("a wave", numbers(|i| (i as f64 * 0.3).sin(), 400)),
            ("a ramp with noise", numbers(|i| i as f64 + 3.0 * noise(i), 400)),
            ("whole numbers that hardly rise", numbers(|i| (20 + i / 100) as f64, 400)),
            ("a clock with jitter", numbers(|i| i as f64 * 0.1 + 0.02 * noise(i), 400)),
            ("too few rows", numbers(|i| i as f64, ENOUGH_ROWS - 1)),
            ("a sawtooth of few rows", numbers(|i| (i % 9) as f64, 400)),
        ];
        for (what, cells) in cases {
            assert!(!is_other(&kind("x", &cells)), "{what}: {:?}", kind("x", &cells));
        }
    }

    #[test]
    fn what_may_be_a_sensor_is_named() {
        let squares = |i: usize| (i * i) as f64;
        assert_eq!(kind("level", numbers(squares, 40)), Kind::Doubtful("only rises"));
        assert_eq!(kind("level", numbers(|i| -squares(i), 40)), Kind::Doubtful("only falls"));
        assert_eq!(
            kind("valve", numbers(|i| (i % 3 % 2) as f64, 40)),
            Kind::Doubtful("has two values")
        );
        assert!(is_other(&kind("timestamp", numbers(squares, 40))), "by its name");
        assert!(!is_other(&kind("timestamp", numbers(|i| -squares(i), 40))), "none falls");
    }

    #[test]
    fn texts_labels_and_ids_are_known() {
        let of = |name: &str, cells: &[&str]| kind(name, cells);
        assert!(is_other(&of("t", &["2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z"])));
        assert!(is_other(&of("state", &["ok", "ok", "fault"])));
        assert!(
            is_other(&of("state", &["", "n/a", "fault", "fault"])),
            "what says nothing does not count"
        );
        assert_eq!(of("state", &["1", "2", "ERR"]), Kind::Input, "a garbled cell is no text");
        assert_eq!(of("a", &["", "", ""]), Kind::Input);
        for name in ["label", "Label", "is_anomaly", "Is Anomaly", "FAULT", "class"] {
            assert!(is_other(&of(name, &["0", "1", "NaN"])), "{name}");
        }
        let many: Vec<String> = numbers(|i| (i * i % 97) as f64, 97);
        assert_eq!(kind("target", &many), Kind::Input, "a set point has many values");
        for name in ["id", "machine_id", "machineId", "Serial-Number", "unit id"] {
            assert!(is_other(&of(name, &["7", "7", "9"])), "{name}");
        }
        for name in ["humid", "fluid", "grid"] {
            assert_eq!(of(name, &["7", "7", "9"]), Kind::Input, "{name}");
        }
        assert_eq!(of("id", &["0.5", "0.7"]), Kind::Input, "no id has decimals");
    }
}
