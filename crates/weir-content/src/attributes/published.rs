//! When the page was published, and when it was changed.

use memchr::memmem;
use weir_parse::tree::{Id, Name, Tree};

use super::jsonld::{Key, Thing};
use super::mark::{Kinds, Mark};
use super::meta::About;
use super::near::Near;
use super::page::Page;
use super::said::said;
use super::when::When;
use super::{Found, Source};

pub fn published(page: &Page<'_>, things: &[&Thing], near: &Near) -> Option<Found<When>> {
    let found = told(page, things, near)?;
    // What is published once more keeps its place.
    let earlier =
        |url: &Found<When>| url.value.day < found.value.day && !found.value.is_next(url.value.day);
    let found = in_url(page).filter(earlier).unwrap_or(found);
    Some(as_seen(page, near, found))
}

/// Machines tell a day in a zone of their own, a path may have the day of the draft; readers are
/// told the day where the page was written.
fn as_seen(page: &Page<'_>, near: &Near, found: Found<When>) -> Found<When> {
    if !found.value.in_utc && found.source != Source::Url {
        return found;
    }
    let told = found.value;
    let mut seen: Vec<When> = days_near(page, near).take(MAX_SEEN).collect();
    seen.extend(in_url(page).map(|url| url.value));
    if seen.iter().any(|seen| seen.day == told.day) && found.source != Source::Url {
        return found;
    }
    let day = seen.iter().map(|seen| seen.day).find(|day| told.may_be(*day)).unwrap_or(told.day);
    Found { value: When { day, ..told }, ..found }
}

/// More days than these do not stand near a heading.
const MAX_SEEN: usize = 8;

fn told(page: &Page<'_>, things: &[&Thing], near: &Near) -> Option<Found<When>> {
    linked(page, things, Key::DatePublished)
        .or_else(|| metas(page, About::Published))
        .or_else(|| marked(page, near, Kinds::PUBLISHED, |source| source != Source::Markup))
        .or_else(|| in_url(page))
        .or_else(|| metas(page, About::Day))
        .or_else(|| linked(page, things, Key::DateCreated))
        .or_else(|| linked(page, things, Key::UploadDate))
        .or_else(|| time_element(page, near))
        .or_else(|| marked(page, near, Kinds::PUBLISHED, |source| source == Source::Markup))
        .or_else(|| marked(page, near, Kinds::DAY, |_| true))
        .or_else(|| near_heading(page, near))
        .or_else(|| in_scripts(page))
        .or_else(|| anywhere(page))
}

pub fn modified(page: &Page<'_>, things: &[&Thing]) -> Option<Found<When>> {
    linked(page, things, Key::DateModified)
        .or_else(|| metas(page, About::Modified))
        .or_else(|| marked(page, &Near::top(), Kinds::MODIFIED, |_| true))
}

fn linked(page: &Page<'_>, things: &[&Thing], key: Key) -> Option<Found<When>> {
    let mut values = things.iter().filter_map(|thing| thing.text(key));
    values.find_map(|value| page.reader.value(value)).map(|when| Found::new(when, Source::JsonLd))
}

fn metas(page: &Page<'_>, about: About) -> Option<Found<When>> {
    let found = page.metas(about).map(|meta| (page.reader.value(&meta.content), meta.source));
    let found = found.filter_map(|(when, source)| Some(Found::new(when?, source)));
    found.min_by_key(|found| found.source)
}

/// The element nearest to the heading that is marked so and has a day.
fn marked(
    page: &Page<'_>,
    near: &Near,
    kinds: Kinds,
    of: impl Fn(Source) -> bool,
) -> Option<Found<When>> {
    let own = page.marks(kinds).filter(|mark| of(mark.source) && !page.is_aside(mark.id));
    let own = own.filter(|mark| kinds.has(Kinds::MODIFIED) || !mark.kinds.has(Kinds::MODIFIED));
    let mut marks: Vec<&Mark> = own.collect();
    marks.sort_by_key(|mark| near.distance(mark.id));
    let found = |mark: &&Mark| Some(Found::new(of_element(page, mark.id)?, mark.source));
    marks.iter().take(MAX_TRIED).find_map(found)
}

/// More elements than this are not looked into.
const MAX_TRIED: usize = 200;
/// An element that holds more is not only a day.
const MAX_NODES: u32 = 30;
const MAX_TEXT: usize = 200;

