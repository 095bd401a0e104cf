//! The title of a page: what stands above its text, without the name of its site.

mod heading;

use super::jsonld::{Key, Thing};
use super::meta::About;
use super::page::Page;
use super::plain::{plain, tidy};
use super::said::said;
use super::site::Site;
use super::{Found, Source};

/// A longer one is a text.
const MAX_CHARS: usize = 400;
/// A page that is called more names has none.
const MAX_TOLD: usize = 50;

pub fn title(page: &Page<'_>, things: &[&Thing], site: &Site) -> Option<Found<String>> {
    let told = told(page, things, site);
    if let Some(heading) = heading(page, &told, site) {
        return Some(Found::new(heading, Source::Heading));
    }
    told.into_iter().next().map(|one| Found::new(one.text, one.source))
}

struct Told {
    text: String,
    plain: String,
    source: Source,
}

/// What the page calls itself where no reader sees it, best first.
fn told(page: &Page<'_>, things: &[&Thing], site: &Site) -> Vec<Told> {
    let headlines = things.iter().filter_map(|thing| thing.text(Key::Headline));
    let headlines = headlines.take(MAX_TOLD);
    let metas =
        page.metas(About::Title).take(MAX_TOLD).map(|meta| (meta.content.as_ref(), meta.source));
    let all = headlines.map(|text| (text, Source::JsonLd)).chain(metas);
    let mut told: Vec<Told> = all.filter_map(|(text, source)| one(text, source, site)).collect();
    if let Some(title) = page.title.map(|id| said(&page.tree, id)) {
        told.extend(one(&title, Source::Title, site));
    }
    // A headline may be cut short; the others are as they are.
    told.sort_by_key(|told| rank(told.source));
    told
}

fn rank(source: Source) -> u8 {
    match source {
        Source::OpenGraph => 0,
        Source::JsonLd => 1,
        Source::Twitter => 2,
        Source::Title => 3,
        _ => 4,
    }
}

fn one(text: &str, source: Source, site: &Site) -> Option<Told> {
    let tidy = tidy(text);
    let text = without_site(&tidy, site).to_owned();
    let plain = plain(&text);
    (!plain.is_empty() && text.chars().count() <= MAX_CHARS).then_some(Told { text, plain, source })
}

/// The heading that the page is also called by elsewhere; the only one if none is.
fn heading(page: &Page<'_>, told: &[Told], site: &Site) -> Option<String> {
    let is_told = |text: &str| told.iter().any(|told| told.plain == text);
    let own = page.headings.iter().filter(|id| !page.is_aside(**id));
    let texts = own.map(|id| heading::text(&page.tree, *id, is_told));
    let texts: Vec<String> = texts
        .filter(|text| {
            !plain(text).is_empty() && text.chars().count() <= MAX_CHARS && !site.is(text)
        })
        .collect();
    let agreement = |text: &String| {
        let own = plain(text);
        told.iter().map(|told| agreement(&own, &told.plain)).max().unwrap_or(0)
    };
    let best =
        texts.iter().enumerate().max_by_key(|(at, text)| (agreement(text), usize::MAX - at))?.1;
    (agreement(best) > 0 || texts.len() == 1).then(|| best.clone())
}

/// How much two titles are the same, from 0 to 3.
fn agreement(one: &str, other: &str) -> u8 {
    if one == other {
        return 3;
    }
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if short.len() >= 10 && long.starts_with(short) {
        2
    } else if short.len() >= 8 && long.contains(short) {
        1
    } else {
        0
    }
}

fn is_mark(letter: char) -> bool {
    matches!(
        letter,
        '|' | '-' | '–' | '—' | ':' | '»' | '·' | '•' | '/' | '‹' | '«' | '~' | '│' | '›' | '>'
    )
}

/// Cuts the name of the site from the end, or the beginning.
fn without_site<'a>(title: &'a str, site: &Site) -> &'a str {
    let mut title = title;
    for _ in 0..2 {
        let Some(kept) = cut(title, site) else { break };
        title = kept;
    }
    title
}

fn cut<'a>(title: &'a str, site: &Site) -> Option<&'a str> {
    let bare = |part: &'a str| part.trim_matches(|c: char| c.is_whitespace() || is_mark(c));
    let marks: Vec<(usize, usize)> = marks(title).collect();
    let ends =
        marks.iter().rev().take(MAX_CUTS).map(|(at, behind)| (&title[..*at], &title[*behind..]));
    let begins = marks.iter().take(MAX_CUTS).map(|(at, behind)| (&title[*behind..], &title[..*at]));
    let mut cuts = ends.chain(begins).map(|(kept, cut)| (bare(kept), bare(cut)));
    cuts.find(|(kept, cut)| !kept.is_empty() && site.is(cut)).map(|(kept, _)| kept)
}

/// So many marks are tried from each side.
const MAX_CUTS: usize = 3;

/// Where a mark parts the title: its place, and the one behind it. It stands between spaces, but for
/// a bar, which parts anyway, and a colon, which follows a word.
fn marks(title: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    title.char_indices().filter(|(_, letter)| is_mark(*letter)).filter_map(|(at, letter)| {
        let behind = at + letter.len_utf8();
        let spaced =
            (title[..at].ends_with(' ') || letter == ':') && title[behind..].starts_with(' ');
        (spaced || letter == '|').then_some((at, behind))
    })
}

#[cfg(test)]
mod tests;
