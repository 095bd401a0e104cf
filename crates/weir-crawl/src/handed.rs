//! What somebody who fetches on another machine has to know of the settings: how to ask, what to
//! read in pages, what to store. Files are handed over as what they say, and whatever is the
//! scheduler's own business is left out, passwords of sinks among it.

use std::path::Path;

use url::Url;

use crate::config::content::example;
use crate::settings::{ConfigError, Settings};
use crate::{Config, Outlets};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandedOn {
    /// As in `weir.toml`.
    pub settings: String,
    /// What `ca-file` says.
    pub roots: Option<Vec<u8>>,
}

/// Where the certificate authorities of `roots` are kept.
const ROOTS: &str = "ca.pem";

impl HandedOn {
    /// Of settings that have made a config, for crawls that begin with `seeds`.
    pub fn of(settings: &Settings, seeds: &[Url]) -> Result<HandedOn, ConfigError> {
        refuse_what_stays_here(settings)?;
        let roots = settings.ca_file.as_deref().map(read).transpose()?;
        let mut handed = Settings {
            // Somebody has to have something to crawl; nobody who fetches looks at it.
            urls: Some(seeds.iter().take(1).map(Url::to_string).collect()),
            freshness: settings.freshness.clone(),
            ..for_work(settings)
        };
        read_examples(&mut handed)?;
        Ok(HandedOn { settings: written(&handed)?, roots })
    }

    /// For those who crawl a part of it each: all of the settings but those about the whole, such as
    /// limits, deadlines, and where results go.
    pub fn of_part(settings: &Settings, seeds: &[Url]) -> Result<HandedOn, ConfigError> {
        let roots = settings.ca_file.as_deref().map(read).transpose()?;
        let mut handed = Settings {
            urls: Some(seeds.iter().map(Url::to_string).collect()),
            include: settings.include.clone(),
            exclude: settings.exclude.clone(),
            scope: settings.scope.clone(),
            concurrency: settings.concurrency,
            per_host: settings.per_host,
            delay: settings.delay.clone(),
            per_ip: settings.per_ip,
            ip_delay: settings.ip_delay.clone(),
            slow_down: settings.slow_down,
            max_crawl_delay: settings.max_crawl_delay.clone(),
            sitemaps: settings.sitemaps.clone(),
            traps: settings.traps.clone(),
            threads: settings.threads,
            ..for_work(settings)
        };
        for site in handed.site.iter_mut().flatten() {
            (site.within, site.by, site.every, site.size) = (None, None, None, None);
        }
        read_examples(&mut handed)?;
        Ok(HandedOn { settings: written(&handed)?, roots })
    }

    /// What a part is to be crawled with in the folder `out`.
    pub fn part_config(&self, out: &Path) -> Result<Config, ConfigError> {
        Config::try_from(self.settings_in(out)?)
    }

    /// What to do with it where pages go to `out`, and from there on to `outlets`.
    pub fn config(
        &self,
        out: &Path,
        slots: usize,
        outlets: &Outlets,
    ) -> Result<Config, ConfigError> {
        let mut settings = self.settings_in(out)?;
        settings.concurrency = Some(slots);
        Config::try_from(outlets.clone().over(settings))
    }

    fn settings_in(&self, out: &Path) -> Result<Settings, ConfigError> {
        let mut settings = Settings::parse(&self.settings, Path::new("the settings handed on"))?;
        if let Some(roots) = &self.roots {
            let path = out.join(ROOTS);
            std::fs::write(&path, roots)
                .map_err(|why| ConfigError::File { path: path.clone(), why })?;
            settings.ca_file = Some(path);
        }
        settings.out = Some(out.to_owned());
        Ok(settings)
    }
}

/// What whoever fetches and reads pages has to know.
fn for_work(settings: &Settings) -> Settings {
    Settings {
        site: settings.site.clone(),
        depth: settings.depth,
        assets: settings.assets,
        robots: settings.robots.clone(),
        nofollow: settings.nofollow.clone(),
        strip: settings.strip.clone(),
        allow_private: settings.allow_private,
        resolve: settings.resolve.clone(),
        user_agent: settings.user_agent.clone(),
        max_body: settings.max_body.clone(),
        timeout: settings.timeout.clone(),
        store: settings.store.clone(),
        content: settings.content.clone(),
        keep: settings.keep.clone(),
        focus: settings.focus.clone(),
        topic: settings.topic.clone(),
        changes: settings.changes.clone(),
        time_zone: settings.time_zone.clone(),
        ..Settings::default()
    }
}

