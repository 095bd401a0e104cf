//! A budget of bytes among downloaders, over a network that loses and overtakes.

use proptest::prelude::*;
use weir_cluster::purse::Quota;

const MB: u64 = 1_000_000;

#[test]
fn each_gets_ten_seconds_of_what_it_uses_and_is_not_told_again_before_half_of_it_is_gone() {
    let mut quota = Quota::new(1000 * MB);
    quota.join(1, 0);
    quota.received(1, 0, 1e6);
    assert_eq!(quota.share_out()[0].quota, 10 * MB + 65_536);
    quota.received(1, 4 * MB, 1e6);
    assert_eq!(quota.share_out(), []);
    quota.received(1, 6 * MB, 1e6);
    assert_eq!(quota.share_out()[0].quota, 16 * MB + 65_536);
}

#[test]
fn who_can_begin_nothing_with_what_it_has_gets_more_until_all_is_given_out() {
    let mut quota = Quota::new(200_000);
    quota.join(1, 0);
    assert_eq!(quota.share_out()[0].quota, 65_536);
    assert_eq!(quota.share_out(), [], "it has enough");
    for more in [131_072, 196_608, 200_000] {
        assert!(!quota.is_given_out());
        quota.starves(1);
        assert_eq!(quota.share_out()[0].quota, more);
        assert_eq!(quota.share_out(), [], "and no more before it says so again");
    }
    assert!(quota.is_given_out());
}

#[test]
fn what_is_scarce_is_divided_by_use() {
    let mut quota = Quota::new(4 * MB);
    for (who, used) in [(1, 1e6), (2, 3e6)] {
        quota.join(who, 0);
        quota.received(who, 0, used);
    }
    let quotas: Vec<_> = quota.share_out().iter().map(|grant| grant.quota).collect();
    assert!(quotas[0].abs_diff(MB) < MB / 50 && quotas[1].abs_diff(3 * MB) < MB / 50);
    assert!(quota.outstanding() <= 4 * MB);
}

#[test]
fn what_a_lost_one_was_given_stays_booked_until_it_comes_back_and_reports() {
    let mut quota = Quota::new(MB);
    quota.join(1, 500);
    quota.received(1, 500, 1e6);
    assert_eq!(quota.share_out()[0].quota, 500 + MB);
    quota.lost(1);
    quota.join(2, 0);
    assert_eq!(quota.share_out()[0].quota, 0, "it is told, but there is nothing to give");
    quota.join(1, 500 + 300_000);
    assert_eq!((quota.outstanding(), quota.allowed()), (700_000, 700_000));
    assert_eq!(quota.share_out()[0].quota, 500 + MB, "and told again what it had");
    quota.left(1, 500 + 400_000);
    assert_eq!((quota.outstanding(), quota.allowed()), (0, 600_000));
    assert_eq!(quota.share_out()[0].quota, 65_536);
}

#[test]
fn reports_that_make_no_sense_give_nobody_more() {
    let mut quota = Quota::new(MB);
    for who in 1..4 {
        quota.join(who, u64::MAX - who);
        quota.received(who, 0, f64::INFINITY);
        quota.share_out();
        assert!(quota.outstanding() <= MB);
    }
    quota.join(9, 0);
    quota.received(9, 0, f64::NAN);
    quota.join(10, 0);
    quota.received(10, u64::MAX, f64::INFINITY);
    assert_eq!((quota.share_out()[0].quota, quota.allowed()), (0, 0));
}

#[derive(Clone, Debug)]
enum Event {
    Join(usize),
    /// It goes on for so many bytes, as far as its quota lets it.
    Receive(usize, u64),
    /// A report is written; whether and when it arrives is another matter.
    Report(usize),
    ReportArrives(usize),
    QuotaArrives(usize),
    Lost(usize),
    Leave(usize),
    ShareOut,
    Allow(u64),
}

fn event() -> impl Strategy<Value = Event> {
    let one = || 0..5_usize;
    prop_oneof![
        one().prop_map(Event::Join),
        (one(), 0..5 * MB).prop_map(|(who, bytes)| Event::Receive(who, bytes)),
        one().prop_map(Event::Report),
        any::<usize>().prop_map(Event::ReportArrives),
        any::<usize>().prop_map(Event::QuotaArrives),
        one().prop_map(Event::Lost),
        one().prop_map(Event::Leave),
        Just(Event::ShareOut),
        (0..10 * MB).prop_map(Event::Allow),
    ]
}

struct World {
    quota: Quota,
    /// All that may ever be received.
    budget: u64,
    /// Received and quota, as the downloaders have them.
    downloaders: Vec<(u64, u64)>,
    /// The name of each; one that has left comes back under another.
    names: Vec<usize>,
    reports: Vec<(usize, u64)>,
    grants: Vec<(usize, u64)>,
}

impl World {
    fn play(&mut self, event: Event) {
        match event {
            Event::Join(index) => {
                let name = self.names[index];
                self.quota.join(name as u64, self.downloaders[name].0);
            }
            Event::Receive(index, bytes) => {
                let (received, quota) = &mut self.downloaders[self.names[index]];
                *received += bytes.min(*quota - *received);
            }
            Event::Report(index) => {
                self.reports.push((self.names[index], self.downloaders[self.names[index]].0));
            }
            Event::ReportArrives(index) if !self.reports.is_empty() => {
                let (name, total) = self.reports.swap_remove(index % self.reports.len());
                self.quota.received(name as u64, total, 1e5 * (name + 1) as f64);
            }
            Event::QuotaArrives(index) if !self.grants.is_empty() => {
                let (name, quota) = self.grants.swap_remove(index % self.grants.len());
                let held = &mut self.downloaders[name].1;
                *held = quota.max(*held);
            }
            Event::ReportArrives(_) | Event::QuotaArrives(_) => {}
            Event::Lost(index) => self.quota.lost(self.names[index] as u64),
            Event::Leave(index) => self.leave(index),
            Event::ShareOut => {
                let grants = self.quota.share_out();
                self.grants.extend(grants.iter().map(|grant| (grant.who as usize, grant.quota)));
            }
            Event::Allow(more) => {
                self.budget += more;
                self.quota.set_allowed(self.quota.allowed() + more);
            }
        }
    }

    /// It receives nothing any more, so that quotas for it that are on their way do no harm.
    fn leave(&mut self, index: usize) {
        let name = self.names[index];
        let received = self.downloaders[name].0;
        self.downloaders[name].1 = received;
        self.grants.retain(|(to, _)| *to != name);
        self.quota.left(name as u64, received);
        self.names[index] = self.downloaders.len();
        self.downloaders.push((0, 0));
    }
}

proptest! {
    #[test]
    fn no_more_is_received_than_the_budget_allows_whatever_is_lost(
        first in 0..20 * MB,
        events in prop::collection::vec(event(), 1..300),
    ) {
        let mut world = World {
            quota: Quota::new(first),
            budget: first,
            downloaders: vec![(0, 0); 5],
            names: (0..5).collect(),
            reports: Vec::new(),
            grants: Vec::new(),
        };
        for event in events {
            world.play(event);
            let received: u64 = world.downloaders.iter().map(|(received, _)| received).sum();
            let may_come: u64 = world.downloaders.iter().map(|(_, quota)| quota).sum();
            prop_assert!(received <= world.budget && may_come <= world.budget);
            prop_assert!(world.quota.outstanding() <= world.quota.allowed());
        }
    }
}
