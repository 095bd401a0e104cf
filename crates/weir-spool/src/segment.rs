//! Reading a segment from front to end.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use weir_store::Mark;

use crate::SpoolError;
use crate::record::{HEAD, HEADER, Seed, is_good, length, seed_of, synced};

/// A segment that was begun, and where its last good record ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scanned {
    pub seed: Seed,
    pub end: u64,
    /// Bytes behind `end` that are no good record: a write that was cut short.
    pub torn: u64,
}

/// What is written to begin a segment, header and journal, and is durable before anything follows.
const MOST_TO_BEGIN: u64 = (HEADER + HEAD + Mark::LENGTH) as u64;

/// Calls `visit` with each good record and where it stands. `None` if a crash fell while the segment
/// was begun: then nothing was ever in it.
pub(crate) fn scan(
    path: &Path,
    mut visit: impl FnMut(u64, &[u8]) -> Result<(), SpoolError>,
) -> Result<Option<Scanned>, SpoolError> {
    let cannot = || SpoolError::io(path, "read");
    let file = File::open(path).map_err(SpoolError::io(path, "open"))?;
    let total = file.metadata().map_err(cannot())?.len();
    let mut input = BufReader::with_capacity(1 << 20, file);
    let Some(seed) = read_header(&mut input, total).map_err(cannot())? else {
        return not_begun(path, 0, total);
    };
    let mut end = HEADER as u64;
    let mut record = Vec::new();
    while read_record(&mut input, total - end, seed, &mut record).map_err(cannot())? {
        visit(end, &record)?;
        end += record.len() as u64;
    }
    if end == HEADER as u64 {
        return not_begun(path, end, total);
    }
    let torn = total - end;
    if torn > 0 {
        refuse_damage(path, input.get_ref(), seed, end, torn)?;
    }
    Ok(Some(Scanned { seed, end, torn }))
}

fn not_begun(path: &Path, at: u64, total: u64) -> Result<Option<Scanned>, SpoolError> {
    if total > MOST_TO_BEGIN {
        let why = "the beginning of the file, which was safely on disk, cannot be read any more";
        return Err(SpoolError::damaged(path, at, why));
    }
    Ok(None)
}

fn read_header(input: &mut impl Read, left: u64) -> io::Result<Option<Seed>> {
    let mut header = [0; HEADER];
    if left < HEADER as u64 {
        return Ok(None);
    }
    input.read_exact(&mut header)?;
    Ok(seed_of(&header))
}

/// False where no good record follows.
fn read_record(
    input: &mut impl Read,
    left: u64,
    seed: Seed,
    record: &mut Vec<u8>,
) -> io::Result<bool> {
    if left < HEAD as u64 {
        return Ok(false);
    }
    record.resize(HEAD, 0);
    input.read_exact(record)?;
    let Some(length) = length(record, seed).filter(|length| *length as u64 <= left) else {
        return Ok(false);
    };
    record.resize(length, 0);
    input.read_exact(&mut record[HEAD..])?;
    Ok(is_good(record, seed))
}

/// A write that a crash cut short can only be at the end. If a good record stands behind it that
/// was written after this place was durable, the file was damaged later, and to go on would
/// throw away outcomes that the scheduler may have settled.
fn refuse_damage(
    path: &Path,
    file: &File,
    seed: Seed,
    end: u64,
    torn: u64,
) -> Result<(), SpoolError> {
    let mut tail = vec![0; torn.min(MOST_TO_SEARCH) as usize];
    file.read_exact_at(&mut tail, end).map_err(SpoolError::io(path, "read"))?;
    for start in 1..tail.len() {
        let rest = &tail[start..];
        let record = length(rest, seed).and_then(|length| rest.get(..length));
        if record.is_some_and(|record| is_good(record, seed) && synced(record) > end) {
            let why = "a record that was safely on disk cannot be read any more";
            return Err(SpoolError::damaged(path, end, why));
        }
    }
    Ok(())
}

/// Far more than is ever written between two syncs.
const MOST_TO_SEARCH: u64 = 256 << 20;
