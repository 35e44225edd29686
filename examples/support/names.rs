//! The vocabulary of a lecture on kernel PCA, family names first (C. Bauckhage, Principles of
//! Machine Learning, lecture 13, slide 79).
#![allow(dead_code, reason = "every program uses a part of it")]

/// Names to learn from.
pub(crate) const VOCABULARY: [&str; 35] = [
    "bouvier patty",
    "bouvier selma",
    "brockman kent",
    "burns charles montgomery",
    "carlson carl",
    "chalmers gary",
    "flanders ned",
    "flanders rod",
    "flanders todd",
    "frink prof. john",
    "gumbel barney",
    "hibbert dr. julius",
    "krabappel edna",
    "leonard lenny",
    "lovejoy helen",
    "lovejoy timothy",
    "mann otto",
    "moleman hans",
    "muntz nelson",
    "nahasapeemapetilon apu",
    "prince martin",
    "riviera dr. nick",
    "simpson bart",
    "simpson homer",
    "simpson lisa",
    "simpson maggie",
    "simpson marge",
    "skinner agnes",
    "skinner seymour",
    "smithers waylon",
    "syslack moe",
    "van houten luann",
    "van houten milhouse",
    "wiggum clancy",
    "wiggum ralph",
];

/// Names that are not in the vocabulary, though their families are.
pub(crate) const NEW: [&str; 3] = ["flanders maude", "simpson abe", "van houten kirk"];

/// All of a name but its last word.
pub(crate) fn family(name: &str) -> &str {
    name.rsplit_once(' ').map_or(name, |(family, _)| family)
}

/// The place of the projection nearest to `target`, over its first `components` entries; the first
/// of equals.
pub(crate) fn nearest<'a>(
    target: &[f32],
    others: impl Iterator<Item = &'a [f32]>,
    components: usize,
) -> Option<usize> {
    let distance = |other: &[f32]| {
        let pairs = target.iter().zip(other).take(components);
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f32>()
    };
    let distances = others.map(distance).enumerate();
    distances.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(place, _)| place)
}
