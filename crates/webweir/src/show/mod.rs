//! What a user sees: bars on a terminal, lines elsewhere, and the words at the end.

mod bars;
mod numbers;
mod plain;
mod words;

use std::io::IsTerminal;

use weir_crawl::{Config, Progress};

use crate::args::ProgressMode;
use crate::show::bars::Bars;
use crate::show::plain::{Json, Plain};

pub use words::{status, summary};

pub struct Screen {
    view: View,
    quiet: bool,
}

enum View {
    Bars(Bars),
    Plain(Plain),
    Json(Json),
    None,
}

impl Screen {
    pub fn new(mode: ProgressMode, quiet: bool, verbose: u8) -> Screen {
        let terminal = std::io::stderr().is_terminal();
        let view = match mode {
            _ if quiet => View::None,
            ProgressMode::None => View::None,
            ProgressMode::Json => View::Json(Json::default()),
            ProgressMode::Bars => View::Bars(Bars::new(verbose)),
            ProgressMode::Auto if terminal => View::Bars(Bars::new(verbose)),
            ProgressMode::Auto | ProgressMode::Plain => View::Plain(Plain::new(verbose)),
        };
        Screen { view, quiet }
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub fn begin(&self, config: &Config) {
        if matches!(self.view, View::Bars(_) | View::Plain(_)) {
            eprintln!("{}", words::beginning(config));
        }
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
