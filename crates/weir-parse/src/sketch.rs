//! A sketch of a page's text: see [`weir_types::Sketch`]. It is a pass of its own, made only for
//! pages of which someone wants to know, and rough on purpose: pieces of text between tags, without
//! numbers, so that a counter or a date does not make a page a new one.

use memchr::{memchr, memchr2, memmem};
use weir_types::Sketch;
use xxhash_rust::xxh3::xxh3_64;

/// Hashes in a sample.
const SAMPLE: usize = 64;
/// Pieces that are looked at; a longer page is known well enough by then.
const MOST_PIECES: usize = 20_000;
/// Shorter pieces are punctuation and units.
const SHORTEST: usize = 3;

/// `html` is the page with its content coding undone, in whatever charset.
pub fn sketch(html: &[u8]) -> Sketch {
    let mut counts = Counts::default();
    let mut hashes: Vec<u32> = Vec::with_capacity(256);
    each_piece(html, |piece| {
        let hash = xxh3_64(piece);
        counts.add(hash);
        hashes.push((hash >> 32) as u32);
        hashes.len() < MOST_PIECES
    });
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(SAMPLE);
    Sketch { simhash: counts.majority(), sample: hashes.into() }
}

/// Calls `found` for each piece of text, until it says no.
fn each_piece(html: &[u8], mut found: impl FnMut(&[u8]) -> bool) {
    let mut at = 0;
    while at < html.len() {
        let end = memchr(b'<', &html[at..]).map_or(html.len(), |step| at + step);
        if !without_numbers(&html[at..end], &mut found) {
            return;
        }
        at = after_tag(html, end);
    }
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
    memchr2(b'>', b'\0', rest).map_or(html.len(), |step| open + step + 1)
}

fn without_numbers(text: &[u8], found: &mut impl FnMut(&[u8]) -> bool) -> bool {
    text.split(u8::is_ascii_digit).all(|piece| {
        let piece = piece.trim_ascii();
        let letters = piece.iter().filter(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
        letters.take(SHORTEST).count() < SHORTEST || found(piece)
    })
}

/// For each bit of a hash, how many more pieces have it than do not.
struct Counts([i32; 64]);

impl Default for Counts {
    fn default() -> Self {
        Counts([0; 64])
    }
}

impl Counts {
    fn add(&mut self, hash: u64) {
        for (byte, counts) in hash.to_le_bytes().iter().zip(self.0.chunks_exact_mut(8)) {
            let signs = &SIGNS[*byte as usize];
            counts.iter_mut().zip(signs).for_each(|(count, sign)| *count += i32::from(*sign));
        }
    }

    /// Nothing at all gives zero.
    fn majority(&self) -> u64 {
        let bits = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        bits.fold(0, |sum, (bit, _)| sum | 1 << bit)
    }
}

/// For each byte, one or minus one for each of its bits.
static SIGNS: [[i8; 8]; 256] = {
    let mut table = [[-1; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][bit] = 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

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
        (sketch(one.as_bytes()).simhash ^ sketch(other.as_bytes()).simhash).count_ones()
    }

    #[test]
    fn numbers_markup_scripts_and_comments_make_no_difference() {
        let one = "<p>Page 1 of 20</p><script>a()</script><!-- one -->";
        let other = "<DIV>Page 17 of 3</DIV><SCRIPT>b()</script><style>c</style><!-- two -->";
        assert_eq!(sketch(one.as_bytes()), sketch(other.as_bytes()));
        assert_eq!(sketch(one.as_bytes()).sample.len(), 1, "`of` is too short");
        assert_eq!(sketch(b""), Sketch::default());
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
            (sketch(page(0..30, "").as_bytes()), sketch(page(20..50, "").as_bytes()));
        let shared = one.sample.iter().filter(|hash| other.sample.contains(hash)).count();
        assert_eq!((one.sample.len(), shared), (30, 10));
        assert_eq!(sketch(page(0..500, "").as_bytes()).sample.len(), SAMPLE);
    }

    #[test]
    fn broken_markup_does_not_stop_it() {
        for html in ["<", "<script", "<!--", "<p", "a<b", "<style>x", "\u{0}<\u{0}", "<script>"] {
            sketch(html.as_bytes());
        }
        let endless = "<p>word".repeat(100_000);
        assert_eq!(sketch(endless.as_bytes()).sample.len(), 1);
    }
}
