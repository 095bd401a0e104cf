//! Progress for logs and pipes.

use std::time::Duration;

use serde_json::json;
use weir_crawl::{Progress, moment};
use weir_types::show_duration;

use crate::show::intake::intake;
use crate::show::numbers::{Rate, grouped, of_known};
use crate::show::promises::{Promises, outlook};

/// A line every few seconds.
pub struct Plain {
    next: Duration,
    pages: Rate,
    troubles: Troubles,
    promises: Promises,
}

const FIRST: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_secs(5);

impl Plain {
    pub fn new(verbose: bool) -> Plain {
        Plain {
            next: FIRST,
            pages: Rate::default(),
            troubles: Troubles::new(verbose),
            promises: Promises::default(),
        }
    }

    pub fn show(&mut self, progress: &Progress) {
        for trouble in self.troubles.new_ones(progress) {
            eprintln!("warning: {trouble}");
        }
        for line in self.promises.new_ones(progress) {
            eprintln!("{line}");
        }
        let pages = self.pages.at(progress.elapsed, progress.pages);
        if progress.elapsed < self.next {
            return;
        }
        self.next = progress.elapsed + EVERY;
        eprintln!(
            "{:>6}  {}, {} waiting, {pages:.0} pages/s, {}, {} failed{}{}",
            show_duration(Duration::from_secs(progress.elapsed.as_secs())),
            of_known(progress.pages, progress.known),
            grouped(progress.waiting),
            intake(&progress.intake),
            grouped(progress.failed),
            hands(progress),
            outlook(progress),
        );
    }
}

/// Who fetches, if it is not this process.
fn hands(progress: &Progress) -> String {
    if let Some(nobody) = nobody(progress) {
        return format!(", {nobody}");
    }
    let there = progress.downloaders.iter().filter(|one| !one.written_off);
    let (all, connected) = (there.clone().count(), there.filter(|one| one.connected).count());
    match all {
        0 => String::new(),
        _ => format!(", {connected} of {all} downloaders"),
    }
}

/// Why nothing happens, if that is for want of downloaders.
pub fn nobody(progress: &Progress) -> Option<&'static str> {
    let there_were = progress.downloaders.iter().any(|one| !one.written_off);
    let words = if there_were { "no downloader is connected" } else { "waiting for downloaders" };
    progress.has_nobody.then_some(words)
}

/// A line of JSON a second, on standard output.
#[derive(Default)]
pub struct Json {
    next: Duration,
    pages: Rate,
}

impl Json {
    pub fn show(&mut self, progress: &Progress) {
        let pages = self.pages.at(progress.elapsed, progress.pages);
        if progress.elapsed < self.next {
            return;
        }
        self.next = progress.elapsed + Duration::from_secs(1);
        let line = json!({
            "elapsed_s": progress.elapsed.as_secs_f64(),
            "pages": progress.pages,
            "urls_known": progress.known,
            "urls_waiting": progress.waiting,
            "in_flight": progress.in_flight,
            "failed": progress.failed,
            "bytes_wire": progress.bytes_wire,
            "pages_per_s": pages,
            "rate": progress.intake.rate,
            "limit": progress.intake.limit.cap(),
            "predicted_finish": progress.finish.map(|span| span.expected.to_string()),
            "deadlines": progress.deadlines,
            "late": progress.late,
            "next_round": progress.next_round.map(|at| at.to_string()),
            "downloaders": progress.downloaders,
            "paused_until": progress.intake.paused_until.as_ref().map(moment),
        });
        println!("{line}");
    }
}

/// Which failures were not shown yet. Without `-v` only the first few are, since a broken site
/// can have thousands.
pub struct Troubles {
    seen: u64,
    left: u64,
}

impl Troubles {
    pub fn new(verbose: bool) -> Troubles {
        Troubles { seen: 0, left: if verbose { u64::MAX } else { 10 } }
    }

    pub fn new_ones(&mut self, progress: &Progress) -> Vec<String> {
        let fresh = progress.troubles_in_all - self.seen;
        self.seen = progress.troubles_in_all;
        let kept = progress.troubles.len() as u64;
        let shown = fresh.min(kept).min(self.left);
        self.left -= shown;
        let mut lines: Vec<String> =
            progress.troubles[(kept - fresh.min(kept)) as usize..].to_vec();
        lines.truncate(shown as usize);
        if shown > 0 && self.left == 0 {
            lines.push("more failures are not shown; -v shows them all".to_owned());
        }
        lines
    }
}
