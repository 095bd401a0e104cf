//! Text made once, of which every body copies slices.

use crate::rng::Rng;

/// Long enough that pages differ, short enough to stay in the processor's cache.
const LENGTH: usize = 128 * 1024;

const WORDS: &str = "\
    river stone the of and a to water gate level measure in valley over under between slow rapid \
    channel bank bridge spring flow with from which during season rain storage release engineer \
    survey report village upstream downstream meadow willow heron trout that was is were not \
    only but also because record history council repair timber concrete foundation pressure \
    sediment gravel harvest market number hundred thousand morning evening winter summer early \
    late after before until year month decade people family found built opened closed raised \
    lowered watched counted described";

pub(crate) struct Filler {
    text: Vec<u8>,
}

impl Filler {
    pub(crate) fn new(seed: u64) -> Filler {
        let words: Vec<&str> = WORDS.split(' ').collect();
        let mut rng = Rng::of(seed, 0, 0);
        let mut text = Vec::with_capacity(LENGTH + 16);
        while text.len() < LENGTH {
            text.extend_from_slice(words[rng.below(words.len() as u32) as usize].as_bytes());
            text.extend_from_slice(if rng.below(12) == 0 { b". " } else { b" " });
        }
        text.truncate(LENGTH);
        Filler { text }
    }

    /// Appends exactly `length` bytes of text, from a place chosen by `at`.
    pub(crate) fn copy(&self, out: &mut Vec<u8>, at: u64, mut length: usize) {
        let mut start = (at % self.text.len() as u64) as usize;
        while length > 0 {
            let piece = length.min(self.text.len() - start);
            out.extend_from_slice(&self.text[start..start + piece]);
            length -= piece;
            start = 0;
        }
    }
}
