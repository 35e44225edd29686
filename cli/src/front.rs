//! From raw samples to readings: the recipe that a model may have, and windows cut by it.
//!
//! The features and operators are the library's, so a reading has the bits that it has on a device.

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{Result, anyhow, ensure};
use mercer::Error;
use mercer::math::Real;
use mercer::signal::{
    Channel, Feature, Features, FrontEndView, LARGEST, Names, Operator, RowsMut, fill_turn, memory,
    outputs,
};
use serde::{Deserialize, Serialize};

use crate::model::LONGEST_NAME;
use crate::samples::SampleType;
use crate::saturation::Ends;
use crate::text::{excerpt, list, short, thousands};

/// Samples of a window, and of a hop.
pub(crate) const MOST_SAMPLES: usize = 1 << 20;
/// Inputs of a model that a front end makes.
pub(crate) const MOST_INPUTS: usize = 1 << 16;
/// Numbers that operators remember.
const MOST_REMEMBERED: usize = 1 << 22;
/// Warnings about samples: more say little more.
const MOST_WARNINGS: usize = 8;

/// What is made of raw samples before a model sees them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Front {
    /// The columns that samples are in.
    pub channels: Vec<String>,
    /// Samples of a window.
    pub window: usize,
    /// Samples from the start of a window to that of the next.
    pub hop: usize,
    /// The features of each channel.
    #[serde(with = "texts")]
    pub features: Vec<Feature>,
    /// The floor of logarithms.
    pub floor: f32,
    /// What samples are multiplied by: nothing, one number for all channels, or one for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scales: Vec<f32>,
    /// What is done with readings over time.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "texts")]
    pub operators: Vec<Operator>,
    /// Samples a second, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The column that told recordings apart where the model was fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Features and operators as their texts.
mod texts {
    use serde::de::Error as _;
    use serde::{Deserializer, Serializer};

    use super::*;

    pub(super) fn serialize<S: Serializer>(
        list: &[impl Display],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(list.iter().map(ToString::to_string))
    }

    pub(super) fn deserialize<'de, F, D>(deserializer: D) -> Result<Vec<F>, D::Error>
    where
        F: FromStr<Err = Error>,
        D: Deserializer<'de>,
    {
        let texts = Vec::<String>::deserialize(deserializer)?;
        texts.iter().map(|text| parse(text).map_err(D::Error::custom)).collect()
    }
}

/// Reads the name of a feature or an operator.
pub(crate) fn parse<F: FromStr<Err = Error>>(text: &str) -> Result<F, String> {
    text.parse().map_err(|error| match error {
        Error::Parameter { name, rule } => {
            format!("{name} {:?} is not known, it must be {rule}", excerpt(text))
        }
        other => other.to_string(),
    })
}

impl Front {
    /// Everything that must hold before it is put to work, wherever it comes from.
    pub(crate) fn validate(&self) -> Result<()> {
        let Self { channels, window, hop, features, operators, .. } = self;
        ensure!(!channels.is_empty(), "no channels");
        ensure!(
            (1..=MOST_SAMPLES).contains(window) && (1..=MOST_SAMPLES).contains(hop),
            "window and hop must be 1 to {}, not {window} and {hop}",
            thousands(MOST_SAMPLES)
        );
        let view = self.view(SampleType::F32);
        view.validate().map_err(|error| self.in_words(error))?;
        let (row, inputs) = (view.row(), view.inputs());
        let remembered = memory(operators, row);
        ensure!(
            inputs <= MOST_INPUTS,
            "{} inputs ({} channels × {} outputs of features{}), at most {} are possible",
            thousands(inputs),
            thousands(channels.len()),
            thousands(outputs(features)),
            if inputs == row { String::new() } else { format!(" × {} lags", inputs / row.max(1)) },
            thousands(MOST_INPUTS)
        );
        ensure!(
            remembered <= MOST_REMEMBERED,
            "operators that remember {} numbers, at most {} are possible",
            thousands(remembered),
            thousands(MOST_REMEMBERED)
        );
        let rated = self.rate.is_none_or(|rate| rate.is_finite() && rate > 0.0);
        ensure!(rated, "the rate must be finite and > 0");
        for name in self.names().iter().chain(&self.by) {
            ensure!(
                name.chars().nth(LONGEST_NAME).is_none(),
                "a name of more than {LONGEST_NAME} characters: {:?}",
                excerpt(name)
            );
        }
        Ok(())
    }

