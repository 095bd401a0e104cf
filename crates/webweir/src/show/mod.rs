//! What a user sees: bars on a terminal, lines elsewhere, and the words at the end.

mod bars;
mod intake;
mod numbers;
mod plain;
mod plan;
mod promises;
mod words;

use std::io::IsTerminal;

use clap::ValueEnum;
use weir_crawl::{Config, Progress, Settings};

use crate::args::{LogFormat, ProgressMode};
use crate::exit::WrongUse;
use crate::show::bars::Bars;
use crate::show::plain::{Json, Plain};

pub use numbers::grouped;
pub use plan::{plan, rate_unit, time_unit, verdict};
pub use words::{delivered, failed, kept_in, status, summary};

/// Of the terminal, or of a page.
pub fn width() -> usize {
    const PAGE: usize = 100;
    match std::io::stdout().is_terminal() {
        true => usize::from(console::Term::stdout().size().1).max(40),
        false => PAGE,
    }
}

pub struct Screen {
    mode: ProgressMode,
    view: View,
    quiet: bool,
    verbose: bool,
}

enum View {
    Bars(Bars),
    Plain(Plain),
    Json(Json),
    None,
}

impl Screen {
    /// As the settings say; begins the log, too, if there is to be one. Beside a log there is no progress, unless somebody
    /// asks for both, and there are no closing words: whoever reads it can count on each line being one of the log.
    pub fn of(settings: &Settings) -> Result<Screen, WrongUse> {
        let mode = chosen("progress", settings.progress.as_deref())?.unwrap_or_default();
        let log: Option<LogFormat> = chosen("log", settings.log.as_deref())?;
        let (quiet, verbose) = (settings.quiet == Some(true), settings.verbose == Some(true));
        if let Some(format) = log {
            crate::log::start(format, verbose);
        }
        Ok(match (log, mode) {
            (Some(_), ProgressMode::Auto) => Screen::new(ProgressMode::None, true, verbose),
            _ => Screen::new(mode, quiet, verbose),
        })
    }

    pub fn new(mode: ProgressMode, quiet: bool, verbose: bool) -> Screen {
        let terminal = std::io::stderr().is_terminal();
        let mode = match mode {
            _ if quiet => ProgressMode::None,
            ProgressMode::Auto if terminal => ProgressMode::Bars,
            ProgressMode::Auto => ProgressMode::Plain,
            other => other,
        };
        Screen { mode, view: View::None, quiet, verbose }
    }

    pub fn has_bars(&self) -> bool {
        self.mode == ProgressMode::Bars
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub fn begin(&mut self, config: &Config) {
        self.start(config, &words::beginning(config));
    }

    pub fn begin_plan(&mut self, config: &Config) {
        self.start(config, &words::planning(config));
    }

    fn start(&mut self, config: &Config, words: &str) {
        if matches!(self.mode, ProgressMode::Bars | ProgressMode::Plain) {
            eprintln!("{words}");
            config.notices.iter().for_each(|notice| eprintln!("  note: {notice}"));
        }
        // Only now: bars draw themselves, and words among them would leave traces.
        self.view = match self.mode {
            ProgressMode::Bars => View::Bars(Bars::new(self.verbose)),
            ProgressMode::Plain => View::Plain(Plain::new(self.verbose)),
            ProgressMode::Json => View::Json(Json::default()),
            ProgressMode::Auto | ProgressMode::None => View::None,
        };
    }

    pub fn show(&mut self, progress: &Progress) {
        match &mut self.view {
            View::Bars(bars) => bars.show(progress),
            View::Plain(plain) => plain.show(progress),
            View::Json(json) => json.show(progress),
            View::None => {}
        }
    }

    pub fn end(&mut self) {
        if let View::Bars(bars) = &mut self.view {
            bars.end();
        }
    }
}

/// Which of its words a key has.
fn chosen<T: ValueEnum>(key: &str, text: Option<&str>) -> Result<Option<T>, WrongUse> {
    let Some(text) = text else { return Ok(None) };
    T::from_str(text, false).map(Some).map_err(|_| {
        let words = T::value_variants().iter().filter_map(T::to_possible_value);
        let words: Vec<_> = words.map(|word| format!("{:?}", word.get_name())).collect();
        WrongUse(format!("{key} = {text:?}: write one of {}", words.join(", ")))
    })
}
