use std::collections::{BTreeMap, HashMap};

use weir_types::{Skip, is_page};

use crate::names::Names;
use crate::record::{Again, Kept, Settled};
use crate::seen::Seen;

/// What the log says, record by record, in the form in which it is needed. The same functions are
/// called when a record is written and when it is read back, so the two cannot differ.
pub struct Known {
    pub seen: Seen,
    /// Is it kept, read or dropped?
    pub done: Flags,
    /// Does it wait for a run that goes deeper?
    pub parked: Flags,
    pub hosts: Hosts,
    /// How often each waiting URL was tried, for those that were.
    pub attempts: HashMap<u64, u32>,
    pub notes: HashMap<String, Vec<u8>>,
    pub counts: Counts,
    /// Kept responses with a status of 400 or above, by status.
    pub error_statuses: BTreeMap<u16, u64>,
    pub past: Past,
    /// Where the notes of URLs stand that wait once more.
    pub url_notes: HashMap<u64, u64>,
    /// Depths of URLs that are nearer than they were added with.
    pub nearer: HashMap<u64, u32>,
}

/// What was kept of URLs that were asked for once more since: sums over all that no host counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    pub pages: u64,
    pub kept: u64,
    pub bytes_wire: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Distinct URLs ever found, the skipped ones included.
    pub known: u64,
    /// In queues, resting before a retry, or leased.
    pub open: u64,
    /// Deeper than this run goes.
    pub parked: u64,
    pub kept: u64,
    pub dropped: u64,
    /// By `Skip` code.
    pub skipped: [u64; Skip::ALL.len() + 1],
    /// Sitemaps that were read.
    pub read: u64,
}

/// What was kept of one host so far; of a URL that was asked for more than once, the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostTotals {
    /// Kept responses with a status of 200 to 299, or 304.
    pub pages: u64,
    pub kept: u64,
    /// Kept responses with a status of 400 or above.
    pub errors: u64,
    pub dropped: u64,
    /// Dropped for a reason that is no failure, such as robots.txt.
    pub skipped: u64,
    /// Those that wait or are settled; not those beyond the depth of this run.
    pub known: u64,
    pub bytes_wire: u64,
    pub bytes_body: u64,
}

impl Known {
    pub fn new() -> Self {
        Known {
            seen: Seen::new(),
            done: Flags::default(),
            parked: Flags::default(),
            hosts: Hosts::default(),
            attempts: HashMap::new(),
            notes: HashMap::new(),
            counts: Counts::default(),
            error_statuses: BTreeMap::new(),
            past: Past::default(),
            url_notes: HashMap::new(),
            nearer: HashMap::new(),
        }
    }

    /// Returns the number of the added URL.
    pub fn added(&mut self, host: u32) -> u64 {
        self.counts.known += 1;
        self.counts.open += 1;
        self.hosts.of(host).known += 1;
        self.parked.push();
        self.done.push()
    }

    /// One that waits does so for a run that goes deeper.
    pub fn park(&mut self, number: u64, host: u32) {
        self.parked.set(number);
        let totals = self.hosts.of(host);
        totals.known = totals.known.saturating_sub(1);
        self.counts.open = self.counts.open.saturating_sub(1);
        self.counts.parked += 1;
    }

    /// One of those that wait for a run that goes deeper waits now.
    pub fn unpark(&mut self, number: u64, host: u32) {
        self.parked.clear(number);
        self.hosts.of(host).known += 1;
        self.counts.open += 1;
        self.counts.parked = self.counts.parked.saturating_sub(1);
    }

    pub fn skipped(&mut self, skip: Skip) {
        self.counts.known += 1;
        self.counts.skipped[skip as usize] += 1;
    }

    pub fn kept(&mut self, kept: &Kept) {
        self.finish(kept.number);
        self.counts.kept += 1;
        if is_error(kept.status) {
            *self.error_statuses.entry(kept.status).or_default() += 1;
        }
        let totals = self.hosts.of(kept.host);
        totals.kept += 1;
        totals.pages += u64::from(is_page(kept.status));
        totals.errors += u64::from(is_error(kept.status));
        totals.bytes_wire = totals.bytes_wire.saturating_add(kept.bytes_wire);
        totals.bytes_body = totals.bytes_body.saturating_add(kept.bytes_body);
    }

    /// A URL that failed in an earlier run gets another chance.
    pub fn reopened(&mut self, number: u64, host: u32, skip: Option<Skip>) {
        self.done.clear(number);
        self.counts.open += 1;
        let totals = self.hosts.of(host);
        let (count, total) = match skip {
            Some(skip) => (&mut self.counts.skipped[skip as usize], &mut totals.skipped),
            None => (&mut self.counts.dropped, &mut totals.dropped),
        };
        *count = count.saturating_sub(1);
        *total = total.saturating_sub(1);
    }

