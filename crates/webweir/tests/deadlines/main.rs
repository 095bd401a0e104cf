//! Deadlines through the command as users run it: what is promised, what is kept, and what is said
//! when it cannot be.
//!
//! Nothing is asserted to be fast. Deadlines that shall hold are far away, and those that shall not
//! cannot be held by anyone under the limit.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

#[path = "../e2e/support/mod.rs"]
mod support;

mod budgets;
mod job;
mod kept;
mod plan;
mod resume;
mod rounds;
mod settings;
