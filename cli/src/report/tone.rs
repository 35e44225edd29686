//! Colours of a page, which its style sheet knows, and what they mean.

/// What a mark in a figure means: its form, its tone, and a text that is not escaped yet.
pub(super) type Key = (&'static str, Tone, String);

/// A colour by what it is for; the style sheet has one for light and one for dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Text and axes.
    Ink,
    /// What should not stand out.
    Soft,
    /// Lines of the grid, empty cells.
    Faint,
    /// Whatever is shown.
    Data,
    /// A threshold.
    Limit,
    /// Rows above it.
    Unusual,
    /// Rows in alarm.
    Alarm,
    /// Rows of the first labels, by position.
    Label(usize),
    /// A cell of the heat map, from 1 to [`LEVELS`].
    Level(usize),
}

/// Labels that have a tone of their own; the one after them is for all others.
pub(super) const LABELS: usize = 6;
/// Shades of the heat map, beside none.
pub(super) const LEVELS: usize = 9;

impl Tone {
    const FIXED: [(Tone, &str); 7] = [
        (Tone::Ink, "ink"),
        (Tone::Soft, "soft"),
        (Tone::Faint, "faint"),
        (Tone::Data, "data"),
        (Tone::Limit, "limit"),
        (Tone::Unusual, "unusual"),
        (Tone::Alarm, "alarm"),
    ];

    #[cfg(test)]
    fn all() -> impl Iterator<Item = Tone> {
        let fixed = Self::FIXED.into_iter().map(|(tone, _)| tone);
        fixed.chain((0..=LABELS).map(Tone::Label)).chain((1..=LEVELS).map(Tone::Level))
    }

    /// What the style sheet calls it.
    pub(super) fn name(self) -> String {
        match self {
            Tone::Label(label) => format!("label{label}"),
            Tone::Level(level) => format!("level{level}"),
            fixed => {
                let name = Self::FIXED.iter().find(|(tone, _)| *tone == fixed);
                name.map_or("", |(_, name)| name).to_string()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_has_every_tone() {
        for tone in Tone::all() {
            let name = tone.name();
            for rule in [format!(".f-{name}"), format!(".s-{name}")] {
                let known = include_str!("style.css").contains(&rule);
                assert!(known || matches!(tone, Tone::Level(_)), "{rule}");
            }
        }
    }
}
