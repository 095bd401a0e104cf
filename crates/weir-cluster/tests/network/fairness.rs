use proptest::prelude::*;
use weir_cluster::purse::Wish;

use crate::downloader::Downloader;
use crate::net::Net;

pub fn wish() -> impl Strategy<Value = Wish> {
    let weight = prop_oneof![3 => 0.1..10.0, 1 => Just(0.0)];
    let used = prop_oneof![1 => Just(0.0), 3 => 0.0..5e6];
    (weight, used, any::<bool>()).prop_map(|(weight, used, hungry)| Wish { weight, used, hungry })
}

fn caps() -> impl Strategy<Value = f64> {
    (100_000..20_000_000_u64).prop_map(|cap| cap as f64)
}

/// What each should have, found in another way than the purse does: shares by weight, and those
/// beyond their bounds are fixed at them and set aside, a side at a time.
fn expected(wishes: &[Wish], cap: f64) -> Vec<f64> {
    let floor = cap / (50.0 * wishes.len() as f64);
    let most = |wish: &Wish| if wish.hungry { cap } else { (wish.used * 1.25 + floor).min(cap) };
    let mut fixed: Vec<Option<f64>> = vec![None; wishes.len()];
    loop {
        let rest = cap - fixed.iter().flatten().sum::<f64>();
        let open = || (0..wishes.len()).filter(|index| fixed[*index].is_none());
        let weight = |index: usize| wishes[index].weight.max(1e-6);
        let weights: f64 = open().map(weight).sum();
        let tried: Vec<(usize, f64, f64)> = open()
            .map(|index| (index, rest * weight(index) / weights))
            .map(|(index, share)| (index, share, share.max(floor).min(most(&wishes[index]))))
            .collect();
        let over: f64 = tried.iter().map(|(_, share, bound)| bound - share).sum();
        let stuck = |share: f64, bound: f64| {
            if over > 0.0 { bound > share } else { bound < share }
        };
        let stop = tried.iter().all(|(_, share, bound)| !stuck(*share, *bound));
        for (index, share, bound) in tried {
            if stop || stuck(share, bound) {
                fixed[index] = Some(bound);
            }
        }
        if fixed.iter().all(Option::is_some) {
            return fixed.into_iter().flatten().collect();
        }
    }
}

/// Each downloader holds what it was granted last, and that is what it should have.
pub fn check_shares(net: &Net, cap: f64) -> Result<(), TestCaseError> {
    let wishes: Vec<_> = net.downloaders.iter().map(|downloader| downloader.wish).collect();
    let calm = !wishes.iter().any(|wish| wish.hungry);
    for (downloader, expected) in net.downloaders.iter().zip(expected(&wishes, cap)) {
        let rate = downloader.rate(net.now_ms);
        prop_assert_eq!(rate, net.purse.granted(downloader.who));
        if cap.is_infinite() {
            prop_assert_eq!(rate, cap);
            continue;
        }
        let (low, high) = (expected * 0.97 - 1.0, expected * 1.03 + 1.0);
        // Where nobody waits for it, one may have more.
        let fair = rate >= low && (rate <= high || calm);
        prop_assert!(fair, "{} has {rate} and not {expected} of {cap}: {wishes:?}", downloader.who);
    }
    Ok(())
}

/// Plays `ms` and says how many grants were given out.
fn grants(net: &mut Net, ms: u64) -> usize {
    let (end_ms, before) = (net.now_ms + ms, net.grants);
    while net.now_ms < end_ms {
        net.step();
    }
    net.grants - before
}

#[derive(Clone, Debug)]
enum Change {
    Newcomer(Wish),
    Wish(usize, Wish),
    Cap(f64),
    Leave(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        wish().prop_map(Change::Newcomer),
        (0..8_usize, wish()).prop_map(|(index, wish)| Change::Wish(index, wish)),
        caps().prop_map(Change::Cap),
        (0..8_usize).prop_map(Change::Leave),
    ]
}

fn apply(net: &mut Net, cap: &mut f64, change: Change) {
    let names = net.names();
    match change {
        Change::Newcomer(wish) => net.start(wish),
        Change::Wish(index, wish) => net.downloaders[index % names.len()].wish = wish,
        Change::Cap(new) => {
            *cap = new;
            net.purse.set_cap(new);
        }
        Change::Leave(index) if names.len() > 1 => net.leave(names[index % names.len()]),
        Change::Leave(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn shares_are_fair_within_a_second_of_any_change_and_then_nothing_is_sent(
        first in caps(),
        wishes in prop::collection::vec(wish(), 1..9),
        changes in prop::collection::vec(change(), 1..6),
        seed in any::<u64>(),
    ) {
        let mut cap = first;
        let mut net = Net::new(cap, 40, seed);
        wishes.into_iter().for_each(|wish| net.start(wish));
        grants(&mut net, 1000);
        check_shares(&net, cap)?;
        for change in changes {
            apply(&mut net, &mut cap, change);
            grants(&mut net, 1000);
            check_shares(&net, cap)?;
            prop_assert_eq!(grants(&mut net, 2000), 0);
        }
    }

    #[test]
    fn wishes_that_follow_from_the_grants_come_to_rest_and_each_receives_its_fair_part(
        cap in caps(),
        demands in prop::collection::vec((0.1..10.0_f64, 0.0..5e6_f64), 1..9),
        seed in any::<u64>(),
    ) {
        let mut net = Net::new(cap, 40, seed);
        for (weight, demand) in &demands {
            net.start(Wish { weight: *weight, ..Wish::default() });
            net.downloaders.last_mut().unwrap().demand = Some(*demand);
        }
        grants(&mut net, 3000);
        prop_assert_eq!(grants(&mut net, 3000), 0);
        let all: f64 = demands.iter().map(|(_, demand)| demand).sum();
        let used = |downloader: &Downloader| downloader.wish.used;
        let received: f64 = net.downloaders.iter().map(used).sum();
        // Headroom of those who do not use theirs is what may lie idle.
        prop_assert!(received >= 0.75 * all.min(cap), "{received} of {all}, cap {cap}");
        let weights: f64 = demands.iter().map(|(weight, _)| weight).sum();
        for (downloader, (weight, demand)) in net.downloaders.iter().zip(&demands) {
            let fair = demand.min(cap * weight / weights);
            prop_assert!(used(downloader) >= 0.97 * fair - 1.0, "{} of {fair}", used(downloader));
        }
    }

    #[test]
    fn a_lower_cap_holds_as_soon_as_the_messages_have_arrived_whatever_is_wished_then(
        first in caps(),
        lower in 0.0..1.0_f64,
        wishes in prop::collection::vec(wish(), 1..9),
        pause_ms in 0..2000_u64,
        later in prop::collection::vec((0..9_usize, wish()), 40),
        seed in any::<u64>(),
    ) {
        let mut net = Net::new(first, 40, seed);
        wishes.into_iter().for_each(|wish| net.start(wish));
        grants(&mut net, pause_ms);
        net.purse.set_cap(first * lower);
        // One step until it is sent, one until what has arrived is looked at.
        grants(&mut net, 40 + 5 + 5);
        for (index, wish) in later {
            let count = net.downloaders.len();
            net.downloaders[index % count].wish = wish;
            for _ in 0..10 {
                prop_assert!(net.in_force() <= first * lower);
                net.step();
            }
        }
    }
}
