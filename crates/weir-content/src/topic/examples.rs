//! Terms from texts that are about a topic.

use std::collections::{HashMap, HashSet};

use super::common;
use super::saturated;
use super::term::{Last, Term};
use super::words::{Words, stands_alone};

/// So many are taken; what comes after them is chance.
const MOST: usize = 50;
/// Shorter words say little.
const SHORTEST: usize = 3;

/// A word, or two characters of a script without spaces: the hashes of both.
type Key = (Option<u64>, u64);

/// The words that examples have in common and a background lacks, the best one of weight 1.
///
/// The weight of a word is the mean of its saturated count over all examples, times its
/// idf = ln(1 + (n + 1) / (d + 1/2)), where d of the n texts of the background have it. Without a
/// background idf is the same for all words, and the commonest of some languages are left out.
pub(super) fn terms(examples: &[Words], background: &[Words]) -> Vec<Term> {
    let mut weights = HashMap::<Key, f32>::new();
    for example in examples {
        for (key, count) in counts(example) {
            *weights.entry(key).or_default() += saturated(count, example.len());
        }
    }
    let texts_with = texts_with(background);
    for (key, weight) in &mut weights {
        let with = texts_with.get(key).copied().unwrap_or(0.0);
        *weight *= (1.0 + (background.len() as f32 + 1.0) / (with + 0.5)).ln();
    }
    best(weights.into_iter().collect())
}

fn best(mut weights: Vec<(Key, f32)>) -> Vec<Term> {
    // The key decides between equals, so that a topic is the same in every run.
    weights.sort_unstable_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
    weights.truncate(MOST);
    let top = weights.first().map_or(1.0, |(_, weight)| *weight);
    let term = |((before, last), weight): (Key, f32)| Term {
        before: before.into_iter().collect(),
        last: Last::Word(last),
        weight: weight / top,
    };
    weights.into_iter().map(term).collect()
}

fn counts(words: &Words) -> HashMap<Key, f32> {
    let mut counts = HashMap::new();
    for key in (0..words.len()).filter_map(|at| key(words, at)) {
        *counts.entry(key).or_default() += 1.0;
    }
    counts
}

fn texts_with(background: &[Words]) -> HashMap<Key, f32> {
    let mut texts = HashMap::new();
    for words in background {
        let keys: HashSet<Key> = (0..words.len()).filter_map(|at| key(words, at)).collect();
        for key in keys {
            *texts.entry(key).or_default() += 1.0;
        }
    }
    texts
}

/// What may become a term at this place.
fn key(words: &Words, at: usize) -> Option<Key> {
    let word = words.word(at);
    if is_alone(word) {
        let before = at.checked_sub(1).filter(|before| is_alone(words.word(*before)))?;
        return Some((Some(words.hash(before)), words.hash(at)));
    }
    let says_little = word.chars().take(SHORTEST).count() < SHORTEST
        || word.bytes().all(|byte| byte.is_ascii_digit())
        || common::is_common(word);
    (!says_little).then(|| (None, words.hash(at)))
}

fn is_alone(word: &str) -> bool {
    word.chars().next().is_some_and(stands_alone)
}
