//! The bandwidth limit, the budget and the calendar, through the command as users run it, judged by
//! what the servers' kernels have sent.
//!
//! Asserted is what the limit itself demands: so many bytes take so long at the least. Nothing is
//! asserted to be fast.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

#[path = "../e2e/support/mod.rs"]
mod support;

mod admission;
mod budget;
mod calendar;
mod held;
mod kill;
mod rate;
mod run;
mod server;
mod sites;
