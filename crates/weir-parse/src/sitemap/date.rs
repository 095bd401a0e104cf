use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;

/// A date as sitemaps (W3C) and feeds (RFC 2822) write it, in RFC 3339 and UTC. A time without
/// offset is taken for UTC, a day for its midnight, a month or year for its first day.
pub(super) fn utc(text: &str) -> Option<String> {
    let text = text.trim();
    let at = by_year_or_month(text)
        .or_else(|| text.parse::<Timestamp>().ok())
        .or_else(|| civil(text))
        .or_else(|| spaced(text))
        .or_else(|| mail(text))?;
    Some(at.to_string())
}

/// `2024` and `2024-06`.
fn by_year_or_month(text: &str) -> Option<Timestamp> {
    let (year, month) = match text.len() {
        4 => (text, "1"),
        7 => text.split_once('-')?,
        _ => return None,
    };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if year.len() != 4 || !digits(year) || !digits(month) {
        return None;
    }
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?;
    in_utc(date.into())
}

fn civil(text: &str) -> Option<Timestamp> {
    in_utc(text.parse::<DateTime>().ok()?)
}

fn in_utc(time: DateTime) -> Option<Timestamp> {
    Some(TimeZone::UTC.to_zoned(time).ok()?.timestamp())
}

/// `2024-06-20T10:30:00 +02:00`, and `2024-06-20 10:30:00 UTC`.
fn spaced(text: &str) -> Option<Timestamp> {
    let (time, offset) = text.rsplit_once(' ')?;
    match offset {
        "UTC" | "GMT" | "Z" => civil(time.trim_end()),
        _ if offset.starts_with(['+', '-']) => format!("{}{offset}", time.trim_end()).parse().ok(),
        _ => None,
    }
}

/// Weekdays are wrong often enough, and tell nothing.
fn mail(text: &str) -> Option<Timestamp> {
    let parser = DateTimeParser::new().relaxed_weekday(true);
    parser.parse_timestamp(text).ok().or_else(|| {
        let (_, without_weekday) = text.split_once(',')?;
        parser.parse_timestamp(without_weekday.trim()).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_sitemaps_and_feeds_are_read() {
        for (text, expected) in [
            ("2004", "2004-01-01T00:00:00Z"),
            ("2004-10", "2004-10-01T00:00:00Z"),
            ("2004-10-02", "2004-10-02T00:00:00Z"),
            (" 2004-10-01T18:23:17+00:00\n", "2004-10-01T18:23:17Z"),
            ("2004-10-01T18:23+02:00", "2004-10-01T16:23:00Z"),
            ("2004-10-01T18:23:17.250Z", "2004-10-01T18:23:17.25Z"),
            ("2004-10-01T18:23:17", "2004-10-01T18:23:17Z"),
            ("2004-10-01 18:23:17", "2004-10-01T18:23:17Z"),
            ("2004-10-01t18:23:17z", "2004-10-01T18:23:17Z"),
            ("2004-10-01T18:23:17+0100", "2004-10-01T17:23:17Z"),
            ("2004-10-01T18:23:17 +01:00", "2004-10-01T17:23:17Z"),
            ("2004-10-01 18:23:17 UTC", "2004-10-01T18:23:17Z"),
            ("Fri, 01 Oct 2004 18:23:17 GMT", "2004-10-01T18:23:17Z"),
            ("Mon, 01 Oct 2004 18:23:17 +0200", "2004-10-01T16:23:17Z"),
            ("1 Oct 2004 18:23 EST", "2004-10-01T23:23:00Z"),
            ("Frei, 01 Oct 2004 18:23:17 GMT", "2004-10-01T18:23:17Z"),
        ] {
            assert_eq!(utc(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in
            ["", "yesterday", "0000-00-00", "2004-13", "2004-02-30", "20", "+200", "2004-1x"]
        {
            assert_eq!(utc(text), None, "{text}");
        }
    }
}
