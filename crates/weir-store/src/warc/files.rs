use std::time::SystemTime;

use super::record::{Date, RecordId};
use super::warcinfo;
use crate::firsts::First;
use crate::gzip::{Effort, Gzip};
use crate::log::Log;
use crate::mark::State;
use crate::names::{Kind, Names};
use crate::{Packed, StoreConfig, StoreError};

/// The WARC files, of which the last is being written.
pub(crate) struct WarcFiles {
    /// Of the last file; 0 before the first.
    pub number: u32,
    pub name: String,
    pub log: Log,
    names: Names,
    gzip: Gzip,
    record: Vec<u8>,
    member: Vec<u8>,
}

impl WarcFiles {
    pub fn open(config: &StoreConfig, state: &State) -> Result<Self, StoreError> {
        let names = config.names();
        let path = names.path(Kind::Warc, state.warc);
        Ok(WarcFiles {
            number: state.warc,
            name: names.name(Kind::Warc, state.warc),
            log: Log::open(path, state.warc_len, config.write_buffer)?,
            names,
            gzip: Gzip::new(),
            record: Vec::new(),
            member: Vec::new(),
        })
    }

    /// Whether a page of this many bytes belongs into a new file. A page larger than a whole file
    /// gets one of its own.
    pub fn is_full(&self, config: &StoreConfig, more: usize) -> bool {
        self.number == 0 || self.log.len() + more as u64 > config.warc_bytes
    }

    /// Begins the next file and returns the log of the one before.
    pub fn rotate(&mut self, config: &StoreConfig) -> Result<Log, StoreError> {
        self.log.flush()?;
        self.number += 1;
        self.name = self.names.name(Kind::Warc, self.number);
        let path = self.names.path(Kind::Warc, self.number);
        let full = std::mem::replace(&mut self.log, Log::new(path, config.write_buffer));
        let id = RecordId::random(&mut fastrand::Rng::new());
        let info = warcinfo(config, &self.name, id, Date::of(SystemTime::now()));
        self.member.clear();
        self.gzip.member(&info, Effort::Squeeze, &mut self.member);
        self.log.append(&self.member)?;
        Ok(full)
    }

    /// Puts a page's records, the first of them a revisit if the payload was stored before.
    /// Returns where they begin.
    pub fn append(&mut self, packed: &Packed, first: Option<&First>) -> Result<u64, StoreError> {
        let place = self.log.len();
        let (response, others) = packed.members.split_at(packed.response_len);
        match first {
            None => self.log.append(response)?,
            Some(first) => {
                packed.exchange.revisit(first, &mut self.record);
                self.member.clear();
                self.gzip.member(&self.record, Effort::Squeeze, &mut self.member);
                self.log.append(&self.member)?;
            }
        }
        self.log.append(others)?;
        Ok(place)
    }
}
