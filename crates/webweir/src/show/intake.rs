//! What comes in, beside what may.

use jiff::{Timestamp, Zoned};
use weir_crawl::Intake;
use weir_types::{Bandwidth, Rate};

/// `0.98 MB/s of 1.00 MB/s`, `paused until 18:00`, or a plain rate.
pub fn intake(intake: &Intake) -> String {
    match (intake.limit, &intake.paused_until) {
        (Rate::Paused, Some(until)) => {
            let now = Timestamp::now().to_zoned(until.time_zone().clone());
            format!("paused until {}", clock(until, &now))
        }
        (Rate::Paused, None) => "paused".to_owned(),
        (Rate::Capped(limit), _) => of_limit(intake.rate, limit),
        (Rate::Unlimited, _) => Bandwidth(intake.rate as u64).to_string(),
    }
}

/// Both in one unit, so that they can be compared.
fn of_limit(rate: f64, limit: Bandwidth) -> String {
    let (unit, name) = match limit.0 {
        ..1_000_000 => (1e3, "KB/s"),
        1_000_000..1_000_000_000 => (1e6, "MB/s"),
        _ => (1e9, "GB/s"),
    };
    format!("{:.2} {name} of {:.2} {name}", rate / unit, limit.0 as f64 / unit)
}

/// With the day if it is not this one.
pub fn clock(at: &Zoned, now: &Zoned) -> String {
    let days = at.date().duration_since(now.date()).as_hours() / 24;
    let day = match days {
        0 => "",
        1..7 => "%a ",
        _ => "%Y-%m-%d ",
    };
    let time = if at.second() == 0 { "%H:%M" } else { "%H:%M:%S" };
    at.strftime(&format!("{day}{time}")).to_string()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn a_rate_stands_beside_its_limit_in_the_same_unit() {
        for (rate, limit, text) in [
            (980_000.0, 1_000_000, "0.98 MB/s of 1.00 MB/s"),
            (0.0, 140_000, "0.00 KB/s of 140.00 KB/s"),
            (1.5e9, 2_000_000_000, "1.50 GB/s of 2.00 GB/s"),
        ] {
            assert_eq!(of_limit(rate, Bandwidth(limit)), text);
        }
    }

    #[test]
    fn the_end_of_a_pause_has_a_day_unless_it_is_today() {
        let at = |day, hour, second| {
            date(2026, 11, day).at(hour, 0, second, 0).to_zoned(TimeZone::UTC).unwrap()
        };
        let now = at(16, 23, 0);
        for (until, text) in [
            (at(16, 23, 30), "23:00:30"),
            (at(17, 8, 0), "Tue 08:00"),
            (at(22, 8, 0), "Sun 08:00"),
            (at(23, 8, 0), "2026-11-23 08:00"),
        ] {
            assert_eq!(clock(&until, &now), text);
        }
    }
}
