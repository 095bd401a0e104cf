//! `weir inspect` as users and scripts call it: what is typed, what comes on standard input, and
//! whole corpora in one process.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

mod corpus;
mod fuzz;
mod lines;
mod mistakes;
mod plain;
mod support;
