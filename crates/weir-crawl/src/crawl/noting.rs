//! What the next run has to know, as notes in the frontier.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use weir_frontier::Frontier;

use super::Crawl;
use crate::allowance::Measured;
use crate::dispatch::FRESHNESS;

pub(super) const RUN: &str = "run";
pub(super) const PROMISES: &str = "promises";
pub(super) const ROUNDS: &str = "rounds";

/// What is remembered of earlier runs in the same folder, under [`RUN`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) started: String,
    pub(super) elapsed_s: f64,
    pub(super) fetches: u64,
    pub(super) other_bytes: u64,
    #[serde(default)]
    pub(super) measured: Measured,
    #[serde(default)]
    pub(super) planning_s: f64,
    /// Pages that were kept by who never came back. They count when they were fetched again.
    #[serde(default)]
    pub(super) lost_pages: u64,
}

/// What stands under `name`. A note of another version that cannot be read is as none: the log is checked
/// byte for byte when it is opened, so it is not damage.
pub(super) fn noted<T: DeserializeOwned>(frontier: &Frontier, name: &str) -> Option<T> {
    serde_json::from_slice(frontier.note(name)?).ok()
}

impl Crawl {
    pub(super) fn note_run(&mut self) {
        let tally = self.dispatch.tally;
        let run = Run {
            started: self.run.started.clone(),
            elapsed_s: self.elapsed().as_secs_f64(),
            fetches: tally.fetches,
            other_bytes: tally.other_bytes,
            measured: self.allowance.measured(),
            planning_s: self.planning_s(),
            lost_pages: self.run.lost_pages,
        };
        let bytes = serde_json::to_vec(&run).expect("plain numbers and texts always serialize");
        self.dispatch.frontier.set_note(RUN, &bytes);
        self.note_freshness();
        self.note_rounds();
        let promises = self.dispatch.tasks.promises();
        if promises.len() != self.promised {
            self.promised = promises.len();
            self.note_promises();
        }
    }

    pub(super) fn note_freshness(&mut self) {
        if self.dispatch.freshness.whole().is_some() {
            let note = self.dispatch.freshness.to_note();
            self.dispatch.frontier.set_note(FRESHNESS, &note);
        }
    }

    pub(super) fn note_promises(&mut self) {
        const WHY: &str = "texts and times always serialize";
        let promises = serde_json::to_vec(self.dispatch.tasks.promises()).expect(WHY);
        self.note_freshness();
        self.dispatch.frontier.set_note(PROMISES, &promises);
        self.note_rounds();
    }

    /// A site without a deadline has rounds too; what is noted already is not noted again.
    pub(super) fn note_rounds(&mut self) {
        let rounds = self.dispatch.tasks.rounds();
        let rounds = serde_json::to_vec(rounds).expect("texts and times always serialize");
        self.dispatch.frontier.set_note(ROUNDS, &rounds);
    }
}
