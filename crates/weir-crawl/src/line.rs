//! Who may be asked next: hosts in turn, each at its own pace, and no server by more requests than
//! one server is asked with, under however many names it is known. The one place that knows; a
//! downloader never decides this by itself. No clock and no socket. `leasing` is for crawls that others
//! run beside.

mod leasing;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;

use weir_frontier::HostId;

use self::leasing::Leasing;
use crate::pace::{HostPace, PaceLimits, Rest};
use crate::servers::{ServerKey, ServerLease};

pub struct Line {
    hosts: Vec<Standing>,
    servers: Vec<Server>,
    by_address: HashMap<ServerKey, u32>,
    /// Hosts that may be asked now, in turn: those that the plan wants first...
    ready: VecDeque<HostId>,
    /// ...and those that take what the others leave.
    spare: VecDeque<HostId>,
    /// Hosts that may be asked from a time on.
    resting: BinaryHeap<Reverse<(u64, HostId)>>,
    per_ip: usize,
    ip_delay_ms: u64,
    /// A request may go out later than `started` says.
    starts_late: bool,
    /// When anybody answered last; before that, when somebody was first asked.
    heard_ms: Option<u64>,
    /// A server is asked only while it is leased to us.
    leasing: Option<Leasing>,
}

/// When nobody can be reached, hosts that have answered before are not given up for so long: a line that is down for a
/// while, or a machine that has moved, is the usual reason.
const PATIENCE_MS: u64 = 120_000;

/// What the plan says of a host just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    Wanted,
    /// It takes what the others leave.
    Spare,
    /// Nothing is asked of it.
    Held,
}

struct Standing {
    pace: HostPace,
    rank: Rank,
    server: Option<u32>,
    /// It stands in `ready`, in `resting` or in the queue of its server.
    listed: bool,
    /// It has answered before, in this run or an earlier one.
    is_trusted: bool,
}

#[derive(Default)]
struct Server {
    in_flight: usize,
    not_before_ms: u64,
    /// Hosts that could be asked if the server were not busy.
    waiting: VecDeque<HostId>,
    /// Where servers are leased.
    lease: Option<Box<ServerLease>>,
}

enum When {
    Now,
    At(u64),
    /// One of its own requests has to end first.
    HostBusy,
    ServerBusy(u32),
}

impl Line {
    pub fn new(per_ip: usize, ip_delay: Duration) -> Self {
        Line {
            hosts: Vec::new(),
            servers: Vec::new(),
            by_address: HashMap::new(),
            ready: VecDeque::new(),
            spare: VecDeque::new(),
            resting: BinaryHeap::new(),
            per_ip,
            ip_delay_ms: ip_delay.as_millis() as u64,
            starts_late: false,
            heard_ms: None,
            leasing: None,
        }
    }

    /// Requests wait for a bandwidth cap after they were let go here. So where a pause is to be kept
    /// there is one at a time, and the pause is counted from its end: several would wait together
    /// and go out together.
    pub fn with_late_starts(mut self) -> Self {
        self.starts_late = true;
        if self.ip_delay_ms > 0 {
            self.per_ip = 1;
        }
        self
    }

    /// Hosts are numbered as they are added.
    pub fn add_host(&mut self, limits: &PaceLimits) {
        let mut pace = HostPace::new(limits);
        if self.starts_late && !limits.delay.is_zero() {
            pace.one_at_a_time();
        }
        self.hosts.push(Standing {
            pace,
            rank: Rank::Wanted,
            server: None,
            listed: false,
            is_trusted: false,
        });
    }

    /// The host has answered in an earlier run.
    pub fn trust(&mut self, id: HostId) {
        self.hosts[id.0 as usize].is_trusted = true;
    }

    /// True if the host may be asked again and is to be put in line.
    pub fn set_rank(&mut self, id: HostId, rank: Rank) -> bool {
        let before = std::mem::replace(&mut self.hosts[id.0 as usize].rank, rank);
        before == Rank::Held && rank != Rank::Held
    }

