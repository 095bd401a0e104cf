mod bandwidth;
pub(crate) mod content;
mod deadlines;
mod seeds;
mod sinks;
mod values;
mod words;

pub(crate) use sinks::outlets;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use regex::RegexSet;
use url::Url;
use weir_fetch::{FetchConfig, Limits, Override, SetupError};
use weir_plan::Policy;
use weir_store::{SinkTarget, StoreConfig};
use weir_types::{Bandwidth, Scope, site_of};

use self::seeds::{seed, seeds, sitemap_urls};
use self::values::{duration, factor, patterns, positive, size, up_to, value};
use self::words::{
    any_change, freshness, nofollow, product, robots, scope, sitemaps, store, traps,
};

use crate::admission::Admission;
use crate::almanac::Almanac;
use crate::budget::Budget;
use crate::calendar::Calendar;
use crate::content::Content;
use crate::due::Due;
use crate::helm::Helm;
use crate::pace::PaceLimits;
use crate::settings::{ConfigError, Settings, SiteSettings};

/// Settings checked together: what to do.
#[derive(Clone, Debug)]
pub struct Config {
    pub seeds: Vec<Url>,
    pub out: PathBuf,
    pub fresh: bool,
    pub scope: Scope,
    pub include: Option<RegexSet>,
    pub exclude: Option<RegexSet>,
    pub depth: Option<u32>,
    pub max_pages: Option<u64>,
    pub max_bytes: Option<u64>,
    pub assets: bool,
    pub concurrency: usize,
    pub per_host: usize,
    pub delay: Duration,
    pub slow_down: f64,
    /// The same for a server, under however many names it is known.
    pub per_ip: usize,
    pub ip_delay: Duration,
    /// A host that asks for longer pauses is left out.
    pub max_crawl_delay: Duration,
    pub robots: RobotsMode,
    /// The name that robots.txt and pages know us by.
    pub product: String,
    /// Links marked `rel=nofollow` are not followed.
    pub nofollow: bool,
    pub sitemaps: Sitemaps,
    pub sitemap_urls: Vec<Url>,
    pub traps: bool,
    /// Parameters that are left out of URLs, besides those known to mean nothing.
    pub strip: Vec<String>,
    /// What may come each second, and when; `None` limits nothing at any time.
    pub limit: Option<Calendar>,
    /// At most one for each period.
    pub budgets: Vec<Budget>,
    /// The time zone and the holidays of the limit, the budgets and the predictor.
    pub almanac: Almanac,
    pub admission: Admission,
    /// How many of the queue are looked at to find one that fits (the paper's max_d).
    pub admission_depth: usize,
    /// How the limit is shared out.
    pub policy: Policy,
    /// Sites that are crawled at a time.
    pub max_sites: Option<usize>,
    /// The crawl stays, and begins the rounds of recurring sites when they are due.
    pub repeat: bool,
    /// What an earlier run has done is done once more.
    pub recrawl: bool,
    /// Bytes a day for coming back to pages; they go where they bring most.
    pub freshness: Option<f64>,
    /// Any other byte of a page counts as a change of it.
    pub any_change: bool,
    /// When sites are to be done that have no time of their own.
    pub due: Option<Due>,
    /// Pages of a site that tell what to expect of it, and bytes for all samples together.
    pub sample: u64,
    pub sample_bytes: u64,
    /// Only the samples are fetched.
    pub is_survey: bool,
    /// Links that were met lately are reported all the same.
    pub all_links: bool,
    /// Where the frontier and the pages go, if not to `out`.
    pub scratch: Option<PathBuf>,
    /// What an unfinished crawl of the same folder has learnt still holds.
    pub keeps_history: bool,
    /// What the user should hear before it begins.
    pub notices: Vec<String>,
    pub sites: Vec<Site>,
    pub fetch: FetchConfig,
    pub store: StoreChoice,
    /// What is read in pages besides their links.
    pub content: Arc<Content>,
    pub threads: usize,
    pub report: Option<PathBuf>,
    /// Somebody looks at the crawl while it runs, and may change its course.
    pub helm: Option<Helm>,
    /// Nothing left to do is no end: somebody may bring more.
    pub stays: bool,
    /// Where rows go besides `out`, and the table there.
    pub sinks: Vec<SinkTarget>,
    /// An object store that whole files go to.
    pub store_to: Option<SinkTarget>,
    pub table: String,
    /// How long the end of a crawl waits for sinks that take nothing.
    pub sink_wait: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotsMode {
    Obey,
    Ignore,
}

/// Which sitemaps are read, besides those that are named in the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sitemaps {
    Off,
    /// Those that robots.txt names.
    Robots,
    /// The same, and where it names none, /sitemap.xml is tried.
    Auto,
}

