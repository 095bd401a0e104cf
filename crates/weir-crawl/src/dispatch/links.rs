//! What was found: links of pages, targets of redirects, sitemaps and what they list.

use std::collections::HashMap;
use std::sync::Arc;

use url::Url;
use weir_frontier::{Added, Found, FrontierError, HostId, Leased, UrlKind};
use weir_parse::canonicalize;
use weir_types::{Fingerprint, LinkKind, LinkRef, Links, Skip, site_of};

use super::{Dispatch, Host};
use crate::config::Sitemaps;
use crate::line::Rank;
use crate::part::Traveller;
use crate::robots::RobotsState;
use crate::scope::origin;

/// More hops than this are a loop.
const MOST_REDIRECTS: u32 = 20;
/// Sitemaps of one host; the standard allows 50,000 in one index.
const MOST_SITEMAPS: u32 = 50_000;
/// Sitemaps that one robots.txt may name.
const MOST_NAMED: usize = 100;
/// Where a sitemap is looked for that nobody names.
const WELL_KNOWN: &str = "/sitemap.xml";

impl Dispatch {
    /// Returns how many were new and are to be fetched.
    pub(super) fn add_links(&mut self, from: &Leased, links: &Links) -> Result<u64, FrontierError> {
        let mut new = 0;
        if let Some(part) = &mut self.part {
            part.tap(from, links);
        }
        let depth = self.frontier.depth_of(from);
        for link in links.iter() {
            if !self.frontier.is_seen(link.fingerprint) {
                new += u64::from(self.add_link(from, depth, link)?);
            }
        }
        let ways = links.iter().map(|link| (link.fingerprint, steps(link.kind)));
        self.frontier.lead(from, ways)?;
        Ok(new)
    }

    /// `depth` is that of the page it stands on, by now.
    fn add_link(
        &mut self,
        from: &Leased,
        depth: u32,
        link: LinkRef<'_>,
    ) -> Result<bool, FrontierError> {
        let LinkRef { url, fingerprint, kind, lastmod_s, promise } = link;
        let depth = depth + steps(kind);
        let (hops, what) = match kind {
            LinkKind::Redirect => (from.redirects + 1, from.kind),
            LinkKind::Sitemap => (from.redirects + 1, UrlKind::Sitemap),
            _ => (0, UrlKind::Page),
        };
        if self.is_elsewhere(from.host, url) {
            let parent = Some(from.url.clone());
            let (url, redirects) = (url.to_owned(), hops);
            self.send_away(
                fingerprint,
                Traveller { url, parent, depth, redirects, kind: what, lastmod_s, promise },
            );
            return Ok(false);
        }
        let host = match what {
            UrlKind::Page => self.host_in_scope(from.host, url).filter(|_| self.scope.has_url(url)),
            UrlKind::Sitemap => self.host_of_sitemap(from.host, url),
        };
        let Some(host) = host else {
            self.frontier.skip(fingerprint, Skip::Scope);
            if kind == LinkKind::Redirect && from.depth == 0 && from.parent.is_none() {
                self.trouble(format!(
                    "{} redirects to {url}, which is out of scope; name it as a seed, or widen --scope",
                    from.url
                ));
            }
            return Ok(false);
        };
        // Depths of a part are corrected by others, who know of no site's own.
        let deep = self.part.is_some() && self.is_too_deep(host, depth);
        let too_far = (hops > MOST_REDIRECTS).then_some(Skip::Other);
        let too_far = too_far.or(deep.then_some(Skip::Depth));
        if let Some(skip) = too_far.or_else(|| self.traps.refuse(url)) {
            self.frontier.skip(fingerprint, skip);
            return Ok(false);
        }
        let found = Found {
            url,
            fingerprint,
            host,
            score: self.score(depth, if what == UrlKind::Page { promise } else { u8::MAX }),
            depth,
            redirects: hops,
            parent: Some(from.place),
            kind: what,
            lastmod_s,
        };
        let added = self.frontier.add(found)?;
        if added == Added::New {
            self.list(host);
        }
        Ok(added == Added::New)
    }

    fn is_too_deep(&mut self, host: HostId, depth: u32) -> bool {
        self.task_mut(host).settings.depth.is_some_and(|most| depth > most)
    }

