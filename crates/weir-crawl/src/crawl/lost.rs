//! Machines that never come back.

use super::{Crawl, CrawlError};

impl Crawl {
    /// What was kept by those who are written off waits again, in one frame with the word that they are: a kill
    /// leaves both or neither.
    pub(super) fn write_off(&mut self) -> Result<(), CrawlError> {
        let lost = self.hands.lost();
        self.dispatch.lost = lost.all;
        if lost.anew.is_empty() {
            return Ok(());
        }
        let asked = self.dispatch.ask_again_for(&lost.anew.keys().copied().collect())?;
        self.run.lost_pages += asked.pages;
        self.note_run();
        self.commit_turn()?;
        let names: Vec<String> = lost.anew.into_values().collect();
        let what = format!(
            "written off: downloader {}; {} URLs whose pages are lost are fetched again",
            names.join(", "),
            asked.urls
        );
        self.dispatch.trouble(what);
        Ok(())
    }
}
