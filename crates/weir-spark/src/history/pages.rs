use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, StringBuilder,
};
use arrow_array::{Array, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray};
use weir_crawl::{Config, HandedOn, Learnt, Summary, VisitRow};

use super::batch::{column, done, of, signed, text, unsigned};
use crate::TaskError;

/// Learns from the visits of pages. Rows come in the order of pages, and those of a page from the first visit
/// to the last.
pub struct Pages {
    config: Config,
    now: Option<Page>,
}

/// The page whose rows are coming.
struct Page {
    url: String,
    site: String,
    is_seed: bool,
    learnt: Learnt,
}

impl Pages {
    /// The settings say what a change is.
    pub fn new(settings: &HandedOn) -> Result<Pages, TaskError> {
        // Nothing is asked for here, so nobody's certificates are needed.
        let plain = HandedOn { roots: None, settings: settings.settings.clone() };
        Ok(Pages { config: plain.part_config(".".as_ref())?, now: None })
    }

    /// Returns what is learnt of pages whose last row was among these, a row each.
    pub fn take(&mut self, rows: &RecordBatch) -> Result<RecordBatch, TaskError> {
        let rows = Rows::of(rows)?;
        let mut told = Told::default();
        for row in 0..rows.url.len() {
            let url = rows.url.value(row);
            if self.now.as_ref().is_none_or(|page| page.url != url) {
                told.tell(self.now.take());
            }
            let page = self.now.get_or_insert_with(|| {
                let site = text(rows.site, row).unwrap_or_default();
                let learnt = Learnt::new(&self.config, site, url);
                Page { url: url.to_owned(), site: site.to_owned(), is_seed: false, learnt }
            });
            page.is_seed |= rows.is_seed.value(row);
            page.learnt.see(&rows.visit(row));
        }
        told.finish()
    }

    /// Of the last page.
    pub fn end(&mut self) -> Result<RecordBatch, TaskError> {
        let mut told = Told::default();
        told.tell(self.now.take());
        told.finish()
    }
}

struct Rows<'a> {
    url: &'a StringArray,
    site: &'a StringArray,
    is_seed: &'a BooleanArray,
    at_ms: &'a Int64Array,
    status: &'a Int32Array,
    bytes: &'a Int64Array,
    digest: &'a StringArray,
    etag: &'a StringArray,
    last_modified: &'a StringArray,
    text: &'a Int64Array,
    fields: &'a StringArray,
    final_url: &'a StringArray,
}

impl<'a> Rows<'a> {
    fn of(rows: &'a RecordBatch) -> Result<Rows<'a>, TaskError> {
        Ok(Rows {
            url: column(rows, "url")?,
            site: column(rows, "site")?,
            is_seed: column(rows, "is_seed")?,
            at_ms: column(rows, "at_ms")?,
            status: column(rows, "status")?,
            bytes: column(rows, "bytes")?,
            digest: column(rows, "digest")?,
            etag: column(rows, "etag")?,
            last_modified: column(rows, "last_modified")?,
            text: column(rows, "text")?,
            fields: column(rows, "fields")?,
            final_url: column(rows, "final_url")?,
        })
    }

    fn visit(&self, row: usize) -> VisitRow<'a> {
        VisitRow {
            at_ms: unsigned(self.at_ms.value(row)),
            status: u16::try_from(self.status.value(row)).unwrap_or(0),
            bytes: unsigned(self.bytes.value(row)),
            digest: text(self.digest, row).unwrap_or_default(),
            etag: text(self.etag, row),
            last_modified: text(self.last_modified, row),
            // The bits are those of the unsigned number that it was.
            text: self.text.is_valid(row).then(|| self.text.value(row) as u64),
            fields: text(self.fields, row).unwrap_or_default(),
            final_url: text(self.final_url, row),
        }
    }
}

#[derive(Default)]
struct Told {
    url: StringBuilder,
    site: StringBuilder,
    is_seed: BooleanBuilder,
    visits: Int32Builder,
    changes: Int32Builder,
    visited_ms: Int64Builder,
    second_ms: Int64Builder,
    fetch: Int64Builder,
    check: Int64Builder,
    has_validators: BooleanBuilder,
    seen_changes: Float64Builder,
    seen_days: Float64Builder,
}

impl Told {
    fn tell(&mut self, page: Option<Page>) {
        let Some(Page { url, site, is_seed, learnt }) = page else { return };
        let Some(summary) = learnt.summary() else { return };
        let Summary { visits, changes, visited_ms, fetch, check, .. } = summary;
        self.url.append_value(url);
        self.site.append_value(site);
        self.is_seed.append_value(is_seed);
        self.visits.append_value(i32::try_from(visits).unwrap_or(i32::MAX));
        self.changes.append_value(i32::try_from(changes).unwrap_or(i32::MAX));
        self.visited_ms.append_value(signed(visited_ms));
        self.second_ms.append_option(learnt.second_ms.map(signed));
        self.fetch.append_value(signed(fetch));
        self.check.append_value(signed(check));
        self.has_validators.append_value(summary.has_validators);
        self.seen_changes.append_value(summary.evidence.changes);
        self.seen_days.append_value(summary.evidence.days);
    }

    fn finish(self) -> Result<RecordBatch, TaskError> {
        of(vec![
            ("url", done(self.url)),
            ("site", done(self.site)),
            ("is_seed", done(self.is_seed)),
            ("visits", done(self.visits)),
            ("changes", done(self.changes)),
            ("visited_ms", done(self.visited_ms)),
            ("second_ms", done(self.second_ms)),
            ("fetch", done(self.fetch)),
            ("check", done(self.check)),
            ("has_validators", done(self.has_validators)),
            ("seen_changes", done(self.seen_changes)),
            ("seen_days", done(self.seen_days)),
        ])
    }
}
