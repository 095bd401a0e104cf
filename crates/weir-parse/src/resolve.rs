use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use crate::canonical::Rules;
use crate::finder::Encodings;
use crate::plain::{Answer, Base};
use crate::standard;
use crate::text::Text;

/// Makes canonical texts of links as they stand in a page.
#[derive(Default)]
pub(crate) struct Resolver {
    pub rules: Rules,
    base: Base,
    out: String,
}

impl Resolver {
    /// Links are resolved against `url` from now on.
    pub fn set_base(&mut self, url: &Url) {
        self.base.set(url);
    }

    /// `raw` is an attribute's value as it stands in the page, and `base` the URL given to
    /// [`Resolver::set_base`]. `None` if it is no http or https URL that can be crawled.
    pub fn raw<'r>(
        &'r mut self,
        raw: &[u8],
        encodings: Encodings,
        base: &Url,
        text: &mut Text,
    ) -> Option<&'r str> {
        match self.base.resolve_raw(raw, &self.rules, text, &mut self.out) {
            Answer::Resolved => return Some(&self.out),
            Answer::Refused => return None,
            Answer::Unsure => {}
        }
        self.text(text.attribute(raw, encodings.bytes), encodings.queries, base)
    }

    /// As [`Resolver::raw`], for a value that was decoded already.
    pub fn text(&mut self, link: &str, encoding: &'static Encoding, base: &Url) -> Option<&str> {
        match self.base.resolve(link, &self.rules, &mut self.out) {
            Answer::Resolved => return Some(&self.out),
            Answer::Refused => return None,
            Answer::Unsure => {}
        }
        let url = parse(link, encoding, base)?;
        self.rules.write(&url, &mut self.out).is_ok().then_some(self.out.as_str())
    }
}

/// Resolves by the standard: queries are written in the encoding of the page.
pub(crate) fn parse(link: &str, encoding: &'static Encoding, base: &Url) -> Option<Url> {
    if encoding == UTF_8 || link.is_ascii() {
        return standard::parse(link, Some(base)).ok();
    }
    standard::parse_in(link, Some(base), Some(&|query| encode_query(query, encoding))).ok()
}

/// A character that the encoding lacks becomes a reference, `&#N;`, percent-encoded.
fn encode_query<'q>(query: &'q str, encoding: &'static Encoding) -> Cow<'q, [u8]> {
    let (bytes, _, unmappable) = encoding.encode(query);
    if !unmappable {
        return bytes;
    }
    let mut out = Vec::new();
    for c in query.chars() {
        let mut one = [0; 4];
        let (bytes, _, unmappable) = encoding.encode(c.encode_utf8(&mut one));
        match unmappable {
            true => out.extend(format!("%26%23{}%3B", c as u32).bytes()),
            false => out.extend_from_slice(&bytes),
        }
    }
    Cow::Owned(out)
}
