//! So many bytes a day or a month, and not one more: not after a restart, and not after a kill.

mod file;
mod ledger;

use std::fmt;
use std::str::FromStr;

use weir_types::Size;

pub use file::{FILE, LedgerError};
pub use ledger::Ledger;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub bytes: u64,
    pub period: Period,
}

/// By the calendar of the time zone, not the last 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    Day,
    Month,
}

impl Budget {
    /// Less is hardly one page.
    pub const LEAST: u64 = 64 * 1024;
}

impl FromStr for Budget {
    type Err = String;

    /// `2GB/day`, `50GB/month`.
    fn from_str(text: &str) -> Result<Budget, String> {
        let (size, period) = text
            .split_once('/')
            .ok_or("say for how long, such as 2GB/day or 50GB/month".to_owned())?;
        let period = match period.trim().to_ascii_lowercase().as_str() {
            "day" => Period::Day,
            "month" => Period::Month,
            _ => return Err("a budget is per day or per month, such as 2GB/day".to_owned()),
        };
        let Size(bytes) = size.parse().map_err(|why: weir_types::UnitError| why.to_string())?;
        match bytes < Budget::LEAST {
            true => Err("write at least 64KiB; less is hardly one page".to_owned()),
            false => Ok(Budget { bytes, period }),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let period = match self.period {
            Period::Day => "day",
            Period::Month => "month",
        };
        write!(f, "{} a {period}", Size(self.bytes))
    }
}
