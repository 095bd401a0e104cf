//! A sketch of a page's text: see [`weir_types::Sketch`]. It is a pass of its own, made only for
//! pages of which someone wants to know, and rough on purpose: pieces of text between tags, without
//! numbers, so that a counter or a date does not make a page a new one. The sample has pictures and
//! large numbers too, because a gallery and a table of figures are made of them.

use memchr::{memchr, memmem};
use twox_hash::XxHash3_64;
use weir_types::{Piece, Sketch};

/// Hashes in a sample.
const SAMPLE: usize = 256;
/// Pieces that are looked at; a longer page is known well enough by then.
const MOST_PIECES: usize = 20_000;
/// Shorter pieces are punctuation and units.
const SHORTEST: usize = 3;

/// `html` is the page with its content coding undone, in whatever charset. What repeats words of
/// `url`, its own address, is not in the sample: a page that answers to any address may do that.
pub fn sketch(html: &[u8], url: &str) -> Sketch {
    let mut sketching = Sketching { own: own_words(url), ..Sketching::default() };
    let mut at = 0;
    while at < html.len() && sketching.hashes.len() < MOST_PIECES {
        let end = memchr(b'<', &html[at..]).map_or(html.len(), |step| at + step);
        sketching.text(&html[at..end]);
        at = after_tag(html, end);
        sketching.tag(&html[end..at]);
    }
    Sketch { simhash: sketching.votes.majority(), sample: least(sketching.hashes).into() }
}

struct Sketching<'a> {
    own: Vec<memmem::Finder<'a>>,
    votes: Votes,
    hashes: Vec<u32>,
    /// Hashes met lately.
    known: [u64; KNOWN],
}

const KNOWN: usize = 512;

impl Default for Sketching<'_> {
    fn default() -> Self {
        Sketching {
            own: Vec::new(),
            votes: Votes::default(),
            hashes: Vec::with_capacity(512),
            known: [0; KNOWN],
        }
    }
}

impl Sketching<'_> {
    /// What stands on a page many times says no more than what stands there once.
    fn add(&mut self, bytes: &[u8], piece: Piece) {
        let hash = XxHash3_64::oneshot(bytes);
        if std::mem::replace(&mut self.known[hash as usize % KNOWN], hash) != hash {
            if piece == Piece::Long || !self.repeats_address(bytes) {
                self.hashes.push(Sketch::hash(hash, piece));
            }
            // Only words make pages nearly the same.
            if piece != Piece::Number {
                self.votes.add(hash);
            }
        }
    }

    fn repeats_address(&self, bytes: &[u8]) -> bool {
        self.own.iter().any(|word| word.find(bytes).is_some())
    }

    /// Words and numbers apart.
    fn text(&mut self, mut text: &[u8]) {
        while !text.is_empty() {
            let (words, rest) = text.split_at(digit(text));
            let words = words.trim_ascii();
            if has_letters(words) {
                self.add(words, of_length(words.len()));
            }
            let end = rest.iter().position(|byte| !is_in_number(*byte)).unwrap_or(rest.len());
            let (number, rest) = rest.split_at(end);
            if says_something(number) {
                self.add(number, Piece::Number);
            }
            text = rest;
        }
    }

    fn tag(&mut self, tag: &[u8]) {
        if tag.len() > 4
            && tag[1] | 0x20 == b'i'
            && tag[..4].eq_ignore_ascii_case(b"<img")
            && let Some(name) = picture(tag)
        {
            self.add(name, Piece::Long);
        }
    }
}

/// The last parts of a path and the values of a query, where they are long enough to be told.
fn own_words(url: &str) -> Vec<memmem::Finder<'_>> {
    let path_at = url.find("://").map_or(0, |at| at + 3);
    let after = url[path_at..].find('/').map_or("", |at| &url[path_at + at..]);
    let parts = after.split(['/', '?', '&', '=', '+', '.']).rev();
    let is_word = |part: &&str| part.len() >= SHORTEST_OWN && has_letters(part.as_bytes());
    parts.filter(is_word).take(MOST_OWN).map(memmem::Finder::new).collect()
}

