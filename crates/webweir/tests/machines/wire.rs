use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::packets::{NOTE, Packets, wait};

/// Carries packets between two interfaces, as well or badly as it is told to, until dropped. (Not every
/// kernel has `netem`.)
pub struct Wire {
    state: Arc<Mutex<State>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    quality: Quality,
    /// What went over it since somebody began to read along.
    read: Option<Vec<Vec<u8>>>,
}

/// How good a wire is; perfect unless told otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quality {
    /// Nothing goes through.
    pub is_cut: bool,
    /// Each way.
    pub delay: Duration,
    /// Bytes a second, each way.
    pub rate: Option<f64>,
}

/// What may wait for a slow wire; what is too much is lost, as in any router.
const LONGEST_QUEUE: usize = 64_000;
const MOST_WAIT_MS: u64 = 50;

impl Wire {
    pub fn between(one: &str, other: &str) -> Wire {
        let ends = [one, other].map(|name| Packets::of(name).unwrap());
        let (state, stop) = (Arc::<Mutex<State>>::default(), Arc::new(AtomicBool::new(false)));
        let (shared, told) = (state.clone(), stop.clone());
        let thread = std::thread::spawn(move || carry(ends, &shared, &told));
        Wire { state, stop, thread: Some(thread) }
    }

    pub fn set(&self, quality: Quality) {
        lock(&self.state).quality = quality;
    }

    pub fn cut(&self) {
        self.set(Quality { is_cut: true, ..Quality::default() });
    }

    pub fn mend(&self) {
        self.set(Quality::default());
    }

    /// All packets from now on are kept.
    pub fn read_along(&self) {
        lock(&self.state).read = Some(Vec::new());
    }

    /// Those that were kept, from the Ethernet header on.
    pub fn read(&self) -> Vec<Vec<u8>> {
        lock(&self.state).read.take().unwrap_or_default()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It is of no use any more, whatever became of it.
            let _ = thread.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One way.
#[derive(Default)]
struct Way {
    /// With the moments at which they arrive.
    packets: VecDeque<(Instant, Vec<u8>)>,
    bytes: usize,
    /// The wire is busy with earlier packets until then.
    free: Option<Instant>,
}

fn carry(mut ends: [Packets; 2], state: &Mutex<State>, stop: &AtomicBool) {
    let mut ways = [Way::default(), Way::default()];
    while !stop.load(Ordering::Relaxed) {
        let next = ways.iter().filter_map(|way| Some(way.packets.front()?.0)).min();
        let most = next.map_or(MOST_WAIT_MS, |at| {
            at.saturating_duration_since(Instant::now()).as_micros().div_ceil(1000) as u64
        });
        wait(&ends[0], &ends[1], most.min(MOST_WAIT_MS) as i32);
        for (from, way) in ways.iter_mut().enumerate() {
            while let Some(packet) = ends[from].next() {
                let mut state = lock(state);
                if let Some(read) = &mut state.read {
                    read.push(packet[NOTE..].to_vec());
                }
                way.take(packet, state.quality, Instant::now());
            }
            way.deliver(&mut ends[1 - from], Instant::now());
        }
    }
}

impl Way {
    fn take(&mut self, packet: Vec<u8>, quality: Quality, now: Instant) {
        if quality.is_cut || self.bytes + packet.len() > LONGEST_QUEUE {
            return;
        }
        let sent = match quality.rate {
            Some(rate) => {
                let begin = self.free.map_or(now, |free| free.max(now));
                begin + Duration::from_secs_f64((packet.len() - NOTE) as f64 / rate)
            }
            None => now,
        };
        self.free = Some(sent);
        self.bytes += packet.len();
        self.packets.push_back((sent + quality.delay, packet));
    }

    fn deliver(&mut self, to: &mut Packets, now: Instant) {
        while let Some((_, packet)) = self.packets.pop_front_if(|(at, _)| *at <= now) {
            self.bytes -= packet.len();
            to.send(&packet);
        }
    }
}
