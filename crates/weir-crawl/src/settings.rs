//! What a user may write: the keys of `weir.toml`, each also a flag of the same name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use weir_content::fields::FieldSettings;
use weir_content::topic::TopicSettings;
use weir_store::without_password;

/// Everything optional, so that a file and the command line can be laid over each other.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// The file they are from, to name it when something in it is wrong.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// The deadline of the URLs that were typed, which have it whatever the file says of their sites.
    #[serde(skip)]
    pub typed_due: Option<TypedDue>,
    pub urls: Option<Vec<String>>,
    pub seeds: Option<PathBuf>,
    pub out: Option<PathBuf>,
    pub fresh: Option<bool>,
    pub depth: Option<u32>,
    #[serde(alias = "max_pages")]
    pub max_pages: Option<u64>,
    #[serde(alias = "max_bytes")]
    pub max_bytes: Option<String>,
    pub include: Option<Vec<String>>,
    pub exclude: Option<Vec<String>>,
    pub scope: Option<String>,
    pub assets: Option<bool>,
    pub concurrency: Option<usize>,
    #[serde(alias = "per_host")]
    pub per_host: Option<usize>,
    pub delay: Option<String>,
    #[serde(alias = "per_ip")]
    pub per_ip: Option<usize>,
    #[serde(alias = "ip_delay")]
    pub ip_delay: Option<String>,
    #[serde(alias = "slow_down")]
    pub slow_down: Option<f64>,
    #[serde(alias = "max_crawl_delay")]
    pub max_crawl_delay: Option<String>,
    pub robots: Option<String>,
    pub nofollow: Option<String>,
    pub sitemaps: Option<String>,
    pub sitemap: Option<Vec<String>>,
    pub traps: Option<String>,
    pub strip: Option<Vec<String>>,
    #[serde(alias = "allow_private")]
    pub allow_private: Option<bool>,
    pub resolve: Option<Vec<String>>,
    #[serde(alias = "user_agent")]
    pub user_agent: Option<String>,
    #[serde(alias = "ca_file")]
    pub ca_file: Option<PathBuf>,
    #[serde(alias = "max_body")]
    pub max_body: Option<String>,
    pub timeout: Option<String>,
    pub store: Option<String>,
    /// What rows have of a page: `none`, `attributes`, `text` or `markdown`.
    pub content: Option<String>,
    /// The rule that says which pages become rows.
    pub keep: Option<String>,
    /// The topic whose pages are asked for first.
    pub focus: Option<String>,
    pub topic: Option<BTreeMap<String, TopicSettings>>,
    pub threads: Option<usize>,
    pub report: Option<PathBuf>,
    pub sink: Option<Vec<String>>,
    pub table: Option<String>,
    #[serde(alias = "sink_wait")]
    pub sink_wait: Option<String>,
    #[serde(alias = "store_to")]
    pub store_to: Option<String>,
    /// A rate, or a list of rates and when they hold.
    pub limit: Option<toml::Value>,
    /// A text or a list of texts.
    pub budget: Option<toml::Value>,
    #[serde(alias = "time_zone")]
    pub time_zone: Option<String>,
    /// Texts or dates.
    pub holidays: Option<Vec<toml::Value>>,
    pub admission: Option<String>,
    #[serde(alias = "admission_depth")]
    pub admission_depth: Option<usize>,
    /// What is different for some sites.
    pub site: Option<Vec<SiteSettings>>,
    pub within: Option<String>,
    pub by: Option<String>,
    pub policy: Option<String>,
    #[serde(alias = "max_sites")]
    pub max_sites: Option<usize>,
    pub repeat: Option<bool>,
    pub recrawl: Option<bool>,
    pub freshness: Option<String>,
    pub changes: Option<String>,
    pub sample: Option<u64>,
    #[serde(alias = "sample_bytes")]
    pub sample_bytes: Option<String>,
    /// Downloaders that `weir crawl` starts beside itself, and what each has under way at a time.
    pub downloaders: Option<usize>,
    pub slots: Option<usize>,
    /// Which of them gets what: `host-affine` or `shortest-queue`.
    pub dispatch: Option<String>,
    /// Where a scheduler waits for downloaders, and the folder with its keys.
    pub listen: Option<String>,
    pub keys: Option<PathBuf>,
    /// Downloaders that never come back.
    #[serde(alias = "write_off")]
    pub write_off: Option<Vec<String>>,
    /// How progress is shown, and what is said besides; the command reads them.
    pub progress: Option<String>,
    pub log: Option<String>,
    pub quiet: Option<bool>,
    pub verbose: Option<bool>,
    /// Where the page with the crawl's state is served, or true for the usual place.
    pub dashboard: Option<toml::Value>,
    /// Who has it may look and act, or only look. Also WEIR_DASHBOARD_TOKEN and WEIR_DASHBOARD_READ_TOKEN.
    #[serde(alias = "dashboard_token")]
    pub dashboard_token: Option<String>,
    #[serde(alias = "dashboard_read_token")]
    pub dashboard_read_token: Option<String>,
}

