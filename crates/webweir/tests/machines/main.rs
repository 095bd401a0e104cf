//! A scheduler, its downloaders and the web on machines of their own: a network namespace each, with
//! addresses, interfaces and wires between them, and real processes of the command.
//!
//! The test itself is the machine of the web, so that it knows what was asked for and counts what goes
//! over the wires. Between the scheduler and each downloader it stands in the way (`wire.rs`) and makes
//! the wire slow, cuts it, or reads along. Read `lab.rs` first, then `cluster.rs`.
//!
//! Needs `ip` and the right to make network namespaces; where they cannot be had, each test is skipped
//! with a line that begins `SKIPPED:`. The long versions are marked `#[ignore]`: `cargo xtask soak`.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

#[path = "../e2e/support/mod.rs"]
mod support;

/// The measure of `cargo xtask capcheck`, so that figures can be compared.
#[allow(dead_code, reason = "it serves another program, too")]
#[path = "../../../weir-capcheck/src/series.rs"]
mod series;

mod cap;
mod capture;
mod cluster;
mod kills;
mod lab;
mod meter;
mod packets;
mod partition;
mod slow;
mod wire;
