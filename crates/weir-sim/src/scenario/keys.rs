//! From TOML to what is to be simulated.

use serde::Deserialize;
use toml::Value;
use weir_plan::Policy;

use super::values::{
    Amount, Range, clock, count, daily, duration, duration_range, fraction, rate, size, size_range,
    wrong,
};
use super::{Scenario, ScenarioError, Sites};
use crate::world::Daily;

/// As it is written. Values are looked at one by one, for a message that says what to write instead.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Raw {
    cap: Option<Value>,
    start: Option<Value>,
    at_once: Option<Value>,
    policies: Option<Value>,
    seed: Option<Value>,
    runs: Option<Value>,
    replan: Option<Value>,
    speeds_known: Option<Value>,
    until: Option<Value>,
    error: Option<Value>,
    converge: Option<Value>,
    #[serde(default)]
    site: Vec<RawSite>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RawSite {
    name: Option<Value>,
    count: Option<Value>,
    size: Option<Value>,
    predicted: Option<Value>,
    error: Option<Value>,
    converge: Option<Value>,
    within: Option<Value>,
    by: Option<Value>,
    release: Option<Value>,
    weight: Option<Value>,
    max_rate: Option<Value>,
    speed: Option<Value>,
    latency: Option<Value>,
    ramp_up: Option<Value>,
}

pub const KEYS: [&str; 12] = [
    "cap",
    "start",
    "at-once",
    "policies",
    "seed",
    "runs",
    "replan",
    "speeds-known",
    "until",
    "error",
    "converge",
    "site",
];
pub const SITE_KEYS: [&str; 14] = [
    "name",
    "count",
    "size",
    "predicted",
    "error",
    "converge",
    "within",
    "by",
    "release",
    "weight",
    "max-rate",
    "speed",
    "latency",
    "ramp-up",
];

/// What holds for sites that say nothing else.
const REPLAN: f64 = 1.0;
const UNTIL: f64 = 7.0 * 86_400.0;
/// More sites than these are no crawl that anyone would wait for.
const MOST: usize = 100_000;
const MOST_PLANS: f64 = 1e7;

impl Scenario {
    pub fn parse(text: &str) -> Result<Scenario, ScenarioError> {
        let syntax =
            |why: toml::de::Error| ScenarioError::Syntax(why.to_string().trim_end().to_owned());
        let table: toml::Table = toml::from_str(text).map_err(syntax)?;
        check_keys(&table)?;
        let raw: Raw = toml::from_str(text).map_err(syntax)?;
        let starts_at = clock("start", raw.start.as_ref())?.unwrap_or(0.0);
        let cap = cap(raw.cap.as_ref())?;
        let sigma = fraction("error", raw.error.as_ref(), 3.0)?.unwrap_or(0.0);
        let converges = flag("converge", raw.converge.as_ref())?.unwrap_or(true);
        if raw.site.is_empty() {
            let remedy = "describe at least one, for example [[site]] with size = \"20MB\"";
            return Err(ScenarioError::Missing { key: "[[site]]".into(), remedy });
        }
        let mut sites = Vec::with_capacity(raw.site.len());
        for (index, site) in raw.site.iter().enumerate() {
            sites.push(read_site(site, index, starts_at, (sigma, converges), cap.highest())?);
        }
        let replan = positive("replan", duration("replan", raw.replan.as_ref())?, REPLAN)?;
        let until = positive("until", duration("until", raw.until.as_ref())?, UNTIL)?;
        if until / replan > MOST_PLANS {
            let remedy =
                "that is more plans than anyone waits for; take a longer time, or less `until`";
            return Err(wrong("replan", &Value::Float(replan), remedy));
        }
        let many: usize = sites.iter().map(|site| site.count).sum();
        if many > MOST {
            return Err(wrong(
                "count",
                &Value::Integer(many as i64),
                &format!("{MOST} sites in all are the most"),
            ));
        }
        Ok(Scenario {
            policies: policies(raw.policies.as_ref())?,
            seed: count("seed", raw.seed.as_ref(), 0)?.unwrap_or(1) as u64,
            runs: count("runs", raw.runs.as_ref(), 1)?.unwrap_or(1) as u64,
            cap,
            starts_at,
            at_once: count("at-once", raw.at_once.as_ref(), 1)?,
            replan,
            speeds_known: flag("speeds-known", raw.speeds_known.as_ref())?.unwrap_or(false),
            until,
            sites,
        })
    }
}

