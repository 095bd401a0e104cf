use super::{Connections, Setting, Web};

/// One fetch under way.
#[derive(Clone, Copy, Debug)]
pub struct Fetch {
    pub server: usize,
    pub size: f64,
    pub left: f64,
    pub begun: f64,
    /// When its first byte comes.
    pub first_byte: f64,
    /// What the server would give it, were it alone there.
    pub speed: f64,
    /// What it was counted for when it started.
    pub counted: f64,
    /// We held it back, so it says nothing of its server.
    pub held: bool,
    /// What it gets now.
    pub rate: f64,
}

/// Less than this is rounding.
const NOTHING: f64 = 1e-6;

/// Sets the rate of each fetch: what its server gives, and with a shaper no more than fair shares of
/// the limit.
pub fn share(fetches: &mut [Fetch], now: f64, web: &Web, setting: &Setting, limit: Option<f64>) {
    let mut at_server = vec![0_u32; web.servers.len()];
    for fetch in fetches.iter().filter(|fetch| fetch.flows(now)) {
        at_server[fetch.server] += 1;
    }
    for fetch in fetches.iter_mut() {
        let beside = match setting.connections {
            Connections::Shared => f64::from(at_server[fetch.server].max(1)),
            _ => 1.0,
        };
        fetch.rate = if fetch.flows(now) { fetch.speed / beside } else { 0.0 };
    }
    if let Some(limit) = limit {
        hold(fetches, limit);
    }
}

/// The slow ones get what they can take, the others the same each.
fn hold(fetches: &mut [Fetch], limit: f64) {
    let mut order: Vec<usize> = (0..fetches.len()).filter(|&at| fetches[at].rate > 0.0).collect();
    order.sort_by(|&a, &b| fetches[a].rate.total_cmp(&fetches[b].rate));
    let mut left = limit;
    for (done, &at) in order.iter().enumerate() {
        let fair = left / (order.len() - done) as f64;
        let fetch = &mut fetches[at];
        if fetch.rate > fair {
            fetch.rate = fair;
            fetch.held = true;
        }
        left -= fetch.rate;
    }
}

impl Fetch {
    pub fn is_done(&self) -> bool {
        self.left <= NOTHING
    }

    /// What comes in a step of time that ends at `now`.
    pub fn receive(&mut self, step: f64, now: f64) -> f64 {
        let bytes = (self.rate * step).min(self.left);
        self.left -= bytes;
        // What takes no time at the clock's precision is done, or the clock would stand still.
        if self.rate > 0.0 && now + self.left / self.rate <= now {
            self.left = 0.0;
        }
        bytes
    }

    /// When it ends or begins to flow, if nothing else changes.
    pub fn next(&self, now: f64) -> f64 {
        if self.flows(now) { now + self.left / self.rate } else { self.first_byte }
    }

    fn flows(&self, now: f64) -> bool {
        now >= self.first_byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetch(server: usize, speed: f64, first_byte: f64) -> Fetch {
        let (size, begun, counted, held, rate) = (1e4, 0.0, 0.0, false, 0.0);
        Fetch { server, size, left: size, begun, first_byte, speed, counted, held, rate }
    }

    fn rates(connections: Connections, limit: Option<f64>) -> Vec<(f64, bool)> {
        let setting = Setting { connections, ..Setting::MIXED };
        let mut fetches = [(0, 10.0, 0.0), (0, 30.0, 0.0), (1, 60.0, 0.0), (2, 99.0, 5.0)]
            .map(|(server, speed, first_byte)| fetch(server, speed, first_byte));
        share(&mut fetches, 1.0, &Web::new(&setting, 1), &setting, limit);
        fetches.iter().map(|fetch| (fetch.rate, fetch.held)).collect()
    }

    #[test]
    fn nothing_flows_before_the_first_byte_and_servers_may_be_shared() {
        let given = |connections| rates(connections, None).iter().map(|rate| rate.0).collect();
        let apart: Vec<f64> = given(Connections::Apart);
        assert_eq!(apart, [10.0, 30.0, 60.0, 0.0]);
        let shared: Vec<f64> = given(Connections::Shared);
        assert_eq!(shared, [5.0, 15.0, 60.0, 0.0]);
    }

    #[test]
    fn a_shaper_holds_back_the_fast_and_remembers_it() {
        let held = rates(Connections::Apart, Some(60.0));
        assert_eq!(held, [(10.0, false), (25.0, true), (25.0, true), (0.0, false)]);
    }

    #[test]
    fn what_is_left_comes_in_time() {
        let mut one = Fetch { rate: 1e4, ..fetch(0, 1e4, 0.0) };
        assert_eq!(one.next(2.0), 3.0);
        assert_eq!(one.receive(0.25, 2.25), 2500.0);
        assert_eq!(one.receive(1.0, 3.25), 7500.0);
        assert!(one.is_done());
    }
}
