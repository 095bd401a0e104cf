//! The frontier: which URLs are known, waiting, leased and done, and in what order they go out.
//!
//! One log on disk is the truth ([`docs/formats/frontier.md`]). In memory are only the fingerprints
//! of the known URLs, a bit a URL for "done", and a bounded part of the queues; the texts stay on
//! disk. It has no clock and no socket: times come in as milliseconds, and whoever calls decides
//! when to write and when to sync.
//!
//! Read `frontier.rs` next, then `queues.rs` for the order and `recover.rs` for what a crash does.
//!
//! [`docs/formats/frontier.md`]: ../../../docs/formats/frontier.md

mod again;
mod depths;
mod error;
mod frontier;
mod history;
mod known;
mod leases;
mod log;
mod names;
mod queues;
mod record;
mod recover;
mod seen;
mod spill;

pub use again::Resting;
pub use depths::{Known, Spot, known};
pub use error::FrontierError;
pub use frontier::{Added, Config, End, Found, Frontier, HostId, Leased, Opened};
pub use history::{Event, History, history, last_note};
pub use known::{Counts, HostTotals, Past};
pub use log::LogSyncer;
pub use record::UrlKind;
pub use recover::{is_in_use, is_there};
