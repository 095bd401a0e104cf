//! How much two texts agree: every four words in a row of one, looked for in the other.

use std::collections::HashMap;

/// What is shared, too much and missing, as parts of one page; together they are 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    pub shared: f64,
    pub extra: f64,
    pub missing: f64,
}

const LENGTH: usize = 4;

pub fn compare(truth: &str, found: &str) -> Match {
    let (truth, mut found) = (shingles(truth), shingles(found));
    let (mut shared, mut missing) = (0, 0);
    for (shingle, count) in &truth {
        let there = found.remove(shingle).unwrap_or(0);
        shared += count.min(&there);
        missing += count.saturating_sub(there);
        if there > *count {
            found.insert(shingle.clone(), there - count);
        }
    }
    let extra: usize = found.values().sum();
    let all = (shared + extra + missing) as f64;
    let part = |count: usize| count as f64 / all;
    Match { shared: part(shared), extra: part(extra), missing: part(missing) }
}

impl Match {
    pub fn precision(&self) -> f64 {
        ratio(self.shared, self.extra)
    }

    pub fn recall(&self) -> f64 {
        ratio(self.shared, self.missing)
    }
}

fn ratio(part: f64, rest: f64) -> f64 {
    if part + rest == 0.0 { 0.0 } else { part / (part + rest) }
}

pub fn harmonic(one: f64, other: f64) -> f64 {
    if one + other == 0.0 { 0.0 } else { 2.0 * one * other / (one + other) }
}

/// F1 of mean precision and mean recall; pages of which one is not defined do not count for it.
pub fn mean_f1(pages: &[Match]) -> f64 {
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let found = pages.iter().filter(|page| page.shared + page.extra > 0.0);
    let wanted = pages.iter().filter(|page| page.shared + page.missing > 0.0);
    harmonic(mean(found.map(Match::precision).collect()), mean(wanted.map(Match::recall).collect()))
}

pub fn words(text: &str) -> Vec<&str> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !in_word(c)).filter(|word| !word.is_empty()).collect()
}

/// A text shorter than a shingle is one of its own, also an empty one.
fn shingles(text: &str) -> HashMap<Vec<&str>, usize> {
    let words = words(text);
    let mut counts = HashMap::new();
    for at in 0..(words.len() + 1).saturating_sub(LENGTH).max(1) {
        let end = (at + LENGTH).min(words.len());
        *counts.entry(words[at..end].to_vec()).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(truth: &str, found: &str, precision: f64, recall: f64) {
        let result = compare(truth, found);
        assert_eq!((result.precision(), result.recall()), (precision, recall), "{truth} / {found}");
    }

    #[test]
    fn every_four_words_in_a_row_count() {
        check("a b c d e", "a b c d e", 1.0, 1.0);
        check("a b c d e", "a b c d", 1.0, 0.5);
        check("a b c d", "x a b c d", 0.5, 1.0);
        check("a, b. c-d", "a b c d", 1.0, 1.0);
    }

    #[test]
    fn what_stands_there_twice_counts_twice() {
        check("a b c d a b c d", "a b c d", 1.0, 0.2);
        check("a b c d", "a b c d a b c d", 0.2, 1.0);
    }

    #[test]
    fn short_and_empty_texts_count_as_one() {
        check("", "", 1.0, 1.0);
        check("a b", "a b", 1.0, 1.0);
        check("a b", "", 0.0, 0.0);
    }
}