    /// A settled URL waits once more, and is counted as if it had never been asked for.
    pub fn again(&mut self, again: &Again) {
        let Again { number, host, was, note } = *again;
        if let Some(position) = note {
            self.url_notes.insert(number, position);
        }
        match was {
            Settled::Dropped { skip } => return self.reopened(number, host, skip),
            Settled::Read => {
                self.counts.read = self.counts.read.saturating_sub(1);
                self.hosts.of(host).known += 1;
            }
            Settled::Kept { status, bytes_wire, bytes_body } => {
                self.counts.kept = self.counts.kept.saturating_sub(1);
                let page = u64::from(is_page(status));
                self.hosts.of(host).forget(status, bytes_wire, bytes_body);
                if let Some(count) = self.error_statuses.get_mut(&status) {
                    *count = count.saturating_sub(1);
                }
                self.past.kept += 1;
                self.past.pages += page;
                self.past.bytes_wire = self.past.bytes_wire.saturating_add(bytes_wire);
            }
        }
        self.done.clear(number);
        self.counts.open += 1;
    }

    pub fn dropped(&mut self, number: u64, host: u32, skip: Option<Skip>) {
        self.finish(number);
        match skip {
            Some(skip) => self.counts.skipped[skip as usize] += 1,
            None => self.counts.dropped += 1,
        }
        let totals = self.hosts.of(host);
        match skip {
            Some(_) => totals.skipped += 1,
            None => totals.dropped += 1,
        }
    }

    /// It is no page, so it no longer counts among those of its host.
    pub fn read(&mut self, number: u64, host: u32) {
        self.finish(number);
        self.counts.read += 1;
        let totals = self.hosts.of(host);
        totals.known = totals.known.saturating_sub(1);
    }

    fn finish(&mut self, number: u64) {
        self.done.set(number);
        self.attempts.remove(&number);
        self.url_notes.remove(&number);
        self.counts.open = self.counts.open.saturating_sub(1);
    }
}

fn is_error(status: u16) -> bool {
    status >= 400
}

impl HostTotals {
    /// One that was kept is no longer counted.
    fn forget(&mut self, status: u16, bytes_wire: u64, bytes_body: u64) {
        self.kept = self.kept.saturating_sub(1);
        self.pages = self.pages.saturating_sub(u64::from(is_page(status)));
        self.errors = self.errors.saturating_sub(u64::from(is_error(status)));
        self.bytes_wire = self.bytes_wire.saturating_sub(bytes_wire);
        self.bytes_body = self.bytes_body.saturating_sub(bytes_body);
    }
}

/// A bit for each numbered URL.
#[derive(Default)]
pub struct Flags {
    bits: Vec<u64>,
    len: u64,
}

impl Flags {
    /// Gives out the next number.
    pub fn push(&mut self) -> u64 {
        let number = self.len;
        self.len += 1;
        if self.bits.len() as u64 * 64 < self.len {
            self.bits.push(0);
        }
        number
    }

    /// How many numbers were given out.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_set(&self, number: u64) -> bool {
        let word = self.bits.get((number / 64) as usize).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }

    pub fn clear(&mut self, number: u64) {
        if let Some(word) = self.bits.get_mut((number / 64) as usize) {
            *word &= !(1 << (number % 64));
        }
    }

    pub fn set(&mut self, number: u64) {
        if let Some(word) = self.bits.get_mut((number / 64) as usize) {
            *word |= 1 << (number % 64);
        }
    }
}

#[derive(Default)]
pub struct Hosts {
    names: Names,
    site_of: Vec<u32>,
    sites: Names,
    pub(crate) totals: Vec<HostTotals>,
    /// Where the last note of a host stands in the log.
    pub(crate) notes: HashMap<u32, u64>,
}

impl Hosts {
    pub(crate) fn push(&mut self, site: &str, name: &str) -> u32 {
        let site = self.sites.find(site).unwrap_or_else(|| self.sites.push(site));
        self.site_of.push(site);
        self.totals.push(HostTotals::default());
        self.names.push(name)
    }

    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.names.find(name)
    }

    pub(crate) fn site(&self, host: u32) -> &str {
        self.sites.get(self.site_of[host as usize])
    }

    pub(crate) fn name(&self, host: u32) -> &str {
        self.names.get(host)
    }

    /// Only for numbers that were given out; `recover` refuses a log that has others.
    pub(crate) fn of(&mut self, host: u32) -> &mut HostTotals {
        &mut self.totals[host as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }
}
