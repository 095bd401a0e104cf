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
