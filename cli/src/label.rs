//! Which rows are normal, by what a column says.

use anyhow::{Result, bail};
use clap::Args;

use crate::text::list;

/// Labels that mean normal when nobody says otherwise, in lower case; and all that are 0 as a number.
const NORMAL: [&str; 6] = ["normal", "ok", "good", "false", "no", ""];

/// Which labels are normal.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NormalLabels {
    /// A label of normal rows; repeat it for more of them [default: 0, normal, ok, good, false, no or nothing]
    #[arg(long = "normal", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
}

impl NormalLabels {
    /// Is a row with this label normal?
    pub(crate) fn is_normal(&self, label: &str) -> bool {
        let is_zero = |label: &str| label.parse::<f64>().is_ok_and(|value| value == 0.0);
        match self.labels.as_slice() {
            [] => is_zero(label) || NORMAL.contains(&label.to_lowercase().as_str()),
            labels => labels.iter().any(|normal| normal == label),
        }
    }

    /// Which of the labels are normal; there must be rows of both kinds.
    ///
    /// # Errors
    /// Names the column and the labels in it.
    pub(crate) fn split(&self, name: &str, column: &str, labels: &[String]) -> Result<Vec<bool>> {
        let normal: Vec<bool> = labels.iter().map(|label| self.is_normal(label)).collect();
        let count = normal.iter().filter(|&&normal| normal).count();
        if count == 0 || count == normal.len() {
            let mut found: Vec<&str> = labels.iter().map(String::as_str).collect();
            found.sort_unstable();
            found.dedup();
            let kind = if count == 0 { "no row is normal" } else { "no row is anomalous" };
            bail!("{name}: {kind} by column {column}, which has {} (see --normal)", list(&found));
        }
        Ok(normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_understood() {
        let usual = NormalLabels::default();
        for (label, normal) in
            [("0", true), ("0.0", true), ("Normal", true), ("1", false), ("walking", false)]
        {
            assert_eq!(usual.is_normal(label), normal, "{label}");
        }
        let walking = NormalLabels { labels: vec!["walking".into(), "running".into()] };
        assert!(walking.is_normal("walking") && !walking.is_normal("0"));
        let labels = ["walking".to_string(), "standing".into()];
        assert_eq!(walking.split("data.csv", "activity", &labels).unwrap(), [true, false]);
        let error = usual.split("data.csv", "activity", &labels).unwrap_err().to_string();
        assert!(
            error.contains("no row is normal") && error.contains("standing, walking"),
            "{error}"
        );
    }
}
