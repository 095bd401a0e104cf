use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

/// Turns raw bytes of the page into text: charset, NUL, character references, in that order.
#[derive(Default)]
pub(crate) struct Text {
    buffer: String,
}

impl Text {
    /// The text of an attribute's value.
    pub fn attribute<'t>(&'t mut self, raw: &'t [u8], encoding: &'static Encoding) -> &'t str {
        match characters(raw, encoding) {
            Cow::Borrowed(text) => self.dereferenced(text),
            Cow::Owned(text) => {
                self.buffer = htmlize::unescape_attribute(text).into_owned();
                &self.buffer
            }
        }
    }

    /// As `attribute`, of visible ASCII in which nothing but `&amp;` stands for something else; `None` for any other.
    pub fn ampersands(&mut self, text: &str) -> Option<&str> {
        self.undo_ampersands(text).then_some(&self.buffer)
    }

    /// Links are full of `&amp;` and bare `&`, so these are done here without allocation.
    fn dereferenced<'t>(&'t mut self, text: &'t str) -> &'t str {
        if memchr::memchr(b'&', text.as_bytes()).is_none() {
            return text;
        }
        if !self.undo_ampersands(text) {
            self.buffer = htmlize::unescape_attribute(text).into_owned();
        }
        &self.buffer
    }

    /// Puts the text into the buffer, with `&` for `&amp;`. False if there are other references.
    fn undo_ampersands(&mut self, text: &str) -> bool {
        self.buffer.clear();
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
            self.buffer.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix("amp;") {
                rest = after;
            } else if !is_bare(rest) {
                return false;
            }
        }
        self.buffer.push_str(rest);
        true
    }
}

/// `&name=` stays as it is, whatever the name: the standard's rule for attributes.
fn is_bare(after_ampersand: &str) -> bool {
    let bytes = after_ampersand.as_bytes();
    let name = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    match bytes.get(name) {
        Some(b'=') => true,
        Some(b'#') if name == 0 => false,
        _ => name == 0,
    }
}

/// The text of a `title`, at most `limit` bytes, white space collapsed.
pub(crate) fn title(raw: &[u8], encoding: &'static Encoding, limit: usize) -> Option<String> {
    let raw = &raw[..raw.len().min(limit * 16)]; // enough, and a broken page stays cheap
    let text = htmlize::unescape(characters(raw, encoding));
    let mut title = String::with_capacity(text.len().min(limit));
    for word in text.split_ascii_whitespace() {
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
        if title.len() > limit {
            title.truncate(title.floor_char_boundary(limit));
            title.truncate(title.trim_end().len());
            break;
        }
    }
    (!title.is_empty()).then_some(title)
}

fn characters<'r>(raw: &'r [u8], encoding: &'static Encoding) -> Cow<'r, str> {
    let text = match std::str::from_utf8(raw) {
        Ok(text) if encoding == UTF_8 || text.is_ascii() => Cow::Borrowed(text),
        _ => encoding.decode_without_bom_handling(raw).0,
    };
    match memchr::memchr(0, text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace('\0', "\u{FFFD}")),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_decoded_by_the_rules_for_attributes() {
        for (raw, expected) in [
            ("a?b=1&amp;c=2", "a?b=1&c=2"),
            ("a?b=1&copy=2&lt=3", "a?b=1&copy=2&lt=3"),
            ("a?b&copy", "a?b\u{A9}"),
            ("a&copy;&notin;&notit;", "a\u{A9}\u{2209}&notit;"),
            ("&#65;&#x42;&#128;&#0;", "AB\u{20AC}\u{FFFD}"),
            ("a&b", "a&b"),
            ("a& b&", "a& b&"),
            ("&#", "&#"),
            ("x\0y", "x\u{FFFD}y"),
        ] {
            assert_eq!(Text::default().attribute(raw.as_bytes(), UTF_8), expected, "{raw}");
        }
    }

    #[test]
    fn a_title_is_collapsed_decoded_and_bounded() {
        assert_eq!(title(b" a &amp;\n\tb ", UTF_8, 99).as_deref(), Some("a & b"));
        assert_eq!(title(b"\xE9t\xE9", encoding_rs::WINDOWS_1252, 99).as_deref(), Some("été"));
        assert_eq!(title("é".repeat(99).as_bytes(), UTF_8, 5).as_deref(), Some("éé"));
        assert_eq!(title(b" \n ", UTF_8, 99), None);
    }
}
