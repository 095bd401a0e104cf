use hashbrown::HashTable;
use weir_types::Fingerprint;

/// The fingerprints of all known URLs, in memory: a page has dozens of links and nearly all are
/// known, so this must answer without touching the disk.
///
/// It is split so that only one part at a time is copied when it grows; with a single table the
/// peak would be half as large again.
pub struct Seen {
    parts: Vec<HashTable<u128>>,
}

const PART_BITS: u32 = 7;

impl Seen {
    pub fn new() -> Self {
        Seen { parts: (0..1 << PART_BITS).map(|_| HashTable::new()).collect() }
    }

    /// True if it was not there yet.
    pub fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        let key = fingerprint.0;
        let part = &mut self.parts[part_of(key)];
        let entry = part.entry(key as u64, |other| *other == key, |other| *other as u64);
        match entry {
            hashbrown::hash_table::Entry::Occupied(_) => false,
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                vacant.insert(key);
                true
            }
        }
    }

    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        let key = fingerprint.0;
        self.parts[part_of(key)].find(key as u64, |other| *other == key).is_some()
    }
}

/// The table hashes with the low half, so the part comes from the high half.
fn part_of(key: u128) -> usize {
    (key >> (128 - PART_BITS)) as usize
}

#[cfg(test)]
mod tests {
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
}
