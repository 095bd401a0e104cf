use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use weir_types::Rate;

use crate::Config;
use crate::calendar::Calendar;
use crate::config::{Site, SiteConfig};
use crate::due::Due;

/// What somebody has changed while a crawl ran. It is kept with the frontier, so that a crawl that is started again is as
/// it was left; but who writes something else into weir.toml afterwards means it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    limit: Option<Change<Option<u64>>>,
    sites: BTreeMap<String, SiteChanges>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SiteChanges {
    paused: bool,
    weight: Option<Change<f64>>,
    due: Option<Change<Option<Due>>>,
    /// The site was added while the crawl ran: all that was said of it.
    added: Option<Added>,
}

/// A site that weir.toml knows nothing of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Added {
    limit: Option<u64>,
    weight: Option<f64>,
    due: Option<Due>,
    depth: Option<u32>,
    max_pages: Option<u64>,
    max_bytes: Option<u64>,
}

/// What holds instead of what was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Change<T> {
    now: T,
    /// As text: it is compared, and nothing else.
    written: String,
}

impl Course {
    /// Lays it over what is written.
    pub fn apply(&self, config: &mut Config) {
        if let Some(change) = self.limit.as_ref().filter(|it| it.written == limit_text(config)) {
            config.limit = change.now.map(|bytes| Calendar::constant(Rate::from_cap(Some(bytes))));
        }
        for (name, changes) in &self.sites {
            if let Some(added) = &changes.added
                && !config.sites.iter().any(|site| site.name == *name)
            {
                let settings = added.over(config.plain_site());
                config.sites.push(Site { name: name.clone(), settings });
            }
            let settings = config.site_named(name);
            let mut changed = settings;
            if let Some(weight) =
                changes.weight.as_ref().filter(|it| it.written == text(&settings.weight))
            {
                changed.weight = weight.now;
            }
            if let Some(due) = changes.due.as_ref().filter(|it| it.written == text(&settings.due)) {
                changed.due = due.now;
            }
            if changed != settings {
                config.set_site(name, changed);
            }
        }
    }

    /// Sites that somebody has paused.
    pub fn paused(&self) -> impl Iterator<Item = String> {
        let paused = self.sites.iter().filter(|(_, changes)| changes.paused);
        paused.map(|(name, _)| name.clone())
    }

    pub fn pause(&mut self, site: &str, is_paused: bool) {
        self.site(site).paused = is_paused;
    }

    /// `written` is the config without this course.
    pub fn set_limit(&mut self, rate: Rate, written: &Config) {
        let now = rate.cap();
        self.limit = Some(Change { now, written: limit_text(written) });
    }

    pub fn set_weight(&mut self, site: &str, weight: f64, written: &Config) {
        let before = text(&written.site_named(site).weight);
        self.site(site).weight = Some(Change { now: weight, written: before });
    }

    pub fn set_due(&mut self, site: &str, due: Option<Due>, written: &Config) {
        let before = text(&written.site_named(site).due);
        self.site(site).due = Some(Change { now: due, written: before });
    }

    pub fn add(&mut self, site: &str, settings: &SiteConfig) {
        self.site(site).added = Some(Added {
            limit: settings.limit.map(|limit| limit.0),
            weight: Some(settings.weight),
            due: settings.due,
            depth: settings.depth,
            max_pages: settings.max_pages,
            max_bytes: settings.max_bytes,
        });
    }

    fn site(&mut self, name: &str) -> &mut SiteChanges {
        self.sites.entry(name.to_owned()).or_default()
    }
}

impl Added {
    fn over(&self, plain: SiteConfig) -> SiteConfig {
        SiteConfig {
            limit: self.limit.map(weir_types::Bandwidth),
            weight: self.weight.unwrap_or(plain.weight),
            due: self.due,
            depth: self.depth,
            max_pages: self.max_pages,
            max_bytes: self.max_bytes,
            ..plain
        }
    }
}

fn limit_text(config: &Config) -> String {
    text(&config.limit)
}

fn text(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::settings::SiteSettings;

    fn config(limit: &str, weight: f64) -> Config {
        let site = SiteSettings {
            name: Some("a.example".to_owned()),
            weight: Some(weight),
            ..SiteSettings::default()
        };
        Config::try_from(Settings {
            urls: Some(vec!["http://a.example/".to_owned()]),
            limit: Some(limit.into()),
            site: Some(vec![site]),
            ..Settings::default()
        })
        .unwrap()
    }

    fn limit(config: &Config) -> Option<u64> {
        config.limit.as_ref().and_then(|all| all.rate_at(jiff::Timestamp::now()).cap())
    }

    /// As it is after a restart.
    fn kept(course: &Course) -> Course {
        serde_json::from_slice(&serde_json::to_vec(course).unwrap()).unwrap()
    }

    #[test]
    fn what_was_changed_holds_after_a_restart_until_something_else_is_written() {
        let written = config("2MB/s", 1.0);
        let mut course = Course::default();
        course.set_limit("1MB/s".parse().unwrap(), &written);
        course.set_weight("a.example", 3.0, &written);
        course.set_due("a.example", Some(Due::within("2h").unwrap()), &written);
        course.pause("a.example", true);
        let course = kept(&course);
        let mut again = written.clone();
        course.apply(&mut again);
        assert_eq!(limit(&again), Some(1_000_000));
        let site = again.site_named("a.example");
        assert_eq!((site.weight, site.due), (3.0, Some(Due::within("2h").unwrap())));
        assert_eq!(course.paused().collect::<Vec<_>>(), ["a.example"]);
        let mut other = config("5MB/s", 2.0);
        course.apply(&mut other);
        assert_eq!((limit(&other), other.site_named("a.example").weight), (Some(5_000_000), 2.0));
        assert!(other.site_named("a.example").due.is_some(), "nobody has written about that");
    }

    #[test]
    fn no_limit_is_a_limit_that_was_chosen() {
        let written = config("2MB/s", 1.0);
        let mut course = Course::default();
        course.set_limit(Rate::Unlimited, &written);
        let mut again = written.clone();
        kept(&course).apply(&mut again);
        assert_eq!(limit(&again), None);
    }

    #[test]
    fn a_site_that_was_added_is_known_after_a_restart() {
        let written = config("2MB/s", 1.0);
        let settings = SiteSettings {
            urls: Some(vec!["http://b.example/".to_owned()]),
            within: Some("1h".to_owned()),
            max_pages: Some(7),
            ..SiteSettings::default()
        };
        let (url, site) = written.one_more(&settings).unwrap();
        assert_eq!((url.as_str(), site.name.as_str()), ("http://b.example/", "b.example"));
        let mut course = Course::default();
        course.add(&site.name, &site.settings);
        let mut again = written.clone();
        kept(&course).apply(&mut again);
        assert_eq!(again.site_named("b.example"), site.settings);
        assert!(written.one_more(&SiteSettings::default()).is_err(), "it has no URL");
    }
}
