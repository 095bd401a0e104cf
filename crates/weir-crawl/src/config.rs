mod bandwidth;
pub(crate) mod content;
mod deadlines;
mod sinks;

pub(crate) use sinks::outlets;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use regex::RegexSet;
use url::Url;
use weir_fetch::{FetchConfig, Limits, Override};
use weir_plan::Policy;
use weir_store::{SinkTarget, StoreConfig};
use weir_types::{Bandwidth, Scope, Size, parse_duration, site_of};

use crate::admission::Admission;
use crate::almanac::Almanac;
use crate::budget::{Budget, Period};
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

/// The folder of the frontier, in that of the crawl.
pub const FRONTIER: &str = "frontier";
/// The folder of the store's own files, where long bodies wait too while they come.
const STORE: &str = "store";
/// Up to here, memory for larger reads is not worth saving.
const FEW_CONNECTIONS: usize = 512;

impl TryFrom<Settings> for Config {
    type Error = ConfigError;

    fn try_from(mut settings: Settings) -> Result<Config, ConfigError> {
        let seeds = seeds(&settings)?;
        let out = settings.out.take().unwrap_or_else(|| Config::OUT.into());
        if seeds.is_empty() && !weir_frontier::is_there(&out.join(FRONTIER)) {
            return Err(ConfigError::NoSeeds);
        }
        let concurrency = positive("concurrency", settings.concurrency, Config::CONCURRENCY)?;
        let threads = positive("threads", settings.threads, useful_threads())?;
        let mut fetch = fetch(&settings)?;
        // Each thread has a fetcher of its own; together they are what was asked for.
        fetch.idle_connections = concurrency.max(FetchConfig::IDLE_CONNECTIONS).div_ceil(threads);
        fetch.body_memory = FetchConfig::BODY_MEMORY / threads;
        fetch.spool = Some(out.join(STORE));
        if concurrency <= FEW_CONNECTIONS {
            fetch.limits.read_bytes = Limits::READ_BYTES * 4;
        }
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
            fresh: settings.fresh.unwrap_or(false),
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
        let config = Config { sites, content: Arc::new(content?), ..config };
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

/// The name before the version, which is how robots.txt knows a crawler.
fn product(user_agent: &str) -> Result<String, ConfigError> {
    let name = user_agent.split(['/', ' ', '(', ';']).next().unwrap_or_default();
    match name.is_empty() {
        true => Err(value(
            "user-agent",
            user_agent,
            "begin it with a name, such as mybot/1.0 (+https://example.com/bot)",
        )),
        false => Ok(name.to_owned()),
    }
}

fn nofollow(text: Option<&str>) -> Result<bool, ConfigError> {
    match text {
        None | Some("ignore") => Ok(false),
        Some("obey") => Ok(true),
        Some(other) => Err(value("nofollow", other, "write obey or ignore")),
    }
}

/// Bytes a day.
fn freshness(text: Option<&str>) -> Result<Option<f64>, ConfigError> {
    let Some(text) = text else { return Ok(None) };
    let budget: Budget = text.parse().map_err(|why: String| value("freshness", text, &why))?;
    let days = match budget.period {
        Period::Day => 1.0,
        Period::Month => 30.0,
    };
    Ok(Some(budget.bytes as f64 / days))
}

fn any_change(key: &'static str, text: Option<&str>) -> Result<Option<bool>, ConfigError> {
    match text {
        None => Ok(None),
        Some("text") => Ok(Some(false)),
        Some("any") => Ok(Some(true)),
        Some(other) => Err(value(
            key,
            other,
            "write text (nearly the same text is no change) or any (any other byte is one)",
        )),
    }
}

fn traps(text: Option<&str>) -> Result<bool, ConfigError> {
    match text {
        None | Some("avoid") => Ok(true),
        Some("ignore") => Ok(false),
        Some(other) => Err(value("traps", other, "write avoid or ignore")),
    }
}

fn sitemaps(text: Option<&str>) -> Result<Option<Sitemaps>, ConfigError> {
    match text {
        None => Ok(None),
        Some("robots") => Ok(Some(Sitemaps::Robots)),
        Some("auto") => Ok(Some(Sitemaps::Auto)),
        Some("off") => Ok(Some(Sitemaps::Off)),
        Some(other) => Err(value("sitemaps", other, "write robots, auto or off")),
    }
}

fn sitemap_urls(texts: Option<&[String]>) -> Result<Vec<Url>, ConfigError> {
    texts.unwrap_or_default().iter().map(|text| seed("sitemap", text)).collect()
}

fn factor(key: &'static str, number: Option<f64>) -> Result<Option<f64>, ConfigError> {
    match number {
        Some(number) if !(0.0..=100.0).contains(&number) => {
            Err(value(key, &number.to_string(), "write a number from 0 to 100"))
        }
        other => Ok(other),
    }
}

/// One thread fetches and parses several thousand pages a second; more than a few only wait.
fn useful_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    (cores / 2).clamp(1, 8)
}

fn seeds(settings: &Settings) -> Result<Vec<Url>, ConfigError> {
    let mut seeds = Vec::new();
    let of_sites = settings.site.iter().flatten().flat_map(|site| &site.urls);
    for text in settings.urls.iter().chain(of_sites).flatten() {
        seeds.push(seed("urls", text)?);
    }
    if let Some(path) = &settings.seeds {
        let text = std::fs::read_to_string(path)
            .map_err(|why| ConfigError::File { path: path.clone(), why })?;
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            seeds.push(seed("seeds", line)?);
        }
    }
    Ok(seeds)
}

