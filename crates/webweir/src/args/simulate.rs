use std::path::PathBuf;

use clap::{ArgGroup, Args};
use weir_plan::Policy;

#[derive(Args)]
#[command(after_help = "Examples:
  weir simulate --figure list
  weir simulate --figure all --out figures
  weir simulate -c scenario.toml --policy deadline --policy edf --out runs
docs/simulate.md has the keys of a scenario, docs/reproduction.md the figures.")]
#[command(group(ArgGroup::new("what").required(true).args(["figure", "config"])))]
pub struct SimulateArgs {
    /// A figure of a paper, such as zhu-2 or diligenti-1; `all` makes all of them, `list` names them
    #[arg(long, value_name = "NAME")]
    pub figure: Option<String>,
    /// A web of your own, described in a file
    #[arg(short = 'c', long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Folder for CSV and SVG; without it nothing is written
    #[arg(short = 'o', long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Who gets how much, instead of the scenario's policies (repeatable)
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
