//! Servers that are leased. A host whose server is not ours just now waits as for a server that is busy,
//! and is served when the lease comes. What is not used is given back when others want it.

use std::collections::BTreeSet;

use super::{Line, Server};
use crate::servers::{MOST_SERVERS, ServerGrant, ServerManners, ServerWord, Servers};

/// What there is to say and to look after. Servers go by their numbers in the line.
pub(super) struct Leasing {
    servers: Servers,
    /// Those of which there may be something to say.
    touched: Vec<u32>,
    /// Held, and wanted by others.
    contested: BTreeSet<u32>,
    awaited: BTreeSet<u32>,
    /// To be asked for when there are fewer.
    put_off: BTreeSet<u32>,
    swept_ms: u64,
}

/// A server that nobody asked for so long is given back, although nobody else wants it: who leases need
/// not remember it.
const IDLE_MS: u64 = 30_000;
/// How often these are looked for.
const SWEEP_MS: u64 = 2_000;

impl Line {
    /// From now on servers are asked only while they are leased. Before hosts have their places.
    pub fn lease_from(&mut self, servers: Servers) {
        let most = u32::try_from(self.per_ip).unwrap_or(u32::MAX);
        servers.behave(ServerManners { most, delay_ms: self.ip_delay_ms });
        self.leasing = Some(Leasing {
            servers,
            touched: Vec::new(),
            contested: BTreeSet::new(),
            awaited: BTreeSet::new(),
            put_off: BTreeSet::new(),
            swept_ms: 0,
        });
    }

    /// Hosts wait for a server that somebody else has.
    pub fn awaits_server(&self) -> bool {
        let waits = |leasing: &Leasing| !leasing.awaited.is_empty() || !leasing.put_off.is_empty();
        self.leasing.as_ref().is_some_and(waits)
    }

    /// Goes by what was granted or recalled since.
    pub fn heed_grants(&mut self, now_ms: u64) {
        let Some(leasing) = &self.leasing else { return };
        for grant in leasing.servers.take_grants() {
            self.heed(&grant, now_ms);
        }
    }

    fn heed(&mut self, grant: &ServerGrant, now_ms: u64) {
        let Some(number) = self.by_address.get(&grant.server).copied() else { return };
        let (server, Some(leasing)) = (&mut self.servers[number as usize], &mut self.leasing)
        else {
            return;
        };
        let Some(lease) = &mut server.lease else { return };
        if !lease.granted(grant, now_ms) {
            return;
        }
        server.not_before_ms = server.not_before_ms.max(now_ms.saturating_add(grant.wait_ms));
        leasing.touched.push(number);
        if lease.is_contested() {
            leasing.contested.insert(number);
        }
        if !lease.is_awaited() {
            leasing.awaited.remove(&number);
        }
        for _ in server.in_flight..lease.slots() as usize {
            self.serve_next(number);
        }
    }

    pub(super) fn touch(&mut self, number: u32) {
        if let Some(leasing) = &mut self.leasing {
            leasing.touched.push(number);
        }
    }

    /// At the end of each turn, when all that may start has started. At the end of all, nothing will.
    pub fn tend_leases(&mut self, now_ms: u64, is_ending: bool) {
        let Some(mut leasing) = self.leasing.take() else { return };
        match is_ending {
            true => self.give_back_all(&mut leasing),
            false => self.give_back_unused(&mut leasing, now_ms),
        }
        let mut room = MOST_SERVERS.saturating_sub(leasing.servers.count());
        let mut words = Vec::new();
        for number in std::mem::take(&mut leasing.touched) {
            if self.is_unknown(number) {
                if room == 0 {
                    leasing.put_off.insert(number);
                    continue;
                }
                room -= 1;
            }
            if let Some(word) = self.word_of(number, is_ending, now_ms) {
                match word.wants {
                    true => leasing.awaited.insert(number),
                    false => leasing.awaited.remove(&number),
                };
                words.push(word);
            }
        }
        leasing.servers.say(&words);
        self.leasing = Some(leasing);
    }

    fn is_unknown(&self, number: u32) -> bool {
        let lease = self.servers[number as usize].lease.as_ref();
        lease.is_some_and(|lease| lease.is_unknown())
    }

    fn word_of(&mut self, number: u32, is_ending: bool, now_ms: u64) -> Option<ServerWord> {
        let server = &mut self.servers[number as usize];
        let waits = !is_ending && !server.waiting.is_empty();
        server.lease.as_mut()?.word(server.in_flight, waits, now_ms)
    }

    fn give_back_all(&mut self, leasing: &mut Leasing) {
        for (number, server) in self.servers.iter_mut().enumerate() {
            let Some(lease) = &mut server.lease else { continue };
            if lease.slots() > 0 && server.in_flight == 0 {
                lease.give_back();
            }
            if !lease.is_unknown() {
                leasing.touched.push(number as u32);
            }
        }
        leasing.put_off.clear();
    }

