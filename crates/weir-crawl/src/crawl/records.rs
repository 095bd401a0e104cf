//! How many pages the user's rule has kept and dropped, over all runs.

use serde::{Deserialize, Serialize};
use weir_frontier::Frontier;
use weir_types::{NOT_MODIFIED, Outcome};

use super::noting::noted;
use crate::Config;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Records {
    /// There is a rule, or was one in an earlier run.
    #[serde(skip)]
    counts: bool,
    pub kept: u64,
    pub dropped: u64,
}

/// A note in the frontier: it is in the same frame as the pages that it counts.
const NOTE: &str = "records";

impl Records {
    pub fn read(config: &Config, frontier: &Frontier) -> Records {
        let note: Option<Records> = noted(frontier, NOTE);
        let counts = note.is_some() || config.content.has_rules();
        Records { counts, ..note.unwrap_or_default() }
    }

    /// A page that is as it was is not counted again.
    pub fn count(&mut self, rule: Option<bool>, outcome: &Outcome) {
        if matches!(outcome, Outcome::Kept { status: NOT_MODIFIED, .. }) {
            return;
        }
        match rule {
            Some(true) => self.kept += 1,
            Some(false) => self.dropped += 1,
            None => {}
        }
    }

    pub fn note(&self, frontier: &mut Frontier) {
        if self.counts {
            let bytes = serde_json::to_vec(self).expect("numbers always serialize");
            frontier.set_note(NOTE, &bytes);
        }
    }

    /// `None` where nobody asked for any to be dropped.
    pub fn reported(self) -> Option<Records> {
        self.counts.then_some(self)
    }
}
