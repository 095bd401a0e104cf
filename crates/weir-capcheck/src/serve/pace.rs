use std::cell::Cell;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// What fits into one packet: a slow server sends one after the other.
const PACKET: usize = 1448;

/// The speed of a site, over all its connections. What a client did not take in time is gone: the
/// server is never faster to make up for it.
pub struct Pace {
    speed: Option<u64>,
    next: Cell<Instant>,
}

impl Pace {
    pub fn new(speed: Option<u64>) -> Pace {
        Pace { speed, next: Cell::new(Instant::now()) }
    }

    /// Waits until something may be sent, and says how much of `wanted` that is.
    pub async fn piece(&self, wanted: usize) -> usize {
        let Some(speed) = self.speed else { return wanted };
        let piece = wanted.min(PACKET.max(speed as usize / 50));
        let at = self.next.get().max(Instant::now());
        self.next.set(at + Duration::from_secs_f64(piece as f64 / speed as f64));
        sleep_until(at).await;
        piece
    }
}
