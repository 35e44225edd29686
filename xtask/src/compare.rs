//! What a device printed against what the host printed.

use std::fmt;

use anyhow::{Result, bail};

/// A line that is not the same on both sides, or is missing on one of them.
#[derive(Debug, PartialEq)]
pub(crate) struct Difference<'a> {
    /// Counted from 1.
    number: usize,
    host: Option<&'a str>,
    device: Option<&'a str>,
}

/// Compares line by line: the programs are deterministic, so a difference shifts nothing.
pub(crate) fn differences<'a>(host: &'a [String], device: &'a [String]) -> Vec<Difference<'a>> {
    (0..host.len().max(device.len()))
        .map(|index| Difference {
            number: index + 1,
            host: host.get(index).map(String::as_str),
            device: device.get(index).map(String::as_str),
        })
        .filter(|line| line.host != line.device)
        .collect()
}

/// Fails at the first difference.
pub(crate) fn require_same(expected: &[String], found: &[String]) -> Result<()> {
    match differences(expected, found).first() {
        None => Ok(()),
        Some(difference) => bail!("{difference}"),
    }
}

impl fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = "(nothing: the output has ended)";
        writeln!(f, "line {}", self.number)?;
        writeln!(f, "    host    {}", self.host.unwrap_or(ended))?;
        write!(f, "    device  {}", self.device.unwrap_or(ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| line.to_string()).collect()
    }

    #[test]
    fn same_output_has_no_differences() {
        assert_eq!(differences(&lines(&["a", "b"]), &lines(&["a", "b"])), []);
        assert_eq!(differences(&[], &[]), []);
    }

    #[test]
    fn a_difference_names_its_line() {
        let (host, device) = (lines(&["a", "0.25", "c"]), lines(&["a", "0.26", "c"]));
        let found = differences(&host, &device);
        assert_eq!(found.len(), 1);
        let text = found[0].to_string();
        assert_eq!(text, "line 2\n    host    0.25\n    device  0.26");
    }

    #[test]
    fn a_missing_line_is_a_difference() {
        let (host, device) = (lines(&["a", ""]), lines(&["a"]));
        let expected = Difference { number: 2, host: Some(""), device: None };
        assert_eq!(differences(&host, &device), [expected]);
        let expected = Difference { number: 2, host: None, device: Some("") };
        assert_eq!(differences(&device, &host), [expected]);
    }
}
