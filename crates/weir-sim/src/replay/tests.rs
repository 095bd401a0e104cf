use fastrand::Rng;
use weir_plan::Policy;

use super::*;
use crate::table::Cell;

fn site(name: &str, came: f64, deadline: Option<f64>, end: f64) -> RecordedSite {
    let late_by = deadline.map(|due| (end - due).max(0.0));
    RecordedSite {
        name: name.to_owned(),
        came,
        deadline,
        end: Some(end),
        met: late_by.map(|late| late == 0.0),
        late_by,
        ..RecordedSite::default()
    }
}

/// 1200 bytes over the wire for 1000 of pages, at 100 a second: 12 s.
fn crawl() -> Recorded {
    Recorded {
        limit: Some(100.0),
        mean_rate: 100.0,
        came: 1200.0,
        sites: vec![site("a", 500.0, Some(8.0), 10.0), site("b", 500.0, None, 12.0)],
    }
}

fn what_if(limit: Option<f64>, policies: &[Policy]) -> WhatIf {
    WhatIf { limit, policies: policies.to_vec(), drawn: true, ..WhatIf::default() }
}

/// Rows as met, missed, late, last end, mean end.
fn check(recorded: &Recorded, what_if: &WhatIf, rows: &[[f64; 5]]) {
    let table = replay(recorded, what_if).unwrap().summary();
    let columns = ["met", "missed", "late_by_s", "last_end_s", "mean_end_s"];
    for (index, column) in columns.into_iter().enumerate() {
        for (row, (got, expected)) in
            table.column(column).unwrap().iter().zip(rows.iter().map(|row| row[index])).enumerate()
        {
            assert!((got - expected).abs() < 1e-6, "row {row}, {column}: {got}, not {expected}");
        }
    }
    assert_eq!(table.rows.len(), rows.len());
}

#[test]
fn a_crawl_is_replayed_as_by_hand() {
    let happened = [0.0, 1.0, 2.0, 12.0, 11.0];
    // a has 600 bytes over the wire: done after 6 s of 100 a second if it comes first, and after
    // 12 s if the two share them.
    let policies = [Policy::Deadline, Policy::Edf, Policy::Fair];
    let first = [1.0, 0.0, 0.0, 12.0, 9.0];
    let shared = [0.0, 1.0, 4.0, 12.0, 12.0];
    check(&crawl(), &what_if(None, &policies), &[happened, first, first, shared]);
    let twice = [1.0, 0.0, 0.0, 6.0, 4.5];
    let fair = [1.0, 0.0, 0.0, 6.0, 6.0];
    check(&crawl(), &what_if(Some(200.0), &policies), &[happened, twice, twice, fair]);
    let half = [0.0, 1.0, 4.0, 24.0, 18.0];
    check(&crawl(), &what_if(Some(50.0), &[Policy::Deadline]), &[happened, half]);
}

#[test]
fn the_least_limit_is_told_and_is_enough() {
    let least = replay(&crawl(), &what_if(None, &[])).unwrap().least_limit;
    assert!((least - 75.0).abs() < 1e-6, "{least}");
    let at_least = replay(&crawl(), &what_if(Some(least), &[Policy::Deadline])).unwrap();
    assert_eq!(at_least.summary().column("missed").unwrap(), [1.0, 0.0]);
    let mut slow = crawl();
    slow.sites[0].max_rate = Some(50.0);
    let slow = replay(&slow, &what_if(None, &[Policy::Deadline])).unwrap();
    assert_eq!(slow.least_limit, f64::INFINITY, "a server of 60 bytes a second needs 10 s");
    assert_eq!(slow.too_slow().collect::<Vec<_>>(), ["a"]);
    assert!((slow.summary().column("late_by_s").unwrap()[1] - 2.0).abs() < 1e-6);
    let mut free = crawl();
    free.sites.remove(0);
    assert_eq!(replay(&free, &what_if(None, &[])).unwrap().least_limit, 0.0);
}

#[test]
fn a_crawl_without_a_limit_had_what_its_servers_gave() {
    let mut free = Recorded { limit: None, ..crawl() };
    assert_eq!(replay(&free, &what_if(None, &[])).unwrap().limit(), 100.0, "the mean rate");
    free.sites[0].max_rate = Some(150.0);
    free.sites[1].max_rate = Some(50.0);
    assert_eq!(replay(&free, &what_if(None, &[])).unwrap().limit(), 240.0, "with the overhead");
    free.limit = Some(0.0);
    assert_eq!(replay(&free, &what_if(None, &[])).unwrap().limit(), 240.0, "a pause is no limit");
}

