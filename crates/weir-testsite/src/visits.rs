//! The diary of a host: every request with its times, for tests of pace.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One request. Times count from the start of the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Path and query.
    pub path: String,
    /// The `host` header.
    pub host: String,
    /// The `user-agent` header.
    pub agent: String,
    /// The address that asked.
    pub from: IpAddr,
    /// Numbered from 0 in the order they were accepted.
    pub connection: u32,
    /// When the head of the request was there.
    pub at: Duration,
    /// Just before the last bytes of the answer went out, or the connection was ended; `None`
    /// while neither has happened.
    pub ended: Option<Duration>,
}

pub(crate) struct Visits {
    start: Instant,
    all: Mutex<Diary>,
}

#[derive(Default)]
struct Diary {
    visits: Vec<Visit>,
    by_path: HashMap<String, u32>,
}

/// What came before a request.
pub(crate) struct Earlier {
    pub(crate) visit: usize,
    pub(crate) same_path: u32,
}

impl Visits {
    pub(crate) fn new(start: Instant) -> Visits {
        Visits { start, all: Mutex::default() }
    }

    pub(crate) fn begin(
        &self,
        path: &str,
        host: &str,
        agent: &str,
        from: IpAddr,
        connection: u32,
    ) -> Earlier {
        let at = self.start.elapsed();
        let mut diary = self.diary();
        let times = diary.by_path.entry(path.to_owned()).or_default();
        let same_path = *times;
        *times += 1;
        let (path, host, agent) = (path.to_owned(), host.to_owned(), agent.to_owned());
        diary.visits.push(Visit { path, host, agent, from, connection, at, ended: None });
        Earlier { visit: diary.visits.len() - 1, same_path }
    }

    pub(crate) fn end(&self, visit: usize) {
        let now = self.start.elapsed();
        // A reset in between leaves nothing to note.
        if let Some(visit) = self.diary().visits.get_mut(visit) {
            visit.ended = Some(now);
        }
    }

    pub(crate) fn all(&self) -> Vec<Visit> {
        self.diary().visits.clone()
    }

    pub(crate) fn clear(&self) {
        *self.diary() = Diary::default();
    }

    fn diary(&self) -> MutexGuard<'_, Diary> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