fn of_element(page: &Page<'_>, id: Id) -> Option<When> {
    let tree = &page.tree;
    let told = [
        "datetime",
        "content",
        "title",
        "data-datetime",
        "data-timestamp",
        "data-date",
        "data-time",
    ];
    let told = told.iter().filter_map(|name| tree.attribute(id, name));
    let told = told.filter_map(|value| page.reader.value(&value)).next();
    if tree.end(id).0 - id.0 > MAX_NODES {
        return told;
    }
    if let Some(when) = told {
        let seen = page.reader.first(&said(tree, id)).map(|seen| seen.day);
        let day = seen.filter(|day| when.in_utc && when.may_be(*day)).unwrap_or(when.day);
        return Some(When { day, in_utc: when.in_utc && seen.is_none(), ..when });
    }
    let time = tree.descendants(id).find(|id| tree.name(*id) == Name::Time);
    let time = time.and_then(|time| tree.attribute(time, "datetime"));
    if let Some(when) = time.and_then(|value| page.reader.value(&value)) {
        return Some(when);
    }
    let text = said(tree, id);
    if text.len() <= MAX_TEXT { page.reader.first(&text) } else { None }
}

/// Not one that says when the page was changed, and nearest to the heading.
fn time_element(page: &Page<'_>, near: &Near) -> Option<Found<When>> {
    let changed = |id: Id| {
        page.marks(Kinds::MODIFIED)
            .any(|mark| mark.id == id || page.tree.parent(id) == Some(mark.id))
    };
    let own = page.times.iter().filter(|id| !page.is_aside(**id) && !changed(**id));
    let mut times: Vec<Id> = own.copied().collect();
    times.sort_by_key(|id| {
        let declared = page.tree.raw_attribute(*id, "pubdate").is_some();
        (!declared, near.distance(*id))
    });
    let found = times.iter().take(MAX_TRIED).find_map(|id| of_element(page, *id));
    found.map(|when| Found::new(when, Source::TimeElement))
}

/// A path such as `/2023/12/22/…`.
fn in_url(page: &Page<'_>) -> Option<Found<When>> {
    let mut days = page.reader.all(page.url.path()).filter(|(_, spot)| spot.year_first);
    days.next().map(|(when, _)| Found::new(When { at: None, ..when }, Source::Url))
}

/// The first day in the text near the heading.
fn near_heading(page: &Page<'_>, near: &Near) -> Option<Found<When>> {
    days_near(page, near).next().map(|when| Found::new(when, Source::Text))
}

/// The days in the text near the heading, in lines of their own; those behind it first.
fn days_near<'p>(page: &'p Page<'_>, near: &Near) -> impl Iterator<Item = When> + 'p {
    let from = near.heading.0;
    let behind = page.seen_texts(from, from + 300);
    let mut before: Vec<Id> = page.seen_texts(from.saturating_sub(100), from).collect();
    before.reverse();
    let own = behind.chain(before).filter(|id| !page.is_aside(*id));
    own.filter_map(|id| short_line(page, id, SHORT))
}

/// A day that ends within so many bytes of a text stands in a line of its own, or begins one.
const SHORT: usize = 60;

/// The first day in a text, if it ends within so many bytes.
fn short_line(page: &Page<'_>, id: Id, longest: usize) -> Option<When> {
    let text = page.tree.raw_text(id);
    if text.len() < 6 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let text = page.tree.text(id);
    let (when, spot) = page.reader.all(text.trim()).next()?;
    (spot.to <= longest).then_some(when)
}

/// More keys than this are not tried, on a whole page.
const MAX_KEYS: usize = 300;

/// Data of a script: `"datePublished":"2020-…"`.
fn in_scripts(page: &Page<'_>) -> Option<Found<When>> {
    let tree = &page.tree;
    let scripts = tree.descendants(Tree::ROOT).filter(|id| tree.name(*id) == Name::Script);
    let texts = scripts.flat_map(|id| tree.children(id)).map(|id| tree.raw_text(id));
    let keys =
        texts.flat_map(|text| memmem::find_iter(text.as_bytes(), "ubli").map(move |at| (text, at)));
    let when = keys.take(MAX_KEYS).find_map(|(text, at)| behind_key(page, text, at));
    when.map(|when| Found::new(when, Source::Script))
}