const SHORTEST_OWN: usize = 4;
const MOST_OWN: usize = 4;

fn of_length(bytes: usize) -> Piece {
    match bytes {
        0..40 => Piece::Short,
        40..120 => Piece::Middle,
        _ => Piece::Long,
    }
}

fn is_in_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b',')
}

/// Days, months, years, times and small counts do not; what has five digits or a fraction does.
fn says_something(number: &[u8]) -> bool {
    let inner = number.strip_suffix(b".").or(number.strip_suffix(b",")).unwrap_or(number);
    inner.len() >= 5 || inner.contains(&b'.') || inner.contains(&b',')
}

/// The name of the file, without the folders, in which a session may be, and without the query.
fn picture(tag: &[u8]) -> Option<&[u8]> {
    let value = &tag[memmem::find(tag, b"src=")? + 4..];
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
    let ends = |byte: &u8| matches!(byte, b'"' | b'\'' | b'>' | b' ' | b'?' | b'#');
    let value = &value[..value.iter().position(ends).unwrap_or(value.len())];
    let name = value.rsplit(|byte| *byte == b'/').next().unwrap_or(value);
    (!name.is_empty()).then_some(name)
}

fn least(mut hashes: Vec<u32>) -> Vec<u32> {
    // Some may be there twice, so a few more are taken before they are told apart.
    if hashes.len() > 2 * SAMPLE {
        hashes.select_nth_unstable(2 * SAMPLE);
        hashes.truncate(2 * SAMPLE);
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(SAMPLE);
    hashes
}

/// Where text goes on behind the tag at `open`; what is in scripts and styles is no text.
fn after_tag(html: &[u8], open: usize) -> usize {
    let rest = &html[open..];
    for (name, end) in [(&b"<script"[..], &b"</script"[..]), (b"<style", b"</style")] {
        if rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return memmem::find(rest, end).map_or(html.len(), |step| open + step + end.len());
        }
    }
    if rest.starts_with(b"<!--") {
        return memmem::find(rest, b"-->").map_or(html.len(), |step| open + step + 3);
    }
    // A `>` in an attribute ends the tag too early, which makes a piece of the rest of it.
    memchr(b'>', rest).map_or(html.len(), |step| open + step + 1)
}

