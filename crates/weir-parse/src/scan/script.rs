use memchr::{memchr, memchr2};

use super::attributes::walk;
use super::raw::{end_tag, word};

const NAME: &[u8] = b"script";

/// Where markup goes on behind a script that starts at `from`.
///
/// Old pages hide scripts in comments, so within `<!--` a `<script>` opens a second level, whose
/// `</script>` does not end the element (the standard's escaped and double escaped states).
pub(crate) fn end(html: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(step) = memchr(b'<', &html[at..]) {
        let open = at + step;
        if let Some(name_end) = end_tag(html, open, NAME) {
            return after_tag(html, name_end);
        }
        at = open + 1;
        if html[at..].starts_with(b"!--") {
            // The dashes of `<!--` may also be those of `-->`.
            match escaped(html, at + 1) {
                Escaped::Left(behind) => at = behind,
                Escaped::Ended(behind) => return behind,
            }
        }
    }
    html.len()
}

enum Escaped {
    /// Behind `-->`: still in the script.
    Left(usize),
    /// Behind the script, or the page is over.
    Ended(usize),
}

fn escaped(html: &[u8], from: usize) -> Escaped {
    let mut at = from;
    let mut double = false;
    while let Some(step) = memchr2(b'<', b'>', &html[at..]) {
        let here = at + step;
        at = here + 1;
        if html[here] == b'>' {
            if html[from..here].ends_with(b"--") {
                return Escaped::Left(at);
            }
        } else if let Some(name_end) = end_tag(html, here, NAME) {
            if !double {
                return Escaped::Ended(after_tag(html, name_end));
            }
            double = false;
            at = name_end;
        } else if let Some(name_end) = word(html, at, NAME) {
            double = true;
            at = name_end;
        }
    }
    Escaped::Ended(html.len())
}

fn after_tag(html: &[u8], name_end: usize) -> usize {
    walk(html, name_end, |_, _| {}).map_or(html.len(), |end| end.at)
}