    /// Another bucket has the host of this URL.
    fn is_elsewhere(&self, near: HostId, url: &str) -> bool {
        let is_near = || *self.hosts[near.0 as usize].origin == *origin(url);
        self.part.as_ref().is_some_and(|part| !is_near() && !part.owns(url))
    }

    /// Hands a URL out to the bucket that it belongs to, if the crawl wants it at all.
    fn send_away(&mut self, fingerprint: Fingerprint, traveller: Traveller) {
        let Some(part) = &mut self.part else { return };
        if !part.is_news(fingerprint, traveller.depth) {
            return;
        }
        let Ok(parsed) = Url::parse(&traveller.url) else { return };
        let is_wanted = self.scope.has_host(&traveller.url, &site_of(&parsed))
            && (traveller.kind == UrlKind::Sitemap || self.scope.has_url(&traveller.url));
        if is_wanted {
            part.leave(fingerprint, traveller);
        } else {
            self.frontier.skip(fingerprint, Skip::Scope);
        }
    }

    /// Takes in what other buckets, or the user, have found for this one.
    pub fn add_travellers(&mut self, arrived: &[Traveller]) -> Result<(), FrontierError> {
        let mut parents = HashMap::new();
        for traveller in arrived {
            let fingerprint = Fingerprint::of(&traveller.url);
            if !self.frontier.is_seen(fingerprint) {
                self.add_traveller(fingerprint, traveller, &mut parents)?;
            }
        }
        Ok(())
    }

