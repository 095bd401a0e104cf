use std::collections::HashSet;

use regex::RegexSet;
use url::Url;
use weir_types::{Scope, site_of};

use crate::Config;

/// Which URLs belong to the crawl.
pub struct ScopeRules {
    scope: Scope,
    hosts: HashSet<String>,
    sites: HashSet<String>,
    include: Option<RegexSet>,
    exclude: Option<RegexSet>,
}

impl ScopeRules {
    pub fn new(config: &Config, seeds: &[Url]) -> Self {
        ScopeRules {
            scope: config.scope,
            hosts: seeds
                .iter()
                .filter_map(|url| authority(url.as_str()))
                .map(str::to_owned)
                .collect(),
            sites: seeds.iter().map(site_of).collect(),
            include: config.include.clone(),
            exclude: config.exclude.clone(),
        }
    }

    /// One more URL to begin with.
    pub fn add(&mut self, seed: &Url) {
        self.hosts.extend(authority(seed.as_str()).map(str::to_owned));
        self.sites.insert(site_of(seed));
    }

    /// Whether a host may be crawled at all; `url` is any URL on it, and `site` its site.
    pub fn has_host(&self, url: &str, site: &str) -> bool {
        match self.scope {
            Scope::Any => true,
            Scope::Site => self.sites.contains(site),
            Scope::Host => authority(url).is_some_and(|host| self.hosts.contains(host)),
        }
    }

    /// Whether a URL on such a host passes the user's patterns.
    pub fn has_url(&self, url: &str) -> bool {
        self.include.as_ref().is_none_or(|include| include.is_match(url))
            && self.exclude.as_ref().is_none_or(|exclude| !exclude.is_match(url))
    }
}

/// `http://host:port` of a canonical URL: what robots.txt and connections belong to.
pub fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    &url[..end]
}

/// Whether `home` is the origin of a canonical URL.
pub fn is_at(url: &str, home: &str) -> bool {
    let rest = url.strip_prefix(home);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

fn authority(url: &str) -> Option<&str> {
    origin(url).split_once("://").map(|(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn check(change: impl FnOnce(&mut Settings), inside: &[&str], outside: &[&str]) {
        let urls = vec!["http://www.a.example/start".to_owned()];
        let mut settings = Settings { urls: Some(urls), ..Settings::default() };
        change(&mut settings);
        let config = Config::try_from(settings).unwrap();
        let rules = ScopeRules::new(&config, &config.seeds);
        let inside_it = |text: &str| {
            let site = site_of(&Url::parse(text).unwrap());
            rules.has_host(text, &site) && rules.has_url(text)
        };
        inside.iter().for_each(|url| assert!(inside_it(url), "{url}"));
        outside.iter().for_each(|url| assert!(!inside_it(url), "{url}"));
    }

    #[test]
    fn a_url_is_at_its_own_origin_only() {
        let urls = [
            "http://a.test",
            "http://a.test/",
            "http://a.test?q",
            "http://a.test:80/x",
            "http://a.tests/",
            "https://a.test/",
        ];
        for (one, other) in urls.iter().flat_map(|one| urls.map(|other| (one, other))) {
            let home = origin(one);
            assert_eq!(is_at(other, home), origin(other) == home, "{other} at {home}");
        }
    }

    #[test]
    fn a_site_holds_its_sub_domains_and_a_host_does_not() {
        let other = "http://b.example/";
        let sub = "https://shop.a.example:8443/x";
        check(|_| {}, &["http://a.example/", sub], &[other]);
        check(|s| s.scope = Some("host".into()), &["https://www.a.example/x"], &[sub, other]);
        check(|s| s.scope = Some("any".into()), &[sub, other], &[]);
    }

    #[test]
    fn include_and_exclude_narrow_the_scope() {
        let both = |s: &mut Settings| {
            s.include = Some(vec!["/docs/".into()]);
            s.exclude = Some(vec![r"\?print".into()]);
        };
        check(
            both,
            &["http://a.example/docs/1"],
            &["http://a.example/docs/1?print", "http://a.example/shop"],
        );
    }

    #[test]
    fn an_origin_ends_before_the_path() {
        assert_eq!(origin("http://a.example:81/x?y"), "http://a.example:81");
        assert_eq!(origin("https://[::1]/"), "https://[::1]");
    }
}
