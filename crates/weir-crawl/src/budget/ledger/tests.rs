use std::collections::HashMap;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::budget::FILE;

/// A folder with a ledger in it, which can be opened again and again.
struct Place {
    folder: TempDir,
    budgets: Vec<Budget>,
    zone: TimeZone,
}

impl Place {
    fn new(zone: &str, budgets: &[&str]) -> Place {
        Place {
            folder: tempfile::tempdir().unwrap(),
            budgets: budgets.iter().map(|text| text.parse().unwrap()).collect(),
            zone: TimeZone::get(zone).unwrap(),
        }
    }

    fn open(&self, now: Timestamp) -> Ledger {
        self.try_open(now).unwrap()
    }

    fn try_open(&self, now: Timestamp) -> Result<Ledger, LedgerError> {
        Ledger::open(&self.path(), &self.budgets, self.zone.clone(), now)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(FILE)
    }
}

impl Ledger {
    /// What may be received until a budget is used up.
    fn left(&mut self, now: Timestamp) -> u64 {
        self.turn(now);
        self.left_now()
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn after(now: Timestamp, seconds: f64) -> Timestamp {
    now + SignedDuration::from_secs_f64(seconds)
}

const MB: u64 = 1_000_000;

#[test]
fn a_clean_end_gives_back_what_did_not_come() {
    let place = Place::new("UTC", &["10MB/day"]);
    let now = at("2026-11-16T12:00:00Z");
    let mut ledger = place.open(now);
    assert_eq!(ledger.allow(now, 3 * MB).unwrap(), 3 * MB);
    ledger.used(now, MB).unwrap();
    ledger.close().unwrap();
    assert_eq!(place.open(now).left(now), 9 * MB);
}

#[test]
fn after_a_kill_what_was_reserved_counts_as_used() {
    let place = Place::new("UTC", &["10MB/day"]);
    let now = at("2026-11-16T12:00:00Z");
    let mut ledger = place.open(now);
    assert_eq!(ledger.allow(now, 3 * MB).unwrap(), 3 * MB);
    ledger.used(now, MB).unwrap();
    drop(ledger);
    assert_eq!(place.open(now).left(now), 7 * MB);
    assert_eq!(place.open(now).left(now), 7 * MB, "and it counts once");
}

#[test]
fn nothing_is_allowed_beyond_the_budget_and_to_ask_does_not_use() {
    let place = Place::new("UTC", &["1MB/day", "1.5MB/month"]);
    let now = at("2026-11-16T12:00:00Z");
    let mut ledger = place.open(now);
    for _ in 0..3 {
        assert_eq!(ledger.allow(now, 5 * MB).unwrap(), MB);
    }
    ledger.used(now, MB).unwrap();
    assert_eq!(ledger.allow(now, 1).unwrap(), 0);
    assert_eq!(ledger.renews_at(now, 1), Some(at("2026-11-17T00:00:00Z")));
    let tomorrow = at("2026-11-17T00:00:00Z");
    assert_eq!(ledger.renews_at(tomorrow, 1), None);
    assert_eq!(ledger.allow(tomorrow, 5 * MB).unwrap(), MB / 2);
    // More than was allowed: it counts, and is on disk at once.
    ledger.used(tomorrow, MB).unwrap();
    drop(ledger);
    let mut ledger = place.open(tomorrow);
    assert_eq!(ledger.left(tomorrow), 0);
    assert_eq!(ledger.renews_at(tomorrow, 1), Some(at("2026-12-01T00:00:00Z")));
    assert_eq!(ledger.left(at("2026-12-01T00:00:00Z")), MB);
}

#[test]
fn a_day_is_one_of_the_time_zone_however_long() {
    // The 25th has 25 hours in Berlin: it begins at 22:00 UTC and ends at 23:00.
    let place = Place::new("Europe/Berlin", &["1MB/day"]);
    let mut ledger = place.open(at("2026-10-24T22:00:00Z"));
    ledger.used(at("2026-10-24T22:00:00Z"), MB).unwrap();
    assert_eq!(ledger.left(at("2026-10-25T22:59:59Z")), 0);
    assert_eq!(ledger.renews_at(at("2026-10-25T12:00:00Z"), 1), Some(at("2026-10-25T23:00:00Z")));
    assert_eq!(ledger.left(at("2026-10-25T23:00:00Z")), MB);
    // In Santiago the 6th of September 2026 begins at 01:00, as midnight is skipped.
    let place = Place::new("America/Santiago", &["1MB/day"]);
    let evening = at("2026-09-06T03:00:00Z");
    let mut ledger = place.open(evening);
    ledger.used(evening, MB).unwrap();
    let morning = ledger.renews_at(evening, 1).unwrap();
    assert_eq!(morning, at("2026-09-06T04:00:00Z"));
    assert_eq!(ledger.left(morning), MB);
}

#[test]
fn a_clock_that_is_set_back_gives_nothing_twice() {
    let place = Place::new("UTC", &["1MB/day"]);
    let (today, yesterday) = (at("2026-11-16T00:30:00Z"), at("2026-11-15T23:30:00Z"));
    let mut ledger = place.open(today);
    ledger.used(today, MB).unwrap();
    assert_eq!(ledger.left(yesterday), 0);
    ledger.close().unwrap();
    assert_eq!(place.open(yesterday).left(yesterday), 0);
    let why = place.try_open(at("2026-11-01T00:00:00Z")).unwrap_err().to_string();
    assert!(why.contains("2026-11-16") && why.contains("clock"), "{why}");
}

#[test]
fn what_a_killed_run_may_have_received_after_midnight_counts_for_the_new_day() {
    let place = Place::new("UTC", &["1MB/day"]);
    let evening = at("2026-11-30T23:59:59Z");
    let mut ledger = place.open(evening);
    let allowed = ledger.allow(evening, MB / 2).unwrap();
    drop(ledger);
    let morning = at("2026-12-01T00:00:01Z");
    assert_eq!(place.open(morning).left(morning), MB - allowed);
}

#[test]
fn half_a_file_beside_it_is_no_harm() {
    let place = Place::new("UTC", &["1MB/day"]);
    let now = at("2026-11-16T12:00:00Z");
    let mut ledger = place.open(now);
    ledger.used(now, MB / 4).unwrap();
    drop(ledger);
    std::fs::write(place.path().with_extension("json.new"), "{\"vers").unwrap();
    assert_eq!(place.open(now).left(now), MB - MB / 4);
}

#[test]
fn the_disk_is_synced_rarely_and_a_kill_loses_some_seconds() {
    let place = Place::new("UTC", &["50GB/month"]);
    let start = at("2026-11-16T12:00:00Z");
    let mut ledger = place.open(start);
    let (mut writes, mut last) = (0, String::new());
    let (rate, step) = (20 * MB, 0.2);
    for turn in 0..1500 {
        let now = after(start, f64::from(turn) * step);
        ledger.allow(now, rate).unwrap();
        ledger.used(now, rate / 5).unwrap();
        let file = std::fs::read_to_string(place.path()).unwrap();
        writes += u32::from(file != last);
        last = file;
    }
    assert!(writes <= 40, "{writes} writes in 300 s");
    drop(ledger);
    let now = after(start, 300.0);
    let lost = 50_000 * MB - place.open(now).left(now) - 1500 * rate / 5;
    assert!(lost <= 12 * rate, "{lost} lost");
}

#[derive(Clone, Debug)]
enum Step {
    /// Asks, and receives this part of what is allowed, perhaps after some time.
    Receive {
        wanted: u64,
        part: f64,
        wait_s: f64,
    },
    /// The same, but is killed before it is counted.
    Killed {
        wanted: u64,
        part: f64,
        wait_s: f64,
    },
    Close,
    Sleep {
        hours: f64,
    },
}

fn any_step() -> impl Strategy<Value = Step> {
    let wait = prop::sample::select(vec![0.0, 0.2, 5.0, 3600.0]);
    let amounts = (0..3_000_000u64, 0.0..=1.0f64, wait);
    prop_oneof![
        6 => amounts.clone().prop_map(|(wanted, part, wait_s)| Step::Receive { wanted, part, wait_s }),
        2 => amounts.prop_map(|(wanted, part, wait_s)| Step::Killed { wanted, part, wait_s }),
        1 => Just(Step::Close),
        1 => (0.0..40.0f64).prop_map(|hours| Step::Sleep { hours }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_budget_is_never_exceeded_whenever_the_crawl_is_killed(
        steps in prop::collection::vec(any_step(), 1..60),
        hour in 0..8_760u32,
    ) {
        let place = Place::new("Europe/Berlin", &["4MB/day", "20MB/month"]);
        let mut now = after(at("2026-01-01T00:00:00Z"), f64::from(hour) * 3600.0);
        let mut ledger = place.open(now);
        let mut received: HashMap<String, u64> = HashMap::new();
        for step in steps {
            match step {
                Step::Sleep { hours } => now = after(now, hours * 3600.0),
                Step::Close => {
                    ledger.close().unwrap();
                    ledger = place.open(now);
                }
                Step::Receive { wanted, part, wait_s } | Step::Killed { wanted, part, wait_s } => {
                    let allowed = ledger.allow(now, wanted).unwrap();
                    now = after(now, wait_s);
                    let bytes = (allowed as f64 * part) as u64;
                    let date = place.zone.to_datetime(now).date();
                    *received.entry(date.to_string()).or_default() += bytes;
                    *received.entry(date.strftime("%Y-%m").to_string()).or_default() += bytes;
                    if matches!(step, Step::Killed { .. }) {
                        drop(ledger);
                        ledger = place.open(now);
                    } else {
                        ledger.used(now, bytes).unwrap();
                    }
                }
            }
            for (period, bytes) in &received {
                let most = if period.len() == 7 { 20 * MB } else { 4 * MB };
                prop_assert!(*bytes <= most, "{period}: {bytes}");
            }
        }
    }
}
