use std::time::Duration;

use crate::Links;

/// What came of one lease. Chosen in one policy table (`weir-crawl/src/policy.rs`), applied by
/// `dispatch`.
///
/// The states of a URL:
///
/// ```text
/// found ──▶ waiting ──▶ leased ──▶ kept       a response is stored, whatever its status
///   │          ▲           ├─────▶ read       a sitemap: its URLs are found, it is no page
///   │          ▲           ├─────▶ dropped    it will not be asked for (again): why is recorded
///   │          └───────────┘
///   │            retry, host resting, lease expired, or the process died
///   └──▶ skipped                              never queued: scope, depth, address, ...
/// ```
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A response came, complete or cut, and is kept.
    Kept { status: u16, bytes_wire: u64, bytes_body: u64, links: Links },
    /// It was a sitemap: read for what it lists, and no page to keep.
    Read { links: Links },
    /// The same URL is worth another try after a pause.
    Retry { why: String },
    /// It will never be fetched.
    Dropped { skip: Option<Skip>, why: String },
    /// The URL goes back unharmed, and its host is left alone for a while.
    HostResting { why: String, rest: Option<Duration> },
}

/// The answer that a page is as it was when it came.
pub const NOT_MODIFIED: u16 = 304;

/// A page came, or is as it was when it came.
pub fn is_page(status: u16) -> bool {
    matches!(status, 200..300 | NOT_MODIFIED)
}

/// Why a URL was left out although it was found; the names are those of `report.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Skip {
    Robots = 1,
    Scope = 2,
    /// Pages like it stopped bringing anything new; see `weir-crawl/src/traps`.
    Trap = 3,
    Private = 4,
    Depth = 5,
    Other = 6,
    /// A trap told by its path alone: the same segments again and again.
    TrapRepeats = 7,
    /// A trap told by its path alone: far too many segments.
    TrapDeep = 8,
    /// A trap told by its query alone: it grows and grows.
    TrapQuery = 9,
    /// The host's robots.txt could not be had, and without it nothing may be fetched.
    RobotsAway = 10,
}

impl Skip {
    pub const ALL: [Skip; 10] = [
        Skip::Robots,
        Skip::Scope,
        Skip::Trap,
        Skip::Private,
        Skip::Depth,
        Skip::Other,
        Skip::TrapRepeats,
        Skip::TrapDeep,
        Skip::TrapQuery,
        Skip::RobotsAway,
    ];
    pub const TRAPS: [Skip; 4] = [Skip::Trap, Skip::TrapRepeats, Skip::TrapDeep, Skip::TrapQuery];

    /// Whether it may be over by the next run, which then tries again.
    pub fn is_passing(self) -> bool {
        matches!(self, Skip::RobotsAway | Skip::Trap)
    }

    pub fn from_code(code: u8) -> Option<Skip> {
        Skip::ALL.into_iter().find(|skip| *skip as u8 == code)
    }
}
