//! What must hold for our own policies whatever goes in.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use weir_plan::{
    Allocation, Cap, FLOOR, Goal, Known, Options, Outlook, Policy, Problem, RESERVE, Site, State,
    allocate, deadline, judge, replan, replan_if_holds,
};

const OURS: [Policy; 5] =
    [Policy::Deadline, Policy::Edf, Policy::Fair, Policy::MinLate, Policy::Stretch];

fn site() -> impl Strategy<Value = Site> {
    let size = prop_oneof![1 => Just(0.0), 12 => 1.0..1000.0];
    let due = prop_oneof![1 => Just(None), 4 => (0.5_f64..200.0).prop_map(Some)];
    let max_rate = prop_oneof![1 => Just(f64::INFINITY), 2 => 2.0..120.0];
    let weight = prop_oneof![2 => Just(1.0), 1 => 0.2..5.0];
    (size, due, max_rate, weight).prop_map(|(size, due, max_rate, weight)| {
        // A site that cannot make it alone makes every other question moot; half of them may.
        let due =
            due.map(|due: f64| if size < 500.0 { due.max(1.01 * size / max_rate) } else { due });
        Site { max_rate, weight, ..Site::new(size, due) }
    })
}

/// All there from the start, a constant cap.
fn plain() -> impl Strategy<Value = Problem> {
    (prop::collection::vec(site(), 1..14), 20.0..200.0).prop_map(|(sites, cap)| Problem {
        cap: Cap::constant(cap),
        at_once: None,
        sites,
    })
}

/// A changing cap, sites that come later, a number of sites at once: any of it or none.
fn any() -> impl Strategy<Value = Problem> {
    let steps = prop::collection::vec((0.1_f64..40.0, 0.0_f64..200.0), 0..4);
    let releases = prop::collection::vec(prop_oneof![2 => Just(0.0), 1 => 0.0..30.0], 14);
    (plain(), steps, releases, prop::option::of(1_usize..6)).prop_map(
        |(mut problem, steps, releases, at_once)| {
            let first = problem.cap.at(0.0);
            let (mut at, mut profile) = (0.0, vec![(0.0, first)]);
            for (length, rate) in steps {
                at += length;
                profile.push((at, rate));
            }
            profile.push((at + 1.0, first));
            problem.cap = Cap::steps(&profile);
            for (site, release) in problem.sites.iter_mut().zip(releases) {
                site.release = release;
            }
            problem.at_once = at_once;
            problem
        },
    )
}

fn plan(problem: &Problem, policy: Policy) -> Allocation {
    let plan = allocate(problem, policy, &Options::default()).unwrap();
    let fault = plan.fault(&problem.cap, problem.at_once, &problem.sites);
    assert_eq!(fault, None, "{policy} {problem:?}");
    assert!(plan.end.iter().all(|end| end.is_finite()), "{policy} leaves a site out: {problem:?}");
    plan
}

fn lateness(problem: &Problem, policy: Policy) -> f64 {
    plan(problem, policy).score(&problem.sites).weighted_tardiness
}

