//! URLs that look alike: `/item/12?page=3` and `/item/7?page=1` have the pattern `/item/#?page`.

use hashbrown::HashMap;
use twox_hash::XxHash3_64;

/// The patterns of one host. Numbers and codes in a path are alike from the start; other segments
/// become alike (`*`) where there are too many different ones beside each other.
#[derive(Default)]
pub struct Patterns {
    /// Parts of paths: the part before, and a hash of the segment.
    parts: HashMap<(u32, u64), u32>,
    /// How many different segments follow each part.
    followers: Vec<u16>,
    /// The last part of a path, and a hash of the names in the query.
    known: HashMap<(u32, u64), u32>,
    /// How many different sets of names follow each part.
    queries: HashMap<u32, u16>,
}

/// More different segments than this after the same beginning are alike.
const MOST_FOLLOWERS: u16 = 64;
/// A host has no more parts than this; what comes then is `*`.
const MOST_PARTS: usize = 4096;
/// A segment of letters and digits this long is a code, not a word.
const CODE_LENGTH: usize = 16;
/// More different sets of names after the same path are alike: filters that combine.
const MOST_QUERIES: u16 = 16;
const ANY: u64 = 0;
const ANY_NAMES: u64 = u64::MAX;

impl Patterns {
    /// The number of the pattern, which is a new one if it is the first of its kind.
    pub fn number(&mut self, url: &str) -> u32 {
        let (path, query) = path_and_query(url);
        let mut part = 0;
        for segment in segments(path) {
            part = self.part_after(part, hash(segment));
        }
        let names = names(query);
        if let Some(known) = self.known.get(&(part, names)) {
            return *known;
        }
        let queries = self.queries.entry(part).or_default();
        *queries = queries.saturating_add(1);
        let names = if *queries > MOST_QUERIES { ANY_NAMES } else { names };
        let next = self.known.len() as u32;
        *self.known.entry((part, names)).or_insert(next)
    }

    /// The same without making a new one.
    pub fn find(&self, url: &str) -> Option<u32> {
        let (path, query) = path_and_query(url);
        let mut part = 0;
        for segment in segments(path) {
            let exact = self.parts.get(&(part, hash(segment)));
            part = *exact.or_else(|| self.parts.get(&(part, ANY)))?;
        }
        let exact = self.known.get(&(part, names(query)));
        exact.or_else(|| self.known.get(&(part, ANY_NAMES))).copied()
    }

    fn part_after(&mut self, part: u32, segment: u64) -> u32 {
        if let Some(known) = self.parts.get(&(part, segment)) {
            return *known;
        }
        if self.followers.is_empty() {
            self.followers.push(0);
        }
        let followers = &mut self.followers[part as usize];
        let segment = match *followers < MOST_FOLLOWERS && self.parts.len() < MOST_PARTS {
            true => segment,
            false => ANY,
        };
        *followers = followers.saturating_add(1);
        let next = self.followers.len() as u32;
        let part = *self.parts.entry((part, segment)).or_insert(next);
        if part == next {
            self.followers.push(0);
        }
        part
    }
}

/// For people: numbers as `#`, codes as `*`, the names in the query.
pub fn show(url: &str) -> String {
    let (path, query) = path_and_query(url);
    let mut text = String::new();
    for segment in path.split('/').skip(1) {
        text.push('/');
        text.push_str(&plain(segment));
    }
    if let Some(query) = query {
        text.push('?');
        let names: Vec<&str> = query.split('&').map(name).collect();
        text.push_str(&names.join("&"));
    }
    text
}

/// Of a canonical URL.
pub fn path_and_query(url: &str) -> (&str, Option<&str>) {
    let path = &url[path_at(url)..];
    match memchr::memchr(b'?', path.as_bytes()) {
        Some(at) => (&path[..at], Some(&path[at + 1..])),
        None => (path, None),
    }
}

/// Where the path of a URL starts, which is its end if it has none. The first colon ends the scheme
/// of a canonical URL.
fn path_at(url: &str) -> usize {
    let scheme = memchr::memchr(b':', url.as_bytes()).filter(|&at| url[at..].starts_with("://"));
    let host = scheme.map_or(0, |at| at + 3);
    memchr::memchr(b'/', &url.as_bytes()[host..]).map_or(url.len(), |at| host + at)
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').skip(1)
}

fn name(parameter: &str) -> &str {
    parameter.split('=').next().unwrap_or(parameter)
}

/// The names of a query in whatever order, without their values.
fn names(query: Option<&str>) -> u64 {
    let Some(query) = query else { return 0 };
    query.split('&').fold(1, |sum, parameter| sum ^ hash(name(parameter)))
}

