use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use rustix::process::nice;

use crate::clock;
use crate::series::Series;

const EVERY: Duration = Duration::from_millis(10);

/// A reading that took longer was interrupted, and nobody knows what moment it tells of.
const LONGEST_READING_NS: u64 = 1_000_000;

/// Reads the counters of an interface until asked for the result, or dropped.
pub struct Meter {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Counted>>,
}

/// What came in over the interface; seconds of [`clock::now`].
#[derive(Default)]
pub struct Counted {
    pub bytes: Series,
    pub packets: u64,
}

impl Counted {
    /// Where there is no interface of our own: what all sites have sent.
    pub fn of_sites(sites: &[Series]) -> Counted {
        let mut counted = Counted::default();
        let readings = sites.iter().map(|site| site.points().len()).min().unwrap_or(0);
        for reading in 0..readings {
            let bytes = sites.iter().map(|site| site.points()[reading].1).sum();
            counted.bytes.push(sites[0].points()[reading].0, bytes);
        }
        counted
    }

    pub fn bytes_in_all(&self) -> u64 {
        match self.bytes.points() {
            [(_, first), .., (_, last)] => (last - first) as u64,
            _ => 0,
        }
    }
}

impl Meter {
    pub fn start(interface: &str) -> Meter {
        let stop = Arc::new(AtomicBool::new(false));
        let (told, interface) = (stop.clone(), interface.to_owned());
        let thread = std::thread::spawn(move || count(&interface, &told));
        Meter { stop, thread: Some(thread) }
    }

    pub fn stop(mut self) -> Counted {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn count(interface: &str, stop: &AtomicBool) -> Counted {
    // Before others, if that is allowed: a late reading is a blurred one.
    let _allowed = nice(-15);
    let mut counted = Counted::default();
    let mut first_packets = None;
    while !stop.load(Ordering::Relaxed) {
        let before = clock::now();
        let read = received(interface);
        let after = clock::now();
        if let Some((bytes, packets)) = read
            && after - before < LONGEST_READING_NS
        {
            counted.bytes.push((before + after) as f64 / 2e9, bytes as f64);
            counted.packets = packets - *first_packets.get_or_insert(packets);
        }
        sleep(EVERY);
    }
    counted
}

/// Bytes and packets that came in, of `/proc/net/dev`, which tells of this process's namespace.
fn received(interface: &str) -> Option<(u64, u64)> {
    let text = fs::read_to_string("/proc/net/dev").ok()?;
    let named =
        |line: &str| line.trim().strip_prefix(interface)?.strip_prefix(':').map(str::to_owned);
    let line = text.lines().find_map(named)?;
    let mut words = line.split_whitespace().map(|word| word.parse().ok());
    Some((words.next()??, words.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_an_interface_are_found() {
        assert!(received("lo").is_some());
        assert!(received("l").is_none());
    }
}
