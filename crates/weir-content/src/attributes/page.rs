//! What a page has to tell its attributes by, gathered in one pass over its tree.

use std::borrow::Cow;

use jiff::Timestamp;
use url::Url;
use weir_parse::tree::{Id, Name, Tree};

use super::jsonld::Linked;
use super::mark::{Kinds, Mark, Marker};
use super::meta::{About, Meta, meta};
use super::when::{Order, Reader};

pub struct Page<'t> {
    pub tree: Tree<'t>,
    pub url: &'t Url,
    pub reader: Reader,
    pub linked: Linked,
    pub metas: Vec<Meta<'t>>,
    /// The `lang` of `html`.
    pub lang: Option<Cow<'t, str>>,
    pub title: Option<Id>,
    /// Of the first rank, in order; not those in a part that is beside.
    pub headings: Vec<Id>,
    pub times: Vec<Id>,
    /// Elements that may play a video.
    pub players: Vec<Id>,
    pub marks: Vec<Mark>,
    /// Parts that are not the page's own, in order, none in another.
    pub asides: Vec<(Id, Id)>,
    pub footers: Vec<Id>,
    base: Option<Url>,
}

/// More of a kind than this say no more, and looking at pairs of them stays cheap.
const MAX_MARKS: usize = 2000;
const MAX_METAS: usize = 300;
const MAX_HEADINGS: usize = 50;
const MAX_TIMES: usize = 200;
const MAX_PLAYERS: usize = 500;
/// A longer address leads nowhere, and one that all others begin with would make each of them long.
const MAX_ADDRESS: usize = 4096;

impl<'t> Page<'t> {
    pub fn gather(tree: Tree<'t>, url: &'t Url, now: Timestamp) -> Page<'t> {
        let mut page = Page {
            tree,
            url,
            reader: Reader::new(Order::DayMonth, now),
            linked: Linked::default(),
            metas: Vec::new(),
            lang: None,
            title: None,
            headings: Vec::new(),
            times: Vec::new(),
            players: Vec::new(),
            marks: Vec::new(),
            asides: Vec::new(),
            footers: Vec::new(),
            base: None,
        };
        let scripts = page.walk();
        page.linked = Linked::new(scripts.iter().map(|id| tree.raw_text(*id)));
        page.reader.order = page.order();
        page
    }

    /// Everything but the scripts, whose texts it returns.
    fn walk(&mut self) -> Vec<Id> {
        let mut scripts = Vec::new();
        let mut asides = Vec::new();
        let mut marker = Marker::new();
        let mut at = 1;
        let end = self.tree.len() as u32;
        while at < end {
            let id = Id(at);
            at += 1;
            match self.tree.name(id) {
                Name::Text => continue,
                Name::Script => {
                    scripts.extend(self.linked_data(id));
                    continue;
                }
                Name::Svg | Name::Style => {
                    at = self.tree.end(id).0;
                    continue;
                }
                Name::Aside | Name::Nav => asides.push((id, self.tree.end(id))),
                Name::Footer => self.footers.push(id),
                Name::Body | Name::Head => continue,
                name => self.element(name, id),
            }
            if let Some(mark) = marker.mark(&self.tree, id) {
                if mark.kinds.has(Kinds::ASIDE) {
                    asides.push((id, self.tree.end(id)));
                }
                if self.marks.len() < MAX_MARKS {
                    self.marks.push(mark);
                }
            }
        }
        self.set_asides(asides);
        scripts
    }

    fn element(&mut self, name: Name, id: Id) {
        match name {
            Name::Meta if self.metas.len() < MAX_METAS => self.metas.extend(meta(&self.tree, id)),
            Name::Html if self.lang.is_none() => {
                let lang = self.tree.attribute(id, "lang");
                self.lang = lang.or_else(|| self.tree.attribute(id, "xml:lang"));
            }
            Name::Base if self.base.is_none() => {
                let href = self.tree.attribute(id, "href");
                let href = href.filter(|href| href.len() <= MAX_ADDRESS);
                self.base = href.and_then(|href| self.url.join(&href).ok());
            }
            Name::Title if self.title.is_none() => self.title = Some(id),
            Name::H1 if self.headings.len() < MAX_HEADINGS => self.headings.push(id),
            Name::Time if self.times.len() < MAX_TIMES => self.times.push(id),
            Name::Video | Name::Source | Name::Iframe | Name::Embed | Name::Object
                if self.players.len() < MAX_PLAYERS =>
            {
                self.players.push(id);
            }
            _ => {}
        }
    }

    /// The text of a script that is linked data.
    fn linked_data(&self, id: Id) -> Option<Id> {
        let kind = self.tree.raw_attribute(id, "type")?;
        let text = Id(id.0 + 1);
        (kind.trim().eq_ignore_ascii_case("application/ld+json") && text < self.tree.end(id))
            .then_some(text)
    }

    /// What has the main heading in it is not beside anything, whatever its class says.
    fn set_asides(&mut self, found: Vec<(Id, Id)>) {
        for (from, to) in found {
            let inside = self.asides.last().is_some_and(|(_, end)| from < *end);
            let has_heading = self.headings.iter().any(|heading| from < *heading && *heading < to);
            let large = to.0 - from.0 > self.tree.len() as u32 / 2;
            if !inside && !has_heading && !large {
                self.asides.push((from, to));
            }
        }
    }

    /// In a part that is not the page's own.
    pub fn is_aside(&self, id: Id) -> bool {
        let behind = self.asides.partition_point(|(from, _)| *from <= id);
        behind > 0 && id < self.asides[behind - 1].1
    }

    pub fn metas(&self, about: About) -> impl Iterator<Item = &Meta<'t>> {
        self.metas.iter().filter(move |meta| meta.about == about)
    }

    pub fn marks(&self, kinds: Kinds) -> impl Iterator<Item = &Mark> {
        self.marks.iter().filter(move |mark| mark.kinds.has(kinds))
    }

    /// The texts that readers see from one node up to another, in order.
    pub fn seen_texts(&self, from: u32, to: u32) -> impl Iterator<Item = Id> + use<'t> {
        let tree = self.tree;
        let mut at = from.max(1);
        let to = to.min(tree.len() as u32);
        std::iter::from_fn(move || {
            while at < to {
                let id = Id(at);
                let name = tree.name(id);
                at = if name.is_hidden() { tree.end(id).0 } else { at + 1 };
                let hidden = || tree.parent(id).is_some_and(|parent| tree.name(parent).is_hidden());
                if name == Name::Text && !hidden() {
                    return Some(id);
                }
            }
            None
        })
    }

    /// A link of this page, whole; only to something one can fetch.
    pub fn absolute(&self, link: &str) -> Option<String> {
        if link.len() > MAX_ADDRESS {
            return None;
        }
        let url = self.base.as_ref().unwrap_or(self.url).join(link.trim()).ok()?;
        matches!(url.scheme(), "http" | "https").then(|| url.into())
    }

    /// Only some countries write the month first.
    fn order(&self) -> Order {
        let locale = self.metas(About::Lang).map(|meta| meta.content.as_ref());
        let told = self.lang.as_deref().into_iter().chain(locale);
        let american = |lang: &str| {
            let lang = lang.trim().to_ascii_lowercase().replace('_', "-");
            matches!(lang.as_str(), "en" | "en-us" | "en-ph")
        };
        let mut told = told.peekable();
        if told.peek().is_some() && told.any(american) { Order::MonthDay } else { Order::DayMonth }
    }
}