    /// What is wrong with the recipe, in the words of options.
    fn in_words(&self, error: Error) -> anyhow::Error {
        match error {
            Error::Parameter { name: "window", rule } => {
                let power = self.window.next_power_of_two();
                anyhow!(
                    "a window of {} samples: it must be {rule} (such as {} or {power}; other features take any)",
                    self.window,
                    power / 2
                )
            }
            Error::Parameter { name: "scales", rule } => anyhow!("--units must be {rule}"),
            Error::Parameter { name, rule } => anyhow!("{name} must be {rule}"),
            other => other.into(),
        }
    }

    /// What each number of a reading is called: `CHANNEL_FEATURE`, `CHANNEL_bands4_0`, ….
    pub(crate) fn names(&self) -> Vec<String> {
        let channels: Vec<&str> = self.channels.iter().map(String::as_str).collect();
        let names = Names::new(&channels, &self.features, &self.operators);
        names.iter().map(|name| name.to_string()).collect()
    }

    /// For the library to read.
    pub(crate) fn view(&self, samples: SampleType) -> FrontEndView<'_> {
        FrontEndView {
            samples: samples.into(),
            channels: self.channels.len(),
            window: self.window,
            hop: self.hop,
            features: &self.features,
            floor: self.floor,
            scales: &self.scales,
            operators: &self.operators,
        }
    }

    /// How many numbers a reading has.
    pub(crate) fn inputs(&self) -> usize {
        self.view(SampleType::F32).inputs()
    }

    /// How many it has before the operators.
    pub(crate) fn row(&self) -> usize {
        self.view(SampleType::F32).row()
    }

    /// About how many bytes a stream takes on a device.
    pub(crate) fn ram(&self, samples: SampleType) -> usize {
        let view = self.view(samples);
        let numbers = view.memory() + view.inputs();
        self.channels.len() * self.window * samples.size() + numbers * size_of::<f32>()
    }

    /// The bytes that stand in front of those of the detector.
    pub(crate) fn device_bytes(&self, samples: SampleType) -> Result<Vec<u8>, Error> {
        let view = self.view(samples);
        let mut bytes = vec![0; view.encoded_len()];
        view.write_to(&mut bytes)?;
        Ok(bytes)
    }

    /// How many rows it takes to the first reading.
    pub(crate) fn rows_to_first(&self) -> usize {
        let more = |operator: &Operator| match operator {
            Operator::Lags(rows) => usize::from(*rows).saturating_sub(1),
            Operator::Difference => 1,
            Operator::Average(_) | Operator::Ewma(_) => 0,
        };
        self.window + self.hop * self.operators.iter().map(more).sum::<usize>()
    }

    /// Which numbers of a reading are sizes, that vary by factors; logarithms of such have names of
    /// their own.
    pub(crate) fn are_sizes(&self) -> Vec<bool> {
        let is_size = |feature: &Feature| {
            matches!(feature, Feature::Std | Feature::Rms | Feature::PeakToPeak | Feature::Mad)
        };
        let each: Vec<bool> = self
            .features
            .iter()
            .flat_map(|feature| std::iter::repeat_n(is_size(feature), feature.outputs()))
            .collect();
        each.iter().copied().cycle().take(self.inputs()).collect()
    }

    /// What the samples of a channel are multiplied by.
    fn scale(&self, channel: usize) -> f32 {
        match *self.scales {
            [] => 1.0,
            [one] => one,
            _ => self.scales[channel],
        }
    }

    /// Where bands lie, if the rate is known, such as `bands4: 0 to 25, 25 to 50 Hz`.
    pub(crate) fn bands_in_hertz(&self) -> Vec<String> {
        let Some(rate) = self.rate else { return Vec::new() };
        let bands = |feature: &Feature| match feature {
            Feature::Bands(bands) => Some(usize::from(*bands)),
            _ => None,
        };
        // Band b has the bins after ⌊b·K/B⌋ up to ⌊(b+1)·K/B⌋, of K = n/2; a bin is rate/n wide.
        let edge = |b: usize, bands: usize| {
            let bin = b * (self.window / 2) / bands;
            plain(bin as f64 * rate / self.window as f64)
        };
        let in_hertz = |bands: usize| {
            let each: Vec<String> = (0..bands)
                .map(|b| format!("{} to {}", edge(b, bands), edge(b + 1, bands)))
                .collect();
            format!("bands{bands}: {} Hz", list(&each))
        };
        self.features.iter().filter_map(bands).map(in_hertz).collect()
    }

    /// The recipe in a line.
    pub(crate) fn description(&self) -> String {
        let words = |list: &[String]| list.join(",");
        let features: Vec<String> = self.features.iter().map(ToString::to_string).collect();
        let operators: Vec<String> = self.operators.iter().map(ToString::to_string).collect();
        let mut text = format!(
            "windows of {} samples, one every {}{}; {} of {}",
            thousands(self.window),
            thousands(self.hop),
            match self.rate {
                Some(rate) => format!(
                    ", at {} Hz ({} s, {} s)",
                    plain(rate),
                    plain(self.window as f64 / rate),
                    plain(self.hop as f64 / rate)
                ),
                None => String::new(),
            },
            words(&features),
            list(&self.channels),
        );
        if !operators.is_empty() {
            text += &format!("; then {}", words(&operators));
        }
        text += &format!("; floor of logarithms {:?}", self.floor);
        if !self.scales.is_empty() {
            let scales: Vec<String> = self.scales.iter().map(f32::to_string).collect();
            text += &format!("; samples times {}", words(&scales));
        }
        text
    }

    /// For each number of a channel, what it is at the floor of logarithms; none if it is no
    /// logarithm.
    fn floors(&self) -> Vec<Option<f32>> {
        let least = Real::ln(self.floor);
        let floor = |feature: &Feature| match feature {
            Feature::LogStd | Feature::LogMad => Some(least),
            Feature::Bands(_) => Some(2.0 * least),
            _ => None,
        };
        let each = |feature: &Feature| std::iter::repeat_n(floor(feature), feature.outputs());
        self.features.iter().flat_map(each).collect()
    }
}

