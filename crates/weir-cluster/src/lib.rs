//! One crawl on several machines. A *scheduler* is the deciding half of a crawl (`weir_crawl`'s loop,
//! with all of its promises) whose hands are elsewhere; a *downloader* is the working half: it fetches
//! what it is told to, keeps the pages where it runs, and says what came of them. One gRPC stream
//! joins the two.
//!
//! Nothing is decided twice: robots.txt, pace, scope, deadlines and the cap are the scheduler's, and
//! a downloader has only what was leased to it, bandwidth included. `scheduler/cluster.rs` is the page
//! to read first, then `downloader/mod.rs`; `convert` is the only place that knows both worlds.

pub mod bank;
mod convert;
mod downloader;
mod error;
mod gate;
mod machine;
pub mod purse;
mod scheduler;
mod seal;
mod security;
mod serve;
pub mod standalone;

/// Made of `proto/cluster.proto`.
pub mod wire {
    tonic::include_proto!("weir.cluster");
}

use std::time::Duration;

pub use downloader::{Doing, DownloaderOptions, Left, downloader};
pub use error::ClusterError;
pub use scheduler::{Dispatch, Scheduler, scheduler};
pub use security::{InitOptions, KeysError, Made, add_downloader, day, init};

/// Of the protocol; a peer with another one is refused.
const VERSION: u32 = 1;
/// A downloader tells how it is doing this often, and is told something at least every other time.
const PULSE: Duration = Duration::from_millis(200);
/// A downloader that hears nothing for so long asks for nothing new, and reads nothing more if there
/// is a cap...
const QUIET: Duration = Duration::from_secs(3);
/// ...gives up what it fetches...
const GIVE_UP: Duration = Duration::from_secs(8);
/// ...and so the scheduler may have somebody else ask the same hosts, when it has heard nothing for
/// this long.
const GONE: Duration = Duration::from_secs(10);
/// One page has at most some 100,000 links; nothing else comes near.
const LARGEST_MESSAGE: usize = 32 << 20;
