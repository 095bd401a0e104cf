use proptest::prelude::*;
use weir_cluster::purse::Wish;

use crate::fairness::{check_shares, wish};
use crate::net::Net;

#[derive(Clone, Debug)]
enum Event {
    Start(Wish),
    Leave(usize),
    Kill(usize),
    Break(usize),
    CutOff(usize, u64),
    Wish(usize, Wish),
    Cap(f64),
    Restart,
}

fn event() -> impl Strategy<Value = Event> {
    let one = 0..8_usize;
    prop_oneof![
        4 => wish().prop_map(Event::Start),
        1 => one.clone().prop_map(Event::Leave),
        1 => one.clone().prop_map(Event::Kill),
        4 => one.clone().prop_map(Event::Break),
        3 => (one.clone(), 100..9000_u64).prop_map(|(who, ms)| Event::CutOff(who, ms)),
        6 => (one, wish()).prop_map(|(who, wish)| Event::Wish(who, wish)),
        2 => cap().prop_map(Event::Cap),
        1 => Just(Event::Restart),
    ]
}

fn cap() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => (50_000..20_000_000_u64).prop_map(|cap| cap as f64),
        1 => Just(0.0),
        1 => Just(f64::INFINITY),
    ]
}

/// What is true at every moment is looked at after every step.
struct Storm {
    net: Net,
    cap: f64,
    booked: f64,
    /// Caps that were lowered, and when: those who cannot be told hold their part for a while.
    before: Vec<(u64, f64)>,
}

/// Until a downloader that cannot be reached is seen to be lost, and what it holds has run out.
const LOWERED_MS: u64 = 2000 + 4000 + 100;

impl Storm {
    fn play(&mut self, event: Event) {
        let names = self.net.names();
        let name = |index: usize| names.get(index % names.len().max(1)).copied().unwrap_or(0);
        match event {
            Event::Start(wish) if names.len() < 7 => self.net.start(wish),
            Event::Start(_) => {}
            Event::Leave(index) => self.net.leave(name(index)),
            Event::Kill(index) => self.net.kill(name(index)),
            Event::Break(index) => self.net.break_stream(name(index)),
            Event::CutOff(index, ms) => self.net.cut_off(name(index), ms),
            Event::Wish(index, wish) => {
                self.net.get(name(index)).into_iter().for_each(|downloader| downloader.wish = wish)
            }
            Event::Cap(cap) => {
                // What is lost without a sign is told again, some seconds later.
                let lasts_ms = LOWERED_MS + 1000 * self.net.losses;
                self.before.push((self.net.now_ms + lasts_ms, self.cap));
                self.cap = cap;
                self.net.purse.set_cap(cap);
            }
            Event::Restart => {
                self.net.restart(self.cap);
                self.booked = f64::INFINITY;
            }
        }
    }

    fn run(&mut self, ms: u64) -> Result<(), TestCaseError> {
        let end_ms = self.net.now_ms + ms;
        while self.net.now_ms < end_ms {
            self.net.step();
            self.check()?;
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), TestCaseError> {
        let now_ms = self.net.now_ms;
        let (true_sum, booked) = (self.net.in_force(), self.net.purse.booked());
        prop_assert!(true_sum <= booked, "{true_sum} in force and {booked} booked at {now_ms}");
        let most = self.booked.max(self.cap);
        prop_assert!(
            booked <= most,
            "{booked} booked, {most} before, cap {} at {now_ms}",
            self.cap
        );
        self.booked = booked;
        self.before.retain(|(until_ms, _)| now_ms < *until_ms);
        let most = self.before.iter().fold(self.cap, |most, (_, cap)| most.max(*cap));
        prop_assert!(true_sum <= most, "{true_sum} in force of {most} at {now_ms}");
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_sum_in_force_never_passes_the_cap_whatever_happens_on_the_way(
        first in cap(),
        events in prop::collection::vec((0..1500_u64, event()), 1..60),
        delay_ms in prop_oneof![Just(20_u64), Just(400), Just(5000)],
        losses in prop_oneof![Just(0_u64), Just(10)],
        seed in any::<u64>(),
    ) {
        let mut net = Net::new(first, delay_ms, seed);
        net.losses = losses;
        let mut storm = Storm { net, cap: first, booked: 0.0, before: Vec::new() };
        for (gap_ms, event) in events {
            storm.play(event);
            storm.run(gap_ms)?;
        }
        // When the storm is over each has its share again, whatever was lost.
        (storm.net.delay_ms, storm.net.losses) = (20, 0);
        storm.net.break_all();
        storm.run(30_000)?;
        check_shares(&storm.net, storm.cap)?;
    }
}
