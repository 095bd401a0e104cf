use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde_json::json;
use weir_crawl::{REPORT_FILE, Report, SiteReport};
use weir_plan::Policy;
use weir_sim::replay::{Recorded, RecordedSite, Replay, WhatIf, replay};
use weir_sim::table::{Cell, Table};
use weir_types::Bandwidth;

use super::{json, print, write};
use crate::args::SimulateArgs;
use crate::commands::status::read_report;
use crate::exit::Exit;

pub fn run(folder: &Path, args: &SimulateArgs) -> Result<Exit> {
    let report = read_report(folder, "--replay")?;
    let of_report = || format!("cannot replay {}", folder.join(REPORT_FILE).display());
    let recorded = recorded(&report).with_context(of_report)?;
    let replayed = replay(&recorded, &what_if(args)).with_context(of_report)?;
    if args.out.is_some() {
        write(args.out.as_deref(), &files(&replayed, folder))?;
    }
    if args.json {
        print(&format!("{}\n", as_json(&replayed, &report)))?;
    } else {
        print(&words(&replayed, &report, args))?;
    }
    Ok(Exit::Done)
}

/// Moments become seconds from the start.
fn recorded(report: &Report) -> Result<Recorded> {
    let started = moment("started", &report.started)?;
    let site = |site: &SiteReport| -> Result<RecordedSite> {
        let seconds = |what: &str, text: &Option<String>| -> Result<Option<f64>> {
            let Some(text) = text else { return Ok(None) };
            let at = moment(&format!("{what} of {}", site.site), text)?;
            Ok(Some(at.duration_since(started).as_secs_f64()))
        };
        Ok(RecordedSite {
            name: site.site.clone(),
            came: site.bytes_wire as f64,
            predicted: site.predicted_bytes.map(|bytes| bytes as f64),
            max_rate: site.max_rate,
            deadline: seconds("deadline", &site.deadline)?,
            end: seconds("finished", &site.finished)?,
            met: site.met,
            late_by: site.late_by_s,
        })
    };
    Ok(Recorded {
        limit: report.limit.map(|limit| limit as f64),
        mean_rate: report.mean_rate,
        came: report.mean_rate * report.elapsed_s,
        sites: report.sites.iter().map(site).collect::<Result<_>>()?,
    })
}

fn moment(what: &str, text: &str) -> Result<Timestamp> {
    text.parse().with_context(|| format!("{what} is {text:?}, which is no moment"))
}

fn what_if(args: &SimulateArgs) -> WhatIf {
    let usual = [Policy::Deadline, Policy::Edf, Policy::Fair];
    WhatIf {
        limit: args.limit.map(|Bandwidth(limit)| limit as f64),
        at_once: args.max_sites.map(NonZeroUsize::get),
        policies: if args.policy.is_empty() { usual.to_vec() } else { args.policy.clone() },
        seed: args.seed.unwrap_or(1),
        drawn: args.out.is_some(),
    }
}

fn files(replayed: &Replay, folder: &Path) -> Vec<(String, String)> {
    let limit = replayed.limit();
    let note = format!("weir simulate --replay {}, limit {limit:.0} B/s", folder.display());
    let csv = |table: Table| (format!("{}.csv", table.name), table.csv(&note));
    vec![
        csv(replayed.summary()),
        csv(replayed.by_site()),
        ("replay.svg".to_owned(), replayed.picture()),
    ]
}

fn as_json(replayed: &Replay, report: &Report) -> serde_json::Value {
    json!({
        "limit": replayed.limit(),
        "limit_of_crawl": report.limit,
        "least_limit": Some(replayed.least_limit).filter(|least| least.is_finite()),
        "overhead": replayed.overhead,
        "predicted_sites": replayed.predicted(),
        "left_out": replayed.left_out,
        "summary": json::rows(&replayed.summary()),
        "sites": json::rows(&replayed.by_site()),
    })
}

fn words(replayed: &Replay, report: &Report, args: &SimulateArgs) -> String {
    let mut lines = vec![limits(replayed, report, args)];
    if replayed.predicted() > 0 {
        lines.push(format!(
            "The crawl is not done with {}: sizes of unfinished sites are predictions.",
            sites(replayed.predicted())
        ));
    }
    if replayed.left_out > 0 {
        lines.push(format!(
            "Left out: {} without any bytes, known or expected.",
            sites(replayed.left_out)
        ));
    }
    format!(
        "{}\n\n{}\n{}\n",
        lines.join("\n"),
        without_empty_reasons(replayed.summary()).plain(),
        least(replayed, args)
    )
}

fn limits(replayed: &Replay, report: &Report, args: &SimulateArgs) -> String {
    let now = Bandwidth(replayed.limit().round() as u64);
    let then = report.limit.filter(|limit| *limit > 0).map(Bandwidth);
    let limit = match (args.limit, then) {
        (Some(_), Some(then)) => format!("a limit of {now}; the crawl had {then}"),
        (Some(_), None) => format!("a limit of {now}; the crawl had none"),
        (None, Some(_)) => format!("the crawl's limit of {now}"),
        (None, None) => format!("{now}, which the servers can give; the crawl had no limit"),
    };
    format!(
        "{}, {} with a deadline; {limit}.",
        sites(replayed.sites.len()),
        replayed.with_deadline()
    )
}

/// Mostly no policy is refused, and a column of nothing would take room for nothing.
fn without_empty_reasons(mut table: Table) -> Table {
    if table.rows.iter().all(|row| row.last() == Some(&Cell::Empty)) {
        table.columns.pop();
        table.rows.iter_mut().for_each(|row| {
            row.pop();
        });
    }
    table
}

fn least(replayed: &Replay, args: &SimulateArgs) -> String {
    let together = match args.max_sites {
        Some(_) => ", if all sites may run at a time",
        None => "",
    };
    match replayed.least_limit {
        _ if replayed.with_deadline() == 0 => "There are no deadlines to hold.".to_owned(),
        least if least.is_finite() => {
            format!("The least limit that holds all deadlines is {}{together}.", rounded_up(least))
        }
        _ => format!("No limit holds all deadlines: {} cannot be done in time.", slow(replayed)),
    }
}

/// Whoever misses its deadline by itself, as long as they are few.
fn slow(replayed: &Replay) -> String {
    let names: Vec<&str> = replayed.too_slow().collect();
    let more = match names.len().saturating_sub(FEW) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", names[..names.len().min(FEW)].join(", "))
}

const FEW: usize = 3;

/// As it is shown, it is still enough.
fn rounded_up(rate: f64) -> Bandwidth {
    let step = match rate {
        ..1e3 => 1.0,
        1e3..1e6 => 1e2,
        1e6..1e9 => 1e5,
        _ => 1e7,
    };
    Bandwidth(((rate / step).ceil() * step) as u64)
}

fn sites(count: usize) -> String {
    format!("{count} site{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_least_limit_is_enough_as_it_is_shown() {
        for (rate, shown) in [
            (740.2, "741 B/s"),
            (75_001.0, "75.1 KB/s"),
            (2_000_000.0, "2.0 MB/s"),
            (1.231e9, "1.24 GB/s"),
        ] {
            assert_eq!(rounded_up(rate).to_string(), shown);
        }
    }
}