/// What holds for one site.
#[derive(Clone, Debug)]
pub struct Site {
    pub name: String,
    pub settings: SiteConfig,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteConfig {
    pub pace: PaceLimits,
    pub robots: RobotsMode,
    pub sitemaps: Sitemaps,
    /// The most that may come from it, whatever is free.
    pub limit: Option<Bandwidth>,
    /// Its share beside other sites, and what an hour too late costs; one without a weight has 1.
    pub weight: f64,
    pub due: Option<Due>,
    /// From the beginning of one round to that of the next.
    pub every: Option<Duration>,
    /// Bytes that it has in all, if somebody knows.
    pub size: Option<u64>,
    /// Links from a seed at the most.
    pub depth: Option<u32>,
    pub max_pages: Option<u64>,
    pub max_bytes: Option<u64>,
    /// Any other byte of a page counts as a change of it.
    pub any_change: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreChoice {
    pub warc: bool,
    pub parquet: bool,
}

impl Config {
    pub const OUT: &str = "weir-out";
    pub const CONCURRENCY: usize = 256;
    pub const PER_HOST: usize = 1;
    pub const USER_AGENT: &str = concat!("weir/", env!("CARGO_PKG_VERSION"));
    /// After an answer that took long, as long a pause.
    pub const SLOW_DOWN: f64 = 1.0;
    pub const MAX_CRAWL_DELAY: Duration = Duration::from_secs(300);
    /// As in the first experiment of Diligenti et al. 2004.
    pub const ADMISSION_DEPTH: usize = 6;
    pub const SAMPLE: u64 = 10;
    pub const SAMPLE_BYTES: u64 = 50_000_000;
    pub const TABLE: &str = "pages";
    pub const SINK_WAIT: Duration = Duration::from_secs(60);

    /// The `[[site]]` of a host, by its own name or by that of its site.
    pub fn named(&self, site: &str, origin: &str) -> Option<&Site> {
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        let named = |name: &str| self.sites.iter().find(|site| site.name == name);
        named(host).or_else(|| named(site))
    }

    /// What the piece of work is called that a host belongs to.
    pub fn task_name<'a>(&'a self, site: &'a str, origin: &str) -> &'a str {
        self.named(site, origin).map_or(site, |named| &named.name)
    }

    /// Where the frontier and the pages are.
    pub fn folder(&self) -> &Path {
        self.scratch.as_deref().unwrap_or(&self.out)
    }

    /// How its store is made.
    pub fn store_config(&self) -> StoreConfig {
        let mut store = StoreConfig::new(self.folder());
        store.warc = self.store.warc;
        store.parquet = self.store.parquet;
        store.user_agent = self.fetch.user_agent.clone();
        store.robots = match self.robots {
            RobotsMode::Obey => "obey".to_owned(),
            RobotsMode::Ignore => "ignore".to_owned(),
        };
        store
    }

    /// Shares are the plan's, even if nobody waits.
    pub fn is_steered(&self) -> bool {
        self.max_sites.is_some() || self.policy != Policy::Deadline
    }

    /// What holds for a host, by its own name or by that of its site.
    pub fn site(&self, site: &str, origin: &str) -> SiteConfig {
        match self.named(site, origin) {
            Some(site) => site.settings,
            None => self.plain_site(),
        }
    }

    /// What holds for a site that has no `[[site]]`.
    pub fn plain_site(&self) -> SiteConfig {
        SiteConfig {
            pace: PaceLimits { most: self.per_host, delay: self.delay, slow_down: self.slow_down },
            robots: self.robots,
            sitemaps: self.sitemaps,
            limit: None,
            weight: 1.0,
            due: self.due,
            every: None,
            size: None,
            depth: None,
            max_pages: None,
            max_bytes: None,
            any_change: self.any_change,
        }
    }

    /// There are pages that are too deep, for all sites or for one.
    pub fn limits_depth(&self) -> bool {
        self.depth.is_some() || self.sites.iter().any(|site| site.settings.depth.is_some())
    }

    /// What holds for a piece of work.
    pub fn site_named(&self, name: &str) -> SiteConfig {
        let named = self.sites.iter().find(|site| site.name == name);
        named.map_or_else(|| self.plain_site(), |site| site.settings)
    }

    pub fn set_site(&mut self, name: &str, settings: SiteConfig) {
        match self.sites.iter_mut().find(|site| site.name == name) {
            Some(site) => site.settings = settings,
            None => self.sites.push(Site { name: name.to_owned(), settings }),
        }
    }

    /// Whether a site may have this weight.
    pub fn check_weight(&self, weight: f64) -> Result<(), ConfigError> {
        bandwidth::weight(Some(weight)).map(|_| ())
    }

    /// A site that is asked for while the crawl runs, with the URL to begin with.
    pub fn one_more(&self, settings: &SiteSettings) -> Result<(Url, Site), ConfigError> {
        let text = settings.urls.iter().flatten().next().map_or("", String::as_str);
        let url = seed("url", text)?;
        let name = Some(site_of(&url));
        let mut all = self::site(SiteSettings { name, ..settings.clone() }, self)?;
        Ok((url, all.swap_remove(0)))
    }
}

/// Read at once from each of so many connections.
fn read_bytes(connections: usize) -> usize {
    (READ_MEMORY / connections).clamp(Limits::READ_BYTES, READ_MOST)
}

/// The folder of the frontier, in that of the crawl.
pub const FRONTIER: &str = "frontier";
/// The folder of the store's own files, where long bodies wait too while they come.
const STORE: &str = "store";
/// More connections than a machine has room for, and more threads than help.
const MOST_AT_ONCE: usize = 1_000_000;
const MOST_THREADS: usize = 256;
/// What the buffers of all connections may take together, so that few connections read a whole page at once...
const READ_MEMORY: usize = 16 << 20;
/// ...but no more than nearly all pages have.
const READ_MOST: usize = 64 << 10;

impl TryFrom<Settings> for Config {
    type Error = ConfigError;

    fn try_from(mut settings: Settings) -> Result<Config, ConfigError> {
        let seeds = seeds(&settings)?;
        let out = settings.out.take().unwrap_or_else(|| Config::OUT.into());
        let is_fresh = settings.fresh.unwrap_or(false);
        if seeds.is_empty() && (is_fresh || !weir_frontier::is_there(&out.join(FRONTIER))) {
            return Err(ConfigError::NoSeeds);
        }
        let concurrency =
            up_to("concurrency", MOST_AT_ONCE, settings.concurrency, Config::CONCURRENCY)?;
        let threads = up_to("threads", MOST_THREADS, settings.threads, useful_threads())?;
        let mut fetch = fetch(&settings)?;
        // Each thread has a fetcher of its own; together they are what was asked for.
        fetch.idle_connections = concurrency.max(FetchConfig::IDLE_CONNECTIONS).div_ceil(threads);
        fetch.body_memory = FetchConfig::BODY_MEMORY / threads;
        fetch.spool = Some(out.join(STORE));
        fetch.limits.read_bytes = read_bytes(concurrency);
        let per_host = positive("per-host", settings.per_host, Config::PER_HOST)?;
        let delay = duration("delay", settings.delay.as_deref())?.unwrap_or_default();
        let product = product(&fetch.user_agent)?;
        let store = store(settings.store.as_deref())?;
        let outlets = outlets(&settings)?;
        let content = content::content(&settings, store);
        let almanac = bandwidth::almanac(&settings)?;
        let limit = bandwidth::limit(settings.limit.as_ref(), &almanac.zone)?;
        let budgets = bandwidth::budgets(settings.budget.as_ref())?;
        let config = Config {
            seeds,
            fetch,
            out,
            fresh: is_fresh,
            scope: scope(settings.scope.as_deref())?,
            include: patterns("include", settings.include)?,
            exclude: patterns("exclude", settings.exclude)?,
            depth: settings.depth,
            max_pages: settings.max_pages,
            max_bytes: size("max-bytes", settings.max_bytes.as_deref())?,
            assets: settings.assets.unwrap_or(false),
            concurrency,
            per_host,
            delay,
            slow_down: factor("slow-down", settings.slow_down)?.unwrap_or(Config::SLOW_DOWN),
            per_ip: positive("per-ip", settings.per_ip, per_host)?,
            ip_delay: duration("ip-delay", settings.ip_delay.as_deref())?.unwrap_or(delay),
            max_crawl_delay: duration("max-crawl-delay", settings.max_crawl_delay.as_deref())?
                .unwrap_or(Config::MAX_CRAWL_DELAY),
            robots: robots(settings.robots.as_deref())?.unwrap_or(RobotsMode::Obey),
            product,
            nofollow: nofollow(settings.nofollow.as_deref())?,
            sitemaps: sitemaps(settings.sitemaps.as_deref())?.unwrap_or(Sitemaps::Robots),
            sitemap_urls: sitemap_urls(settings.sitemap.as_deref())?,
            traps: traps(settings.traps.as_deref())?,
            strip: settings.strip.unwrap_or_default(),
            admission: bandwidth::admission(settings.admission.as_deref(), limit.as_ref())?,
            admission_depth: positive(
                "admission-depth",
                settings.admission_depth,
                Config::ADMISSION_DEPTH,
            )?,
            policy: deadlines::policy(settings.policy.as_deref())?,
            max_sites: deadlines::max_sites(settings.max_sites)?,
            repeat: settings.repeat.unwrap_or(false),
            recrawl: settings.recrawl.unwrap_or(false),
            freshness: freshness(settings.freshness.as_deref())?,
            any_change: any_change("changes", settings.changes.as_deref())?.unwrap_or(false),
            due: deadlines::due(
                ["within", "by"],
                settings.within.as_deref(),
                settings.by.as_deref(),
            )?,
            sample: deadlines::sample(settings.sample)?,
            sample_bytes: size("sample-bytes", settings.sample_bytes.as_deref())?
                .unwrap_or(Config::SAMPLE_BYTES),
            is_survey: false,
            all_links: false,
            scratch: None,
            keeps_history: false,
            notices: bandwidth::notices(&almanac, limit.as_ref(), &budgets),
            limit,
            budgets,
            almanac,
            sites: Vec::new(),
            store,
            content: Arc::default(),
            threads,
            report: settings.report,
            helm: None,
            stays: false,
            sinks: outlets.sinks,
            store_to: outlets.store_to,
            table: outlets.table,
            sink_wait: outlets.wait,
        };
        let sites = settings.site.unwrap_or_default();
        let sites = sites.into_iter().map(|site| self::site(site, &config));
        let sites = sites.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        let mut config = Config { sites, content: Arc::new(content?), ..config };
        if let Some(typed) = &settings.typed_due {
            deadlines::give_typed(&mut config, typed)?;
        }
        deadlines::check_repeat(&config)?;
        Ok(config)
    }
}

/// A site may go by its name, or by the URLs to start from, or by both.
fn site(site: SiteSettings, config: &Config) -> Result<Vec<Site>, ConfigError> {
    let due =
        deadlines::due(["site.within", "site.by"], site.within.as_deref(), site.by.as_deref())?
            .or(config.due);
    let settings = SiteConfig {
        pace: PaceLimits {
            most: positive("site.per-host", site.per_host, config.per_host)?,
            delay: duration("site.delay", site.delay.as_deref())?.unwrap_or(config.delay),
            slow_down: factor("site.slow-down", site.slow_down)?.unwrap_or(config.slow_down),
        },
        robots: robots(site.robots.as_deref())?.unwrap_or(config.robots),
        sitemaps: sitemaps(site.sitemaps.as_deref())?.unwrap_or(config.sitemaps),
        limit: bandwidth::site_limit(site.limit.as_deref())?,
        weight: bandwidth::weight(site.weight)?,
        due,
        every: deadlines::every(site.every.as_deref(), due)?,
        size: size("site.size", site.size.as_deref())?,
        depth: site.depth,
        max_pages: site.max_pages,
        max_bytes: size("site.max-bytes", site.max_bytes.as_deref())?,
        any_change: any_change("site.changes", site.changes.as_deref())?
            .unwrap_or(config.any_change),
    };
    Ok(names(&site)?.into_iter().map(|name| Site { name, settings }).collect())
}

fn names(site: &SiteSettings) -> Result<Vec<String>, ConfigError> {
    let mut names: Vec<String> = site.name.iter().map(|name| name.to_lowercase()).collect();
    if names.is_empty() {
        for text in site.urls.iter().flatten() {
            names.push(site_of(&seed("site.urls", text)?));
        }
    }
    if names.is_empty() {
        return Err(value("site", "[[site]]", "give it a `name`, such as example.com, or `urls`"));
    }
    names.dedup();
    Ok(names)
}

/// One thread fetches and parses several thousand pages a second; more than a few only wait.
fn useful_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    (cores / 2).clamp(1, 8)
}

fn fetch(settings: &Settings) -> Result<FetchConfig, ConfigError> {
    let agent = settings.user_agent.clone().unwrap_or_else(|| Config::USER_AGENT.to_owned());
    let mut fetch = FetchConfig::new(agent);
    fetch.accept_private = settings.allow_private.unwrap_or(false);
    fetch.roots = settings.ca_file.clone();
    for text in settings.resolve.iter().flatten() {
        let value = Override::from_str(text).map_err(|why| ConfigError::Value {
            key: "resolve",
            value: format!("{text:?}"),
            remedy: why.to_string(),
        })?;
        fetch.resolve.push(value);
    }
    if let Some(bytes) = size("max-body", settings.max_body.as_deref())? {
        if bytes == 0 {
            return Err(value("max-body", "0", "let it be at least 1, or such as 16MiB"));
        }
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        fetch.limits = fetch.limits.with_body(bytes);
    }
    if let Some(total) = duration("timeout", settings.timeout.as_deref())? {
        if total.is_zero() {
            return Err(value(
                "timeout",
                "0",
                "no answer comes in no time; write a duration such as 5m",
            ));
        }
        fetch.limits.total = total;
    }
    fetch.check().map_err(refused)?;
    Ok(fetch)
}

fn refused(why: SetupError) -> ConfigError {
    match why {
        SetupError::UserAgent(agent) => value("user-agent", &agent, "write printable ASCII only"),
        SetupError::Roots { path, why } => value(
            "ca-file",
            &path.display().to_string(),
            &format!("{why}; name a file of certificates in PEM form"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(change: impl FnOnce(&mut Settings)) -> Result<Config, String> {
        let mut settings = Settings { urls: Some(vec!["http://a/".into()]), ..Default::default() };
        change(&mut settings);
        Config::try_from(settings).map_err(|why| why.to_string())
    }

    #[test]
    fn defaults_are_polite() {
        let config = config(|_| {}).unwrap();
        assert_eq!((config.per_host, config.robots), (1, RobotsMode::Obey));
        assert!(!config.fetch.accept_private);
    }

    #[test]
    fn a_bad_value_is_refused_with_its_key_and_a_remedy() {
        type Change = fn(&mut Settings);
        let site = |change: fn(&mut SiteSettings)| {
            let mut site = SiteSettings::default();
            change(&mut site);
            Some(vec![site])
        };
        let why = config(|s| s.site = site(|_| {})).unwrap_err();
        assert!(why.starts_with("site") && why.contains("`name`"), "{why}");
        let why = config(|s| s.site = site(|site| site.per_host = Some(0))).unwrap_err();
        assert!(why.starts_with("site.per-host"), "{why}");
        let cases: [(&str, &str, Change); 24] = [
            ("per-ip", "at least 1", |s| s.per_ip = Some(0)),
            ("slow-down", "0 to 100", |s| s.slow_down = Some(-1.0)),
            ("nofollow", "obey or ignore", |s| s.nofollow = Some("yes".into())),
            ("sitemaps", "robots, auto or off", |s| s.sitemaps = Some("all".into())),
            ("traps", "avoid or ignore", |s| s.traps = Some("off".into())),
            ("user-agent", "begin it with a name", |s| s.user_agent = Some("(x)".into())),
            ("scope", "host, site or any", |s| s.scope = Some("hots".into())),
            ("robots", "obey or ignore", |s| s.robots = Some("maybe".into())),
            ("store", "none", |s| s.store = Some("warc,none".into())),
            ("per-host", "at least 1", |s| s.per_host = Some(0)),
            ("concurrency", "1 to 1000000", |s| s.concurrency = Some(usize::MAX)),
            ("threads", "1 to 256", |s| s.threads = Some(100_000)),
            ("timeout", "such as 5m", |s| s.timeout = Some("0".into())),
            ("timeout", "ten years", |s| s.timeout = Some("1e19".into())),
            ("delay", "ten years", |s| s.delay = Some("18000000000000000".into())),
            ("max-body", "at least", |s| s.max_body = Some("0".into())),
            ("user-agent", "ASCII", |s| s.user_agent = Some("böt/1.0".into())),
            ("ca-file", "PEM", |s| s.ca_file = Some("no/such.pem".into())),
            ("seeds", "one URL a line", |s| s.seeds = Some("no/such.txt".into())),
            ("delay", "90s", |s| s.delay = Some("soon".into())),
            ("max-bytes", "500MB", |s| s.max_bytes = Some("much".into())),
            ("include", "regular expression", |s| s.include = Some(vec!["(".into()])),
            ("resolve", "a.example", |s| s.resolve = Some(vec!["a.example".into()])),
            ("urls", "https://example.com/", |s| s.urls = Some(vec!["ftp://a/".into()])),
        ];
        for (key, remedy, change) in cases {
            let why = config(change).unwrap_err();
            assert!(why.starts_with(key) && why.contains(remedy), "{key}: {why}");
        }
    }

    #[test]
    fn a_site_has_limits_of_its_own() {
        let sites = vec![
            SiteSettings {
                name: Some("Example.com".into()),
                delay: Some("2s".into()),
                ..SiteSettings::default()
            },
            SiteSettings {
                urls: Some(vec!["http://127.0.0.1:81/x".into()]),
                per_host: Some(4),
                ..SiteSettings::default()
            },
        ];
        let config = config(|s| s.site = Some(sites)).unwrap();
        let delay = |origin| config.site("example.com", origin).pace.delay.as_secs();
        assert_eq!((delay("http://example.com"), delay("http://www.example.com:81")), (2, 2));
        assert_eq!(config.site("b.example", "http://b.example").pace.delay, Duration::ZERO);
        assert_eq!(config.site("127.0.0.1:81", "http://127.0.0.1:81").pace.most, 4);
        assert_eq!(config.seeds.len(), 2);
    }
}
