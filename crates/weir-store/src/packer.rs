use weir_types::Page;

use crate::digest::Digest;
use crate::firsts::SHORTEST;
use crate::gzip::{Effort, Gzip, KEEP_BUFFER, stream};
use crate::pages::Row;
use crate::warc::{Date, END, Exchange, RecordId, about, effort, without_transfer_coding};
use crate::{PageFacts, StoreConfig};

/// Turns pages into the bytes that will be stored: all the work that costs time, and none that
/// needs to know of other pages. One a worker; it keeps its buffers.
pub struct Packer {
    warc: bool,
    parquet: bool,
    gzip: Gzip,
    record: Vec<u8>,
    about: Vec<u8>,
    random: fastrand::Rng,
}

/// A longer body is compressed where it is, without a copy beside its head.
const LARGE: usize = 1 << 20;
/// About what the request and metadata records take.
const SMALL_RECORDS: usize = 2048;

/// A page ready to be stored.
#[derive(Debug, PartialEq, Eq)]
pub struct Packed {
    pub(crate) exchange: Exchange,
    /// Gzip members: response, request, metadata. Empty where no WARC is kept.
    pub(crate) members: Vec<u8>,
    /// How much of `members` is the response.
    pub(crate) response_len: usize,
    /// A line of JSON without what only the store knows. Empty where no Parquet is kept, and where
    /// the page is no record.
    pub(crate) row: Vec<u8>,
    /// Long enough and whole, so that another page with the same payload says something.
    pub(crate) may_repeat: bool,
    pub(crate) simhash: Option<u64>,
    pub(crate) kept: Option<bool>,
}

impl Packed {
    /// What the user's rule says, if there is one.
    pub fn kept(&self) -> Option<bool> {
        self.kept
    }

    /// `sha1:BASE32` of the payload as it came.
    pub fn digest(&self) -> String {
        self.exchange.digest.to_string()
    }
}

impl Packer {
    pub fn new(config: &StoreConfig) -> Self {
        Packer {
            warc: config.warc,
            parquet: config.parquet,
            gzip: Gzip::new(),
            record: Vec::new(),
            about: Vec::new(),
            random: fastrand::Rng::new(),
        }
    }

    pub fn pack(&mut self, mut page: Page, facts: PageFacts) -> Packed {
        let kept = self.warc || self.parquet;
        let exchange = Exchange {
            url: std::mem::take(&mut page.url),
            id: RecordId::random(&mut self.random),
            date: Date::of(page.fetched_at),
            digest: match &facts.unchanged {
                Some(unchanged) => Digest::parse(&unchanged.digest).unwrap_or(Digest::NONE),
                None if kept => Digest::of(&page.body),
                None => Digest::NONE,
            },
            head: match self.warc {
                true => without_transfer_coding(std::mem::take(&mut page.response_head)),
                false => Vec::new(),
            },
            address: page.address.ip().to_canonical(),
            protocol: page.protocol,
            cut: page.cut,
        };
        let mut members = Vec::new();
        let response_len = match self.warc {
            true => {
                members.reserve(page.body.len().min(LARGE) / 3 + SMALL_RECORDS);
                self.put_records(&exchange, &page, &facts, &mut members)
            }
            false => 0,
        };
        let row = match self.parquet && facts.kept != Some(false) {
            true => Row::of(&exchange, &page, &facts).line(),
            false => Vec::new(),
        };
        let whole = page.cut.is_none() && facts.unchanged.is_none();
        let may_repeat = kept && whole && page.body.len() >= SHORTEST;
        let simhash = facts.simhash.filter(|_| may_repeat);
        Packed { exchange, members, response_len, row, may_repeat, simhash, kept: facts.kept }
    }

    /// Returns the length of the response's member, which comes first.
    fn put_records(
        &mut self,
        exchange: &Exchange,
        page: &Page,
        facts: &PageFacts,
        members: &mut Vec<u8>,
    ) -> usize {
        let response = match &facts.unchanged {
            Some(unchanged) => {
                let since = Date(i64::try_from(unchanged.since_ms).unwrap_or(0));
                exchange.not_modified(since, &mut self.record);
                self.gzip.member(&self.record, Effort::Store, members)
            }
            None => self.put_response(exchange, page, members),
        };
        // Small records are not worth a table of codes each: two of them took 25 us a page, a
        // seventh of the whole, to save some 300 bytes.
        let id = RecordId::random(&mut self.random);
        exchange.request(id, &page.request_head, &mut self.record);
        self.gzip.member(&self.record, Effort::Store, members);
        about(page, facts, &mut self.about);
        let id = RecordId::random(&mut self.random);
        exchange.metadata(id, &self.about, &mut self.record);
        self.gzip.member(&self.record, Effort::Store, members);
        if self.record.capacity() > KEEP_BUFFER {
            self.record = Vec::new();
        }
        response
    }

    fn put_response(&mut self, exchange: &Exchange, page: &Page, members: &mut Vec<u8>) -> usize {
        exchange.response(&page.body, &mut self.record);
        match page.body.len() > LARGE {
            true => stream(&[&self.record, &page.body, END], effort(page), members),
            false => {
                self.record.extend_from_slice(&page.body);
                self.record.extend_from_slice(END);
                self.gzip.member(&self.record, effort(page), members)
            }
        }
    }
}
