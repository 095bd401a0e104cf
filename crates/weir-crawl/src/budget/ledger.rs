use std::path::{Path, PathBuf};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::budget::file::Entry;
use crate::budget::{Budget, LedgerError, Period};

/// What has been received this day and this month, and what may still be.
///
/// Bytes are reserved on disk before they may come, some seconds' worth at a time. So at any moment
/// the file counts at least what was received, and a crawl that is killed goes on below its budget.
/// What was reserved and did not come is lost to that day and month after a kill, and given back at
/// a clean end.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    budgets: Vec<Budget>,
    zone: TimeZone,
    day: Date,
    used_day: u64,
    used_month: u64,
    /// What of the reservation on disk was not received yet.
    reserved: u64,
    /// Since when the reservation on disk is used, and how much of it was; tells the rate.
    since: Timestamp,
    used_since: u64,
}

/// How long a reservation should last at the rate of the last one: the disk has to be synced for
/// each, and a kill loses one.
const LASTS: SignedDuration = SignedDuration::from_secs(10);
/// A reservation is at least this, if there is as much,
const LEAST: u64 = 64 * 1024;
/// and at most this part of what is left, unless more is asked for at a time.
const PART: u64 = 16;

impl Ledger {
    /// What is at `path` counts on; without a file, the count begins at zero.
    pub fn open(
        path: &Path,
        budgets: &[Budget],
        zone: TimeZone,
        now: Timestamp,
    ) -> Result<Ledger, LedgerError> {
        let today = zone.to_datetime(now).date();
        let before = Entry::read(path)?.unwrap_or(Entry::new(today, 0, 0, 0));
        // Where another time zone was set, it may be earlier than it was, and the count goes on.
        if before.day > today.saturating_add(2.days()) {
            return Err(LedgerError::Future { path: path.to_owned(), of: before.day, today });
        }
        let mut ledger = Ledger {
            path: path.to_owned(),
            budgets: budgets.to_vec(),
            zone,
            day: before.day,
            used_day: before.used_day,
            used_month: before.used_month,
            reserved: 0,
            since: now,
            used_since: 0,
        };
        ledger.turn(now);
        // A killed run may have received all of it, and a part or all of that on the new day.
        ledger.count(before.reserved);
        ledger.write()?;
        Ok(ledger)
    }

    /// How many bytes may be received from now on, besides those that [`Ledger::used`] was told of;
    /// `wanted` at the most. To ask again does not add up. Rarely syncs the disk.
    pub fn allow(&mut self, now: Timestamp, wanted: u64) -> Result<u64, LedgerError> {
        self.turn(now);
        let allowed = wanted.min(self.left_now());
        if allowed > self.reserved {
            self.reserve(now, allowed)?;
        }
        Ok(allowed)
    }

    /// Counts what was received. Bytes that were not allowed count as well, and at once on disk.
    pub fn used(&mut self, now: Timestamp, bytes: u64) -> Result<(), LedgerError> {
        self.turn(now);
        self.count(bytes);
        let covered = bytes <= self.reserved;
        self.reserved = self.reserved.saturating_sub(bytes);
        self.used_since = self.used_since.saturating_add(bytes);
        match covered {
            true => Ok(()),
            false => self.write(),
        }
    }

    /// When there may be `needed` bytes again, if fewer are left.
    pub fn renews_at(&mut self, now: Timestamp, needed: u64) -> Option<Timestamp> {
        self.turn(now);
        let used_up = self.budgets.iter().filter(|budget| self.left_of(budget) < needed);
        let days = used_up.map(|budget| match budget.period {
            Period::Day => self.day.saturating_add(1.day()),
            Period::Month => self.day.first_of_month().saturating_add(1.month()),
        });
        // A day begins later than 0:00 where that is skipped, which `to_zoned` knows.
        let start = days.max()?.to_zoned(self.zone.clone()).ok()?;
        Some(start.timestamp())
    }

    /// What was reserved and did not come is given back.
    pub fn close(mut self) -> Result<(), LedgerError> {
        self.reserved = 0;
        self.write()
    }

    /// Begins a new count on a new day. Time that seems to run backwards does not.
    fn turn(&mut self, now: Timestamp) {
        let today = self.zone.to_datetime(now).date();
        if today <= self.day {
            return;
        }
        self.used_day = 0;
        if today.first_of_month() != self.day.first_of_month() {
            self.used_month = 0;
        }
        self.day = today;
    }

    fn count(&mut self, bytes: u64) {
        self.used_day = self.used_day.saturating_add(bytes);
        self.used_month = self.used_month.saturating_add(bytes);
    }

    fn left_now(&self) -> u64 {
        self.budgets.iter().map(|budget| self.left_of(budget)).min().unwrap_or(u64::MAX)
    }

    fn left_of(&self, budget: &Budget) -> u64 {
        let used = match budget.period {
            Period::Day => self.used_day,
            Period::Month => self.used_month,
        };
        budget.bytes.saturating_sub(used)
    }

    /// Reserves at least so much, which is left.
    fn reserve(&mut self, now: Timestamp, least: u64) -> Result<(), LedgerError> {
        let left = self.left_now();
        let lasted = now.duration_since(self.since).as_secs_f64().max(0.001);
        let worth = self.used_since as f64 / lasted * LASTS.as_secs_f64();
        let step = (worth as u64).min(left / PART).max(LEAST).max(least);
        self.reserved = step.min(left);
        self.since = now;
        self.used_since = 0;
        self.write()
    }

    fn write(&self) -> Result<(), LedgerError> {
        Entry::new(self.day, self.used_day, self.used_month, self.reserved).write(&self.path)
    }
}

#[cfg(test)]
mod tests;
