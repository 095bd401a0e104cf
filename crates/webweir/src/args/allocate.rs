use std::path::PathBuf;

use clap::{Args, ValueEnum};
use weir_plan::{Goal, Policy};

#[derive(Args)]
#[command(after_help = "Examples:
  echo '{\"U\":100,\"sites\":[{\"D\":400,\"deadline\":5},{\"D\":600}]}' | weir allocate
  weir allocate problems.json --policy m-sumt --no-plan
Sizes, rates and times are in any units that agree; deadline 0 is none; docs/allocate.md has all
fields, docs/policies.md the policies.")]
pub struct AllocateArgs {
    /// A problem, a list of them, or a file of instances, as JSON; `-` reads standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    /// Who gets how much: deadline, edf, fair, min-late, stretch; the paper's m-maxt, m-sumt, m-stet,
    /// m-stet-pure, m-auto, realloc-maxt, realloc-sumt; its baselines pro-bandwidth, pro-data, random,
    /// ga, de, alloc-once-maxt, alloc-once-sumt, realloc-probandwidth, realloc-prodata
    #[arg(long, value_name = "NAME", default_value = "deadline", value_parser = policy)]
    pub policy: Policy,
    /// What to aim at once deadlines are kept (policy deadline)
    #[arg(long, value_name = "GOAL", default_value = "sum")]
    pub goal: Aim,
    /// For the policies that throw dice: random, ga, de
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Leave out who gets what rate from when to when
    #[arg(long)]
    pub no_plan: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Aim {
    /// The least sum of finish times
    Sum,
    /// The earliest finish of the last site
    Last,
}

impl From<Aim> for Goal {
    fn from(aim: Aim) -> Goal {
        match aim {
            Aim::Sum => Goal::Sum,
            Aim::Last => Goal::Last,
        }
    }
}

pub(super) fn policy(name: &str) -> Result<Policy, String> {
    name.parse::<Policy>().map_err(|why| why.to_string())
}
