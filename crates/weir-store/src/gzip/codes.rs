use super::bits::{Bits, Code};

/// The Huffman codes that every block has: made for HTML once and for all, so that nothing needs
/// to be counted and a page is gone through only once.
pub(super) struct Codes {
    literals: [Code; 256],
    end: Code,
    /// For every length of a match its code and extra bits together.
    lengths: [Code; 259],
    /// Two more than there are, so that five bits are always a place in it.
    distances: [Code; 32],
}

/// No code is longer, so four literals fit between two flushes.
const LONGEST_CODE: u8 = 12;
const END: usize = 256;

impl Codes {
    pub fn new() -> Self {
        let codes = canonical(&LITERAL_BITS);
        let mut lengths = [Code::default(); 259];
        let mut least = 3;
        for (symbol, extra) in LENGTH_EXTRA.iter().enumerate() {
            for more in 0..(1 << extra).min(259 - least) {
                lengths[least + more] = codes[END + 1 + symbol].then(more as u32, *extra);
            }
            least += 1 << extra;
        }
        // The longest has a symbol of its own, though the one before could express it.
        lengths[258] = codes[END + 29];
        let mut distances = [Code::default(); 32];
        distances[..30].copy_from_slice(&canonical(&DISTANCE_BITS));
        let literals = codes[..END].try_into().expect("there are 286");
        Codes { literals, end: codes[END], lengths, distances }
    }

    /// Opens a block: how long each code is, in four bits, since that costs a page only some 80
    /// bytes more than the shortest way to say it.
    pub fn begin(&self, last: bool, out: &mut Bits) {
        out.put(Code::new(u32::from(last) | 2 << 1, 3));
        out.put(Code::new(286 - 257, 5));
        out.put(Code::new(30 - 1, 5));
        out.put(Code::new(19 - 4, 4));
        out.flush();
        // Of the symbols that tell lengths, 16, 17 and 18 (runs) come first, and are not used.
        for symbol in 0..19 {
            out.put(Code::new(if symbol < 3 { 0 } else { 4 }, 3));
            out.flush();
        }
        for length in LITERAL_BITS.iter().chain(&DISTANCE_BITS) {
            out.put(Code::new(u32::from(length.reverse_bits() >> 4), 4));
            out.flush();
        }
    }

    /// Bytes as they are. At least three bytes must follow in `input` after `to`.
    #[inline(always)]
    pub fn literals(&self, input: &[u8], mut from: usize, to: usize, out: &mut Bits) {
        while to - from > 3 {
            input[from..from + 4].iter().for_each(|byte| out.put(self.literal(*byte)));
            out.flush();
            from += 4;
        }
        for (place, byte) in input[from..from + 3].iter().enumerate() {
            out.put(self.literal(*byte).only_if(from + place < to));
        }
    }

    /// A match, after `literals`: together they are at most 60 bits.
    #[inline(always)]
    pub fn again(&self, length: usize, distance: usize, out: &mut Bits) {
        out.put(self.lengths[length]);
        out.flush();
        // Distances go by powers of two, each in two halves; with `| 2` the first two fit in too.
        let less = distance as u32 - 1;
        let extra = (less | 2).ilog2() - 1;
        let symbol = 2 * extra + (less >> extra);
        let more = less & ((1 << extra) - 1);
        out.put(self.distances[symbol as usize & 31].then(more, extra as u8));
        out.flush();
    }

    /// The last literals and the end of the block.
    pub fn end(&self, literals: &[u8], out: &mut Bits) {
        out.flush();
        for byte in literals {
            out.put(self.literal(*byte));
            out.flush();
        }
        out.put(self.end);
        out.flush();
    }

    #[inline(always)]
    fn literal(&self, byte: u8) -> Code {
        self.literals[usize::from(byte)]
    }
}

/// The codes that follow from their lengths (RFC 1951, 3.2.2), turned round, as they are written.
fn canonical<const N: usize>(lengths: &[u8; N]) -> [Code; N] {
    let mut codes = [Code::default(); N];
    let mut next = 0_u32;
    for length in 1..=LONGEST_CODE {
        for (code, _) in codes.iter_mut().zip(lengths).filter(|(_, own)| **own == length) {
            *code = Code::new(next.reverse_bits() >> (32 - u32::from(length)), length);
            next += 1;
        }
        next <<= 1;
    }
    codes
}

const LENGTH_EXTRA: [u8; 28] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5];

/// Lengths of the codes of literals, the end, and lengths, from how often they occur in five Debian
/// packages of documentation in HTML (apache2, cppreference, libboost, postgresql, python3), each
/// weighed alike. What is rare there still has a code.
#[rustfmt::skip]
const LITERAL_BITS: [u8; 286] = [
    12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 7, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12,
    12, 12, 12, 12, 12, 12, 12, 12, 4, 10, 6, 10, 11, 11, 10, 10, 9, 9, 10, 11, 8, 7, 6, 6,
    7, 7, 8, 9, 8, 9, 10, 9, 9, 9, 8, 9, 7, 7, 6, 11, 11, 9, 10, 8, 9, 9, 9, 11,
    10, 9, 11, 11, 9, 9, 9, 9, 9, 11, 9, 8, 8, 10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 8,
    11, 5, 7, 6, 6, 4, 7, 7, 6, 5, 10, 8, 5, 6, 5, 5, 6, 9, 5, 5, 5, 6, 7, 7,
    8, 7, 10, 10, 11, 10, 11, 12, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
    12, 12, 10, 11, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 11, 11, 12, 12, 12, 12, 12, 12,
    12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 11, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12,
    12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 11, 11, 5, 5, 5, 6, 6,
    7, 6, 6, 7, 8, 7, 8, 8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 11, 11, 11, 10,
];

/// As above, of distances.
#[rustfmt::skip]
const DISTANCE_BITS: [u8; 30] = [
    10, 7, 10, 10, 10, 8, 7, 7, 6, 6, 5, 5, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 5,
    4, 5, 5, 6, 5, 6,
];
