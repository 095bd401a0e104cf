//! Which downloader gets a job.

use std::collections::HashMap;
use std::str::FromStr;

use weir_frontier::HostId;

use super::member::Member;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dispatch {
    /// All jobs of a host go to one downloader at a time, which keeps its connections.
    #[default]
    HostAffine,
    /// Each job goes to the shortest queue (Deng et al. 2018, algorithms 1 and 2).
    ShortestQueue,
}

impl Dispatch {
    pub const NAMES: [&str; 2] = ["host-affine", "shortest-queue"];
}

impl FromStr for Dispatch {
    type Err = String;

    fn from_str(text: &str) -> Result<Dispatch, String> {
        match text {
            "host-affine" => Ok(Dispatch::HostAffine),
            "shortest-queue" => Ok(Dispatch::ShortestQueue),
            _ => Err(format!("write {}", Dispatch::NAMES.join(" or "))),
        }
    }
}

/// Who has which host, and how many jobs of it.
#[derive(Default)]
pub struct Owners {
    of: HashMap<HostId, Owner>,
}

#[derive(Clone, Copy)]
struct Owner {
    member: u32,
    jobs: u32,
}

impl Owners {
    /// `None` if nobody is there.
    pub fn choose(&mut self, dispatch: Dispatch, host: HostId, members: &[Member]) -> Option<u32> {
        let least = least_loaded(members)?;
        if dispatch == Dispatch::ShortestQueue {
            return Some(least);
        }
        let owner = self.of.get(&host).copied();
        let owner = owner.filter(|owner| members[owner.member as usize].takes_jobs());
        match owner {
            Some(owner) if owner.jobs > 0 || !is_overloaded(owner.member, least, members) => {
                Some(owner.member)
            }
            _ => Some(least),
        }
    }

    pub fn given(&mut self, host: HostId, member: u32) {
        let owner = self.of.entry(host).or_insert(Owner { member, jobs: 0 });
        owner.member = member;
        owner.jobs += 1;
    }

    pub fn ended(&mut self, host: HostId) {
        if let Some(owner) = self.of.get_mut(&host) {
            owner.jobs = owner.jobs.saturating_sub(1);
        }
    }
}

/// By the part of its slots that is taken, so that a large downloader gets more than a small one.
fn least_loaded(members: &[Member]) -> Option<u32> {
    let connected = members.iter().zip(0_u32..).filter(|(member, _)| member.takes_jobs());
    let part = |member: &Member| member.load() as f64 / f64::from(member.slots.max(1));
    let least = connected.min_by(|(one, _), (two, _)| part(one).total_cmp(&part(two)));
    least.map(|(_, number)| number)
}

/// It has twice what another one would have with one job more, by their sizes: a host that has nothing
/// under way moves then. Less than that is not worth a new connection.
fn is_overloaded(owner: u32, least: u32, members: &[Member]) -> bool {
    let (owner, least) = (&members[owner as usize], &members[least as usize]);
    owner.load() * least.slots as usize >= 2 * (least.load() + 1) * owner.slots as usize
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::sync::mpsc;

    use super::super::member::Link;
    use super::*;
    use crate::wire::Hello;

    fn member(slots: u32, load: u64) -> Member {
        let hello = Hello { slots, ..Hello::default() };
        let mut member = Member::new(&hello, [0; 16], Instant::now());
        member.link = Some(Link { id: 1, orders: mpsc::channel(1).0, is_here: false });
        member.queue.extend(0..load);
        member
    }

    #[test]
    fn a_host_stays_with_its_downloader_as_long_as_something_of_it_is_under_way() {
        let mut owners = Owners::default();
        let mut members = [member(10, 0), member(10, 0)];
        let first = owners.choose(Dispatch::HostAffine, HostId(1), &members).unwrap();
        owners.given(HostId(1), first);
        members[first as usize].queue.extend(0..15);
        assert_eq!(owners.choose(Dispatch::HostAffine, HostId(1), &members), Some(first));
        owners.ended(HostId(1));
        let moved = owners.choose(Dispatch::HostAffine, HostId(1), &members);
        assert_eq!(moved, Some(1 - first), "it is idle, and the other has nothing to do");
    }

    #[test]
    fn hosts_spread_over_those_who_come_later() {
        let mut owners = Owners::default();
        let mut members = [member(20, 0), member(20, 0), member(20, 0)];
        (0..30).for_each(|host| owners.given(HostId(host), 0));
        // One job of each host ends and the next one begins, again and again.
        let mut holders = vec![0_usize; 30];
        members[0].queue.extend(0..30);
        for round in 0..300_u32 {
            let host = round % 30;
            owners.ended(HostId(host));
            members[holders[host as usize]].queue.pop_front();
            let chosen = owners.choose(Dispatch::HostAffine, HostId(host), &members).unwrap();
            owners.given(HostId(host), chosen);
            members[chosen as usize].queue.push_back(0);
            holders[host as usize] = chosen as usize;
        }
        let loads = members.each_ref().map(Member::load);
        assert!(loads.iter().all(|load| (6..=16).contains(load)), "{loads:?}");
    }

    #[test]
    fn the_shortest_queue_gets_the_next_job_by_the_size_of_the_downloader() {
        let mut owners = Owners::default();
        let members = [member(10, 5), member(40, 10), member(10, 4)];
        assert_eq!(owners.choose(Dispatch::ShortestQueue, HostId(1), &members), Some(1));
    }

    #[test]
    fn whoever_is_gone_gets_nothing() {
        let mut owners = Owners::default();
        let mut members = [member(10, 0), member(10, 9)];
        owners.given(HostId(7), 0);
        members[0].link = None;
        assert_eq!(owners.choose(Dispatch::HostAffine, HostId(7), &members), Some(1));
        members[1].link = None;
        assert_eq!(owners.choose(Dispatch::HostAffine, HostId(7), &members), None);
    }
}
