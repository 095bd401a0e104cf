//! How much a text is about a topic, from 0 to 1.
//!
//! A topic is a list of terms with weights: words, phrases, or beginnings of words (`contamina*`).
//! They are given, or taken from example texts (`examples.rs` says how). Words are compared in lower
//! case and as they are, without stemming. The score is made in three steps, each of which is one of
//! BM25's ideas:
//!
//! ```text
//! k      = 1.2 · (0.25 + 0.75 · max(words, 50) / 500)     a long text mentions more by chance
//! s(t)   = count(t) / (count(t) + k)                      the tenth mention says less than the first
//! raw    = Σ weight(t) · s(t)                             several terms say more than one
//! score  = raw² / (raw² + half²)                          0 to 1, and ½ where raw is `half`
//! ```
//!
//! An occurrence in the title counts as three. `half` is the mean weight of the terms, so that a
//! score of ½ means one usual term all over the text, or two or three terms here and there; one that
//! is mentioned in passing gives less than 0.2. Of a topic with examples, `half` is half of the mean
//! `raw` of the examples, so that these score about 0.8 and a text with half as much of their words
//! scores ½. Multiplying all weights by the same number changes nothing.
//!
//! `link.rs` has the score of a link that was not fetched yet. Read `words` next, then `finder`.

mod common;
mod examples;
mod finder;
mod link;
mod term;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use finder::Finder;
use term::Term;

pub use words::Words;

/// A topic as users write it: `[topic.NAME]` in `weir.toml`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TopicSettings {
    #[serde(default)]
    pub terms: Terms,
    /// Texts that are about it, or files with such texts. Whoever reads the settings reads the files.
    #[serde(default)]
    pub examples: Vec<String>,
    /// The same about anything, which tell the words of the examples from usual ones.
    #[serde(default)]
    pub background: Vec<String>,
}

/// `["food safety", "recall^2", "contamina*"]` (counts twice; any word that begins so), or the same
/// as a table of weights: `{ "food safety" = 1, recall = 2, "contamina*" = 1 }`.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(untagged)]
pub enum Terms {
    List(Vec<String>),
    Weights(BTreeMap<String, f64>),
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::List(Vec::new())
    }
}

impl Terms {
    /// As [`Topic::new`] takes them.
    pub fn written(&self) -> Vec<String> {
        match self {
            Terms::List(terms) => terms.clone(),
            Terms::Weights(weights) => {
                weights.iter().map(|(term, weight)| format!("{term}^{weight}")).collect()
            }
        }
    }
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TopicError {
    #[error("topic `{topic}` says nothing: give it terms = [\"…\"] or examples = [\"file.txt\"]")]
    Empty { topic: String },
    #[error("topic `{topic}`, term {term:?}: {why}")]
    Term { topic: String, term: String, why: &'static str },
    #[error("topic `{topic}` has more than {most} terms: keep the best")]
    TooMany { topic: String, most: usize },
    #[error(
        "topic `{topic}`: no words worth taking in its examples: give it longer ones, or terms"
    )]
    Examples { topic: String },
}

/// Terms that can be looked for, and what they count.
#[derive(Clone, Debug)]
pub struct Topic {
    name: String,
    finder: Finder,
    weights: Vec<f32>,
    mean_weight: f32,
    half: f32,
}

const MOST_TERMS: usize = 10_000;
/// BM25's k1 and b, with their usual values.
const K: f32 = 1.2;
const B: f32 = 0.75;
/// How many words a text usually has.
const USUAL_WORDS: f32 = 500.0;
/// One that has fewer is not much more about the little it says.
const FEW_WORDS: f32 = 50.0;

impl Topic {
    /// `examples` and `background` are texts, not names of files.
    pub fn new(
        name: &str,
        terms: &[String],
        examples: &[String],
        background: &[String],
    ) -> Result<Topic, TopicError> {
        let topic = || name.to_owned();
        if terms.is_empty() && examples.is_empty() {
            return Err(TopicError::Empty { topic: topic() });
        }
        if terms.len() > MOST_TERMS {
            return Err(TopicError::TooMany { topic: topic(), most: MOST_TERMS });
        }
        let parse = |term: &String| {
            let wrong = |why| TopicError::Term { topic: topic(), term: term.clone(), why };
            Term::parse(term).map_err(wrong)
        };
        let mut all = terms.iter().map(parse).collect::<Result<Vec<Term>, _>>()?;
        let examples = words_of(examples);
        let taken = examples::terms(&examples, &words_of(background));
        if taken.is_empty() && !examples.is_empty() {
            return Err(TopicError::Examples { topic: topic() });
        }
        all.extend(taken);
        Ok(Topic::of(name, &all, &examples))
    }

    fn of(name: &str, terms: &[Term], examples: &[Words]) -> Topic {
        let weights: Vec<f32> = terms.iter().map(|term| term.weight).collect();
        let mean_weight = mean(weights.iter().copied());
        let finder = Finder::new(terms);
        let mut topic =
            Topic { name: name.to_owned(), finder, weights, mean_weight, half: mean_weight };
        if !examples.is_empty() {
            topic.half = mean(examples.iter().map(|example| topic.raw(example))) / 2.0;
        }
        topic
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// In 0..1.
    pub fn score(&self, words: &Words) -> f32 {
        curve(self.raw(words), self.half)
    }

    fn raw(&self, words: &Words) -> f32 {
        let counts = self.finder.counts(words);
        let part = |(count, weight): (&f32, &f32)| weight * saturated(*count, words.len());
        counts.iter().zip(&self.weights).map(part).sum()
    }
}

fn words_of(texts: &[String]) -> Vec<Words> {
    texts.iter().map(|text| Words::of("", text)).collect()
}

/// 0 to 1: what so many mentions in a text of so many words are worth.
fn saturated(count: f32, words: usize) -> f32 {
    let length = (words as f32).max(FEW_WORDS) / USUAL_WORDS;
    count / (count + K * (1.0 - B + B * length))
}

/// 0 to 1, and ½ at `half`, which is above zero.
fn curve(raw: f32, half: f32) -> f32 {
    // Not of the numbers themselves: the squares of small weights are nothing at all.
    let square = (raw / half).powi(2);
    square / (square + 1.0)
}

fn mean(values: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = values.len().max(1) as f32;
    values.sum::<f32>() / count
}
