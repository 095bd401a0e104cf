use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// A time as written in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// Of a day, its beginning in UTC.
    pub start: Timestamp,
    pub is_day: bool,
}

/// `2026-11-01`, `2026-11-01T18:00` (both in UTC) or RFC 3339.
pub(super) fn parse(text: &str) -> Option<Written> {
    // What does not begin with a year costs nothing: texts of fields come here, too.
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Ok(start) = text.parse::<Timestamp>() {
        return Some(Written { start, is_day: false });
    }
    let is_day = text.len() == "2026-11-01".len();
    let civil = match is_day {
        true => text.parse::<Date>().ok()?.at(0, 0, 0, 0),
        false => text.parse::<DateTime>().ok()?,
    };
    Some(Written { start: civil.to_zoned(TimeZone::UTC).ok()?.timestamp(), is_day })
}
