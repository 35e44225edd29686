//! SPDX licence expressions: `MIT OR (Apache-2.0 AND ISC)`, and the older `MIT/Apache-2.0`.

/// Is an expression met by the licences that are allowed?
///
/// A licence `WITH` an exception is met by the licence alone, which grants less. What cannot be
/// read is not met.
pub(crate) fn is_met(expression: &str, allowed: impl Fn(&str) -> bool) -> bool {
    let words = words(expression);
    let mut words = words.iter().map(String::as_str).peekable();
    any(&mut words, &allowed) == Some(true) && words.next().is_none()
}

/// In the form of today.
pub(crate) fn normalised(expression: &str) -> String {
    words(expression).join(" ").replace("( ", "(").replace(" )", ")")
}

fn words(expression: &str) -> Vec<String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(String::from).collect()
}

type Words<'a, I> = std::iter::Peekable<I>;

/// `A OR B OR …`; nothing where it is no expression.
fn any<'a, I: Iterator<Item = &'a str>>(
    words: &mut Words<'a, I>,
    allowed: &impl Fn(&str) -> bool,
) -> Option<bool> {
    let mut met = all(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, allowed)?;
    }
    Some(met)
}

/// `A AND B AND …`.
fn all<'a, I: Iterator<Item = &'a str>>(
    words: &mut Words<'a, I>,
    allowed: &impl Fn(&str) -> bool,
) -> Option<bool> {
    let mut met = one(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed)?;
    }
    Some(met)
}

/// A licence or an expression in parentheses.
fn one<'a, I: Iterator<Item = &'a str>>(
    words: &mut Words<'a, I>,
    allowed: &impl Fn(&str) -> bool,
) -> Option<bool> {
    match words.next()? {
        "(" => {
            let met = any(words, allowed);
            words.next_if_eq(&")").and(met)
        }
        ")" | "OR" | "AND" | "WITH" => None,
        licence => {
            if words.next_if_eq(&"WITH").is_some() {
                words.next()?;
            }
            Some(allowed(licence))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_spdx_has_them() {
        let met = |expression| is_met(expression, |licence| ["A", "B"].contains(&licence));
        for yes in ["A", "A OR X", "X OR B", "A AND B", "(A OR X) AND B", "X/A", "A WITH e OR X"] {
            assert!(met(yes), "{yes}");
        }
        for no in ["X", "A AND X", "X OR (A AND X)", "", "A B", "A OR", "(A", "A)", "WITH A", "( )"]
        {
            assert!(!met(no), "{no}");
        }
        // AND binds closer.
        assert!(met("A OR B AND X") && met("X AND X OR A") && !met("X AND A OR X"));
        assert_eq!(normalised("MIT/Apache-2.0"), "MIT OR Apache-2.0");
        assert_eq!(normalised("(A OR  B) AND C"), "(A OR B) AND C");
    }
}
