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

/// A tag's name of up to eight bytes as a number: its bytes in lower case, the last lowest.
const fn key(name: &[u8]) -> u64 {
    let mut key = 0_u64;
    let mut at = 0;
    while at < name.len() {
        key = key << 8 | name[at].to_ascii_lowercase() as u64;
        at += 1;
    }
    key
}

/// Reads the name that starts at `at`: which tag it is, and where the name ends.
#[inline]
pub(crate) fn read(html: &[u8], at: usize) -> (Tag, usize) {
    let mut key = 0_u64;
    let mut end = at;
    while let Some(&byte) = html.get(end) {
        if ends_tag_name(byte) {
            break;
        }
        key = key << 8 | u64::from(byte.to_ascii_lowercase());
        end += 1;
    }
    let tag = match end - at {
        0..=8 => tag_of(key),
        9 if html[at..end].eq_ignore_ascii_case(b"plaintext") => Tag::Plaintext,
        _ => Tag::Other,
    };
    (tag, end)
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
