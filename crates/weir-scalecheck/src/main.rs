//! What a frontier of many URLs costs: opens one, makes it grow by generated URLs, and closes it.
//!
//! `weir-scalecheck FOLDER HOSTS URLS` says what opening took, a line of JSON, and what it took to
//! get to URLs, another one. Started again with more URLs it goes on from there, so each start
//! measures how long it takes to open what the one before has left. `bench/scale` is what runs it.
//!
//! The URLs are in `web.rs`, the work of a crawl in `grow.rs`, clocks and memory in `look.rs`.

mod grow;
mod look;
mod web;

use std::path::Path;

use anyhow::{Context, bail};
use serde_json::json;
use weir_frontier::{Config, Frontier};

use crate::grow::grow;
use crate::look::{Spent, disk, memory};
use crate::web::Web;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    const USE: &str = "weir-scalecheck FOLDER HOSTS URLS";
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [folder, hosts, urls] = &given[..] else { bail!(USE) };
    let folder = Path::new(folder);
    let hosts: u64 = hosts.parse().context(USE)?;
    let urls = urls.parse().context(USE)?;

    let mut opening = Spent::default();
    let (mut frontier, _) = opening.on(1, || Frontier::open(folder, Config::default()))?;
    let counts = *frontier.counts();
    println!(
        "{}",
        json!({"opened": {
            "urls": counts.known, "waiting": counts.open, "kept": counts.kept,
            "seconds": opening.wall_s(), "cpu_s": opening.cpu_s(),
            "memory": memory()?, "disk": disk(folder)?,
        }})
    );

    let web = Web::new(&mut frontier, hosts);
    let named = memory()?;
    let grown = grow(&mut frontier, &web, urls)?;
    let counts = *frontier.counts();
    let told = json!({"grown": {
        "urls": counts.known, "waiting": counts.open, "kept": counts.kept,
        "url_bytes": grown.mean_length(), "hosts": hosts, "memory_of_hosts": named,
        "add": grown.add.each(), "lease": grown.lease.each(),
        "seen": grown.seen.each(), "unseen": grown.unseen.each(),
        "memory": memory()?, "disk": disk(folder)?,
    }});
    frontier.close()?;
    println!("{told}");
    Ok(())
}
