use std::collections::VecDeque;

use weir_plan::admit::{Waiting, activate};

use super::line::{Fetch, share};
use super::table::SpeedTable;
use super::{Connections, Control, LIMIT, MEASURED, SETTLING, Search, Setting, Trace, Web};

/// Crawls the web under a control, and tells what was seen.
pub fn crawl(web: &Web, setting: &Setting, control: Control) -> Trace {
    let mut crawl = Crawl {
        web,
        setting,
        control,
        table: SpeedTable::new(web, control.estimate(), START),
        waiting: (0..web.queue.len()).map(|document| Entry { document, overtaken: 0 }).collect(),
        fetches: Vec::new(),
        counted: 0.0,
        allowed: 1,
        now: 0.0,
        trace: Trace::new(),
    };
    crawl.run();
    crawl.trace
}

/// Ten in the morning, as a minute of the day.
const START: f64 = 600.0;

struct Crawl<'a> {
    web: &'a Web,
    setting: &'a Setting,
    control: Control,
    table: SpeedTable,
    waiting: VecDeque<Entry>,
    fetches: Vec<Fetch>,
    /// What all fetches under way were counted for (the paper's CB).
    counted: f64,
    /// Fetchers that may work, with control by feedback.
    allowed: usize,
    now: f64,
    trace: Trace,
}

/// A document that waits, by its place in the queue as it was at the start.
#[derive(Clone, Copy)]
struct Entry {
    document: usize,
    overtaken: u32,
}