/// A number to four significant digits, without zeros at its end.
fn plain(value: f64) -> String {
    let text = short(value);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// Memory for a [`Stream`].
pub(crate) struct Room {
    remembered: Vec<f32>,
    last: Vec<f32>,
}

impl Room {
    pub(crate) fn new(front: &Front) -> Self {
        let remembered = vec![0.0; memory(&front.operators, front.row())];
        Self { remembered, last: vec![0.0; front.inputs()] }
    }
}

/// Raw samples in, readings out.
pub(crate) struct Stream<'a> {
    front: &'a Front,
    features: Features<'a>,
    operators: RowsMut<'a>,
    /// The samples of each channel that are not done with.
    samples: Vec<Vec<f32>>,
    /// Samples to leave out until the next window begins, where the hop is the larger one.
    skip: usize,
    turn: Vec<f32>,
    spectrum: Vec<f32>,
    row: Vec<f32>,
    /// See [`Front::floors`].
    floors: Vec<Option<f32>>,
    /// Windows whose logarithms were at the floor, for each input before the operators.
    floored: Vec<usize>,
    windows: usize,
    /// Of each channel.
    ends: Vec<Ends>,
}

impl<'a> Stream<'a> {
    pub(crate) fn new(front: &'a Front, room: &'a mut Room) -> Result<Self, Error> {
        let mut turn = vec![0.0; front.window];
        fill_turn(&mut turn);
        let Room { remembered, last } = room;
        Ok(Self {
            front,
            features: Features::new(&front.features, front.floor, front.window)?,
            operators: RowsMut::new(&front.operators, front.row(), remembered, last)?,
            samples: vec![Vec::new(); front.channels.len()],
            skip: 0,
            turn,
            spectrum: vec![0.0; front.window],
            row: vec![0.0; front.row()],
            floors: front.floors(),
            floored: vec![0; front.row()],
            windows: 0,
            ends: vec![Ends::default(); front.channels.len()],
        })
    }

