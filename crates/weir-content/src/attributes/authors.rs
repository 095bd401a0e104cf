//! Who wrote the page.

use weir_parse::tree::{Id, Name};

use super::jsonld::{Json, Key, Thing};
use super::mark::{Kinds, Mark};
use super::meta::About;
use super::names::{names, without_agencies};
use super::near::Near;
use super::page::Page;
use super::site::Site;
use super::{Found, Source};

/// The authors told by the best source that names somebody; the site itself only if nobody else is.
pub fn authors(page: &Page<'_>, things: &[&Thing], site: &Site, near: &Near) -> Vec<Found<String>> {
    let mut last = Vec::new();
    let sources: [&dyn Fn() -> Vec<Found<String>>; 5] = [
        &|| linked(page, things),
        &|| metas(page),
        &|| labelled(page),
        &|| marked(page, site, near),
        &|| line(page, near),
    ];
    for source in sources {
        let mut found = source();
        let is_site = |one: &Found<String>| is_site(site, one);
        if found.iter().any(|one| !is_site(one)) {
            found.retain(|one| !is_site(one));
            found.truncate(MAX_AUTHORS);
            return found;
        }
        if last.is_empty() {
            last = found;
        }
    }
    last
}

const MAX_AUTHORS: usize = 20;

/// Linked data tells apart who wrote a page and whose it is; elsewhere that is mixed up.
fn is_site(site: &Site, author: &Found<String>) -> bool {
    if author.source == Source::JsonLd {
        site.is(&author.value)
    } else {
        site.is_like(&author.value)
    }
}