#[test]
fn an_unfinished_site_has_what_is_expected_of_it() {
    let mut running = crawl();
    running.sites[1] =
        RecordedSite { end: None, predicted: Some(1500.0), ..running.sites[1].clone() };
    running.sites.push(RecordedSite { name: "silent".to_owned(), ..RecordedSite::default() });
    let replay = replay(&running, &what_if(None, &[Policy::Edf])).unwrap();
    assert_eq!((replay.predicted(), replay.left_out, replay.sites.len()), (1, 1, 2));
    assert!((replay.problem.sites[1].size - 1800.0).abs() < 1e-6);
    let summary = replay.summary();
    assert_eq!(summary.rows[0][4], Cell::Empty, "nobody knows when it will end");
    assert_eq!(summary.column("unfinished").unwrap(), [1.0, 0.0]);
    let sites = replay.by_site();
    assert_eq!(sites.columns.last().unwrap(), "end_s of edf");
    assert_eq!(sites.rows[1][2], Cell::from("yes"));
}

#[test]
fn a_policy_that_does_not_apply_says_why_in_its_row() {
    let replay = replay(&crawl(), &what_if(Some(50.0), &[Policy::MMaxt, Policy::Edf])).unwrap();
    let summary = replay.summary();
    assert_eq!(summary.rows[1][1], Cell::Empty);
    let why = "constant rates that keep every deadline need 75 B/s";
    assert_eq!(summary.rows[1][7], Cell::from(why));
    assert_eq!(summary.rows[2][7], Cell::Empty);
    let picture = replay.picture();
    assert!(picture.contains("edf: 1 late") && !picture.contains("m-maxt"), "{picture}");
}

#[test]
fn only_so_many_sites_run_at_a_time() {
    let mut crawl = crawl();
    crawl.sites[0].max_rate = Some(50.0);
    let one = WhatIf { at_once: Some(1), ..what_if(None, &[Policy::Edf]) };
    // 10 s for the slow one, and 6 s for the other after it.
    assert!(
        (replay(&crawl, &one).unwrap().summary().column("last_end_s").unwrap()[1] - 16.0).abs()
            < 1e-6
    );
}

#[test]
fn a_report_without_bytes_or_with_impossible_ones_is_refused() {
    let nothing = Recorded { sites: vec![RecordedSite::default()], ..crawl() };
    assert_eq!(replay(&nothing, &what_if(None, &[])), Err(ReplayError::Nothing));
    assert_eq!(replay(&Recorded::default(), &what_if(None, &[])), Err(ReplayError::Nothing));
    let mut spoiled = crawl();
    spoiled.sites[0].deadline = Some(f64::INFINITY);
    assert!(matches!(replay(&spoiled, &what_if(None, &[])), Err(ReplayError::Wrong(_))));
}

#[test]
fn a_higher_limit_never_makes_the_lateness_worse() {
    let mut late_at_first = 0;
    for seed in 0..50 {
        let recorded = drawn(seed);
        let mut before = f64::INFINITY;
        for limit in [40.0, 60.0, 80.0, 100.0, 130.0, 170.0, 250.0, 500.0] {
            let replay = replay(&recorded, &what_if(Some(limit), &[Policy::Deadline])).unwrap();
            let late = replay.summary().column("late_by_s").unwrap()[1];
            assert!(
                late <= before + 1e-6 * before.min(1e9),
                "seed {seed}: {late} s late with {limit}, {before} s with less"
            );
            late_at_first += usize::from(before.is_infinite() && late > 0.0);
            before = late;
        }
    }
    assert!(late_at_first > 25, "only {late_at_first} of them say anything");
}

/// From 2 to 12 sites, of which some have deadlines that 100 bytes a second just about keep, and
/// some are slow.
fn drawn(seed: u64) -> Recorded {
    let mut rng = Rng::with_seed(seed);
    let count = rng.usize(2..=12);
    let sites = (0..count).map(|index| {
        let came = 100.0 + 900.0 * rng.f64();
        let deadline = (rng.f64() < 0.8).then(|| 5.0 * count as f64 * (0.2 + rng.f64()));
        let max_rate = (rng.f64() < 0.4).then(|| 20.0 + 100.0 * rng.f64());
        RecordedSite { max_rate, ..site(&index.to_string(), came, deadline, 1.0) }
    });
    Recorded { sites: sites.collect(), ..crawl() }
}
