//! Records as bytes. Reading never panics: what is short or spoiled is `None`.

use twox_hash::XxHash3_64;
use weir_store::Packed;

use crate::SpoolError;

/// What stands in a segment behind its header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    /// `packed` is empty for an outcome without a page.
    Page { seq: u64, outcome: &'a [u8], packed: &'a [u8] },
    /// All pages up to `applied` are in the store as it is at `mark`, which is empty at first.
    Journal { applied: u64, mark: &'a [u8] },
}

/// Drawn anew for each segment. Checksums and the first bytes of records depend on it, so nothing
/// that a website sends can look like a record where the file is searched for some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed(pub u64);

const MAGIC: &[u8; 8] = b"WEIRSPL\x01";
/// Magic, seed, checksum of both.
pub(crate) const HEADER: usize = 24;
/// Start (4), checksum (8), length of the body (4), synced (8), kind (1), number (8).
pub(crate) const HEAD: usize = 33;
/// A larger one is damage.
pub(crate) const LARGEST_BODY: usize = 1 << 30;

const PAGE: u8 = 1;
const JOURNAL: u8 = 2;

pub(crate) fn header(seed: Seed) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&seed.0.to_le_bytes());
    header.extend_from_slice(&XxHash3_64::oneshot(&header).to_le_bytes());
    header
}

/// The seed, if this is a whole header.
pub(crate) fn seed_of(bytes: &[u8]) -> Option<Seed> {
    let seed = Seed(u64::from_le_bytes(*bytes.get(MAGIC.len()..)?.first_chunk()?));
    (bytes == header(seed)).then_some(seed)
}

/// Writes records of one segment.
pub(crate) struct Pen {
    pub seed: Seed,
    /// Up to here the segment is durable now.
    pub synced: u64,
}

impl Pen {
    pub fn page(
        &self,
        out: &mut Vec<u8>,
        seq: u64,
        outcome: &[u8],
        packed: Option<&Packed>,
    ) -> Result<(), SpoolError> {
        let most = LARGEST_BODY;
        if outcome.len() > most {
            return Err(SpoolError::TooLarge { bytes: outcome.len(), most });
        }
        let start = begin(out);
        out.extend_from_slice(&(outcome.len() as u32).to_le_bytes());
        out.extend_from_slice(outcome);
        if let Some(packed) = packed {
            packed.encode(out);
        }
        let bytes = out.len() - start - HEAD;
        if bytes > most {
            out.truncate(start);
            return Err(SpoolError::TooLarge { bytes, most });
        }
        self.seal(&mut out[start..], PAGE, seq);
        Ok(())
    }

    pub fn journal(&self, out: &mut Vec<u8>, applied: u64, mark: &[u8]) {
        let start = begin(out);
        out.extend_from_slice(mark);
        self.seal(&mut out[start..], JOURNAL, applied);
    }

    fn seal(&self, record: &mut [u8], kind: u8, number: u64) {
        let length = (record.len() - HEAD) as u32;
        record[..4].copy_from_slice(&self.seed.start());
        record[12..16].copy_from_slice(&length.to_le_bytes());
        record[16..24].copy_from_slice(&self.synced.to_le_bytes());
        record[24] = kind;
        record[25..33].copy_from_slice(&number.to_le_bytes());
        let sum = XxHash3_64::oneshot_with_seed(self.seed.0, &record[12..]);
        record[4..12].copy_from_slice(&sum.to_le_bytes());
    }
}

fn begin(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.resize(start + HEAD, 0);
    start
}

impl Seed {
    pub fn random() -> Seed {
        Seed(fastrand::u64(..))
    }

    /// How each record begins.
    fn start(self) -> [u8; 4] {
        ((self.0 >> 32) as u32).to_le_bytes()
    }
}

/// The length of the whole record, told by its head.
pub(crate) fn length(head: &[u8], seed: Seed) -> Option<usize> {
    if head.len() < HEAD || head[..4] != seed.start() {
        return None;
    }
    let body = u32::from_le_bytes(head[12..16].try_into().ok()?) as usize;
    (body <= LARGEST_BODY).then_some(HEAD + body)
}

/// Whether this is a whole record as it was written.
pub(crate) fn is_good(record: &[u8], seed: Seed) -> bool {
    length(record, seed) == Some(record.len())
        && record[4..12] == XxHash3_64::oneshot_with_seed(seed.0, &record[12..]).to_le_bytes()
}

/// Up to where the segment was durable when a good record was written.
pub(crate) fn synced(record: &[u8]) -> u64 {
    u64::from_le_bytes(record[16..24].try_into().expect("a good record has a whole head"))
}

/// Reads a good record; `None` if it is of a later version.
pub(crate) fn parse(record: &[u8]) -> Option<Record<'_>> {
    let (head, body) = record.split_at_checked(HEAD)?;
    let number = u64::from_le_bytes(*head.last_chunk()?);
    match head[24] {
        PAGE => {
            let (length, rest) = body.split_first_chunk()?;
            let (outcome, packed) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            Some(Record::Page { seq: number, outcome, packed })
        }
        JOURNAL => Some(Record::Journal { applied: number, mark: body }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: Seed = Seed(0x1234_5678_9abc_def0);
    const PEN: Pen = Pen { seed: SEED, synced: 77 };

    #[test]
    fn a_record_says_what_was_put_in() {
        let mut bytes = Vec::new();
        PEN.page(&mut bytes, 9, b"outcome", None).unwrap();
        assert!(is_good(&bytes, SEED));
        assert_eq!(synced(&bytes), 77);
        let page = Record::Page { seq: 9, outcome: b"outcome", packed: b"" };
        assert_eq!(parse(&bytes), Some(page));
        bytes.clear();
        PEN.journal(&mut bytes, 8, b"mark");
        assert!(is_good(&bytes, SEED));
        assert_eq!(parse(&bytes), Some(Record::Journal { applied: 8, mark: b"mark" }));
    }

    #[test]
    fn a_record_with_any_other_byte_is_not_good() {
        let mut bytes = Vec::new();
        PEN.page(&mut bytes, 9, b"outcome", None).unwrap();
        for place in 0..bytes.len() {
            bytes[place] ^= 1;
            assert!(!is_good(&bytes, SEED), "byte {place}");
            assert!(!is_good(&bytes[..place], SEED), "cut at {place}");
            bytes[place] ^= 1;
        }
        assert!(!is_good(&bytes, Seed(SEED.0 + 1)), "the checksum depends on the seed");
    }

    #[test]
    fn a_header_with_any_other_byte_has_no_seed() {
        let mut bytes = header(SEED);
        assert_eq!((bytes.len(), seed_of(&bytes)), (HEADER, Some(SEED)));
        for place in 0..bytes.len() {
            assert_eq!(seed_of(&bytes[..place]), None, "cut at {place}");
            bytes[place] ^= 1;
            assert_eq!(seed_of(&bytes), None, "byte {place}");
            bytes[place] ^= 1;
        }
    }
}
