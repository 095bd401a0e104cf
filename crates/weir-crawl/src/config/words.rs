//! Settings that are one of a few words.

use weir_types::Scope;

use super::values::value;
use super::{RobotsMode, Sitemaps, StoreChoice};
use crate::budget::{Budget, Period};
use crate::settings::ConfigError;

pub fn scope(text: Option<&str>) -> Result<Scope, ConfigError> {
    match text {
        None | Some("site") => Ok(Scope::Site),
        Some("host") => Ok(Scope::Host),
        Some("any") => Ok(Scope::Any),
        Some(other) => Err(value("scope", other, "write host, site or any")),
    }
}

pub fn robots(text: Option<&str>) -> Result<Option<RobotsMode>, ConfigError> {
    match text {
        None => Ok(None),
        Some("obey") => Ok(Some(RobotsMode::Obey)),
        Some("ignore") => Ok(Some(RobotsMode::Ignore)),
        Some(other) => Err(value("robots", other, "write obey or ignore")),
    }
}

pub fn sitemaps(text: Option<&str>) -> Result<Option<Sitemaps>, ConfigError> {
    match text {
        None => Ok(None),
        Some("robots") => Ok(Some(Sitemaps::Robots)),
        Some("auto") => Ok(Some(Sitemaps::Auto)),
        Some("off") => Ok(Some(Sitemaps::Off)),
        Some(other) => Err(value("sitemaps", other, "write robots, auto or off")),
    }
}

pub fn store(text: Option<&str>) -> Result<StoreChoice, ConfigError> {
    let Some(text) = text else { return Ok(StoreChoice { warc: true, parquet: true }) };
    let mut choice = StoreChoice { warc: false, parquet: false };
    for part in text.split(',').map(str::trim) {
        match part {
            "warc" => choice.warc = true,
            "parquet" => choice.parquet = true,
            "none" if text.trim() == "none" => {}
            _ => {
                return Err(value(
                    "store",
                    text,
                    "write warc, parquet, both with a comma, or none",
                ));
            }
        }
    }
    Ok(choice)
}

pub fn traps(text: Option<&str>) -> Result<bool, ConfigError> {
    match text {
        None | Some("avoid") => Ok(true),
        Some("ignore") => Ok(false),
        Some(other) => Err(value("traps", other, "write avoid or ignore")),
    }
}

pub fn nofollow(text: Option<&str>) -> Result<bool, ConfigError> {
    match text {
        None | Some("ignore") => Ok(false),
        Some("obey") => Ok(true),
        Some(other) => Err(value("nofollow", other, "write obey or ignore")),
    }
}

pub fn any_change(key: &'static str, text: Option<&str>) -> Result<Option<bool>, ConfigError> {
    match text {
        None => Ok(None),
        Some("text") => Ok(Some(false)),
        Some("any") => Ok(Some(true)),
        Some(other) => Err(value(
            key,
            other,
            "write text (nearly the same text is no change) or any (any other byte is one)",
        )),
    }
}

/// The name before the version, which is how robots.txt knows a crawler.
pub fn product(user_agent: &str) -> Result<String, ConfigError> {
    let name = user_agent.split(['/', ' ', '(', ';']).next().unwrap_or_default();
    match name.is_empty() {
        true => Err(value(
            "user-agent",
            user_agent,
            "begin it with a name, such as mybot/1.0 (+https://example.com/bot)",
        )),
        false => Ok(name.to_owned()),
    }
}

/// Bytes a day.
pub fn freshness(text: Option<&str>) -> Result<Option<f64>, ConfigError> {
    let Some(text) = text else { return Ok(None) };
    let budget: Budget = text.parse().map_err(|why: String| value("freshness", text, &why))?;
    let days = match budget.period {
        Period::Day => 1.0,
        Period::Month => 30.0,
    };
    Ok(Some(budget.bytes as f64 / days))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_txt_knows_us_by_the_name_in_the_user_agent() {
        for (agent, name) in [
            (crate::Config::USER_AGENT, "weir"),
            ("AcmeBot/2.0 (+https://acme.example/bot)", "AcmeBot"),
            ("acme crawler", "acme"),
        ] {
            assert_eq!(product(agent).unwrap(), name);
        }
    }
}
