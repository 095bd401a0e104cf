//! Servers that mean harm, or work as if they did: a test for each row of docs/hostile.md.
//!
//! Each crawl meets one hostile host and an honest neighbour, through the command as users run it.
//! It must end by itself, keep its memory, keep the neighbour's pages, and leave a word about what
//! became of the bad ones.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

#[path = "../e2e/support/mod.rs"]
mod support;

mod bodies;
mod check;
mod heads;
mod mixed;
mod pages;
mod raw;
mod redirects;
mod robots;
mod silence;
mod ssrf;
mod traps;
mod waits;
