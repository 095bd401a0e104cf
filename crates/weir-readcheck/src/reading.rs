use jiff::Timestamp;
use weir_content::attributes::{Attributes, Found, Source, attributes};
use weir_content::text::main_text;
use weir_parse::tree::Builder;

use crate::corpus::Page;

/// What somebody read in a page: weir, or a tool of others. What a tool does not offer is `None`.
#[derive(Default)]
pub struct Reading {
    pub text: Option<String>,
    pub title: Option<String>,
    /// All names in one line.
    pub authors: Option<String>,
    /// As `2020-05-22`.
    pub day: Option<String>,
    pub videos: Vec<String>,
    /// Where weir has title, authors and day from, to be shown.
    pub from: [Option<Source>; 3],
}

/// Reads a page as a crawl does, but for its links.
pub fn read(page: &Page, html: &str, builder: &mut Builder) -> Reading {
    let tree = builder.build(html);
    let found = attributes(tree, &page.url, Timestamp::now());
    of(main_text(&tree).plain(), found)
}

fn of(text: String, found: Attributes) -> Reading {
    let authors: Vec<&str> = found.authors.iter().map(|author| author.value.as_str()).collect();
    let day = found.published.as_ref().or(found.modified.as_ref());
    Reading {
        text: Some(text),
        authors: Some(authors.join("; ")),
        day: Some(found.day().map(|when| when.day.to_string()).unwrap_or_default()),
        videos: found.videos.iter().map(|video| video.value.clone()).collect(),
        from: [source(found.title.as_ref()), source(found.authors.first()), source(day)],
        title: Some(found.title.map(|title| title.value).unwrap_or_default()),
    }
}

fn source<T>(found: Option<&Found<T>>) -> Option<Source> {
    found.map(|found| found.source)
}