fn has_letters(piece: &[u8]) -> bool {
    let letters = piece.iter().filter(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    letters.take(SHORTEST).count() == SHORTEST
}

/// Where the first digit stands, or the end. Sixteen bytes at a time are asked first, which the
/// compiler does at once.
fn digit(text: &[u8]) -> usize {
    let has_digit =
        |part: &[u8; 16]| part.iter().fold(false, |any, byte| any | byte.is_ascii_digit());
    let (parts, _) = text.as_chunks::<16>();
    let start = 16 * parts.iter().take_while(|part| !has_digit(part)).count();
    let rest = text[start..].iter().position(u8::is_ascii_digit);
    rest.map_or(text.len(), |step| start + step)
}

/// How many pieces have each bit: the counts of all 64 bits side by side, as binary numbers of
/// which `planes` has one digit each. Adding a hash takes two steps on average.
#[derive(Default)]
struct Votes {
    planes: [u64; 16],
    all: u32,
}

impl Votes {
    fn add(&mut self, hash: u64) {
        self.all += 1;
        let mut carry = hash;
        for plane in &mut self.planes {
            let both = *plane & carry;
            *plane ^= carry;
            carry = both;
            if carry == 0 {
                break;
            }
        }
    }

    /// The bits that more than half of the pieces have; nothing at all gives zero.
    fn majority(&self) -> u64 {
        let count = |bit: u32| {
            let digits = self.planes.iter().rev();
            digits.fold(0, |sum, plane| sum << 1 | (plane >> bit & 1) as u32)
        };
        (0..64).filter(|bit| 2 * count(*bit) > self.all).fold(0, |sum, bit| sum | 1 << bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: std::ops::Range<u32>, extra: &str) -> String {
        let mut html = "<html><script>var x = '<p>no text';</script><body>".to_owned();
        for word in words {
            let mut rng = fastrand::Rng::with_seed(u64::from(word));
            let text: String = (0..20).map(|_| rng.lowercase()).collect();
            html.push_str(&format!("<p class=x>{text}</p>\n"));
        }
        html + extra
    }

    fn distance(one: &str, other: &str) -> u32 {
        (sketch(one.as_bytes(), "").simhash ^ sketch(other.as_bytes(), "").simhash).count_ones()
    }

    #[test]
    fn numbers_markup_scripts_and_comments_make_no_difference() {
        let one = "<p>Page 1 of 20</p><script>a()</script><!-- one -->";
        let other = "<DIV>Page 17 of 3</DIV><SCRIPT>b()</script><style>c</style><!-- two -->";
        assert_eq!(sketch(one.as_bytes(), ""), sketch(other.as_bytes(), ""));
        assert_eq!(sketch(one.as_bytes(), "").sample.len(), 1, "`of` is too short");
        assert_eq!(sketch(b"", ""), Sketch::default());
    }

    #[test]
    fn what_repeats_the_address_of_the_page_says_nothing() {
        let html = b"<title>Results for qwertz</title><p>No qwertz here</p><p>Something else</p>";
        let sample = |url: &str| sketch(html, url).sample.len();
        assert_eq!(sample("http://a/search?q=other"), 3);
        assert_eq!(sample("http://a/search?q=qwertz"), 1);
        assert_eq!(sample("http://a/x/qwertz.html"), 1);
    }

    #[test]
    fn digits_are_found_wherever_they_stand() {
        for at in 0..50 {
            let mut text = vec![b'x'; 50];
            assert_eq!(digit(&text[..at]), at);
            text[at] = b'7';
            assert_eq!(digit(&text), at);
        }
    }

    #[test]
    fn pictures_and_figures_count_and_dates_and_counters_do_not() {
        let sample = |html: &str| sketch(html.as_bytes(), "").sample.len();
        assert_eq!(sample("<img src='/a/b/DSC_1.jpg?x'><IMG class=x SRC=c><img>"), 1);
        assert_eq!(sample("on 16 November 2026, 12:30: page 3 of 1,500 and 0.75 of 48123."), 3 + 3);
        let one = sketch(b"<img src=/s/1/logo.png>", "");
        assert_eq!(one, sketch(b"<img alt=x src='/s/2/logo.png?3'>", ""));
        assert_eq!(Sketch::weight(one.sample[0]), 6);
    }

    #[test]
    fn near_pages_have_near_hashes_and_others_have_not() {
        let one = page(0..300, "");
        for other in [page(0..300, "<p>and one more line</p>"), page(0..299, "")] {
            assert!(distance(&one, &other) <= 3, "{}", distance(&one, &other));
        }
        let other = page(1000..1300, "");
        assert!(distance(&one, &other) > 16, "{}", distance(&one, &other));
    }

    #[test]
    fn a_piece_that_two_pages_share_is_in_both_samples() {
        let (one, other) =
            (sketch(page(0..30, "").as_bytes(), ""), sketch(page(20..50, "").as_bytes(), ""));
        let shared = one.sample.iter().filter(|hash| other.sample.contains(hash)).count();
        assert_eq!((one.sample.len(), shared), (30, 10));
        assert_eq!(sketch(page(0..500, "").as_bytes(), "").sample.len(), SAMPLE);
    }

    #[test]
    fn broken_markup_does_not_stop_it() {
        for html in ["<", "<script", "<!--", "<p", "a<b", "<style>x", "\u{0}<\u{0}", "<script>"] {
            sketch(html.as_bytes(), "");
        }
        let endless = "<p>word".repeat(100_000);
        assert_eq!(sketch(endless.as_bytes(), "").sample.len(), 1);
    }
}
