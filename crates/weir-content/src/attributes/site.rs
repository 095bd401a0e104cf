//! The names a site goes by, to know them where they are not wanted: in a title, as an author.

use url::Url;
use weir_parse::tree::{Id, Name};

use super::jsonld::{Key, Thing};
use super::meta::About;
use super::page::Page;
use super::plain::plain;
use super::said::said;

pub struct Site {
    /// As it calls itself, and as its host is called: `The Acme`, `acme`, `acme.org`.
    names: Vec<String>,
    /// The label of the host that is its name.
    label: String,
}

/// A shorter name is in too many others.
const TELLING: usize = 5;

impl Site {
    pub fn of(page: &Page<'_>, things: &[&Thing]) -> Site {
        let told = page.metas(About::Site).map(|meta| plain(&meta.content));
        let publishers = things.iter().filter_map(|thing| thing.text(Key::Publisher)).map(plain);
        let named = |name: &str| name.ends_with("Organization") || name == "WebSite";
        let own = things.iter().filter(|thing| thing.is(named));
        let own = own.filter_map(|thing| thing.text(Key::Name)).map(plain);
        let (host, label) = host(page.url.host_str().unwrap_or(""));
        let mut names: Vec<String> = told.chain(publishers).chain(own).collect();
        names.extend(page.headings.iter().filter_map(|id| home(page, *id)));
        names.extend([host, label.clone()]);
        names.retain(|name| name.len() > 1);
        Site { names, label }
    }

    /// Whether this is what the site is called.
    pub fn is(&self, name: &str) -> bool {
        let name = plain(name);
        let bare = name.strip_prefix("the").unwrap_or(&name);
        let same = |own: &String| *own == name || own.strip_prefix("the").unwrap_or(own) == bare;
        !bare.is_empty() && self.names.iter().any(same)
    }

    /// Whether this is its name with something added, or a part of it: `Acme Editors`.
    pub fn is_like(&self, name: &str) -> bool {
        let own = plain(name);
        self.is(name) || self.label.len() >= TELLING && own.contains(&self.label)
    }
}

/// What a heading says that leads to the first page of the site: its name, unless this is that page.
fn home(page: &Page<'_>, heading: Id) -> Option<String> {
    let tree = &page.tree;
    if tree.end(heading).0 - heading.0 > MAX_NODES || page.url.path().len() <= 1 {
        return None;
    }
    let inside = tree.descendants(heading).chain(tree.parent(heading));
    let link = inside.into_iter().find(|id| tree.name(*id) == Name::A)?;
    let to = page.absolute(&tree.attribute(link, "href")?)?;
    let is_home = Url::parse(&to).is_ok_and(|to| to.path() == "/" && to.host() == page.url.host());
    let (text, linked) = (said(tree, heading), said(tree, link));
    (is_home && text == linked).then(|| plain(&text))
}

/// A heading with more nodes in it is more than a name.
const MAX_NODES: u32 = 20;

/// The whole host, and the label of it that is a name, both plain.
fn host(host: &str) -> (String, String) {
    let host = host.strip_prefix("www.").unwrap_or(host);
    let labels: Vec<&str> = host.split('.').collect();
    let kept = labels.len().saturating_sub(1).max(1);
    // The label before the last is the name, unless it is short as in `co.uk`.
    let name = labels[..kept].iter().rev().find(|label| label.len() > 3).or(labels.first());
    (plain(host), plain(name.unwrap_or(&"")))
}
