use proptest::prelude::*;
use weir_types::Bandwidth;

use super::*;

fn calendar(zone: &str, entries: &[(&str, &str)]) -> Calendar {
    let entry = |(at, rate): &(&str, &str)| Entry {
        at: if at.is_empty() { Span::ALWAYS } else { at.parse().unwrap() },
        rate: rate.parse().unwrap(),
    };
    Calendar::new(entries.iter().map(entry).collect(), TimeZone::get(zone).unwrap())
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The changes after `from`, each with the rate from then on in KB/s.
fn changes(calendar: &Calendar, from: &str, count: usize) -> Vec<(String, u64)> {
    let mut now = at(from);
    let mut found = Vec::new();
    for _ in 0..count {
        let Some(next) = calendar.next_change(now) else { break };
        assert!(next > now);
        now = next;
        let rate = calendar.rate_at(now).cap().map_or(u64::MAX, |rate| rate / 1000);
        found.push((now.to_string(), rate));
    }
    found
}

fn check(calendar: &Calendar, from: &str, expected: &[(&str, u64)]) {
    let found = changes(calendar, from, expected.len());
    let found: Vec<(&str, u64)> = found.iter().map(|(when, rate)| (when.as_str(), *rate)).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_first_entry_that_holds_counts() {
    let work = calendar(
        "Europe/Berlin",
        &[("Mon-Fri 12:00-13:00", "3KB/s"), ("Mon-Fri 08:00-18:00", "1KB/s"), ("", "5KB/s")],
    );
    // Friday the 13th, in winter: one hour behind UTC.
    check(
        &work,
        "2026-11-12T23:00:00Z",
        &[
            ("2026-11-13T07:00:00Z", 1),
            ("2026-11-13T11:00:00Z", 3),
            ("2026-11-13T12:00:00Z", 1),
            ("2026-11-13T17:00:00Z", 5),
            ("2026-11-16T07:00:00Z", 1),
        ],
    );
}

#[test]
fn where_no_entry_holds_there_is_no_limit() {
    let nights = calendar("UTC", &[("22:00-06:00", "0")]);
    check(
        &nights,
        "2026-11-13T12:00:00Z",
        &[("2026-11-13T22:00:00Z", 0), ("2026-11-14T06:00:00Z", u64::MAX)],
    );
    assert!(nights.has_gaps());
    assert_eq!(nights.highest(), Rate::Unlimited);
}

#[test]
fn when_clocks_are_set_the_clock_on_the_wall_counts() {
    let early = calendar("Europe/Berlin", &[("02:30-03:30", "1KB/s"), ("", "5KB/s")]);
    // 2026-10-25: at 03:00 the clock shows 02:00 again.
    check(
        &early,
        "2026-10-24T22:00:00Z",
        &[
            ("2026-10-25T00:30:00Z", 1),
            ("2026-10-25T01:00:00Z", 5),
            ("2026-10-25T01:30:00Z", 1),
            ("2026-10-25T02:30:00Z", 5),
        ],
    );
    // 2026-03-29: after 02:00 comes 03:00.
    check(
        &early,
        "2026-03-29T00:00:00Z",
        &[("2026-03-29T01:00:00Z", 1), ("2026-03-29T01:30:00Z", 5)],
    );
}

#[test]
fn a_change_that_falls_into_a_skipped_hour_comes_the_week_after() {
    let sundays = calendar("Europe/Berlin", &[("Sun 02:00-03:00", "1KB/s"), ("", "5KB/s")]);
    check(&sundays, "2026-03-22T12:00:00Z", &[("2026-04-05T00:00:00Z", 1)]);
    // Samoa had no 30th of December 2011, which was a Friday.
    let fridays = calendar("Pacific/Apia", &[("Fri", "1KB/s"), ("", "5KB/s")]);
    check(&fridays, "2011-12-24T12:00:00Z", &[("2012-01-05T10:00:00Z", 1)]);
}

#[test]
fn what_never_changes_has_no_next_change() {
    let now = at("2026-11-16T06:00:00Z");
    assert_eq!(Calendar::constant(Rate::Capped(Bandwidth(7))).next_change(now), None);
    let same = calendar("Europe/Berlin", &[("08:00-18:00", "1KB/s"), ("", "1KB/s")]);
    assert_eq!(same.next_change(now), None);
    for end in [Timestamp::MIN, Timestamp::MAX] {
        // At the ends of time there is nothing to say, but nothing breaks either.
        calendar("Europe/Berlin", &[("08:00-18:00", "1KB/s")]).next_change(end);
    }
}

#[test]
fn an_entry_that_never_holds_is_found() {
    let hidden = |entries: &[(&str, &str)]| calendar("UTC", entries).hidden_entry();
    assert_eq!(hidden(&[("", "1KB/s"), ("Mon", "2KB/s")]), Some(1));
    assert_eq!(hidden(&[("Mon-Fri", "1KB/s"), ("Sat,Sun", "2KB/s"), ("", "3KB/s")]), Some(2));
    assert_eq!(hidden(&[("Mon 20:00-04:00", "1KB/s"), ("Tue 02:00-04:00", "2KB/s")]), Some(1));
    assert_eq!(hidden(&[("Mon 20:00-04:00", "1KB/s"), ("Mon 02:00-04:00", "2KB/s")]), None);
    assert_eq!(hidden(&[("Mon", "1KB/s"), ("", "2KB/s")]), None);
}

fn any_span() -> impl Strategy<Value = String> {
    let day = prop::sample::select(vec!["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]);
    let days = (day.clone(), day).prop_map(|(first, last)| format!("{first}-{last}"));
    let days = prop::option::of(days).prop_map(Option::unwrap_or_default);
    // Hours in which clocks are set, and the edges of the day, are the ones to try.
    let time = (prop::sample::select(vec![0, 1, 2, 3, 4, 12, 23]), 0..4u32)
        .prop_map(|(hour, quarter)| format!("{hour:02}:{:02}", quarter * 15));
    let range = (time.clone(), time)
        .prop_filter("the same", |(from, until)| from != until)
        .prop_map(|(from, until)| format!("{from}-{until}"));
    (days, range).prop_map(|(days, range)| format!("{days} {range}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn between_two_changes_the_rate_is_constant(
        spans in prop::collection::vec((any_span(), 1..4u64), 1..4),
        zone in prop::sample::select(vec![
            "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana",
            "Asia/Kathmandu",
        ]),
        hour in 0..8_760i64,
    ) {
        let entries = spans.iter().map(|(at, rate)| Entry {
            at: at.parse().unwrap(),
            rate: Rate::Capped(Bandwidth(*rate)),
        });
        let calendar = Calendar::new(entries.collect(), TimeZone::get(zone).unwrap());
        let start = at("2026-01-01T00:00:00Z") + SignedDuration::from_hours(hour);
        let mut change = calendar.next_change(start);
        let mut rate = calendar.rate_at(start);
        for minute in 0..10 * 24 * 60 {
            let now = start + SignedDuration::from_mins(minute);
            if Some(now) == change {
                prop_assert_ne!(calendar.rate_at(now), rate);
                rate = calendar.rate_at(now);
                change = calendar.next_change(now);
            }
            prop_assert_eq!(calendar.rate_at(now), rate, "at {}", now);
        }
    }
}
