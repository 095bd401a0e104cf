use std::ops::Range;

use thiserror::Error;

use crate::place::Place;

/// Why a rule was refused: what is wrong, where, and what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{what}\n{place}\n{remedy}")]
pub struct RuleError {
    what: String,
    place: Place,
    remedy: String,
}

/// The same before the text is at hand.
#[derive(Debug)]
pub(super) struct Wrong {
    at: Range<usize>,
    what: String,
    remedy: String,
}

impl Wrong {
    pub fn new(at: Range<usize>, what: impl Into<String>, remedy: impl Into<String>) -> Wrong {
        Wrong { at, what: what.into(), remedy: remedy.into() }
    }

    pub fn shown_in(self, text: &str) -> RuleError {
        RuleError { what: self.what, place: Place::new(text, self.at), remedy: self.remedy }
    }
}
