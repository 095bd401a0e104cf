use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use weir_plan::speed::{Day, Days};

/// Which day it is, and of what kind: the time zone and its holidays.
#[derive(Clone, Debug, PartialEq)]
pub struct Almanac {
    pub zone: TimeZone,
    pub holidays: Vec<Holiday>,
}

/// A day on which people do not work, besides Saturdays and Sundays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holiday {
    Once(Date),
    Yearly { month: i8, day: i8 },
}

/// A time of day, and the kinds of day around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Minutes since midnight by the clock on the wall.
    pub minute: f64,
    pub days: Days,
}

impl Almanac {
    pub fn new(zone: TimeZone) -> Almanac {
        Almanac { zone, holidays: Vec::new() }
    }

    pub fn moment(&self, now: Timestamp) -> Moment {
        let wall = self.zone.to_datetime(now);
        let (date, time) = (wall.date(), wall.time());
        let seconds = f64::from(time.second()) + f64::from(time.subsec_nanosecond()) / 1e9;
        let near = |day: Result<Date, _>| self.kind(day.unwrap_or(date));
        Moment {
            minute: f64::from(time.hour()) * 60.0 + f64::from(time.minute()) + seconds / 60.0,
            days: Days {
                yesterday: near(date.yesterday()),
                today: self.kind(date),
                tomorrow: near(date.tomorrow()),
            },
        }
    }

    fn kind(&self, date: Date) -> Day {
        let weekend = matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday);
        match weekend || self.holidays.iter().any(|holiday| holiday.is(date)) {
            true => Day::Holiday,
            false => Day::Working,
        }
    }
}

impl Holiday {
    /// `2026-12-25`, or `12-25` for every year.
    pub fn parse(text: &str) -> Option<Holiday> {
        let text = text.trim();
        if let Some((month, day)) = text.split_once('-')
            && month.len() == 2
            && day.len() == 2
        {
            // A leap year, so that the 29th of February is a day.
            let date: Date = format!("2024-{month}-{day}").parse().ok()?;
            return Some(Holiday::Yearly { month: date.month(), day: date.day() });
        }
        let plain = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        text.parse().ok().filter(|_| plain).map(Holiday::Once)
    }

    fn is(&self, date: Date) -> bool {
        match *self {
            Holiday::Once(day) => day == date,
            Holiday::Yearly { month, day } => (month, day) == (date.month(), date.day()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weekends_and_named_days_are_holidays_where_we_are() {
        let mut almanac = Almanac::new(TimeZone::get("Asia/Tokyo").unwrap());
        almanac.holidays = ["2026-11-23", "01-01"].map(|text| Holiday::parse(text).unwrap()).into();
        // 23:30 in Tokyo on Sunday the 22nd.
        let moment = almanac.moment("2026-11-22T14:30:30Z".parse().unwrap());
        assert_eq!(moment.minute, 23.0 * 60.0 + 30.5);
        let days = moment.days;
        assert_eq!([days.yesterday, days.today, days.tomorrow], [Day::Holiday; 3]);
        let monday = almanac.moment("2026-11-23T14:30:00Z".parse().unwrap()).days;
        assert_eq!((monday.today, monday.tomorrow), (Day::Holiday, Day::Working));
        let new_year = almanac.moment("2031-12-31T15:00:00Z".parse().unwrap()).days;
        assert_eq!((new_year.yesterday, new_year.today), (Day::Working, Day::Holiday));
    }

    #[test]
    fn time_zones_are_known_without_files_of_the_system() {
        let bundled = jiff::tz::TimeZoneDatabase::bundled();
        assert!(bundled.get("Europe/Berlin").is_ok());
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in ["2026-02-29", "13-01", "12-32", "1-1", "", "christmas", "2026-12-25T10:00"] {
            assert_eq!(Holiday::parse(text), None, "{text}");
        }
        assert_eq!(Holiday::parse("02-29"), Some(Holiday::Yearly { month: 2, day: 29 }));
    }
}
