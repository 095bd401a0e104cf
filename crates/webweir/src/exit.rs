use std::process::ExitCode;

use weir_cluster::{ClusterError, KeysError};
use weir_crawl::{ConfigError, CrawlError};
use weir_store::{ExportError, SinkError};

/// What the command tells a script; the numbers are part of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    CouldNotGoOn = 1,
    WrongUse = 2,
    /// Done, but a deadline was missed; or, of a plan, one will be.
    Late = 3,
    /// Stopped early, and running the same command again goes on.
    Resumable = 4,
}

impl Exit {
    pub const ALL: [Exit; 5] =
        [Exit::Done, Exit::CouldNotGoOn, Exit::WrongUse, Exit::Late, Exit::Resumable];

    /// What it means of a crawl. Commands for which it means something else say so in their help.
    pub fn meaning(self) -> &'static str {
        match self {
            Exit::Done => "done",
            Exit::CouldNotGoOn => "could not go on",
            Exit::WrongUse => "wrong use",
            Exit::Late => "done but a deadline was missed",
            Exit::Resumable => "stopped early and can go on",
        }
    }

    /// All of them, for help.
    pub fn told() -> String {
        let codes = Exit::ALL.map(|exit| format!("{} {}", exit as u8, exit.meaning()));
        format!("Exit codes: {}", codes.join(", "))
    }

    pub fn of(why: &anyhow::Error) -> Exit {
        let config = why.downcast_ref::<ConfigError>().is_some()
            || matches!(
                why.downcast_ref::<CrawlError>(),
                Some(
                    CrawlError::Config(_)
                        | CrawlError::Setup(_)
                        | CrawlError::Sink(SinkError::Refused { .. })
                )
            )
            || matches!(
                why.downcast_ref::<ExportError>(),
                Some(ExportError::Sink(SinkError::Refused { .. }))
            )
            || is_wrong_use_of_cluster(why)
            || why.downcast_ref::<WrongUse>().is_some();
        if config { Exit::WrongUse } else { Exit::CouldNotGoOn }
    }
}

fn is_wrong_use_of_cluster(why: &anyhow::Error) -> bool {
    match why.downcast_ref::<ClusterError>() {
        Some(
            ClusterError::Config(_)
            | ClusterError::Keys(_)
            | ClusterError::Sink(SinkError::Refused { .. }),
        ) => true,
        Some(ClusterError::Crawl(why)) => {
            matches!(why, CrawlError::Config(_) | CrawlError::Setup(_))
        }
        _ => why.downcast_ref::<KeysError>().is_some(),
    }
}

/// Whoever reads our output may have seen enough, as `| head` does: that is no failure.
pub fn unless_reader_left(done: anyhow::Result<()>) -> anyhow::Result<Exit> {
    let left = |why: &std::io::Error| why.kind() == std::io::ErrorKind::BrokenPipe;
    match done {
        Err(why) if why.downcast_ref().is_some_and(left) => Ok(Exit::Done),
        other => other.map(|()| Exit::Done),
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// What was typed cannot be done as it stands.
#[derive(Debug)]
pub struct WrongUse(pub String);

impl std::fmt::Display for WrongUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUse {}
