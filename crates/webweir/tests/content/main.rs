//! What is made of the content of pages, through the command as users run it: fields, rules, topics,
//! and which pages a crawl with a focus asks for first.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

#[path = "../e2e/support/mod.rs"]
mod support;

mod focus;
mod inspected;
mod kept;
mod killed;
mod mistakes;
mod paper;
mod run;
