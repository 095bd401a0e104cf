use super::*;

const A: u64 = 1;
const B: u64 = 2;
const C: u64 = 3;

fn hungry(weight: f64) -> Wish {
    Wish { weight, used: 0.0, hungry: true }
}

fn uses(used: f64) -> Wish {
    Wish { weight: 1.0, used, hungry: false }
}

fn purse(cap: f64, wishes: &[(u64, Wish)]) -> Purse {
    let mut purse = Purse::new(cap);
    for (who, wish) in wishes {
        purse.join(*who);
        purse.wants(*who, *wish);
    }
    purse
}

/// What is told, to whom, without versions.
fn told(purse: &mut Purse, now_ms: u64) -> Vec<(u64, f64)> {
    purse.share_out(now_ms).iter().map(|grant| (grant.who, grant.rate)).collect()
}

/// All answer at once, until nothing more is told.
fn settle(purse: &mut Purse, now_ms: u64) {
    for _ in 0..10 {
        for grant in purse.share_out(now_ms) {
            purse.in_force(grant.who, grant.version);
        }
    }
    assert_eq!(purse.share_out(now_ms), []);
}

fn check(cap: f64, wishes: &[(u64, Wish)], expected: &[f64]) {
    let mut purse = purse(cap, wishes);
    settle(&mut purse, 0);
    let rates: Vec<f64> = wishes.iter().map(|(who, _)| purse.granted(*who)).collect();
    assert_eq!(rates, expected);
    assert!(purse.booked() <= cap.max(0.0));
}

#[test]
fn hungry_downloaders_share_by_weight() {
    check(1000.0, &[(A, hungry(1.0))], &[1000.0]);
    check(1000.0, &[(A, hungry(1.0)), (B, hungry(4.0))], &[200.0, 800.0]);
}

#[test]
fn one_that_does_not_use_its_grant_keeps_a_little_more_than_it_uses() {
    check(10_000.0, &[(A, uses(400.0)), (B, hungry(1.0))], &[600.0, 9400.0]);
    check(10_000.0, &[(A, Wish::default()), (B, hungry(1.0))], &[100.0, 9900.0]);
    check(10_000.0, &[(A, uses(9000.0)), (B, hungry(1.0))], &[5000.0, 5000.0]);
}

#[test]
fn without_a_cap_all_is_granted_and_in_a_pause_nothing() {
    let all = [(A, uses(1.0)), (B, hungry(1.0))];
    check(f64::INFINITY, &all, &[f64::INFINITY; 2]);
    check(0.0, &all, &[0.0; 2]);
    check(-1.0, &all, &[0.0; 2]);
    check(f64::NAN, &all, &[0.0; 2]);
    check(1000.0, &[(A, Wish { weight: f64::NAN, used: f64::NAN, hungry: false })], &[20.0]);
    check(1000.0, &[(A, Wish { weight: -1.0, used: 0.0, hungry: true })], &[1000.0]);
}

#[test]
fn a_newcomer_gets_nothing_before_others_say_that_they_hold_less() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, hungry(1.0))]);
    settle(&mut purse, 0);
    purse.join(C);
    purse.wants(C, hungry(2.0));
    let grants = purse.share_out(0);
    let rates: Vec<_> = grants.iter().map(|grant| (grant.who, grant.rate)).collect();
    assert_eq!(rates, [(A, 250.0), (B, 250.0), (C, 0.0)]);
    assert_eq!(told(&mut purse, 100), []);
    purse.in_force(A, grants[0].version);
    assert_eq!(told(&mut purse, 200), [(C, 250.0)], "a part, from one that has answered");
    purse.in_force(B, grants[1].version);
    assert_eq!(told(&mut purse, 300), [(C, 500.0)]);
    assert_eq!(purse.booked(), 1000.0);
}

#[test]
fn a_newcomer_among_fifty_gets_its_share_though_each_gives_less_than_a_fiftieth() {
    let many: Vec<_> = (0..51).map(|who| (who, hungry(1.0))).collect();
    let mut purse = purse(1e6, &many[..50]);
    settle(&mut purse, 0);
    purse.join(50);
    purse.wants(50, hungry(1.0));
    settle(&mut purse, 0);
    assert_eq!(purse.granted(50), (1e6_f64 / 51.0).floor());
}

