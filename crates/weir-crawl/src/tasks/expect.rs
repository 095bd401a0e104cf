//! When each site is done, and how sure that is.

use weir_plan::{Known, Shares};

/// When a site is done, and what it gets until then. Seconds count from when the plan was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Infinite for never.
    pub finish: f64,
    /// Nine of ten times it is between these.
    pub soonest: f64,
    pub latest: f64,
    /// Bytes a second until the next plan, on average.
    pub rate: f64,
    /// What it could use until then: its speed, or all that it has left.
    pub most: f64,
    /// Bytes that are still to come, as expected, on the wire.
    pub left: f64,
    /// Seconds before the deadline; below zero for late, infinite without one.
    pub slack: f64,
}

impl Expected {
    /// It is to give as much as it can.
    pub fn is_all_it_can(&self) -> bool {
        self.rate > 0.0 && self.rate >= self.most * ALL
    }
}

const ALL: f64 = 0.97;

/// Even with its size known, a site does not end to the second: others become known, plans change.
const UNSTEADY: f64 = 0.35;
const A_MOMENT_S: f64 = 1.0;

/// For each site. What is done before a site moves its end, as far as all of it may be wrong
/// together; chance makes sums surer than their parts.
pub fn expect(sites: &[Known], shares: &Shares, cap: f64, period: f64) -> Vec<Expected> {
    let rates = until_the_next(sites, shares, cap, period);
    let mut all: Vec<Expected> =
        (0..sites.len()).map(|at| plainly(&sites[at], shares, at, rates[at])).collect();
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by(|a, b| all[*a].finish.total_cmp(&all[*b].finish));
    let (mut below, mut above) = (0.0, 0.0);
    for at in order {
        let Known { site, low, high, .. } = &sites[at];
        let (less, more) = ((1.0 - low) * site.size, (high - 1.0) * site.size);
        below += less * less;
        above += more * more;
        let own = site.max_rate.min(cap).max(1.0);
        let expected = &mut all[at];
        let sooner = (below.sqrt() / cap.max(1.0)).max(less / own);
        let later = (above.sqrt() / cap.max(1.0)).max(more / own);
        // Who waits may be asked at any moment, if the others leave something.
        let by_itself = low * site.size / own;
        expected.soonest = match expected.rate > 0.0 {
            true => (expected.soonest - sooner).max(by_itself.min(expected.finish)),
            false => by_itself.min(expected.soonest),
        };
        expected.latest += later + A_MOMENT_S;
    }
    all
}

/// A plan's rates are those of its first moment, and small sites are done in milliseconds: what they
/// leave until the next plan goes to those that come after them. Without a period rates stay as they are.
fn until_the_next(sites: &[Known], shares: &Shares, cap: f64, period: f64) -> Vec<(f64, f64)> {
    let most = |at: usize| {
        let site = &sites[at].site;
        site.max_rate.min(site.size / period)
    };
    let mut rates: Vec<(f64, f64)> =
        shares.rates.iter().enumerate().map(|(at, rate)| (rate.min(most(at)), most(at))).collect();
    if period <= 0.0 {
        return rates;
    }
    let mut free = cap - rates.iter().map(|(rate, _)| rate).sum::<f64>();
    for at in &shares.order {
        let (rate, most) = &mut rates[*at];
        let more = (*most - *rate).min(free).max(0.0);
        *rate += more;
        free -= more;
    }
    rates
}

fn plainly(known: &Known, shares: &Shares, at: usize, (rate, most): (f64, f64)) -> Expected {
    let finish = if known.site.size > 0.0 { shares.finish[at] } else { 0.0 };
    Expected {
        finish,
        soonest: finish * (1.0 - UNSTEADY),
        latest: finish * (1.0 + UNSTEADY),
        rate,
        most,
        left: known.site.size,
        slack: known.site.due() - finish,
    }
}

#[cfg(test)]
mod tests {
    use weir_plan::deadline::QUICK;
    use weir_plan::{Cap, FLOOR, Goal, RESERVE, Site, State, replan};

    use super::*;

    fn known(size: f64, due: f64, low: f64, high: f64) -> Known {
        let site = Site::new(size, Some(due));
        Known { site, low, high, rate_is_known: true }
    }

    fn expected(sites: Vec<Known>) -> Vec<Expected> {
        let state = State {
            cap: Cap::constant(10.0),
            at_once: None,
            floor: FLOOR,
            reserve: RESERVE,
            goal: Goal::Sum,
            effort: QUICK,
            period: 1.0,
            used: 1.0,
            sites,
        };
        expect(&state.sites, &replan(&state), 10.0, 1.0)
    }

    #[test]
    fn doubt_about_what_comes_before_is_doubt_about_what_comes_after() {
        let all = expected(vec![
            known(1000.0, 150.0, 0.8, 1.3),
            known(1000.0, 500.0, 1.0, 1.0),
            known(0.0, 9.0, 1.0, 1.0),
        ]);
        let [first, second, done] = all[..] else { panic!() };
        assert_eq!(done.finish, 0.0);
        assert!((first.finish - 100.0).abs() < 1.0, "{first:?}");
        assert!((first.slack - 50.0).abs() < 1.0, "{first:?}");
        assert!(first.latest > 130.0 && first.soonest <= 80.0, "{first:?}");
        assert!((second.finish - 200.0).abs() < 1.0, "{second:?}");
        assert!(second.latest >= 230.0 && second.soonest <= 180.0, "{second:?}");
        assert!(second.soonest >= 99.0, "no sooner than by itself: {second:?}");
    }
}