/// Far enough from the border for rounding not to matter.
fn surely_feasible(problem: &Problem) -> bool {
    judge(problem).least_scale < 1.0 - 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn plans_keep_the_cap_the_highest_rates_and_the_releases(problem in any()) {
        for policy in OURS {
            plan(&problem, policy);
        }
    }

    #[test]
    fn every_deadline_is_met_when_that_is_possible(problem in any()) {
        let problem = Problem { at_once: None, ..problem };
        if surely_feasible(&problem) {
            for policy in [Policy::Deadline, Policy::MinLate, Policy::Stretch] {
                let score = plan(&problem, policy).score(&problem.sites);
                prop_assert_eq!(score.met, problem.sites.len(), "{}", policy);
            }
        }
    }

    #[test]
    fn the_least_cap_is_enough_and_no_less_is(problem in plain()) {
        let least = judge(&problem).least_cap.unwrap();
        if least.is_finite() && least > 0.0 {
            let at = |cap: f64| Problem { cap: Cap::constant(cap), ..problem.clone() };
            let all = problem.sites.len();
            let enough = at(least * (1.0 + 1e-9));
            prop_assert_eq!(plan(&enough, Policy::Deadline).score(&enough.sites).met, all);
            let less = at(least * 0.999);
            prop_assert!(plan(&less, Policy::Deadline).score(&less.sites).met < all);
        }
    }

    #[test]
    fn no_simpler_policy_is_less_late(problem in plain()) {
        let ours = lateness(&problem, Policy::Deadline);
        for policy in [Policy::Edf, Policy::Fair, Policy::MinLate, Policy::Stretch] {
            let theirs = lateness(&problem, policy);
            prop_assert!(ours <= theirs * (1.0 + 1e-6) + 1e-6, "{policy}: {theirs}, ours {ours}");
        }
    }

    #[test]
    fn fewer_are_late_than_under_any_other_policy(problem in plain()) {
        let met = |policy| plan(&problem, policy).score(&problem.sites).met;
        let most = met(Policy::MinLate);
        prop_assume!(problem.sites.iter().all(|site| site.max_rate >= problem.cap.at(0.0)));
        for policy in [Policy::Deadline, Policy::Edf, Policy::Fair, Policy::Stretch] {
            prop_assert!(most >= met(policy), "{policy}");
        }
    }

    #[test]
    fn more_cap_never_makes_lateness_worse(problem in plain(), more in 1.0_f64..2.0) {
        let larger = Problem { cap: problem.cap.scaled(more), ..problem.clone() };
        let (before, after) = (lateness(&problem, Policy::Deadline), lateness(&larger, Policy::Deadline));
        prop_assert!(after <= before * (1.0 + 1e-6) + 1e-6, "{before} becomes {after}");
    }

    #[test]
    fn the_order_of_the_sites_does_not_matter(problem in plain(), turn in 0_usize..14) {
        let mut turned = problem.clone();
        let by = turn % turned.sites.len();
        turned.sites.rotate_left(by);
        for policy in OURS {
            let (a, b) = (plan(&problem, policy), plan(&turned, policy));
            let (a, b) = (a.score(&problem.sites), b.score(&turned.sites));
            let close = |x: f64, y: f64| (x - y).abs() <= 1e-6 * (1.0 + x.abs());
            let same = close(a.weighted_tardiness, b.weighted_tardiness);
            prop_assert!(same || policy == Policy::Stretch, "{policy} {a:?} {b:?}");
        }
    }

    #[test]
    fn units_do_not_matter(problem in plain(), bytes in 0.001_f64..1000.0, time in 0.001_f64..1000.0) {
        let mut other = problem.clone();
        other.cap = other.cap.scaled(bytes / time);
        for site in &mut other.sites {
            site.size *= bytes;
            site.max_rate *= bytes / time;
            site.deadline = site.deadline.map(|due| due * time);
        }
        for policy in OURS {
            let (a, b) = (plan(&problem, policy), plan(&other, policy));
            let (a, b) = (a.score(&problem.sites), b.score(&other.sites));
            let close = |x: f64, y: f64| (x * time - y).abs() <= 1e-5 * time * (1.0 + x.abs());
            // Where all are late by one factor there are many plans for it.
            let same = close(a.weighted_tardiness, b.weighted_tardiness);
            prop_assert!(same || policy == Policy::Stretch, "{policy} {a:?} {b:?}");
        }
    }

    #[test]
    fn an_early_end_of_the_last_keeps_the_deadlines(problem in plain()) {
        let last = Options { goal: Goal::Last, ..Options::default() };
        let early = allocate(&problem, Policy::Deadline, &last).unwrap();
        prop_assert_eq!(early.fault(&problem.cap, None, &problem.sites), None);
        let (early, usual) = (early.score(&problem.sites), plan(&problem, Policy::Deadline).score(&problem.sites));
        prop_assert!(early.max_end <= usual.max_end * (1.0 + 1e-6));
        let (late, usual) = (early.weighted_tardiness, usual.weighted_tardiness);
        prop_assert!(late <= usual * (1.0 + 1e-6) + 1e-6);
    }
}

