//! The robots.txt of each host, as dispatch sees it: asked for once, kept in the frontier, and in
//! force before anything else of the host is.

use weir_fetch::robots::Robots;
use weir_types::Skip;

use crate::RobotsMode;

/// What is known of a host's robots.txt.
pub enum RobotsState {
    /// Not asked yet, or too old.
    Unknown,
    /// The request is under way; nothing else goes out meanwhile.
    Asked,
    Known {
        robots: Box<Robots>,
        until_ms: u64,
    },
    /// robots.txt is ignored by order.
    Ignored,
    /// Nothing may be fetched from this host.
    Closed {
        skip: Option<Skip>,
        why: String,
    },
}

impl RobotsState {
    /// Before anything is known.
    pub fn at_first(mode: RobotsMode) -> RobotsState {
        match mode {
            RobotsMode::Obey => RobotsState::Unknown,
            RobotsMode::Ignore => RobotsState::Ignored,
        }
    }
}

/// A copy may be used for a day (RFC 9309, 2.4).
const FRESH_MS: u64 = 24 * 3600 * 1000;

/// As it came, to be kept in the frontier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsFile {
    pub at_ms: u64,
    pub status: u16,
    pub body: Vec<u8>,
}

impl RobotsFile {
    pub fn state(&self, product: &str) -> RobotsState {
        let robots = Robots::for_status(self.status, &self.body, product);
        RobotsState::Known { robots: Box::new(robots), until_ms: self.until_ms() }
    }

    /// One of a time to come was noted when a clock was wrong, and nobody knows how old it is.
    pub fn is_fresh(&self, now_ms: u64) -> bool {
        (self.at_ms..self.until_ms()).contains(&now_ms)
    }

    /// A note of a damaged disk may hold any time.
    fn until_ms(&self) -> u64 {
        self.at_ms.saturating_add(FRESH_MS)
    }
}

/// What the frontier keeps of a host between runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNote {
    pub robots: Option<RobotsFile>,
    /// The host asked to be left alone until then.
    pub rest_until_ms: u64,
}

/// Comes before the time of a rest; no time of a robots.txt is this high.
const REST: u64 = u64::MAX;

impl HostNote {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.rest_until_ms > 0 {
            bytes.extend_from_slice(&REST.to_le_bytes());
            bytes.extend_from_slice(&self.rest_until_ms.to_le_bytes());
        }
        if let Some(file) = &self.robots {
            bytes.extend_from_slice(&file.at_ms.to_le_bytes());
            bytes.extend_from_slice(&file.status.to_le_bytes());
            bytes.extend_from_slice(&file.body);
        }
        bytes
    }

    /// What cannot be read is as good as not there: it is asked for again.
    pub fn from_bytes(mut bytes: &[u8]) -> HostNote {
        let mut note = HostNote::default();
        if let Some((mark, rest)) = bytes.split_first_chunk()
            && u64::from_le_bytes(*mark) == REST
            && let Some((until, rest)) = rest.split_first_chunk()
        {
            note.rest_until_ms = u64::from_le_bytes(*until);
            bytes = rest;
        }
        if let Some((at_ms, rest)) = bytes.split_first_chunk()
            && u64::from_le_bytes(*at_ms) != REST
            && let Some((status, body)) = rest.split_first_chunk()
        {
            let (at_ms, status) = (u64::from_le_bytes(*at_ms), u16::from_le_bytes(*status));
            note.robots = Some(RobotsFile { at_ms, status, body: body.to_owned() });
        }
        note
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_fresh_for_a_day_and_not_before_it_came() {
        let file = RobotsFile { at_ms: FRESH_MS, status: 200, body: Vec::new() };
        for (now_ms, is_fresh) in [
            (FRESH_MS - 1, false),
            (FRESH_MS, true),
            (2 * FRESH_MS - 1, true),
            (2 * FRESH_MS, false),
        ] {
            assert_eq!(file.is_fresh(now_ms), is_fresh, "{now_ms}");
        }
    }

    #[test]
    fn a_note_reads_back_as_written() {
        let file = RobotsFile { at_ms: 77, status: 200, body: b"User-agent: *".to_vec() };
        for robots in [None, Some(file)] {
            for rest_until_ms in [0, 99] {
                let note = HostNote { robots: robots.clone(), rest_until_ms };
                assert_eq!(HostNote::from_bytes(&note.to_bytes()), note);
            }
        }
        assert_eq!(HostNote::from_bytes(b"short"), HostNote::default());
    }
}