#[test]
fn small_changes_are_not_sent() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, hungry(1.0))]);
    settle(&mut purse, 0);
    purse.wants(B, hungry(1.03));
    assert_eq!(told(&mut purse, 0), []);
    purse.set_cap(1005.0);
    assert_eq!(told(&mut purse, 0), []);
    purse.set_cap(995.0);
    assert_ne!(told(&mut purse, 0), [], "but a lower cap holds to the byte");
}

#[test]
fn nothing_is_lowered_that_nobody_waits_for() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, uses(100.0))]);
    settle(&mut purse, 0);
    purse.wants(A, uses(10.0));
    purse.wants(B, uses(90.0));
    assert_eq!(told(&mut purse, 0), []);
}

#[test]
fn what_was_lowered_without_an_answer_can_be_raised_again_at_once() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, hungry(1.0))]);
    settle(&mut purse, 0);
    purse.wants(A, uses(0.0));
    assert_eq!(told(&mut purse, 0), [(A, 10.0)]);
    assert_eq!(purse.booked(), 1000.0);
    purse.wants(A, hungry(1.0));
    assert_eq!(told(&mut purse, 0), [(A, 500.0)]);
    assert_eq!(purse.booked(), 1000.0, "it may not have heard anything");
}

#[test]
fn nobody_is_raised_while_more_is_booked_than_a_lower_cap_allows() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, hungry(1.0))]);
    settle(&mut purse, 0);
    purse.set_cap(100.0);
    let lowered = purse.share_out(0);
    purse.wants(B, Wish::default());
    assert_eq!(told(&mut purse, 0), [(B, 1.0)], "B may hold 500 or 50, so A keeps 50");
    purse.in_force(A, lowered[0].version);
    assert_eq!(told(&mut purse, 0), []);
    purse.in_force(B, purse.version());
    assert_eq!(told(&mut purse, 0), [(A, 99.0)]);
}

#[test]
fn a_cap_after_none_is_granted_only_when_all_have_answered() {
    let mut purse = purse(f64::INFINITY, &[(A, hungry(1.0)), (B, uses(0.0))]);
    settle(&mut purse, 0);
    purse.set_cap(1000.0);
    let grants = purse.share_out(0);
    assert_eq!((grants[0].rate, grants[1].rate), (990.0, 10.0));
    assert_eq!(purse.booked(), f64::INFINITY);
    purse.in_force(A, grants[0].version);
    purse.in_force(B, grants[1].version);
    assert_eq!(purse.booked(), 1000.0);
}

#[test]
fn one_that_is_lost_keeps_its_grant_until_it_has_run_out_for_certain() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, hungry(1.0))]);
    settle(&mut purse, 0);
    purse.lost(A, 5000);
    assert_eq!(told(&mut purse, 8999), []);
    assert_eq!(purse.booked(), 1000.0);
    assert_eq!(told(&mut purse, 9000), [(B, 1000.0)]);
}

#[test]
fn one_that_has_left_gives_its_grant_back_at_once() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, hungry(1.0))]);
    settle(&mut purse, 0);
    purse.left(A);
    assert_eq!(told(&mut purse, 0), [(B, 1000.0)]);
}

#[test]
fn one_that_comes_back_is_told_anew_within_what_is_booked_for_it() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, hungry(1.0))]);
    settle(&mut purse, 0);
    purse.set_cap(500.0);
    let lowered = purse.share_out(0);
    purse.in_force(B, lowered[1].version);
    purse.lost(A, 0);
    assert_eq!(purse.booked(), 750.0, "the lower grant may be lost with the connection");
    purse.join(A);
    let grants = purse.share_out(100);
    assert_eq!(purse.booked(), 750.0);
    assert!(purse.share_out(60_000).iter().all(|grant| grant.who == A), "only A is asked again");
    assert_eq!(purse.booked(), 750.0, "it is here, so that nothing runs out");
    let to_a = grants.iter().find(|grant| grant.who == A).unwrap();
    purse.in_force(A, to_a.version);
    assert_eq!(purse.booked(), 500.0);
}

