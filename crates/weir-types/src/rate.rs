use std::fmt;
use std::str::FromStr;

use crate::{Bandwidth, UnitError};

/// What a cap says: nothing may come, so much a second, or as much as there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rate {
    Paused,
    Capped(Bandwidth),
    Unlimited,
}

impl Rate {
    /// Bytes a second; zero when paused, infinite without a limit.
    pub fn bytes(self) -> f64 {
        match self {
            Rate::Paused => 0.0,
            Rate::Capped(Bandwidth(bytes)) => bytes as f64,
            Rate::Unlimited => f64::INFINITY,
        }
    }

    /// From what `cap` gives.
    pub fn from_cap(cap: Option<u64>) -> Rate {
        match cap {
            Some(0) => Rate::Paused,
            Some(bytes) => Rate::Capped(Bandwidth(bytes)),
            None => Rate::Unlimited,
        }
    }

    /// The cap, if there is one; a pause is a cap of zero.
    pub fn cap(self) -> Option<u64> {
        match self {
            Rate::Paused => Some(0),
            Rate::Capped(Bandwidth(bytes)) => Some(bytes),
            Rate::Unlimited => None,
        }
    }
}

impl FromStr for Rate {
    type Err = UnitError;

    /// `none`, `0` (with or without a unit), or a bandwidth.
    fn from_str(text: &str) -> Result<Rate, UnitError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("none") {
            return Ok(Rate::Unlimited);
        }
        if text == "0" || text.ends_with("/s") && is_zero(text) {
            return Ok(Rate::Paused);
        }
        text.parse().map(Rate::Capped)
    }
}

/// Whether a rate is nought and something that would be a bandwidth if it were not.
fn is_zero(text: &str) -> bool {
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    number.parse() == Ok(0.0) && format!("1{unit}").parse::<Bandwidth>().is_ok()
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Paused => f.write_str("paused"),
            Rate::Capped(bandwidth) => bandwidth.fmt(f),
            Rate::Unlimited => f.write_str("no limit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_bandwidth_or_nought_or_none() {
        for (text, rate) in [
            ("1MB/s", Rate::Capped(Bandwidth(1_000_000))),
            (" 0.5KB/s", Rate::Capped(Bandwidth(500))),
            ("0", Rate::Paused),
            ("0B/s", Rate::Paused),
            ("0.0 kbit/s", Rate::Paused),
            ("none", Rate::Unlimited),
            ("None", Rate::Unlimited),
        ] {
            assert_eq!(text.parse(), Ok(rate), "{text}");
        }
        for text in ["", "-1", "abc", "1MB", "0MB", "0x/s", "/s", "0..0B/s0", "nan", "0 apples/s"] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    #[test]
    fn pauses_are_below_caps_and_caps_below_no_limit() {
        let cap = Rate::Capped(Bandwidth(5));
        assert!(Rate::Paused < cap && cap < Rate::Unlimited);
        assert_eq!([Rate::Paused, cap, Rate::Unlimited].map(Rate::cap), [Some(0), Some(5), None]);
    }
}
