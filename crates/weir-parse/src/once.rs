use weir_types::{Fingerprint, LinkKind};

const SLOTS: usize = 512;

/// Remembers which links of this page were reported. A slot holds only the last link that fell on
/// it, so a repetition may slip through, but nothing new is ever held back and memory is fixed.
pub(crate) struct Once {
    slots: Box<[(u128, u32)]>,
    page: u32,
}

impl Default for Once {
    fn default() -> Self {
        Once { slots: vec![(0, 0); SLOTS].into_boxed_slice(), page: 0 }
    }
}

impl Once {
    pub fn next_page(&mut self) {
        self.page = self.page.wrapping_add(1);
        if self.page == 0 {
            self.slots.fill((0, 0)); // entries of 4 billion pages ago would look like today's
            self.page = 1;
        }
    }

    /// A link of another kind, or with another `nofollow`, tells something new.
    pub fn is_new(&mut self, fingerprint: Fingerprint, kind: LinkKind, nofollow: bool) -> bool {
        let tag = (kind as u128) << 1 | u128::from(nofollow);
        let key = fingerprint.0 ^ (tag << 64);
        let slot = &mut self.slots[fingerprint.0 as usize % SLOTS];
        let entry = (key, self.page);
        std::mem::replace(slot, entry) != entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_new_once_a_page_and_again_when_it_differs() {
        let mut once = Once::default();
        let link = Fingerprint::of("http://a/");
        once.next_page();
        assert!(once.is_new(link, LinkKind::Anchor, false));
        assert!(!once.is_new(link, LinkKind::Anchor, false));
        assert!(once.is_new(link, LinkKind::Anchor, true));
        once.next_page();
        assert!(once.is_new(link, LinkKind::Anchor, true));
    }
}
