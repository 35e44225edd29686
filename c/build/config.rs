//! What the builder of the library chooses, by environment variables.

use std::fmt::Write as _;

use mercer::signal::{FLOOR, Feature, FrontEndView, SampleKind};

const CHANNELS: &str = "MERCER_CHANNELS";
const NAMES: &str = "MERCER_NAMES";
const SAMPLES: &str = "MERCER_SAMPLES";
const WINDOW: &str = "MERCER_WINDOW";
const HOP: &str = "MERCER_HOP";
const FEATURES: &str = "MERCER_FEATURES";
const INPUTS: &str = "MERCER_INPUTS";
const READINGS: &str = "MERCER_READINGS";
const POINTS: &str = "MERCER_POINTS";
const COMPONENTS: &str = "MERCER_COMPONENTS";

/// Every variable that is looked at.
pub(crate) const KEYS: [&str; 10] =
    [CHANNELS, NAMES, SAMPLES, WINDOW, HOP, FEATURES, INPUTS, READINGS, POINTS, COMPONENTS];

/// The sizes, and what is made of raw samples.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    /// None if the firmware has readings already.
    pub(crate) raw: Option<Raw>,
    pub(crate) inputs: usize,
    pub(crate) readings: usize,
    pub(crate) points: usize,
    pub(crate) components: usize,
    /// What the inputs are called, or empty.
    names: Vec<String>,
}

/// A front end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raw {
    samples: SampleKind,
    channels: usize,
    window: usize,
    hop: usize,
    features: Vec<Feature>,
}

impl Raw {
    fn view(&self) -> FrontEndView<'_> {
        FrontEndView {
            samples: self.samples,
            channels: self.channels,
            window: self.window,
            hop: self.hop,
            features: &self.features,
            floor: FLOOR,
            scales: &[],
            operators: &[],
        }
    }
}

/// No firmware has more; what is larger is a slip, and would only fail later and less clearly.
const LARGEST: usize = 1 << 20;
/// Bytes of what a learner keeps of its readings: beyond the memory of every microcontroller.
const LARGEST_LEARNER: usize = 1 << 28;

impl Config {
    /// What the variables say; those that are not set have the values of `firmware/fan`.
    ///
    /// # Errors
    /// Which variable is wrong, and what it should be.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let read = Variables(&variable);
        let channels = read.count(CHANNELS, 2, 0)?;
        let given = read.list(NAMES);
        let raw =
            if channels == 0 { read.no_front_end()? } else { Some(read.front_end(channels)?) };
        let (inputs, names) = match &raw {
            None => {
                let inputs =
                    read.required_count(INPUTS, "without channels, as many as a reading has")?;
                (inputs, named(&given, inputs, "input")?)
            }
            Some(raw) => {
                let inputs = raw.view().inputs();
                let wished = read.count(INPUTS, inputs, 1)?;
                if wished != inputs {
                    let features = raw.features.len();
                    return Err(format!(
                        "{INPUTS} is {wished}, but {channels} channels with {features} features make \
                         {inputs}: leave it out"
                    ));
                }
                let channels = named(&given, channels, "channel")?;
                let channels: Vec<&str> = channels.iter().map(String::as_str).collect();
                let names = raw.view().names(&channels);
                (inputs, (0..inputs).filter_map(|i| Some(names.get(i)?.to_string())).collect())
            }
        };
        let readings = read.count(READINGS, 64, 8)?;
        let points = read.count(POINTS, 12, 1)?;
        let components = read.count(COMPONENTS, 4, 1)?;
        if points > readings {
            return Err(format!("{POINTS} is {points}, more than the {readings} of {READINGS}"));
        }
        if components >= points {
            return Err(format!(
                "{COMPONENTS} is {components}; as many as {POINTS} ({points}) would leave nothing to \
                 measure: at most {}",
                points - 1
            ));
        }
        if readings.saturating_mul(8 * inputs + 4 * points) > LARGEST_LEARNER {
            return Err(format!(
                "{readings} readings of {inputs} inputs with {points} points take more than 256 MB"
            ));
        }
        Ok(Self { raw, inputs, readings, points, components, names })
    }

    /// Tells one library from another that was built with other choices.
    fn build(&self) -> u32 {
        // FNV-1a.
        let text = format!("{} {self:?}", env!("CARGO_PKG_VERSION"));
        text.bytes()
            .fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    /// As source.
    pub(crate) fn to_rust(&self) -> String {
        let mut text = String::new();
        let mut constant = |what: &str, name: &str, value: usize| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "/// {what}\npub const {name}: usize = {value};");
        };
        constant("Numbers of a reading.", "INPUTS", self.inputs);
        constant("Readings that are learned from.", "READINGS", self.readings);
        constant("Points that a model may have.", "POINTS", self.points);
        constant("Components that a model may have.", "COMPONENTS", self.components);
        if let Some(raw) = &self.raw {
            constant("Channels of a raw sample.", "CHANNELS", raw.channels);
            constant("Raw samples of a window.", "WINDOW", raw.window);
            constant("Raw samples from window to window.", "HOP", raw.hop);
            let sample = match raw.samples {
                SampleKind::Counts => "i16",
                SampleKind::Numbers => "f32",
            };
            let features: Vec<String> = raw
                .features
                .iter()
                .map(|feature| format!("mercer::signal::Feature::{feature:?}"))
                .collect();
            let _ = writeln!(
                text,
                "/// One channel of a raw sample.\npub type Sample = {sample};\n\
                 /// What is made of a window.\n\
                 pub const FEATURES: &[mercer::signal::Feature] = &[{}];",
                features.join(", ")
            );
        }
        let names: Vec<String> = self.names.iter().map(|name| format!("c{name:?}")).collect();
        let _ = writeln!(
            text,
            "/// Tells this build from others.\npub const BUILD: u32 = {:#010x};\n\
             pub(crate) const NAMES: &[&core::ffi::CStr] = &[{}];",
            self.build(),
            names.join(", ")
        );
        text
    }
}