/// Never [`ANY`]. The hash of [`plain`], without making the text where it is short.
fn hash(segment: &str) -> u64 {
    if !segment.bytes().any(|byte| byte.is_ascii_digit()) {
        return XxHash3_64::oneshot(segment.as_bytes()) | 1;
    }
    let mut buffer = [0; CODE_LENGTH];
    if segment.len() >= CODE_LENGTH {
        return XxHash3_64::oneshot(plain(segment).as_bytes()) | 1;
    }
    let mut length = 0;
    for byte in segment.bytes() {
        let byte = if byte.is_ascii_digit() { b'#' } else { byte };
        if byte != b'#' || length == 0 || buffer[length - 1] != b'#' {
            buffer[length] = byte;
            length += 1;
        }
    }
    XxHash3_64::oneshot(&buffer[..length]) | 1
}

/// A segment with each number as `#`, or `*` if it is a code.
fn plain(segment: &str) -> String {
    if is_code(segment) {
        return "*".to_owned();
    }
    let mut text = String::with_capacity(segment.len());
    for letter in segment.chars() {
        match letter.is_ascii_digit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(letter),
        }
    }
    text
}

/// Long, and letters and digits mixed (or nothing but hexadecimal digits): nobody's word.
fn is_code(segment: &str) -> bool {
    let bytes = segment.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let hex = bytes.iter().all(u8::is_ascii_hexdigit);
    let alnum = bytes.iter().all(u8::is_ascii_alphanumeric);
    bytes.len() >= CODE_LENGTH && digits > 0 && (hex || alnum && digits >= bytes.len() / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_segments_are_hashed_as_long_ones_are() {
        for segment in ["a1", "12", "", "a1b22c333", "é9", "page-007.html"] {
            let through_text = XxHash3_64::oneshot(plain(segment).as_bytes()) | 1;
            assert!(
                !segment.contains(|c: char| c.is_ascii_digit()) || hash(segment) == through_text
            );
        }
    }

    fn same(urls: &[&str]) -> bool {
        let mut patterns = Patterns::default();
        let numbers: Vec<u32> = urls.iter().map(|url| patterns.number(url)).collect();
        assert!(urls.iter().zip(&numbers).all(|(url, number)| patterns.find(url) == Some(*number)));
        numbers.iter().all(|number| *number == numbers[0])
    }

    #[test]
    fn numbers_values_and_codes_are_alike() {
        assert!(same(&["http://a/item/12?page=3", "http://a/item/7?page=1"]));
        assert!(same(&["http://a/2026/11/x.html", "http://a/2025/1/x.html"]));
        assert!(same(&["http://a/x?b=1&a=2", "http://a/x?a=3&b=4"]));
        assert!(same(&["http://a/s/0123456789abcdef0/x", "http://a/s/ffff456789abcdef12/x"]));
        assert!(!same(&["http://a/item/12", "http://a/item/12?page=1"]));
        assert!(!same(&["http://a/item/12", "http://a/items/12"]));
        assert_eq!(Patterns::default().find("http://a/x"), None);
    }

    #[test]
    fn too_many_words_beside_each_other_are_alike() {
        let mut patterns = Patterns::default();
        let word = |n: u32| {
            let letter = |n: u32| char::from(b'a' + (n % 26) as u8);
            format!("http://a/tag/{}{}{}", letter(n), letter(n / 26), letter(n / 676))
        };
        let numbers: std::collections::HashSet<u32> =
            (0..5000).map(|n| patterns.number(&word(n))).collect();
        assert_eq!(numbers.len(), MOST_FOLLOWERS as usize + 1);
        assert_eq!(patterns.find(&word(6000)), Some(patterns.number(&word(6000))));
    }

    #[test]
    fn filters_that_combine_are_alike_in_the_end() {
        let mut patterns = Patterns::default();
        let url = |n: u32| {
            let names = (0..12).filter(|bit| n >> bit & 1 == 1);
            let query: Vec<String> = names.map(|name| format!("f{}=1", "x".repeat(name))).collect();
            format!("http://a/shop?{}", query.join("&"))
        };
        let numbers: std::collections::HashSet<u32> =
            (1..4096).map(|n| patterns.number(&url(n))).collect();
        assert_eq!(numbers.len(), MOST_QUERIES as usize + 1);
        assert_eq!(patterns.find(&url(5000)), Some(patterns.number(&url(5000))));
    }

    #[test]
    fn a_pattern_can_be_shown() {
        assert_eq!(show("http://a/cal/2026/11?month=3&x=4"), "/cal/#/#?month&x");
        assert_eq!(show("http://a/s/0123456789abcdef0/p1.html"), "/s/*/p#.html");
        assert_eq!(show("http://a/"), "/");
    }
}
