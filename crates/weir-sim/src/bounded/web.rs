use fastrand::Rng;

use super::{FIRST_WEB, Setting, WEBS};
use crate::draw::normal;

/// Servers, and the queue of documents that every control is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Web {
    pub servers: Vec<Server>,
    /// The best first.
    pub queue: Vec<Document>,
    /// Earlier downloads of each server.
    pub history: Vec<Vec<Document>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Server {
    /// On average over the day.
    speed: f64,
    pub latency: f64,
    /// The hour at which it is fastest.
    best_hour: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Document {
    pub server: usize,
    pub size: f64,
    /// How fast it comes, beside its server's speed at the time.
    luck: f64,
}

/// A server is faster or slower by so much at its best and its worst hour.
const DAILY: f64 = 0.3;
const LATENCY_SPREAD: f64 = 0.4;
/// More than are fetched in the time that is measured.
const DOCUMENTS: usize = 12_000;

impl Web {
    /// Those that are measured.
    pub fn all(setting: &Setting) -> impl Iterator<Item = Web> {
        (FIRST_WEB..FIRST_WEB + WEBS).map(|seed| Web::new(setting, seed))
    }

    /// The web of a seed, the same for every control.
    pub fn new(setting: &Setting, seed: u64) -> Web {
        let mut rng = Rng::with_seed(0xd111_0000 + seed);
        let servers: Vec<Server> =
            (0..setting.servers).map(|_| Server::draw(setting, &mut rng)).collect();
        let mut queue: Vec<Document> = Vec::with_capacity(DOCUMENTS);
        while queue.len() < DOCUMENTS {
            let same = rng.f64() >= 1.0 / setting.in_a_row;
            let server = match queue.last() {
                Some(last) if same => last.server,
                _ => rng.usize(0..setting.servers),
            };
            queue.push(Document::draw(server, setting, &mut rng));
        }
        let mut earlier = |server: usize| -> Vec<Document> {
            (0..setting.known).map(|_| Document::draw(server, setting, &mut rng)).collect()
        };
        let history = (0..setting.servers).map(&mut earlier).collect();
        Web { servers, queue, history }
    }
}

impl Server {
    fn draw(setting: &Setting, rng: &mut Rng) -> Server {
        Server {
            speed: (setting.speed * (setting.spread * normal(rng)).exp()).min(setting.fastest),
            latency: setting.latency * (LATENCY_SPREAD * normal(rng)).exp(),
            best_hour: 24.0 * rng.f64(),
        }
    }

    /// Its speed at a minute of the day.
    pub fn speed_at(&self, minute: f64) -> f64 {
        let turn = (minute / 60.0 - self.best_hour) / 24.0;
        self.speed * (1.0 + DAILY * (std::f64::consts::TAU * turn).cos())
    }
}

impl Document {
    fn draw(server: usize, setting: &Setting, rng: &mut Rng) -> Document {
        let size = setting.size * (setting.size_spread * normal(rng)).exp();
        let luck = (setting.noise * normal(rng) - setting.noise * setting.noise / 2.0).exp();
        // Below this there is no HTTP response, and above no page.
        Document { server, size: size.clamp(300.0, 2e6), luck }
    }

    /// The speed at which it comes, at a minute of the day.
    pub fn speed(&self, web: &Web, minute: f64) -> f64 {
        web.servers[self.server].speed_at(minute) * self.luck
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_follows_from_its_seed() {
        let setting = Setting::MIXED;
        assert_eq!(Web::new(&setting, 1), Web::new(&setting, 1));
        assert_ne!(Web::new(&setting, 1), Web::new(&setting, 2));
    }

    #[test]
    fn documents_of_a_server_come_in_rows_if_they_are_said_to() {
        for in_a_row in [1.0, 5.0] {
            let web = Web::new(&Setting { in_a_row, ..Setting::MIXED }, 1);
            let rows = web.queue.chunk_by(|a, b| a.server == b.server).count();
            let mean = web.queue.len() as f64 / rows as f64;
            assert!((mean / in_a_row - 1.0).abs() < 0.1, "{mean}");
        }
    }

    #[test]
    fn luck_is_one_on_average_and_speed_changes_with_the_hour() {
        let web = Web::new(&Setting::MIXED, 1);
        let luck = web.queue.iter().map(|document| document.luck).sum::<f64>();
        assert!((luck / web.queue.len() as f64 - 1.0).abs() < 0.02);
        let server = &web.servers[0];
        let day: f64 = (0..24).map(|hour| server.speed_at(60.0 * f64::from(hour))).sum();
        assert!((day / 24.0 / server.speed - 1.0).abs() < 1e-9);
        let best = server.speed_at(60.0 * server.best_hour);
        assert!((best / server.speed - 1.0 - DAILY).abs() < 1e-9);
    }
}
