//! Crawls in virtual time. A web is described, a policy shares the bandwidth, and what came of it is
//! told in tables and pictures. Everything follows from the input and a seed; nothing is read or
//! written here, the command does that.
//!
//! Read `world` for what is simulated, `run` for how, `figures` for the paper's experiments, and
//! `replay` for a crawl that was recorded.

pub mod bounded;
pub mod chart;
mod draw;
pub mod figures;
pub mod orderings;
pub mod refresh;
pub mod replay;
pub mod report;
pub mod run;
pub mod scenario;
pub mod table;
pub mod world;
