//! Lists of names on a command line.

/// The names of some lists with commas between them. A list that is a known name itself is that
/// name; in others, a name with a comma stands in double quotes, as in CSV.
pub(crate) fn names(lists: &[String], is_known: impl Fn(&str) -> bool) -> Vec<String> {
    let of = |list: &String| match is_known(list.trim()) {
        true => vec![list.trim().to_string()],
        false => split(list),
    };
    lists.iter().flat_map(of).collect()
}

/// The names as one list.
pub(crate) fn join<S: AsRef<str>>(names: &[S]) -> String {
    let quoted = |name: &S| match name.as_ref().contains([',', '"']) {
        true => format!("\"{}\"", name.as_ref().replace('"', "\"\"")),
        false => name.as_ref().to_string(),
    };
    names.iter().map(quoted).collect::<Vec<_>>().join(",")
}

fn split(list: &str) -> Vec<String> {
    let (mut names, mut name, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = list.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                name.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if name.trim().is_empty() => is_quoted = true,
            ',' if !is_quoted => names.push(std::mem::take(&mut name)),
            c => name.push(c),
        }
    }
    names.push(name);
    names.iter().map(|name| name.trim().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_can_be_told() {
        let list = |text: &str| names(&[text.to_string()], |name| name == "p, in");
        assert_eq!(list("a, b,c"), ["a", "b", "c"]);
        assert_eq!(list("p, in"), ["p, in"], "a name as a whole");
        assert_eq!(
            list("a,\"p, in\" ,\"say \"\"hi\"\"\",5\" pipe"),
            ["a", "p, in", "say \"hi\"", "5\" pipe"]
        );
        for all in [["a", "b"], ["p, in", "q"], ["x\"y", "\"z"], ["α,β", ""]] {
            assert_eq!(names(&[join(&all)], |_| false), all, "what is joined can be split");
        }
        assert_eq!(names(&["a".into(), "b,c".into()], |_| false), ["a", "b", "c"]);
    }
}
