use std::path::Path;

use serde_json::Value;

use super::command::weir;

/// `report.json` of a crawl.
pub fn report(out: &Path) -> Value {
    let text = std::fs::read(out.join("report.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// What `weir why` says of a URL.
pub fn why(out: &Path, url: &str) -> String {
    weir(&["why", url, "--out", out.to_str().unwrap()]).stdout
}