/// One `[[site]]` of `weir.toml`; what it does not say is as for all sites.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SiteSettings {
    /// A registrable domain, such as `example.com`, or a host (with its port).
    pub name: Option<String>,
    /// Where to start, besides the `urls` above.
    pub urls: Option<Vec<String>>,
    #[serde(alias = "per_host")]
    pub per_host: Option<usize>,
    pub delay: Option<String>,
    #[serde(alias = "slow_down")]
    pub slow_down: Option<f64>,
    pub robots: Option<String>,
    pub sitemaps: Option<String>,
    /// The most that may come from it, such as `50KB/s`.
    pub limit: Option<String>,
    /// Its share of the bandwidth beside other sites.
    pub weight: Option<f64>,
    /// How long it may take, such as `2h`, or when it is to be done, such as `18:00`.
    pub within: Option<String>,
    pub by: Option<String>,
    /// It is crawled again and again, such as `6h` after `6h`.
    pub every: Option<String>,
    /// What it has in all, for who knows, such as `500MB`.
    pub size: Option<String>,
    pub depth: Option<u32>,
    #[serde(alias = "max_pages")]
    pub max_pages: Option<u64>,
    #[serde(alias = "max_bytes")]
    pub max_bytes: Option<String>,
    /// A rule of its own.
    pub keep: Option<String>,
    /// What to read in its pages, by CSS selector.
    pub fields: Option<BTreeMap<String, FieldSettings>>,
    /// What counts as a change of a page: `text` or `any`.
    pub changes: Option<String>,
}

/// The same names as above, for suggestions; a test holds the two together.
const KEYS: [&str; 71] = [
    "urls",
    "seeds",
    "out",
    "fresh",
    "depth",
    "max-pages",
    "max-bytes",
    "include",
    "exclude",
    "scope",
    "assets",
    "concurrency",
    "per-host",
    "delay",
    "per-ip",
    "ip-delay",
    "slow-down",
    "max-crawl-delay",
    "robots",
    "nofollow",
    "sitemaps",
    "sitemap",
    "traps",
    "strip",
    "allow-private",
    "resolve",
    "user-agent",
    "ca-file",
    "max-body",
    "timeout",
    "store",
    "content",
    "keep",
    "focus",
    "topic",
    "threads",
    "report",
    "sink",
    "table",
    "sink-wait",
    "store-to",
    "limit",
    "budget",
    "time-zone",
    "holidays",
    "admission",
    "admission-depth",
    "site",
    "within",
    "by",
    "policy",
    "max-sites",
    "repeat",
    "recrawl",
    "freshness",
    "changes",
    "sample",
    "sample-bytes",
    "downloaders",
    "slots",
    "dispatch",
    "listen",
    "keys",
    "write-off",
    "progress",
    "log",
    "quiet",
    "verbose",
    "dashboard",
    "dashboard-token",
    "dashboard-read-token",
];

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("cannot read {path}: {why}; check the path, or write an example with `weir init`")]
    File { path: PathBuf, why: std::io::Error },
    #[error("{path}: {why}")]
    Syntax { path: PathBuf, why: String },
    #[error("{path}: there is no key `{key}`{hint}")]
    UnknownKey { path: PathBuf, key: String, hint: String },
    #[error("{key} = {value}: {remedy}")]
    Value { key: &'static str, value: String, remedy: String },
    /// `what` shows the place in the value and says what to do.
    #[error("{file}{key}: {what}")]
    Content { file: String, key: String, what: String },
    #[error(
        "nothing to crawl: name a URL (weir crawl https://example.com/), a file of URLs with --seeds, or `urls` in weir.toml"
    )]
    NoSeeds,
}

/// Either of the two, or both, which is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedDue {
    pub urls: Vec<String>,
    pub within: Option<String>,
    pub by: Option<String>,
}

impl Settings {
    fn has_due(&self) -> bool {
        self.within.is_some() || self.by.is_some()
    }

