//! Coming back to pages that change, in virtual time: how fresh copies are kept with so many bytes a day.
//!
//! Read `web` for what is simulated, `run` for how, `ours` for the policy of weir; the others are its peers.
//! Times are in days.

mod intervals;
mod mix;
mod ours;
mod peer;
mod run;
mod steady;
mod table;
mod web;

pub use mix::{MIXES, Mix};
pub use ours::Learns;
pub use peer::Peer;
pub use run::{Kept, run};
pub use table::{BUDGETS, NAME, TITLE, figure, table};
pub use web::{Page, Web};

/// The rates are learnt in these first days, which do not count.
pub const WARM_UP: f64 = 28.0;
pub const MEASURED: f64 = 42.0;
/// When pages of a shifting web take on other habits, in the middle of what is measured.
pub const SHIFT: f64 = 42.0;
