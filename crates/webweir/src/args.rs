//! What can be typed. A flag has the same meaning in every command, and is a key of the same name
//! in `weir.toml` if the command reads one.

mod allocate;
mod cluster;
mod export;
mod inspect;
mod outlets;
mod packaged;
mod serve;
mod simulate;

use std::path::{Path, PathBuf};

use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use weir_crawl::{Config, ConfigError, Settings};

use crate::exit::Exit;
use crate::version::VERSION;

pub use allocate::AllocateArgs;
pub use cluster::{
    AddKeysArgs, ClusterArgs, ClusterCommand, DownloaderArgs, InitKeysArgs, SchedulerArgs,
};
pub use export::ExportArgs;
pub use inspect::{Inspect, InspectArgs, PageArgs, RobotsArgs, SitemapArgs, UrlArgs};
pub use outlets::OutletArgs;
pub use packaged::{CompletionsArgs, ManArgs};
pub use serve::ServeArgs;
pub use simulate::SimulateArgs;

/// A web crawler that keeps its word.
///
/// Start with `weir demo`, or crawl a site of your own: weir crawl https://example.com/
#[derive(Parser)]
#[command(name = "weir", version = VERSION, propagate_version = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Crawl from URLs to WARC and Parquet; run it again to go on where it stopped
    Crawl(Box<CrawlArgs>),
    /// Say which deadlines hold before crawling: sizes, finish times, the least limit
    Plan(Box<PlanArgs>),
    /// Say what a crawl is doing, or did
    Status(StatusArgs),
    /// Say what became of one URL, and why
    Why(WhyArgs),
    /// Hand over what a crawl has kept: Parquet, JSON lines, CSV, SQLite or PostgreSQL
    Export(ExportArgs),
    /// Say who gets how much bandwidth, for a problem given as JSON
    Allocate(AllocateArgs),
    /// Say how weir reads a URL, a robots.txt, a sitemap or a page
    Inspect(InspectArgs),
    /// Run policies in virtual time: the papers' figures, a web of your own, or a crawl once more
    Simulate(SimulateArgs),
    /// Write a commented weir.toml to start from
    Init(InitArgs),
    /// Crawl a small web made on this machine, to see it work
    Demo(DemoArgs),
    /// The deciding half of a crawl; downloaders on other machines fetch for it
    Scheduler(Box<SchedulerArgs>),
    /// The working half of a crawl: fetches and keeps what a scheduler asks for
    Downloader(DownloaderArgs),
    /// Keys for a scheduler and its downloaders
    Cluster(ClusterArgs),
    /// Stay: crawl recurring sites when they are due, with a dashboard, an API and metrics
    Serve(ServeArgs),
    /// Print what makes a shell complete commands and flags
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 all deadlines hold, 1 could not go on (a site nobody knows does not \
    answer), 2 wrong use, 3 a deadline does not hold, 4 stopped before there was a plan"
)]
pub struct PlanArgs {
    #[command(flatten)]
    pub crawl: CrawlArgs,
    /// Print plan.json instead of words
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Default)]
#[command(after_help = Exit::told())]
pub struct CrawlArgs {
    /// Where to start
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// Settings from a file (see `weir init`)
    #[arg(short = 'c', long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Folder for everything that is kept [default: weir-out]
    #[arg(short = 'o', long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// A file with one URL a line to start from
    #[arg(long, value_name = "FILE")]
    pub seeds: Option<PathBuf>,
    /// Throw away what is in the folder and begin anew (a plan throws nothing away: it is for such a beginning)
    #[arg(long)]
    pub fresh: bool,
    /// Do a crawl that is complete once more, asking only for what has changed since
    #[arg(long)]
    pub recrawl: bool,
    /// Bytes a day for coming back, such as 200MB/day: only pages that are worth it, and new ones
    #[arg(long, value_name = "SIZE/DAY")]
    pub freshness: Option<String>,
    /// What counts as a change of a page: text (not another date or counter) or any [default: text]
    #[arg(long, value_name = "WHAT")]
    pub changes: Option<String>,
    /// How far to go: host, site or any [default: site]
    #[arg(long, value_name = "SCOPE", help_heading = "What to crawl")]
    pub scope: Option<String>,
    /// Links from a seed at the most
    #[arg(long, value_name = "N", help_heading = "What to crawl")]
    pub depth: Option<u32>,
    /// Stop after so many pages
    #[arg(long, value_name = "N", help_heading = "What to crawl")]
    pub max_pages: Option<u64>,
    /// Stop after so many bytes, such as 500MB
    #[arg(long, value_name = "SIZE", help_heading = "What to crawl")]
    pub max_bytes: Option<String>,
    /// Only URLs that match this regular expression (repeatable)
    #[arg(long, value_name = "RE", help_heading = "What to crawl")]
    pub include: Vec<String>,
    /// No URLs that match this regular expression (repeatable)
    #[arg(long, value_name = "RE", help_heading = "What to crawl")]
    pub exclude: Vec<String>,
    /// Images, style sheets and scripts too
    #[arg(long, help_heading = "What to crawl")]
    pub assets: bool,
    /// Requests under way at a time, over all hosts [default: 256]
    #[arg(long, value_name = "N", help_heading = "Pace")]
    pub concurrency: Option<usize>,
    /// Requests under way at a time to one host [default: 1]
    #[arg(long, value_name = "N", help_heading = "Pace")]
    pub per_host: Option<usize>,
    /// Pause between requests to one host, such as 500ms [default: 0s]
    #[arg(long, value_name = "DUR", help_heading = "Pace")]
    pub delay: Option<String>,
    /// Requests under way at a time to one server, whatever its names [default: as --per-host]
    #[arg(long, value_name = "N", help_heading = "Pace")]
    pub per_ip: Option<usize>,
    /// Pause between requests to one server, whatever its names [default: as --delay]
    #[arg(long, value_name = "DUR", help_heading = "Pace")]
    pub ip_delay: Option<String>,
    /// Pause after a slow answer, as a multiple of the time it took [default: 1]
    #[arg(long, value_name = "FACTOR", help_heading = "Pace")]
    pub slow_down: Option<f64>,
    /// What robots.txt says: obey or ignore [default: obey]
    #[arg(long, value_name = "MODE", help_heading = "Pace")]
    pub robots: Option<String>,
    /// Leave out hosts whose robots.txt asks for longer pauses [default: 5m]
    #[arg(long, value_name = "DUR", help_heading = "Pace")]
    pub max_crawl_delay: Option<String>,
    /// Links marked rel=nofollow: obey or ignore [default: ignore]
    #[arg(long, value_name = "MODE", help_heading = "What to crawl")]
    pub nofollow: Option<String>,
    /// Sitemaps to read: robots (those it names), auto (/sitemap.xml too), off [default: robots]
    #[arg(long, value_name = "MODE", help_heading = "What to crawl")]
    pub sitemaps: Option<String>,
    /// Read this sitemap too (repeatable)
    #[arg(long, value_name = "URL", help_heading = "What to crawl")]
    pub sitemap: Vec<String>,
    /// Pages without end and nothing new on them: avoid or ignore [default: avoid]
    #[arg(long, value_name = "MODE", help_heading = "What to crawl")]
    pub traps: Option<String>,
    /// Leave this parameter out of URLs (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "What to crawl")]
    pub strip: Vec<String>,
    /// Highest bandwidth of all sites together, such as 2MB/s, or none [default: none]
    #[arg(long, value_name = "RATE", help_heading = "Bandwidth", allow_hyphen_values = true)]
    pub limit: Option<String>,
    /// Bytes a day or a month that are never exceeded, such as 2GB/day (repeatable)
    #[arg(long, value_name = "SIZE/PERIOD", help_heading = "Bandwidth")]
    pub budget: Vec<String>,
    /// How the limit is kept: shape, predict or feedback [default: shape]
    #[arg(long, value_name = "NAME", help_heading = "Bandwidth")]
    pub admission: Option<String>,
    /// With --admission predict: how many waiting URLs are tried for one that fits [default: 6]
    #[arg(long, value_name = "N", help_heading = "Bandwidth")]
    pub admission_depth: Option<usize>,
    /// Time zone of limits and budgets, such as Europe/Berlin [default: this machine's]
    #[arg(long, value_name = "ZONE", help_heading = "Bandwidth")]
    pub time_zone: Option<String>,
    /// Days on which servers are as on Sundays, such as 2026-12-25 or 12-25 (repeatable)
    #[arg(long, value_name = "DATE", value_delimiter = ',', help_heading = "Bandwidth")]
    pub holidays: Vec<String>,
    /// How long each site may take, such as 30m: those of the typed URLs, or without any those that have no time of their own
    #[arg(long, value_name = "DUR", help_heading = "Deadlines", conflicts_with = "by")]
    pub within: Option<String>,
    /// When each site is to be done: 18:00 (the next one), or 2026-11-20T18:00:00Z
    #[arg(long, value_name = "TIME", help_heading = "Deadlines")]
    pub by: Option<String>,
    /// How bandwidth is shared: deadline, edf, fair, realloc-maxt, ... [default: deadline]
    #[arg(long, value_name = "NAME", help_heading = "Deadlines")]
    pub policy: Option<String>,
    /// Sites crawled at a time, at the most
    #[arg(long, value_name = "M", help_heading = "Deadlines")]
    pub max_sites: Option<usize>,
    /// Stay, and begin the rounds of sites that have `every` when they are due, until Ctrl-C
    #[arg(long, help_heading = "Deadlines")]
    pub repeat: bool,
    /// Pages of a site nobody knows that tell how much it has [default: 10]
    #[arg(long, value_name = "N", help_heading = "Deadlines")]
    pub sample: Option<u64>,
    /// What `weir plan` may fetch for all samples together [default: 50MB]
    #[arg(long, value_name = "SIZE", help_heading = "Deadlines")]
    pub sample_bytes: Option<String>,
    /// Private, loopback and link-local addresses are allowed
    #[arg(long, help_heading = "Fetching")]
    pub allow_private: bool,
    /// Use this address for a host, as curl does (repeatable)
    #[arg(long, value_name = "HOST:PORT:ADDR", help_heading = "Fetching")]
    pub resolve: Vec<String>,
    /// Who we say we are [default: weir/VERSION]
    #[arg(long, value_name = "TEXT", help_heading = "Fetching")]
    pub user_agent: Option<String>,
    /// Certificates to trust besides the system's (PEM)
    #[arg(long, value_name = "FILE", help_heading = "Fetching")]
    pub ca_file: Option<PathBuf>,
    /// Cut longer bodies [default: 16MiB]
    #[arg(long, value_name = "SIZE", help_heading = "Fetching")]
    pub max_body: Option<String>,
    /// Time for one answer [default: 5m]
    #[arg(long, value_name = "DUR", help_heading = "Fetching")]
    pub timeout: Option<String>,
    /// Threads that fetch and parse
    #[arg(long, value_name = "N", help_heading = "Fetching")]
    pub threads: Option<usize>,
    /// What to keep: warc, parquet, both, or none [default: warc,parquet]
    #[arg(long, value_name = "LIST", help_heading = "Output")]
    pub store: Option<String>,
    /// What rows have of a page: none, attributes, text or markdown [default: text]
    #[arg(long, value_name = "WHAT", help_heading = "Output")]
    pub content: Option<String>,
    /// Which pages become rows, such as 'lang == "en" and published >= now - 7d'
    #[arg(long, value_name = "RULE", help_heading = "Output")]
    pub keep: Option<String>,
    /// Ask first for what promises to be about this topic of weir.toml
    #[arg(long, value_name = "TOPIC", help_heading = "What to crawl")]
    pub focus: Option<String>,
    /// Write the report here too
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub outlets: OutletArgs,
    /// Start so many downloaders on this machine and have them fetch
    #[arg(long, value_name = "N", help_heading = "Several processes")]
    pub downloaders: Option<usize>,
    /// Requests under way at a time in each downloader [default: 20]
    #[arg(long, value_name = "N", help_heading = "Several processes")]
    pub slots: Option<usize>,
    /// Which downloader gets a URL: host-affine or shortest-queue [default: host-affine]
    #[arg(long, value_name = "HOW", help_heading = "Several processes")]
    pub dispatch: Option<String>,
    /// A downloader that never comes back, by its name or id: what it kept is fetched again (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Several processes", conflicts_with = "fresh")]
    pub write_off: Vec<String>,
    /// How to show progress [default: auto]
    #[arg(long, value_name = "HOW", value_enum, help_heading = "Output")]
    pub progress: Option<ProgressMode>,
    /// Serve a page with the crawl's state, an API and metrics [default place: 127.0.0.1:8710]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub dashboard: Option<String>,
    /// Write what happens to standard error, a line each: text or json; instead of progress, unless that is asked for too
    #[arg(long, value_name = "FORMAT", value_enum, help_heading = "Output")]
    pub log: Option<LogFormat>,
    /// Say nothing but errors
    #[arg(short = 'q', long, help_heading = "Output")]
    pub quiet: bool,
    /// Say more: every failure as it happens
    #[arg(short = 'v', long, action = ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// Bars on a terminal, plain lines elsewhere
    #[default]
    Auto,
    Bars,
    Plain,
    Json,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(clap::Args)]
