//! How fast each server is at what hour, remembered from run to run (the predictor of Diligenti et
//! al. 2004).
//!
//! What was measured weeks ago counts for less: a prediction goes from what the server did to what
//! all servers do, half the way in [`HALF_LIFE`] without a download from it.

mod file;
mod server;

use std::cell::RefCell;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use hashbrown::HashMap;
use jiff::{SignedDuration, Timestamp};
use weir_plan::speed::{Day, Gains, Learning, Speed};

use crate::almanac::{Almanac, Moment};
use server::Server;

pub use file::FILE;

/// What is the mean of several speeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimate {
    /// Bytes by seconds, of all downloads together. A sum of these is what flows at an instant, since
    /// a download is under way the longer the slower it is.
    #[default]
    Ratio,
    /// The paper's: each download's speed counts the same, which says too much where speeds vary.
    Mean,
}

pub struct Speeds {
    almanac: Almanac,
    estimate: Estimate,
    learning: Learning,
    servers: HashMap<IpAddr, Server>,
    /// The mean of all servers' speeds, and after how many downloads it was taken.
    mean: RefCell<Option<(Speed, usize)>>,
    /// Downloads in this run.
    observed: usize,
    most: usize,
    /// What a download counts for now.
    gains: Option<(Timestamp, Gains)>,
}

/// What is expected of a server when none was ever seen, in bytes a second.
pub const FIRST_GUESS: f64 = 100_000.0;
pub const HALF_LIFE: SignedDuration = SignedDuration::from_hours(4 * 7 * 24);
/// Servers that are remembered; each takes 0.9 KB, and 0.4 KB on disk.
pub const MOST_SERVERS: usize = 50_000;
/// The part that goes at a time when there are more: those that were not seen for longest.
const PART: usize = 16;
/// A fast crawl has thousands of downloads in this time, and they count the same.
const SAME_GAINS: SignedDuration = SignedDuration::from_secs(1);
/// The mean of all is taken anew after one download for each so many servers.
const CHANGED: usize = 8;

impl Speeds {
    pub fn new(almanac: Almanac, estimate: Estimate) -> Speeds {
        Speeds {
            almanac,
            estimate,
            learning: Learning::default(),
            servers: HashMap::new(),
            mean: RefCell::default(),
            observed: 0,
            most: MOST_SERVERS,
            gains: None,
        }
    }

    /// What was saved at `path`. If that cannot be read, all is learnt anew, and the text says why.
    pub fn load(path: &Path, almanac: Almanac, estimate: Estimate) -> (Speeds, Option<String>) {
        let mut speeds = Speeds::new(almanac, estimate);
        let notice = match file::read(path) {
            Ok(servers) => {
                speeds.servers = servers;
                speeds.bound();
                None
            }
            Err(why) => {
                Some(format!("{}: {why}; the speeds of servers are learnt anew", path.display()))
            }
        };
        (speeds, notice)
    }

    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        file::write(path, &self.servers)
    }

    /// Learns from a download that ended at `now`, request and waiting included in its time. Only
    /// from one that the server limited: one that we slowed down says no more than "at least this".
    pub fn observe(&mut self, server: IpAddr, now: Timestamp, bytes: u64, took: Duration) {
        if bytes == 0 || took.is_zero() {
            return;
        }
        let (bytes, seconds) = (bytes as f64, took.as_secs_f64());
        let sample = match self.estimate {
            Estimate::Ratio => (bytes, seconds),
            Estimate::Mean => (bytes / seconds, 1.0),
        };
        let gains = match &mut self.gains {
            Some((at, gains)) if now.duration_since(*at).abs() < SAME_GAINS => gains,
            gains => {
                let moment = self.almanac.moment(now);
                &mut gains.insert((now, self.learning.gains(moment.minute, moment.days))).1
            }
        };
        let one = self.servers.entry(server.to_canonical());
        one.or_insert_with(|| Server::new(sample, now)).observe(sample, now, gains);
        self.observed += 1;
        if self.servers.len() > self.most {
            self.bound();
        }
    }

    /// Bytes a second that a download from this server is expected to bring now.
    pub fn predict(&self, server: IpAddr, now: Timestamp) -> f64 {
        let moment = self.almanac.moment(now);
        let guess = self.guess(moment);
        match self.servers.get(&server.to_canonical()) {
            None => guess,
            Some(server) => guess + server.freshness(now) * (server.at(moment) - guess),
        }
    }

    /// The same for a server that was seen before.
    pub fn seen(&self, server: IpAddr, now: Timestamp) -> Option<f64> {
        self.servers.contains_key(&server.to_canonical()).then(|| self.predict(server, now))
    }

    /// Servers that are remembered.
    pub fn known(&self) -> usize {
        self.servers.len()
    }

    /// The mean over all servers, for one never seen.
    fn guess(&self, moment: Moment) -> f64 {
        if self.servers.is_empty() {
            return FIRST_GUESS;
        }
        let mut known = self.mean.borrow_mut();
        let is_old =
            |(_, taken): &mut (Speed, usize)| self.observed - *taken > self.servers.len() / CHANGED;
        if known.as_mut().is_none_or(is_old) {
            *known = Some((self.mean(), self.observed));
        }
        known.as_ref().map_or(FIRST_GUESS, |(mean, _)| at(mean, moment))
    }

    /// Looks at all servers, so not for each prediction.
    fn mean(&self) -> Speed {
        let mut sums = [[0.0; 24]; 2];
        for server in self.servers.values() {
            for (sums, day) in sums.iter_mut().zip([Day::Holiday, Day::Working]) {
                sums.iter_mut().zip(server.rates(day)).for_each(|(sum, rate)| *sum += rate);
            }
        }
        let [holiday, working] = sums.map(|day| day.map(|sum| sum / self.servers.len() as f64));
        Speed::restore(holiday, working, 0)
    }

    /// Forgets those that were not seen for longest, if there are too many.
    fn bound(&mut self) {
        if self.servers.len() > self.most {
            let mut seen: Vec<Timestamp> = self.servers.values().map(|one| one.seen).collect();
            let gone = self.servers.len() - self.most + self.most / PART;
            seen.sort_unstable();
            let last = seen[gone];
            self.servers.retain(|_, one| one.seen >= last);
            // Many may have been seen in the same second.
            let over = self.servers.len().saturating_sub(self.most);
            let extra: Vec<IpAddr> = self.servers.keys().take(over).copied().collect();
            extra.iter().for_each(|server| {
                self.servers.remove(server);
            });
        }
        self.mean.take();
    }
}

fn at(speed: &Speed, moment: Moment) -> f64 {
    speed.at(moment.minute, moment.days.today, moment.days.tomorrow)
}

#[cfg(test)]
mod tests;
