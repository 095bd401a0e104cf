use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use weir_plan::Policy;
use weir_types::Bandwidth;

#[derive(Args)]
#[command(after_help = "Examples:
  weir simulate --figure list
  weir simulate --figure all --out figures
  weir simulate -c scenario.toml --policy deadline --policy edf --out runs
  weir simulate --replay weir-out --limit 2MB/s
docs/simulate.md has the keys of a scenario, docs/reproduction.md the figures.")]
#[command(group(ArgGroup::new("what").required(true).args(["figure", "config", "replay"])))]
pub struct SimulateArgs {
    /// A figure of a paper, such as zhu-2 or diligenti-1, or `recrawl`; `all` makes all of the papers,
    /// `list` names them
    #[arg(long, value_name = "NAME")]
    pub figure: Option<String>,
    /// A web of your own, described in a file
    #[arg(short = 'c', long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// A crawl that was made: the folder that `weir crawl -o` wrote to
    #[arg(long, value_name = "DIR")]
    pub replay: Option<PathBuf>,
    /// With --replay: what if the limit had been this, such as 2MB/s [default: as it was]
    #[arg(long, value_name = "RATE", conflicts_with_all = ["figure", "config"], allow_hyphen_values = true)]
    pub limit: Option<Bandwidth>,
    /// With --replay: sites crawled at a time, at the most
    #[arg(long, value_name = "M", conflicts_with_all = ["figure", "config"])]
    pub max_sites: Option<NonZeroUsize>,
    /// Folder for CSV and SVG; without it nothing is written
    #[arg(short = 'o', long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Who gets how much, instead of the scenario's policies; of a replay, instead of deadline, edf
    /// and fair (repeatable)
    #[arg(long, value_name = "NAME", value_parser = super::allocate::policy, conflicts_with = "figure")]
    pub policy: Vec<Policy>,
    /// The first seed, instead of the scenario's
    #[arg(long, value_name = "N", conflicts_with = "figure")]
    pub seed: Option<u64>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// Say nothing but the result
    #[arg(short = 'q', long)]
    pub quiet: bool,
}
