//! The given instances: problems with the figures that are known for them.
// Each test file uses its own part of this.
#![allow(dead_code, unused_imports)]

mod generated;
mod tally;

use std::fs;
use std::path::Path;

use serde_json::Value;
use weir_plan::{Cap, Problem, Site};

pub use generated::generated;
pub use tally::{Tally, Tolerance};

/// One entry of a given file.
pub struct Instance {
    pub id: String,
    pub kind: String,
    pub tolerance: Tolerance,
    pub raw: Value,
}

/// All instances of one kind; none, with a word about it, if the files are not there.
pub fn instances(kind: &str) -> Option<Vec<Instance>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/alloc"));
    let Ok(entries) = fs::read_dir(folder) else {
        eprintln!("SKIPPED: {kind}: shared/data/alloc does not lie beside this checkout");
        return None;
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let all = paths.iter().flat_map(|path| {
        let mut family: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(family["schema"], "weir-alloc/1", "{path:?}");
        let Value::Array(given) = family["instances"].take() else { panic!("{path:?}") };
        given
    });
    Some(all.map(Instance::new).filter(|instance| instance.kind == kind).collect())
}

impl Instance {
    fn new(raw: Value) -> Instance {
        let text = |field: &str| raw[field].as_str().unwrap().to_owned();
        let tolerance = Tolerance {
            rel: raw["tolerance"]["rel"].as_f64().unwrap(),
            abs: raw["tolerance"]["abs"].as_f64().unwrap(),
        };
        Instance { id: text("id"), kind: text("kind"), tolerance, raw }
    }

    pub fn number(&self, field: &str) -> f64 {
        self.raw[field].as_f64().unwrap_or_else(|| panic!("{}: no {field}", self.id))
    }

    pub fn expect(&self, field: &str) -> &Value {
        &self.raw["expect"][field]
    }

    pub fn problem(&self) -> Problem {
        let cap = match self.raw["U_profile"].as_array() {
            Some(steps) => Cap::steps(&steps.iter().map(pair).collect::<Vec<_>>()),
            None => Cap::constant(self.number("U")),
        };
        let at_once = self.raw["m"].as_u64().map(|m| usize::try_from(m).unwrap());
        let sites = self.raw["sites"].as_array().unwrap().iter().map(site).collect();
        Problem { cap, at_once, sites }
    }
}

fn site(raw: &Value) -> Site {
    let or = |field: &str, absent: f64| raw.get(field).map_or(absent, |x| x.as_f64().unwrap());
    Site {
        size: or("D", f64::NAN),
        // In the files zero is no deadline.
        deadline: Some(or("deadline", 0.0)).filter(|due| *due != 0.0),
        max_rate: or("cap", f64::INFINITY),
        weight: or("weight", 1.0),
        release: or("release", 0.0),
    }
}

pub fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}

fn pair(raw: &Value) -> (f64, f64) {
    (raw[0].as_f64().unwrap(), raw[1].as_f64().unwrap())
}
