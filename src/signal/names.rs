//! What each number of a reading is called.

use core::fmt;

use crate::signal::feature::{Feature, outputs};
use crate::signal::operator::{Operator, width};

/// The names of a front end's outputs: `CHANNEL_FEATURE`, such as `ax_logstd`; bands have a number,
/// `ax_bands4_0`, and lags say how old they are, `ax_mean_t` and `ax_mean_t-1`.
///
/// ```
/// use mercer::signal::{Feature, Names};
/// let features = [Feature::Mean, Feature::Bands(2)];
/// let names = Names::new(&["ax", "ay"], &features, &[]);
/// let all: Vec<String> = names.iter().map(|name| name.to_string()).collect();
/// let expected =
///     ["ax_mean", "ax_bands2_0", "ax_bands2_1", "ay_mean", "ay_bands2_0", "ay_bands2_1"];
/// assert_eq!(all, expected);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    channels: &'a [&'a str],
    /// How many there are, with a name or not.
    count: usize,
    features: &'a [Feature],
    operators: &'a [Operator],
}

impl<'a> Names<'a> {
    /// Those of these channels.
    pub const fn new(
        channels: &'a [&'a str],
        features: &'a [Feature],
        operators: &'a [Operator],
    ) -> Self {
        Self { channels, count: channels.len(), features, operators }
    }

    /// Those of `count` channels; the ones without a name are called by their number, `0_mean`.
    pub(crate) const fn counted(
        count: usize,
        channels: &'a [&'a str],
        features: &'a [Feature],
        operators: &'a [Operator],
    ) -> Self {
        Self { channels, count, features, operators }
    }

    /// How many there are: as many as a reading has numbers.
    pub const fn len(&self) -> usize {
        width(self.operators, self.row())
    }

    /// Are there none?
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of number `index` of a reading, if it has as many.
    pub fn get(&self, index: usize) -> Option<Name<'a>> {
        (index < self.len()).then_some(Name { names: *self, index })
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Name<'a>> {
        let names = *self;
        (0..self.len()).map(move |index| Name { names, index })
    }

    /// How many numbers there are before the operators.
    const fn row(&self) -> usize {
        self.count * outputs(self.features)
    }
}

/// The name of one number, for a log.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    names: Names<'a>,
    index: usize,
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Names { channels, features, operators, .. } = self.names;
        let each = outputs(features).max(1);
        let index = self.index % self.names.row().max(1);
        match channels.get(index / each) {
            Some(channel) => write!(f, "{channel}_")?,
            None => write!(f, "{}_", index / each)?,
        }
        let mut within = index % each;
        for feature in features {
            match (within.checked_sub(feature.outputs()), feature) {
                (Some(rest), _) => within = rest,
                (None, Feature::Bands(_)) => {
                    write!(f, "{feature}_{within}")?;
                    break;
                }
                (None, _) => {
                    write!(f, "{feature}")?;
                    break;
                }
            }
        }
        let mut width = self.names.row();
        for &operator in operators {
            if let Operator::Lags(rows) = operator {
                match self.index / width.max(1) % usize::from(rows).max(1) {
                    0 => f.write_str("_t")?,
                    age => write!(f, "_t-{age}")?,
                }
            }
            width = operator.widened(width);
        }
        Ok(())
    }
}
