//! Reads problems: one object, a list of them, or an object with a list called `instances`.

use anyhow::Result;
use serde_json::{Map, Value};
use weir_plan::{Cap, Problem, Site};

use super::fields::{brief, given, number, number_that, whole};
use super::{generated, speeds};
use crate::exit::WrongUse;

/// What is asked, and what it is called.
pub enum Asked {
    Problem {
        id: Value,
        /// What it is called in a message.
        label: String,
        problem: Problem,
    },
    /// A question of another kind, with its answer.
    Other(Value),
}

pub fn read_all(given: &Value) -> Result<Vec<Asked>> {
    let list = match given {
        Value::Array(list) => list.as_slice(),
        Value::Object(family) if family.contains_key("instances") => match &family["instances"] {
            Value::Array(list) => list.as_slice(),
            other => {
                return wrong(&format!("instances is {}: give a list of problems", brief(other)));
            }
        },
        other => std::slice::from_ref(other),
    };
    if list.is_empty() {
        return wrong("the list is empty: give at least one problem");
    }
    list.iter().enumerate().map(|(index, one)| read(index, one)).collect()
}

fn read(index: usize, one: &Value) -> Result<Asked> {
    let Value::Object(fields) = one else {
        return wrong(&format!(
            "problem {index} is {}: give an object with U and sites",
            brief(one)
        ));
    };
    let id = given(fields, "id").cloned().unwrap_or_else(|| Value::from(index));
    let label = match given(fields, "id") {
        Some(id) => name_of(id),
        None => format!("problem {index}"),
    };
    point_out_unknown(&label, fields);
    let answer = match fields.get("kind").and_then(Value::as_str) {
        Some("predictor") => speeds::predictor(&id, fields).map(Asked::Other),
        Some("activate") => speeds::start(&id, fields).map(Asked::Other),
        _ => problem(fields).and_then(|problem| {
            problem.check().map_err(|why| why.to_string())?;
            Ok(Asked::Problem { id, label: label.clone(), problem })
        }),
    };
    answer.map_err(|why| WrongUse(format!("{label}: {why}")).into())
}

fn name_of(id: &Value) -> String {
    match id {
        Value::String(name) => name.escape_debug().to_string(),
        other => other.to_string(),
    }
}

fn problem(fields: &Map<String, Value>) -> Result<Problem, String> {
    let sites = match (given(fields, "sites"), given(fields, "generator")) {
        (Some(Value::Array(sites)), _) => sites
            .iter()
            .enumerate()
            .map(|(index, site)| read_site(index, site))
            .collect::<Result<_, _>>()?,
        (None, Some(generator)) => generated::sites(generator)?,
        (Some(other), _) => return Err(format!("sites is {}: give a list", brief(other))),
        (None, None) => return Err("sites is missing: give a list of sites".to_owned()),
    };
    let cap = match (given(fields, "U"), given(fields, "U_profile")) {
        (Some(rate), None) => {
            Cap::constant(number_that("U", rate, |rate| rate > 0.0, "the cap is above 0")?)
        }
        (None, Some(steps)) => profile(steps)?,
        (Some(_), Some(_)) => {
            return Err("both U and U_profile are given: leave one out".to_owned());
        }
        (None, None) if given(fields, "generator").is_some() => generated::cap(&sites),
        (None, None) => return Err("U is missing: give the cap".to_owned()),
    };
    let at_once = match given(fields, "m") {
        None => None,
        Some(m) => Some(whole("m", m, 1)?),
    };
    Ok(Problem { cap, at_once, sites })
}

fn profile(given: &Value) -> Result<Cap, String> {
    let remedy = "give [[time, rate], …] with times that grow from 0 on";
    let list = given.as_array().filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| format!("U_profile is {}: {remedy}", brief(given)))?;
    let mut steps: Vec<(f64, f64)> = Vec::with_capacity(list.len());
    for (index, step) in list.iter().enumerate() {
        let pair = step.as_array().map(Vec::as_slice);
        let Some([from, rate]) = pair else {
            return Err(format!("U_profile[{index}] is {}: {remedy}", brief(step)));
        };
        let from = number(&format!("U_profile[{index}][0]"), from)?;
        let rate = number(&format!("U_profile[{index}][1]"), rate)?;
        if from < 0.0 || steps.last().is_some_and(|last| last.0 >= from) {
            return Err(format!("U_profile[{index}][0] is {from}: {remedy}"));
        }
        if rate < 0.0 {
            return Err(format!("U_profile[{index}][1] is {rate}: a rate is 0 or more"));
        }
        steps.push((from, rate));
    }
    if steps.iter().all(|&(_, rate)| rate == 0.0) {
        return Err(format!("U_profile is {}: one rate at least is above 0", brief(given)));
    }
    Ok(Cap::steps(&steps))
}

/// Fields that are not known are no error, since files may say more than we ask; but a misspelt
/// deadline is none, so the first one is pointed out.
fn point_out_unknown(label: &str, fields: &Map<String, Value>) {
    let sites = fields.get("sites").and_then(Value::as_array).into_iter().flatten();
    let names = sites.enumerate().flat_map(|(index, site)| {
        site.as_object().into_iter().flat_map(Map::keys).map(move |name| (index, name))
    });
    let unknown = names.into_iter().find(|(_, name)| !KNOWN.contains(&name.as_str()));
    if let Some((index, name)) = unknown {
        let name = name.escape_debug();
        eprintln!("warning: {label}: sites[{index}].{name} is not known and ignored");
    }
}

const KNOWN: [&str; 8] = ["D", "deadline", "cap", "weight", "release", "xi", "name", "id"];

fn read_site(index: usize, site: &Value) -> Result<Site, String> {
    let Value::Object(fields) = site else {
        return Err(format!("sites[{index}] is {}: give an object with D", brief(site)));
    };
    let read = |name: &str, otherwise: f64| match given(fields, name) {
        Some(value) => number(&format!("sites[{index}].{name}"), value),
        None => Ok(otherwise),
    };
    let size = given(fields, "D")
        .ok_or_else(|| format!("sites[{index}].D is missing: give the site's size"))?;
    let size = number(&format!("sites[{index}].D"), size)?;
    let deadline = read("deadline", 0.0)?;
    if deadline < 0.0 {
        return Err(format!(
            "sites[{index}].deadline is {deadline}: a deadline is above 0, or 0 for none"
        ));
    }
    let xi = read("xi", 1.0)?;
    if xi <= 0.0 {
        return Err(format!("sites[{index}].xi is {xi}: a calibration factor is above 0"));
    }
    if size < 0.0 {
        return Err(format!("sites[{index}].D is {size}: a size is 0 or more"));
    }
    Ok(Site {
        size: size * xi,
        deadline: (deadline > 0.0).then_some(deadline),
        max_rate: read("cap", f64::INFINITY)?,
        weight: read("weight", 1.0)?,
        release: read("release", 0.0)?,
    })
}

fn wrong<T>(why: &str) -> Result<T> {
    Err(WrongUse(why.to_owned()).into())
}