pub struct StatusArgs {
    /// Folder of the crawl
    #[arg(short = 'o', long, value_name = "DIR", default_value = Config::OUT)]
    pub out: PathBuf,
    /// The whole report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct WhyArgs {
    /// The URL in question
    pub url: String,
    /// Folder of the crawl
    #[arg(short = 'o', long, value_name = "DIR", default_value = Config::OUT)]
    pub out: PathBuf,
}

#[derive(clap::Args)]
pub struct InitArgs {
    /// Where to write it
    #[arg(default_value = "weir.toml")]
    pub file: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
}

#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: those of `weir crawl`, but 0 although a deadline was missed: one is there for that"
)]
pub struct DemoArgs {
    /// Folder for what the demo crawls; an earlier demo there is replaced
    #[arg(short = 'o', long, value_name = "DIR", default_value = "weir-demo")]
    pub out: PathBuf,
    /// How to show progress
    #[arg(long, value_enum, default_value_t)]
    pub progress: ProgressMode,
    /// Crawl nothing: only serve the small web, for commands of yours, until Ctrl-C
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8700")]
    pub web: Option<u16>,
}

impl CrawlArgs {
    /// What was typed, over what the file says.
    pub fn read(&self) -> Result<Settings, ConfigError> {
        over_file(self.settings(), self.config.as_deref())
    }