    pub fn read(path: &Path) -> Result<Settings, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|why| ConfigError::File { path: path.to_owned(), why })?;
        Settings::parse(&text, path)
    }

    /// `path` is named when something is wrong.
    pub fn parse(text: &str, path: &Path) -> Result<Settings, ConfigError> {
        let syntax = |why: toml::de::Error| ConfigError::Syntax {
            path: path.to_owned(),
            // The message repeats the line, which may be that of a sink.
            why: without_password(&in_plain_words(&why.to_string())),
        };
        let table: toml::Table = toml::from_str(text).map_err(syntax)?;
        for key in table.keys() {
            let dashed = key.replace('_', "-");
            if !KEYS.contains(&dashed.as_str()) {
                let hint = hint(&dashed);
                return Err(ConfigError::UnknownKey { path: path.into(), key: key.clone(), hint });
            }
        }
        let settings: Settings = toml::from_str(text).map_err(syntax)?;
        Ok(Settings { file: Some(path.to_owned()), ..settings })
    }

    /// These settings, as they were typed, where they say something, else those of `below`.
    pub fn over(mut self, mut below: Settings) -> Settings {
        match self.urls.clone().filter(|_| self.has_due()) {
            Some(urls) => {
                let (within, by) = (self.within.take(), self.by.take());
                self.typed_due = Some(TypedDue { urls, within, by });
            }
            // One takes the place of the other.
            None if self.has_due() => (below.within, below.by) = (None, None),
            None => {}
        }
        macro_rules! layered {
            ($($field:ident),* $(,)?) => {
                Settings { $($field: self.$field.or(below.$field)),* }
            };
        }
        layered!(
            file,
            typed_due,
            urls,
            seeds,
            out,
            fresh,
            depth,
            max_pages,
            max_bytes,
            include,
            exclude,
            scope,
            assets,
            concurrency,
            per_host,
            delay,
            per_ip,
            ip_delay,
            slow_down,
            max_crawl_delay,
            robots,
            nofollow,
            sitemaps,
            sitemap,
            traps,
            strip,
            allow_private,
            resolve,
            user_agent,
            ca_file,
            max_body,
            timeout,
            store,
            content,
            keep,
            focus,
            topic,
            threads,
            report,
            sink,
            table,
            sink_wait,
            store_to,
            limit,
            budget,
            time_zone,
            holidays,
            admission,
            admission_depth,
            site,
            within,
            by,
            policy,
            max_sites,
            repeat,
            recrawl,
            freshness,
            changes,
            sample,
            sample_bytes,
            downloaders,
            slots,
            dispatch,
            listen,
            keys,
            write_off,
            progress,
            log,
            quiet,
            verbose,
            dashboard,
            dashboard_token,
            dashboard_read_token,
        )
    }
}

/// The names of Rust's types mean nothing to whoever writes a config.
fn in_plain_words(why: &str) -> String {
    let mut why = why.trim_end().to_owned();
    for (name, words) in [
        ("expected usize", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected u32", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a sequence", "expected a list in brackets"),
    ] {
        why = why.replace(name, words);
    }
    why
}

fn hint(key: &str) -> String {
    let near = KEYS
        .iter()
        .map(|known| (strsim::damerau_levenshtein(key, known), known))
        .min()
        .filter(|(distance, _)| *distance <= 2);
    match near {
        Some((_, known)) => format!("; did you mean `{known}`?"),
        None => "; `weir init` writes a file with all keys".to_owned(),
    }
}

/// What `weir init` writes: each key with its meaning and its default.
pub const EXAMPLE: &str = include_str!("example.toml");

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Settings, String> {
        Settings::parse(text, Path::new("weir.toml")).map_err(|why| why.to_string())
    }

    #[test]
    fn every_key_in_the_list_is_a_key_and_the_other_way_round() {
        let wrong = toml::from_str::<Settings>("no-such-key = 1").unwrap_err().to_string();
        let expected = wrong.split("expected one of").nth(1).unwrap();
        for key in KEYS {
            assert!(expected.contains(&format!("`{key}`")), "{key} is no field");
        }
        // Each key of several words is listed twice: with dashes and with underscores.
        let names = expected.split('`').skip(1).step_by(2).filter(|name| !name.contains('_'));
        assert_eq!(names.count(), KEYS.len(), "{expected}");
    }

    #[test]
    fn a_typing_error_is_named_with_what_was_probably_meant() {
        let why = parse("per-hots = 2").unwrap_err();
        assert_eq!(why, "weir.toml: there is no key `per-hots`; did you mean `per-host`?");
        assert!(parse("colour = 1").unwrap_err().contains("weir init"));
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_shown_in_its_line() {
        let why = parse("depth = 3\nper-host = \"two\"").unwrap_err();
        assert!(why.contains("line 2") && why.contains("per-host = \"two\""), "{why}");
        assert!(why.contains("expected a whole number"), "{why}");
    }

    #[test]
    fn dashes_and_underscores_are_the_same() {
        assert_eq!(parse("max_pages = 5").unwrap().max_pages, Some(5));
        assert_eq!(parse("max-pages = 5").unwrap().max_pages, Some(5));
    }

    #[test]
    fn the_command_line_is_laid_over_the_file() {
        let file = parse("depth = 3\nper-host = 2").unwrap();
        let line = Settings { depth: Some(1), ..Settings::default() };
        let both = line.over(file);
        assert_eq!((both.depth, both.per_host), (Some(1), Some(2)));
    }

    #[test]
    fn the_example_is_valid_and_names_every_key_that_works() {
        parse(EXAMPLE).unwrap();
        for key in KEYS {
            let begin = [format!("{key} = "), format!("[[{key}]]"), format!("[{key}.")];
            let mut lines = EXAMPLE.lines().map(|line| line.trim_start_matches("# "));
            let is_set = |line: &str| begin.iter().any(|begin| line.starts_with(begin));
            assert!(lines.any(is_set), "{key}");
        }
    }
}
