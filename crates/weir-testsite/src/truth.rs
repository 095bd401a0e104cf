//! The exact answer, computed from the spec without a request.

use std::sync::Arc;

use sha1::{Digest, Sha1};

use crate::answer::{answer, redirect_target};
use crate::item::{Item, extras, item, original};
use crate::layout::Layout;
use crate::links::links;

/// All URLs that can be reached from the seeds, and the links between them; hostile hosts are left
/// out. Faults are taken to
/// have passed, and nothing is kept in memory: each use computes anew.
pub struct Truth {
    pub(crate) layout: Arc<Layout>,
}

/// What a URL answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrueUrl {
    pub url: String,
    pub kind: Kind,
    pub status: u16,
    /// Of the body before any coding, in lower-case hexadecimal.
    pub sha1: String,
    /// Length of the body before any coding.
    pub bytes: usize,
    pub content_type: &'static str,
    /// Where a redirect leads, as an absolute URL.
    pub location: Option<String>,
    /// Whether robots.txt lets crawlers ask for it.
    pub allowed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Page,
    Duplicate,
    File,
    Redirect,
    Dead,
    Private,
}

impl Truth {
    pub fn urls(&self) -> impl Iterator<Item = TrueUrl> {
        let mut body = Vec::new();
        self.items().map(move |(host, item)| self.true_url(host, item, &mut body))
    }

    /// Only the pages proper: no duplicates, files, redirects, dead or private URLs.
    pub fn pages(&self) -> impl Iterator<Item = TrueUrl> {
        let mut body = Vec::new();
        let pages = self.items().filter(|(_, item)| matches!(item, Item::Page(_)));
        pages.map(move |(host, item)| self.true_url(host, item, &mut body))
    }

    /// Every link as (URL of the page it stands on, URL it means without its fragment), in the
    /// order of the pages and their texts. A link that stands twice comes twice.
    pub fn links(&self) -> impl Iterator<Item = (String, String)> {
        self.items().flat_map(move |(host, item)| {
            let from = self.layout.url(host, item);
            let targets = linking_page(&self.layout, host, item);
            let targets = targets.map_or(Vec::new(), |page| links(&self.layout, host, page));
            targets.into_iter().map(move |to| (from.clone(), self.layout.url(to.host, to.item)))
        })
    }

    fn items(&self) -> impl Iterator<Item = (usize, Item)> {
        let lawful = self.layout.hosts.iter().enumerate().filter(|(_, host)| !host.spec.lawless);
        lawful.flat_map(|(n, host)| {
            let all = 0..host.spec.pages + extras(&host.spec);
            all.map(move |number| (n, item(&host.spec, number)))
        })
    }

    fn true_url(&self, host: usize, item: Item, body: &mut Vec<u8>) -> TrueUrl {
        body.clear();
        let edition = self.layout.edition(host, item);
        let answer = answer(&self.layout, host, item, edition, body);
        TrueUrl {
            url: self.layout.url(host, item),
            kind: kind(item),
            status: answer.status,
            sha1: hex(&Sha1::digest(&body)),
            bytes: body.len(),
            content_type: answer.content_type,
            location: location(&self.layout, host, item),
            allowed: !self.layout.hosts[host].forbids(item),
        }
    }
}

/// The page whose links stand in the body of `item`.
fn linking_page(layout: &Layout, host: usize, item: Item) -> Option<u32> {
    match item {
        Item::Page(page) => Some(page),
        Item::Copy(copy) => Some(original(&layout.hosts[host].spec, copy)),
        _ => None,
    }
}

fn location(layout: &Layout, host: usize, item: Item) -> Option<String> {
    let Item::Redirect(n) = item else { return None };
    Some(layout.url(host, redirect_target(layout, host, n)))
}

fn kind(item: Item) -> Kind {
    match item {
        Item::Page(_) => Kind::Page,
        Item::Copy(_) => Kind::Duplicate,
        Item::File(_) => Kind::File,
        Item::Redirect(_) => Kind::Redirect,
        Item::Dead(_) => Kind::Dead,
        Item::Private(_) => Kind::Private,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
