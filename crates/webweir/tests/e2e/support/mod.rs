//! Shared by the tests that run the command.
#![allow(dead_code, reason = "each of them uses a part")]

pub mod command;
pub mod debian;
pub mod inside;
pub mod nginx;
pub mod outcome;
pub mod python;
pub mod tmpfs;
pub mod usage;
pub mod verdict;
pub mod warc;

/// The line by which `cargo xtask test` learns what was left out.
pub fn skip(suite: &str, why: &str) {
    eprintln!("SKIPPED: {suite}: {why}");
}

/// `$XDG_CACHE_HOME/weir`, or `~/.cache/weir`: downloads outlive the checkout.
pub fn cache_folder() -> Option<std::path::PathBuf> {
    let set = |key| std::env::var_os(key).filter(|value| !value.is_empty());
    let cache = set("XDG_CACHE_HOME").map(std::path::PathBuf::from);
    let cache = cache.or_else(|| Some(std::path::Path::new(&set("HOME")?).join(".cache")))?;
    Some(cache.join("weir"))
}

/// Waits until `ready` says so, and fails when that takes too long.
pub fn wait_until(what: &str, ready: impl FnMut() -> bool) {
    wait_until_within(BOUND, what, ready);
}

pub fn wait_until_within(bound: std::time::Duration, what: &str, mut ready: impl FnMut() -> bool) {
    let started = std::time::Instant::now();
    while !ready() {
        assert!(started.elapsed() < bound, "waited {bound:?} in vain for {what}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// No single wait is longer. It is no promise about speed, only an end.
pub const BOUND: std::time::Duration = std::time::Duration::from_secs(300);
