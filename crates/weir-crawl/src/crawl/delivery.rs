//! Sinks follow the crawl: they are told what is committed for good, which is found here, and waited for at the end.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::sleep;
use weir_frontier::Frontier;
use weir_store::{Feeder, Mark};

use super::{Crawl, CrawlError, Stop, TICK};
use crate::progress::Progress;

/// The note that has the name by which sinks know this crawl.
const CRAWL: &str = "crawl";
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Marks on their way to being safe: one for each of the last syncs, the oldest first.
#[derive(Default)]
pub(super) struct Marks(VecDeque<Mark>);

/// After a loss of power the log counts as far as a frame in it says that all before was synced. The
/// frame that says so of one sync is made after it, and is itself safe only after the sync after next.
const SYNCS: usize = 3;

impl Marks {
    /// A sync of everything up to `mark` begins.
    pub fn syncing(&mut self, mark: Option<Mark>) {
        self.0.extend(mark);
    }

    /// The last sync that was begun has ended well: everything up to this one is safe.
    pub fn synced(&mut self) -> Option<Mark> {
        let safe = (self.0.len() + 1).checked_sub(SYNCS)?;
        self.0.drain(..safe).next_back()
    }
}

/// Made up once, when the crawl begins: two crawls may go to the same table.
pub(super) fn feeder(frontier: &mut Frontier) -> Feeder {
    if let Some(name) = frontier.note(CRAWL) {
        return Feeder::whole(String::from_utf8_lossy(name));
    }
    let name = format!("{:032x}", fastrand::u128(..));
    frontier.set_note(CRAWL, name.as_bytes());
    Feeder::whole(name)
}

impl Crawl {
    pub(super) fn tell_sink_troubles(&mut self) {
        for trouble in self.delivery.troubles() {
            self.dispatch.trouble(trouble);
        }
    }

    /// Everything is committed: waits until sinks have it, or it is not worth it, or nobody wants to.
    pub(super) async fn deliver_rest(
        &mut self,
        mark: &Mark,
        stop: &watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), CrawlError> {
        self.delivery.closed(mark)?;
        let mut shown = Instant::now();
        while self.delivery.is_awaited() && *stop.borrow() != Stop::Now {
            if shown.elapsed() >= TICK {
                shown = Instant::now();
                self.tell_sink_troubles();
                watch(&self.progress(true));
            }
            sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use weir_store::{Store, StoreConfig};

    use super::*;

    #[test]
    fn a_mark_is_safe_two_syncs_after_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(StoreConfig::new(folder.path()), None).unwrap();
        let mark = store.flush().unwrap();
        let mut marks = Marks::default();
        for _ in 0..2 {
            marks.syncing(Some(mark));
            assert!(marks.synced().is_none());
        }
        marks.syncing(Some(mark));
        assert_eq!(marks.synced(), Some(mark));
        assert!(marks.synced().is_none());
    }
}
