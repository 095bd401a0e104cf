use weir_types::Fingerprint;

/// The links that a worker has reported lately. Nearly all links of a page were on the pages
/// before it too; those met here again need not be carried to the frontier, which knows them.
///
/// A slot holds one fingerprint and a newcomer simply takes it, so forgetting is cheap and only
/// means that a link is reported twice.
pub struct Recent {
    slots: Vec<u128>,
}

/// A mebibyte of memory; twice that helps only sites beyond a hundred thousand pages.
const SLOTS: usize = 1 << 16;

impl Recent {
    pub fn new() -> Self {
        Recent { slots: vec![0; SLOTS] }
    }

    /// True if it was not among the recent ones; it is from now on.
    pub fn is_new(&mut self, fingerprint: Fingerprint) -> bool {
        let slot = &mut self.slots[fingerprint.0 as usize % SLOTS];
        std::mem::replace(slot, fingerprint.0) != fingerprint.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_new_once() {
        let mut recent = Recent::new();
        assert!(recent.is_new(Fingerprint::of("http://a/")));
        assert!(!recent.is_new(Fingerprint::of("http://a/")));
        assert!(recent.is_new(Fingerprint::of("http://b/")));
    }
}
