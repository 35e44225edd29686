//! Which inputs are logarithmic, as options and people say it.

use anyhow::{Result, bail, ensure};
use mercer::detect::logs::Log;

use crate::front::Front;
use crate::names::names;
use crate::text::{excerpt, short};
use crate::{Number, escape};

/// `--log`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LogChoice {
    /// By the rule of the library.
    Auto,
    /// The same for some of the inputs; the others are not.
    AutoAmong(Vec<bool>),
    /// No input.
    None,
    /// The columns of this list.
    Columns(String),
}

/// Reads `--log`.
pub(crate) fn log_choice(text: &str) -> Result<LogChoice, String> {
    match text.trim() {
        "auto" => Ok(LogChoice::Auto),
        "none" => Ok(LogChoice::None),
        _ if names(&[text.into()], |_| false).iter().any(String::is_empty) => {
            Err("`auto`, `none`, or names of columns with a comma between them".into())
        }
        _ => Ok(LogChoice::Columns(text.into())),
    }
}

impl LogChoice {
    /// The same for readings that a front end makes, which says what its numbers are: only sizes
    /// can be logarithmic.
    pub(crate) fn with_front(&self, front: &Front) -> Self {
        match self {
            Self::Auto => Self::AutoAmong(front.are_sizes()),
            other => other.clone(),
        }
    }

    /// What is wished of each input.
    pub(crate) fn of(&self, columns: &[String]) -> Result<Vec<Log>> {
        let list = match self {
            Self::Auto => return Ok(vec![Log::Auto; columns.len()]),
            Self::AutoAmong(inputs) => {
                let log = |&is_among: &bool| if is_among { Log::Auto } else { Log::No };
                return Ok(inputs.iter().map(log).collect());
            }
            Self::None => return Ok(vec![Log::No; columns.len()]),
            Self::Columns(list) => list,
        };
        let place = |name: &str| columns.iter().position(|column| column == name);
        let mut wishes = vec![Log::No; columns.len()];
        for name in names(std::slice::from_ref(list), |name| place(name).is_some()) {
            let Some(input) = place(&name) else {
                bail!("--log names {}, which is no input", excerpt(&name));
            };
            ensure!(wishes[input] == Log::No, "--log names {} twice", excerpt(&name));
            wishes[input] = Log::Yes;
        }
        Ok(wishes)
    }

    /// As it is written on a command line; none for the default.
    pub(crate) fn option(&self) -> Option<String> {
        match self {
            Self::Auto | Self::AutoAmong(_) => None,
            Self::None => Some("none".into()),
            Self::Columns(list) => Some(escape::shell(list)),
        }
    }
}

/// The names of logarithmic inputs with their floors.
pub(crate) fn logarithmic<'a, T: Number>(
    columns: &'a [String],
    floor: &'a [T],
) -> impl Iterator<Item = (&'a String, T)> {
    columns.iter().zip(floor.iter().copied()).filter(|(_, floor)| *floor > T::ZERO)
}

/// The same for people.
pub(crate) fn in_words<T: Number>(columns: &[String], floor: &[T]) -> Vec<String> {
    let words = |(name, floor): (&String, T)| format!("{name} from {}", short(floor.to_f64()));
    logarithmic(columns, floor).map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_by_name() {
        let columns = ["a", "b", "auto"].map(String::from);
        let of = |text| log_choice(text).unwrap().of(&columns).map_err(|e| e.to_string());
        assert_eq!(of("auto"), Ok(vec![Log::Auto; 3]));
        assert_eq!(of("none"), Ok(vec![Log::No; 3]));
        assert_eq!(of("b"), Ok(vec![Log::No, Log::Yes, Log::No]));
        assert_eq!(of("auto, a"), Ok(vec![Log::Yes, Log::No, Log::Yes]));
        assert_eq!(of("a,c"), Err("--log names c, which is no input".into()));
        assert_eq!(of("a,a"), Err("--log names a twice".into()));
        for bad in ["", ",", "a,", ",a", "a,,b"] {
            assert!(log_choice(bad).is_err(), "{bad:?}");
        }
    }
}
