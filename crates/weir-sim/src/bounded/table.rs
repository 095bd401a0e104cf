use weir_plan::speed::{Day, Days, Learning, Speed};

use super::Web;

/// How the downloads of a server become its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// The paper's: an average of rates, by the hour.
    MeanOfRates,
    /// Bytes by seconds, both summed with old ones fading. A connection is met at a moment in
    /// proportion to how long it lasts, so this is what a sum of flows consists of.
    Ratio,
}

/// What is known of the speed of servers.
pub struct SpeedTable {
    estimate: Estimate,
    learning: Learning,
    servers: Vec<Option<Known>>,
}

struct Known {
    speed: Speed,
    bytes: f64,
    seconds: f64,
}

/// For the first document of all.
const GUESS: f64 = 20_000.0;
const WORKING: Days = Days { yesterday: Day::Working, today: Day::Working, tomorrow: Day::Working };

impl SpeedTable {
    /// Knows the history of the web, met on other days at this minute.
    pub fn new(web: &Web, estimate: Estimate, minute: f64) -> SpeedTable {
        let servers = web.servers.iter().map(|_| None).collect();
        let mut table = SpeedTable { estimate, learning: Learning::default(), servers };
        for document in web.history.iter().flatten() {
            let seconds =
                web.servers[document.server].latency + document.size / document.speed(web, minute);
            table.learn(document.server, minute, document.size, seconds);
        }
        table
    }

    pub fn learn(&mut self, server: usize, minute: f64, bytes: f64, seconds: f64) {
        let known = self.servers[server].get_or_insert_with(|| Known {
            speed: Speed::new(bytes / seconds),
            bytes,
            seconds,
        });
        known.speed.observe(minute, WORKING, bytes / seconds, &self.learning);
        known.bytes += self.learning.gain * (bytes - known.bytes);
        known.seconds += self.learning.gain * (seconds - known.seconds);
    }

    /// The speed that a download is predicted to have; for a server not yet met, that of the others.
    pub fn predict(&self, server: usize, minute: f64) -> f64 {
        match &self.servers[server] {
            Some(known) => self.of(known, minute),
            None => {
                let met: Vec<f64> =
                    self.servers.iter().flatten().map(|known| self.of(known, minute)).collect();
                if met.is_empty() { GUESS } else { met.iter().sum::<f64>() / met.len() as f64 }
            }
        }
    }

    fn of(&self, known: &Known, minute: f64) -> f64 {
        match self.estimate {
            Estimate::MeanOfRates => known.speed.at(minute, Day::Working, Day::Working),
            Estimate::Ratio => known.bytes / known.seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounded::Setting;

    fn learnt(estimate: Estimate, known: usize) -> (Web, SpeedTable) {
        let web = Web::new(&Setting { known, ..Setting::MIXED }, 1);
        let table = SpeedTable::new(&web, estimate, 600.0);
        (web, table)
    }

    #[test]
    fn a_server_not_yet_met_is_like_the_others() {
        let (_, mut table) = learnt(Estimate::MeanOfRates, 0);
        assert_eq!(table.predict(0, 600.0), GUESS);
        table.learn(1, 600.0, 10_000.0, 1.0);
        table.learn(2, 600.0, 30_000.0, 1.0);
        assert_eq!(table.predict(0, 600.0), 20_000.0);
        assert_eq!(table.predict(2, 600.0), 30_000.0);
    }

    #[test]
    fn bytes_by_seconds_are_never_above_the_mean_of_rates_for_documents_of_one_size() {
        let (mut mean, mut ratio) =
            (learnt(Estimate::MeanOfRates, 0).1, learnt(Estimate::Ratio, 0).1);
        for seconds in [1.0, 4.0, 1.0, 4.0] {
            mean.learn(0, 600.0, 8000.0, seconds);
            ratio.learn(0, 600.0, 8000.0, seconds);
        }
        assert!(ratio.predict(0, 600.0) < 0.8 * mean.predict(0, 600.0));
    }

    #[test]
    fn what_was_met_on_other_days_is_known() {
        let (web, table) = learnt(Estimate::MeanOfRates, 200);
        for (server, truth) in web.servers.iter().enumerate() {
            let known = table.predict(server, 600.0) / truth.speed_at(600.0);
            assert!((0.4..1.8).contains(&known), "{known}");
        }
    }
}
