//! Rounds that are over, a line each, for who wants to know how the last ones went.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::plan::text_of;
use crate::tasks::Task;

/// The name of the file in the output folder.
pub const FILE: &str = "rounds.jsonl";

/// One round of one site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PastRound {
    pub site: String,
    pub round: u32,
    pub began: String,
    pub finished: Option<String>,
    pub pages: u64,
    pub bytes_wire: u64,
    pub deadline: Option<String>,
    pub met: Option<bool>,
    pub late_by_s: Option<f64>,
}

impl PastRound {
    /// None of a site that has no rounds.
    pub fn of(task: &Task, now: jiff::Timestamp) -> Option<PastRound> {
        let round = task.round?;
        Some(PastRound {
            site: task.name.clone(),
            round: round.number,
            began: text_of(round.began),
            finished: task.finished.map(text_of),
            pages: task.pages,
            bytes_wire: task.came as u64,
            deadline: task.due.map(text_of),
            met: task.is_met(now),
            late_by_s: task.late_by_s(now),
        })
    }

    /// Adds it to those before it.
    pub fn append(&self, out: &Path) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        OpenOptions::new().create(true).append(true).open(out.join(FILE))?.write_all(&line)
    }

    /// The last ones, the newest first. A kill may have written one twice, or half of one.
    pub fn read(out: &Path, most: usize) -> Vec<PastRound> {
        let text = fs::read_to_string(out.join(FILE)).unwrap_or_default();
        let mut rounds: Vec<PastRound> = Vec::new();
        for round in
            text.lines().rev().filter_map(|line| serde_json::from_str::<PastRound>(line).ok())
        {
            let is_known =
                rounds.iter().any(|known| (&known.site, known.round) == (&round.site, round.round));
            if !is_known {
                rounds.push(round);
            }
            if rounds.len() == most {
                break;
            }
        }
        rounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(site: &str, number: u32, pages: u64) -> PastRound {
        PastRound {
            site: site.to_owned(),
            round: number,
            began: "2026-11-17T00:00:00Z".to_owned(),
            finished: None,
            pages,
            bytes_wire: 1,
            deadline: None,
            met: None,
            late_by_s: None,
        }
    }

    #[test]
    fn the_newest_come_first_and_each_once_whatever_a_kill_has_left() {
        let folder = tempfile::tempdir().unwrap();
        assert!(PastRound::read(folder.path(), 10).is_empty());
        for past in [round("a", 1, 5), round("a", 2, 6), round("b", 1, 7), round("a", 2, 8)] {
            past.append(folder.path()).unwrap();
        }
        let path = folder.path().join(FILE);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"site\":\"c\",\"rou").unwrap();
        let read = PastRound::read(folder.path(), 10);
        assert_eq!(read, [round("a", 2, 8), round("b", 1, 7), round("a", 1, 5)]);
        assert_eq!(PastRound::read(folder.path(), 1).len(), 1);
    }
}