    /// Where the host is served from.
    pub fn place(&mut self, id: HostId, address: SocketAddr) {
        let port = if matches!(address.port(), 80 | 443) { 0 } else { address.port() };
        let key = (address.ip(), port);
        let next = self.servers.len() as u32;
        let server = *self.by_address.entry(key).or_insert(next);
        if server == next {
            let lease = self.leasing.as_ref().map(|_| Box::new(ServerLease::new(key)));
            self.servers.push(Server { lease, ..Server::default() });
        }
        let host = &mut self.hosts[id.0 as usize];
        if host.server == Some(server) {
            return;
        }
        let under_way = host.pace.in_flight();
        if let Some(before) = host.server.replace(server) {
            let left = &mut self.servers[before as usize];
            left.in_flight -= under_way;
            if let Some(at) = left.waiting.iter().position(|waiting| *waiting == id) {
                left.waiting.remove(at);
                self.line_up(id);
            }
            self.touch(before);
            self.serve_next(before);
        }
        self.servers[server as usize].in_flight += under_way;
    }

    /// Nothing is asked of it just now.
    pub fn is_held(&self, id: HostId) -> bool {
        self.hosts[id.0 as usize].rank == Rank::Held
    }

    /// The host has something to ask for.
    pub fn enlist(&mut self, id: HostId) {
        let host = &mut self.hosts[id.0 as usize];
        if !host.listed && host.rank != Rank::Held && host.pace.next_start_ms().is_some() {
            host.listed = true;
            self.line_up(id);
        }
    }

    fn line_up(&mut self, id: HostId) {
        match self.hosts[id.0 as usize].rank {
            Rank::Spare => self.spare.push_back(id),
            Rank::Wanted | Rank::Held => self.ready.push_back(id),
        }
    }

    /// Who is next in turn. Ranks change while hosts stand in line, so each is looked at again.
    fn pop(&mut self) -> Option<HostId> {
        while let Some(id) = self.ready.pop_front() {
            match self.hosts[id.0 as usize].rank {
                Rank::Wanted => return Some(id),
                Rank::Spare => self.spare.push_back(id),
                Rank::Held => self.leave(id),
            }
        }
        while let Some(id) = self.spare.pop_front() {
            match self.hosts[id.0 as usize].rank {
                Rank::Wanted | Rank::Spare => return Some(id),
                Rank::Held => self.leave(id),
            }
        }
        None
    }

    /// It stands in no line any more, and does not hold up others of its server.
    fn leave(&mut self, id: HostId) {
        self.hosts[id.0 as usize].listed = false;
        self.passed(id);
    }

    /// A host that may be asked now. Say then what came of it: `started`, or `passed`.
    pub fn next(&mut self, now_ms: u64) -> Option<HostId> {
        self.end_rests(now_ms);
        while let Some(id) = self.pop() {
            match self.when(id, now_ms) {
                When::Now => {
                    self.hosts[id.0 as usize].listed = false;
                    return Some(id);
                }
                When::At(at_ms) => {
                    self.resting.push(Reverse((at_ms, id)));
                    self.passed(id);
                }
                When::ServerBusy(server) => {
                    self.servers[server as usize].waiting.push_back(id);
                    self.touch(server);
                }
                When::HostBusy => self.leave(id),
            }
        }
        None
    }

    pub fn started(&mut self, id: HostId, now_ms: u64) {
        let host = &mut self.hosts[id.0 as usize];
        host.pace.started(now_ms);
        self.heard_ms.get_or_insert(now_ms);
        if let Some(server) = host.server {
            let server = &mut self.servers[server as usize];
            server.in_flight += 1;
            server.wait_from(now_ms, self.ip_delay_ms);
        }
    }

    /// The host had nothing to ask for after all, so another of its server may.
    pub fn passed(&mut self, id: HostId) {
        if let Some(server) = self.hosts[id.0 as usize].server {
            self.serve_next(server);
        }
    }

    pub fn ended(&mut self, id: HostId, now_ms: u64, took: Option<Duration>) {
        let host = &mut self.hosts[id.0 as usize];
        host.pace.ended(now_ms, took);
        if took.is_some() {
            host.is_trusted = true;
            self.heard_ms = Some(now_ms);
        }
        if let Some(id) = host.server {
            let server = &mut self.servers[id as usize];
            server.in_flight = server.in_flight.saturating_sub(1);
            server.wait_from(now_ms, self.ip_delay_ms);
            if server.lease.as_mut().is_some_and(|lease| lease.ended(now_ms)) {
                self.touch(id);
            }
            self.serve_next(id);
        }
    }

