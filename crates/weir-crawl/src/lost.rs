//! Who has which page, where pages are kept on several machines, and what to do when one of them is lost.

use std::collections::{BTreeMap, BTreeSet};

use crate::visit::Visit;

/// Those who are written off, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    pub all: BTreeSet<u32>,
    /// Those of them whose pages nobody has asked for again yet, and what they are called.
    pub anew: BTreeMap<u32, String>,
}

/// The note of a URL: its last visit, and on a line after that the numbers of those who have the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UrlNote {
    /// None if nothing of it helps the next time, as of a page that came only in part.
    pub visit: Option<Visit>,
    /// Nobody, if this process has it.
    pub kept_by: Vec<u32>,
}

impl UrlNote {
    pub fn from_bytes(bytes: &[u8]) -> UrlNote {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let line = text.split('\n').nth(Visit::LINES).unwrap_or_default();
        let kept_by = line.split(',').filter_map(|number| number.parse().ok()).collect();
        UrlNote { visit: Visit::from_bytes(bytes), kept_by }
    }

    /// The note of these, as it is written; none if there is nothing to note.
    pub fn write(visit: Option<&Visit>, kept_by: &[u32]) -> Option<Vec<u8>> {
        let mut bytes = match visit {
            Some(visit) => visit.to_bytes(),
            None if kept_by.is_empty() => return None,
            None => vec![b'\n'; Visit::LINES - 1],
        };
        if !kept_by.is_empty() {
            let numbers: Vec<String> = kept_by.iter().map(u32::to_string).collect();
            bytes.push(b'\n');
            bytes.extend_from_slice(numbers.join(",").as_bytes());
        }
        Some(bytes)
    }

    /// The page cannot be had from everybody who had a part of it.
    pub fn is_lost(&self, lost: &BTreeSet<u32>) -> bool {
        self.kept_by.iter().any(|number| lost.contains(number))
    }

    /// For a page whose payload is lost: the server must send it again, whether it has changed or not.
    pub fn without_conditions(mut self) -> UrlNote {
        if let Some(visit) = &mut self.visit {
            (visit.etag, visit.last_modified) = (None, None);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit() -> Visit {
        Visit { at_ms: 5, etag: Some("\"a\"".into()), digest: "sha1:X".into(), ..Visit::default() }
    }

    #[test]
    fn a_note_reads_back_as_written_with_a_visit_and_without() {
        for visit in [None, Some(visit())] {
            for kept_by in [vec![], vec![3], vec![0, 12]] {
                let note = UrlNote { visit: visit.clone(), kept_by };
                let bytes = UrlNote::write(note.visit.as_ref(), &note.kept_by).unwrap_or_default();
                assert_eq!(UrlNote::from_bytes(&bytes), note);
                assert_eq!(Visit::from_bytes(&bytes), note.visit, "as those before have read it");
            }
        }
    }

    #[test]
    fn a_note_of_before_is_of_a_page_that_nobody_else_has() {
        for older in [&b"5\n\n\nsha1:X"[..], &visit().to_bytes(), b"", b"\xff", b"\n\n\n\n\nx,"] {
            assert_eq!(UrlNote::from_bytes(older).kept_by, Vec::<u32>::new());
        }
    }

    #[test]
    fn a_page_of_two_is_lost_with_either_and_asked_for_without_conditions() {
        let note = UrlNote { visit: Some(visit()), kept_by: vec![1, 4] };
        assert!(note.is_lost(&BTreeSet::from([4, 9])) && note.is_lost(&BTreeSet::from([1])));
        assert!(!note.is_lost(&BTreeSet::from([0, 2])));
        let asked = note.without_conditions();
        assert!(asked.visit.as_ref().is_some_and(|visit| visit.conditions().is_empty()));
        assert_eq!(asked.kept_by, [1, 4]);
    }
}
