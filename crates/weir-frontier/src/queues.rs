//! The queues of waiting URLs, one a host, in order of score, depth and order found.
//!
//! Memory is bounded whatever their length: at most `hot_most` entries are held in memory over all
//! hosts, and the far parts of the longest queues go to scratch files (`spill`). Entries are small
//! and of fixed size; the text of a URL is read from the log when it is leased.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use crate::FrontierError;
use crate::spill::{Spill, Stretch};

/// One waiting URL. The order of the fields is the order of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Score (high first) and depth (low first) as one number: see [`rank`].
    pub rank: u64,
    /// The URL's number: URLs are numbered in the order found.
    pub number: u64,
    /// Where its record stands in the log.
    pub position: u64,
}

/// High scores before low ones, and among equals small depths before large ones.
pub fn rank(score: f32, depth: u32) -> u64 {
    // The bits of a positive float grow with it, those of a negative one shrink.
    let bits = if score.is_nan() { 0f32.to_bits() } else { (score + 0.0).to_bits() };
    let rising = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(!rising) << 32 | u64::from(depth)
}

pub fn depth_of(rank: u64) -> u32 {
    rank as u32
}

/// The rank of the same score at another depth.
pub fn with_depth(rank: u64, depth: u32) -> u64 {
    rank >> 32 << 32 | u64::from(depth)
}

pub struct Queues {
    hosts: Vec<Queue>,
    spill: Spill,
    hot: usize,
    hot_most: usize,
}

#[derive(Default)]
struct Queue {
    hot: BinaryHeap<Reverse<Entry>>,
    /// Those with the smallest head first.
    cold: BinaryHeap<Reverse<ByHead>>,
    len: u64,
}

/// How many entries come back from a scratch file at a time.
const REFILL: usize = 32;
/// A stretch shorter than this costs more memory than it saves.
const SHORTEST_STRETCH: usize = 32;

impl Queues {
    pub fn open(folder: &Path, hot_most: usize) -> Result<Queues, FrontierError> {
        Ok(Queues { hosts: Vec::new(), spill: Spill::open(folder)?, hot: 0, hot_most })
    }

    pub fn len(&self, host: u32) -> u64 {
        self.hosts.get(host as usize).map_or(0, |queue| queue.len)
    }

    pub fn push(&mut self, host: u32, entry: Entry) -> Result<(), FrontierError> {
        let index = host as usize;
        if index >= self.hosts.len() {
            self.hosts.resize_with(index + 1, Queue::default);
        }
        let queue = &mut self.hosts[index];
        if queue.hot.len() == queue.hot.capacity() {
            // Not twice as many: with very many queues, half of the room would stay empty.
            queue.hot.reserve_exact(queue.hot.len() / 4 + 4);
        }
        queue.hot.push(Reverse(entry));
        queue.len += 1;
        self.hot += 1;
        if self.hot > self.hot_most { self.spill_longest() } else { Ok(()) }
    }

    /// The entry that `pop` would give.
    pub fn peek(&mut self, host: u32) -> Result<Option<Entry>, FrontierError> {
        let Some(queue) = self.hosts.get_mut(host as usize) else { return Ok(None) };
        self.hot += queue.refill()?;
        Ok(queue.hot.peek().map(|Reverse(entry)| *entry))
    }

    pub fn pop(&mut self, host: u32) -> Result<Option<Entry>, FrontierError> {
        let Some(entry) = self.peek(host)? else { return Ok(None) };
        let queue = &mut self.hosts[host as usize];
        queue.hot.pop();
        queue.len -= 1;
        self.hot -= 1;
        if queue.len == 0 {
            queue.hot.shrink_to(16);
        }
        Ok(Some(entry))
    }

    /// Moves the far half of what is in memory to a scratch file, from the longest queues.
    ///
    /// Looking at all queues is worth it only if many entries go; if they do not, because there are
    /// very many short queues, these stay in memory and the bound gives way.
    fn spill_longest(&mut self) -> Result<(), FrontierError> {
        let keep = self.keep_each();
        let mut from = Vec::new();
        let mut lists = Vec::new();
        let before = self.hot;
        for (index, queue) in self.hosts.iter_mut().enumerate() {
            if queue.hot.len() < keep + SHORTEST_STRETCH {
                continue;
            }
            let far = queue.split_off(keep);
            self.hot -= far.len();
            from.push(index);
            lists.push(far);
        }
        if before - self.hot < self.hot_most / 8 {
            let most = self.hot_most.max(before);
            self.hot_most = most + most / 4 + 1;
        }
        if lists.is_empty() {
            return Ok(());
        }
        let views: Vec<&[Entry]> = lists.iter().map(Vec::as_slice).collect();
        for (index, stretch) in from.into_iter().zip(self.spill.write(&views)?) {
            self.hosts[index].cold.push(Reverse(ByHead(stretch)));
        }
        Ok(())
    }

