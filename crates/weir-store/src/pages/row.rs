use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use weir_types::Page;

use crate::PageFacts;
use crate::warc::Exchange;

type Text<'a> = Cow<'a, str>;
type MaybeText<'a> = Option<Cow<'a, str>>;

/// One page in a rows file. Field names are the columns of the table.
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct Row<'a> {
    #[serde(borrow)]
    pub url: Text<'a>,
    #[serde(borrow)]
    pub final_url: Text<'a>,
    #[serde(borrow)]
    pub site: Text<'a>,
    pub depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: MaybeText<'a>,
    pub status: u16,
    /// Milliseconds since 1970.
    pub fetched_at: i64,
    pub elapsed_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charset: MaybeText<'a>,
    pub bytes_wire: u64,
    pub bytes_body: u64,
    pub digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lang: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copyright: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: MaybeText<'a>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub videos: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub fields: Cow<'a, [(String, String)]>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub product: Cow<'a, [(String, String)]>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub sources: Cow<'a, [(String, String)]>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub topics: Cow<'a, [(String, String)]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: MaybeText<'a>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noindex: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simhash: Option<u64>,
    // Read back only: the store writes these, see `Place`.
    #[serde(skip_serializing)]
    pub duplicate_of: MaybeText<'a>,
    #[serde(skip_serializing)]
    pub near_duplicate_of: MaybeText<'a>,
    #[serde(skip_serializing)]
    pub warc_file: MaybeText<'a>,
    #[serde(skip_serializing)]
    pub warc_offset: Option<u64>,
}

/// What only the store knows of a page.
#[derive(Serialize, Default)]
pub(crate) struct Place<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_duplicate_of: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc_file: MaybeText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc_offset: Option<u64>,
}

impl<'a> Row<'a> {
    pub fn of(exchange: &'a Exchange, page: &'a Page, facts: &'a PageFacts) -> Self {
        Row {
            url: text(&exchange.url),
            final_url: text(&facts.final_url),
            site: text(&facts.site),
            depth: facts.depth,
            parent: maybe(&facts.parent),
            status: page.status,
            fetched_at: exchange.date.0,
            elapsed_ms: page.elapsed.as_millis() as u64,
            content_type: maybe(&facts.content_type).or_else(|| header(page, "content-type")),
            charset: maybe(&facts.charset),
            bytes_wire: page.bytes_wire,
            bytes_body: facts.bytes_body,
            digest: exchange.digest.to_string(),
            etag: header(page, "etag"),
            last_modified: header(page, "last-modified"),
            lang: maybe(&facts.lang),
            title: maybe(&facts.title),
            published: maybe(&facts.published),
            modified: maybe(&facts.modified),
            author: maybe(&facts.author),
            copyright: maybe(&facts.copyright),
            text: maybe(&facts.text),
            videos: Cow::Borrowed(&facts.videos),
            fields: Cow::Borrowed(&facts.fields),
            product: Cow::Borrowed(&facts.product),
            sources: Cow::Borrowed(&facts.sources),
            topics: Cow::Borrowed(&facts.topics),
            canonical: maybe(&facts.canonical),
            noindex: facts.noindex,
            simhash: facts.simhash,
            duplicate_of: None,
            near_duplicate_of: None,
            warc_file: None,
            warc_offset: None,
        }
    }

    /// The line as far as a worker can write it; [`Place::close`] writes the rest.
    pub fn line(&self) -> Vec<u8> {
        // Room for an ordinary row, so that it does not grow step by step.
        let mut line = Vec::with_capacity(1024);
        serde_json::to_writer(&mut line, self).expect("text and numbers are always JSON");
        line.pop();
        line
    }
}

impl Place<'_> {
    pub fn close(&self, line: &mut Vec<u8>) {
        let start = line.len();
        serde_json::to_writer(&mut *line, self).expect("text and numbers are always JSON");
        line.pop();
        match line.len() - start {
            // Nothing but the brace: nothing to add.
            1 => line.truncate(start),
            // The brace that opened this object becomes the comma that goes on with the line.
            _ => line[start] = b',',
        }
        line.extend_from_slice(b"}\n");
    }
}

fn text(value: &str) -> Text<'_> {
    Cow::Borrowed(value)
}

fn maybe(value: &Option<String>) -> MaybeText<'_> {
    value.as_deref().map(Cow::Borrowed)
}

fn header<'a>(page: &'a Page, name: &str) -> MaybeText<'a> {
    page.header(name).map(Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(place: Place<'_>) {
        let row =
            Row { url: "http://a/\"x\"".into(), title: Some("A\nB".into()), ..Row::default() };
        let mut line = row.line();
        place.close(&mut line);
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let back: Row = serde_json::from_slice(&line).unwrap();
        assert_eq!(back.url, "http://a/\"x\"");
        assert_eq!(back.title.as_deref(), Some("A\nB"));
        assert_eq!(back.duplicate_of, place.duplicate_of);
        assert_eq!(back.near_duplicate_of, place.near_duplicate_of);
        assert_eq!((back.warc_file, back.warc_offset), (place.warc_file, place.warc_offset));
    }

    #[test]
    fn a_line_is_whole_whatever_the_store_adds() {
        check(Place::default());
        let place = Place { warc_offset: Some(7), warc_file: Some("w".into()), ..Place::default() };
        check(place);
        check(Place { near_duplicate_of: Some("http://b/".into()), ..Place::default() });
        check(Place { duplicate_of: Some("http://b/".into()), ..Place::default() });
    }
}
