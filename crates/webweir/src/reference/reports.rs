use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use weir_crawl::{
    Change, FreshnessReport, Plan, PlannedSite, Report, SinkReport, Spent, Suggestion,
};

use super::metrics;

/// That page is written by hand, since it says more than the code does.
#[test]
fn every_field_of_the_report_and_the_plan_is_told() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats/report.md");
    let page = fs::read_to_string(page).unwrap();
    let told: BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let fields = names(&report()).into_iter().chain(names(&plan()));
    let missing: Vec<String> = fields.filter(|name| !told.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "docs/formats/report.md says nothing of {missing:?}");
}

/// With all that is left out where it does not apply.
fn report() -> Report {
    let sink = SinkReport {
        sink: String::new(),
        unit: String::new(),
        delivered: None,
        waiting: 0,
        trouble: None,
    };
    let mut report = Report {
        freshness: Some(FreshnessReport::default()),
        sinks: vec![sink],
        ..metrics::report()
    };
    report.sites[0].freshness = Some(FreshnessReport::default());
    let mut value = serde_json::to_value(report).unwrap();
    value["records"] = json!({"kept": 0, "dropped": 0});
    let now = "2026-11-18T18:00:00Z";
    value["sites"][0]["at_start"] = json!({"made": now, "bytes": 0.0, "bytes_low": 0.0, "bytes_high": 0.0,
        "finish": now, "finish_low": now, "finish_high": now});
    serde_json::from_value(value).unwrap()
}

fn plan() -> Plan {
    let suggestion = Suggestion {
        site: String::new(),
        change: Change::Limit,
        value: None,
        until: None,
        part: 0.1,
    };
    let site: PlannedSite =
        serde_json::from_value(json!({"site": "", "bytes": 0, "bytes_low": 0, "bytes_high": 0,
        "pages": 0, "basis": "given", "rate": 0.0}))
        .unwrap();
    Plan {
        feasible: true,
        sure: true,
        limit: None,
        needed_limit: None,
        needed_limit_high: None,
        policy: String::new(),
        policy_unfit: None,
        made: String::new(),
        sites: vec![site],
        suggestions: vec![suggestion],
        spent: Spent::default(),
    }
}

/// Of all objects, however deep.
fn names(of: &impl Serialize) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    gather(&serde_json::to_value(of).unwrap(), &mut names);
    names
}

fn gather(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            names.insert(name.clone());
            gather(value, names);
        }),
        Value::Array(values) => values.iter().for_each(|value| gather(value, names)),
        _ => {}
    }
}