/// The value of a key such as `datePublished`, `publish_date` or `publishedAt`, in which `at` is.
fn behind_key(page: &Page<'_>, text: &str, at: usize) -> Option<When> {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let from =
        at - text.as_bytes()[..at].iter().rev().take(20).take_while(|byte| is_letter(byte)).count();
    let end = at + text.as_bytes()[at..].iter().take(20).take_while(|byte| is_letter(byte)).count();
    let key = text.get(from..end)?;
    if !["date", "Date", "At", "_at", "time", "Time"].iter().any(|word| key.contains(word)) {
        return None;
    }
    let behind = text.get(end..text.floor_char_boundary(end + 80))?;
    let value = behind.trim_start_matches(['"', '\'', '\\', ':', '=', ' ']);
    let end = value.bytes().take(40).take_while(|byte| !b"\"'\\,}<".contains(byte)).count();
    page.reader.value(value.get(..end)?)
}

/// The first day in a line of its own, wherever it is; then the first in any text; at last one of
/// what stands beside, for what looks like that may be the page's own.
fn anywhere(page: &Page<'_>) -> Option<Found<When>> {
    let texts = || page.seen_texts(0, u32::MAX);
    let own = || texts().filter(|id| !page.is_aside(*id));
    let day = own()
        .find_map(|id| short_line(page, id, SHORT))
        .or_else(|| own().find_map(|id| short_line(page, id, usize::MAX)))
        .or_else(|| texts().find_map(|id| short_line(page, id, SHORT)));
    day.map(|when| Found::new(when, Source::Text))
}

#[cfg(test)]
mod tests {
    use crate::attributes::tests::{published, read};

    const PLAIN: &str = "http://a.example/b";

    fn check(html: &str, expected: &str) {
        assert_eq!(published(html, PLAIN), expected, "{html}");
    }

    #[test]
    fn a_script_may_tell_the_day() {
        for script in [
            r#"var page = {"datePublished":"2020-05-05"}"#,
            r#"x.publish_date = '2020-05-05T10:00:00+02:00';"#,
            r#"{\"publishedAt\":\"2020-05-05\"}"#,
        ] {
            check(&format!("<script>{script}</script><p>no day"), "2020-05-05 Script");
        }
        check(r#"<script>{"publisher":"2020-05-05"}</script>"#, "");
    }

    #[test]
    fn what_says_that_it_was_changed_is_passed_over() {
        let changed = "<time class=updated datetime=2020-06-01>1 June</time>";
        check(
            &format!("<h1>A</h1>{changed}<time datetime=2020-05-05>5 May</time>"),
            "2020-05-05 TimeElement",
        );
        let found = read(&format!("<h1>A</h1>{changed}"));
        assert_eq!(found.published, None);
        assert_eq!(found.day().map(|when| when.day.to_string()).as_deref(), Some("2020-06-01"));
    }

    #[test]
    fn days_of_other_articles_are_passed_over() {
        let aside = "<aside><time datetime=2020-06-01>1 June</time></aside>";
        check(
            &format!("{aside}<h1>A</h1><p>x</p><time datetime=2020-05-05>5 May</time>{aside}"),
            "2020-05-05 TimeElement",
        );
    }

    #[test]
    fn the_day_nearest_to_the_heading_counts() {
        let times = "<time datetime=2020-06-01></time><h1>A</h1><time datetime=2020-05-05></time>\
            <time datetime=2020-07-01></time>";
        check(times, "2020-05-05 TimeElement");
        let declared =
            "<h1>A</h1><time datetime=2020-06-01></time><time pubdate datetime=2020-05-05></time>";
        check(declared, "2020-05-05 TimeElement");
    }

    #[test]
    fn what_is_published_again_keeps_the_day_of_its_address() {
        let meta = "<meta property=article:published_time content=2021-03-03>";
        assert_eq!(published(meta, "http://a.example/2020/05/05/b"), "2020-05-05 Url");
        assert_eq!(published(meta, "http://a.example/2021/03/02/b"), "2021-03-03 OpenGraph");
        assert_eq!(published(meta, "http://a.example/2022/05/05/b"), "2021-03-03 OpenGraph");
    }

    #[test]
    fn a_day_may_stand_anywhere() {
        let long = "word ".repeat(30);
        check(&format!("<p>{long}</p><p>5 May 2020</p>"), "2020-05-05 Text");
        check(&format!("<p>{long} on 5 May 2020 {long}</p>"), "2020-05-05 Text");
    }
}
