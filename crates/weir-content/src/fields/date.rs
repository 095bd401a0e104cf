//! A time or a day, as people and machines write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

/// More of a text is not looked at.
const MAX_BYTES: usize = 120;
/// A date begins with one of the first words of a text, as in `Published on 1 November 2026`.
const MAX_WORDS: usize = 8;

const PLAIN: [&str; 10] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%d. %B %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%B %d %Y",
];
/// What could mean both is read as in the United States only in English.
const MONTH_FIRST: [&str; 4] = ["%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y"];
const DAY_FIRST: [&str; 4] = ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"];

/// RFC 3339 in UTC, or `2026-11-01` if only the day is known. A time without a zone is in UTC.
pub(super) fn read(text: &str, lang: &str) -> Option<String> {
    let text = text.trim();
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    if let Some(time) = time(text) {
        return Some(time.to_string());
    }
    let month_first = matches!(lang, "" | "en" | "en-us");
    let slashed = if month_first { MONTH_FIRST } else { DAY_FIRST };
    let words = text.split_whitespace().take(MAX_WORDS);
    let starts = words.map(|word| word.as_ptr() as usize - text.as_ptr() as usize);
    let day = |from: usize| {
        let mut formats = PLAIN.iter().chain(&slashed);
        formats.find_map(|format| day(format, &text[from..]))
    };
    starts.filter(|from| starts_date(&text[*from..])).find_map(day).map(|day| day.to_string())
}

fn time(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return of_epoch(text);
    }
    let is_day = text.len() <= "2026-11-01".len();
    if let Some(time) = text.parse::<DateTime>().ok().filter(|_| !is_day) {
        return time.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp());
    }
    rfc2822::parse(text).ok().map(|time| time.timestamp())
}

/// Seconds or milliseconds since 1970, told by their length.
fn of_epoch(digits: &str) -> Option<Timestamp> {
    let number = digits.parse().ok()?;
    match digits.len() {
        9 | 10 => Timestamp::from_second(number).ok(),
        12 | 13 => Timestamp::from_millisecond(number).ok(),
        _ => None,
    }
}

fn starts_date(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase())
}

/// What follows is left alone unless it is one more digit.
fn day(format: &str, text: &str) -> Option<Date> {
    let (parts, length) = BrokenDownTime::parse_prefix(format, text).ok()?;
    let ends = !text[length..].starts_with(|c: char| c.is_alphanumeric());
    let day = parts.to_date().ok()?;
    (ends && day.year() > 999).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times_are_read() {
        for (text, expected) in [
            ("2026-11-01", "2026-11-01"),
            ("2026-11-01T10:00:00+02:00", "2026-11-01T08:00:00Z"),
            ("2026-11-01T10:00", "2026-11-01T10:00:00Z"),
            ("2026-11-01 10:00:05", "2026-11-01T10:00:05Z"),
            ("Sun, 01 Nov 2026 10:00:00 +0000", "2026-11-01T10:00:00Z"),
            ("1793527200", "2026-11-01T10:00:00Z"),
            ("1793527200000", "2026-11-01T10:00:00Z"),
            ("1 November 2026", "2026-11-01"),
            ("Published on November 1, 2026 by us", "2026-11-01"),
            ("Nov 1, 2026, 10:00 am", "2026-11-01"),
            ("01.11.2026, 10 Uhr", "2026-11-01"),
            ("2026/11/01", "2026-11-01"),
            ("11/01/2026", "2026-11-01"),
            ("31/12/2026", "2026-12-31"),
        ] {
            assert_eq!(read(text, "en").as_deref(), Some(expected), "{text}");
        }
        assert_eq!(read("11/01/2026", "en-gb").as_deref(), Some("2026-01-11"));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "soon",
            "32.13.2026",
            "2026",
            "12:30",
            "1.2.3",
            "99/99/9999",
            "ä".repeat(200).as_str(),
        ] {
            assert_eq!(read(text, ""), None, "{text}");
        }
    }
}