/// A name for each, or numbers.
fn named(given: &[String], count: usize, what: &str) -> Result<Vec<String>, String> {
    if given.is_empty() {
        return Ok((0..count).map(|i| format!("{what}{i}")).collect());
    }
    if given.len() != count {
        return Err(format!("{NAMES} has {} names for {count} {what}s", given.len()));
    }
    let plain = |name: &&String| {
        name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    match given.iter().find(plain) {
        Some(name) => Err(format!("{NAMES}: {name:?} must be letters, digits and underscores")),
        None => Ok(given.to_vec()),
    }
}

struct Variables<'a, V>(&'a V);

impl<V: Fn(&str) -> Option<String>> Variables<'_, V> {
    /// None also for one that is set to nothing, as build systems do.
    fn text(&self, key: &str) -> Option<String> {
        (self.0)(key).map(|text| text.trim().to_string()).filter(|text| !text.is_empty())
    }

    fn list(&self, key: &str) -> Vec<String> {
        let text = self.text(key).unwrap_or_default();
        text.split(',').map(|word| word.trim().to_string()).filter(|_| !text.is_empty()).collect()
    }

    fn count(&self, key: &str, default: usize, least: usize) -> Result<usize, String> {
        match self.text(key) {
            None => Ok(default),
            Some(text) => match text.parse() {
                Ok(count) if (least..=LARGEST).contains(&count) => Ok(count),
                _ => Err(format!(
                    "{key} is {text:?}, it must be a whole number from {least} to {LARGEST}"
                )),
            },
        }
    }

    fn required_count(&self, key: &str, why: &str) -> Result<usize, String> {
        match self.text(key) {
            None => Err(format!("{key} must be set: {why}")),
            Some(_) => self.count(key, 0, 1),
        }
    }

    /// Without channels nothing else about raw samples makes sense.
    fn no_front_end(&self) -> Result<Option<Raw>, String> {
        match [SAMPLES, WINDOW, HOP, FEATURES].into_iter().find(|key| self.text(key).is_some()) {
            Some(key) => {
                Err(format!("{key} is set, but {CHANNELS} is 0: there are no raw samples"))
            }
            None => Ok(None),
        }
    }

    fn front_end(&self, channels: usize) -> Result<Raw, String> {
        let samples = match self.text(SAMPLES).as_deref() {
            None | Some("i16") => SampleKind::Counts,
            Some("f32") => SampleKind::Numbers,
            Some(other) => return Err(format!("{SAMPLES} is {other:?}, it must be i16 or f32")),
        };
        let window = self.count(WINDOW, 40, 1)?;
        let hop = self.count(HOP, window, 1)?;
        let mut features = Vec::new();
        for name in self.list(FEATURES) {
            let wrong = |error| format!("{FEATURES} has {name:?}: {error}");
            features.push(name.parse::<Feature>().map_err(wrong)?);
        }
        if features.is_empty() {
            features = vec![Feature::Mean, Feature::LogStd];
        }
        let raw = Raw { samples, channels, window, hop, features };
        raw.view().validate().map_err(|error| format!("{FEATURES}, {WINDOW}: {error}"))?;
        Ok(raw)
    }
}
