//! One HTTP exchange, fast, bounded and safe: a URL goes in, a [`weir_types::Page`] or a
//! [`Failure`] comes out. Also what a fetched thing needs at once: content codings undone
//! ([`coding`]), the rules of a robots.txt ([`robots`]), the target of a redirect.
//!
//! Left to others: when a host may be asked and how often (dispatch), whether a URL may be asked
//! for at all (scope, robots), following redirects (a 3xx is a page; its target is queued and
//! thereby checked again), and what to do after a failure (one policy table).
//!
//! Every byte a site sends goes through the [`Shaper`], if there is one: it holds the bandwidth cap.
//!
//! A [`Fetcher`] belongs to one thread, and is used inside a `tokio::task::LocalSet`.
//! Read `fetch` next, then `exchange`.

#![deny(unsafe_code)]

pub mod address;
mod body;
pub mod coding;
mod config;
mod connect;
mod exchange;
mod failure;
mod fetch;
mod head;
mod incoming;
mod link;
mod names;
mod overrides;
mod pool;
mod redirect;
mod request;
pub mod robots;
mod room;
mod shaper;
mod timer;
mod tls;
mod wire;

pub use config::{FetchConfig, Limits};
pub use failure::{Failure, SetupError};
pub use fetch::Fetcher;
pub use overrides::{Override, OverrideError};
pub use redirect::redirect_target;
pub use shaper::{Claim, Meter, Part, Rates, Shaper, Share, Tier};
