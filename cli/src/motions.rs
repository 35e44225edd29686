//! Bundled recordings of a smart watch as windows of features; `examples/data/motions` says whose they are.

use anyhow::{Context, Result, ensure};

const TRAINING: &str = include_str!("../../examples/data/motions/train.csv");
const UNSEEN: &str = include_str!("../../examples/data/motions/test.csv");

/// Instants of a window, ten a second. A recording has a whole number of windows, so that none holds parts of two.
const WINDOW: usize = 20;
const AXES: [&str; 6] = ["ax", "ay", "az", "gx", "gy", "gz"];
/// The activity that a model learns.
pub(crate) const NORMAL: &str = "walking";

/// CSV of the windows to learn from: those of [`NORMAL`].
pub(crate) fn training() -> Result<String> {
    let windows = windows(TRAINING)?;
    let lines = windows.iter().filter(|window| window.activity == NORMAL);
    Ok(csv(&names(), lines.map(Window::numbers)))
}

/// CSV of windows that no model has seen: activities and recordings in columns before the features, the learned activity first.
pub(crate) fn unseen() -> Result<String> {
    let mut windows = windows(UNSEEN)?;
    windows.sort_by_key(|window| window.activity != NORMAL);
    let header = format!("activity,recording,{}", names());
    let line = |w: &Window| format!("{},{},{}", w.activity, w.recording, w.numbers());
    Ok(csv(&header, windows.iter().map(line)))
}

/// Mean and standard deviation of each axis over some instants.
struct Window {
    recording: String,
    activity: String,
    features: Vec<f64>,
}

impl Window {
    /// To as many places as the recordings have.
    fn numbers(&self) -> String {
        let cells: Vec<String> = self.features.iter().map(|x| format!("{x:.6}")).collect();
        cells.join(",")
    }
}

fn names() -> String {
    let of = |what: &str| AXES.map(|axis| format!("{axis}_{what}")).join(",");
    format!("{},{}", of("mean"), of("dev"))
}

fn csv(header: &str, lines: impl Iterator<Item = String>) -> String {
    let mut text = format!("{header}\n");
    for line in lines {
        text += &line;
        text.push('\n');
    }
    text
}

/// The windows of some recordings; they do not overlap.
fn windows(recordings: &str) -> Result<Vec<Window>> {
    let mut instants = Vec::new();
    for record in csv::Reader::from_reader(recordings.as_bytes()).records() {
        let record = record?;
        let [recording, activity] = [0, 1].map(|place| record.get(place).map(str::to_string));
        let recording = recording.context("no recording")?;
        let activity = activity.context("no activity")?;
        let axes: Vec<f64> =
            record.iter().skip(3).map(str::parse).collect::<Result<_, _>>().context("no number")?;
        ensure!(axes.len() == AXES.len(), "{} axes", axes.len());
        instants.push((recording, activity, axes));
    }
    let window = |rows: &[(String, String, Vec<f64>)]| {
        let count = rows.len() as f64;
        let mean = |axis: usize| rows.iter().map(|(.., axes)| axes[axis]).sum::<f64>() / count;
        let deviation = |axis: usize| {
            let mean = mean(axis);
            let squares = rows.iter().map(|(.., axes)| (axes[axis] - mean).powi(2));
            (squares.sum::<f64>() / count).sqrt()
        };
        let axes = 0..AXES.len();
        let features = axes.clone().map(mean).chain(axes.map(deviation)).collect();
        let (recording, activity, _) = rows[0].clone();
        Window { recording, activity, features }
    };
    Ok(instants.chunks_exact(WINDOW).map(window).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of squares instead of deviations from the mean, on the binary copy of the recordings that firmware uses.
    #[test]
    fn features_are_those_of_the_recordings() {
        let bytes = include_bytes!("../../examples/data/motions/train_walking.f32");
        let numbers: Vec<f64> = bytes
            .chunks_exact(4)
            .map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])))
            .collect();
        let csv = training().unwrap();
        let mut lines = csv.lines();
        assert_eq!(
            lines.next(),
            Some(
                "ax_mean,ay_mean,az_mean,gx_mean,gy_mean,gz_mean,ax_dev,ay_dev,az_dev,gx_dev,gy_dev,gz_dev"
            )
        );
        let windows = numbers.chunks_exact(WINDOW * AXES.len());
        assert_eq!((lines.clone().count(), windows.len()), (50, 50));
        for (line, window) in lines.zip(windows) {
            let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            for axis in 0..AXES.len() {
                let values = || window.iter().skip(axis).step_by(AXES.len());
                let mean = values().sum::<f64>() / WINDOW as f64;
                let squares = values().map(|x| x * x).sum::<f64>() / WINDOW as f64;
                let deviation = (squares - mean * mean).max(0.0).sqrt();
                // Six places in the file; single precision in the copy.
                assert!((cells[axis] - mean).abs() < 5e-6, "{} {mean}", cells[axis]);
                assert!((cells[AXES.len() + axis] - deviation).abs() < 5e-6, "{line}");
            }
        }
    }

    #[test]
    fn the_learned_activity_comes_first() {
        let csv = unseen().unwrap();
        let activities: Vec<&str> =
            csv.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(activities.len(), 200);
        let expected = ["walking", "standing", "running", "badminton"];
        for (chunk, activity) in activities.chunks(50).zip(expected) {
            assert!(chunk.iter().all(|&a| a == activity), "{chunk:?}");
        }
    }
}
