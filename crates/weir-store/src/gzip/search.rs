use super::bits::Bits;
use super::codes::Codes;

/// Finds repetitions and writes them at once. One look into a small table at each place, and wider
/// steps where nothing is found, as snappy does.
pub(super) struct Search {
    /// The last place of each hash.
    table: Box<[u16; 1 << TABLE_BITS]>,
}

/// With 32 KB the table stays in the cache beside an ordinary page.
const TABLE_BITS: u32 = 14;
/// Shorter matches save nothing over literals.
const SHORTEST: usize = 5;
const LONGEST: usize = 258;
const FARTHEST: usize = 32_768;
/// As many are compared at once at first: most matches are shorter.
const WIDE: usize = 16;

impl Search {
    pub fn new() -> Self {
        let table = vec![0; 1 << TABLE_BITS].into_boxed_slice();
        Search { table: table.try_into().expect("made with this length") }
    }

    /// Writes `input`, at most 65,536 bytes, as literals and matches; returns how much it wrote,
    /// since the last bytes are left to the caller. (`out` comes and goes by value, because behind a
    /// reference its bits would be kept in memory instead of a register.)
    #[inline(always)]
    pub fn run<'a>(&mut self, input: &[u8], codes: &Codes, mut out: Bits<'a>) -> (usize, Bits<'a>) {
        let Some(end) = input.len().checked_sub(WIDE) else { return (0, out) };
        // Zero is a place like any other and before all others: none is ever unset.
        self.table.fill(0);
        let mut done = 0;
        let mut at = 1;
        while let Some((found, from)) = self.next(input, at, end) {
            let length = same(input, from, found);
            // What comes next must not wait for what the way back finds.
            let next = found + length;
            let back = same_before(input, from, found).min(found - done).min(LONGEST - length);
            codes.literals(input, done, found - back, &mut out);
            codes.again(length + back, found - from, &mut out);
            (at, done) = (next, next);
            if at <= end {
                self.table[hash(load(input, at - 2))] = (at - 2) as u16;
            }
        }
        (done, out)
    }

    /// The next place from `at` on that begins like an earlier one, and that one.
    #[inline(always)]
    fn next(&mut self, input: &[u8], mut at: usize, end: usize) -> Option<(usize, usize)> {
        let mut tried = 32;
        while at <= end {
            let word = load(input, at);
            let from = std::mem::replace(&mut self.table[hash(word)], at as u16);
            let from = usize::from(from);
            if start(word ^ load(input, from)) == 0 && at - from <= FARTHEST {
                return Some((at, from));
            }
            at += tried >> 5;
            tried += 1;
        }
        None
    }
}

#[inline(always)]
fn load(input: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(input[at..at + 8].try_into().expect("eight bytes"))
}

/// Of a word only what the shortest match must share.
#[inline(always)]
fn start(word: u64) -> u64 {
    word << (64 - 8 * SHORTEST)
}

#[inline(always)]
fn hash(word: u64) -> usize {
    (start(word).wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - TABLE_BITS)) as usize
}

/// How many bytes are the same from both places on, as far as a match may go.
#[inline(always)]
fn same(input: &[u8], from: usize, at: usize) -> usize {
    let wide = |at| u128::from_le_bytes(input[at..at + WIDE].try_into().expect("16 bytes"));
    let differs = wide(from) ^ wide(at);
    if differs != 0 {
        return (differs.trailing_zeros() / 8) as usize;
    }
    let most = (input.len() - at).min(LONGEST);
    let mut length = WIDE;
    while length + 8 <= most {
        let differs = load(input, from + length) ^ load(input, at + length);
        if differs != 0 {
            return length + (differs.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    while length < most && input[from + length] == input[at + length] {
        length += 1;
    }
    length
}

/// How many of the eight bytes before both places are the same.
#[inline(always)]
fn same_before(input: &[u8], from: usize, at: usize) -> usize {
    if from < 8 {
        return 0;
    }
    ((load(input, from - 8) ^ load(input, at - 8)).leading_zeros() / 8) as usize
}
