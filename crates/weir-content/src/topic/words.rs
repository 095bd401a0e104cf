use twox_hash::XxHash3_64;

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

    fn add(&mut self, text: &str) {
        let mut from = self.folded.len();
        self.fold(text);
        let Words { folded, words, .. } = self;
        let mut at = from;
        while let Some(byte) = folded.as_bytes().get(at) {
            if byte.is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            let (part, length) = part_at(folded, at, *byte);
            if part != Part::Inside {
                push(words, folded, from, at);
                from = at + length;
            }
            at += length;
            if part == Part::Alone {
                push(words, folded, at - length, at);
            }
        }
        push(words, folded, from, at);
    }

    /// What is beyond a gigabyte is left out: places are of 32 bits, and a text may grow.
    fn fold(&mut self, text: &str) {
        let text = &text[..text.floor_char_boundary(1 << 30)];
        if text.is_ascii() {
            let from = self.folded.len();
            self.folded.push_str(text);
            self.folded[from..].make_ascii_lowercase();
        } else if text.contains(SOFT_HYPHEN) {
            self.folded.push_str(&text.replace(SOFT_HYPHEN, "").to_lowercase());
        } else {
            self.folded.push_str(&text.to_lowercase());
        }
    }
}

/// What a character is to the word it stands beside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Inside,
    Outside,
    Alone,
}

/// Of the character at `at`, which begins with `byte` and is no letter or digit of ASCII.
fn part_at(text: &str, at: usize, byte: u8) -> (Part, usize) {
    if byte.is_ascii() {
        return (Part::Outside, 1);
    }
    let Some(c) = text[at..].chars().next() else { return (Part::Outside, 1) };
    let part = match c {
        _ if stands_alone(c) => Part::Alone,
        _ if c.is_alphanumeric() || is_accent(c) => Part::Inside,
        _ => Part::Outside,
    };
    (part, c.len_utf8())
}

fn push(words: &mut Vec<Word>, folded: &str, from: usize, to: usize) {
    if from < to {
        let hash = XxHash3_64::oneshot(&folded.as_bytes()[from..to]);
        words.push(Word { hash, from: from as u32, to: to as u32 });
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
