use weir_cluster::purse::{Held, LIFETIME_MS, Wish};

use crate::net::{Packet, Random};

/// A simulated downloader, with a clock of its own.
pub struct Downloader {
    pub who: u64,
    pub wish: Wish,
    /// What it would receive without a cap. Then its wish follows from that and from its grant.
    pub demand: Option<f64>,
    pub held: Held,
    /// The connection it believes it has.
    pub stream: Option<u64>,
    /// It sees then that the connection is gone, if nothing comes.
    pub notices_ms: Option<u64>,
    pub connects_ms: u64,
    pub pulses_ms: u64,
    clock_ahead_ms: u64,
    /// Its clock gains so much in a million.
    clock_gains: i64,
}

/// What a downloader says every 200 ms; the first on a stream is its hello.
#[derive(Clone, Copy)]
pub struct Pulse {
    pub stamp_ms: u64,
    pub wish: Wish,
    pub in_force: u64,
    pub ran_out: bool,
}

/// What the scheduler says: that it is there, and sometimes a grant.
#[derive(Clone, Copy)]
pub struct Rates {
    pub grant: Option<(u64, f64)>,
    /// The last stamp the scheduler has seen.
    pub stamp_ms: u64,
}

pub const PULSE_MS: u64 = 200;
/// How long a downloader without any grant waits for an answer before it connects again.
const PATIENCE_MS: u64 = 1500;

impl Downloader {
    pub fn new(who: u64, wish: Wish, now_ms: u64, random: &mut Random) -> Downloader {
        Downloader {
            who,
            wish,
            demand: None,
            held: Held::default(),
            stream: None,
            notices_ms: None,
            connects_ms: now_ms,
            pulses_ms: now_ms,
            clock_ahead_ms: random.below(1_000_000),
            clock_gains: random.below(400) as i64 - 200,
        }
    }

    pub fn clock_ms(&self, now_ms: u64) -> u64 {
        let gained = now_ms as i64 * self.clock_gains / 1_000_000;
        (self.clock_ahead_ms + 1000 + now_ms).saturating_add_signed(gained)
    }

    pub fn rate(&self, now_ms: u64) -> f64 {
        self.held.rate(self.clock_ms(now_ms))
    }

    /// Connects, and pulses, when it is time for it.
    pub fn turn(&mut self, now_ms: u64, streams: &mut u64) -> Option<Packet> {
        let silent =
            self.clock_ms(now_ms) > self.held.until_ms() && now_ms > self.connects_ms + PATIENCE_MS;
        if self.stream.is_some() && (silent || self.notices_ms.is_some_and(|at| at <= now_ms)) {
            (self.stream, self.notices_ms) = (None, None);
            self.connects_ms = self.connects_ms.max(now_ms);
        }
        if self.stream.is_none() && self.connects_ms <= now_ms {
            *streams += 1;
            self.stream = Some(*streams);
            (self.connects_ms, self.pulses_ms) = (now_ms, now_ms);
        }
        let stream = self.stream.filter(|_| self.pulses_ms <= now_ms)?;
        self.pulses_ms = now_ms + PULSE_MS;
        Some(Packet::from(self.who, stream, self.pulse(now_ms)))
    }

    pub fn hear(&mut self, rates: Rates, now_ms: u64) {
        let now_ms = self.clock_ms(now_ms);
        let until_ms = rates.stamp_ms + LIFETIME_MS;
        match rates.grant {
            Some((version, rate)) => self.held.told(version, rate, until_ms, now_ms),
            None => self.held.heard(until_ms, now_ms),
        }
    }

    fn pulse(&mut self, now_ms: u64) -> Pulse {
        if let Some(demand) = self.demand {
            let rate = self.rate(now_ms);
            self.wish = Wish { used: demand.min(rate), hungry: demand > rate, ..self.wish };
        }
        let stamp_ms = self.clock_ms(now_ms);
        let ran_out = self.held.ran_out(stamp_ms);
        Pulse { stamp_ms, wish: self.wish, in_force: self.held.in_force(), ran_out }
    }
}
