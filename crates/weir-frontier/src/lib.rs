//! The frontier: which URLs are known, waiting, leased and done, and in what order they go out.
//!
//! One log on disk is the truth ([`docs/formats/frontier.md`]). Of a URL that is known, its fingerprint
//! is in memory and a bit for "done", and more only while it waits or is out: the text stays on disk.
//! Beside these there are a bounded part of the queues and some blocks of the log, retries and leases,
//! and what there is of each host: its name, its sums, and the places of its notes. Where a crawl goes
//! only so deep, following shorter ways takes some 60 bytes a URL more (`ways.rs`). It has no clock
//! and no socket: times come in as milliseconds, and whoever calls decides when to write and when to sync.
//!
//! Read `frontier.rs` next, then `queues.rs` for the order and `recover.rs` for what a crash does.
//!
//! [`docs/formats/frontier.md`]: ../../../docs/formats/frontier.md

mod again;
mod blocks;
mod depths;
mod error;
mod folder;
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
mod ways;

pub use again::Resting;
pub use depths::{Known, Spot, known};
pub use error::FrontierError;
pub use folder::{clear, hold, is_in_use, is_there, put_aside, put_back};
pub use frontier::{Added, Config, End, Found, Frontier, HostId, Leased, Opened};
pub use history::{Event, History, history, last_note};
pub use known::{Counts, HostTotals, Past};
pub use log::LogSyncer;
pub use record::UrlKind;
