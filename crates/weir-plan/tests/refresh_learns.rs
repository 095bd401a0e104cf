//! How well a rate is learnt from visits, on pages drawn from seeds.

use fastrand::Rng;
use weir_plan::refresh::{Belief, Habits, MEMORY, Seen};

/// How a site is believed to be in these tests: a change in ten days, give or take much.
const SITE: Belief = Belief { changes: 0.5, days: 5.0 };

fn exponential(rng: &mut Rng) -> f64 {
    -(1.0 - rng.f64()).ln()
}

/// From the belief with half a change: the square of a normal number, which is two exponentials' worth.
fn rate_of_site(rng: &mut Rng) -> f64 {
    let normal = (2.0 * exponential(rng)).sqrt() * (std::f64::consts::TAU * rng.f64()).cos();
    0.5 * normal * normal / SITE.days
}

/// Visits a page of this rate at irregular times; the server dates its changes or not.
fn visit(page: &mut Habits, rate: f64, visits: usize, every: f64, dated: bool, rng: &mut Rng) {
    for _ in 0..visits {
        let elapsed = every * (0.2 + 1.6 * rng.f64());
        let ago = exponential(rng) / rate;
        let seen = match ago < elapsed {
            false => Seen::Same,
            true if dated => Seen::ChangedAgo(ago),
            true => Seen::Changed,
        };
        page.observe(&SITE, elapsed, seen, f64::INFINITY);
    }
}

fn learnt(rate: f64, visits: usize, every: f64, dated: bool, rng: &mut Rng) -> f64 {
    let mut page = Habits::default();
    visit(&mut page, rate, visits, every, dated, rng);
    page.belief(&SITE).rate()
}

#[test]
fn the_rate_is_right_on_average_however_few_the_visits() {
    let mut rng = Rng::with_seed(1);
    for dated in [false, true] {
        for visits in [1, 2, 3, 5, 10] {
            for every in [0.3, 3.0, 30.0] {
                let (mut believed, mut true_rates) = (0.0, 0.0);
                for _ in 0..40_000 {
                    let rate = rate_of_site(&mut rng);
                    believed += learnt(rate, visits, every, dated, &mut rng);
                    true_rates += rate;
                }
                let off = believed / true_rates - 1.0;
                assert!(off.abs() < 0.03, "{visits} visits every {every}: off by {off}");
            }
        }
    }
}

#[test]
fn with_many_visits_it_comes_to_the_true_rate_whatever_the_site_is_like() {
    let mut rng = Rng::with_seed(2);
    for rate in [0.003, 0.03, 0.3, 3.0] {
        for part in [0.1, 0.7, 2.0] {
            for dated in [false, true] {
                let pages = 30;
                let off = |visits: usize, rng: &mut Rng| {
                    let errors = (0..pages).map(|_| {
                        let found = learnt(rate, visits, part / rate, dated, rng);
                        (found / rate).ln().powi(2)
                    });
                    (errors.sum::<f64>() / f64::from(pages)).sqrt()
                };
                let (some, many) = (off(40, &mut rng), off(4000, &mut rng));
                assert!(many < 0.12 && many < some, "{rate} {part} {dated}: {some} {many}");
            }
        }
    }
}

#[test]
fn dates_make_the_error_smaller() {
    let mut rng = Rng::with_seed(3);
    let mut error = |dated: bool| {
        let off = (0..4000).map(|_| {
            let rate = 0.5;
            (learnt(rate, 12, 12.0, dated, &mut rng) / rate).ln().powi(2)
        });
        (off.sum::<f64>() / 4000.0).sqrt()
    };
    let (undated, dated) = (error(false), error(true));
    assert!(dated < 0.8 * undated, "{dated} {undated}");
}

/// How much forgetting costs a page that never changes its habits, and what it saves one that does.
#[test]
fn a_change_of_habits_is_followed_and_steady_habits_are_not_forgotten() {
    let mut rng = Rng::with_seed(4);
    let mut error = |rates: [f64; 2], memory: f64| {
        let mut sum = 0.0;
        for _ in 0..500 {
            let mut page = Habits::default();
            for rate in rates {
                for _ in 0..25 {
                    let elapsed = 1.0 + 2.0 * rng.f64();
                    let changed = exponential(&mut rng) / rate < elapsed;
                    let seen = if changed { Seen::Changed } else { Seen::Same };
                    page.observe(&SITE, elapsed, seen, memory);
                }
            }
            sum += (page.belief(&SITE).rate() / rates[1]).ln().abs();
        }
        sum / 500.0
    };
    let (forgets, never) = (error([0.2, 0.2], MEMORY), error([0.2, 0.2], f64::INFINITY));
    assert!(forgets < 1.3 * never, "{forgets} {never}");
    for rates in [[0.02, 1.0], [1.0, 0.02]] {
        let (forgets, never) = (error(rates, MEMORY), error(rates, f64::INFINITY));
        assert!(forgets < 0.6 * never, "{rates:?}: {forgets} {never}");
    }
}
