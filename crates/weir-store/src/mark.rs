use std::path::Path;

use crate::StoreError;

/// Everything the store has, as of one flush: how many files, how many bytes of the last of each.
/// Opaque to the caller, who journals it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark([u8; Mark::LENGTH]);

impl Mark {
    pub const LENGTH: usize = 61;

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Mark {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// What a mark says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    /// The WARC file being written, 0 before the first; and its length.
    pub warc: u32,
    pub warc_len: u64,
    /// The rows file being written, its length, and how many rows that is.
    pub rows: u32,
    pub rows_len: u64,
    pub rows_count: u32,
    /// Length of the rows file before it, where that is not in Parquet yet.
    pub sealed_len: u64,
    /// Rows files 1 to this one are Parquet files of the same number.
    pub converted: u32,
    pub firsts_len: u64,
    pub pages: u64,
    pub duplicates: u32,
}

const VERSION: u8 = 1;

impl State {
    /// Before anything was committed.
    pub const START: State = State {
        warc: 0,
        warc_len: 0,
        rows: 1,
        rows_len: 0,
        rows_count: 0,
        sealed_len: 0,
        converted: 0,
        firsts_len: 0,
        pages: 0,
        duplicates: 0,
    };

    pub fn encode(&self) -> Mark {
        let mut bytes = Vec::with_capacity(Mark::LENGTH);
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.warc.to_le_bytes());
        bytes.extend_from_slice(&self.warc_len.to_le_bytes());
        bytes.extend_from_slice(&self.rows.to_le_bytes());
        bytes.extend_from_slice(&self.rows_len.to_le_bytes());
        bytes.extend_from_slice(&self.rows_count.to_le_bytes());
        bytes.extend_from_slice(&self.sealed_len.to_le_bytes());
        bytes.extend_from_slice(&self.converted.to_le_bytes());
        bytes.extend_from_slice(&self.firsts_len.to_le_bytes());
        bytes.extend_from_slice(&self.pages.to_le_bytes());
        bytes.extend_from_slice(&self.duplicates.to_le_bytes());
        Mark(bytes.try_into().expect("the fields above are 61 bytes"))
    }

    /// `dir` only for the message.
    pub fn decode(mark: &[u8], dir: &Path) -> Result<State, StoreError> {
        let wrong = |why: String| StoreError::corrupt(dir, why);
        if mark.first() != Some(&VERSION) || mark.len() != Mark::LENGTH {
            return Err(wrong(format!(
                "the journalled mark has {} bytes and version {:?}, this program knows version \
                 {VERSION} of {} bytes",
                mark.len(),
                mark.first(),
                Mark::LENGTH
            )));
        }
        let mut rest = &mark[1..];
        let state = State {
            warc: u32::from_le_bytes(take(&mut rest)),
            warc_len: u64::from_le_bytes(take(&mut rest)),
            rows: u32::from_le_bytes(take(&mut rest)),
            rows_len: u64::from_le_bytes(take(&mut rest)),
            rows_count: u32::from_le_bytes(take(&mut rest)),
            sealed_len: u64::from_le_bytes(take(&mut rest)),
            converted: u32::from_le_bytes(take(&mut rest)),
            firsts_len: u64::from_le_bytes(take(&mut rest)),
            pages: u64::from_le_bytes(take(&mut rest)),
            duplicates: u32::from_le_bytes(take(&mut rest)),
        };
        if u64::from(state.rows_count.max(state.duplicates)) > state.pages {
            return Err(wrong(format!(
                "the journalled mark counts {} rows and {} duplicates of {} pages",
                state.rows_count, state.duplicates, state.pages
            )));
        }
        match state.rows.checked_sub(state.converted) {
            Some(1 | 2) => Ok(state),
            _ => Err(wrong(format!(
                "the journalled mark counts {} rows files and {} Parquet files",
                state.rows, state.converted
            ))),
        }
    }

    /// The rows file that is full but not Parquet yet.
    pub fn sealed(&self) -> Option<u32> {
        (self.rows - self.converted == 2).then_some(self.rows - 1)
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (head, tail) = rest.split_at(N);
    *rest = tail;
    head.try_into().expect("split at N")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_says_what_was_put_in() {
        let state = State {
            warc: 3,
            warc_len: 1 << 40,
            rows: 9,
            rows_len: 77,
            rows_count: 5,
            sealed_len: 1234,
            converted: 7,
            firsts_len: 99,
            pages: 123,
            duplicates: 4,
        };
        assert_eq!(State::decode(state.encode().as_bytes(), Path::new("d")).unwrap(), state);
        assert_eq!(state.sealed(), Some(8));
        assert_eq!(State::START.sealed(), None);
    }

    #[test]
    fn a_mark_of_another_version_or_length_is_refused() {
        let mut bytes = State::START.encode().as_bytes().to_vec();
        assert!(State::decode(&bytes[..60], Path::new("d")).is_err());
        assert!(State::decode(&[], Path::new("d")).is_err());
        bytes[0] = 9;
        assert!(State::decode(&bytes, Path::new("d")).is_err());
    }

    #[test]
    fn a_mark_that_contradicts_itself_is_refused() {
        for state in [
            State { rows: 9, converted: 3, ..State::START },
            State { rows_count: u32::MAX, pages: 7, ..State::START },
            State { duplicates: 8, pages: 7, ..State::START },
        ] {
            assert!(State::decode(state.encode().as_bytes(), Path::new("d")).is_err());
        }
    }
}
