//! The names a site goes by, to know them where they are not wanted: in a title, as an author.

use super::jsonld::{Key, Thing};
use super::meta::About;
use super::page::Page;
use super::plain::plain;

pub struct Site {
    names: Vec<String>,
    /// The labels of the host but the last, run together: `newyorktimes`.
    host: String,
}

impl Site {
    pub fn of(page: &Page<'_>, things: &[&Thing]) -> Site {
        let told = page.metas(About::Site).map(|meta| plain(&meta.content));
        let publishers = things.iter().filter_map(|thing| thing.text(Key::Publisher)).map(plain);
        let named = |name: &str| matches!(name, "Organization" | "NewsMediaOrganization" | "WebSite");
        let own = things.iter().filter(|thing| thing.is(named));
        let own = own.filter_map(|thing| thing.text(Key::Name)).map(plain);
        let mut names: Vec<String> = told.chain(publishers).chain(own).collect();
        names.retain(|name| !name.is_empty());
        Site { names, host: host(page.url.host_str().unwrap_or("")) }
    }

    /// Whether this is what the site is called.
    pub fn is(&self, name: &str) -> bool {
        let name = plain(name);
        if name.is_empty() {
            return false;
        }
        let at_host = name.len() >= 3 && (self.host == name || self.host_has(&name));
        at_host || self.names.contains(&name)
    }

    /// The host with all its labels, or one of them, is this name.
    fn host_has(&self, name: &str) -> bool {
        let bare = name.strip_prefix("the").unwrap_or(name);
        self.host == bare || self.host.strip_prefix("the") == Some(name)
    }
}

fn host(host: &str) -> String {
    let host = host.strip_prefix("www.").unwrap_or(host);
    let labels: Vec<&str> = host.split('.').collect();
    let kept = labels.len().saturating_sub(1).max(1);
    // The label before the last is the name; what stands before that is a part of the site.
    let name = labels[..kept].iter().rev().find(|label| label.len() > 3).or(labels.first());
    plain(name.unwrap_or(&""))
}
