//! The rules of deny.toml, as far as `cargo xtask supply` knows them.

use anyhow::{Context, Result};

/// What is allowed and what is not.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Policy {
    licences: Vec<String>,
    /// Packages with a licence that only they may have.
    exceptions: Vec<(String, String)>,
    pub(crate) banned: Vec<String>,
    pub(crate) registries: Vec<String>,
}

impl Policy {
    /// Reads the lists of strings that deny.toml consists of.
    pub(crate) fn read(text: &str) -> Result<Self> {
        let text: Vec<&str> = text.lines().filter(|line| !line.trim().starts_with('#')).collect();
        let text = text.join("\n");
        let required = |key: &str| list(&text, key).with_context(|| format!("no list {key}"));
        let tables = list(&text, "exceptions").unwrap_or_default();
        let exceptions = tables.split('}').filter_map(|table| match strings(table).as_slice() {
            [name, licence] => Some((name.clone(), licence.clone())),
            _ => None,
        });
        Ok(Self {
            licences: strings(required("allow")?),
            exceptions: exceptions.collect(),
            banned: strings(list(&text, "deny").unwrap_or_default()),
            registries: strings(required("allow-registry")?),
        })
    }

    pub(crate) fn allows(&self, package: &str, licence: &str) -> bool {
        self.licences.iter().any(|allowed| allowed == licence)
            || self.exceptions.iter().any(|(name, own)| name == package && own == licence)
    }
}

/// What is between the brackets of `key = […]`, at the beginning of a line.
fn list<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let begin = format!("{key} = [");
    let line = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    let (start, line) = line.into_iter().find(|(_, line)| line.trim_start().starts_with(&begin))?;
    let inside = &text[start + line.find('[')? + 1..];
    let mut depth = 1;
    let end = inside.find(|c| {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some(&inside[..end])
}

/// All strings in a text.
fn strings(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let policy = Policy::read(
            r#"
            # allow = ["not this"]
            allow = ["A",
                # a remark
                "B"]
            exceptions = [
                { name = "x", allow = ["C"] },
                { name = "y", allow = ["D"] },
            ]
            deny = [{ name = "bad" }, { name = "worse" }]
            allow-registry = ["https://r"]
            "#,
        )
        .unwrap();
        assert!(policy.allows("x", "A") && policy.allows("x", "B") && policy.allows("x", "C"));
        assert!(policy.allows("y", "D") && !policy.allows("x", "D") && !policy.allows("z", "C"));
        assert_eq!(policy.banned, ["bad", "worse"]);
        assert_eq!(policy.registries, ["https://r"]);
        assert!(Policy::read("allow = [").is_err() && Policy::read("").is_err());
    }
}
