use std::path::PathBuf;

use clap::ArgAction;
use weir_crawl::Settings;

use super::{LogFormat, ProgressMode, word};

#[derive(clap::Args, Clone)]
#[command(
    after_help = "SIGHUP reads weir.toml again; SIGTERM and Ctrl-C finish what is under way and end it. \
    Start it again and it goes on."
)]
pub struct ServeArgs {
    /// The settings (see `weir init`); sites with `every` are crawled again and again
    #[arg(short = 'c', long, value_name = "FILE")]
    pub config: PathBuf,
    /// Folder for everything that is kept [default: weir-out]
    #[arg(short = 'o', long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where the page, the API and the metrics are served [default: 127.0.0.1:8710]
    #[arg(long, value_name = "ADDR")]
    pub dashboard: Option<String>,
    /// How to show progress [default: auto]
    #[arg(long, value_name = "HOW", value_enum)]
    pub progress: Option<ProgressMode>,
    /// Write what happens to standard error, a line each: text or json; instead of progress, unless that is asked for too
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub log: Option<LogFormat>,
    /// Say nothing but errors
    #[arg(short = 'q', long)]
    pub quiet: bool,
    /// Say more: every failure as it happens
    #[arg(short = 'v', long, action = ArgAction::Count)]
    pub verbose: u8,
}

impl ServeArgs {
    /// What was typed, without what was not.
    pub fn settings(&self) -> Settings {
        Settings {
            out: self.out.clone(),
            dashboard: self.dashboard.clone().map(Into::into),
            progress: word(self.progress),
            log: word(self.log),
            quiet: self.quiet.then_some(true),
            verbose: (self.verbose > 0).then_some(true),
            ..Settings::default()
        }
    }
}
