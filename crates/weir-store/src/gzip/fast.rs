use super::bits::Bits;
use super::codes::Codes;
use super::search::Search;

/// Deflates text in two thirds of the time that libdeflate takes at its fastest, and somewhat
/// less well. What does not become half as long is left to libdeflate.
pub(super) struct Fast {
    codes: Codes,
    search: Search,
}

/// Places in a block fit into 16 bits.
const BLOCK: usize = 1 << 16;
/// A block in which nothing repeats, in the longest codes, with its opening and room to spare.
const WORST_BLOCK: usize = BLOCK / 2 * 3 + 1024;
const SHORTEST: usize = 1024;

impl Fast {
    pub fn new() -> Self {
        Fast { codes: Codes::new(), search: Search::new() }
    }

    /// Whether the codes, which are made for HTML, are likely to suit: long enough to pay for the
    /// opening of a block, and mostly ASCII.
    pub fn suits(plain: &[u8]) -> bool {
        let foreign = plain.iter().step_by(61).filter(|byte| !byte.is_ascii()).count();
        plain.len() >= SHORTEST && foreign < plain.len() / 61 / 8
    }

    /// Room for what `deflate` writes.
    pub fn bound(length: usize) -> usize {
        length / 2 + WORST_BLOCK
    }

    /// Writes `plain` to the start of `out`, and returns how long it became; `None` where it did
    /// not become half as long, as nothing cannot.
    pub fn deflate(&mut self, plain: &[u8], out: &mut [u8]) -> Option<usize> {
        if plain.is_empty() {
            return None;
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
        {
            // SAFETY: the processor has the instructions, as was just asked.
            return unsafe { self.deflate_with_bmi2(plain, out) };
        }
        self.blocks(plain, out)
    }

    /// The same in instructions of newer processors, whose shifts take up to a fifth off the time.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi1,bmi2,lzcnt")]
    fn deflate_with_bmi2(&mut self, plain: &[u8], out: &mut [u8]) -> Option<usize> {
        self.blocks(plain, out)
    }

    #[inline(always)]
    fn blocks(&mut self, plain: &[u8], out: &mut [u8]) -> Option<usize> {
        let mut bits = Bits::new(out);
        let mut read = 0;
        for block in plain.chunks(BLOCK) {
            read += block.len();
            self.codes.begin(read == plain.len(), &mut bits);
            let done;
            (done, bits) = self.search.run(block, &self.codes, bits);
            self.codes.end(&block[done..], &mut bits);
            if bits.len() > read / 2 {
                return None;
            }
        }
        Some(bits.finish())
    }
}
