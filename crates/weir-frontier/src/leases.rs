use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::queues::Entry;

/// The URLs that are out, each until a time at the latest. Leases live in memory only: on disk a
/// leased URL is still a waiting one, so a process that dies returns all of its leases.
#[derive(Default)]
pub struct Leases {
    out: HashMap<u64, Lease>,
    ends: BinaryHeap<Reverse<(u64, u64)>>,
}

#[derive(Clone, Copy)]
pub struct Lease {
    pub host: u32,
    pub entry: Entry,
    until_ms: u64,
}

impl Leases {
    pub fn len(&self) -> u64 {
        self.out.len() as u64
    }

    pub fn start(&mut self, host: u32, entry: Entry, until_ms: u64) {
        self.out.insert(entry.number, Lease { host, entry, until_ms });
        self.ends.push(Reverse((until_ms, entry.number)));
    }

    pub fn end(&mut self, number: u64) -> Option<Lease> {
        let lease = self.out.remove(&number);
        // Ends of leases that are over stay in the heap until they are the longest ones in it.
        if self.ends.len() > 64 && self.ends.len() > self.out.len() * 4 {
            let out = &self.out;
            self.ends.retain(|Reverse((until, number))| is_current(out, *number, *until));
        }
        lease
    }

    /// Ends and returns one lease whose time is over.
    pub fn expired(&mut self, now_ms: u64) -> Option<Lease> {
        while let Some(Reverse((until, number))) = self.ends.peek().copied() {
            if until > now_ms {
                return None;
            }
            self.ends.pop();
            if is_current(&self.out, number, until) {
                return self.out.remove(&number);
            }
        }
        None
    }
}

fn is_current(out: &HashMap<u64, Lease>, number: u64, until_ms: u64) -> bool {
    out.get(&number).is_some_and(|lease| lease.until_ms == until_ms)
}
