//! What a `meta` element is about.

use std::borrow::Cow;

use weir_parse::tree::{Id, Tree};

use super::Source;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Title,
    Published,
    Modified,
    /// A day of which it is not said what happened on it.
    Day,
    Author,
    /// What the next `twitter:data` is about.
    Label,
    Labelled,
    Owner,
    Site,
    Lang,
    Video,
    Price,
    Currency,
    Availability,
}

pub struct Meta<'t> {
    pub about: About,
    pub source: Source,
    pub content: Cow<'t, str>,
}

/// Longer values are none of those we want.
const MAX_CONTENT: usize = 4096;

/// `None` for a `meta` that tells nothing of use here.
pub fn meta<'t>(tree: &Tree<'t>, id: Id) -> Option<Meta<'t>> {
    let key = ["property", "name", "itemprop", "http-equiv"]
        .iter()
        .find_map(|attribute| tree.raw_attribute(id, attribute).filter(|key| !key.is_empty()))?;
    let key = Plain::of(key)?;
    let (about, source) = about(key.text())?;
    let content = tree.raw_attribute(id, "content").filter(|raw| raw.len() <= MAX_CONTENT)?;
    if content.trim().is_empty() {
        return None;
    }
    Some(Meta { about, source, content: tree.attribute(id, "content")? })
}

/// The letters and digits of a key, in lower case: it is written in too many ways.
struct Plain {
    letters: [u8; 40],
    length: usize,
}

impl Plain {
    fn of(key: &str) -> Option<Plain> {
        let mut plain = Plain { letters: [0; 40], length: 0 };
        for byte in key.bytes().filter(u8::is_ascii_alphanumeric) {
            *plain.letters.get_mut(plain.length)? = byte.to_ascii_lowercase();
            plain.length += 1;
        }
        Some(plain)
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.letters[..self.length]).unwrap_or("")
    }
}

fn about(key: &str) -> Option<(About, Source)> {
    use About::*;
    let about = match key {
        "ogtitle" | "twittertitle" | "dctitle" | "dctermstitle" | "citationtitle"
        | "sailthrutitle" | "parselytitle" | "title" | "headline" => Title,
        "author"
        | "authors"
        | "articleauthor"
        | "ogarticleauthor"
        | "parselyauthor"
        | "sailthruauthor"
        | "dccreator"
        | "dctermscreator"
        | "dcauthor"
        | "citationauthor"
        | "citationauthors"
        | "byl"
        | "byline"
        | "creator"
        | "cxenseparseauthor"
        | "shareaholicarticleauthorname"
        | "articleauthorname"
        | "authorname"
        | "rnewsauthor" => Author,
        "twitterlabel1" | "twitterlabel2" => Label,
        "twitterdata1" | "twitterdata2" => Labelled,
        "copyright"
        | "dcrights"
        | "dctermsrights"
        | "dctermsrightsholder"
        | "dcrightsholder"
        | "rights"
        | "rightsholder"
        | "copyrightholder" => Owner,
        "ogsitename" | "applicationname" | "publisher" | "dcpublisher" | "dctermspublisher"
        | "articlepublisher" | "citationpublisher" => Site,
        "oglocale" | "language" | "lang" | "contentlanguage" | "dclanguage" | "dctermslanguage"
        | "inlanguage" => Lang,
        "ogvideo" | "ogvideourl" | "ogvideosecureurl" | "twitterplayer" | "twitterplayerstream" => {
            Video
        }
        "productpriceamount" | "ogpriceamount" => Price,
        "productpricecurrency" | "ogpricecurrency" => Currency,
        "productavailability" | "ogavailability" => Availability,
        _ => day(key)?,
    };
    Some((about, source(key)))
}

/// Keys with a day are many; the words in them are few.
fn day(key: &str) -> Option<About> {
    let has = |words: &[&str]| words.iter().any(|word| key.contains(word));
    if has(&["expir", "publisher", "validator", "image", "video", "timezone", "readingtime"]) {
        return None;
    }
    if has(&["modif", "updat", "lastmod", "revis", "changed"]) {
        return Some(About::Modified);
    }
    if has(&[
        "publi",
        "pubdate",
        "issued",
        "created",
        "creationdate",
        "firstpub",
        "pubtime",
        "posted",
    ]) {
        return Some(About::Published);
    }
    match key {
        "date" | "dcdate" | "dctermsdate" | "sailthrudate" | "citationdate" | "timestamp"
        | "articledate" | "displaydate" | "cdate" | "ptime" | "datetime" | "searchdate"
        | "itemdate" | "time" => Some(About::Day),
        _ => None,
    }
}

fn source(key: &str) -> Source {
    if key.starts_with("og") || key.starts_with("article") || key.starts_with("product") {
        Source::OpenGraph
    } else if key.starts_with("twitter") {
        Source::Twitter
    } else {
        Source::Meta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_known_however_it_is_written() {
        for (key, expected) in [
            ("og:title", Some((About::Title, Source::OpenGraph))),
            ("DC.title", Some((About::Title, Source::Meta))),
            ("article:published_time", Some((About::Published, Source::OpenGraph))),
            ("datePublished", Some((About::Published, Source::Meta))),
            ("parsely-pub-date", Some((About::Published, Source::Meta))),
            ("DC.date.issued", Some((About::Published, Source::Meta))),
            ("article:modified_time", Some((About::Modified, Source::OpenGraph))),
            ("Last-Modified", Some((About::Modified, Source::Meta))),
            ("date", Some((About::Day, Source::Meta))),
            ("article:publisher", Some((About::Site, Source::OpenGraph))),
            ("article:expiration_time", None),
            ("viewport", None),
            ("", None),
        ] {
            let plain = Plain::of(key).unwrap();
            assert_eq!(about(plain.text()), expected, "{key}");
        }
    }
}
