//! Bundled recordings of a smart watch, ten instants a second; `data/motions` says whose they are.

use anyhow::Result;

const TRAINING: &str = include_str!("../data/motions/train.csv");
const UNSEEN: &str = include_str!("../data/motions/test.csv");

/// The activity that a model learns.
pub(crate) const NORMAL: &str = "walking";
/// The columns of the axes, after those of recording, activity and time.
const AXES: std::ops::Range<usize> = 3..9;

/// CSV of the recordings to learn from: those of [`NORMAL`].
pub(crate) fn training() -> Result<String> {
    let rows = rows(TRAINING)?;
    let [header, ..] = rows.as_slice() else { return Ok(String::new()) };
    let walking = rows.iter().filter(|row| row[1] == *NORMAL);
    let lines = std::iter::once(header).chain(walking);
    Ok(lines.map(|row| line([&row[0]], row)).collect())
}

/// CSV of recordings that no model has seen, with their activities, the learned one first.
pub(crate) fn unseen() -> Result<String> {
    let mut rows = rows(UNSEEN)?;
    rows[1..].sort_by_key(|row| row[1] != *NORMAL);
    Ok(rows.iter().map(|row| line([&row[1], &row[0]], row)).collect())
}

/// All rows, that of the names first.
fn rows(recordings: &str) -> Result<Vec<csv::StringRecord>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).from_reader(recordings.as_bytes());
    Ok(reader.records().collect::<Result<_, _>>()?)
}

/// Some cells, and then those of the axes.
fn line<const N: usize>(first: [&str; N], row: &csv::StringRecord) -> String {
    let axes = AXES.filter_map(|column| row.get(column));
    let cells: Vec<&str> = first.into_iter().chain(axes).collect();
    cells.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learned_activity_comes_first() {
        let csv = unseen().unwrap();
        assert_eq!(csv.lines().next(), Some("activity,recording,ax,ay,az,gx,gy,gz"));
        let activities: Vec<&str> =
            csv.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(activities.len(), 4000);
        let expected = ["walking", "standing", "running", "badminton"];
        for (chunk, activity) in activities.chunks(1000).zip(expected) {
            assert!(chunk.iter().all(|&a| a == activity), "{chunk:?}");
        }
    }
}