    pub fn answered(&mut self, id: HostId) {
        self.hosts[id.0 as usize].pace.answered();
    }

    pub fn stumbled(&mut self, id: HostId) -> bool {
        self.hosts[id.0 as usize].pace.stumbled()
    }

    /// See [`HostPace::rest`]. If nobody can be reached any more, that is not the hosts' fault, and none is given up
    /// for it so soon.
    pub fn rest(&mut self, id: HostId, now_ms: u64, rest: Rest) -> Option<u64> {
        self.heard_ms.get_or_insert(now_ms);
        let until = self.hosts[id.0 as usize].pace.rest(now_ms, rest);
        if until.is_none() && rest == Rest::Gone && self.may_be_cut_off(id, now_ms) {
            return Some(self.hosts[id.0 as usize].pace.hold(now_ms));
        }
        until
    }

    /// Nobody at all has answered since the host was tried the last time but one, and it has answered before.
    fn may_be_cut_off(&self, id: HostId, now_ms: u64) -> bool {
        let host = &self.hosts[id.0 as usize];
        self.heard_ms.is_some_and(|heard_ms| {
            let is_silent = heard_ms <= host.pace.failed_before_ms();
            host.is_trusted && is_silent && now_ms < heard_ms.saturating_add(PATIENCE_MS)
        })
    }

    pub fn rest_until(&mut self, id: HostId, until_ms: u64) {
        self.hosts[id.0 as usize].pace.rest_until(until_ms);
    }

    pub fn slow_down(&mut self, id: HostId, delay: Duration) {
        let pace = &mut self.hosts[id.0 as usize].pace;
        pace.slow_down(delay);
        if self.starts_late && !delay.is_zero() {
            pace.one_at_a_time();
        }
    }

    /// When a host will be possible that is not possible now.
    pub fn next_due_ms(&self) -> Option<u64> {
        self.resting.peek().map(|Reverse((at_ms, _))| *at_ms)
    }

    fn when(&self, id: HostId, now_ms: u64) -> When {
        let host = &self.hosts[id.0 as usize];
        let Some(host_ms) = host.pace.next_start_ms() else { return When::HostBusy };
        let Some(number) = host.server else {
            return if host_ms > now_ms { When::At(host_ms) } else { When::Now };
        };
        let server = &self.servers[number as usize];
        match host_ms.max(server.not_before_ms) {
            at_ms if at_ms > now_ms => When::At(at_ms),
            _ if server.is_busy(self.per_ip) => When::ServerBusy(number),
            _ => When::Now,
        }
    }

    fn serve_next(&mut self, server: u32) {
        let server = &mut self.servers[server as usize];
        if !server.is_busy(self.per_ip)
            && let Some(id) = server.waiting.pop_front()
        {
            self.line_up(id);
        }
    }

    fn end_rests(&mut self, now_ms: u64) {
        while let Some(Reverse((at_ms, id))) = self.resting.peek().copied() {
            if at_ms > now_ms {
                break;
            }
            self.resting.pop();
            self.line_up(id);
        }
    }
}

impl Server {
    /// No more requests at a time may be under way.
    fn is_busy(&self, per_ip: usize) -> bool {
        let most = self.lease.as_ref().map_or(per_ip, |lease| per_ip.min(lease.slots() as usize));
        self.in_flight >= most
    }

