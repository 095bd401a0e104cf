//! What is run: one line of the table each.

use std::time::Duration;

use crate::fair::{self, Claim};
use crate::web::Sizes;

/// A packet on the wire, and what of it is a server's to fill.
const PACKET: f64 = 1514.0;
const PAYLOAD: f64 = 1448.0;

const FEW: usize = 8;

#[derive(Clone, Debug)]
pub struct Scenario {
    /// `mixed 1MB/s 50-100ms`.
    pub name: String,
    pub client: Client,
    /// Bytes a second.
    pub limit: u64,
    /// Rates that come instead of it, each after so many seconds.
    pub changes: Vec<(u64, u64)>,
    pub sites: Vec<Plan>,
    pub delay_ms: (u64, u64),
    pub per_host: usize,
    pub tls: bool,
    pub aim: Aim,
    pub in_short: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    Weir(Control),
    /// weir without control, on a line that carries no more than the limit: shows what the meter makes
    /// of a cap that is kept.
    Line,
    Curl,
    Wget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    None,
    Feedback,
    Predict,
    Shape,
}

/// One site, as it is and as weir is told to treat it.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub speed: Option<u64>,
    pub sizes: Sizes,
    pub weight: f64,
    pub cap: Option<u64>,
}

/// What is judged, of `shape` only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// The cap is used, and held in every window.
    Cap,
    /// It is held; the reason says why it cannot be used.
    Held(&'static str),
    /// Each site has its fair share.
    Shares,
    /// The same, but the reason says why a miss is none.
    SharesShown(&'static str),
    /// A new rate is soon felt.
    Change,
    /// It takes hardly more processor time than none.
    Cost,
}

impl Client {
    pub fn name(self) -> &'static str {
        match self {
            Client::Weir(control) => control.name(),
            Client::Line => "line",
            Client::Curl => "curl",
            Client::Wget => "wget",
        }
    }
}

impl Control {
    pub const ALL: [Control; 4] =
        [Control::None, Control::Feedback, Control::Predict, Control::Shape];

    pub fn name(self) -> &'static str {
        match self {
            Control::None => "none",
            Control::Feedback => "feedback",
            Control::Predict => "predict",
            Control::Shape => "shape",
        }
    }
}

impl Scenario {
    /// The name with the control.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.client.name())
    }

    pub fn is_judged(&self) -> bool {
        self.client == Client::Weir(Control::Shape)
    }

    /// What each site should get, where that can be said: where every site always has work, as those
    /// with long pages have.
    pub fn fair(&self) -> Option<Vec<f64>> {
        (self.sites.len() <= FEW).then(|| {
            let claims: Vec<Claim> = self.sites.iter().map(Plan::claim).collect();
            fair::shares(self.limit as f64, &claims)
        })
    }

    /// How long it runs: until some time after the last change, at least.
    pub fn time(&self, seconds: u64) -> Duration {
        let last = self.changes.last().map_or(0, |(after, _)| after + 4);
        Duration::from_secs(seconds.max(last))
    }

    /// What can be had in all: the limit, or what the sites can give.
    pub fn reference(&self) -> f64 {
        self.fair().map_or(self.limit as f64, |shares| shares.iter().sum())
    }
}

impl Plan {
    pub fn new(sizes: Sizes) -> Plan {
        Plan { speed: None, sizes, weight: 1.0, cap: None }
    }

    fn claim(&self) -> Claim {
        let speed = self.speed.map_or(f64::INFINITY, |speed| speed as f64 * PACKET / PAYLOAD);
        let cap = self.cap.map_or(f64::INFINITY, |cap| cap as f64);
        Claim { weight: self.weight, most: speed.min(cap) }
    }
}

/// `140KB/s`, `20MB/s`.
pub fn show_rate(rate: u64) -> String {
    match rate {
        rate if rate.is_multiple_of(1_000_000) => format!("{}MB/s", rate / 1_000_000),
        rate => format!("{}KB/s", rate as f64 / 1e3),
    }
}
