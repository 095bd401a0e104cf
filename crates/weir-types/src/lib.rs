//! The words every crate of weir shares. No logic of a stage lives here, and nothing here does I/O.
//!
//! Read `outcome` next: it draws the states of a URL.

pub mod codec;
mod fingerprint;
mod links;
mod outcome;
mod page;
mod rate;
mod site;
mod sketch;
mod units;

pub use fingerprint::Fingerprint;
pub use links::{LinkKind, LinkRef, Links};
pub use outcome::{NOT_MODIFIED, Outcome, Skip, is_page};
pub use page::{Cut, Page, Protocol};
pub use rate::Rate;
pub use site::{Scope, site_of};
pub use sketch::{Piece, Sketch};
pub use units::{Bandwidth, Size, UnitError, parse_duration, show_duration};
