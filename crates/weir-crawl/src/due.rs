//! When a site is to be done: a length of time, or a moment.

use std::time::Duration;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use weir_types::parse_duration;

/// As it was written. What it means is settled once, when the crawl is first started.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Due {
    Within(Duration),
    /// The next time that a clock on the wall shows this.
    Clock(Time),
    At(Timestamp),
}

impl Due {
    pub fn within(text: &str) -> Result<Due, String> {
        match parse_duration(text) {
            Ok(length) if length.is_zero() => {
                Err("nothing can be done in no time; write a duration such as 30m or 2h".into())
            }
            Ok(length) if length > LONGEST => Err("more than ten years; write less".into()),
            Ok(length) => Ok(Due::Within(length)),
            Err(_) => Err("no duration; write for example 90s, 30m, 2h or 1d12h".into()),
        }
    }

    pub fn by(text: &str) -> Result<Due, String> {
        let text = text.trim();
        if let Ok(at) = text.parse::<Timestamp>() {
            return Ok(Due::At(at));
        }
        match Time::strptime("%H:%M", text).or_else(|_| Time::strptime("%H:%M:%S", text)) {
            Ok(time) => Ok(Due::Clock(time)),
            Err(_) => Err(
                "no time; write a time of day such as 18:00, or a moment such as 2026-11-20T18:00:00Z"
                    .into(),
            ),
        }
    }

    /// The moment, for a crawl that starts at `start` and lives by the clock of `zone`.
    pub fn moment(self, start: Timestamp, zone: &TimeZone) -> Timestamp {
        match self {
            Due::Within(length) => {
                let length = SignedDuration::try_from(length).unwrap_or(SignedDuration::MAX);
                start.checked_add(length).unwrap_or(Timestamp::MAX)
            }
            Due::At(at) => at,
            Due::Clock(time) => next(time, start, zone),
        }
    }
}

/// Longer is a slip of the pen, and would be in the way of reckoning.
pub const LONGEST: Duration = Duration::from_secs(10 * 366 * 24 * 3600);

/// On the day that the clock goes forward a time may not be; then the moment after it counts.
fn next(time: Time, start: Timestamp, zone: &TimeZone) -> Timestamp {
    let today = zone.to_datetime(start).date();
    let on = |date: jiff::civil::Date| {
        date.to_datetime(time).to_zoned(zone.clone()).map(|zoned| zoned.timestamp())
    };
    match on(today) {
        Ok(at) if at > start => at,
        _ => today.checked_add(1.day()).and_then(on).unwrap_or(Timestamp::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_length_of_time_counts_from_the_start() {
        let due = Due::within("1h30m").unwrap();
        let start = at("2026-11-16T22:45:00Z");
        assert_eq!(due.moment(start, &TimeZone::UTC), at("2026-11-17T00:15:00Z"));
    }

    #[test]
    fn a_time_of_day_is_the_next_one_in_the_zone() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let due = Due::by("18:00").unwrap();
        assert_eq!(due.moment(at("2026-11-16T16:59:00Z"), &berlin), at("2026-11-16T17:00:00Z"));
        assert_eq!(due.moment(at("2026-11-16T17:00:00Z"), &berlin), at("2026-11-17T17:00:00Z"));
        // 02:30 is not, on the day that summer begins.
        let due = Due::by("02:30").unwrap();
        let skipped = due.moment(at("2027-03-28T00:00:00Z"), &berlin);
        assert_eq!(skipped, at("2027-03-28T01:30:00Z"));
    }

    #[test]
    fn a_moment_is_taken_as_it_is_even_if_it_has_passed() {
        let due = Due::by("2026-11-20T18:00:00+01:00").unwrap();
        let moment = at("2026-11-20T17:00:00Z");
        assert_eq!(due.moment(at("2027-01-01T00:00:00Z"), &TimeZone::UTC), moment);
    }

    #[test]
    fn what_is_no_time_is_refused_with_an_example() {
        for text in ["", "soon", "25:00", "18", "18:60", "tomorrow 18:00"] {
            assert!(Due::by(text).unwrap_err().contains("18:00"), "{text}");
        }
        for text in ["", "0s", "-5m", "soon", "11y"] {
            assert!(Due::within(text).is_err(), "{text}");
        }
    }
}
