//! Keeps the finished pages of a downloader until the scheduler has settled them, so that each is
//! in the store exactly once although either side may be killed, or lose power, at any moment.
//!
//! A page is [put](Spool::put) with its outcome and made durable; only then may its outcome be sent.
//! What the scheduler [has settled](Spool::settled) moves into the `weir_store::Store`, what it has
//! rejected vanishes, and all the rest is handed back when the spool is opened again.
//!
//! What an outcome says, and who sends it, is left to others: here it is bytes. Read `spool` next,
//! then `open`; `docs/formats/spool.md` has the format and every point at which a crash can fall.

mod committed;
mod error;
mod folder;
mod log;
mod open;
mod record;
mod segment;
mod spool;
mod syncer;

pub use committed::committed;
pub use error::SpoolError;
pub use open::Pending;
pub use spool::Spool;
pub use syncer::SpoolSyncer;
