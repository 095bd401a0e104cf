//! What a page asks of robots, in its `X-Robots-Tag` headers and its `meta` elements.

use weir_parse::Robots as Meta;
use weir_types::Page;

/// What is asked of us: by anyone who names us, or names nobody. The strictest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Do not follow its links.
    pub nofollow: bool,
    /// Do not show it to anyone who searches.
    pub noindex: bool,
}

/// Words of the header that come with a value after a colon, and so are no robot's name.
const WITH_VALUE: [&str; 4] =
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

impl Directives {
    pub fn of(page: &Page, metas: &[Meta], product: &str) -> Directives {
        let mut found = Directives::default();
        for value in page.headers.get_all("x-robots-tag") {
            found.take_header(&String::from_utf8_lossy(value.as_bytes()), product);
        }
        let ours =
            |meta: &&Meta| meta.agent == "robots" || meta.agent.eq_ignore_ascii_case(product);
        for meta in metas.iter().filter(ours) {
            meta.directives.iter().for_each(|word| found.take(word));
        }
        found
    }

    /// `nofollow, noindex`, or `somebot: nofollow, otherbot: noindex`: a name counts until the next.
    fn take_header(&mut self, text: &str, product: &str) {
        let mut for_us = true;
        for part in text.split(',') {
            let mut word = part.trim();
            if let Some((name, rest)) = word.split_once(':')
                && !WITH_VALUE.iter().any(|known| name.trim().eq_ignore_ascii_case(known))
            {
                for_us = name.trim().eq_ignore_ascii_case(product);
                word = rest.trim();
            }
            if for_us {
                self.take(word);
            }
        }
    }

    /// Some write spaces or semicolons where commas belong.
    fn take(&mut self, words: &str) {
        for word in words.split([' ', ';']) {
            let is = |other: &str| word.eq_ignore_ascii_case(other);
            self.nofollow |= is("nofollow") || is("none");
            self.noindex |= is("noindex") || is("none");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> (bool, bool) {
        let mut found = Directives::default();
        found.take_header(text, "weir");
        (found.nofollow, found.noindex)
    }

    #[test]
    fn a_header_speaks_to_all_or_to_those_it_names() {
        for (text, expected) in [
            ("nofollow", (true, false)),
            ("NoIndex, NoFollow", (true, true)),
            ("none", (true, true)),
            ("NOINDEX NOFOLLOW", (true, true)),
            ("noindex; nofollow", (true, true)),
            ("nofollow, caf\u{e9}", (true, false)),
            ("all", (false, false)),
            ("weir: nofollow", (true, false)),
            ("otherbot: nofollow, noindex", (false, false)),
            ("otherbot: nofollow, Weir: noindex", (false, true)),
            ("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", (false, true)),
            ("max-snippet: 5, nofollow", (true, false)),
            ("", (false, false)),
            (":,:,nofollow", (false, false)),
        ] {
            assert_eq!(header(text), expected, "{text}");
        }
    }
}
