use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use crate::lab::MACHINES;
use crate::series::Series;

const EVERY: Duration = Duration::from_millis(10);
/// A reading that took longer was interrupted, and nobody knows what moment it tells of.
const LONGEST_READING: Duration = Duration::from_millis(1);

/// Reads the counters of the interfaces between the web and the downloaders, all in one reading, until
/// dropped. Nothing but the web's own traffic goes over them.
pub struct Meter {
    begun: Instant,
    counted: Arc<Mutex<Counted>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Bytes on the wire, in seconds since the meter was begun.
#[derive(Clone, Default)]
pub struct Counted {
    /// From the web to all downloaders.
    pub all: Series,
    /// To each downloader.
    pub to: [Series; MACHINES],
    /// From each downloader.
    pub from: [Series; MACHINES],
}

impl Meter {
    pub fn start() -> Meter {
        let begun = Instant::now();
        let (counted, stop) = (Arc::<Mutex<Counted>>::default(), Arc::new(AtomicBool::new(false)));
        let (kept, told) = (counted.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            while !told.load(Ordering::Relaxed) {
                let before = begun.elapsed();
                let text = fs::read_to_string("/proc/thread-self/net/dev").unwrap();
                let after = begun.elapsed();
                if after - before < LONGEST_READING {
                    let at = (before + after).as_secs_f64() / 2.0;
                    kept.lock().unwrap_or_else(PoisonError::into_inner).push(at, &text);
                }
                sleep(EVERY);
            }
        });
        Meter { begun, counted, stop, thread: Some(thread) }
    }

    /// Seconds of its series.
    pub fn now(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    pub fn counted(&self) -> Counted {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // What it has counted is there.
            let _ = thread.join();
        }
    }
}

impl Counted {
    fn push(&mut self, at: f64, text: &str) {
        let mut all = 0.0;
        for machine in 0..MACHINES {
            let [received, sent] = bytes(text, &format!("w{}:", machine + 1));
            self.from[machine].push(at, received);
            self.to[machine].push(at, sent);
            all += sent;
        }
        self.all.push(at, all);
    }
}

/// Received and sent, of a line of `/proc/net/dev`.
fn bytes(text: &str, interface: &str) -> [f64; 2] {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(interface)).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    [words[0], words[8]].map(|word| word.parse().unwrap())
}