    /// Samples are missing here, or another recording begins: nothing is carried over.
    pub(crate) fn gap(&mut self) {
        self.samples.iter_mut().for_each(Vec::clear);
        self.skip = 0;
        self.operators.gap();
    }

    /// Takes a sample of all channels; returns a reading if this completes a window, and operators
    /// need no more of them.
    ///
    /// # Errors
    /// [`Error::Channel`] names the first channel that cannot be used, and all starts afresh.
    pub(crate) fn push(&mut self, sample: &[f32]) -> Result<Option<&[f32]>, Error> {
        // Written so that NaN is not usable.
        let usable = |value: &f32| value.abs() <= LARGEST;
        if let Some(channel) = sample.iter().position(|value| !usable(value)) {
            self.gap();
            return Err(Error::Channel { channel, rule: "finite and within ±1e20" });
        }
        if self.skip > 0 {
            self.skip -= 1;
            return Ok(None);
        }
        for ((kept, ends), &value) in self.samples.iter_mut().zip(&mut self.ends).zip(sample) {
            kept.push(value);
            ends.see(value);
        }
        let &Front { window, hop, .. } = self.front;
        if self.samples.first().map_or(0, Vec::len) < window {
            return Ok(None);
        }
        let each = outputs(&self.front.features);
        for (number, samples) in self.samples.iter_mut().enumerate() {
            let channel = Channel::new(samples)?.scaled(self.front.scale(number));
            let out = &mut self.row[number * each..][..each];
            self.features.write(&channel, &self.turn, &mut self.spectrum, out)?;
            samples.drain(..hop.min(window));
        }
        self.skip = hop.saturating_sub(window);
        self.windows += 1;
        let floors = self.floors.iter().cycle();
        for ((&value, count), floor) in self.row.iter().zip(&mut self.floored).zip(floors) {
            *count += usize::from(*floor == Some(value));
        }
        self.operators.push(&self.row)
    }

    /// What a model should not learn from unawares.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let channels = self.front.channels.iter().zip(&self.ends);
        let saturated = channels.filter_map(|(name, ends)| ends.warning(&excerpt(name)));
        self.floor_warning().into_iter().chain(saturated).take(MOST_WARNINGS).collect()
    }

    /// That windows touched the floor of logarithms, if any did.
    fn floor_warning(&self) -> Option<String> {
        let most = self.floored.iter().copied().max().filter(|&most| most > 0)?;
        let plain = Front { operators: Vec::new(), ..self.front.clone() };
        let names = plain.names().into_iter().zip(&self.floored);
        let names: Vec<String> =
            names.filter(|(_, count)| **count > 0).map(|(name, _)| name).collect();
        Some(format!(
            "{} of {} windows are at the floor of logarithms ({}) in {}: the samples hardly vary there, and the model takes that for normal; leave such windows or channels out, or raise --floor to what the sensor resolves",
            thousands(most),
            thousands(self.windows),
            format_args!("{:?}", self.front.floor),
            list(&names)
        ))
    }
}

