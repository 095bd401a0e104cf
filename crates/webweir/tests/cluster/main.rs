//! One crawl on several machines, through the command as users run it: real processes that join, leave,
//! are killed and come back, on loopback addresses. The server's own count and what stands in the files of
//! all downloaders together are the judges.
//!
//! The long versions are marked `#[ignore]`: `cargo xtask soak`.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

#[path = "../e2e/support/mod.rs"]
mod support;

#[path = "../content/paper.rs"]
#[allow(dead_code, reason = "other tests use all of it")]
mod paper;
#[path = "../limit/server.rs"]
#[allow(dead_code, reason = "other tests use all of it")]
mod server;

#[path = "../sinks/place.rs"]
#[allow(dead_code, reason = "other tests use all of it")]
mod place;
#[path = "../sinks/postgres.rs"]
#[allow(dead_code, reason = "other tests use all of it")]
mod postgres;
#[cfg(feature = "objects")]
#[path = "../sinks/s3.rs"]
mod s3;

mod content;
mod hostile;
mod joins;
mod keys;
mod killed;
mod late;
mod limits;
mod mistakes;
#[cfg(feature = "objects")]
mod objects;
mod output;
mod polite;
mod run;
mod sinks;
mod team;
mod together;
mod watched;
mod written_off;
