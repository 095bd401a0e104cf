//! What a scheduler must not forget when it is killed: notes in the frontier, in the same frames as
//! the outcomes they belong to.

use serde::{Deserialize, Serialize};
use weir_frontier::Frontier;

use crate::seal::SECRET;

/// Of the crawl; made once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlNote {
    /// By which downloaders know whose pages they have.
    pub crawl: [u8; 16],
    pub secret: [u8; SECRET],
    /// Which start of the scheduler this is.
    pub epoch: u32,
    pub members: u32,
}

/// Of one downloader: who it is, which hardly ever changes, and how far it is, which always does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberNote {
    pub who: Who,
    pub account: Account,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    pub id: [u8; 16],
    pub name: String,
    pub out: String,
    /// It never comes back; what it kept waits again since the frame of this note.
    #[serde(default)]
    pub written_off: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// It had jobs when this was written.
    pub busy: bool,
    /// Its outcomes up to this one are settled...
    pub applied: u64,
    /// ...but these, which came too late...
    pub rejected: Vec<u64>,
    /// ...and up to this one it has said to have stored them.
    pub stored: u64,
}

const CRAWL: &str = "cluster";

fn who_key(number: usize) -> String {
    format!("cluster/{number}")
}

fn account_key(number: usize) -> String {
    format!("cluster/{number}/account")
}

impl CrawlNote {
    /// The one of this crawl, with a new epoch; made up if there is none.
    pub fn open(frontier: &mut Frontier) -> Result<CrawlNote, getrandom::Error> {
        let known = frontier.note(CRAWL).and_then(|bytes| serde_json::from_slice(bytes).ok());
        let mut note = match known {
            Some(note) => note,
            None => {
                let mut note =
                    CrawlNote { crawl: [0; 16], secret: [0; SECRET], epoch: 0, members: 0 };
                getrandom::fill(&mut note.crawl)?;
                getrandom::fill(&mut note.secret)?;
                note
            }
        };
        note.epoch += 1;
        note.write(frontier);
        Ok(note)
    }

    pub fn write(&self, frontier: &mut Frontier) {
        let bytes = serde_json::to_vec(self).expect("numbers always serialize");
        frontier.set_note(CRAWL, &bytes);
    }
}

impl MemberNote {
    pub fn all(frontier: &Frontier, count: u32) -> Vec<MemberNote> {
        let read = |number| {
            let who = serde_json::from_slice(frontier.note(&who_key(number))?).ok()?;
            let account = serde_json::from_slice(frontier.note(&account_key(number))?).ok()?;
            Some(MemberNote { who, account })
        };
        (0..count as usize).map_while(read).collect()
    }
}

impl Who {
    pub fn write(&self, number: usize, frontier: &mut Frontier) {
        let bytes = serde_json::to_vec(self).expect("numbers and texts always serialize");
        frontier.set_note(&who_key(number), &bytes);
    }
}

impl Account {
    pub fn write(&self, number: usize, frontier: &mut Frontier) {
        let bytes = serde_json::to_vec(self).expect("numbers always serialize");
        frontier.set_note(&account_key(number), &bytes);
    }
}
