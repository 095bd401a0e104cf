//! Manners, judged by the server's own diary: what a site owner sees of weir.
//!
//! Only lower bounds on time are asserted, those that politeness itself demands.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

#[path = "../e2e/support/mod.rs"]
mod support;

mod busy;
mod directives;
mod pace;
mod robots;
mod servers;
mod site;
mod sitemaps;
