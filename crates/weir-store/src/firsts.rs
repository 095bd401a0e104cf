use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{BufReader, Read};
use std::path::PathBuf;

use crate::StoreError;
use crate::digest::Digest;
use crate::log::Log;
use crate::near::Near;
use crate::warc::{Date, Exchange, RecordId};

/// The first page with each payload, so that a later one with the same is stored as a pointer.
///
/// Memory holds 24 bytes a page: digest and place in the log. The log has the URL, which is read
/// back only when a payload repeats.
pub(crate) struct Firsts {
    places: HashMap<[u8; 16], u64, Seeded>,
    near: Near,
    log: Log,
    reader: Option<File>,
}

/// The page that had a payload first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct First {
    pub url: String,
    pub date: Date,
    /// Of its record; zero if no WARC was kept when it came.
    pub id: RecordId,
}

impl First {
    pub fn has_record(&self) -> bool {
        self.id != RecordId(0)
    }
}

/// A hash table with 2^20 places when it is as full as it may be: 26 MB. Payloads seen after that
/// are not remembered, and are stored in full each time they come.
const MOST: usize = (1 << 20) / 8 * 7;

/// A shorter body is never a repetition: a pointer would be longer than the body, and that two
/// pages both say "not found" does not make them the same page.
pub(crate) const SHORTEST: usize = 64;

/// Digest, record id, date, length of the URL.
const FIXED: usize = 16 + 16 + 8 + 4;
/// In the length of the URL: a hash of the page's text stands behind it.
const WITH_SIMHASH: u32 = 1 << 31;

impl Firsts {
    pub fn open(path: PathBuf, length: u64, limit: usize) -> Result<Self, StoreError> {
        let log = Log::open(path, length, limit)?;
        let seed = Seeded(fastrand::u64(..));
        let mut firsts =
            Firsts { places: HashMap::with_hasher(seed), near: Near::default(), log, reader: None };
        if length > 0 {
            firsts.load(length)?;
        }
        Ok(firsts)
    }

    fn load(&mut self, length: u64) -> Result<(), StoreError> {
        let path = self.log.path();
        let file = File::open(path).map_err(StoreError::io(path, "open"))?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut place = 0;
        let mut rest = Vec::new();
        while place < length {
            let cut = || StoreError::corrupt(path, format!("no whole entry at byte {place}"));
            if place + FIXED as u64 > length {
                return Err(cut());
            }
            let mut fixed = [0; FIXED];
            file.read_exact(&mut fixed).map_err(StoreError::io(path, "read"))?;
            let (key, _, lengths) = parse(&fixed);
            if place + (FIXED + lengths.all) as u64 > length {
                return Err(cut());
            }
            rest.resize(lengths.all, 0);
            file.read_exact(&mut rest).map_err(StoreError::io(path, "read"))?;
            if let Some(simhash) = rest[lengths.url..].first_chunk() {
                self.near.remember(u64::from_le_bytes(*simhash), place);
            }
            self.places.insert(key, place);
            place += (FIXED + lengths.all) as u64;
        }
        Ok(())
    }

    pub fn find(&mut self, digest: &Digest) -> Result<Option<First>, StoreError> {
        let Some(place) = self.places.get(&digest.key()).copied() else { return Ok(None) };
        self.read(place).map(Some)
    }

    /// The URL of the first page that is nearly the same.
    pub fn find_near(&mut self, simhash: u64) -> Result<Option<String>, StoreError> {
        let Some(place) = self.near.find(simhash) else { return Ok(None) };
        Ok(Some(self.read(place)?.url))
    }

    fn read(&mut self, place: u64) -> Result<First, StoreError> {
        let mut fixed = [0; FIXED];
        self.log.read_at(&mut self.reader, place, &mut fixed)?;
        let (_, (id, date), lengths) = parse(&fixed);
        let mut url = vec![0; lengths.url];
        self.log.read_at(&mut self.reader, place + FIXED as u64, &mut url)?;
        let url = String::from_utf8(url)
            .map_err(|_| StoreError::corrupt(self.log.path(), format!("no URL at byte {place}")))?;
        Ok(First { url, date, id })
    }

    /// `simhash` if later pages shall be found to be near to this one.
    pub fn remember(
        &mut self,
        page: &Exchange,
        in_warc: bool,
        simhash: Option<u64>,
    ) -> Result<(), StoreError> {
        if self.places.len() >= MOST {
            return Ok(());
        }
        let place = self.log.len();
        let key = page.digest.key();
        let id = if in_warc { page.id } else { RecordId(0) };
        let mut entry = Vec::with_capacity(FIXED + page.url.len());
        entry.extend_from_slice(&key);
        entry.extend_from_slice(&id.0.to_le_bytes());
        entry.extend_from_slice(&page.date.0.to_le_bytes());
        let length = page.url.len() as u32 | if simhash.is_some() { WITH_SIMHASH } else { 0 };
        entry.extend_from_slice(&length.to_le_bytes());
        entry.extend_from_slice(page.url.as_bytes());
        if let Some(simhash) = simhash {
            entry.extend_from_slice(&simhash.to_le_bytes());
            self.near.remember(simhash, place);
        }
        self.log.append(&entry)?;
        self.places.insert(key, place);
        Ok(())
    }

    pub fn log(&mut self) -> &mut Log {
        &mut self.log
    }
}

type Fixed = ([u8; 16], (RecordId, Date), Lengths);

/// Of what stands behind the fixed part.
struct Lengths {
    url: usize,
    all: usize,
}

fn parse(fixed: &[u8; FIXED]) -> Fixed {
    let key = fixed[..16].try_into().expect("16 bytes");
    let id = u128::from_le_bytes(fixed[16..32].try_into().expect("16 bytes"));
    let date = i64::from_le_bytes(fixed[32..40].try_into().expect("8 bytes"));
    let length = u32::from_le_bytes(fixed[40..].try_into().expect("4 bytes"));
    let url = (length & !WITH_SIMHASH) as usize;
    let all = if length & WITH_SIMHASH == 0 { url } else { url + 8 };
    (key, (RecordId(id), Date(date)), Lengths { url, all })
}

/// A digest is as good as random; the seed keeps a server from choosing where its pages fall.
#[derive(Clone, Copy)]
struct Seeded(u64);

impl BuildHasher for Seeded {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded(self.0)
    }
}

struct Folded(u64);

impl Hasher for Folded {
    fn write(&mut self, bytes: &[u8]) {
        for eight in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..eight.len()].copy_from_slice(eight);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    /// The length of the key, which is always the same.
    fn write_usize(&mut self, _: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}
