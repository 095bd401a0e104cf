//! Progress on a terminal: a bar for the whole crawl and one for each of the sites that have most
//! left to do.

use std::collections::HashMap;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use weir_crawl::{Progress, SiteProgress};
use weir_types::Bandwidth;

use crate::show::intake::intake;
use crate::show::numbers::{Rate, grouped, of_known};
use crate::show::plain::{Troubles, nobody};
use crate::show::promises::{Promises, outlook, site_outlook};

pub struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    /// Says how many sites have no row, once there are any.
    more: Option<ProgressBar>,
    sites: HashMap<String, Row>,
    pages: Rate,
    troubles: Troubles,
    promises: Promises,
}

struct Row {
    bar: ProgressBar,
    bytes: Rate,
}

/// Rows that fit on a small terminal beside the totals.
const MOST_ROWS: usize = 12;

impl Bars {
    pub fn new(verbose: bool) -> Bars {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(5));
        let total = all.add(
            ProgressBar::new(0)
                .with_style(style("  {prefix:<22.bold} {bar:24.green/dim} {wide_msg}")),
        );
        total.set_prefix("all");
        Bars {
            all,
            total,
            more: None,
            sites: HashMap::new(),
            pages: Rate::default(),
            troubles: Troubles::new(verbose),
            promises: Promises::default(),
        }
    }

    pub fn show(&mut self, progress: &Progress) {
        for trouble in self.troubles.new_ones(progress) {
            // A terminal that cannot be written to is no reason to stop a crawl.
            if self.all.println(format!("  warning: {trouble}")).is_err() {
                break;
            }
        }
        for line in self.promises.new_ones(progress) {
            if self.all.println(format!("  {line}")).is_err() {
                break;
            }
        }
        self.show_sites(progress);
        let pages = self.pages.at(progress.elapsed, progress.pages);
        self.total.set_length(progress.known.max(1));
        self.total.set_position(progress.known - progress.waiting - progress.in_flight);
        let seconds = progress.elapsed.as_secs();
        // In front, since the end of a line may have no room.
        let nobody = nobody(progress).map(|why| format!("{why}  ")).unwrap_or_default();
        self.total.set_message(format!(
            "{nobody}{}  {}  {pages:.0}/s  {} failed  {}:{:02}{}{}",
            of_known(progress.pages, progress.known),
            intake(&progress.intake),
            grouped(progress.failed),
            seconds / 60,
            seconds % 60,
            outlook(progress),
            if progress.stopping { "  stopping" } else { "" },
        ));
    }

    pub fn end(&mut self) {
        self.sites.values().for_each(|row| row.bar.finish_and_clear());
        if let Some(more) = &self.more {
            more.finish_and_clear();
        }
        self.total.finish_and_clear();
    }

    /// Rows stay where they are once shown, so that the eye can follow one; a site that is done
    /// gives its row to one that is not.
    fn show_sites(&mut self, progress: &Progress) {
        let shown: HashMap<&str, &SiteProgress> =
            progress.sites.iter().map(|site| (site.site.as_str(), site)).collect();
        if progress.sites_in_all > MOST_ROWS {
            self.sites.retain(|name, row| {
                let busy = shown.get(name.as_str()).is_some_and(|site| site.done < site.known);
                if !busy {
                    row.bar.finish_and_clear();
                }
                busy
            });
        }
        for site in &progress.sites {
            let room = self.sites.len() < MOST_ROWS;
            if !self.sites.contains_key(&site.site) && room {
                let below = self.more.as_ref().unwrap_or(&self.total);
                let bar = self.all.insert_before(below, ProgressBar::new(0));
                bar.set_style(style("  {prefix:<22} {bar:24.cyan/dim} {wide_msg}"));
                bar.set_prefix(shortened(&site.site));
                self.sites.insert(site.site.clone(), Row { bar, bytes: Rate::default() });
            }
            if let Some(row) = self.sites.get_mut(&site.site) {
                row.show(site, progress);
            }
        }
        let hidden = progress.sites_in_all - self.sites.len();
        if hidden > 0 {
            let more = self.more.get_or_insert_with(|| {
                let bar = self.all.insert_before(&self.total, ProgressBar::new(0));
                bar.with_style(style("  {wide_msg:.dim}"))
            });
            more.set_message(format!("and {} more sites", grouped(hidden as u64)));
        }
    }
}

impl Row {
    fn show(&mut self, site: &SiteProgress, progress: &Progress) {
        let rate = self.bytes.at(progress.elapsed, site.bytes_wire);
        self.bar.set_length(site.known.max(1));
        self.bar.set_position(site.done);
        let failed = match site.failed {
            0 => String::new(),
            failed => format!("  {} failed", grouped(failed)),
        };
        self.bar.set_message(format!(
            "{}  {}{failed}{}",
            of_known(site.pages, site.known),
            Bandwidth(rate as u64),
            site_outlook(site),
        ));
    }
}

fn shortened(site: &str) -> String {
    match site.char_indices().nth(21) {
        Some((at, _)) => format!("{}…", &site[..at]),
        None => site.to_owned(),
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("the templates are fixed texts")
        .progress_chars("━╸─")
}
