use memchr::memchr;

use super::attributes::{is_space, walk};

/// Where the text of a raw-text element ends, and where markup goes on behind its end tag.
/// Without an end tag the text goes to the end of the page.
pub(crate) fn end(html: &[u8], from: usize, name: &[u8]) -> (usize, usize) {
    let mut at = from;
    while let Some(step) = memchr(b'<', &html[at..]) {
        let open = at + step;
        if let Some(name_end) = end_tag(html, open, name) {
            return (open, walk(html, name_end, |_, _| {}).map_or(html.len(), |end| end.at));
        }
        at = open + 1;
    }
    (html.len(), html.len())
}

/// The position behind the name if the end tag of `name` stands at `open`.
pub(crate) fn end_tag(html: &[u8], open: usize, name: &[u8]) -> Option<usize> {
    if *html.get(open + 1)? != b'/' {
        return None;
    }
    word(html, open + 2, name)
}

/// The position behind `name` if it stands at `at` and is not the start of a longer name.
pub(crate) fn word(html: &[u8], at: usize, name: &[u8]) -> Option<usize> {
    let end = at + name.len();
    let after = *html.get(end)?;
    let ends = after == b'>' || after == b'/' || is_space(after);
    (ends && html[at..end].eq_ignore_ascii_case(name)).then_some(end)
}
