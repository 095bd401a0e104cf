use jiff::Timestamp;
use weir_plan::speed::{Day, Gains, Speed};

use super::{HALF_LIFE, at};
use crate::almanac::Moment;

/// One server: means of what its downloads brought and of how long they took, at each hour. Its
/// speed is the one by the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    pub bytes: Speed,
    pub seconds: Speed,
    pub seen: Timestamp,
}

impl Server {
    /// Until more is known, a server is at all hours as it was at first.
    pub fn new((bytes, seconds): (f64, f64), now: Timestamp) -> Server {
        Server { bytes: Speed::new(bytes), seconds: Speed::new(seconds), seen: now }
    }

    pub fn observe(&mut self, (bytes, seconds): (f64, f64), now: Timestamp, gains: &Gains) {
        let keep = self.freshness(now);
        for (speed, measured) in [(&mut self.bytes, bytes), (&mut self.seconds, seconds)] {
            // Within a day nothing is forgotten: it would be rounded off again and again.
            if keep < 0.97 {
                speed.forget(keep);
            }
            speed.learn(measured, gains);
        }
        self.seen = self.seen.max(now);
    }

    /// What the past counts for: one at first, half after some weeks.
    pub fn freshness(&self, now: Timestamp) -> f64 {
        let age = now.duration_since(self.seen).as_secs_f64().max(0.0);
        (-age / HALF_LIFE.as_secs_f64()).exp2()
    }

    /// Bytes a second.
    pub fn at(&self, moment: Moment) -> f64 {
        at(&self.bytes, moment) / at(&self.seconds, moment)
    }

    /// Bytes a second at each full hour.
    pub fn rates(&self, day: Day) -> impl Iterator<Item = f64> {
        self.bytes.of(day).iter().zip(self.seconds.of(day)).map(|(bytes, seconds)| bytes / seconds)
    }
}
