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

/// Of one downloader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberNote {
    pub id: [u8; 16],
    pub name: String,
    pub out: String,
    /// It had jobs when this was written.
    pub busy: bool,
    /// Its outcomes up to this one are settled...
    pub applied: u64,
    /// ...but these, which came too late...
    pub rejected: Vec<u64>,
    /// ...and up to this one it has said to have stored them.
    pub stored: u64,
    /// It never comes back; what it kept waits again since the frame of this note.
    #[serde(default)]
    pub written_off: bool,
}

const CRAWL: &str = "cluster";

fn member_key(number: usize) -> String {
    format!("cluster/{number}")
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
            let bytes = frontier.note(&member_key(number))?;
            serde_json::from_slice(bytes).ok()
        };
        (0..count as usize).map_while(read).collect()
    }

    pub fn write(&self, number: usize, frontier: &mut Frontier) {
        let bytes = serde_json::to_vec(self).expect("numbers and texts always serialize");
        frontier.set_note(&member_key(number), &bytes);
    }
}
