//! The `weir.toml` of a scenario.

use std::fmt::Write;
use std::path::Path;

use crate::clock;
use crate::scenario::{Client, Control, Scenario, show_rate};

/// A scenario as weir is told it, and when its rates change.
pub struct Settings {
    pub toml: String,
    /// Seconds of [`clock::now`].
    pub changes: Vec<(f64, u64)>,
}

/// `hosts` are the sites' names with their ports, in order.
pub fn settings(scenario: &Scenario, hosts: &[String], folder: &Path) -> Settings {
    let mut toml = format!(
        "out = {:?}\nseeds = {:?}\nstore = \"none\"\nallow-private = true\nrobots = \"ignore\"\n\
         traps = \"ignore\"\nslow-down = 0.0\nconcurrency = 256\nper-host = {}\n",
        folder.join("out"),
        folder.join("seeds.txt"),
        scenario.per_host,
    );
    if scenario.tls {
        toml += &format!("ca-file = {:?}\n", folder.join("authority.pem"));
    }
    let (limit, changes) = limit(scenario);
    toml += &limit;
    for (plan, host) in scenario.sites.iter().zip(hosts) {
        if plan.weight != 1.0 || plan.cap.is_some() {
            let cap = plan.cap.map(|cap| format!("limit = \"{}\"\n", show_rate(cap)));
            let cap = cap.unwrap_or_default();
            // Writing to a string does not fail.
            let _ =
                write!(toml, "\n[[site]]\nname = \"{host}\"\nweight = {:?}\n{cap}", plan.weight);
        }
    }
    Settings { toml, changes }
}

fn limit(scenario: &Scenario) -> (String, Vec<(f64, u64)>) {
    let control = match scenario.client {
        Client::Weir(Control::None) => return Default::default(),
        Client::Weir(control) => control.name(),
        Client::Line | Client::Curl | Client::Wget => return Default::default(),
    };
    let admission = format!("admission = \"{control}\"\n");
    if scenario.changes.is_empty() {
        return (format!("limit = \"{}\"\n{admission}", show_rate(scenario.limit)), Vec::new());
    }
    let (calendar, changes) = calendar(scenario, clock::wall(), clock::now());
    (format!("time-zone = \"UTC\"\nlimit = [\n{calendar}]\n{admission}"), changes)
}

/// Calendars go by whole seconds, so the changes come up to a second later than planned.
fn calendar(scenario: &Scenario, wall: u64, now: u64) -> (String, Vec<(f64, u64)>) {
    let whole = wall.div_ceil(1_000_000_000);
    let offset = now as f64 / 1e9 - wall as f64 / 1e9;
    let mut text = String::new();
    let mut changes = Vec::new();
    // The first rate has held for a while, and the last one holds for good.
    let (mut from, mut rate) = (whole - 60, scenario.limit);
    for (after, next) in &scenario.changes {
        let until = whole + after;
        text += &format!(
            "  {{ at = \"{}-{}\", rate = \"{}\" }},\n",
            time_of_day(from),
            time_of_day(until),
            show_rate(rate)
        );
        changes.push((until as f64 + offset, *next));
        (from, rate) = (until, *next);
    }
    text += &format!("  {{ rate = \"{}\" }},\n", show_rate(rate));
    (text, changes)
}

fn time_of_day(seconds: u64) -> String {
    let day = seconds % 86_400;
    format!("{:02}:{:02}:{:02}", day / 3600, day / 60 % 60, day % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn a_calendar_changes_at_whole_seconds_and_may_pass_midnight() {
        let all = catalogue::all();
        let scenario = all.iter().find(|one| one.title() == "change 1MB/s 50-100ms shape").unwrap();
        let wall = 86_400 * 20_000 - 3;
        let (text, changes) = calendar(scenario, wall * 1_000_000_000 - 1, 7_000_000_000);
        let expected = "  { at = \"23:58:57-00:00:01\", rate = \"1MB/s\" },\n  \
                        { at = \"00:00:01-00:00:05\", rate = \"300KB/s\" },\n  { rate = \"1MB/s\" },\n";
        assert_eq!(text, expected);
        let near =
            |(at, rate): (f64, u64), (to, same): (f64, u64)| (at - to).abs() < 1e-3 && rate == same;
        assert!(near(changes[0], (11.0, 300_000)) && near(changes[1], (15.0, 1_000_000)));
    }
}
