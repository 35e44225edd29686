//! What there is to see: the last scores, the state, the events.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::log::Change;
use super::{Blamed, News, Scored};

/// Scores that are kept to be shown.
const MOST_SCORES: usize = 20_000;
/// Events that are kept to be shown.
const MOST_EVENTS: usize = 200;
/// How many readings the chart can span.
const SPANS: [usize; 9] = [30, 60, 120, 300, 600, 1200, 3000, 6000, MOST_SCORES];
/// A stream is silent after so long.
const SILENCE: Duration = Duration::from_secs(3);

/// What is drawn.
pub(crate) struct View {
    /// The model, and where readings come from.
    pub(crate) title: String,
    /// `row`, or `window`.
    pub(crate) unit: &'static str,
    scores: VecDeque<Scored>,
    /// The newest one last.
    pub(crate) events: VecDeque<Event>,
    /// Readings so far.
    pub(crate) count: u64,
    /// All events so far.
    pub(crate) raised: u64,
    pub(crate) omissions: Vec<String>,
    /// No more readings: at the end, or after an error.
    pub(crate) end: Option<Option<String>>,
    /// The newest readings that are not shown, while the picture is held.
    held: Option<usize>,
    span: usize,
    last: Instant,
    is_live: bool,
}

/// An alarm from its begin to its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) start: Scored,
    /// The reading that ended it; none while it lasts.
    pub(crate) end: Option<Scored>,
    /// The highest score, in thresholds.
    pub(crate) peak: f64,
    /// Who was to blame at the peak.
    pub(crate) suspect: Option<Blamed>,
}

impl View {
    pub(crate) fn new(title: String, unit: &'static str, is_live: bool) -> Self {
        Self {
            title,
            unit,
            scores: VecDeque::new(),
            events: VecDeque::new(),
            count: 0,
            raised: 0,
            omissions: Vec::new(),
            end: None,
            held: None,
            span: 2,
            last: Instant::now(),
            is_live,
        }
    }

    /// Takes news. Returns the reading at which the alarm was raised or ended, if it was.
    pub(crate) fn take(&mut self, news: News) -> Option<(Change, Scored)> {
        match news {
            News::Scored(scored) => return self.see(scored),
            News::Omitted(omissions) => self.omissions = omissions,
            News::End(fault) => self.end = Some(fault),
            News::Key(_) | News::Quit => {}
        }
        None
    }

    fn see(&mut self, scored: Scored) -> Option<(Change, Scored)> {
        self.last = Instant::now();
        self.count += 1;
        let was_up = self.events.back().is_some_and(|event| event.end.is_none());
        let change = match (was_up, scored.alarm) {
            (false, true) => Some(Change::Raised),
            (true, false) => Some(Change::Ended),
            _ => None,
        };
        match change {
            Some(Change::Raised) => self.raise(&scored),
            Some(Change::Ended) => {
                self.events.iter_mut().next_back().expect("one is up").end = Some(scored.clone());
            }
            None => self.go_on(&scored),
        }
        if self.scores.len() == MOST_SCORES {
            self.scores.pop_front();
        }
        self.scores.push_back(scored.clone());
        self.held.iter_mut().for_each(|held| *held += 1);
        change.map(|change| (change, scored))
    }

    fn raise(&mut self, scored: &Scored) {
        if self.events.len() == MOST_EVENTS {
            self.events.pop_front();
        }
        self.raised += 1;
        self.events.push_back(Event {
            start: scored.clone(),
            end: None,
            peak: scored.score,
            suspect: scored.suspect.clone(),
        });
    }

    /// An alarm that lasts has a new peak, perhaps.
    fn go_on(&mut self, scored: &Scored) {
        let Some(event) = self.events.back_mut().filter(|event| event.end.is_none()) else {
            return;
        };
        if scored.score > event.peak {
            event.peak = scored.score;
            event.suspect.clone_from(&scored.suspect);
        }
    }

    /// The readings that are shown, the newest one first.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Scored> {
        self.scores.iter().rev().skip(self.held.unwrap_or_default()).take(self.span())
    }

    /// Stops the picture, or lets it catch up. Readings are taken all the same.
    pub(crate) fn hold(&mut self) {
        self.held = if self.is_held() { None } else { Some(0) };
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// How many readings the chart shows.
    pub(crate) fn span(&self) -> usize {
        SPANS[self.span]
    }

    pub(crate) fn widen(&mut self) {
        self.span = (self.span + 1).min(SPANS.len() - 1);
    }

    pub(crate) fn narrow(&mut self) {
        self.span = self.span.saturating_sub(1);
    }

    /// The event that lasts, if one does.
    pub(crate) fn present(&self) -> Option<&Event> {
        self.events.back().filter(|event| event.end.is_none())
    }

    /// For how long nothing has come although something should.
    pub(crate) fn silence(&self) -> Option<Duration> {
        let silence = self.last.elapsed();
        (self.is_live && self.end.is_none() && silence > SILENCE).then_some(silence)
    }
}
