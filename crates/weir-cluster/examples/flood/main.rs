//! A load test of the scheduler alone. Downloaders that fetch nothing answer every job at once with a
//! page of a made-up web (`web.rs`), over the real protocol; so whatever is slow is the scheduler.
//!
//! `flood http://127.0.0.1:7700 MEMBERS SLOTS URLS`, on a scheduler that was started with
//! `--robots ignore`, says on its standard output how far it is, a line of JSON for every 100,000
//! URLs; at URLs it goes quiet, and it ends with the scheduler. `bench/cluster` is what runs it.

mod member;
mod web;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What all members together have done.
pub struct Tally {
    begun: Instant,
    /// No more than these are made up.
    most_urls: u64,
    urls: AtomicU64,
    outcomes: AtomicU64,
    settled: AtomicU64,
}

/// A line is written each time that so many more URLs are known.
const STEP: u64 = 100_000;

impl Tally {
    fn is_full(&self) -> bool {
        self.urls.load(Ordering::Relaxed) >= self.most_urls
    }

    /// A page was answered that links to so many new ones.
    fn answered(&self, new: u64) {
        self.outcomes.fetch_add(1, Ordering::Relaxed);
        let before = self.urls.fetch_add(new, Ordering::Relaxed);
        if before / STEP != (before + new) / STEP {
            self.tell((before + new) / STEP * STEP);
        }
    }

    fn settled(&self, more: u64) {
        self.settled.fetch_add(more, Ordering::Relaxed);
    }

    fn tell(&self, urls: u64) {
        println!(
            r#"{{"urls":{urls},"outcomes":{},"settled":{},"seconds":{:.3}}}"#,
            self.outcomes.load(Ordering::Relaxed),
            self.settled.load(Ordering::Relaxed),
            self.begun.elapsed().as_secs_f64(),
        );
    }
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    const USE: &str = "flood SCHEDULER MEMBERS SLOTS URLS";
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [scheduler, members, slots, urls] = &given[..] else { return Err(USE.into()) };
    let (members, slots, most_urls): (u64, u32, u64) =
        (members.parse()?, slots.parse()?, urls.parse()?);
    let tally = Arc::new(Tally {
        begun: Instant::now(),
        most_urls,
        urls: AtomicU64::new(0),
        outcomes: AtomicU64::new(0),
        settled: AtomicU64::new(0),
    });
    // One thread, so that the scheduler has the rest of a small machine.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let start =
            |number| tokio::spawn(member::run(scheduler.clone(), number, slots, tally.clone()));
        let all: Vec<_> = (0..members).map(start).collect();
        for one in all {
            one.await??;
        }
        Ok(())
    })
}
