//! Who wrote the page.

mod line;
mod marked;

use super::jsonld::{Json, Key, Thing};
use super::meta::About;
use super::names::{names, without_agencies};
use super::near::Near;
use super::page::Page;
use super::plain::tidy;
use super::site::Site;
use super::{Found, Source};

/// The authors told by the best source that names somebody; the site itself only if nobody else is.
pub fn authors(page: &Page<'_>, things: &[&Thing], site: &Site, near: &Near) -> Vec<Found<String>> {
    let mut last = Vec::new();
    let sources: [&dyn Fn() -> Vec<Found<String>>; 5] = [
        &|| linked(page, things, site),
        &|| metas(page, site),
        &|| labelled(page),
        &|| marked::marked(page, site, near),
        &|| line::line(page, near),
    ];
    for source in sources {
        let mut found = source();
        let is_other = |one: &Found<String>| is_site(site, one) || is_handle(&one.value);
        if found.iter().any(|one| !is_other(one)) {
            found.retain(|one| !is_other(one));
            found.truncate(MAX_AUTHORS);
            return found;
        }
        if last.is_empty() {
            last = found;
        }
    }
    last.truncate(MAX_AUTHORS);
    last
}

const MAX_AUTHORS: usize = 20;
/// Some of which may be the site, or agencies.
const MAX_NAMES: usize = 100;
/// A longer text is not only a name.
const MAX_TEXT: usize = 200;

/// Linked data tells apart who wrote a page and whose it is; elsewhere that is mixed up.
fn is_site(site: &Site, author: &Found<String>) -> bool {
    if author.source == Source::JsonLd {
        site.is(&author.value)
    } else {
        site.is_like(&author.value)
    }
}

/// What somebody is called by a machine: `jane.doe.1234`.
fn is_handle(name: &str) -> bool {
    !name.contains(' ') && name.contains(|c: char| c.is_ascii_digit())
}

/// The names in a line. Behind the name of the site single words say where that is, not who wrote.
fn names_of(line: &str, site: &Site) -> Vec<String> {
    if site.is(line) {
        return vec![tidy(line)]; // it may look like two names
    }
    let mut found = names(line);
    if found
        .split_first()
        .is_some_and(|(first, rest)| site.is(first) && !rest.iter().any(|name| name.contains(' ')))
    {
        found.truncate(1);
    }
    found
}

fn linked(page: &Page<'_>, things: &[&Thing], site: &Site) -> Vec<Found<String>> {
    for key in [Key::Author, Key::Creator] {
        let told = things.iter().find(|thing| thing.all(key).next().is_some());
        let people: Vec<&Json> =
            told.into_iter().flat_map(|thing| thing.all(key)).take(MAX_AUTHORS).collect();
        let found = without_organizations(people)
            .into_iter()
            .flat_map(|person| names_of(&person_name(page, person), site));
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

fn metas(page: &Page<'_>, site: &Site) -> Vec<Found<String>> {
    for source in [Source::Meta, Source::OpenGraph, Source::Twitter] {
        let told = page.metas(About::Author).filter(|meta| meta.source == source);
        let found = distinct(told.flat_map(|meta| names_of(&meta.content, site)), source);
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

fn distinct(names: impl Iterator<Item = String>, source: Source) -> Vec<Found<String>> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if found.len() == MAX_NAMES {
            break;
        }
        if !found.iter().any(|one| one.eq_ignore_ascii_case(&name)) {
            found.push(name);
        }
    }
    without_agencies(found).into_iter().map(|name| Found::new(name, source)).collect()
}

#[cfg(test)]
mod tests;