/// Files with examples of topics are nowhere else.
fn read_examples(settings: &mut Settings) -> Result<(), ConfigError> {
    for topic in settings.topic.iter_mut().flat_map(|topics| topics.values_mut()) {
        for entry in topic.examples.iter_mut().chain(&mut topic.background) {
            let (file, key) = (String::new(), "topic".to_owned());
            let wrong = |what| ConfigError::Content { file, key, what };
            *entry = example(entry).map_err(wrong)?;
        }
    }
    Ok(())
}

fn written(settings: &Settings) -> Result<String, ConfigError> {
    toml::to_string(settings).map_err(|why| ConfigError::Syntax {
        path: "settings to be handed on".into(),
        why: why.to_string(),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, ConfigError> {
    std::fs::read(path).map_err(|why| ConfigError::File { path: path.to_owned(), why })
}

/// Promises that nobody keeps when pages are fetched elsewhere.
fn refuse_what_stays_here(settings: &Settings) -> Result<(), ConfigError> {
    let refused = |key, value: String, remedy: &str| {
        Err(ConfigError::Value { key, value, remedy: remedy.to_owned() })
    };
    if settings.sink.as_ref().is_some_and(|sinks| !sinks.is_empty()) {
        let remedy = "pages are kept by downloaders: leave it out, and give --sink to each `weir \
                      downloader`";
        return refused("sink", "[…]".to_owned(), remedy);
    }
    if settings.store_to.is_some() {
        let remedy = "files are kept by downloaders: leave it out, and give --store-to to each `weir \
                      downloader`";
        return refused("store-to", "…".to_owned(), remedy);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handed(text: &str) -> Result<HandedOn, String> {
        let settings = Settings::parse(text, Path::new("weir.toml")).unwrap();
        let seeds = [Url::parse("http://example.com/").unwrap()];
        HandedOn::of(&settings, &seeds).map_err(|why| why.to_string())
    }

    #[test]
    fn what_is_read_in_pages_is_the_same_on_every_machine() {
        let text = r#"
            user-agent = "robot/1.0"
            depth = 3
            keep = 'topic("food safety") > 0.4 and fields.price > 3'
            focus = "food safety"
            [topic."food safety"]
            terms = { "food safety" = 1, recall = 2 }
            examples = ["a text about food and about what is wrong with it"]
            [[site]]
            name = "example.com"
            keep = 'fields.price > 2'
            [site.fields]
            price = { css = ".price", type = "number" }
        "#;
        let handed = handed(text).unwrap();
        let out = tempfile::tempdir().unwrap();
        let config = handed.config(out.path(), 20, &Outlets::default()).unwrap();
        assert_eq!(config.fetch.user_agent, "robot/1.0");
        assert_eq!(config.concurrency, 20);
        assert!(config.limits_depth(), "all links are told, those that were met lately too");
        assert_eq!(config.content.topics.len(), 1);
        assert!(config.content.has_rules());
        assert!(config.content.focus.is_some());
        assert!(config.limit.is_none(), "rates are told by the scheduler");
    }

    #[test]
    fn where_pages_go_on_to_is_said_where_they_are_kept() {
        let handed = handed("store = \"warc\"").unwrap();
        let out = tempfile::tempdir().unwrap();
        let sink = Some(vec!["sqlite:x.db".to_owned()]);
        let outlets = Outlets { sink, ..Outlets::default() };
        let why = handed.config(out.path(), 1, &outlets).unwrap_err().to_string();
        assert!(why.contains("put parquet into"), "{why}");
        let all =
            HandedOn { settings: handed.settings.replace("warc", "warc,parquet"), roots: None };
        assert_eq!(all.config(out.path(), 1, &outlets).unwrap().sinks.len(), 1);
    }

    #[test]
    fn a_file_is_handed_over_as_what_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("example.txt");
        std::fs::write(&file, "recalls of milk and cheese").unwrap();
        let text = format!("[topic.food]\nexamples = [{:?}]\n", file.display().to_string());
        let handed = handed(&text).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(handed.settings.contains("recalls of milk"), "{}", handed.settings);
        handed.config(folder.path(), 1, &Outlets::default()).unwrap();
    }

    #[test]
    fn what_only_the_scheduler_may_know_stays_with_it() {
        let text = "out = \"/secret\"\nlimit = \"1MB/s\"\nwithin = \"2h\"";
        let handed = handed(text).unwrap();
        for word in ["secret", "limit", "within"] {
            assert!(!handed.settings.contains(word), "{}", handed.settings);
        }
    }

    #[test]
    fn what_nobody_would_keep_is_refused_with_the_remedy() {
        for (text, remedy) in [
            ("sink = [\"postgres://me:secret@db/x\"]", "--sink to each"),
            ("store-to = \"s3://bucket\"", "--store-to to each"),
        ] {
            let why = handed(text).unwrap_err();
            assert!(why.contains(remedy) && !why.contains("secret"), "{why}");
        }
    }
}
