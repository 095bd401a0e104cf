//! What the names that an element carries say about it: `class`, `id`, `itemprop`, `property`, `rel`.

use weir_parse::tree::{Id, Tree};

use super::Source;

/// What an element is about; several at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    pub const NONE: Kinds = Kinds(0);
    pub const AUTHOR: Kinds = Kinds(1);
    pub const DAY: Kinds = Kinds(1 << 1);
    pub const PUBLISHED: Kinds = Kinds(1 << 2);
    pub const MODIFIED: Kinds = Kinds(1 << 3);
    pub const COPYRIGHT: Kinds = Kinds(1 << 4);
    pub const HEADLINE: Kinds = Kinds(1 << 5);
    /// Not the page's own: comments, other articles, what stands beside.
    pub const ASIDE: Kinds = Kinds(1 << 6);
    pub const PRODUCT: Kinds = Kinds(1 << 7);

    pub fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    fn add(&mut self, other: Kinds) {
        self.0 |= other.0;
    }

    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub id: Id,
    pub kinds: Kinds,
    pub source: Source,
}

/// Reads the names of elements. Most classes are there many times, so what they say is remembered.
pub struct Marker<'t> {
    known: Vec<(&'t str, Kinds)>,
}

/// A power of two: how many classes are remembered.
const KNOWN: usize = 256;

impl<'t> Marker<'t> {
    pub fn new() -> Marker<'t> {
        Marker { known: vec![("", Kinds::NONE); KNOWN] }
    }

    /// What the names of an element say, if anything.
    pub fn mark(&mut self, tree: &Tree<'t>, id: Id) -> Option<Mark> {
        let mut kinds = Kinds::NONE;
        let mut source = Source::Markup;
        // What is empty has neither a name nor a day to read, and nothing stands in it.
        let empty = tree.end(id).0 == id.0 + 1;
        for (name, value) in tree.raw_attributes(id) {
            match (name.len(), name.as_bytes().first().map_or(0, |first| first | 0x20)) {
                (5, b'c') if !empty && name.eq_ignore_ascii_case("class") => {
                    kinds.add(self.of_class(value))
                }
                (2, b'i') if !empty && name.eq_ignore_ascii_case("id") => {
                    kinds.add(of_class(value))
                }
                (3, b'r') if !empty && name.eq_ignore_ascii_case("rel") => kinds.add(of_rel(value)),
                (11, b'd') if !empty && name.eq_ignore_ascii_case("data-testid") => {
                    kinds.add(of_class(value))
                }
                (8, b'i' | b'p') => {
                    let found = of_property(name, value);
                    if !found.is_none() {
                        kinds.add(found);
                        let micro = name.starts_with(['i', 'I']);
                        source = if micro { Source::Microdata } else { Source::Rdfa };
                    }
                }
                _ => {}
            }
        }
        (!kinds.is_none()).then_some(Mark { id, kinds, source })
    }

    fn of_class(&mut self, value: &'t str) -> Kinds {
        let place = &mut self.known[place(value)];
        if place.0 != value {
            *place = (value, of_class(value));
        }
        place.1
    }
}

/// Where a class is remembered: its last letters tell it from others.
fn place(value: &str) -> usize {
    let last = value.as_bytes().last_chunk::<8>().map_or(0, |last| u64::from_le_bytes(*last));
    let mixed = (last ^ value.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 56) as usize % KNOWN
}

fn of_rel(value: &str) -> Kinds {
    let author = value.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("author"));
    if author { Kinds::AUTHOR } else { Kinds::NONE }
}

/// `itemprop`, `itemtype` and `property`.
fn of_property(name: &str, value: &str) -> Kinds {
    let mut kinds = Kinds::NONE;
    if name.eq_ignore_ascii_case("itemtype") {
        if value.trim_end().ends_with("/Product") {
            kinds.add(Kinds::PRODUCT);
        }
        return kinds;
    }
    if !name.eq_ignore_ascii_case("itemprop") && !name.eq_ignore_ascii_case("property") {
        return kinds;
    }
    for word in value.split_ascii_whitespace() {
        let bare = word.rsplit([':', '/']).next().unwrap_or(word);
        kinds.add(match bare {
            "author" | "creator" => Kinds::AUTHOR,
            "datePublished" | "dateCreated" | "issued" | "created" => Kinds::PUBLISHED,
            "dateModified" | "modified" => Kinds::MODIFIED,
            "date" => Kinds::DAY,
            "headline" => Kinds::HEADLINE,
            "comment" => Kinds::ASIDE,
            _ => Kinds::NONE,
        });
    }
    kinds
}

