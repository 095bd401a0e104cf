//! A described web, as one seed draws it: what is true of its sites, whatever a policy believes.

mod daily;
mod predicted;

pub use daily::Daily;
pub use predicted::{Guess, Prediction};

use weir_plan::{Cap, Problem, Site};

/// Times are seconds from the start of the run, sizes bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// The time of day at the start, in seconds.
    pub starts_at: f64,
    pub cap: Daily,
    pub at_once: Option<usize>,
    /// A policy is asked again at least this often.
    pub replan: f64,
    /// Policies know the speeds of servers from earlier crawls, and need not find out.
    pub speeds_known: bool,
    /// Nothing is simulated beyond.
    pub until: f64,
    pub sites: Vec<Truth>,
}

/// A site as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    pub name: String,
    pub size: f64,
    pub prediction: Prediction,
    pub deadline: Option<f64>,
    pub release: f64,
    pub weight: f64,
    /// What we may ask for at the most; the policy knows it.
    pub max_rate: f64,
    /// What the server can deliver; the policy has to find out, unless speeds are known.
    pub speed: Daily,
    /// Nothing comes in so many seconds after the first request.
    pub latency: f64,
    /// Then the speed grows to its full height in so many.
    pub ramp_up: f64,
}

/// A ramp is climbed in so many steps.
const STEPS: f64 = 8.0;

impl World {
    /// The problem that a policy would have to solve if it knew everything but the servers' speeds.
    pub fn problem(&self) -> Problem {
        let site = |truth: &Truth| Site {
            size: truth.size,
            deadline: truth.deadline,
            max_rate: truth.max_rate,
            weight: truth.weight,
            release: truth.release,
        };
        let sites = self.sites.iter().map(site).collect();
        Problem { cap: self.cap_from(0.0), at_once: self.at_once, sites }
    }

    pub fn cap_at(&self, time: f64) -> f64 {
        self.cap.at(self.starts_at + time)
    }

    /// The cap as seen at a time: its own time 0.
    pub fn cap_from(&self, time: f64) -> Cap {
        if let Some(rate) = self.cap.fixed() {
            return Cap::constant(rate);
        }
        let mut steps = vec![(0.0, self.cap_at(time))];
        let mut at = time;
        while at < self.until {
            at = self.cap.next_change(self.starts_at + at) - self.starts_at;
            steps.push((at - time, self.cap_at(at)));
        }
        Cap::steps(&steps)
    }
}

impl Truth {
    /// What it delivers at the most, being in its `age`th second, at a time of the day.
    pub fn limit(&self, age: f64, time_of_day: f64) -> f64 {
        match self.readiness(age) {
            0.0 => 0.0,
            ready => ready * self.speed.at(time_of_day).min(self.max_rate),
        }
    }

    /// From 0 to 1.
    pub fn readiness(&self, age: f64) -> f64 {
        let into = age - self.latency;
        if into < -1e-9 {
            0.0
        } else if into >= self.ramp_up - 1e-9 {
            1.0
        } else {
            ((into / self.ramp_up * STEPS + 1e-6).floor() + 1.0) / (STEPS + 1.0)
        }
    }

    /// The age at which its readiness changes next.
    pub fn next_readiness(&self, age: f64) -> Option<f64> {
        let step = self.ramp_up / STEPS;
        let ages = (0..=STEPS as u32).map(|index| self.latency + step * f64::from(index));
        ages.into_iter().find(|next| *next > age + 1e-9)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn site(name: &str, size: f64, deadline: Option<f64>) -> Truth {
        Truth {
            name: name.to_owned(),
            size,
            prediction: Prediction::exact(),
            deadline,
            release: 0.0,
            weight: 1.0,
            max_rate: f64::INFINITY,
            speed: Daily::constant(f64::INFINITY),
            latency: 0.0,
            ramp_up: 0.0,
        }
    }

    pub fn world(cap: f64, sites: Vec<Truth>) -> World {
        let cap = Daily::constant(cap);
        World {
            starts_at: 0.0,
            cap,
            at_once: None,
            replan: 1.0,
            speeds_known: false,
            until: 1e5,
            sites,
        }
    }

    #[test]
    fn a_site_gets_up_to_speed_in_steps() {
        let site = Truth {
            latency: 2.0,
            ramp_up: 4.0,
            speed: Daily::constant(90.0),
            ..site("a", 1.0, None)
        };
        for (age, limit) in [(0.0, 0.0), (1.9, 0.0), (2.0, 10.0), (2.6, 20.0), (6.0, 90.0)] {
            assert_eq!(site.limit(age, 0.0), limit, "at {age}");
        }
        assert_eq!(site.next_readiness(0.0), Some(2.0));
        assert_eq!(site.next_readiness(2.0), Some(2.5));
        assert_eq!(site.next_readiness(6.0), None);
    }

    #[test]
    fn a_cap_by_hour_is_seen_from_now_on() {
        let mut world = world(1.0, vec![]);
        world.cap = Daily::steps(vec![(0.0, 10.0), (3600.0 * 8.0, 2.0)]);
        world.starts_at = 3600.0 * 7.0;
        let cap = world.cap_from(1800.0);
        assert_eq!((cap.at(0.0), cap.at(1799.0), cap.at(1800.0)), (10.0, 10.0, 2.0));
        assert_eq!(cap.at(1800.0 + 16.0 * 3600.0), 10.0, "the next day");
    }
}
