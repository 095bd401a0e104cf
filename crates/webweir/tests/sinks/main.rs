//! From pages to where people want them, through the command as users run it: exports, and sinks
//! that follow a crawl through kills of weir and of the database.
//!
//! PostgreSQL, and a server that speaks S3, are installed if they are not there. Where they cannot be had,
//! what needs them is skipped with a line that begins `SKIPPED:`.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

#[path = "../e2e/support/mod.rs"]
mod support;

mod away;
mod export;
mod joined;
mod kept;
mod killed;
mod made;
mod mistakes;
mod objects;
mod place;
mod postgres;
#[cfg(feature = "objects")]
mod s3;
mod site;
