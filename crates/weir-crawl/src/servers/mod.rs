//! Servers that are leased to this crawl, where others crawl beside it and may ask the same ones: a
//! server is asked only while it is leased, and by no more requests at a time than were leased.
//!
//! [`Servers`] is what the crawl and whoever leases (for a crawl on Spark, the bank in the driver) tell
//! each other. `lease` is what the crawl has of one server; `line` lives by it.

mod lease;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

pub use lease::ServerLease;

/// One server is one address. A port that is neither 80 nor 443, which are 0 here, is a server of its
/// own: programs of different owners, as on the loopback interface.
pub type ServerKey = (IpAddr, u16);

/// A crawl has no more of them than this at a time, wanted ones included.
pub const MOST_SERVERS: usize = 1 << 16;
const MOST_WORDS: usize = 8192;

/// How one server may be asked by all who crawl together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerManners {
    /// Requests at a time.
    pub most: u32,
    pub delay_ms: u64,
}

/// What a crawl says of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerWord {
    pub server: ServerKey,
    /// Up to this grant it has heard...
    pub version: u64,
    /// ...and it asks with so many requests at a time, at the most, until it hears of another.
    pub slots: u32,
    /// It has none, and something to ask for.
    pub wants: bool,
    /// Since the end of the last request, if it made any with what was granted.
    pub rested_ms: Option<u64>,
}

/// What a crawl is told of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerGrant {
    pub server: ServerKey,
    /// A later one has a higher number.
    pub version: u64,
    /// So many requests at a time from now on.
    pub slots: u32,
    /// The first of them not before that.
    pub wait_ms: u64,
    /// Others want the server too: what is not used is to be given back.
    pub contested: bool,
}

/// Words on their way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerWords {
    pub manners: ServerManners,
    pub words: Vec<ServerWord>,
}

/// A board between a crawl and whoever leases servers to it. Cloned, it is the same one.
#[derive(Clone, Default)]
pub struct Servers(Arc<Board>);

#[derive(Default)]
struct Board {
    lists: Mutex<Lists>,
    said: Notify,
    granted: Notify,
}

#[derive(Default)]
struct Lists {
    manners: Option<ServerManners>,
    /// What the crawl wants, and what it may be using.
    standing: HashMap<ServerKey, ServerWord>,
    /// Words that nobody has taken yet, and grants. Of each server the last one counts, so that neither
    /// grows without bound.
    unsaid: HashMap<ServerKey, ServerWord>,
    grants: HashMap<ServerKey, ServerGrant>,
}

/// The crawl's side.
impl Servers {
    /// To be said before all else.
    pub fn behave(&self, manners: ServerManners) {
        self.lists().manners = Some(manners);
    }

    pub fn say(&self, words: &[ServerWord]) {
        let mut lists = self.lists();
        for word in words {
            match word.slots > 0 || word.wants {
                true => lists.standing.insert(word.server, *word),
                false => lists.standing.remove(&word.server),
            };
            // A word that was not taken is forgotten, but not the request that it tells of.
            let before = lists.unsaid.get(&word.server).and_then(|before| before.rested_ms);
            let rested_ms = before.into_iter().chain(word.rested_ms).min();
            lists.unsaid.insert(word.server, ServerWord { rested_ms, ..*word });
        }
        drop(lists);
        if !words.is_empty() {
            self.0.said.notify_one();
        }
    }

    /// From now on the crawl goes by them. What it is raised to may be in use at once, and is part of
    /// what it stands for; what it is lowered to is so when it says so.
    pub fn take_grants(&self) -> Vec<ServerGrant> {
        let mut lists = self.lists();
        let Lists { standing, grants, .. } = &mut *lists;
        let taken: Vec<ServerGrant> = grants.drain().map(|(_, grant)| grant).collect();
        for grant in &taken {
            let known = standing.get(&grant.server);
            if grant.slots > known.map_or(0, |known| known.slots) {
                let ServerGrant { server, version, slots, .. } = *grant;
                let word = ServerWord { server, version, slots, wants: false, rested_ms: None };
                standing.insert(server, word);
            }
        }
        taken
    }

    /// Waits for grants. Nothing is lost if this is dropped.
    pub async fn granted(&self) {
        self.0.granted.notified().await;
    }

    /// How many it has or wants.
    pub fn count(&self) -> usize {
        self.lists().standing.len()
    }
}

