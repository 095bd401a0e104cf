//! The settings that say by when, and how the limit is shared to get there.

use std::time::Duration;

use weir_plan::Policy;
use weir_types::{parse_duration, show_duration, site_of};

use super::seeds::seed;
use super::values::value;
use super::{Config, SiteConfig};
use crate::due::Due;
use crate::scope::origin;
use crate::settings::{ConfigError, TypedDue};

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

/// A round has to be done when the next one begins.
pub fn every(text: Option<&str>, due: Option<Due>) -> Result<Option<Duration>, ConfigError> {
    let Some(text) = text else { return Ok(None) };
    let refuse = |why: &str| Err(value("site.every", text, why));
    let Some(every) = parse_duration(text).ok().filter(|every| *every <= LONGEST_PERIOD) else {
        return refuse("no duration of up to a year; write for example 30m, 6h or 7d");
    };
    if every.is_zero() {
        return refuse("no time is between two rounds; write for example 6h");
    }
    match misfit(every, due) {
        Some(why) => refuse(&why),
        None => Ok(Some(every)),
    }
}

/// Why rounds cannot have this deadline.
fn misfit(every: Duration, due: Option<Due>) -> Option<String> {
    match due {
        Some(Due::Within(within)) if within > every => Some(format!(
            "a round may take longer than that, `within` is {}; write a longer period or a shorter `within`",
            show_duration(within)
        )),
        Some(Due::At(_)) => {
            Some("`by` is a moment that comes once; write a time of day, such as 18:00".to_owned())
        }
        _ => None,
    }
}

/// The sites of URLs that were typed with a deadline have that one.
pub fn give_typed(config: &mut Config, typed: &TypedDue) -> Result<(), ConfigError> {
    let due = due(["within", "by"], typed.within.as_deref(), typed.by.as_deref())?;
    for text in &typed.urls {
        let url = seed("urls", text)?;
        let name = config.task_name(&site_of(&url), origin(url.as_str())).to_owned();
        let settings = SiteConfig { due, ..config.site_named(&name) };
        if let Some(why) = settings.every.and_then(|every| misfit(every, due)) {
            return Err(value("site.every", &name, &why));
        }
        config.set_site(&name, settings);
    }
    Ok(())
}

const LONGEST_PERIOD: Duration = Duration::from_secs(366 * 24 * 3600);

/// Who wants to stay must have something to stay for.
pub fn check_repeat(config: &Config) -> Result<(), ConfigError> {
    let recurring = config.sites.iter().any(|site| site.settings.every.is_some());
    match config.repeat && !recurring {
        true => Err(value(
            "repeat",
            "true",
            "no site is crawled again and again; give a [[site]] `every`, such as \"6h\"",
        )),
        false => Ok(()),
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
