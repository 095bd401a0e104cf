//! A crawler whose bandwidth is bounded, in virtual time: the experiment of Diligenti et al. 2004.
//!
//! A predefined queue of documents, in the order of their score, is fetched from servers of different
//! speed, and one of several controls decides when a fetch starts. What the paper says is fixed; what
//! it leaves open is in `Setting`. Read `crawl` for the loop, `web` for what is fetched.

mod assumptions;
mod control;
mod crawl;
mod line;
mod setting;
mod table;
mod trace;
mod web;

pub use assumptions::assumptions;
pub use control::Control;
pub use crawl::crawl;
pub use setting::{Connections, Search, Setting};
pub use table::Estimate;
pub use trace::Trace;
pub use web::Web;

/// The limit of the paper's experiments, in bytes a second.
pub const LIMIT: f64 = 140_000.0;
/// Left out of every measure: at first nothing runs, and feedback has to find its way.
pub const SETTLING: usize = 60;
/// What is measured, in seconds.
pub const MEASURED: usize = 300;
/// Each measure is taken on so many webs.
pub const WEBS: u64 = 20;
/// Settings were tried out on the webs 0 to 19. What is told of them is measured on others, so that it
/// is not what they were chosen for.
const FIRST_WEB: u64 = 100;
