use std::net::SocketAddr;
use std::sync::Arc;

use url::{Position, Url};

use weir_fetch::{Claim, Share};

use crate::robots::RobotsState;
use crate::tasks::TaskId;

/// One host (scheme, name and port), as dispatch sees it.
pub struct Host {
    pub site: Arc<str>,
    pub origin: Arc<str>,
    /// Its pages may be crawled. A host that only has a sitemap for others is known, too.
    pub in_scope: bool,
    pub address: Address,
    pub robots: RobotsState,
    /// The piece of work that it belongs to.
    pub task: TaskId,
    /// The part of the bandwidth cap that it takes from.
    pub share: Option<Share>,
    pub robots_tries: u32,
    /// What the frontier kept of it was looked at.
    pub recalled: bool,
    /// Sitemaps of it that were found.
    pub sitemaps: u32,
    /// Depths of the pages under way, in order of their start.
    pub depths: Vec<u32>,
}

/// Where a host is served from: looked up before anything is asked for, because many names may be
/// one server.
pub enum Address {
    Unknown,
    /// In line for a lookup.
    Waits,
    Asked,
    Known {
        all: Arc<[SocketAddr]>,
        until_ms: u64,
    },
}

impl Host {
    pub fn new(
        site: Arc<str>,
        origin: Arc<str>,
        in_scope: bool,
        robots: RobotsState,
        task: TaskId,
        share: Option<Share>,
    ) -> Host {
        Host {
            site,
            origin,
            in_scope,
            address: Address::Unknown,
            robots,
            task,
            share,
            robots_tries: 0,
            recalled: false,
            sitemaps: 0,
            depths: Vec::new(),
        }
    }

    /// Waits for an answer without which nothing can be asked for.
    pub fn is_held(&self) -> bool {
        matches!(self.robots, RobotsState::Asked)
            || matches!(self.address, Address::Asked | Address::Waits)
    }

    /// What an exchange with it takes of the bandwidth cap.
    pub fn claim(&self) -> Option<Claim> {
        self.share.map(|share| Claim { share, speed: None })
    }

    pub fn allows(&self, url: &Url) -> bool {
        match &self.robots {
            RobotsState::Known { robots, .. } => {
                robots.allows(&url[Position::BeforePath..Position::AfterQuery])
            }
            _ => true,
        }
    }

    pub fn url(&self, path: &str) -> Url {
        Url::parse(&format!("{}{path}", self.origin))
            .expect("an origin comes from a URL that was parsed")
    }
}
