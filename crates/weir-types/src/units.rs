use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// A number of bytes: `500MB`, `1.5MiB`, `800`. Decimal unless the unit says `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// Bytes per second: `140KB/s`, `1.5MiB/s`, `800kbit/s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bandwidth(pub u64);

#[derive(Debug, Error, PartialEq, Eq)]
pub enum UnitError {
    #[error("{0:?} is not a size: write a number and a unit, for example 500MB or 1.5GiB")]
    Size(String),
    #[error("{0:?} is not a bandwidth: write for example 2MB/s, 1.5MiB/s or 800kbit/s")]
    Bandwidth(String),
    #[error("{0:?} is not a duration: write for example 90s, 30m, 2h or 1d12h")]
    Duration(String),
}

impl FromStr for Size {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bytes = amount(text, byte_unit).ok_or_else(|| UnitError::Size(text.to_owned()))?;
        Ok(Size(bytes))
    }
}

impl FromStr for Bandwidth {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = || UnitError::Bandwidth(text.to_owned());
        let per_second = text.trim().strip_suffix("/s").ok_or_else(wrong)?;
        let rate = amount(per_second, |unit| byte_unit(unit).or_else(|| bit_unit(unit)));
        rate.filter(|rate| *rate > 0).map(Bandwidth).ok_or_else(wrong)
    }
}

/// `30m`, `1d12h`, `250ms`; a bare number is seconds.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let wrong = || UnitError::Duration(text.to_owned());
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| wrong());
    }
    humantime::parse_duration(text).map_err(|_| wrong())
}

pub fn show_duration(duration: Duration) -> String {
    let rounded = match duration.as_secs() {
        0 => Duration::from_millis(duration.as_millis() as u64),
        _ => Duration::from_secs(duration.as_secs()),
    };
    humantime::format_duration(rounded).to_string()
}

fn amount(text: &str, unit: impl Fn(&str) -> Option<f64>) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, name) = text.split_at(split);
    let bytes = number.parse::<f64>().ok()? * unit(name.trim())?;
    (bytes.is_finite() && bytes <= u64::MAX as f64).then_some(bytes.round() as u64)
}

fn byte_unit(name: &str) -> Option<f64> {
    Some(match name.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    })
}

fn bit_unit(name: &str) -> Option<f64> {
    Some(match name.to_ascii_lowercase().as_str() {
        "bit" => 0.125,
        "kbit" => 125.0,
        "mbit" => 125e3,
        "gbit" => 125e6,
        _ => return None,
    })
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} B", self.0),
            1_000..1_000_000 => write!(f, "{:.1} KB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.1} MB", bytes / 1e6),
            _ => write!(f, "{:.2} GB", bytes / 1e9),
        }
    }
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", Size(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_rates_are_read_as_the_contract_says() {
        for (text, bytes) in
            [("500MB", 500_000_000), ("1.5MiB", 1_572_864), ("800", 800), ("10 KB", 10_000)]
        {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for (text, rate) in [
            ("140KB/s", 140_000),
            ("2MB/s", 2_000_000),
            ("1.5MiB/s", 1_572_864),
            ("800kbit/s", 100_000),
        ] {
            assert_eq!(text.parse(), Ok(Bandwidth(rate)), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", "MB", "-1MB", "1.2.3KB", "5 parsecs", "1e400", "NaN"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
        for text in ["2MB", "0MB/s", "fast", "2MB/h", ""] {
            assert!(text.parse::<Bandwidth>().is_err(), "{text}");
        }
    }

    #[test]
    fn durations_are_read_with_units_or_as_seconds() {
        assert_eq!(parse_duration("1d12h"), Ok(Duration::from_secs(36 * 3600)));
        assert_eq!(parse_duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        assert!(parse_duration("-3").is_err());
        assert!(parse_duration("soon").is_err());
    }
}