#[test]
fn an_old_version_said_late_and_one_never_told_change_nothing() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0))]);
    let first = purse.share_out(0)[0].version;
    purse.set_cap(600.0);
    let second = purse.share_out(0)[0].version;
    purse.in_force(A, second + 1);
    purse.in_force(A, u64::MAX);
    assert_eq!(purse.booked(), 1000.0);
    purse.in_force(A, second);
    purse.in_force(A, first);
    assert_eq!(purse.booked(), 600.0);
    purse.in_force(B, second);
}

#[test]
fn an_answer_from_before_it_left_says_nothing_of_what_it_was_told_since() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0))]);
    let before = purse.share_out(0)[0].version;
    purse.left(A);
    purse.join(A);
    purse.wants(A, hungry(1.0));
    let after = purse.share_out(0)[0].version;
    assert!(after > before, "no version is used twice");
    purse.set_cap(10.0);
    purse.share_out(0);
    purse.in_force(A, before);
    assert_eq!(purse.booked(), 1000.0);
}

#[test]
fn what_is_not_answered_is_told_again_under_the_same_version() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0))]);
    let first = purse.share_out(0);
    assert_eq!(purse.share_out(999), []);
    assert_eq!(purse.share_out(1000), first);
    purse.in_force(A, first[0].version);
    assert_eq!(purse.share_out(9000), []);
}

#[test]
fn a_scheduler_that_was_started_again_grants_nothing_until_old_grants_have_run_out() {
    let mut purse = Purse::restarted(1000.0, 77, 10_000);
    purse.join(A);
    purse.wants(A, hungry(1.0));
    assert_eq!(purse.share_out(10_000), [Grant { who: A, rate: 0.0, version: 78 }]);
    purse.in_force(A, 78);
    assert_eq!(told(&mut purse, 13_999), []);
    assert_eq!(told(&mut purse, 14_000), [(A, 1000.0)]);
}

#[test]
fn one_that_may_hold_a_grant_from_before_a_restart_is_waited_for() {
    let mut purse = Purse::restarted(1000.0, 77, 10_000);
    purse.join(A);
    purse.join(B);
    purse.wants(A, hungry(1.0));
    let grants = purse.share_out(10_000);
    purse.in_force(A, grants[0].version);
    purse.in_force(B, 77);
    assert_eq!(purse.share_out(20_000), grants[1..], "B is asked again, and nobody is raised");
    assert_eq!(purse.booked(), f64::INFINITY);
    purse.in_force(B, grants[1].version);
    settle(&mut purse, 20_000);
    assert_eq!((purse.granted(A), purse.granted(B)), (990.0, 10.0));
}

#[test]
fn what_servers_owe_to_one_is_not_given_to_another() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, hungry(1.0))]);
    settle(&mut purse, 0);
    // Cut from the web: all that it has under way is silent, so that nothing waits and nothing comes.
    purse.wants(A, uses(0.0));
    purse.owes(A, 300.0);
    settle(&mut purse, 0);
    assert_eq!((purse.granted(A), purse.granted(B)), (310.0, 690.0));
    purse.owes(A, 0.0);
    settle(&mut purse, 0);
    assert_eq!((purse.granted(A), purse.granted(B)), (10.0, 990.0));
}

#[test]
fn what_is_owed_since_before_a_restart_is_not_given_away() {
    let mut purse = Purse::restarted(1000.0, 7, 0);
    for (who, wish, owed) in [(A, uses(0.0), 300.0), (B, hungry(1.0), 0.0)] {
        purse.join(who);
        purse.wants(who, wish);
        purse.owes(who, owed);
    }
    settle(&mut purse, 60_000);
    assert_eq!((purse.granted(A), purse.granted(B)), (310.0, 690.0));
}

#[test]
fn more_that_is_owed_than_there_is_room_for_is_no_more_room() {
    let mut purse = purse(1000.0, &[(A, hungry(1.0)), (B, uses(0.0)), (C, uses(0.0))]);
    settle(&mut purse, 0);
    for (who, bytes) in [(A, f64::NAN), (B, 1e300), (C, 600.0)] {
        purse.owes(who, bytes);
    }
    settle(&mut purse, 0);
    assert!(purse.granted(A) < 10.0, "all of the cap may come to the others at any moment");
    // It goes on as soon as something has come.
    purse.owes(B, 0.0);
    purse.owes(C, 0.0);
    settle(&mut purse, 0);
    assert!(purse.granted(A) > 950.0, "{}", purse.granted(A));
}