fn read_site(
    raw: &RawSite,
    index: usize,
    starts_at: f64,
    (sigma, converges): (f64, bool),
    highest: f64,
) -> Result<Sites, ScenarioError> {
    let name = match &raw.name {
        None => format!("site-{}", index + 1),
        Some(Value::String(name)) if !name.trim().is_empty() => name.clone(),
        Some(other) => return Err(wrong("site.name", other, "write a name in quotes")),
    };
    let key = |key: &str| format!("site.{key} ({name})");
    let size_of = size_range(&key("size"), raw.size.as_ref())?;
    let size_of = size_of.ok_or_else(|| ScenarioError::Missing {
        key: key("size"),
        remedy: "say how much the site has, for example size = \"20MB\"",
    })?;
    let within = duration_range(&key("within"), raw.within.as_ref())?;
    let by = clock(&key("by"), raw.by.as_ref())?;
    if let (Some(_), Some(by)) = (&raw.within, &raw.by) {
        return Err(wrong(&key("by"), by, "a site has one deadline: leave out `by` or `within`"));
    }
    let max_rate = rate(&key("max-rate"), raw.max_rate.as_ref())?.unwrap_or(f64::INFINITY);
    let speed = match &raw.speed {
        // A server that is not described keeps up with us.
        None => Amount::Daily(Daily::constant(highest)),
        Some(value) => daily(&key("speed"), value)?,
    };
    Ok(Sites {
        count: count(&key("count"), raw.count.as_ref(), 1)?.unwrap_or(1),
        size: size_of,
        predicted: size(&key("predicted"), raw.predicted.as_ref())?,
        sigma: fraction(&key("error"), raw.error.as_ref(), 3.0)?.unwrap_or(sigma),
        converges: flag(&key("converge"), raw.converge.as_ref())?.unwrap_or(converges),
        within,
        by: by.map(|by| if by > starts_at { by - starts_at } else { by + 86_400.0 - starts_at }),
        release: duration_range(&key("release"), raw.release.as_ref())?.unwrap_or(Range::one(0.0)),
        weight: weight(&key("weight"), raw.weight.as_ref())?,
        max_rate,
        speed,
        latency: duration(&key("latency"), raw.latency.as_ref())?.unwrap_or(0.0),
        ramp_up: duration(&key("ramp-up"), raw.ramp_up.as_ref())?.unwrap_or(0.0),
        name,
    })
}

fn check_keys(table: &toml::Table) -> Result<(), ScenarioError> {
    check_in(table, &KEYS, "")?;
    let sites = match table.get("site") {
        None => return Ok(()),
        Some(Value::Array(sites)) => sites,
        Some(other) => return Err(wrong("site", other, "write [[site]], with two brackets")),
    };
    for site in sites {
        match site {
            Value::Table(site) => check_in(site, &SITE_KEYS, " in [[site]]")?,
            other => return Err(wrong("site", other, "write [[site]] and keys below it")),
        }
    }
    Ok(())
}

fn check_in(table: &toml::Table, keys: &[&str], place: &'static str) -> Result<(), ScenarioError> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            Err(ScenarioError::UnknownKey { key: key.clone(), place, hint: hint(key, keys) })
        }
    }
}

fn hint(key: &str, keys: &[&str]) -> String {
    let dashed = key.replace('_', "-");
    let near = keys
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&dashed, known), known))
        .min()
        .filter(|(distance, _)| *distance <= 2);
    match near {
        Some((_, known)) => format!("; did you mean `{known}`?"),
        None => format!("; the keys are {}", keys.join(", ")),
    }
}

fn cap(value: Option<&Value>) -> Result<Daily, ScenarioError> {
    let remedy = "say how much bandwidth there is, for example cap = \"2MB/s\"";
    let value = value.ok_or(ScenarioError::Missing { key: "cap".into(), remedy })?;
    match daily("cap", value)? {
        Amount::Daily(daily) if daily.highest() > 0.0 => Ok(daily),
        _ => Err(wrong("cap", value, "write one rate, or [[\"08:00\", \"2MB/s\"], …] by the hour")),
    }
}

fn policies(value: Option<&Value>) -> Result<Vec<Policy>, ScenarioError> {
    let remedy = "write a list of names, for example [\"deadline\", \"edf\"]";
    let names = match value {
        None => return Ok(vec![Policy::Deadline]),
        Some(Value::Array(names)) if !names.is_empty() => names,
        Some(other) => return Err(wrong("policies", other, remedy)),
    };
    let one = |value: &Value| {
        let name = value.as_str().ok_or_else(|| wrong("policies", value, remedy))?;
        name.parse::<Policy>().map_err(|why| wrong("policies", value, &why.to_string()))
    };
    names.iter().map(one).collect()
}

fn flag(key: &str, value: Option<&Value>) -> Result<Option<bool>, ScenarioError> {
    match value {
        None => Ok(None),
        Some(Value::Boolean(flag)) => Ok(Some(*flag)),
        Some(other) => Err(wrong(key, other, "write true or false")),
    }
}

fn weight(key: &str, value: Option<&Value>) -> Result<f64, ScenarioError> {
    match fraction(key, value, 1e9)? {
        None => Ok(1.0),
        Some(weight) if weight > 0.0 => Ok(weight),
        Some(weight) => Err(wrong(key, &Value::Float(weight), "write a number above 0")),
    }
}

fn positive(key: &str, given: Option<f64>, usual: f64) -> Result<f64, ScenarioError> {
    match given {
        Some(seconds) if seconds <= 0.0 => {
            Err(wrong(key, &Value::Float(seconds), "write a time above 0"))
        }
        given => Ok(given.unwrap_or(usual)),
    }
}
