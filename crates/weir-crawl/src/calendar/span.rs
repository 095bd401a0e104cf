use std::str::FromStr;

use jiff::civil::{DateTime, Time, Weekday};

/// A part of the week, by the clock on the wall: `Mon-Fri 08:00-18:00`, `Sat,Sun`, `22:00-06:00`.
///
/// A range that passes midnight belongs to the day on which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    days: Days,
    /// Seconds since midnight; `from` lies inside, `until` does not.
    from: u32,
    until: u32,
}

const DAY: u32 = 24 * 3600;

const NAMES: [(&str, &str); 7] = [
    ("mon", "monday"),
    ("tue", "tuesday"),
    ("wed", "wednesday"),
    ("thu", "thursday"),
    ("fri", "friday"),
    ("sat", "saturday"),
    ("sun", "sunday"),
];

impl Span {
    pub const ALWAYS: Span = Span { days: Days(0b111_1111), from: 0, until: DAY };

    pub fn holds(&self, at: DateTime) -> bool {
        let (day, second) = (at.weekday(), second_of(at.time()));
        if self.from < self.until {
            return self.days.has(day) && (self.from..self.until).contains(&second);
        }
        second >= self.from && self.days.has(day)
            || second < self.until && self.days.has(day.previous())
    }

    /// The times of day at which it may begin or end; midnight is always one.
    pub fn edges(&self) -> [u32; 2] {
        [self.from, self.until % DAY]
    }
}

/// Whole seconds since midnight.
fn second_of(time: Time) -> u32 {
    u32::from(time.hour().unsigned_abs()) * 3600
        + u32::from(time.minute().unsigned_abs()) * 60
        + u32::from(time.second().unsigned_abs())
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        let clock = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
        let (days, range) = text.split_at(clock);
        let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
        let (days, range) = (without_blanks(days), without_blanks(range));
        if days.is_empty() && range.is_empty() {
            return Err(
                "it is empty; write days, a time range or both, such as Mon-Fri 08:00-18:00, or \
                 leave `at` out for always"
                    .to_owned(),
            );
        }
        let mut span = Span::ALWAYS;
        if !days.is_empty() {
            span.days = days.parse()?;
        }
        if !range.is_empty() {
            (span.from, span.until) = parse_range(&range)?;
        }
        Ok(span)
    }
}

fn parse_range(text: &str) -> Result<(u32, u32), String> {
    let (from, until) = text
        .split_once('-')
        .ok_or_else(|| format!("{text} is no time range; write one such as 08:00-18:00"))?;
    let (from, until) = (parse_time(from)?, parse_time(until)?);
    match from {
        DAY => Err("24:00 can only end a range; begin it with 00:00".to_owned()),
        _ if from == until => Err(format!(
            "{text} begins and ends at the same time; leave the time out for the whole day"
        )),
        _ => Ok((from, until)),
    }
}

/// `HH:MM` or `HH:MM:SS`, up to 24:00.
fn parse_time(text: &str) -> Result<u32, String> {
    let parts: Vec<Option<u32>> = text.split(':').map(two_digits).collect();
    let seconds = match parts.as_slice() {
        [Some(hour), Some(minute)] => Some((hour, minute, &0)),
        [Some(hour), Some(minute), Some(second)] => Some((hour, minute, second)),
        _ => None,
    };
    seconds
        .filter(|(_, minute, second)| **minute < 60 && **second < 60)
        .map(|(hour, minute, second)| hour * 3600 + minute * 60 + second)
        .filter(|seconds| *seconds <= DAY)
        .ok_or_else(|| format!("{text:?} is no time of day; write one from 00:00 to 24:00"))
}

