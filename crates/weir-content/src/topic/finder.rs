use super::term::{Last, Term};
use super::words::Words;

/// Finds terms in texts, in a time that hardly depends on how many terms there are.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    /// A bit for each last word of a term, so that nearly all other words need one look.
    filter: Box<[u64; FILTER_BITS / 64]>,
    /// The last words of terms, sorted, and whose they are.
    words: Vec<(u64, u32)>,
    /// A flag for each byte that the start of a word with a star begins with.
    first_bytes: Box<[bool; 256]>,
    starts: Vec<(Box<str>, u32)>,
    before: Vec<Vec<u64>>,
}

const FILTER_BITS: usize = 1 << 13;
/// What a word in a title counts.
const IN_TITLE: f32 = 3.0;

impl Finder {
    pub fn new(terms: &[Term]) -> Finder {
        let mut finder = Finder {
            filter: Box::new([0; FILTER_BITS / 64]),
            words: Vec::new(),
            first_bytes: Box::new([false; 256]),
            starts: Vec::new(),
            before: terms.iter().map(|term| term.before.clone()).collect(),
        };
        for (id, term) in terms.iter().enumerate() {
            finder.add(&term.last, id as u32);
        }
        finder.words.sort_unstable();
        finder
    }

    fn add(&mut self, last: &Last, id: u32) {
        match last {
            Last::Word(hash) => {
                let (at, bit) = filter_place(*hash);
                self.filter[at] |= bit;
                self.words.push((*hash, id));
            }
            Last::Start(start) => {
                self.first_bytes[first_byte(start)] = true;
                self.starts.push((start.clone(), id));
            }
        }
    }

    /// How often each term occurs, what is in the title more than once.
    pub fn counts(&self, words: &Words) -> Vec<f32> {
        let mut counts = vec![0.0; self.before.len()];
        for (at, hash) in words.hashes().enumerate() {
            let worth = if words.is_title(at) { IN_TITLE } else { 1.0 };
            let mut found = |id: u32| {
                if self.follows(id, words, at) {
                    counts[id as usize] += worth;
                }
            };
            let (place, bit) = filter_place(hash);
            if self.filter[place] & bit != 0 {
                self.each_word(hash, &mut found);
            }
            if !self.starts.is_empty() {
                self.each_start(words.word(at), &mut found);
            }
        }
        counts
    }

    fn each_word(&self, hash: u64, found: &mut impl FnMut(u32)) {
        let first = self.words.partition_point(|(known, _)| *known < hash);
        let same = self.words[first..].iter().take_while(|(known, _)| *known == hash);
        same.for_each(|(_, id)| found(*id));
    }

    fn each_start(&self, word: &str, found: &mut impl FnMut(u32)) {
        if self.first_bytes[first_byte(word)] {
            let starts = self.starts.iter().filter(|(start, _)| word.starts_with(&**start));
            starts.for_each(|(_, id)| found(*id));
        }
    }

    /// The words before the last one of a phrase stand before it.
    fn follows(&self, id: u32, words: &Words, at: usize) -> bool {
        let before = &self.before[id as usize];
        let Some(from) = at.checked_sub(before.len()) else { return false };
        (from..at).zip(before).all(|(at, hash)| words.hash(at) == *hash)
    }
}

fn filter_place(hash: u64) -> (usize, u64) {
    let bit = hash as usize % FILTER_BITS;
    (bit / 64, 1 << (bit % 64))
}

fn first_byte(word: &str) -> usize {
    word.as_bytes().first().copied().unwrap_or(0).into()
}
