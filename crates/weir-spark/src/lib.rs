//! The working half of a crawl on Apache Spark: one *bucket* of hosts in one *round*. Spark says
//! which task crawls which bucket and carries links from one to another; what is done with a bucket
//! is `weir_crawl::crawl_part`, the same crawl as on one machine.
//!
//! A task (`task.rs`) runs ahead inside its bucket, as if it knew the shortest way to each page. What
//! it has found is validated at its end (`depths.rs`): a page that turns out to be nearer is given its
//! depth, and what follows from that is followed. When a crawl is done, `history` says which pages are
//! worth another visit, and a task asks for them again (`again.rs`). Nothing here knows Spark, Python, or where results
//! are kept; `python/` does.

mod again;
mod cascade;
mod depths;
mod error;
mod held;
mod history;
mod tables;
mod task;

pub use cascade::{Cascade, Followed};
pub use error::TaskError;
pub use held::run_held;
pub use history::{Pages, Sites, everywhere, read, worth, write};
pub use task::{Bounds, Done, Files, Task, run};