    /// What was typed, without what was not.
    pub fn settings(&self) -> Settings {
        let outlets = self.outlets.outlets();
        let text = |item: &Option<String>| item.clone().map(Into::into);
        let values = |items: &Vec<String>| {
            list(items).map(|items| items.into_iter().map(Into::into).collect())
        };
        Settings {
            file: None,
            typed_due: None,
            urls: list(&self.urls),
            seeds: self.seeds.clone(),
            out: self.out.clone(),
            fresh: self.fresh.then_some(true),
            depth: self.depth,
            max_pages: self.max_pages,
            max_bytes: self.max_bytes.clone(),
            include: list(&self.include),
            exclude: list(&self.exclude),
            scope: self.scope.clone(),
            assets: self.assets.then_some(true),
            concurrency: self.concurrency,
            per_host: self.per_host,
            delay: self.delay.clone(),
            per_ip: self.per_ip,
            ip_delay: self.ip_delay.clone(),
            slow_down: self.slow_down,
            max_crawl_delay: self.max_crawl_delay.clone(),
            robots: self.robots.clone(),
            nofollow: self.nofollow.clone(),
            sitemaps: self.sitemaps.clone(),
            sitemap: list(&self.sitemap),
            traps: self.traps.clone(),
            strip: list(&self.strip),
            allow_private: self.allow_private.then_some(true),
            resolve: list(&self.resolve),
            user_agent: self.user_agent.clone(),
            ca_file: self.ca_file.clone(),
            max_body: self.max_body.clone(),
            timeout: self.timeout.clone(),
            store: self.store.clone(),
            content: self.content.clone(),
            keep: self.keep.clone(),
            focus: self.focus.clone(),
            topic: None,
            threads: self.threads,
            report: self.report.clone(),
            sink: outlets.sink,
            table: outlets.table,
            sink_wait: outlets.sink_wait,
            store_to: outlets.store_to,
            limit: text(&self.limit),
            budget: list(&self.budget).map(Into::into),
            time_zone: self.time_zone.clone(),
            holidays: values(&self.holidays),
            admission: self.admission.clone(),
            admission_depth: self.admission_depth,
            site: None,
            within: self.within.clone(),
            by: self.by.clone(),
            policy: self.policy.clone(),
            max_sites: self.max_sites,
            repeat: self.repeat.then_some(true),
            recrawl: self.recrawl.then_some(true),
            freshness: self.freshness.clone(),
            changes: self.changes.clone(),
            sample: self.sample,
            sample_bytes: self.sample_bytes.clone(),
            downloaders: self.downloaders,
            slots: self.slots,
            dispatch: self.dispatch.clone(),
            listen: None,
            keys: None,
            write_off: list(&self.write_off),
            progress: word(self.progress),
            log: word(self.log),
            quiet: self.quiet.then_some(true),
            verbose: (self.verbose > 0).then_some(true),
            dashboard: text(&self.dashboard),
            dashboard_token: None,
            dashboard_read_token: None,
        }
    }
}

