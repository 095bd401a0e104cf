//! The robots.txt of each host, as dispatch sees it: asked for once, kept in the frontier, and in
//! force before anything else of the host is.

use weir_fetch::robots::Robots;
use weir_types::Skip;

use crate::Config;

/// What is known of a host's robots.txt.
pub enum RobotsState {
    /// Not asked yet, or too old.
    Unknown,
    /// The request is under way; nothing else goes out meanwhile.
    Asked,
    Known { robots: Box<Robots>, until_ms: u64 },
    /// robots.txt is ignored by order.
    Ignored,
    /// Nothing may be fetched from this host.
    Closed { skip: Option<Skip>, why: String },
}

/// A copy may be used for a day (RFC 9309, 2.4).
const FRESH_MS: u64 = 24 * 3600 * 1000;

/// As it came, to be kept in the frontier.
pub struct RobotsFile {
    pub at_ms: u64,
    pub status: u16,
    pub body: Vec<u8>,
}

impl RobotsFile {
    pub fn state(&self) -> RobotsState {
        let robots = Robots::for_status(self.status, &self.body, Config::PRODUCT);
        RobotsState::Known { robots: Box::new(robots), until_ms: self.at_ms + FRESH_MS }
    }

    pub fn is_fresh(&self, now_ms: u64) -> bool {
        now_ms < self.at_ms + FRESH_MS
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.at_ms.to_le_bytes().to_vec();
        bytes.extend_from_slice(&self.status.to_le_bytes());
        bytes.extend_from_slice(&self.body);
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<RobotsFile> {
        let (at_ms, rest) = bytes.split_first_chunk()?;
        let (status, body) = rest.split_first_chunk()?;
        Some(RobotsFile {
            at_ms: u64::from_le_bytes(*at_ms),
            status: u16::from_le_bytes(*status),
            body: body.to_owned(),
        })
    }
}
