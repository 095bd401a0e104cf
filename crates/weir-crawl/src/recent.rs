use weir_types::Fingerprint;

/// The links that a worker has reported lately: those of outcomes that were handed over, and of no
/// others, since what it knows here it never reports again. Nearly all links of a page were on the pages
/// before it too; those met here need not be carried to the frontier, which knows them.
///
/// A slot holds half a fingerprint, of whose other half it is the place, and a newcomer simply takes it, so forgetting is cheap and only
/// means that a link is reported twice. Two links that are one here would have to agree in 80 bits.
pub struct Recent {
    slots: Vec<u64>,
}

/// Half a mebibyte of memory, so that a processor's cache has it; twice that helps only sites beyond a hundred thousand pages.
const SLOTS: usize = 1 << 16;

impl Recent {
    pub fn new() -> Self {
        Recent { slots: vec![0; SLOTS] }
    }

    pub fn has(&self, fingerprint: Fingerprint) -> bool {
        self.slots[place(fingerprint)] == half(fingerprint)
    }

    pub fn note(&mut self, fingerprint: Fingerprint) {
        self.slots[place(fingerprint)] = half(fingerprint);
    }
}

fn place(fingerprint: Fingerprint) -> usize {
    fingerprint.0 as usize % SLOTS
}

fn half(fingerprint: Fingerprint) -> u64 {
    (fingerprint.0 >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_noted_is_known() {
        let (one, other) = (Fingerprint::of("http://a/"), Fingerprint::of("http://b/"));
        let mut recent = Recent::new();
        assert!(!recent.has(one) && !recent.has(one), "to ask is not to report");
        recent.note(one);
        assert!(recent.has(one) && !recent.has(other));
    }
}
