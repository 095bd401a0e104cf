use fastrand::Rng;

use super::values::Amount;
use super::{Scenario, Sites};
use crate::draw::normal;
use crate::world::{Daily, Prediction, Truth, World};

impl Scenario {
    /// The web as this seed draws it; the same for every policy.
    pub fn world(&self, seed: u64) -> World {
        let mut rng = Rng::with_seed(seed);
        let mut sites = Vec::new();
        for kind in &self.sites {
            for copy in 0..kind.count {
                sites.push(kind.draw(copy, &mut rng));
            }
        }
        World {
            starts_at: self.starts_at,
            cap: self.cap.clone(),
            at_once: self.at_once,
            replan: self.replan,
            speeds_known: self.speeds_known,
            until: self.until,
            sites,
        }
    }
}

impl Sites {
    fn draw(&self, copy: usize, rng: &mut Rng) -> Truth {
        let size = self.size.draw(rng);
        let chance = normal(rng);
        let error = match self.predicted {
            Some(predicted) if size > 0.0 => (predicted.max(1.0) / size).ln(),
            _ => self.sigma * chance,
        };
        let release = self.release.draw(rng);
        let within = self.within.map(|within| release + within.draw(rng));
        let speed = match &self.speed {
            Amount::Daily(daily) => daily.clone(),
            Amount::Range(range) => Daily::constant(range.draw(rng)),
        };
        Truth {
            name: if self.count == 1 {
                self.name.clone()
            } else {
                format!("{}-{}", self.name, copy + 1)
            },
            size,
            prediction: Prediction { error, sigma: self.sigma, converges: self.converges },
            deadline: within.or(self.by),
            release,
            weight: self.weight,
            max_rate: self.max_rate,
            speed,
            latency: self.latency,
            ramp_up: self.ramp_up,
        }
    }
}
