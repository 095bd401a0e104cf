//! What is served: sites with a speed and a delay each, and pages that are known by their number.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

/// Everything the server process has to know; handed to it as one line of JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Web {
    pub sites: Vec<Site>,
    /// 0: any that is free.
    pub port: u16,
    pub tls: bool,
    /// How often the sites' bytes are read.
    pub sample_ms: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Site {
    pub address: Ipv4Addr,
    /// Bytes a second over all its connections.
    pub speed: Option<u64>,
    /// Before each answer, by lot between the two.
    pub delay_ms: (u64, u64),
    pub sizes: Sizes,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Sizes {
    /// Log-normal around the median, from 1 KB to 10 MB, as pages of the web are.
    LogNormal {
        median: f64,
        sigma: f64,
    },
    Between(u64, u64),
}

impl Sizes {
    /// The same for the same page of the same site.
    pub fn of(&self, site: usize, page: u64) -> usize {
        let mut lot = fastrand::Rng::with_seed(page.wrapping_mul(1 << 20) ^ site as u64);
        match *self {
            Sizes::LogNormal { median, sigma } => {
                let size = median * (sigma * normal(&mut lot)).exp();
                size.clamp(1e3, 10e6) as usize
            }
            Sizes::Between(least, most) => lot.u64(least..=most) as usize,
        }
    }
}

/// By Box and Muller.
fn normal(lot: &mut fastrand::Rng) -> f64 {
    let (radius, angle) = (1.0 - lot.f64(), lot.f64());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_the_workload_says() {
        let sizes = Sizes::LogNormal { median: 10e3, sigma: 1.8 };
        let mut all: Vec<usize> = (0..2000).map(|page| sizes.of(3, page)).collect();
        assert_eq!(all[7], sizes.of(3, 7));
        all.sort_unstable();
        assert!((8_000..12_500).contains(&all[1000]), "median {}", all[1000]);
        assert!(all[0] >= 1000 && all[1999] <= 10_000_000);
        assert!(all[1999] > 1_000_000, "largest {}", all[1999]);
    }
}
