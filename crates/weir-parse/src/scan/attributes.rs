use memchr::memchr;

/// The attributes this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attr {
    Charset,
    Content,
    Data,
    Encoding,
    /// `color`, `face` or `size`, which make a `font` end SVG and MathML.
    Font,
    Href,
    HttpEquiv,
    Lang,
    Name,
    Poster,
    Rel,
    Src,
    Srcset,
    Type,
}

const COUNT: usize = Attr::Type as usize + 1;

/// The raw values of one tag's attributes; of two with the same name the first counts.
#[derive(Default)]
pub(crate) struct Attributes<'h> {
    values: [Option<&'h [u8]>; COUNT],
}

impl<'h> Attributes<'h> {
    pub fn get(&self, attr: Attr) -> Option<&'h [u8]> {
        self.values[attr as usize]
    }

    pub fn clear(&mut self) {
        self.values = [None; COUNT];
    }

    pub fn add(&mut self, name: &[u8], raw: &'h [u8]) {
        if let Some(attr) = attr_of(name) {
            self.values[attr as usize].get_or_insert(raw);
        }
    }
}

fn attr_of(name: &[u8]) -> Option<Attr> {
    let candidates: &[(&str, Attr)] = match name.len() {
        3 => &[("rel", Attr::Rel), ("src", Attr::Src)],
        4 => &[
            ("href", Attr::Href),
            ("name", Attr::Name),
            ("type", Attr::Type),
            ("data", Attr::Data),
            ("lang", Attr::Lang),
            ("face", Attr::Font),
            ("size", Attr::Font),
        ],
        5 => &[("color", Attr::Font)],
        6 => &[("srcset", Attr::Srcset), ("poster", Attr::Poster)],
        7 => &[("content", Attr::Content), ("charset", Attr::Charset)],
        8 => &[("encoding", Attr::Encoding)],
        10 => &[("http-equiv", Attr::HttpEquiv)],
        _ => return None,
    };
    let same = |(text, _): &&(&str, Attr)| name.eq_ignore_ascii_case(text.as_bytes());
    candidates.iter().find(same).map(|(_, attr)| *attr)
}

/// Where a tag ended.
#[derive(Clone, Copy)]
pub(crate) struct End {
    /// The position behind `>`.
    pub at: usize,
    pub self_closing: bool,
}

/// Walks the attributes of a tag from behind its name, calling `each` with name and raw value.
/// `None` if the page ends before the tag does.
#[inline]
pub(crate) fn walk<'h>(
    html: &'h [u8],
    mut at: usize,
    mut each: impl FnMut(&'h [u8], &'h [u8]),
) -> Option<End> {
    loop {
        match *html.get(at)? {
            b'>' => return Some(End { at: at + 1, self_closing: false }),
            b'/' => {
                at += 1;
                if *html.get(at)? == b'>' {
                    return Some(End { at: at + 1, self_closing: true });
                }
                continue;
            }
            byte if is_space(byte) => {
                at += 1;
                continue;
            }
            _ => {}
        }
        // The first byte belongs to the name even if it is `=`.
        let name_end = find(html, at + 1, ENDS_NAME)?;
        let name = &html[at..name_end];
        at = skip_space(html, name_end)?;
        if html[at] != b'=' {
            each(name, b"");
            continue;
        }
        at = skip_space(html, at + 1)?;
        match html[at] {
            quote @ (b'"' | b'\'') => {
                let end = at + 1 + memchr(quote, &html[at + 1..])?;
                each(name, &html[at + 1..end]);
                at = end + 1;
            }
            b'>' => each(name, b""),
            _ => {
                let end = find(html, at, ENDS_VALUE)?;
                each(name, &html[at..end]);
                at = end;
            }
        }
    }
}

fn skip_space(html: &[u8], mut at: usize) -> Option<usize> {
    while is_space(*html.get(at)?) {
        at += 1;
    }
    Some(at)
}

fn find(html: &[u8], mut at: usize, class: u8) -> Option<usize> {
    while CLASSES[*html.get(at)? as usize] & class == 0 {
        at += 1;
    }
    Some(at)
}

/// Carriage returns count: the standard turns them into line feeds before it tokenizes.
pub(crate) fn is_space(byte: u8) -> bool {
    CLASSES[byte as usize] & SPACE != 0
}

pub(crate) fn ends_tag_name(byte: u8) -> bool {
    CLASSES[byte as usize] & ENDS_TAG_NAME != 0
}

const SPACE: u8 = 1;
const ENDS_VALUE: u8 = 2;
const ENDS_NAME: u8 = 4;
const ENDS_TAG_NAME: u8 = 8;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let spaces = b" \t\n\r\x0C";
    let mut at = 0;
    while at < spaces.len() {
        classes[spaces[at] as usize] = SPACE | ENDS_VALUE | ENDS_NAME | ENDS_TAG_NAME;
        at += 1;
    }
    classes[b'>' as usize] = ENDS_VALUE | ENDS_NAME | ENDS_TAG_NAME;
    classes[b'/' as usize] = ENDS_NAME | ENDS_TAG_NAME;
    classes[b'=' as usize] = ENDS_NAME;
    classes
};