fn linked(page: &Page<'_>, things: &[&Thing]) -> Vec<Found<String>> {
    for key in [Key::Author, Key::Creator] {
        let told = things.iter().find(|thing| thing.all(key).next().is_some());
        let people: Vec<&Json> =
            told.into_iter().flat_map(|thing| thing.all(key)).take(MAX_AUTHORS).collect();
        let found = without_organizations(people)
            .into_iter()
            .flat_map(|person| names(&person_name(page, person)));
        let found = distinct(found, Source::JsonLd);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Whom they work for is told as an author too, beside them.
fn without_organizations(mut people: Vec<&Json>) -> Vec<&Json> {
    let is = |json: &Json, kind: &str| {
        json.thing().is_some_and(|thing| thing.is(|name| name.ends_with(kind)))
    };
    if people.iter().any(|json| is(json, "Person")) {
        people.retain(|json| !is(json, "Organization"));
    }
    people
}

/// The name of an author, who may be described elsewhere on the page.
fn person_name(page: &Page<'_>, person: &Json) -> String {
    if let Some(text) = person.text() {
        return text.to_owned();
    }
    let Some(thing) = person.thing() else { return String::new() };
    if let (Some(given), Some(family)) = (thing.text(Key::GivenName), thing.text(Key::FamilyName)) {
        return format!("{given} {family}");
    }
    let same = |id: &str| {
        page.linked
            .near()
            .into_iter()
            .find(|other| other.text(Key::Id) == Some(id) && other.text(Key::Name).is_some())
    };
    let named = thing.text(Key::Id).and_then(same).and_then(|thing| thing.text(Key::Name));
    named.unwrap_or("").to_owned()
}

fn metas(page: &Page<'_>) -> Vec<Found<String>> {
    for source in [Source::Meta, Source::OpenGraph, Source::Twitter] {
        let told = page.metas(About::Author).filter(|meta| meta.source == source);
        let found = distinct(told.flat_map(|meta| names(&meta.content)), source);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// `twitter:data1` where `twitter:label1` says that it is the author.
fn labelled(page: &Page<'_>) -> Vec<Found<String>> {
    let pairs = page
        .metas
        .windows(2)
        .filter(|pair| pair[0].about == About::Label && pair[1].about == About::Labelled);
    let written = |label: &str| {
        let label = label.to_lowercase();
        let words = [
            "by",
            "von",
            "par",
            "por",
            "da",
            "door",
            "автор",
            "autor",
            "author",
            "przez",
            "av",
            "af",
            "yazan",
        ];
        label.split_whitespace().any(|word| words.contains(&word))
    };
    let found =
        pairs.filter(|pair| written(&pair[0].content)).flat_map(|pair| names(&pair[1].content));
    distinct(found, Source::Twitter)
}

/// An element with a longer text is not only a name.
const MAX_TEXT: usize = 200;
/// More elements than this are not looked into.
const MAX_TRIED: usize = 100;

fn marked(page: &Page<'_>, site: &Site, near: &Near) -> Vec<Found<String>> {
    let own = page.marks(Kinds::AUTHOR).filter(|mark| !page.is_aside(mark.id));
    let mut marks: Vec<&Mark> = own.collect();
    marks.sort_by_key(|mark| (mark.source == Source::Markup, near.distance(mark.id)));
    let mut last = Vec::new();
    for mark in marks.iter().take(MAX_TRIED) {
        let found = of_element(page, mark.id);
        if found.iter().any(|name| !site.is_like(name)) {
            return distinct(found.into_iter().chain(beside(page, mark, &marks)), mark.source);
        }
        if last.is_empty() {
            last = distinct(found.into_iter(), mark.source);
        }
    }
    last
}

/// Further authors: elements of the same class that follow closely.
fn beside(page: &Page<'_>, first: &Mark, marks: &[&Mark]) -> Vec<String> {
    let class = |id: Id| page.tree.raw_attribute(id, "class");
    let next = marks.iter().filter(|mark| {
        let close = mark.id > first.id && mark.id.0 - first.id.0 < 60;
        close && class(mark.id).is_some() && class(mark.id) == class(first.id)
    });
    next.flat_map(|mark| of_element(page, mark.id)).collect()
}

fn of_element(page: &Page<'_>, id: Id) -> Vec<String> {
    let tree = &page.tree;
    if let Some(content) = tree.attribute(id, "content") {
        return names(&content);
    }
    if tree.end(id).0 - id.0 > 80 {
        return Vec::new();
    }
    let named =
        tree.descendants(id).filter(|id| tree.raw_attribute(*id, "itemprop") == Some("name"));
    let linked =
        tree.descendants(id).filter(|id| tree.name(*id) == Name::A && is_author_link(page, *id));
    for part in named.take(5).map(|id| vec![id]).chain([linked.take(10).collect()]) {
        let found: Vec<String> = part.iter().flat_map(|id| names(&tree.collected(*id))).collect();
        if !found.is_empty() {
            return found;
        }
    }
    let text = tree.collected(id);
    if text.len() <= MAX_TEXT { names(&text) } else { Vec::new() }
}

fn is_author_link(page: &Page<'_>, id: Id) -> bool {
    let href = page.tree.raw_attribute(id, "href").unwrap_or("").to_ascii_lowercase();
    [
        "author",
        "autor",
        "/by/",
        "/people/",
        "/profile",
        "/staff/",
        "/contributor",
        "/team/",
        "/person/",
        "/user/",
    ]
    .iter()
    .any(|word| href.contains(word))
}

/// A line near the heading that begins like a byline.
fn line(page: &Page<'_>, near: &Near) -> Vec<Found<String>> {
    let tree = &page.tree;
    for id in page.seen_texts(near.heading.0, near.heading.0 + 200) {
        let text = tree.text(id);
        let text = text.trim();
        if text.len() > MAX_TEXT || text.len() < 2 {
            continue;
        }
        if let Some(name) = beside_day(page, text) {
            return vec![Found::new(name, Source::Text)];
        }
        if !begins_byline(text) {
            continue;
        }
        let alone = !text.contains(' ') || text.ends_with(':');
        let whole = if alone { tree.parent(id).map(|parent| tree.collected(parent)) } else { None };
        let whole =
            whole.filter(|whole| whole.len() <= MAX_TEXT).unwrap_or_else(|| text.to_owned());
        let found = names(&whole);
        if !found.is_empty() && found.iter().all(|name| is_proper(name)) {
            return distinct(found.into_iter(), Source::Text);
        }
    }
    Vec::new()
}

/// A name that shares its line with nothing but a day: `22.05.2020 - Jane Doe`.
fn beside_day(page: &Page<'_>, text: &str) -> Option<String> {
    let (_, spot) = page.reader.all(text).next()?;
    let rest = [text.get(..spot.from)?, text.get(spot.to..)?];
    let mark =
        |c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '|' | '·' | '•' | ',' | '/');
    let mut parts = rest.iter().map(|part| part.trim_matches(mark)).filter(|part| !part.is_empty());
    let (one, more) = (parts.next()?, parts.next());
    let words = one.split_whitespace().count();
    let fits = more.is_none()
        && (2..=3).contains(&words)
        && is_proper(one)
        && one.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '-'));
    fits.then(|| names(one).into_iter().next())?
}

fn begins_byline(text: &str) -> bool {
    let word: String = text.chars().take_while(|c| c.is_alphabetic()).take(12).collect();
    matches!(
        word.to_lowercase().as_str(),
        "by" | "von"
            | "par"
            | "por"
            | "di"
            | "door"
            | "autor"
            | "author"
            | "автор"
            | "text"
            | "written"
            | "posted"
    )
}

/// Each word of some length begins with a capital.
fn is_proper(name: &str) -> bool {
    let mut words = name.split_whitespace().filter(|word| word.chars().count() > 3);
    name.contains(' ') && words.all(|word| word.chars().next().is_some_and(|c| !c.is_lowercase()))
}

fn distinct(names: impl Iterator<Item = String>, source: Source) -> Vec<Found<String>> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if !found.iter().any(|one| one.eq_ignore_ascii_case(&name)) {
            found.push(name);
        }
    }
    without_agencies(found).into_iter().map(|name| Found::new(name, source)).collect()
}