fn state(problem: &Problem, spread: f64) -> State {
    State {
        cap: problem.cap.clone(),
        at_once: problem.at_once,
        floor: FLOOR,
        reserve: RESERVE,
        goal: Goal::Sum,
        effort: deadline::QUICK,
        period: 1.0,
        used: 1.0,
        sites: problem
            .sites
            .iter()
            .map(|site| Known { low: 1.0 / spread, high: spread, ..Known::exactly(site.clone()) })
            .collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_plan_only_if_all_hold_is_the_plan_if_they_do(problem in any(), spread in 1.0_f64..2.0) {
        let state = state(&problem, spread);
        let shares = replan(&state);
        let holds = shares.outlook == Outlook::Holds;
        prop_assert_eq!(replan_if_holds(&state), holds.then_some(shares));
    }

    #[test]
    fn shares_keep_the_cap_and_use_it(problem in any(), spread in 1.0_f64..2.0) {
        let state = state(&problem, spread);
        let shares = replan(&state);
        let cap = state.cap.at(0.0);
        let sum: f64 = shares.rates.iter().sum();
        prop_assert!(sum <= cap * (1.0 + 1e-9), "{sum} above {cap}");
        let open = |site: &&Site| site.size > 0.0 && site.release <= 0.0;
        for (rate, site) in shares.rates.iter().zip(&problem.sites) {
            prop_assert!(*rate >= 0.0 && *rate <= site.max_rate * (1.0 + 1e-9));
            prop_assert!(*rate == 0.0 || open(&site), "rate for a site that is not there");
        }
        let served = shares.rates.iter().filter(|rate| **rate > 0.0).count();
        prop_assert!(problem.at_once.is_none_or(|most| served <= most), "{served} served");
        if problem.at_once.is_none() {
            let wanted: f64 = problem.sites.iter().filter(open).map(|site| site.max_rate.min(cap)).sum();
            prop_assert!(sum >= wanted.min(cap) * (1.0 - 1e-9), "{sum} of {wanted}, cap {cap}");
        }
    }

    #[test]
    fn following_the_shares_keeps_every_deadline_and_starves_nobody(problem in plain()) {
        if surely_feasible(&problem) {
            follow(problem);
        }
    }

    #[test]
    fn following_the_shares_keeps_every_deadline_while_the_cap_changes(problem in any()) {
        let mut problem = Problem { at_once: None, ..problem };
        problem.sites.iter_mut().for_each(|site| site.release = 0.0);
        if surely_feasible(&problem) {
            follow(problem);
        }
    }

    #[test]
    fn following_the_shares_keeps_every_deadline_while_sites_come(problem in any()) {
        let problem = Problem { at_once: None, ..problem };
        if surely_feasible(&problem) {
            follow(problem);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Without effort every number of slow sites is too many to plan them one by one.
    #[test]
    fn following_guarded_shares_keeps_every_deadline(problem in plain()) {
        if surely_feasible(&problem) {
            follow_with(problem, deadline::Effort(0));
        }
    }
}

#[test]
fn a_site_that_can_wait_for_a_higher_cap_waits() {
    let site = |size, due| Site::new(size, Some(due));
    let sites = vec![
        site(124_949_862.0, 487.8),
        site(156_479_491.0, 391.4),
        site(26_361_094.0, 139.35),
        site(2e9, 36_195.0),
        site(3e8, 10_996.0),
    ];
    let cap = Cap::steps(&[(0.0, 400_000.0), (195.65, 1_500_000.0)]);
    follow(Problem { cap, at_once: None, sites });
}

#[test]
fn a_slow_site_is_served_before_the_cap_falls() {
    let fast = Site::new(648.7808188594475, Some(36.63650116852559));
    let slow = Site {
        max_rate: 11.078382446987408,
        ..Site::new(312.3830238330205, Some(57.90276024486371))
    };
    let cap = Cap::steps(&[
        (0.0, 34.316646100093884),
        (27.852286442818954, 1.5029731883068576),
        (61.1319231766568, 0.0),
        (62.1319231766568, 34.316646100093884),
    ]);
    follow(Problem { cap, at_once: None, sites: vec![fast, slow] });
}

#[test]
fn a_slow_site_that_can_wait_again_gives_way() {
    let slow = |size, due, max_rate| Site { max_rate, ..Site::new(size, Some(due)) };
    let sites = vec![
        slow(64.351715436791, 12.784575699158788, 5.033543306488089),
        slow(104.8181688456016, 52.51530090021975, 2.0),
        slow(22.08798814019319, 0.9260997373381317, 40.61618431881237),
        Site::new(701.7057298842232, None),
    ];
    follow(Problem { cap: Cap::constant(32.37482293760963), at_once: None, sites });
}

#[test]
fn a_rounding_shortly_before_a_deadline_is_not_taken_for_an_overload() {
    let due = |size, due, max_rate| Site { max_rate, ..Site::new(size, Some(due)) };
    let sites = vec![
        due(440.48778601415165, 80.5354699668291, f64::INFINITY),
        due(593.6573851001161, 39.10771334097577, f64::INFINITY),
        Site { max_rate: 8.046776290711252, ..Site::new(195.09298883796336, None) },
        due(880.3470510659162, 41.75673583239891, 38.93197591532913),
        due(973.9907891855629, 119.7446959744137, 9.077413680250563),
    ];
    let cap = Cap::constant(42.56938281506448);
    follow_with(Problem { cap, at_once: None, sites }, deadline::Effort(0));
}

#[test]
fn no_crumb_of_a_site_is_left_over_at_its_deadline() {
    let due = |size, due, max_rate| Site { max_rate, ..Site::new(size, Some(due)) };
    let sites = vec![
        Site::new(836.9736153090699, None),
        due(211.74636154651256, 6.417682047100152, 40.86482027970966),
        due(490.8254425436486, 186.3273969229188, 2.660551830572525),
        due(364.67640919234145, 10.750156289580877, 34.26212264850941),
    ];
    let cap = Cap::steps(&[(0.0, 70.19428660078006), (1.0, 70.19428660078006)]);
    follow(Problem { cap, at_once: None, sites });
}

#[test]
fn a_crumb_of_a_site_does_not_make_plans_change_for_ever() {
    let slow =
        |size, due, max_rate, release| Site { max_rate, release, ..Site::new(size, Some(due)) };
    let fast = |size, due, release| slow(size, due, f64::INFINITY, release);
    let sites = vec![
        slow(24.032541930248172, 60.05179731006522, 30.564186063955496, 0.0),
        slow(997.1940106467882, 41.52048489900784, 35.962465434816444, 0.7773631102505111),
        slow(995.7316289723123, 191.0080871985007, 100.69854366219494, 0.0),
        slow(862.4828003173255, 170.28503271709167, 102.8324252101924, 0.0),
        slow(392.2211745780358, 198.5874665915194, 102.14899005028805, 10.582156082837093),
        fast(434.3545352744664, 141.74470704462388, 11.372607039187315),
        slow(779.4652939117889, 82.75163795290283, 55.81559726389787, 0.0),
        slow(767.4121339019513, 17.050900363319535, 53.40335044702306, 0.0),
        slow(245.20813980272695, 14.918025136859814, 116.29321788686117, 3.337655417415061),
        fast(828.2194015127434, 189.86831868081902, 19.825062699106194),
        Site { max_rate: 72.4293992592876, ..Site::new(39.67232549737136, None) },
        fast(734.069110578723, 111.94703336011098, 0.0),
    ];
    let cap = Cap::steps(&[
        (0.0, 173.20696228505227),
        (35.60688607918467, 34.27030368762233),
        (36.60688607918467, 173.20696228505227),
    ]);
    follow(Problem { cap, at_once: None, sites });
}

/// Lives by the shares, a second or less at a time, until all is done.
fn follow(problem: Problem) {
    follow_with(problem, deadline::QUICK);
}

fn follow_with(problem: Problem, effort: deadline::Effort) {
    let mut left = problem.clone();
    let mut now = 0.0;
    for _ in 0..20_000 {
        if left.sites.iter().all(|site| site.size <= 0.0) {
            return;
        }
        let shares = replan(&State { effort, ..state(&left, 1.0) });
        assert_eq!(shares.outlook, Outlook::Holds, "lost at {now}: {problem:?}");
        let step = shares.valid_for.min(1.0);
        for (site, rate) in left.sites.iter_mut().zip(&shares.rates) {
            let got = rate * step;
            site.size = if site.size <= got * (1.0 + 1e-12) { 0.0 } else { site.size - got };
            site.deadline = site.deadline.map(|due| due - step);
            site.release = (site.release - step).max(0.0);
            assert!(site.size <= 0.0 || site.due() > -1e-6, "late at {now}: {problem:?}");
        }
        now += step;
        left.cap = seen_from(&problem.cap, now);
    }
    panic!("not done at {now}: {problem:?}");
}

/// The same cap for someone whose time 0 is `time`.
fn seen_from(cap: &Cap, time: f64) -> Cap {
    let later = cap.changes().filter(|&from| from > time).map(|from| (from - time, cap.at(from)));
    let steps: Vec<(f64, f64)> = std::iter::once((0.0, cap.at(time))).chain(later).collect();
    Cap::steps(&steps)
}