/// A word in a class, and what it tells. The first four letters are looked up, the rest compared.
const WORDS: &[(&str, Kinds)] = &[
    ("author", Kinds::AUTHOR),
    ("autor", Kinds::AUTHOR),
    ("auteur", Kinds::AUTHOR),
    ("byline", Kinds::AUTHOR),
    ("writer", Kinds::AUTHOR),
    ("verfasser", Kinds::AUTHOR),
    ("redakteur", Kinds::AUTHOR),
    ("contributor", Kinds::AUTHOR),
    ("date", Kinds::DAY),
    ("datum", Kinds::DAY),
    ("fecha", Kinds::DAY),
    ("timestamp", Kinds::DAY),
    ("time", Kinds::DAY),
    ("posted", Kinds::PUBLISHED),
    ("publish", Kinds::PUBLISHED),
    ("pubdate", Kinds::PUBLISHED),
    ("publication", Kinds::PUBLISHED),
    ("modif", Kinds::MODIFIED),
    ("updat", Kinds::MODIFIED),
    ("copyright", Kinds::COPYRIGHT),
    ("headline", Kinds::HEADLINE),
    ("comment", Kinds::ASIDE),
    ("related", Kinds::ASIDE),
    ("sidebar", Kinds::ASIDE),
    ("recommend", Kinds::ASIDE),
    ("teaser", Kinds::ASIDE),
    ("promo", Kinds::ASIDE),
    ("popular", Kinds::ASIDE),
    ("trending", Kinds::ASIDE),
];

const fn gram(word: &[u8]) -> u32 {
    (word[0] as u32) << 24 | (word[1] as u32) << 16 | (word[2] as u32) << 8 | word[3] as u32
}

/// One bit for each place a beginning may hash to: most letters of most classes are passed by it.
const GRAMS: [u64; 16] = {
    let mut bits = [0; 16];
    let mut at = 0;
    while at < WORDS.len() {
        let place = hash(gram(WORDS[at].0.as_bytes()));
        bits[place / 64] |= 1 << (place % 64);
        at += 1;
    }
    bits
};

const fn hash(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> 22) as usize
}

/// Longer lists of classes say how something looks, and what it is at their beginning.
const MAX_CLASS: usize = 120;

fn of_class(value: &str) -> Kinds {
    let mut kinds = Kinds::NONE;
    let mut last = 0_u32;
    for (at, byte) in value.bytes().take(MAX_CLASS).enumerate() {
        last = last << 8 | u32::from(byte | 0x20);
        let place = hash(last);
        if GRAMS[place / 64] >> (place % 64) & 1 == 1 && at >= 3 {
            kinds.add(word_at(
                &value.as_bytes()[at - 3..],
                at >= 5 && value.as_bytes()[at - 4] | 0x20 == b'p',
            ));
        }
    }
    if kinds.has(Kinds::ASIDE)
        && ["main", "has-", "with-", "no-"].iter().any(|word| value.contains(word))
    {
        kinds.0 &= !Kinds::ASIDE.0; // what has a sidebar is none
    }
    kinds
}

/// What the word at the beginning of `rest` tells. `date` behind a `p` is a part of `update`.
fn word_at(rest: &[u8], behind_p: bool) -> Kinds {
    let begins = |word: &str| {
        rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    match WORDS.iter().find(|(word, _)| begins(word)) {
        Some(("date", _)) if behind_p => Kinds::NONE,
        Some((_, kinds)) => *kinds,
        None => Kinds::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_tell_what_an_element_is_about() {
        for (class, expected) in [
            ("c-byline__Author", Kinds::AUTHOR),
            ("entry-date", Kinds::DAY),
            ("articleDate", Kinds::DAY),
            ("last-update", Kinds::MODIFIED),
            ("published", Kinds::PUBLISHED),
            ("comments-area", Kinds::ASIDE),
            ("main has-sidebar", Kinds::NONE),
            ("aut", Kinds::NONE),
            ("", Kinds::NONE),
            ("größe", Kinds::NONE),
        ] {
            assert_eq!(of_class(class), expected, "{class}");
        }
    }
}
