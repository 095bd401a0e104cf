//! Days and moments, read from what pages write.

mod clock;
mod cursor;
mod months;
mod spot;

use jiff::civil::{Date, date};
use jiff::{SignedDuration, Timestamp};

pub use spot::{Order, Spot};

/// Whether a word is the name of a month.
pub fn is_month(word: &str) -> bool {
    months::month(word).is_some()
}

/// A day as the page tells it, and the moment where it tells that too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// The day at the place of whoever wrote it.
    pub day: Date,
    /// Only where the page gives a time and its offset.
    pub at: Option<Timestamp>,
    /// The moment was given in the zone of machines, and the day may be another where it was written.
    pub(super) in_utc: bool,
}

impl When {
    /// Whether it is this day somewhere on earth at that moment; without one, whether the day is next
    /// to it.
    pub(super) fn may_be(&self, day: Date) -> bool {
        let shifted =
            |hours| self.at.and_then(|at| at.checked_add(SignedDuration::from_hours(hours)).ok());
        match (shifted(-12), shifted(14)) {
            (Some(west), Some(east)) => (utc(west)..=utc(east)).contains(&day),
            _ => self.is_next(day),
        }
    }

    /// Whether this is the day before or behind.
    pub(super) fn is_next(&self, day: Date) -> bool {
        [self.day.yesterday(), self.day.tomorrow()].iter().flatten().any(|next| *next == day)
    }
}

fn utc(at: Timestamp) -> Date {
    jiff::tz::Offset::UTC.to_datetime(at).date()
}

/// Reads days, and believes only those a page can have.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub order: Order,
    /// The day after the page was read: it may be tomorrow already where it was written.
    latest: Date,
}

/// No page was on the Web long before this day.
const EARLIEST: Date = date(1995, 1, 1);

impl Reader {
    pub fn new(order: Order, now: Timestamp) -> Reader {
        let today = utc(now);
        Reader { order, latest: today.tomorrow().unwrap_or(today) }
    }

    /// A value that is a day or a moment, such as that of an attribute.
    pub fn value(&self, text: &str) -> Option<When> {
        let text = text.get(..text.floor_char_boundary(100)).unwrap_or(text).trim();
        clock::epoch(text).filter(|when| self.believes(when.day)).or_else(|| self.first(text))
    }

    /// The first day in a text.
    pub fn first(&self, text: &str) -> Option<When> {
        self.all(text).next().map(|(when, _)| when)
    }

    /// All days in a text, and where they stand.
    pub fn all<'a>(&self, text: &'a str) -> impl Iterator<Item = (When, Spot)> + use<'a> {
        let reader = *self;
        let days = spot::spots(text, self.order).filter(move |spot| reader.believes(spot.day));
        days.map(|spot| {
            let moment = clock::moment(text, &spot);
            let in_utc = moment.is_some_and(|(_, offset)| offset == 0);
            (When { day: spot.day, at: moment.map(|(at, _)| at), in_utc }, spot)
        })
    }

    fn believes(&self, day: Date) -> bool {
        (EARLIEST..=self.latest).contains(&day)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn reader() -> Reader {
        Reader::new(Order::DayMonth, "2025-06-01T12:00:00Z".parse().unwrap())
    }

    #[test]
    fn a_moment_is_known_where_the_offset_is() {
        for (text, day, at) in [
            ("2023-12-22T23:30:00-05:00", "2023-12-22", Some("2023-12-23T04:30:00Z")),
            ("2023-12-22T10:00:00.123Z", "2023-12-22", Some("2023-12-22T10:00:00Z")),
            ("2023-12-22 10:00:00 +0200", "2023-12-22", Some("2023-12-22T08:00:00Z")),
            ("Fri, 22 Dec 2023 10:00:00 GMT", "2023-12-22", Some("2023-12-22T10:00:00Z")),
            ("20231222T100000Z", "2023-12-22", Some("2023-12-22T10:00:00Z")),
            ("2023-12-22T10:00", "2023-12-22", None),
            ("2023-12-22T99:00Z", "2023-12-22", None),
            ("December 22, 2023 10:00 pm UTC", "2023-12-22", Some("2023-12-22T22:00:00Z")),
            ("1703239200", "2023-12-22", Some("2023-12-22T10:00:00Z")),
            ("1703239200000", "2023-12-22", Some("2023-12-22T10:00:00Z")),
        ] {
            let when = reader().value(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(when.day.to_string(), day, "{text}");
            assert_eq!(when.at.map(|at| at.to_string()).as_deref(), at, "{text}");
        }
    }

    #[test]
    fn a_day_no_page_can_have_is_not_believed() {
        for text in ["1994-12-31", "2025-06-03", "0000-00-00", "2125-01-01", "99999999", "12"] {
            assert_eq!(reader().value(text), None, "{text}");
        }
        assert!(reader().value("2025-06-02").is_some());
    }
}
