//! The first line of the page: whether promises will be kept, and which ones are in danger and why.

use weir_crawl::{Finish, View};

use crate::state::{InDanger, Level, Site, Verdict};

/// Sites that are named with a reason; the table has all of them.
const NAMED: usize = 20;

pub fn verdict(view: &View, sites: &[Site]) -> Verdict {
    let dated: Vec<&Site> = sites.iter().filter(|site| site.deadline.is_some()).collect();
    let is_over = view.report.outcome != Finish::Running;
    let in_danger: Vec<&&Site> = dated.iter().filter(|site| site.danger).collect();
    let late =
        in_danger.iter().filter(|site| site.late_by_s.is_some_and(|late| late > 0.0)).count();
    let unknown =
        dated.iter().any(|site| site.finished.is_none() && site.finish.is_none() && !site.danger);
    let all = dated.len();
    let open = dated.iter().filter(|site| site.finished.is_none()).count();
    let (level, text) = if all == 0 {
        (Level::None, without_deadlines(view))
    } else if late > 0 {
        let verb = if is_over || in_danger.iter().all(|site| site.finished.is_some()) {
            "were"
        } else {
            "will be"
        };
        (Level::Late, format!("Late: {late} of {} {verb} missed", deadlines(all)))
    } else if !in_danger.is_empty() {
        (
            Level::Danger,
            format!("In danger: {} of {} may be missed", in_danger.len(), deadlines(all)),
        )
    } else if is_over && open > 0 {
        let text =
            format!("Stopped early: {open} of {} not done yet; it can go on", deadlines(all));
        (Level::Unknown, text)
    } else if unknown {
        (Level::Unknown, format!("Too little is known yet of what {} need", deadlines(all)))
    } else if open == 0 {
        (Level::Good, format!("Kept: {}", all_of(all)))
    } else {
        (Level::Good, format!("On time: {} will be kept", all_of(all)))
    };
    let reasons = in_danger.iter().take(NAMED).map(|site| reason(site, view)).collect();
    Verdict { level, text, sites: reasons }
}

fn deadlines(count: usize) -> String {
    if count == 1 { "1 deadline".to_owned() } else { format!("{count} deadlines") }
}

fn all_of(count: usize) -> String {
    if count == 1 { "the one deadline".to_owned() } else { format!("all {count} deadlines") }
}

fn without_deadlines(view: &View) -> String {
    match view.report.outcome {
        Finish::Complete => "Done. There were no deadlines".to_owned(),
        Finish::Interrupted => "Stopped early; it can go on".to_owned(),
        Finish::Limit => "Stopped at a limit; it can go on".to_owned(),
        Finish::Running if view.has_nobody => "Waiting for a downloader".to_owned(),
        Finish::Running => "No deadlines: it takes as long as it takes".to_owned(),
    }
}

/// The warning that was given, or what holds it back now.
fn reason(site: &Site, view: &View) -> InDanger {
    let begin = format!("{}: ", site.site);
    let warning = view.report.warnings.iter().rev().find_map(|text| text.strip_prefix(&begin));
    let why = match warning {
        Some(text) if site.state != "paused" => text.to_owned(),
        _ => format!("it may be done too late: {}", site.why),
    };
    InDanger { site: site.site.clone(), why }
}
