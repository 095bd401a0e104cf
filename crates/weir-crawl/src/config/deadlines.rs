//! The settings that say by when, and how the limit is shared to get there.

use weir_plan::Policy;

use super::{Config, value};
use crate::due::Due;
use crate::settings::ConfigError;

/// `keys` are the names of the two, as the user wrote them.
pub fn due(
    keys: [&'static str; 2],
    within: Option<&str>,
    by: Option<&str>,
) -> Result<Option<Due>, ConfigError> {
    match (within, by) {
        (None, None) => Ok(None),
        (Some(text), None) => Due::within(text).map(Some).map_err(|why| value(keys[0], text, &why)),
        (None, Some(text)) => Due::by(text).map(Some).map_err(|why| value(keys[1], text, &why)),
        (Some(_), Some(text)) => {
            Err(value(keys[1], text, "there is a `within` as well; write one of the two"))
        }
    }
}

pub fn policy(name: Option<&str>) -> Result<Policy, ConfigError> {
    let Some(name) = name else { return Ok(Policy::Deadline) };
    let policy: Policy = name
        .parse()
        .map_err(|why: weir_plan::UnknownPolicy| value("policy", name, &why.to_string()))?;
    match policy {
        Policy::Random | Policy::Ga | Policy::De => Err(value(
            "policy",
            name,
            "it is there to be compared with, in `weir simulate`; write deadline to crawl",
        )),
        policy => Ok(policy),
    }
}

pub fn max_sites(number: Option<usize>) -> Result<Option<usize>, ConfigError> {
    match number {
        Some(0) => Err(value("max-sites", "0", "let at least one site run at a time")),
        number => Ok(number),
    }
}

pub fn sample(pages: Option<u64>) -> Result<u64, ConfigError> {
    match pages {
        Some(0) => Err(value("sample", "0", "a site is known by its pages; let it be 1 at least")),
        pages => Ok(pages.unwrap_or(Config::SAMPLE)),
    }
}
