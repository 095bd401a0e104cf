//! A crawl for people who look at it: a page, an HTTP API and metrics, served from a thread of its own.
//!
//! It has no part in the crawl. Every second it is shown a picture (`weir_crawl::View`), and what somebody wants to be done
//! goes to the crawl's loop (`weir_crawl::Helm`) and is done there. `server.rs` is the page to read first; `board.rs` keeps what was
//! shown, `guard.rs` says who may look and act, `ui/` is the page itself, which is embedded as it is.

mod actions;
mod api;
mod board;
mod delta;
mod error;
mod events;
mod guard;
mod metrics;
mod openapi;
mod packed;
mod page;
mod rates;
mod server;
mod state;
mod verdict;

pub use api::Why;
pub use guard::Token;
pub use metrics::{Described as DescribedMetric, described as described_metrics};
pub use server::{Dashboard, Hooks, Options, Reload, StartError};

/// Where it is served unless somebody says otherwise.
pub const ADDRESS: &str = "127.0.0.1:8710";
