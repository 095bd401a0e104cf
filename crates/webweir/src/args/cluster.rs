use std::path::PathBuf;

use clap::Subcommand;
use weir_crawl::{ConfigError, Settings};

use super::{CrawlArgs, OutletArgs, over_file};

#[derive(clap::Args)]
#[command(
    after_help = "Downloaders join with `weir downloader --scheduler URL`, at any time; each has --slots of its own.\n\
    Pages are kept where they are fetched: give --sink and --store-to to the downloaders.\n\
    Exit codes: as those of `weir crawl`; 4 also if a downloader has pages it has not stored yet.\n\
    A downloader that is lost with its folder: --write-off NAME, once, and others fetch what it had.\n\
    More: docs/cluster.md"
)]
pub struct SchedulerArgs {
    #[command(flatten)]
    pub crawl: CrawlArgs,
    /// Where to wait for downloaders [default: 127.0.0.1:7700]
    #[arg(long, value_name = "ADDR", help_heading = "Several processes")]
    pub listen: Option<String>,
    /// Folder with the keys of this cluster (see `weir cluster init`); needed beyond this machine
    #[arg(long, value_name = "DIR", help_heading = "Several processes")]
    pub keys: Option<PathBuf>,
}

impl SchedulerArgs {
    /// What was typed, over what the file says.
    pub fn read(&self) -> Result<Settings, ConfigError> {
        let (listen, keys) = (self.listen.clone(), self.keys.clone());
        let typed = Settings { listen, keys, ..self.crawl.settings() };
        over_file(typed, self.crawl.config.as_deref())
    }
}

#[derive(clap::Args)]
#[command(
    after_help = "A downloader needs no weir.toml: the scheduler tells it all but where pages go on to from its folder.\n\
    It may come and go at any time.\n\
    Exit codes: 0 the crawl is done, or it has left with all its pages stored; 1 could not go on;\n\
    2 wrong use; 4 pages wait for the scheduler, or for a sink: start it again with the same folder.\n\
    More: docs/cluster.md"
)]
pub struct DownloaderArgs {
    /// Where the scheduler is, such as https://scheduler.example:7700
    #[arg(long, value_name = "URL")]
    pub scheduler: String,
    /// Requests under way at a time
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub slots: usize,
    /// Folder for the pages; the same one each time it is started
    #[arg(short = 'o', long, value_name = "DIR", default_value = "weir-downloader")]
    pub out: PathBuf,
    /// Folder with the keys of the cluster, copied from the scheduler's machine; needed for https
    #[arg(long, value_name = "DIR")]
    pub keys: Option<PathBuf>,
    /// What the scheduler shows it as [default: the name of this machine]
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    #[command(flatten)]
    pub outlets: OutletArgs,
    /// Say nothing but errors
    #[arg(short = 'q', long)]
    pub quiet: bool,
    /// It ends with the process that started it
    #[arg(long, hide = true)]
    pub with_parent: bool,
}

#[derive(clap::Args)]
pub struct ClusterArgs {
    #[command(subcommand)]
    pub command: ClusterCommand,
}

#[derive(Subcommand)]
pub enum ClusterCommand {
    /// Make the keys of a new cluster; copy the folder to each of its machines
    Init(InitKeysArgs),
    /// Make the keys of one more downloader, of a cluster whose ca.key was kept
    Add(AddKeysArgs),
}

#[derive(clap::Args)]
pub struct InitKeysArgs {
    /// Folder for the keys
    #[arg(long, value_name = "DIR", default_value = "keys")]
    pub keys: PathBuf,
    /// A name or an address by which downloaders reach the scheduler (repeatable); without one only
    /// this machine can call it
    #[arg(long = "name", value_name = "HOST")]
    pub names: Vec<String>,
    /// Replace keys that are there
    #[arg(long)]
    pub force: bool,
    /// Keep the authority's own key as ca.key, which can let anybody in: copy it to no other machine
    #[arg(long)]
    pub keep_ca_key: bool,
}

#[derive(clap::Args)]
#[command(
    after_help = "It needs ca.key, which `weir cluster init --keep-ca-key` keeps. The folder DIR/NAME has all that\n\
    the downloader needs, and nothing by which it could pose as the scheduler.\n\
    More: docs/cluster.md"
)]
pub struct AddKeysArgs {
    /// The machine of the downloader; its keys are made in a folder of this name
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<String>,
    /// Folder with the keys of the cluster
    #[arg(long, value_name = "DIR", default_value = "keys")]
    pub keys: PathBuf,
    /// Replace keys that are there
    #[arg(long)]
    pub force: bool,
}
