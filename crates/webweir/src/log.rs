//! A log for machines, beside what a person sees.

use std::io::stderr;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;

use crate::args::LogFormat;

/// Writes what happens to standard error, a line each; failures too if somebody wants more.
pub fn start(format: LogFormat, verbose: bool) {
    let level = if verbose { LevelFilter::DEBUG } else { LevelFilter::INFO };
    let lines = fmt().with_max_level(level).with_writer(stderr).with_target(false);
    match format {
        LogFormat::Text => lines.with_ansi(false).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
}
