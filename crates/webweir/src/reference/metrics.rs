use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;
use weir_crawl::{CountedError, Counts, LimitedBy, Report, SiteState, SiteView, View};
use weir_dashboard::{DescribedMetric, described_metrics};

use super::{MADE, cell, hold};

#[test]
fn the_metrics_of_the_reference_are_those_there_are() {
    let mut page = format!(
        "# Metrics\n\n{MADE}\n\nWhat `/metrics` has, for Prometheus ([how to watch a crawl](../operate.md#metrics)). A metric without a \
         value is left out, as that of the limit where there is none. Where there are thousands of sites, those with most bytes are told.\n\n\
         | metric | kind | |\n| --- | --- | --- |\n"
    );
    described_metrics(&crawl()).iter().for_each(|metric| page.push_str(&row(metric)));
    hold("metrics.md", &page);
}

fn row(metric: &DescribedMetric) -> String {
    let DescribedMetric { name, kind, help, labels } = metric;
    let labels = match labels.as_slice() {
        [] => String::new(),
        labels => format!("{{{}}}", labels.join(",")),
    };
    format!("| `{name}{labels}` | {kind} | {} |\n", cell(help))
}

/// One of which every metric with labels has a value, so that these are told.
fn crawl() -> View {
    let now = Timestamp::UNIX_EPOCH;
    let error = CountedError { count: 1, last: now, example: String::new() };
    let counts = Counts {
        outcomes: [("200", 1)].into(),
        errors: [("timeout".to_owned(), error)].into(),
        ..Counts::default()
    };
    View {
        at: now,
        report: report(),
        sites: vec![site()],
        in_flight: 0,
        stopping: false,
        deadlines: 1,
        late: 0,
        finish: None,
        has_nobody: false,
        counts: Arc::new(counts),
        plan: None,
        hosts: 1,
    }
}

pub(super) fn report() -> Report {
    let site = json!({"site": "example.org", "pages": 0, "failed": 0, "bytes_wire": 0,
        "deadline": "2026-11-18T18:00:00+00:00"});
    let downloader = json!({"name": "one", "connected": true, "slots": 20, "under_way": 0, "rate": 0.0, "pages": 0,
        "failed": 0, "bytes_wire": 0, "unconfirmed": 0, "out": ""});
    let skipped = json!({"robots": 0, "scope": 0, "trap": 0, "private": 0, "depth": 0, "other": 0});
    let report = json!({"outcome": "running", "started": "", "elapsed_s": 0.0, "pages": 0, "fetches": 0, "failed": 0,
        "urls_known": 0, "urls_waiting": 0, "skipped": skipped, "bytes_wire": 0, "bytes_body": 0, "mean_rate": 0.0,
        "deadlines": {"met": 0, "missed": 0}, "sites": [site], "downloaders": [downloader], "troubles": []});
    serde_json::from_value(report).unwrap()
}

fn site() -> SiteView {
    SiteView {
        state: SiteState::Running,
        limited_by: LimitedBy::Nothing,
        why: String::new(),
        known: 0,
        done: 0,
        share: 0.0,
        weight: 1.0,
        in_flight: 0,
        danger: false,
    }
}
