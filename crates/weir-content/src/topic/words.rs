use xxhash_rust::xxh3::xxh3_64;

/// The words of a text in lower case, made once and then held against every topic.
///
/// A word is a run of letters and digits; a character of a script that puts no spaces between words
/// is one by itself, so that `食品安全` is a phrase of four.
#[derive(Clone, Debug, Default)]
pub struct Words {
    folded: String,
    words: Vec<Word>,
    title: usize,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    /// Two words are the same if this is: of 64 bits, so that no two others ever meet.
    hash: u64,
    from: u32,
    to: u32,
}

/// Between a title and a text, so that no phrase reaches over.
const GAP: Word = Word { hash: 0, from: 0, to: 0 };

impl Words {
    pub fn of(title: &str, text: &str) -> Words {
        let mut words = Words::default();
        words.read(title, text);
        words
    }

    /// As [`Words::of`], in the memory of the page before.
    pub fn read(&mut self, title: &str, text: &str) {
        self.folded.clear();
        self.words.clear();
        self.folded.reserve(title.len() + text.len());
        self.words.reserve((title.len() + text.len()) / 5);
        self.add(title);
        self.title = self.words.len();
        if self.title > 0 {
            self.words.push(GAP);
        }
        self.add(text);
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The word at this place stands in the title.
    pub(super) fn is_title(&self, at: usize) -> bool {
        at < self.title
    }

    pub(super) fn hashes(&self) -> impl ExactSizeIterator<Item = u64> {
        self.words.iter().map(|word| word.hash)
    }

    pub(super) fn hash(&self, at: usize) -> u64 {
        self.words[at].hash
    }

    pub(super) fn word(&self, at: usize) -> &str {
        let word = &self.words[at];
        &self.folded[word.from as usize..word.to as usize]
    }

    /// What is beyond 4 GiB is left out.
    fn add(&mut self, text: &str) {
        let room = (u32::MAX as usize).saturating_sub(self.folded.len()) / 3;
        let bytes = text.as_bytes();
        let mut from = self.folded.len();
        let mut at = 0;
        while at < bytes.len().min(room) {
            let byte = bytes[at];
            if byte.is_ascii_alphanumeric() {
                self.folded.push(byte.to_ascii_lowercase() as char);
                at += 1;
            } else if byte.is_ascii() {
                from = self.end_word(from);
                at += 1;
            } else {
                let Some(c) = text[at..].chars().next() else { break };
                from = self.other(c, from);
                at += c.len_utf8();
            }
        }
        self.end_word(from);
    }

    /// A character beyond ASCII, in a word that began at `from`; where the word begins after it.
    fn other(&mut self, c: char, from: usize) -> usize {
        if stands_alone(c) {
            let from = self.end_word(from);
            self.folded.push(c);
            return self.end_word(from);
        }
        if c.is_alphanumeric() {
            self.folded.extend(c.to_lowercase());
        } else if is_accent(c) {
            self.folded.push(c);
        } else if c != SOFT_HYPHEN {
            return self.end_word(from);
        }
        from
    }

    fn end_word(&mut self, from: usize) -> usize {
        let to = self.folded.len();
        if from < to {
            let hash = xxh3_64(&self.folded.as_bytes()[from..]);
            self.words.push(Word { hash, from: from as u32, to: to as u32 });
        }
        to
    }
}

const SOFT_HYPHEN: char = '\u{ad}';

/// One that is put on the letter before it.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Of a script without spaces: Thai to Lao, Burmese, Khmer, Japanese and Chinese.
pub(super) fn stands_alone(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_letters_and_digits_in_lower_case() {
        for (text, expected) in [
            ("Food-Safety, 2026: it's", "food safety 2026 it s"),
            ("ÄPFEL und Éclairs\u{ad}", "äpfel und éclairs"),
            ("Lebens\u{ad}mittel", "lebensmittel"),
            ("食品 safety安全", "食 品 safety 安 全"),
            ("e\u{301}tude", "e\u{301}tude"),
            ("…!", ""),
        ] {
            let words = Words::of("", text);
            let found: Vec<&str> = (0..words.len()).map(|at| words.word(at)).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
