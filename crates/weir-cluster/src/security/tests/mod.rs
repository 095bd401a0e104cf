//! Real sockets on loopback, a scheduler that echoes, and every way to be refused by it.

mod capture;
mod choose;
mod echo;
mod made;
mod refused;
mod slow;

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::{InitOptions, Made, init};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder of fresh keys for a scheduler on this machine.
fn keys() -> TempDir {
    keys_of(SystemTime::now())
}

fn keys_of(when: SystemTime) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), when);
    dir
}

fn make(dir: &Path, when: SystemTime) -> Made {
    let options = InitOptions { force: false, keep_ca_key: true };
    init(dir, &["scheduler.example".to_owned()], options, when).unwrap()
}

fn long_ago() -> SystemTime {
    SystemTime::now() - DAY * 3 * 365
}

fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}