    /// How many entries a queue may keep so that about half of the bound is free again: a power of
    /// two, so that lengths need to be looked at once only.
    fn keep_each(&self) -> usize {
        // By the power of two at or below a length: how many queues, and how many entries.
        let mut queues = [0; usize::BITS as usize];
        let mut entries = [0; usize::BITS as usize];
        for len in self.hosts.iter().map(|queue| queue.hot.len()).filter(|len| *len > 0) {
            queues[len.ilog2() as usize] += 1;
            entries[len.ilog2() as usize] += len;
        }
        let kept = |power: usize| {
            let whole: usize = entries[..power].iter().sum();
            let cut: usize = queues[power..].iter().sum();
            whole + (cut << power)
        };
        let half = self.hot_most / 2;
        let most = half.max(1).ilog2() as usize;
        1 << (1..=most).rev().find(|power| kept(*power) <= half).unwrap_or(0)
    }
}

impl Queue {
    /// Keeps the best entries in memory, and room for no more than will be there again soon.
    fn split_off(&mut self, keep: usize) -> Vec<Entry> {
        let mut entries: Vec<Entry> =
            std::mem::take(&mut self.hot).into_iter().map(|Reverse(entry)| entry).collect();
        entries.sort_unstable();
        let far = entries.split_off(keep);
        self.hot = entries.into_iter().map(Reverse).collect();
        self.hot.shrink_to(keep + SHORTEST_STRETCH);
        far
    }

    /// Brings entries back from scratch files until the best one is in memory; returns how many.
    fn refill(&mut self) -> Result<usize, FrontierError> {
        let mut brought = 0;
        while let Some(Reverse(ByHead(nearest))) = self.cold.peek() {
            if self.hot.peek().is_some_and(|Reverse(best)| *best < nearest.head) {
                break;
            }
            let Some(Reverse(ByHead(stretch))) = self.cold.pop() else { break };
            let (entries, rest) = stretch.take(REFILL)?;
            brought += entries.len();
            self.hot.extend(entries.into_iter().map(Reverse));
            self.cold.extend(rest.map(ByHead).map(Reverse));
        }
        Ok(brought)
    }
}

struct ByHead(Stretch);

impl PartialEq for ByHead {
    fn eq(&self, other: &Self) -> bool {
        self.0.head == other.0.head
    }
}
impl Eq for ByHead {}
impl PartialOrd for ByHead {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for ByHead {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.head.cmp(&other.0.head)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rank_puts_high_scores_first_then_small_depths() {
        let falling = [f32::INFINITY, 9.0, 1.5, 1e-20, 0.0, -1e-20, -2.0, f32::NEG_INFINITY];
        for pair in falling.windows(2) {
            assert!(rank(pair[0], 9) < rank(pair[1], 0), "{pair:?}");
        }
        assert!(rank(1.0, 2) < rank(1.0, 3));
        assert_eq!(rank(-0.0, 4), rank(0.0, 4));
        assert_eq!(rank(f32::NAN, 4), rank(0.0, 4));
        assert_eq!(depth_of(rank(3.5, 12)), 12);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Against sorted sets: any mix of pushes and pops, with a memory bound far below need.
        #[test]
        fn each_queue_gives_its_best_entry_however_much_was_spilled(
            steps in prop::collection::vec((0u32..3, 0u32..4, prop::bool::weighted(0.7)), 1..3000),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut queues = Queues::open(&dir.path().join("spill"), 400).unwrap();
            let mut truth = vec![std::collections::BTreeSet::new(); 3];
            for (number, (host, depth, push)) in steps.into_iter().enumerate() {
                let number = number as u64;
                if push {
                    let entry = Entry { rank: rank(0.0, depth), number, position: number * 7 };
                    queues.push(host, entry).unwrap();
                    truth[host as usize].insert(entry);
                } else {
                    prop_assert_eq!(queues.pop(host).unwrap(), truth[host as usize].pop_first());
                }
                prop_assert!(queues.hot <= 400 + 3 * REFILL);
                prop_assert_eq!(queues.len(host), truth[host as usize].len() as u64);
            }
            for (host, rest) in truth.into_iter().enumerate() {
                for entry in rest {
                    prop_assert_eq!(queues.pop(host as u32).unwrap(), Some(entry));
                }
            }
            drop(queues);
            prop_assert_eq!(std::fs::read_dir(dir.path().join("spill")).unwrap().count(), 0);
        }
    }
}
