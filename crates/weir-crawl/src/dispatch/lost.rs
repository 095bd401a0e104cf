//! Pages whose payload is lost with the machine that kept them.

use std::collections::BTreeSet;

use weir_frontier::{FrontierError, HostId, Leased};
use weir_types::{NOT_MODIFIED, Outcome};

use super::Dispatch;
use crate::lost::UrlNote;
use crate::work::PageWorked;

/// What waits again because it was lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AskedAgain {
    pub urls: u64,
    /// Those of them that were counted as pages.
    pub pages: u64,
}

impl Dispatch {
    /// All that `lost` have kept waits once more. Reads the notes of all URLs.
    pub fn ask_again_for(&mut self, lost: &BTreeSet<u32>) -> Result<AskedAgain, FrontierError> {
        let before = self.frontier.past().pages;
        let (mut urls, mut hosts) = (0, BTreeSet::new());
        for resting in self.frontier.resting(|_| true)? {
            let note = self.frontier.note_of(&resting)?.unwrap_or_default();
            if UrlNote::from_bytes(&note).is_lost(lost) && self.frontier.ask_again(&resting)? {
                urls += 1;
                hosts.insert(resting.host());
            }
        }
        hosts.into_iter().for_each(|host: HostId| self.begin_anew(host));
        let pages = self.frontier.past().pages - before;
        self.tally.pages = self.tally.pages.saturating_sub(pages);
        Ok(AskedAgain { urls, pages })
    }

    /// A page that is lost must come whole, whatever the server knows of our last visit.
    pub(super) fn forget_lost(&self, leased: &mut Leased) {
        let Some(note) = leased.note.as_deref().filter(|_| !self.lost.is_empty()) else { return };
        let note = UrlNote::from_bytes(note);
        if note.is_lost(&self.lost) {
            let UrlNote { visit, kept_by } = note.without_conditions();
            leased.note = UrlNote::write(visit.as_ref(), &kept_by);
        }
    }

    /// The answer to a question of an earlier run, before the page was known to be lost: that it has not changed
    /// brings nothing back.
    pub(super) fn is_in_vain(&self, worked: &PageWorked) -> Result<bool, FrontierError> {
        if !worked.is_late || self.lost.is_empty() || !is_unchanged(worked) {
            return Ok(false);
        }
        Ok(self.earlier_note(&worked.leased)?.is_lost(&self.lost))
    }

    /// Who has the page: whoever brought it, and if that was only the word that nothing has changed, those who
    /// had it before as well.
    pub(super) fn kept_by(&self, worked: &PageWorked) -> Result<Vec<u32>, FrontierError> {
        let mut all = match is_unchanged(worked) {
            true => self.earlier_note(&worked.leased)?.kept_by,
            false => Vec::new(),
        };
        all.retain(|number| !self.lost.contains(number));
        if let Some(from) = worked.from.filter(|from| !all.contains(&from.member)) {
            all.push(from.member);
        }
        Ok(all)
    }

    /// What came too late has no note with it.
    fn earlier_note(&self, leased: &Leased) -> Result<UrlNote, FrontierError> {
        let note = match &leased.note {
            Some(note) => Some(note.clone()),
            None => self.frontier.url_note(leased)?,
        };
        Ok(UrlNote::from_bytes(&note.unwrap_or_default()))
    }
}

fn is_unchanged(worked: &PageWorked) -> bool {
    matches!(worked.outcome, Outcome::Kept { status: NOT_MODIFIED, .. })
}