fn over_file(typed: Settings, file: Option<&Path>) -> Result<Settings, ConfigError> {
    Ok(match file {
        Some(path) => typed.over(Settings::read(path)?),
        None => typed,
    })
}

/// The one of its words, as it stands in weir.toml.
fn word(value: Option<impl ValueEnum>) -> Option<String> {
    value?.to_possible_value().map(|value| value.get_name().to_owned())
}

/// What was not written leaves weir.toml its say.
fn list(items: &[String]) -> Option<Vec<String>> {
    (!items.is_empty()).then(|| items.to_vec())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_are_well_formed() {
        Args::command().debug_assert();
    }

    /// Of the commands that read weir.toml, but for where it is and in which form a plan is printed.
    #[test]
    fn every_flag_of_a_crawl_is_a_key_of_the_same_name() {
        let why = toml::from_str::<Settings>("no-such-key = 1").unwrap_err().to_string();
        let mut weir = Args::command();
        weir.build();
        for command in ["crawl", "plan", "scheduler", "serve"] {
            let flags = weir.find_subcommand(command).unwrap().get_arguments();
            let flags = flags.filter_map(|flag| flag.get_long());
            let not_keys = ["config", "json", "help", "version"];
            for flag in flags.filter(|flag| !not_keys.contains(flag)) {
                assert!(why.contains(&format!("`{flag}`")), "weir {command} --{flag}");
            }
        }
    }
}
