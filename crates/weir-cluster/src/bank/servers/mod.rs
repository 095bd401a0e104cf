//! Which attempt may ask which server, so that all of them together keep to what one server is asked
//! with, though its names are in several buckets. No clock and no socket; times come in.
//!
//! A server is asked only by who holds it. Why the sum holds, whatever is lost or late on the way:
//!
//! - What was granted counts from the moment it is decided until its holder says that it keeps to a later
//!   grant; so nothing that is recalled goes to another before.
//! - Words and grants of one connection come in order. A new connection begins with all that the attempt
//!   wants and may be using; grants of the old one are void then, and none are sent before.
//! - What a lost attempt held is free when it has stopped for certain, by the rules for its bucket.
//! - A pause is counted by the bank from the word that the server was given back, and by the next holder
//!   from the grant: both come after what they tell of, so that no two clocks are compared.
//!
//! `server` is one server; here is who has a part in which.

mod server;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Instant;

use tonic::Status;
use weir_crawl::{MOST_SERVERS, ServerGrant, ServerKey, ServerWords};

use self::server::Server;

#[derive(Default)]
pub struct Servers {
    servers: HashMap<ServerKey, Server>,
    tenants: HashMap<u64, Tenant>,
    /// Those that several want, and those that nobody does and that are not rested yet.
    watched: HashSet<ServerKey>,
    /// Who is to be told something.
    due: BTreeSet<u64>,
    /// The last version given out.
    version: u64,
}

/// An attempt that holds its bucket.
struct Tenant {
    bucket: u32,
    /// It has said how it stands since it was connected.
    is_there: bool,
    servers: HashSet<ServerKey>,
    /// Those of which it is to be told.
    due: BTreeSet<ServerKey>,
}

/// What goes into one message.
const MOST_GRANTS: usize = 4096;

impl Servers {
    /// It holds its bucket, or is connected again.
    pub fn joined(&mut self, who: u64, bucket: u32) {
        self.lost(who);
        self.tenants.entry(who).or_insert_with(|| Tenant {
            bucket,
            is_there: false,
            servers: HashSet::new(),
            due: BTreeSet::new(),
        });
    }

    /// It is out of reach, and keeps what it holds.
    pub fn lost(&mut self, who: u64) {
        let Some(tenant) = self.tenants.get_mut(&who) else { return };
        tenant.is_there = false;
        tenant.due.clear();
        self.due.remove(&who);
        for key in &tenant.servers {
            self.servers.get_mut(key).into_iter().for_each(|server| server.lost(who));
        }
    }

    /// It certainly asks for nothing more.
    pub fn left(&mut self, who: u64, now: Instant) {
        self.due.remove(&who);
        let Some(tenant) = self.tenants.remove(&who) else { return };
        for key in tenant.servers {
            self.servers.get_mut(&key).into_iter().for_each(|server| server.left(who, now));
            self.settle(key, now);
        }
    }

    /// `all` if it is all that it wants and may be using.
    pub fn said(
        &mut self,
        who: u64,
        words: &ServerWords,
        all: bool,
        now: Instant,
    ) -> Result<(), Status> {
        let Some(tenant) = self.tenants.get_mut(&who) else { return Ok(()) };
        if tenant.is_there == all {
            let why =
                "a task says once on each connection, and first, all that it holds of servers";
            return Err(Status::invalid_argument(why));
        }
        // What is given back and what is wanted instead may come in any order.
        if tenant.servers.len() > 2 * MOST_SERVERS || words.words.len() > MOST_SERVERS {
            return Err(Status::invalid_argument(format!(
                "a task wants more servers than it may: {MOST_SERVERS}"
            )));
        }
        tenant.is_there = true;
        if all {
            self.drop_unlisted(who, words, now);
        }
        for word in &words.words {
            let server = self.servers.entry(word.server);
            let server = server.or_insert_with(|| Server::new(words.manners));
            server.tighten(words.manners);
            match all {
                true => server.listed(who, word, now),
                false => server.said(who, word, now),
            }
            self.note_seat(who, word.server);
            self.settle(word.server, now);
        }
        Ok(())
    }

    /// What it does not list it has given back, though the word of it was lost.
    fn drop_unlisted(&mut self, who: u64, words: &ServerWords, now: Instant) {
        let listed: HashSet<ServerKey> = words.words.iter().map(|word| word.server).collect();
        let Some(tenant) = self.tenants.get_mut(&who) else { return };
        let dropped: Vec<ServerKey> = tenant.servers.difference(&listed).copied().collect();
        tenant.servers.retain(|key| listed.contains(key));
        for key in dropped {
            self.servers.get_mut(&key).into_iter().for_each(|server| server.left(who, now));
            self.settle(key, now);
        }
    }

    fn note_seat(&mut self, who: u64, key: ServerKey) {
        let (Some(server), Some(tenant)) = (self.servers.get(&key), self.tenants.get_mut(&who))
        else {
            return;
        };
        match server.has(who) {
            true => tenant.servers.insert(key),
            false => tenant.servers.remove(&key),
        };
    }

    fn settle(&mut self, key: ServerKey, now: Instant) {
        let Some(server) = self.servers.get_mut(&key) else { return };
        for who in server.settle(&mut self.version, now) {
            if let Some(tenant) = self.tenants.get_mut(&who) {
                tenant.due.insert(key);
                self.due.insert(who);
            }
        }
        match server.is_simple() {
            true => self.watched.remove(&key),
            false => self.watched.insert(key),
        };
        if server.is_forgotten(now) {
            self.servers.remove(&key);
            self.watched.remove(&key);
        }
    }

    /// A few times a second: turns end.
    pub fn tick(&mut self, now: Instant) {
        let watched: Vec<ServerKey> = self.watched.iter().copied().collect();
        watched.into_iter().for_each(|key| self.settle(key, now));
    }

    /// Who is to be told something, and the bucket that it holds.
    pub fn due(&self) -> Vec<(u64, u32)> {
        let bucket = |who: &u64| Some((*who, self.tenants.get(who)?.bucket));
        self.due.iter().filter_map(bucket).collect()
    }

    /// What it is to be told now; it counts as told.
    pub fn take(&mut self, who: u64, now: Instant) -> Vec<ServerGrant> {
        let Some(tenant) = self.tenants.get_mut(&who) else { return Vec::new() };
        let mut grants = Vec::new();
        while grants.len() < MOST_GRANTS
            && let Some(key) = tenant.due.pop_first()
        {
            let server = self.servers.get(&key);
            grants.extend(server.and_then(|server| server.grant(key, who, now)));
        }
        if tenant.due.is_empty() {
            self.due.remove(&who);
        }
        grants
    }
}
