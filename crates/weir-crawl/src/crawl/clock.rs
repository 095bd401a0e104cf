use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use crate::plan::text_of;

/// The time of day as the crawl began, carried on by a clock that nobody can set: a jump of the
/// system's clock must neither end all rests nor make them last for ever.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    pub(super) begun: Instant,
    begun_ms: u64,
}

impl Clock {
    pub(super) fn start() -> Clock {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let begun_ms = since.map_or(0, |since| since.as_millis() as u64);
        Clock { begun: Instant::now(), begun_ms }
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.begun_ms + self.begun.elapsed().as_millis() as u64
    }
}

/// Processor time of this thread.
pub(super) fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

pub(super) fn now_text() -> String {
    text_of(Timestamp::now())
}