    fn give_back_unused(&mut self, leasing: &mut Leasing, now_ms: u64) {
        let Leasing { touched, contested, put_off, swept_ms, .. } = leasing;
        // Whoever stands in line for want of room may be of any server.
        if self.ready.is_empty() && self.spare.is_empty() {
            let servers = &mut self.servers;
            contested.retain(|number| {
                let server = &mut servers[*number as usize];
                if server.give_back_unused(0, now_ms) {
                    touched.push(*number);
                }
                server.lease.as_ref().is_some_and(|lease| lease.is_contested())
            });
        }
        if now_ms < *swept_ms + SWEEP_MS {
            return;
        }
        *swept_ms = now_ms;
        touched.extend(std::mem::take(put_off));
        for (number, server) in self.servers.iter_mut().enumerate() {
            if server.give_back_unused(IDLE_MS, now_ms) {
                touched.push(number as u32);
            }
        }
    }
}

impl Server {
    /// True if it was held, nothing was done with it for so long, and nothing is there to do.
    fn give_back_unused(&mut self, least_ms: u64, now_ms: u64) -> bool {
        let Some(lease) = &mut self.lease else { return false };
        let is_idle = lease.idle_ms(now_ms).is_some_and(|idle_ms| idle_ms >= least_ms);
        // Before that time its hosts may be resting for its sake only.
        let may_be_asked = now_ms >= self.not_before_ms;
        let is_unused = is_idle && may_be_asked && self.in_flight == 0 && self.waiting.is_empty();
        if is_unused {
            lease.give_back();
        }
        is_unused
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use weir_frontier::HostId;

    use super::*;
    use crate::pace::PaceLimits;
    use crate::servers::ServerKey;

    /// Hosts, each at one of the addresses 192.0.2.N, and the other side of what they say.
    struct Trial {
        line: Line,
        servers: Servers,
        version: u64,
    }

    fn key(number: u8) -> ServerKey {
        ([192, 0, 2, number].into(), 0)
    }

    impl Trial {
        fn new(per_ip: usize, delay_ms: u64, places: &[u8]) -> Trial {
            let mut line = Line::new(per_ip, Duration::from_millis(delay_ms));
            let servers = Servers::default();
            line.lease_from(servers.clone());
            for (number, server) in places.iter().enumerate() {
                line.add_host(&PaceLimits { most: 1, delay: Duration::ZERO, slow_down: 0.0 });
                let id = HostId(number as u32);
                line.place(id, SocketAddr::new([192, 0, 2, *server].into(), 80));
                line.enlist(id);
            }
            Trial { line, servers, version: 0 }
        }

        fn grant(&mut self, number: u8, slots: u32, wait_ms: u64, contested: bool) {
            self.version += 1;
            let version = self.version;
            let grant = ServerGrant { server: key(number), version, slots, wait_ms, contested };
            self.servers.grant([grant]);
        }

        /// A turn: who was started, and what was said (server, slots, wants).
        fn turn(&mut self, now_ms: u64) -> (Vec<u32>, Vec<(u8, u32, bool)>) {
            self.line.heed_grants(now_ms);
            let mut started = Vec::new();
            while let Some(id) = self.line.next(now_ms) {
                self.line.started(id, now_ms);
                started.push(id.0);
            }
            self.line.tend_leases(now_ms, false);
            (started, self.said())
        }

        fn said(&mut self) -> Vec<(u8, u32, bool)> {
            let said = self.servers.take_words().words.into_iter().map(|word| {
                let number = (1..=9).find(|number| key(*number) == word.server).unwrap();
                (number, word.slots, word.wants)
            });
            let mut said: Vec<_> = said.collect();
            said.sort_unstable();
            said
        }

        fn end(&mut self, host: u32, now_ms: u64) {
            self.line.ended(HostId(host), now_ms, None);
        }
    }

    const NOTHING: [(u8, u32, bool); 0] = [];

    #[test]
    fn a_server_is_asked_for_once_and_then_only_when_it_is_leased() {
        let mut trial = Trial::new(1, 0, &[1, 1, 2]);
        assert_eq!(trial.turn(0), (vec![], vec![(1, 0, true), (2, 0, true)]));
        assert!(trial.line.awaits_server());
        assert_eq!(trial.turn(10), (vec![], vec![]));
        trial.grant(1, 1, 0, false);
        assert_eq!(trial.turn(20), (vec![0], vec![]));
        trial.end(0, 30);
        assert_eq!(trial.turn(30), (vec![1], vec![]), "it is kept without a word");
        trial.grant(2, 1, 100, false);
        assert_eq!(trial.turn(50), (vec![], vec![]), "not before the pause");
        assert!(!trial.line.awaits_server());
        assert_eq!(trial.turn(150), (vec![2], vec![]));
    }

    #[test]
    fn a_server_that_is_recalled_is_given_back_when_nothing_is_under_way_and_wanted_again() {
        let mut trial = Trial::new(1, 0, &[1, 1]);
        trial.turn(0);
        trial.grant(1, 1, 0, false);
        assert_eq!(trial.turn(0).0, [0]);
        trial.grant(1, 0, 0, false);
        trial.line.enlist(HostId(1));
        assert_eq!(trial.turn(10), (vec![], vec![]));
        trial.end(0, 20);
        assert_eq!(trial.turn(20), (vec![], vec![(1, 0, true)]));
        trial.grant(1, 1, 0, true);
        assert_eq!(trial.turn(30).0, [1]);
    }

    #[test]
    fn what_is_lowered_is_said_when_no_more_than_that_is_under_way() {
        let mut trial = Trial::new(4, 0, &[1, 1, 1, 1, 1]);
        trial.turn(0);
        trial.grant(1, 3, 0, false);
        assert_eq!(trial.turn(0).0, [0, 1, 2], "as many as were granted");
        trial.grant(1, 1, 0, true);
        assert_eq!(trial.turn(1), (vec![], vec![]));
        trial.end(0, 2);
        assert_eq!(trial.turn(2), (vec![], vec![]));
        trial.end(1, 3);
        assert_eq!(trial.turn(3), (vec![], vec![(1, 1, false)]));
        trial.end(2, 4);
        assert_eq!(trial.turn(4), (vec![3], vec![]));
    }

    #[test]
    fn what_others_want_is_given_back_when_there_is_nothing_to_ask_for() {
        let mut trial = Trial::new(1, 100, &[1, 1]);
        trial.line.rest_until(HostId(1), 5_000);
        trial.turn(0);
        trial.grant(1, 1, 0, false);
        assert_eq!(trial.turn(0).0, [0]);
        trial.end(0, 10);
        assert_eq!(trial.turn(200).1, NOTHING, "nobody else wants it");
        trial.grant(1, 1, 0, true);
        assert_eq!(trial.turn(300).1, [(1, 0, false)]);
        assert_eq!(trial.turn(5_000), (vec![], vec![(1, 0, true)]));
    }

    #[test]
    fn a_pause_that_is_only_the_servers_does_not_give_it_away() {
        let mut trial = Trial::new(1, 100, &[1, 1]);
        trial.turn(0);
        trial.grant(1, 1, 0, true);
        assert_eq!(trial.turn(0).0, [0]);
        trial.end(0, 10);
        assert_eq!(trial.turn(50), (vec![], vec![]));
        assert_eq!(trial.turn(110), (vec![1], vec![]));
    }

    #[test]
    fn a_host_that_moves_takes_its_requests_to_a_server_that_is_asked_for_when_they_have_ended() {
        let mut trial = Trial::new(1, 0, &[1, 2]);
        assert_eq!(trial.turn(0).1.len(), 2);
        trial.grant(1, 1, 0, false);
        assert_eq!(trial.turn(1).0, [0]);
        trial.line.place(HostId(0), "192.0.2.3:80".parse().unwrap());
        trial.line.place(HostId(1), "192.0.2.3:80".parse().unwrap());
        assert_eq!(trial.turn(2), (vec![], vec![(2, 0, false)]), "nobody waits for the old one");
        trial.end(0, 3);
        assert_eq!(trial.turn(3), (vec![], vec![(3, 0, true)]));
    }

    #[test]
    fn what_was_not_used_for_long_and_at_the_end_everything_is_given_back() {
        let mut trial = Trial::new(1, 0, &[1, 2]);
        trial.turn(0);
        trial.grant(1, 1, 0, false);
        trial.grant(2, 1, 0, false);
        assert_eq!(trial.turn(0).0.len(), 2);
        trial.end(0, 10);
        assert_eq!(trial.turn(IDLE_MS + 10).1, [(1, 0, false)]);
        trial.line.tend_leases(IDLE_MS + 20, true);
        assert_eq!(trial.said(), NOTHING, "a request is under way");
        trial.end(1, IDLE_MS + 30);
        trial.line.tend_leases(IDLE_MS + 30, true);
        assert_eq!(trial.said(), [(2, 0, false)]);
        trial.line.tend_leases(IDLE_MS + 40, true);
        assert_eq!(trial.said(), NOTHING);
    }

    #[test]
    fn no_more_servers_than_may_be_had_are_asked_for() {
        let mut trial = Trial::new(1, 0, &[1]);
        let filler = |number: usize| ServerWord {
            server: ([10, (number >> 16) as u8, (number >> 8) as u8, number as u8].into(), 0),
            version: 0,
            slots: 0,
            wants: true,
            rested_ms: None,
        };
        let fillers: Vec<_> = (0..MOST_SERVERS).map(filler).collect();
        trial.servers.say(&fillers);
        trial.servers.list();
        assert_eq!(trial.turn(0), (vec![], vec![]));
        assert!(trial.line.awaits_server());
        trial.servers.say(&[ServerWord { wants: false, ..filler(7) }]);
        trial.servers.list();
        assert_eq!(trial.turn(SWEEP_MS), (vec![], vec![(1, 0, true)]));
    }
}
