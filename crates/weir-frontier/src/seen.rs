use weir_types::Fingerprint;

/// The fingerprints of all known URLs, in memory: a page has dozens of links and nearly all are
/// known, so this must answer without touching the disk.
///
/// It is split so that only one part at a time is copied when it grows; with a single table the
/// peak would be twice as large.
pub struct Seen {
    parts: Vec<Part>,
}

const PART_BITS: u32 = 7;

impl Seen {
    pub fn new() -> Self {
        Seen { parts: (0..1 << PART_BITS).map(|_| Part::default()).collect() }
    }

    /// True if it was not there yet.
    pub fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        let key = key_of(fingerprint);
        self.parts[part_of(key)].insert(key)
    }

    /// Takes one of many, in any order; nothing may be asked before [`Seen::collected`].
    pub fn collect(&mut self, fingerprint: Fingerprint) {
        let key = key_of(fingerprint);
        let list = &mut self.parts[part_of(key)].slots;
        if list.len() == list.capacity() {
            list.reserve_exact(list.len() / 4 + TAIL);
        }
        list.push(key);
    }

    /// Puts those that were collected into order. For a whole log this is several times faster than
    /// one after the other, each of which would wait for memory.
    pub fn collected(&mut self) {
        self.parts.iter_mut().for_each(Part::sort);
    }

    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        let key = key_of(fingerprint);
        self.parts[part_of(key)].find(key).is_ok()
    }
}

/// 0 marks a gap, so the fingerprint 0 is taken for 1: one pair in 2^127.
fn key_of(fingerprint: Fingerprint) -> u128 {
    fingerprint.0.max(1)
}

fn part_of(key: u128) -> usize {
    (key >> (128 - PART_BITS)) as usize
}

/// A sorted array with gaps. Fingerprints are spread evenly, so each stands near the place that its
/// value says, its home: never before it, and with no gap between.
///
/// A table that doubles is half empty after it has; this one grows by a quarter, which costs no
/// more since the order stays, and takes 18 to 23 bytes for a fingerprint instead of 19 to 39.
#[derive(Default)]
struct Part {
    slots: Vec<u128>,
    /// The homes; behind them are slots for those that the last ones have no room for.
    homes: usize,
    used: usize,
}

const GAP: u128 = 0;
const FEWEST_HOMES: usize = 16;
/// Slots behind the homes; there are more if they are needed.
const TAIL: usize = 16;

impl Part {
    fn insert(&mut self, key: u128) -> bool {
        if self.used >= self.homes - self.homes / 8 {
            self.grow();
        }
        let Err(at) = self.find(key) else { return false };
        let gap = self.slots[at..].iter().position(|slot| *slot == GAP);
        let gap = gap.map_or(self.slots.len(), |further| at + further);
        if gap == self.slots.len() {
            push_gap(&mut self.slots);
        }
        self.slots.copy_within(at..gap, at + 1);
        self.slots[at] = key;
        self.used += 1;
        true
    }

    /// Where it stands, or else where it should.
    fn find(&self, key: u128) -> Result<usize, usize> {
        let mut at = home(key, self.homes);
        while let Some(slot) = self.slots.get(at) {
            if *slot == key {
                return Ok(at);
            }
            if *slot == GAP || *slot > key {
                break;
            }
            at += 1;
        }
        Err(at)
    }

    fn grow(&mut self) {
        self.lay_out((self.homes / 4 * 5).max(FEWEST_HOMES));
    }

    /// Makes a table of what is only a list, with room for some more.
    fn sort(&mut self) {
        if self.slots.is_empty() {
            return;
        }
        self.slots.sort_unstable();
        self.slots.dedup();
        self.used = self.slots.len();
        self.lay_out((self.used / 4 * 5).max(FEWEST_HOMES));
    }

    fn lay_out(&mut self, homes: usize) {
        let mut slots = Vec::with_capacity(homes + TAIL);
        slots.resize(homes, GAP);
        let mut next = 0;
        for key in self.slots.iter().filter(|slot| **slot != GAP) {
            let at = home(*key, homes).max(next);
            if at == slots.len() {
                push_gap(&mut slots);
            }
            slots[at] = *key;
            next = at + 1;
        }
        (self.slots, self.homes) = (slots, homes);
    }
}

/// One more at the end; not twice as many, as a vector would have it.
fn push_gap(slots: &mut Vec<u128>) {
    if slots.len() == slots.capacity() {
        slots.reserve_exact(TAIL);
    }
    slots.push(GAP);
}

/// As far along the homes as the key is along all keys of its part.
fn home(key: u128, homes: usize) -> usize {
    let along = (key << PART_BITS >> 64) as u64;
    ((u128::from(along) * homes as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_fingerprint_is_new_once() {
        let mut seen = Seen::new();
        let all: Vec<_> = (0..50_000).map(|n| Fingerprint::of(&format!("http://a/{n}"))).collect();
        assert!(all.iter().all(|fingerprint| seen.insert(*fingerprint)));
        assert!(all.iter().all(|fingerprint| !seen.insert(*fingerprint)));
        assert!(all.iter().all(|fingerprint| seen.contains(*fingerprint)));
        assert!(!seen.contains(Fingerprint::of("http://b/")));
    }

    #[test]
    fn a_fingerprint_takes_at_most_23_bytes_however_many_there_are() {
        let mut seen = Seen::new();
        for number in 1..=400_000u32 {
            seen.insert(Fingerprint::of(&number.to_string()));
            if number > 100_000 && number % 5_000 == 0 {
                let slots: usize = seen.parts.iter().map(|part| part.slots.capacity()).sum();
                let each = slots as f64 * 16.0 / f64::from(number);
                assert!((17.0..24.0).contains(&each), "{each:.1} bytes at {number}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Against a set, also where keys are not spread at all: most at one home, some at the very end.
        #[test]
        fn it_knows_what_a_set_would_know(
            keys in prop::collection::vec(
                prop_oneof![any::<u128>(), 0..300u128, u128::MAX - 300..=u128::MAX], 1..2000,
            ),
            collected in 0..2000usize,
        ) {
            let mut seen = Seen::new();
            let mut truth = BTreeSet::new();
            let (first, later) = keys.split_at(collected.min(keys.len()));
            for key in first {
                seen.collect(Fingerprint(*key));
                truth.insert((*key).max(1));
            }
            seen.collected();
            for key in later {
                prop_assert_eq!(seen.insert(Fingerprint(*key)), truth.insert((*key).max(1)));
            }
            for key in &truth {
                prop_assert!(seen.contains(Fingerprint(*key)));
                let next = key.saturating_add(1);
                prop_assert_eq!(seen.contains(Fingerprint(next)), truth.contains(&next));
            }
        }
    }
}