    fn add_traveller<'a>(
        &mut self,
        fingerprint: Fingerprint,
        traveller: &'a Traveller,
        parents: &mut HashMap<&'a str, u64>,
    ) -> Result<(), FrontierError> {
        let Traveller { url, depth, redirects, kind, lastmod_s, promise, .. } = traveller;
        let Ok(parsed) = Url::parse(url) else { return Ok(()) };
        let host = self.host(&site_of(&parsed), origin(url));
        let deep = self.is_too_deep(host, *depth);
        let skip = deep.then_some(Skip::Depth);
        let skip = skip.or((*redirects > MOST_REDIRECTS).then_some(Skip::Other));
        let is_seed = traveller.parent.is_none();
        let skip = skip.or_else(|| self.traps.refuse(url).filter(|_| !is_seed));
        if let Some(skip) = skip {
            self.frontier.skip(fingerprint, skip);
            return Ok(());
        }
        let frontier = &mut self.frontier;
        let parent = traveller.parent.as_deref().map(|parent| {
            *parents.entry(parent).or_insert_with(|| frontier.note_elsewhere(parent))
        });
        let promise = if *kind == UrlKind::Page && !is_seed { *promise } else { u8::MAX };
        let found = Found {
            url,
            fingerprint,
            host,
            score: self.score(*depth, promise),
            depth: *depth,
            redirects: *redirects,
            parent,
            kind: *kind,
            lastmod_s: *lastmod_s,
        };
        if self.frontier.add(found)? == Added::New {
            self.list(host);
        }
        Ok(())
    }

    /// The sitemaps that the robots.txt of a host names, or where one is tried without that.
    pub(super) fn find_sitemaps(&mut self, id: HostId) -> Result<(), FrontierError> {
        let host = &self.hosts[id.0 as usize];
        let mode = self.config.site(&host.site, &host.origin).sitemaps;
        if mode == Sitemaps::Off || !host.in_scope {
            return Ok(());
        }
        let base = host.url("/");
        let mut urls: Vec<String> = match &host.robots {
            RobotsState::Known { robots, .. } => {
                let named = robots.sitemaps().take(MOST_NAMED);
                named.filter_map(|text| canonicalize(text, Some(&base)).ok()).collect()
            }
            _ => Vec::new(),
        };
        if urls.is_empty() && mode == Sitemaps::Auto {
            urls.extend(canonicalize(WELL_KNOWN, Some(&base)));
        }
        for url in urls {
            self.add_sitemap(id, &url)?;
        }
        Ok(())
    }

    fn add_sitemap(&mut self, near: HostId, url: &str) -> Result<(), FrontierError> {
        let fingerprint = Fingerprint::of(url);
        if self.frontier.is_seen(fingerprint) {
            return self.frontier.meet(fingerprint, 0);
        }
        if self.is_elsewhere(near, url) {
            let kind = UrlKind::Sitemap;
            let parent = Some(self.hosts[near.0 as usize].url("/robots.txt").to_string());
            let (depth, redirects, lastmod_s, promise) = (0, 0, None, u8::MAX);
            let url = url.to_owned();
            let traveller = Traveller { url, parent, depth, redirects, kind, lastmod_s, promise };
            if let Some(part) = &mut self.part {
                part.leave(fingerprint, traveller);
            }
            return Ok(());
        }
        // Who writes the robots.txt of a host may name a sitemap anywhere (sitemaps.org).
        let Ok(parsed) = Url::parse(url) else { return Ok(()) };
        let host = match self.host_of_sitemap(near, url) {
            Some(host) => host,
            None => self.host(&site_of(&parsed), origin(url)),
        };
        let found = Found {
            url,
            fingerprint,
            host,
            score: self.score(0, u8::MAX),
            depth: 0,
            redirects: 0,
            parent: None,
            kind: UrlKind::Sitemap,
            lastmod_s: None,
        };
        if self.frontier.add(found)? == Added::New {
            self.list(host);
        }
        Ok(())
    }

    /// A sitemap may lie beside the one that names it, or anywhere in scope.
    fn host_of_sitemap(&mut self, near: HostId, url: &str) -> Option<HostId> {
        let host = match *self.hosts[near.0 as usize].origin == *origin(url) {
            true => near,
            false => self.host_in_scope(near, url)?,
        };
        let count = &mut self.hosts[host.0 as usize].sitemaps;
        *count += 1;
        (*count <= MOST_SITEMAPS).then_some(host)
    }

    /// The host of a URL if it may be crawled; `near` is where the link was found, and nearly
    /// always the answer.
    fn host_in_scope(&mut self, near: HostId, url: &str) -> Option<HostId> {
        let origin = origin(url);
        let known = match *self.hosts[near.0 as usize].origin == *origin {
            true => Some(near),
            false => self.by_origin.get(origin).copied(),
        };
        if let Some(id) = known {
            return self.hosts[id.0 as usize].in_scope.then_some(id);
        }
        let site = site_of(&Url::parse(url).ok()?);
        self.scope.has_host(url, &site).then(|| self.host(&site, origin))
    }

    pub(super) fn host(&mut self, site: &str, origin: &str) -> HostId {
        let id = self.frontier.host(site, origin);
        if id.0 as usize == self.hosts.len() {
            self.know_host(id, site.into(), origin.into(), false);
        }
        id
    }

    pub(super) fn know_hosts(&mut self) {
        let known: Vec<(HostId, Arc<str>, Arc<str>, bool)> = self
            .frontier
            .hosts()
            .map(|(id, site, origin, totals)| {
                (id, Arc::from(site), Arc::from(origin), totals.kept > 0)
            })
            .collect();
        for (id, site, origin, has_answered) in known {
            self.know_host(id, site, origin, has_answered);
            self.list(id);
        }
    }

    fn know_host(&mut self, id: HostId, site: Arc<str>, origin: Arc<str>, has_answered: bool) {
        self.by_origin.insert(origin.clone(), id);
        let settings = self.config.site(&site, &origin);
        self.line.add_host(&settings.pace);
        if has_answered {
            self.line.trust(id);
        }
        let robots = RobotsState::at_first(settings.robots);
        let in_scope = self.scope.has_host(&origin, &site);
        let task = self.tasks.of(&self.config, &site, &origin);
        let share = self.tasks.share(task);
        if self.tasks.all[task.0 as usize].is_paused {
            self.line.set_rank(id, Rank::Held);
            self.holds_paused = true;
        }
        self.frontier.limit_depth(id, self.tasks.all[task.0 as usize].settings.depth);
        self.hosts.push(Host::new(site, origin, in_scope, robots, task, share));
    }
}

/// A redirect leads nowhere deeper.
fn steps(kind: LinkKind) -> u32 {
    u32::from(kind != LinkKind::Redirect)
}
