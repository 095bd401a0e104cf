use super::attributes::ends_tag_name;

/// The elements this crate knows; all others are `Other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    A,
    Area,
    Audio,
    Base,
    Embed,
    Frame,
    Html,
    Iframe,
    Img,
    Input,
    Link,
    Math,
    Meta,
    Noembed,
    Noframes,
    Object,
    Plaintext,
    Script,
    Source,
    Style,
    Svg,
    Template,
    Textarea,
    Title,
    Track,
    Video,
    Xmp,
    Other,
}

/// A tag's name of up to eight letters as a number: its bytes in lower case, the first lowest.
pub(crate) const fn key(name: &[u8]) -> u64 {
    let mut key = 0_u64;
    let mut at = name.len();
    while at > 0 {
        at -= 1;
        key = key << 8 | name[at].to_ascii_lowercase() as u64;
    }
    key
}

/// Reads the name that starts at `at`: which tag it is, and where the name ends.
#[inline]
pub(crate) fn read(html: &[u8], at: usize) -> (Tag, usize) {
    if let Some(first) = html.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*first);
        let bits = may_end(word).trailing_zeros() & !7; // the bits of the name
        if bits < 64 && ends_tag_name(first[bits as usize / 8]) {
            // Setting the bit of lower case makes a letter only of the same letter.
            let name = (word | repeat(0x20)) & ((1 << bits) - 1);
            return (tag_of(name), at + bits as usize / 8);
        }
    }
    read_long(html, at)
}

/// As `read`, byte by byte: a long name, an odd one, or one at the end of the page.
#[cold]
fn read_long(html: &[u8], at: usize) -> (Tag, usize) {
    let length = html[at..].iter().position(|byte| ends_tag_name(*byte));
    let end = length.map_or(html.len(), |length| at + length);
    let name = &html[at..end];
    let tag = match name.len() {
        _ if name.contains(&0) => Tag::Other, // it would vanish in the number
        0..=8 => tag_of(key(name)),
        9 if name.eq_ignore_ascii_case(b"plaintext") => Tag::Plaintext,
        _ => Tag::Other,
    };
    (tag, end)
}

/// Sets the highest bit of the lowest byte that is `>`, `/`, or white space or a control
/// character; bytes above that one may be marked wrongly.
fn may_end(word: u64) -> u64 {
    let zero = |word: u64| word.wrapping_sub(repeat(0x01)) & !word;
    let low = word.wrapping_sub(repeat(0x21)) & !word;
    (low | zero(word ^ repeat(b'>')) | zero(word ^ repeat(b'/'))) & repeat(0x80)
}

const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

macro_rules! tags {
    ($($tag:ident $name:literal,)*) => {
        #[allow(non_upper_case_globals)]
        fn tag_of(name: u64) -> Tag {
            $(const $tag: u64 = key($name);)*
            match name {
                $($tag => Tag::$tag,)*
                _ => Tag::Other,
            }
        }
    };
}

tags! {
    A b"a",
    Area b"area",
    Audio b"audio",
    Base b"base",
    Embed b"embed",
    Frame b"frame",
    Html b"html",
    Iframe b"iframe",
    Img b"img",
    Input b"input",
    Link b"link",
    Math b"math",
    Meta b"meta",
    Noembed b"noembed",
    Noframes b"noframes",
    Object b"object",
    Script b"script",
    Source b"source",
    Style b"style",
    Svg b"svg",
    Template b"template",
    Textarea b"textarea",
    Title b"title",
    Track b"track",
    Video b"video",
    Xmp b"xmp",
}

impl Tag {
    pub fn is_foreign_root(self) -> bool {
        matches!(self, Tag::Svg | Tag::Math)
    }

    /// Names something that a page needs to be shown, besides what `link` names.
    pub fn is_asset(self) -> bool {
        matches!(
            self,
            Tag::Audio
                | Tag::Embed
                | Tag::Img
                | Tag::Input
                | Tag::Object
                | Tag::Script
                | Tag::Source
                | Tag::Track
                | Tag::Video
        )
    }

    /// The name whose end tag alone ends the content of this element.
    pub fn raw_text(self) -> Option<&'static [u8]> {
        Some(match self {
            Tag::Iframe => b"iframe",
            Tag::Noembed => b"noembed",
            Tag::Noframes => b"noframes",
            Tag::Style => b"style",
            Tag::Textarea => b"textarea",
            Tag::Title => b"title",
            Tag::Xmp => b"xmp",
            _ => return None,
        })
    }
}
