//! How much a link promises, for a crawl that follows the best links first.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::words::Words;
use super::{Topic, curve};

/// What a page passes on to a link that says nothing.
const INHERITED: f32 = 0.5;
/// The words of a URL say less than those of an anchor.
const OF_URL: f32 = 0.5;
/// More of an anchor or a URL is not looked at.
const MAX_BYTES: usize = 2_000;

impl Topic {
    /// The score of a link, in 0..1, from its anchor text, the words in its URL and the score of the
    /// page it stands on:
    ///
    /// ```text
    /// w(x)  = Σ weight of each term that occurs in x, counted once
    /// s(x)  = w(x)² / (w(x)² + mean weight²)
    /// own   = 1 − (1 − s(anchor)) · (1 − ½ · s(url))
    /// score = own + (1 − own) · ½ · parent
    /// ```
    ///
    /// A link that says nothing has half the score of its page, and one behind it a quarter, as in
    /// shark search (Hersovici and others, 1998), so that a crawl may cross a page or two that are
    /// about something else.
    pub fn link_score(&self, anchor: &str, url: &str, parent_score: f32) -> f32 {
        let anchor = self.strength(&Words::of("", first(anchor)));
        let url = self.strength(&Words::of("", &decoded(first(url))));
        let own = 1.0 - (1.0 - anchor) * (1.0 - OF_URL * url);
        let parent = if parent_score.is_nan() { 0.0 } else { parent_score.clamp(0.0, 1.0) };
        own + (1.0 - own) * INHERITED * parent
    }

    fn strength(&self, words: &Words) -> f32 {
        let counts = self.finder.counts(words);
        let found = counts.iter().zip(&self.weights).filter(|(count, _)| **count > 0.0);
        curve(found.map(|(_, weight)| weight).sum(), self.mean_weight)
    }
}

fn first(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_BYTES)]
}

/// The words of a URL may stand in it as `%C3%A4`.
fn decoded(url: &str) -> Cow<'_, str> {
    match url.contains('%') {
        true => percent_decode_str(url).decode_utf8_lossy(),
        false => Cow::Borrowed(url),
    }
}