impl Crawl<'_> {
    fn run(&mut self) {
        let shaped = self.is_shaped().then_some(LIMIT);
        let mut check = self.setting.check;
        self.search();
        for second in 0..SETTLING + MEASURED {
            let end = (second + 1) as f64;
            while self.now < end {
                share(&mut self.fetches, self.now, self.web, self.setting, shaped);
                let next = self.fetches.iter().map(|fetch| fetch.next(self.now));
                self.advance(second, next.fold(end.min(check), f64::min));
                let some_ended = self.settle();
                let is_time = self.now >= check;
                if some_ended || is_time {
                    self.search();
                }
                if is_time {
                    check += self.setting.check;
                }
            }
            if self.control == Control::Feedback {
                self.adjust(self.trace.measured[second]);
            }
        }
    }

    fn advance(&mut self, second: usize, to: f64) {
        let step = to - self.now;
        for fetch in &mut self.fetches {
            self.trace.measured[second] += fetch.receive(step, to);
        }
        self.trace.predicted[second] += self.counted * step;
        self.trace.running[second] += self.fetches.len() as f64 * step;
        self.now = to;
    }

    /// Takes out the fetches that are done, and learns from them. Says if there were any.
    fn settle(&mut self) -> bool {
        let (now, minute) = (self.now, self.minute());
        let before = self.fetches.len();
        for fetch in self.fetches.extract_if(.., |fetch| fetch.is_done()) {
            // What was added, not what would be predicted now, or the sum drifts.
            self.counted -= fetch.counted;
            if !fetch.held {
                self.table.learn(fetch.server, minute, fetch.size, now - fetch.begun);
            }
        }
        if self.fetches.is_empty() {
            // So does rounding.
            self.counted = 0.0;
        }
        self.fetches.len() < before
    }

    /// One fetcher fewer or more.
    fn adjust(&mut self, measured: f64) {
        self.allowed = match measured > LIMIT {
            true => self.allowed.saturating_sub(1).max(1),
            false => (self.allowed + 1).min(self.setting.fetchers),
        };
        self.search();
    }

    fn search(&mut self) {
        match self.control {
            Control::Predict { .. } => self.search_below(LIMIT, self.setting.search),
            Control::Shape { ahead } => self.search_below(ahead * LIMIT, Search::Fill),
            Control::Feedback => self.search_allowed(),
        }
    }

    /// Starts what fits below a limit of the predicted sum.
    fn search_below(&mut self, limit: f64, search: Search) {
        let depth = self.control.depth();
        loop {
            let idle = self.setting.fetchers - self.fetches.len();
            let idle = if search == Search::One { idle.min(1) } else { idle };
            let (places, queue) = self.candidates(depth);
            let mut queue: Vec<_> = queue.iter().map(|one| one.slowed_to(limit)).collect();
            let (started, sum) = activate(&mut queue, self.counted, limit, idle, depth);
            if self.setting.patient {
                for (&place, waits) in places.iter().zip(&queue) {
                    self.waiting[place].overtaken = waits.overtaken;
                }
            }
            // From the back, so that the places in front stay what they are.
            for (before, &index) in started.iter().enumerate().rev() {
                self.trace.overtook += usize::from(places[index] > before);
                self.start(places[index], queue[index].speed);
            }
            self.trace.most_predicted = self.trace.most_predicted.max(sum);
            self.counted = sum;
            if search != Search::Fill || started.is_empty() {
                break;
            }
        }
    }

    /// Starts from the top of the queue as many as may run.
    fn search_allowed(&mut self) {
        while self.fetches.len() < self.allowed {
            let (places, queue) = self.candidates(1);
            let Some((&place, waits)) = places.first().zip(queue.first()) else { break };
            self.trace.overtook += usize::from(place > 0);
            self.start(place, waits.speed);
            self.counted += waits.speed;
        }
    }

    /// The places of the first documents to look at, and what to take them for.
    fn candidates(&self, depth: usize) -> (Vec<usize>, Vec<Waiting>) {
        let (mut places, mut queue) = (Vec::with_capacity(depth), Vec::with_capacity(depth));
        let one = matches!(self.setting.connections, Connections::One | Connections::OneCounted);
        let counted = self.setting.connections == Connections::OneCounted
            && matches!(self.control, Control::Predict { .. });
        let mut taken: Vec<usize> = Vec::new();
        for (place, entry) in self.waiting.iter().enumerate() {
            let no_server_left = one && taken.len() + self.fetches.len() == self.web.servers.len();
            if places.len() == depth || (no_server_left && !counted) {
                break;
            }
            let server = self.web.queue[entry.document].server;
            let waits = one && (taken.contains(&server) || self.is_busy(server));
            if waits && !counted {
                continue;
            }
            taken.push(server);
            places.push(place);
            queue.push(match waits {
                // Fits only where nothing runs, and something does.
                true => Waiting::new(f64::INFINITY),
                false => Waiting { speed: self.predicted(server), overtaken: entry.overtaken },
            });
        }
        (places, queue)
    }

    fn predicted(&self, server: usize) -> f64 {
        // A shaper lets nobody have more than the limit.
        let most = if self.is_shaped() { LIMIT } else { f64::INFINITY };
        self.table.predict(server, self.minute()).min(most)
    }

    fn start(&mut self, place: usize, counted: f64) {
        self.trace.started += 1;
        let entry = self.waiting.remove(place).expect("it was just looked at");
        let document = &self.web.queue[entry.document];
        self.fetches.push(Fetch {
            server: document.server,
            size: document.size,
            left: document.size,
            begun: self.now,
            first_byte: self.now + self.web.servers[document.server].latency,
            speed: document.speed(self.web, self.minute()),
            counted,
            held: false,
            rate: 0.0,
        });
    }

    fn is_busy(&self, server: usize) -> bool {
        self.fetches.iter().any(|fetch| fetch.server == server)
    }

    fn is_shaped(&self) -> bool {
        matches!(self.control, Control::Shape { .. })
    }

    fn minute(&self) -> f64 {
        START + self.now / 60.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounded::Estimate;

    const RATIO: Control = Control::Predict { depth: 6, estimate: Estimate::Ratio };
    const SHAPE: Control = Control::Shape { ahead: 2.5 };

    #[test]
    fn the_predicted_sum_is_never_above_the_limit() {
        for setting in [Setting::MIXED, Setting { search: Search::Fill, ..Setting::ALIKE }] {
            let web = Web::new(&setting, 1);
            for control in [Control::predict(1), Control::predict(6), RATIO] {
                let trace = crawl(&web, &setting, control);
                assert!(trace.most_predicted <= LIMIT * (1.0 + 1e-9), "{}", trace.most_predicted);
            }
        }
    }

    #[test]
    fn a_shaped_crawl_is_never_above_the_limit_and_uses_it() {
        let web = Web::new(&Setting::MIXED, 1);
        let trace = crawl(&web, &Setting::MIXED, SHAPE);
        assert!(trace.worst() <= 1.0 + 1e-9 && trace.used() > 0.99, "{}", trace.used());
    }

    #[test]
    fn the_queue_outlasts_every_control_and_the_first_comes_first() {
        for setting in [Setting::MIXED, Setting::ALIKE] {
            let web = Web::new(&setting, 2);
            for control in [Control::predict(1), Control::predict(6), Control::Feedback, SHAPE] {
                let trace = crawl(&web, &setting, control);
                assert!((100..web.queue.len() / 2).contains(&trace.started), "{}", trace.started);
                let searches = control.depth() > 1 && control != Control::Feedback;
                assert_eq!(trace.overtook > 0, searches, "{control:?}");
            }
        }
    }

    #[test]
    fn one_connection_is_one_connection() {
        let setting = Setting { servers: 3, connections: Connections::One, ..Setting::ALIKE };
        let web = Web::new(&setting, 3);
        for control in [Control::predict(6), Control::Feedback, SHAPE] {
            let trace = crawl(&web, &setting, control);
            assert!(trace.running.iter().all(|running| *running <= 3.0 + 1e-9), "{control:?}");
            assert!(trace.used() > 0.1 && trace.used() < 1.0);
        }
    }

    #[test]
    fn no_more_fetchers_work_than_there_are() {
        let setting = Setting { fetchers: 4, ..Setting::ALIKE };
        let web = Web::new(&setting, 3);
        for control in [Control::predict(6), Control::Feedback, SHAPE] {
            let trace = crawl(&web, &setting, control);
            assert!(trace.running.iter().all(|running| *running <= 4.0 + 1e-9), "{control:?}");
        }
    }
}
