use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{Array, Float64Array, RecordBatch, StringArray};
use weir_crawl::of_site;
use weir_plan::refresh::{Belief, Evidence, Prior};

use super::batch::{column, done, of, text};
use crate::TaskError;

/// What pages are like everywhere, step by step, by a sample of (changes, days).
pub fn everywhere(sample: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let pages: Vec<Evidence> =
        sample.iter().map(|&(changes, days)| Evidence { changes, days }).collect();
    let steps = weir_crawl::everywhere(Prior::default(), &pages);
    steps.iter().map(|prior| (prior.belief().changes, prior.belief().days)).collect()
}

/// Learns what the pages of each site are like. Rows come in the order of sites.
pub struct Sites {
    everywhere: Vec<Prior>,
    now: Option<Site>,
}

struct Site {
    name: String,
    pages: Vec<Evidence>,
}

/// Pages of a site that are looked at; more would tell the same, and take memory.
const MOST: usize = 200_000;

impl Sites {
    /// `steps` is what [`everywhere`] returned.
    pub fn new(steps: &[(f64, f64)]) -> Sites {
        let prior = |&(changes, days): &(f64, f64)| Prior::new(Belief { changes, days });
        Sites { everywhere: steps.iter().map(prior).collect(), now: None }
    }

    /// Returns what the pages of sites are like whose last row was among these, a row each.
    pub fn take(&mut self, rows: &RecordBatch) -> Result<RecordBatch, TaskError> {
        let site: &StringArray = column(rows, "site")?;
        let changes: &Float64Array = column(rows, "seen_changes")?;
        let days: &Float64Array = column(rows, "seen_days")?;
        let mut told = Told::default();
        for row in 0..site.len() {
            let name = text(site, row).unwrap_or_default();
            if self.now.as_ref().is_none_or(|site| site.name != name) {
                told.tell(self.now.take(), &self.everywhere);
            }
            let site =
                self.now.get_or_insert_with(|| Site { name: name.to_owned(), pages: Vec::new() });
            if site.pages.len() < MOST {
                site.pages.push(Evidence { changes: changes.value(row), days: days.value(row) });
            }
        }
        told.finish()
    }

    /// Of the last site.
    pub fn end(&mut self) -> Result<RecordBatch, TaskError> {
        let mut told = Told::default();
        told.tell(self.now.take(), &self.everywhere);
        told.finish()
    }
}

#[derive(Default)]
struct Told {
    site: StringBuilder,
    changes: Float64Builder,
    days: Float64Builder,
}

impl Told {
    fn tell(&mut self, site: Option<Site>, everywhere: &[Prior]) {
        let Some(Site { name, pages }) = site else { return };
        let prior = of_site(Prior::default(), &pages, everywhere);
        self.site.append_value(name);
        self.changes.append_value(prior.belief().changes);
        self.days.append_value(prior.belief().days);
    }

    fn finish(self) -> Result<RecordBatch, TaskError> {
        of(vec![
            ("site", done(self.site)),
            ("prior_changes", done(self.changes)),
            ("prior_days", done(self.days)),
        ])
    }
}
