use arrow_array::builder::{BooleanBuilder, Float64Builder, Int32Builder, StringBuilder};
use arrow_array::{
    Array, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use weir_crawl::{Summary, Worth, bucket_of};
use weir_plan::refresh::{Belief, Evidence, Prior};

use super::batch::{column, done, of, small, unsigned};
use crate::TaskError;

/// What a visit of each page gains now, and where it belongs. A row is what [`super::Pages`] told of a page, with
/// what is known of its site and `found`, the URLs that later visits found on it; all of that is null for
/// what was never kept. Such a one is visited `always`, and so is a seed.
pub fn worth(pages: &RecordBatch, now_ms: u64, buckets: u32) -> Result<RecordBatch, TaskError> {
    let pages = Rows::of(pages)?;
    let (mut url, mut bucket) = (StringBuilder::new(), Int32Builder::new());
    let (mut always, mut gain) = (BooleanBuilder::new(), Float64Builder::new());
    let (mut bytes, mut age) = (Float64Builder::new(), Float64Builder::new());
    let mut rate = Float64Builder::new();
    for row in 0..pages.url.len() {
        let name = pages.url.value(row);
        let worth = pages.worth(row, now_ms);
        url.append_value(name);
        bucket.append_value(i32::try_from(bucket_of(name, buckets)).unwrap_or(i32::MAX));
        always.append_value(worth.is_none() || pages.is_seed.value(row));
        // What is no number would be the best of all where it is sorted.
        gain.append_value(worth.map_or(0.0, |worth| worth.gain.max(0.0)));
        bytes.append_value(worth.map_or(0.0, |worth| worth.bytes.max(0.0)));
        age.append_value(worth.map_or(0.0, |worth| worth.age));
        rate.append_option(worth.map(|worth| worth.rate));
    }
    of(vec![
        ("bucket", done(bucket)),
        ("url", done(url)),
        ("always", done(always)),
        ("gain", done(gain)),
        ("bytes", done(bytes)),
        ("age", done(age)),
        ("rate", done(rate)),
    ])
}

struct Rows<'a> {
    url: &'a StringArray,
    is_seed: &'a BooleanArray,
    visits: &'a Int32Array,
    changes: &'a Int32Array,
    visited_ms: &'a Int64Array,
    fetch: &'a Int64Array,
    check: &'a Int64Array,
    has_validators: &'a BooleanArray,
    seen_changes: &'a Float64Array,
    seen_days: &'a Float64Array,
    prior_changes: &'a Float64Array,
    prior_days: &'a Float64Array,
    found: &'a Int64Array,
}

impl<'a> Rows<'a> {
    fn of(pages: &'a RecordBatch) -> Result<Rows<'a>, TaskError> {
        Ok(Rows {
            url: column(pages, "url")?,
            is_seed: column(pages, "is_seed")?,
            visits: column(pages, "visits")?,
            changes: column(pages, "changes")?,
            visited_ms: column(pages, "visited_ms")?,
            fetch: column(pages, "fetch")?,
            check: column(pages, "check")?,
            has_validators: column(pages, "has_validators")?,
            seen_changes: column(pages, "seen_changes")?,
            seen_days: column(pages, "seen_days")?,
            prior_changes: column(pages, "prior_changes")?,
            prior_days: column(pages, "prior_days")?,
            found: column(pages, "found")?,
        })
    }

    fn worth(&self, row: usize, now_ms: u64) -> Option<Worth> {
        if self.visits.is_null(row) {
            return None;
        }
        let (changes, days) = (self.seen_changes.value(row), self.seen_days.value(row));
        let summary = Summary {
            visits: small(self.visits.value(row)),
            changes: small(self.changes.value(row)),
            visited_ms: unsigned(self.visited_ms.value(row)),
            fetch: unsigned(self.fetch.value(row)),
            check: unsigned(self.check.value(row)),
            found: u32::try_from(unsigned(self.found.value(row))).unwrap_or(u32::MAX),
            has_validators: self.has_validators.value(row),
            evidence: Evidence { changes, days },
        };
        Some(summary.worth(&self.site(row), now_ms))
    }

    /// A site of which nothing was seen twice is like any other.
    fn site(&self, row: usize) -> Belief {
        match self.prior_changes.is_valid(row) && self.prior_days.is_valid(row) {
            true => {
                Belief { changes: self.prior_changes.value(row), days: self.prior_days.value(row) }
            }
            false => *Prior::default().belief(),
        }
    }
}