#[cfg(test)]
mod tests {
    use mercer::signal::FLOOR;

    use super::*;

    fn front(window: usize, hop: usize, features: &[Feature]) -> Front {
        Front {
            channels: vec!["a".into(), "b".into()],
            window,
            hop,
            features: features.to_vec(),
            floor: FLOOR,
            scales: Vec::new(),
            operators: Vec::new(),
            rate: None,
            by: None,
        }
    }

    /// The first samples of the windows of samples 0, 1, 2, ….
    fn starts(front: &Front, samples: usize, gap: Option<usize>) -> Vec<f32> {
        let mut room = Room::new(front);
        let mut stream = Stream::new(front, &mut room).unwrap();
        let mut starts = Vec::new();
        for t in 0..samples {
            if gap == Some(t) {
                stream.gap();
            }
            let reading = stream.push(&[t as f32, 0.0]).unwrap();
            starts.extend(reading.map(|reading| reading[0]));
        }
        starts
    }

    #[test]
    fn windows_start_at_every_hop() {
        let front = |window, hop| front(window, hop, &[Feature::Min]);
        assert_eq!(starts(&front(4, 2), 9, None), [0.0, 2.0, 4.0]);
        assert_eq!(starts(&front(4, 4), 9, None), [0.0, 4.0]);
        assert_eq!(starts(&front(2, 5), 12, None), [0.0, 5.0, 10.0]);
        assert_eq!(starts(&front(4, 2), 12, Some(5)), [0.0, 5.0, 7.0]);
        assert_eq!(starts(&front(2, 5), 12, Some(4)), [0.0, 4.0, 9.0]);
    }

    #[test]
    fn floors_are_noticed() {
        let front = front(4, 4, &[Feature::Mean, Feature::LogStd, Feature::Bands(2)]);
        let mut room = Room::new(&front);
        let mut stream = Stream::new(&front, &mut room).unwrap();
        for t in 0..8 {
            stream.push(&[(t * t) as f32, (t / 4) as f32]).unwrap();
        }
        let warning = stream.floor_warning().unwrap();
        assert!(warning.starts_with("2 of 2 windows"), "{warning}");
        assert!(warning.contains("in b_logstd, b_bands2_0, b_bands2_1:"), "{warning}");
    }

    #[test]
    fn recipes_are_stored_as_texts() {
        let mut front = front(64, 32, &[Feature::Mean, Feature::Bands(4)]);
        front.operators = vec![Operator::Ewma(0.25), Operator::Lags(2)];
        let text = serde_json::to_string(&front).unwrap();
        assert!(text.contains(r#""features":["mean","bands4"]"#), "{text}");
        assert_eq!(serde_json::from_str::<Front>(&text).unwrap(), front);
        let wrong = text.replace("bands4", "bands0");
        assert!(serde_json::from_str::<Front>(&wrong).is_err());
    }

    #[test]
    fn wrong_recipes_are_refused() {
        type Change = fn(&mut Front);
        let cases: [(Change, &str); 10] = [
            (|f| f.window = 0, "window and hop"),
            (|f| f.hop = 0, "window and hop"),
            (|f| f.window = usize::MAX, "window and hop"),
            (|f| f.window = 100, "64 or 128"),
            (|f| f.features.clear(), "at least one"),
            (|f| f.floor = 0.0, "floor"),
            (|f| f.scales = vec![1.0; 3], "--units must be none, one or one for each"),
            (|f| f.operators = vec![Operator::Ewma(2.0)], "ewma"),
            (|f| f.operators = vec![Operator::Lags(u16::MAX); 4], "inputs"),
            (|f| f.operators = vec![Operator::Average(u16::MAX); 40], "remember"),
        ];
        for (change, said) in cases {
            let mut front = front(64, 32, &[Feature::Mean, Feature::Bands(4)]);
            assert!(front.validate().is_ok());
            change(&mut front);
            let error = front.validate().unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