fn two_digits(text: &str) -> Option<u32> {
    let plain = matches!(text.len(), 1 | 2) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// Days of the week, a bit each, from Monday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Days(u8);

impl Days {
    fn has(self, day: Weekday) -> bool {
        self.0 >> day.to_monday_zero_offset() & 1 == 1
    }
}

impl FromStr for Days {
    type Err = String;

    fn from_str(text: &str) -> Result<Days, String> {
        let mut days = 0;
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (mut day, last) = (parse_day(first)?, parse_day(last)?);
            days |= 1 << day;
            while day != last {
                day = (day + 1) % 7;
                days |= 1 << day;
            }
        }
        Ok(Days(days))
    }
}

fn parse_day(text: &str) -> Result<usize, String> {
    let name = text.to_lowercase();
    NAMES.iter().position(|(short, long)| name == *short || name == *long).ok_or_else(|| {
        format!("{text:?} is no day of the week; write Mon, Tue, Wed, Thu, Fri, Sat or Sun")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-16 is a Monday; `at` is a day of that week and an hour.
    fn check(span: &str, inside: &[(i8, &str)], outside: &[(i8, &str)]) {
        let span: Span = span.parse().unwrap();
        let at = |(day, time): (i8, &str)| {
            jiff::civil::date(2026, 11, 15 + day).to_datetime(time.parse().unwrap())
        };
        inside.iter().for_each(|&when| assert!(span.holds(at(when)), "{span:?} {when:?}"));
        outside.iter().for_each(|&when| assert!(!span.holds(at(when)), "{span:?} {when:?}"));
    }

    #[test]
    fn a_range_holds_from_its_first_second_until_before_its_end() {
        check(
            "Mon-Fri 08:00-18:00",
            &[(1, "08:00:00"), (5, "17:59:59.999")],
            &[(1, "07:59:59"), (1, "18:00"), (6, "12:00"), (7, "12:00")],
        );
        check("8:00-24:00", &[(7, "08:00"), (3, "23:59:59")], &[(3, "00:00")]);
        check("09:30:15-09:30:16", &[(2, "09:30:15.5")], &[(2, "09:30:16")]);
    }

    #[test]
    fn a_range_past_midnight_belongs_to_the_day_on_which_it_begins() {
        check(
            "Fri 22:00-06:00",
            &[(5, "22:00"), (6, "00:00"), (6, "05:59:59")],
            &[(5, "00:00"), (5, "05:00"), (6, "06:00"), (6, "22:00")],
        );
        check("Sun 23:00-01:00", &[(7, "23:30"), (1, "00:30")], &[(2, "00:30"), (1, "23:30")]);
    }

    #[test]
    fn days_come_as_lists_and_ranges_that_may_pass_sunday() {
        check("Sat,Sun", &[(6, "00:00"), (7, "23:59")], &[(1, "00:00"), (5, "23:59")]);
        check("Fri-Mon", &[(5, "1:00"), (1, "1:00")].map(pad), &[(2, "01:00"), (4, "01:00")]);
        check("monday - wed, SUN 10:00 - 11:00", &[(1, "10:00"), (7, "10:59")], &[(4, "10:30")]);
    }

    fn pad((day, _): (i8, &str)) -> (i8, &'static str) {
        (day, "01:00")
    }

    #[test]
    fn nonsense_is_refused_in_words() {
        for (text, words) in [
            ("Mo-Fri", "\"Mo\" is no day of the week"),
            ("Mon-", "\"\" is no day"),
            ("25:00-26:00", "\"25:00\" is no time of day"),
            ("08:00-24:01", "\"24:01\" is no time"),
            ("08:60-09:00", "is no time"),
            ("24:00-08:00", "24:00 can only end"),
            ("08:00", "is no time range"),
            ("08:00-08:00", "same time"),
            ("08-18", "is no time of day"),
            ("+8:00-9:00", "is no day"),
            ("", "it is empty"),
            ("2026-12-25", "is no time of day"),
        ] {
            let why = text.parse::<Span>().unwrap_err();
            assert!(why.contains(words), "{text}: {why}");
        }
    }
}
