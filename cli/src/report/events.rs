//! Rows in alarm, one event for each time that the alarm was raised.

use std::ops::Range;

/// A stretch of rows in alarm.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) rows: Range<usize>,
    /// The row that scores most, the first of equals.
    pub(super) peak: usize,
}

/// All events. `alarm` says of each row whether the alarm is up, and whether this row raised it:
/// one that is raised anew in the next recording is another event.
pub(super) fn events(alarm: &[(bool, bool)], severity: &[f64]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (row, &(_, raised)) in alarm.iter().enumerate().filter(|(_, (active, _))| *active) {
        match events.last_mut() {
            Some(event) if !raised && event.rows.end == row => {
                event.rows.end = row + 1;
                if severity[row] > severity[event.peak] {
                    event.peak = row;
                }
            }
            _ => events.push(Event { rows: row..row + 1, peak: row }),
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_lasts_as_long_as_its_alarm() {
        let [off, raised, on] = [(false, false), (true, true), (true, false)];
        let alarm = [off, raised, on, on, off, raised, raised, on];
        let found = events(&alarm, &[0.0, 1.0, 3.0, 3.0, 9.0, 2.0, 1.0, 5.0]);
        let rows: Vec<_> = found.iter().map(|event| (event.rows.clone(), event.peak)).collect();
        assert_eq!(rows, [(1..4, 2), (5..6, 5), (6..8, 7)]);
        assert_eq!(events(&[off, off], &[1.0, 1.0]), []);
    }
}