    fn wait_from(&mut self, now_ms: u64, delay_ms: u64) {
        if delay_ms > 0 {
            self.not_before_ms = self.not_before_ms.max(now_ms + delay_ms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts, each at one of the addresses 192.0.2.N.
    fn line(per_host: usize, per_ip: usize, delay_ms: u64, servers: &[u8]) -> Line {
        let delay = Duration::from_millis(delay_ms);
        let mut line = Line::new(per_ip, delay);
        for (number, server) in servers.iter().enumerate() {
            line.add_host(&PaceLimits { most: per_host, delay, slow_down: 0.0 });
            let id = HostId(number as u32);
            line.place(id, SocketAddr::new([192, 0, 2, *server].into(), 80));
            line.enlist(id);
        }
        line
    }

    fn start(line: &mut Line, now_ms: u64) -> Vec<u32> {
        let mut started = Vec::new();
        while let Some(id) = line.next(now_ms) {
            line.started(id, now_ms);
            line.enlist(id);
            started.push(id.0);
        }
        started
    }

    #[test]
    fn many_names_on_one_server_are_one_server() {
        let mut line = line(1, 2, 0, &[7, 7, 7, 7, 8]);
        assert_eq!(start(&mut line, 0), [0, 1, 4]);
        line.ended(HostId(1), 5, None);
        line.enlist(HostId(1));
        assert_eq!(start(&mut line, 5), [2]);
        line.ended(HostId(0), 6, None);
        assert_eq!(start(&mut line, 6), [3]);
        line.ended(HostId(3), 7, None);
        assert_eq!(start(&mut line, 7), [1], "in turn");
    }

    #[test]
    fn the_pause_is_kept_between_any_two_names_of_a_server() {
        let mut line = line(1, 1, 100, &[7, 7, 7]);
        assert_eq!(start(&mut line, 0), [0]);
        line.ended(HostId(0), 10, None);
        assert!(start(&mut line, 50).is_empty());
        assert!(start(&mut line, 105).is_empty());
        assert_eq!(line.next_due_ms(), Some(110));
        assert_eq!(start(&mut line, 110), [1]);
    }

    #[test]
    fn a_host_that_passes_lets_another_of_its_server_go() {
        let mut line = line(1, 1, 0, &[7, 7, 7]);
        assert_eq!(start(&mut line, 0), [0]);
        line.ended(HostId(0), 1, None);
        assert_eq!(line.next(1), Some(HostId(1)));
        line.passed(HostId(1));
        assert_eq!(start(&mut line, 1), [2]);
    }

    #[test]
    fn a_host_that_rests_does_not_hold_up_its_server() {
        let mut line = line(1, 1, 0, &[7, 7, 7]);
        assert_eq!(start(&mut line, 0), [0]);
        line.rest_until(HostId(1), 1_000_000);
        line.ended(HostId(0), 1, None);
        assert_eq!(start(&mut line, 1), [2]);
    }

    #[test]
    fn a_host_that_moves_takes_its_requests_along() {
        let mut line = line(2, 2, 0, &[7, 7]);
        assert_eq!(start(&mut line, 0), [0, 1]);
        line.place(HostId(0), "192.0.2.9:443".parse().unwrap());
        line.enlist(HostId(1));
        assert_eq!(start(&mut line, 0), [0, 1]);
        line.place(HostId(1), "192.0.2.9:80".parse().unwrap());
        line.ended(HostId(0), 1, None);
        line.enlist(HostId(0));
        assert!(start(&mut line, 1).is_empty(), "http and https are one server");
    }

    #[test]
    fn where_starts_are_late_a_pause_means_one_at_a_time() {
        let limits = |delay| PaceLimits { most: 4, delay, slow_down: 0.0 };
        let pause = Duration::from_millis(100);
        let mut line = Line::new(4, Duration::ZERO).with_late_starts();
        line.add_host(&limits(pause));
        line.add_host(&limits(Duration::ZERO));
        line.add_host(&limits(Duration::ZERO));
        line.slow_down(HostId(2), pause);
        for number in 0..3 {
            line.place(HostId(number), SocketAddr::new([192, 0, 2, number as u8].into(), 80));
            line.enlist(HostId(number));
        }
        assert_eq!(start(&mut line, 0), [0, 1, 2, 1, 1, 1], "without a pause as many as told");
        line.enlist(HostId(0));
        assert!(start(&mut line, 5_000).is_empty(), "it may only just have gone out");
        line.ended(HostId(0), 6_000, None);
        line.enlist(HostId(0));
        assert!(start(&mut line, 6_099).is_empty());
        assert_eq!(start(&mut line, 6_100), [0]);
    }

    #[test]
    fn where_starts_are_late_a_pause_of_a_server_is_kept_by_all_its_names() {
        let pause = Duration::from_millis(100);
        let mut line = Line::new(4, pause).with_late_starts();
        for number in 0..2 {
            line.add_host(&PaceLimits { most: 4, delay: Duration::ZERO, slow_down: 0.0 });
            line.place(HostId(number), "192.0.2.7:80".parse().unwrap());
            line.enlist(HostId(number));
        }
        assert_eq!(start(&mut line, 0), [0]);
        assert!(start(&mut line, 5_000).is_empty());
        line.ended(HostId(0), 6_000, None);
        assert_eq!(start(&mut line, 6_100).len(), 1);
    }

    #[test]
    fn who_is_wanted_goes_first_and_who_is_held_waits_until_it_is_not() {
        let mut line = line(1, 1, 0, &[1, 2, 3, 4, 5]);
        line.set_rank(HostId(0), Rank::Spare);
        line.set_rank(HostId(1), Rank::Spare);
        line.set_rank(HostId(2), Rank::Held);
        assert_eq!(start(&mut line, 0), [3, 4, 0, 1]);
        line.ended(HostId(0), 1, None);
        line.enlist(HostId(0));
        assert!(line.set_rank(HostId(2), Rank::Wanted), "it is to be put in line again");
        line.enlist(HostId(2));
        assert!(!line.set_rank(HostId(0), Rank::Wanted));
        assert_eq!(start(&mut line, 1), [2, 0]);
    }

    #[test]
    fn a_host_that_is_held_does_not_hold_up_its_server() {
        let mut line = line(1, 1, 0, &[7, 7, 7]);
        assert_eq!(start(&mut line, 0), [0]);
        line.set_rank(HostId(1), Rank::Held);
        line.ended(HostId(0), 1, None);
        assert_eq!(start(&mut line, 1), [2]);
    }

    #[test]
    fn another_port_is_another_server() {
        let mut line = line(1, 1, 0, &[7, 7]);
        line.place(HostId(1), "192.0.2.7:8080".parse().unwrap());
        assert_eq!(start(&mut line, 0), [0, 1]);
    }

    /// Fails time after time, as soon as it may be asked again. Returns when it was given up.
    fn given_up_at(line: &mut Line, rest: Rest, mut meanwhile: impl FnMut(&mut Line, u64)) -> u64 {
        let mut now_ms = 1000;
        while let Some(until_ms) = line.rest(HostId(0), now_ms, rest) {
            assert!(until_ms > now_ms && until_ms - now_ms <= 6000, "{now_ms} {until_ms}");
            meanwhile(line, until_ms - 1);
            now_ms = until_ms;
        }
        now_ms
    }

    fn two_hosts_that_answered() -> Line {
        let mut line = Line::new(8, Duration::ZERO);
        for id in [HostId(0), HostId(1)] {
            line.add_host(&PaceLimits { most: 1, delay: Duration::ZERO, slow_down: 0.0 });
            answers(&mut line, id, 500);
        }
        line
    }

    fn answers(line: &mut Line, id: HostId, now_ms: u64) {
        line.started(id, now_ms);
        line.ended(id, now_ms, Some(Duration::ZERO));
        line.answered(id);
    }

    #[test]
    fn nobody_is_given_up_for_a_while_if_nobody_can_be_reached() {
        let at_ms = given_up_at(&mut two_hosts_that_answered(), Rest::Gone, |_, _| ());
        assert!((120_000..130_000).contains(&at_ms), "{at_ms}");
    }

    #[test]
    fn a_host_is_given_up_soon_if_another_answers_or_it_never_did_or_it_is_there_and_mute() {
        // Four rests of 0.5, 1, 2 and 4 s, each up to half as long again, from 1000 on.
        let soon = 8500..=12_250;
        let other = |line: &mut Line, now_ms| answers(line, HostId(1), now_ms);
        let at_ms = given_up_at(&mut two_hosts_that_answered(), Rest::Gone, other);
        assert!(soon.contains(&at_ms), "{at_ms}");

        let strange = || {
            let mut line = Line::new(8, Duration::ZERO);
            line.add_host(&PaceLimits { most: 1, delay: Duration::ZERO, slow_down: 0.0 });
            line
        };
        let at_ms = given_up_at(&mut strange(), Rest::Gone, |_, _| ());
        assert!(soon.contains(&at_ms), "{at_ms}");
        let mut known = strange();
        known.trust(HostId(0));
        let at_ms = given_up_at(&mut known, Rest::Gone, |_, _| ());
        assert!(at_ms > 120_000, "it had answered in an earlier run: {at_ms}");

        let at_ms = given_up_at(&mut two_hosts_that_answered(), Rest::Mute, |_, _| ());
        assert!(soon.contains(&at_ms), "{at_ms}");
    }
}