/// A bare `example.com` is taken for `https://example.com`, as a browser would.
fn seed(key: &'static str, text: &str) -> Result<Url, ConfigError> {
    let bad = |why: String| ConfigError::Value {
        key,
        value: format!("{text:?}"),
        remedy: format!("no URL that can be crawled ({why}); write one like https://example.com/"),
    };
    let whole = if has_scheme(text) { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&whole).map_err(|why| bad(why.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(bad(format!("its scheme is {other}"))),
    }
}

/// `htp:/example.com` is a typing error and no host of that name; `localhost:8080` is a host.
fn has_scheme(text: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric());
    let is_port = |rest: &str| rest.starts_with(|it: char| it.is_ascii_digit());
    text.split_once(':').is_some_and(|(name, rest)| is_name(name) && !is_port(rest))
        || text.contains("://")
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
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        fetch.limits = fetch.limits.with_body(bytes);
    }
    if let Some(total) = duration("timeout", settings.timeout.as_deref())? {
        fetch.limits.total = total;
    }
    Ok(fetch)
}

fn scope(text: Option<&str>) -> Result<Scope, ConfigError> {
    match text {
        None | Some("site") => Ok(Scope::Site),
        Some("host") => Ok(Scope::Host),
        Some("any") => Ok(Scope::Any),
        Some(other) => Err(value("scope", other, "write host, site or any")),
    }
}

fn robots(text: Option<&str>) -> Result<Option<RobotsMode>, ConfigError> {
    match text {
        None => Ok(None),
        Some("obey") => Ok(Some(RobotsMode::Obey)),
        Some("ignore") => Ok(Some(RobotsMode::Ignore)),
        Some(other) => Err(value("robots", other, "write obey or ignore")),
    }
}

fn store(text: Option<&str>) -> Result<StoreChoice, ConfigError> {
    let Some(text) = text else { return Ok(StoreChoice { warc: true, parquet: true }) };
    let mut choice = StoreChoice { warc: false, parquet: false };
    for part in text.split(',').map(str::trim) {
        match part {
            "warc" => choice.warc = true,
            "parquet" => choice.parquet = true,
            "none" if text.trim() == "none" => {}
            _ => {
                return Err(value(
                    "store",
                    text,
                    "write warc, parquet, both with a comma, or none",
                ));
            }
        }
    }
    Ok(choice)
}

fn patterns(
    key: &'static str,
    texts: Option<Vec<String>>,
) -> Result<Option<RegexSet>, ConfigError> {
    let texts = texts.unwrap_or_default();
    for text in &texts {
        if let Err(why) = regex::Regex::new(text) {
            return Err(value(key, text, &format!("no regular expression: {why}")));
        }
    }
    let set = RegexSet::new(&texts).map_err(|why| value(key, "(all)", &why.to_string()))?;
    Ok((!texts.is_empty()).then_some(set))
}

fn size(key: &'static str, text: Option<&str>) -> Result<Option<u64>, ConfigError> {
    let size =
        text.map(|text| text.parse::<Size>().map_err(|why| value(key, text, &why.to_string())));
    Ok(size.transpose()?.map(|size| size.0))
}

fn duration(key: &'static str, text: Option<&str>) -> Result<Option<Duration>, ConfigError> {
    text.map(|text| parse_duration(text).map_err(|why| value(key, text, &why.to_string())))
        .transpose()
}

fn positive(
    key: &'static str,
    number: Option<usize>,
    default: usize,
) -> Result<usize, ConfigError> {
    match number {
        Some(0) => Err(value(key, "0", "write a number that is at least 1")),
        other => Ok(other.unwrap_or(default)),
    }
}

fn value(key: &'static str, text: &str, remedy: &str) -> ConfigError {
    ConfigError::Value { key, value: format!("{text:?}"), remedy: remedy.to_owned() }
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
        let cases: [(&str, &str, Change); 15] = [
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

    #[test]
    fn robots_txt_knows_us_by_the_name_in_the_user_agent() {
        let product = |agent: &str| config(|s| s.user_agent = Some(agent.into())).unwrap().product;
        assert_eq!(config(|_| {}).unwrap().product, "weir");
        assert_eq!(product("AcmeBot/2.0 (+https://acme.example/bot)"), "AcmeBot");
        assert_eq!(product("acme crawler"), "acme");
    }

    #[test]
    fn a_bare_name_is_a_seed() {
        let urls = ["example.com/x", "localhost:8080/y", "[::1]:80"].map(str::to_owned);
        let config = config(|s| s.urls = Some(urls.to_vec())).unwrap();
        let seeds: Vec<&str> = config.seeds.iter().map(Url::as_str).collect();
        assert_eq!(
            seeds,
            ["https://example.com/x", "https://localhost:8080/y", "https://[::1]:80/"]
        );
    }

    #[test]
    fn what_looks_like_a_scheme_is_one() {
        for text in ["htp:/example.com", "mailto:a@example.com", "ftp://example.com/"] {
            let why = config(|s| s.urls = Some(vec![text.into()])).unwrap_err();
            assert!(why.contains("its scheme is"), "{text}: {why}");
        }
    }
}
