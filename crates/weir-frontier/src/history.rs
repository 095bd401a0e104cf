use std::path::Path;

use weir_types::{Fingerprint, Skip};

use crate::FrontierError;
use crate::log::{self, scan};
use crate::record::{Record, UrlKind};

/// What became of one URL, read from the log; works beside a running crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The way from a seed to the URL, the URL itself last; empty if it was left out when found.
    pub path: Vec<String>,
    pub depth: u32,
    pub kind: UrlKind,
    /// Seconds since 1970, as a sitemap says.
    pub lastmod_s: Option<u32>,
    pub events: Vec<Event>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Skipped {
        skip: Skip,
    },
    Kept {
        status: u16,
        bytes_wire: u64,
        at_ms: u64,
    },
    /// A sitemap that was read.
    Read {
        listed: u64,
        at_ms: u64,
    },
    Dropped {
        skip: Option<Skip>,
        at_ms: u64,
        why: String,
    },
    Retry {
        attempts: u32,
        due_ms: u64,
        why: String,
    },
    /// It waits once more.
    Again,
}

/// `None` if the URL was never found.
pub fn history(folder: &Path, fingerprint: Fingerprint) -> Result<Option<History>, FrontierError> {
    let path = folder.join(log::FILE);
    let mut next = 0;
    let mut this = None;
    let mut parent = None;
    let mut history: Option<History> = None;
    scan(&path, u64::MAX, |_, record| {
        let event = match record {
            Record::Add(add) => {
                let number = next;
                next += 1;
                if add.fingerprint == fingerprint {
                    this = Some(number);
                    parent = add.parent;
                    let path = vec![add.url.to_owned()];
                    let (depth, kind, lastmod_s) = (add.depth, add.kind, add.lastmod_s);
                    history = Some(History { path, depth, kind, lastmod_s, events: Vec::new() });
                }
                return;
            }
            Record::Skip { fingerprint: other, skip } if other == fingerprint => {
                history = Some(History::default());
                Event::Skipped { skip }
            }
            Record::Kept(kept) if Some(kept.number) == this => {
                Event::Kept { status: kept.status, bytes_wire: kept.bytes_wire, at_ms: kept.at_ms }
            }
            Record::Read { number, listed, at_ms, .. } if Some(number) == this => {
                Event::Read { listed, at_ms }
            }
            Record::Dropped { number, skip, at_ms, why, .. } if Some(number) == this => {
                Event::Dropped { skip, at_ms, why: why.to_owned() }
            }
            Record::Retry { number, attempts, due_ms, why } if Some(number) == this => {
                Event::Retry { attempts, due_ms, why: why.to_owned() }
            }
            Record::Nearer { number, depth, .. } if Some(number) == this => {
                if let Some(history) = &mut history {
                    history.depth = depth;
                }
                return;
            }
            Record::Again(again) if Some(again.number) == this => Event::Again,
            _ => return,
        };
        if let Some(history) = &mut history {
            history.events.push(event);
        }
    })?;
    if let Some(history) = &mut history {
        history.path.splice(0..0, ancestors(&path, parent)?);
    }
    Ok(history)
}

/// A note as it last stood in the log; works beside a running crawl.
pub fn last_note(folder: &Path, key: &str) -> Result<Option<Vec<u8>>, FrontierError> {
    let mut last = None;
    scan(&folder.join(log::FILE), u64::MAX, |_, record| {
        if let Record::Note { key: other, value } = record
            && other == key
        {
            last = Some(value.to_owned());
        }
    })?;
    Ok(last)
}

/// From the seed down.
fn ancestors(path: &Path, mut parent: Option<u64>) -> Result<Vec<String>, FrontierError> {
    let mut found = Vec::new();
    while let Some(position) = parent {
        let add = crate::log::read_one(path, position, |record| match record {
            Record::Add(add) => Some((add.url.to_owned(), add.parent)),
            Record::Elsewhere { url } => Some((url.to_owned(), None)),
            _ => None,
        })?;
        let Some((url, next)) = add else { break };
        found.push(url);
        // A parent stands before its child, so this ends.
        parent = next.filter(|next| *next < position);
    }
    found.reverse();
    Ok(found)
}
