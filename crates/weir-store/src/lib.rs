//! Keeps what was crawled: WARC 1.1 files and Parquet tables, each page exactly once although the
//! process may be killed at any moment.
//!
//! The store does not decide what is done; the frontier does. After each [`Store::flush`] the
//! caller journals the returned [`Mark`], and [`Store::open`] cuts the files back to the last mark
//! journalled. `docs/formats/commit.md` goes through every point at which a crash can fall.
//!
//! Fetching and parsing are left to others: they hand in a `Page` and its [`PageFacts`]. A
//! [`Packer`] (one a worker) turns them into bytes, the [`Store`] (one owner) puts those into
//! files. Read `store` next, then `reopen`; the formats are in `warc` and `pages`. What is committed is
//! read back by `export` and by the followers in `sinks`, which hand it on to files and databases.
//! Several stores can work side by side, each with a label: [`gather`] brings their files together.

mod carry;
mod config;
mod digest;
mod error;
mod export;
mod facts;
mod firsts;
mod gather;
mod gzip;
mod label;
mod log;
mod mark;
mod names;
mod near;
mod packer;
mod pages;
mod reopen;
mod sinks;
mod store;
mod syncer;
mod warc;

pub use config::StoreConfig;
pub use error::StoreError;
pub use export::{Export, ExportError, Exported, FileFormat, Source, Target};
pub use facts::{PageFacts, Unchanged};
pub use gather::{Gathered, gather};
pub use mark::Mark;
pub use names::any_output;
pub use packer::{Packed, Packer};
use pages::Position;
pub use sinks::{
    Extent, Feeder, Followers, SinkError, SinkState, SinkTarget, TargetError, check_table,
    without_password,
};
pub use store::{Store, Totals};
pub use syncer::Syncer;
