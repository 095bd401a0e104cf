use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

/// Ends the process when one case takes for ever, and tells which: no panic would come of it.
pub struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    target: &'static str,
    /// Counts cases, so that two with one seed are told apart.
    begun: AtomicU64,
    seed: AtomicU64,
    over: AtomicBool,
}

/// Far above what a few kilobytes take anywhere.
const BOUND: Duration = Duration::from_secs(120);

impl Watch {
    pub fn start(target: &'static str) -> Watch {
        let shared = Arc::new(Shared {
            target,
            begun: AtomicU64::new(0),
            seed: AtomicU64::new(0),
            over: AtomicBool::new(false),
        });
        let watched = shared.clone();
        let thread = std::thread::spawn(move || watched.watch());
        Watch { shared, thread: Some(thread) }
    }

    pub fn begin(&self, seed: u64) {
        self.shared.seed.store(seed, Ordering::Relaxed);
        self.shared.begun.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

impl Shared {
    fn watch(&self) {
        let (mut last, mut since) = (0, Instant::now());
        while !self.over.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_secs(1));
            let now = self.begun.load(Ordering::Relaxed);
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() > BOUND {
                let seed = self.seed.load(Ordering::Relaxed);
                eprintln!(
                    "fuzz: {} does not end: WEIR_FUZZ_SEED={seed} makes it the first case",
                    self.target
                );
                // What was printed must be seen before the end.
                sleep(Duration::from_millis(100));
                std::process::abort();
            }
        }
    }
}