/// The side of whoever leases.
impl Servers {
    /// A new conversation: all that the crawl wants and may be using. Grants that it has not taken were
    /// part of the old one and are void. `None` if no crawl is there yet.
    pub fn list(&self) -> Option<ServerWords> {
        let mut lists = self.lists();
        let manners = lists.manners?;
        lists.unsaid.clear();
        lists.grants.clear();
        Some(ServerWords { manners, words: lists.standing.values().copied().collect() })
    }

    /// What was said since, or as much of it as a message should have; the rest is still to be taken.
    pub fn take_words(&self) -> ServerWords {
        let mut lists = self.lists();
        let taken: Vec<ServerKey> = lists.unsaid.keys().copied().take(MOST_WORDS).collect();
        let words = taken.iter().filter_map(|server| lists.unsaid.remove(server)).collect();
        if !lists.unsaid.is_empty() {
            self.0.said.notify_one();
        }
        ServerWords { manners: lists.manners.unwrap_or_default(), words }
    }

    pub fn grant(&self, grants: impl IntoIterator<Item = ServerGrant>) {
        let mut lists = self.lists();
        for grant in grants {
            let last = lists.grants.entry(grant.server).or_insert(grant);
            if grant.version > last.version {
                *last = grant;
            }
        }
        drop(lists);
        self.0.granted.notify_one();
    }

    /// Waits for words. Nothing is lost if this is dropped.
    pub async fn said(&self) {
        self.0.said.notified().await;
    }

    /// What a thread that panicked has left is as good as before: nothing is half done for long.
    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.0.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> ServerKey {
        ([192, 0, 2, number].into(), 0)
    }

    fn word(number: u8, version: u64, slots: u32, wants: bool) -> ServerWord {
        ServerWord { server: key(number), version, slots, wants, rested_ms: None }
    }

    fn grant(number: u8, version: u64, slots: u32) -> ServerGrant {
        ServerGrant { server: key(number), version, slots, wait_ms: 0, contested: false }
    }

    fn servers() -> Servers {
        let servers = Servers::default();
        servers.behave(ServerManners { most: 1, delay_ms: 0 });
        servers
    }

    #[test]
    fn of_each_server_the_last_word_is_said_and_a_list_has_what_is_held_or_wanted() {
        let servers = servers();
        servers.say(&[word(1, 0, 0, true), word(2, 0, 0, true)]);
        servers.say(&[word(1, 0, 0, false)]);
        let said = servers.take_words().words;
        assert_eq!(said.len(), 2);
        assert!(said.contains(&word(1, 0, 0, false)));
        assert!(servers.take_words().words.is_empty());
        assert_eq!(servers.list().unwrap().words, [word(2, 0, 0, true)]);
    }

    #[test]
    fn the_end_of_a_request_is_told_although_more_was_said_since() {
        let servers = servers();
        servers.say(&[ServerWord { rested_ms: Some(5), ..word(1, 3, 0, false) }]);
        servers.say(&[word(1, 3, 0, true)]);
        let said = servers.take_words().words;
        assert_eq!(said, [ServerWord { rested_ms: Some(5), ..word(1, 3, 0, true) }]);
    }

    #[test]
    fn what_was_granted_and_taken_is_listed_and_what_was_not_taken_is_void() {
        let servers = servers();
        servers.say(&[word(1, 0, 0, true)]);
        servers.grant([grant(1, 4, 1)]);
        assert_eq!(servers.list().unwrap().words, [word(1, 0, 0, true)]);
        assert!(servers.take_grants().is_empty(), "another may have been granted it since");
        servers.grant([grant(1, 6, 1), grant(1, 5, 0)]);
        assert_eq!(servers.take_grants(), [grant(1, 6, 1)], "the later one counts");
        assert_eq!(servers.list().unwrap().words, [word(1, 6, 1, false)]);
    }

    #[test]
    fn what_is_to_be_lowered_is_listed_as_it_was_until_the_crawl_is_down_to_it() {
        let servers = servers();
        servers.grant([grant(1, 1, 2)]);
        servers.take_grants();
        servers.grant([grant(1, 2, 0)]);
        servers.take_grants();
        assert_eq!(servers.list().unwrap().words, [word(1, 1, 2, false)]);
        servers.say(&[word(1, 2, 0, false)]);
        assert!(servers.list().unwrap().words.is_empty());
    }

    #[test]
    fn there_is_nothing_to_list_before_a_crawl_is_there() {
        assert_eq!(Servers::default().list(), None);
    }
}
