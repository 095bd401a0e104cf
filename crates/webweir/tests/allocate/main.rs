//! `weir allocate` as users and scripts call it.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

mod given;
mod mistakes;
mod plain;
mod support;
