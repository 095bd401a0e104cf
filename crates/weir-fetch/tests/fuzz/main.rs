//! Spoiled input for everything here that reads the network: nothing panics, hangs or grows beyond
//! its bounds. `cargo xtask fuzz` runs the same for longer.
#![allow(clippy::unwrap_used)]

mod codings;
mod redirects;
mod responses;
mod robots;
#[path = "../server/mod.rs"]
mod server;

#[global_allocator]
static COUNTING: weir_fuzz::Counting = weir_fuzz::Counting;

/// Files of the shared test data to begin with, where it is at hand.
fn shared(folder: &str) -> Vec<Vec<u8>> {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/");
    let Ok(files) = std::fs::read_dir(format!("{shared}{folder}")) else { return Vec::new() };
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}
