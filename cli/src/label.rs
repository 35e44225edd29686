//! Which rows are normal, by what a column says.

use anyhow::{Result, anyhow};
use clap::Args;

use crate::missing::says_nothing;
use crate::table::is_same;
use crate::text::list;

/// Labels that mean normal when nobody says otherwise, in lower case; and all that are 0 as a
/// number, or say nothing.
const NORMAL: [&str; 6] = ["normal", "ok", "good", "healthy", "false", "no"];

/// Which labels are normal.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NormalLabels {
    /// A label of normal rows; repeat it for more of them [default: 0, normal, ok, good, healthy,
    /// false, no; and cells that are empty, n/a, NaN or the like]
    #[arg(long = "normal", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
}

impl NormalLabels {
    /// Is a row with this label normal?
    pub(crate) fn is_normal(&self, label: &str) -> bool {
        let is_zero = |label: &str| label.parse::<f64>().is_ok_and(|value| value == 0.0);
        match self.labels.as_slice() {
            [] => {
                is_zero(label)
                    || says_nothing(label)
                    || NORMAL.contains(&label.to_lowercase().as_str())
            }
            labels => labels.iter().any(|normal| is_same(label, normal)),
        }
    }

    /// Which of the labels are normal; some must be.
    ///
    /// # Errors
    /// Names the column and the labels in it.
    pub(crate) fn normal(&self, name: &str, column: &str, labels: &[String]) -> Result<Vec<bool>> {
        let normal: Vec<bool> = labels.iter().map(|label| self.is_normal(label)).collect();
        match normal.contains(&true) {
            true => Ok(normal),
            false => Err(one_kind("no row is normal", name, column, labels)),
        }
    }

    /// The same; there must be rows of both kinds.
    pub(crate) fn split(&self, name: &str, column: &str, labels: &[String]) -> Result<Vec<bool>> {
        let normal = self.normal(name, column, labels)?;
        match normal.contains(&false) {
            true => Ok(normal),
            false => Err(one_kind("no row is anomalous", name, column, labels)),
        }
    }
}

fn one_kind(kind: &str, name: &str, column: &str, labels: &[String]) -> anyhow::Error {
    let mut found: Vec<&str> = labels.iter().map(String::as_str).collect();
    found.sort_unstable();
    found.dedup();
    anyhow!("{name}: {kind} by column {column}, which has {} (see --normal)", list(&found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_understood() {
        let usual = NormalLabels::default();
        for (label, normal) in
            [("0", true), ("0.0", true), ("Normal", true), ("1", false), ("walking", false)]
                .into_iter()
                .chain([("", true), ("NaN", true), ("n/a", true), ("HEALTHY", true), ("-1", false)])
        {
            assert_eq!(usual.is_normal(label), normal, "{label}");
        }
        let walking = NormalLabels { labels: vec!["walking".into(), "running".into()] };
        assert!(walking.is_normal("walking") && !walking.is_normal("0"));
        let labels = ["walking".to_string(), "standing".into()];
        assert_eq!(walking.split("data.csv", "activity", &labels).unwrap(), [true, false]);
        let normal = labels[..1].to_vec();
        assert_eq!(walking.normal("data.csv", "activity", &normal).unwrap(), [true]);
        assert!(walking.split("data.csv", "activity", &normal).is_err(), "both kinds");
        let one = NormalLabels { labels: vec!["1".into()] };
        assert!(one.is_normal("1.0") && !one.is_normal("-1"), "equal as numbers");
        let error = usual.split("data.csv", "activity", &labels).unwrap_err().to_string();
        assert!(
            error.contains("no row is normal") && error.contains("standing, walking"),
            "{error}"
        );
    }
}
