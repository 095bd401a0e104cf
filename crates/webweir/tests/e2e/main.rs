//! End to end, through the command as users run it: what a crawl promises, judged by the server's
//! own count and by readers that are not ours (`tests/python`).
//!
//! `cargo xtask test` installs what these tests need. What cannot be had here is skipped with a
//! line that begins `SKIPPED:`. The long versions are marked `#[ignore]`: `cargo xtask soak`.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

mod away;
mod depth;
mod disk_full;
mod folder;
mod kill;
mod messages;
mod pipes;
mod reboot;
mod sites;
mod support;
