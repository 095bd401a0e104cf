//! The time of day behind a day.

use jiff::civil::{Date, time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::cursor::Cursor;
use super::{Spot, When};

/// The moment a text gives with a day: a time stands behind it and an offset, which is returned too.
pub fn moment(text: &str, spot: &Spot) -> Option<(Timestamp, i32)> {
    let mut cursor = Cursor::new(text, spot.to);
    cursor.skip(3, |c| c == 'T' || c == ',' || c.is_whitespace());
    let (hour, minute, second) = clock(&mut cursor)?;
    let hour = half(hour, &mut cursor);
    let offset = offset(&mut cursor)?;
    at(spot.day, hour, minute, second, offset).map(|at| (at, offset))
}

/// `10:00`, `10:00:00.123`, `100000`.
fn clock(cursor: &mut Cursor<'_>) -> Option<(i32, i32, i32)> {
    if let Some(joined) = cursor.number(6, 6) {
        return Some((joined / 10_000, joined / 100 % 100, joined % 100));
    }
    let hour = cursor.number(1, 2)?;
    cursor.one_of(&[':'])?;
    let minute = cursor.number(2, 2)?;
    let mut second = 0;
    if cursor.one_of(&[':']).is_some() {
        second = cursor.number(2, 2)?;
        if cursor.one_of(&['.', ',']).is_some() {
            cursor.skip(9, |c| c.is_ascii_digit());
        }
    }
    Some((hour, minute, second))
}

/// The hour of a day of twice twelve.
fn half(hour: i32, cursor: &mut Cursor<'_>) -> i32 {
    let start = *cursor;
    cursor.spaces();
    if cursor.word_of(&["pm"]) {
        return hour % 12 + 12;
    }
    if cursor.word_of(&["am"]) {
        return hour % 12;
    }
    *cursor = start;
    hour
}

/// Seconds east of Greenwich.
fn offset(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.spaces();
    if cursor.word_of(&["z", "utc", "gmt"]) {
        return Some(0);
    }
    let sign = if cursor.one_of(&['+', '-'])? == '-' { -1 } else { 1 };
    if let Some(joined) = cursor.number(4, 4) {
        return Some(sign * (joined / 100 * 3600 + joined % 100 * 60));
    }
    let hours = cursor.number(1, 2)?;
    let minutes = cursor.one_of(&[':']).and_then(|_| cursor.number(2, 2)).unwrap_or(0);
    Some(sign * (hours * 3600 + minutes * 60))
}

fn at(day: Date, hour: i32, minute: i32, second: i32, offset: i32) -> Option<Timestamp> {
    let valid = hour < 24 && minute < 60 && second < 60;
    let time = valid.then(|| time(hour as i8, minute as i8, second as i8, 0))?;
    Offset::from_seconds(offset).ok()?.to_timestamp(day.to_datetime(time)).ok()
}

/// A count of seconds or milliseconds since 1970.
pub fn epoch(text: &str) -> Option<When> {
    if !matches!(text.len(), 9 | 10 | 12 | 13) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: i64 = text.parse().ok()?;
    let seconds = if text.len() > 10 { count / 1000 } else { count };
    let at = Timestamp::from_duration(SignedDuration::from_secs(seconds)).ok()?;
    Some(When { day: Offset::UTC.to_datetime(at).date(), at: Some(at), in_utc: true })
}
