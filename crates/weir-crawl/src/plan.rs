//! The plan of a crawl: what each site has, when it is done, which deadlines hold, and what would
//! have to change for the others.

use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use weir_plan::size::Basis;
use weir_plan::{Allocation, Cap, Goal, Known, Options, Policy, Problem, Refused, Remedy, Site};
use weir_plan::{allocate, deadline, least_scale, remedies};

use crate::replace::{replace, terminated};
use crate::tasks::{Task, Tasks, known, needed_scale};

/// The name of the plan in the output folder.
pub const FILE: &str = "plan.json";

/// `plan.json`. The fields are the contract with users' scripts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// All deadlines hold if sizes are as predicted.
    pub feasible: bool,
    /// They hold even if sizes are as large as they may be.
    pub sure: bool,
    /// Bytes a second, now; null without a limit.
    pub limit: Option<f64>,
    /// The least limit that holds all deadlines; null if no limit does.
    pub needed_limit: Option<f64>,
    /// The same, if sizes are as large as they may be.
    pub needed_limit_high: Option<f64>,
    /// Whose plan it is.
    pub policy: String,
    /// What was asked for, if it has no plan for this: the plan is of the usual policy then.
    pub policy_unfit: Option<String>,
    pub made: String,
    pub sites: Vec<PlannedSite>,
    /// For each site that is late, what would help, the least change first.
    pub suggestions: Vec<Suggestion>,
    /// What was fetched to make it.
    pub spent: Spent,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlannedSite {
    pub site: String,
    /// Bytes on the wire in all, and between what they are in nine of ten cases.
    pub bytes: u64,
    pub bytes_low: u64,
    pub bytes_high: u64,
    pub pages: u64,
    pub basis: String,
    /// Bytes a second that it can give at the most; null if that is not known.
    pub max_rate: Option<f64>,
    pub deadline: Option<String>,
    pub start: Option<String>,
    pub finish: Option<String>,
    /// Bytes a second from start to finish.
    pub rate: f64,
    pub late_by_s: Option<f64>,
    /// Why nothing is known of it.
    pub trouble: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    pub site: String,
    pub change: Change,
    /// The limit in bytes a second, the pages, or the bytes.
    pub value: Option<f64>,
    /// The deadline.
    pub until: Option<String>,
    /// How much it changes: 0.1 is a tenth more time, cap, or fewer pages.
    pub part: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Limit,
    Deadline,
    Pages,
    Bytes,
    /// More requests at a time, or shorter pauses: no limit helps.
    Manners,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    pub pages: u64,
    pub bytes: u64,
    pub seconds: f64,
}

/// A plan, and what it was made of, for a picture.
pub struct Planned {
    pub plan: Plan,
    pub problem: Problem,
    pub allocation: Allocation,
}

/// What the plan is made for.
pub struct Ask<'a> {
    pub tasks: &'a Tasks,
    pub cap: Cap,
    pub limit: Option<f64>,
    pub policy: Policy,
    pub at_once: Option<usize>,
    pub overhead: f64,
    pub spent: Spent,
    pub now: Timestamp,
}

/// A search for the best plan of very many sites takes longer than anybody looks at it.
const MANY: usize = 200;

/// A policy that cannot plan this leaves it to the usual one; that none can means that nothing may come at any time.
fn plan_for(problem: &Problem, policy: Policy) -> (Policy, Result<Allocation, Refused>) {
    if policy == Policy::Deadline && problem.sites.len() > MANY && problem.check().is_ok() {
        return (policy, Ok(deadline::allocate(problem, Goal::Sum, deadline::QUICK)));
    }
    let options = Options::default();
    match allocate(problem, policy, &options) {
        Err(_) if policy != Policy::Deadline => {
            (Policy::Deadline, allocate(problem, Policy::Deadline, &options))
        }
        planned => (policy, planned),
    }
}

impl Planned {
    pub fn make(ask: &Ask) -> Planned {
        let wanted = |task: &&Task| (task.asked || task.open > 0) && !task.is_paused;
        let tasks: Vec<&Task> = ask.tasks.all.iter().filter(wanted).collect();
        let sites = |cap: &Cap, factor: &dyn Fn(&Known) -> f64| -> Vec<Site> {
            let known = tasks.iter().map(|task| known(task, ask.overhead, cap, ask.now));
            known
                .map(|known| Site { size: known.site.size * factor(&known), ..known.site })
                .collect()
        };
        let (usual, high) = (|_: &Known| 1.0, |known: &Known| known.high);
        let problem =
            |sites: Vec<Site>| Problem { cap: ask.cap.clone(), at_once: ask.at_once, sites };
        let expected = problem(sites(&ask.cap, &usual));
        let holds = |sites: &[Site]| least_scale(&ask.cap, sites) <= 1.0 + 1e-9;
        let needed = |factor: &dyn Fn(&Known) -> f64| {
            let scale = needed_scale(&ask.cap, |cap| sites(cap, factor));
            let needed = scale * ask.cap.at(0.0).max(f64::MIN_POSITIVE);
            needed.is_finite().then_some(needed)
        };
        let (policy, planned) = plan_for(&expected, ask.policy);
        // Where nothing may pass nobody is ever done.
        let allocation = planned.unwrap_or_else(|_| Allocation {
            end: vec![f64::INFINITY; expected.sites.len()],
            ..Allocation::default()
        });
        // With another cap, sites would not be slowed by this one.
        let free = problem(sites(&ask.cap.scaled(1e6), &usual));
        let remedies = remedies(&free, &allocation);
        // Of a site that does not answer nobody can say when it is done.
        let known = !tasks.iter().any(|task| task.due.is_some() && trouble(task).is_some());
        let plan = Plan {
            feasible: known && holds(&expected.sites),
            sure: known && holds(&sites(&ask.cap, &high)),
            limit: ask.limit,
            needed_limit: needed(&usual),
            needed_limit_high: needed(&high),
            policy: policy.name().to_owned(),
            policy_unfit: (policy != ask.policy).then(|| ask.policy.name().to_owned()),
            made: text_of(ask.now),
            sites: (0..tasks.len())
                .map(|at| planned_site(tasks[at], &expected.sites[at], &allocation, at, ask))
                .collect(),
            suggestions: remedies
                .iter()
                .flat_map(|remedy| suggestions(tasks[remedy.site], &expected, remedy, ask))
                .collect(),
            spent: ask.spent,
        };
        Planned { plan, problem: expected, allocation }
    }
}

impl Planned {
    /// When the last site is done, in seconds; those that never are do not count.
    pub fn last_finish(&self) -> f64 {
        self.allocation.end.iter().copied().filter(|end| end.is_finite()).fold(0.0, f64::max)
    }

    /// The most that all sites get together.
    pub fn highest_rate(&self) -> f64 {
        let pieces = &self.allocation.pieces;
        let at = |time: f64| -> f64 {
            let during = pieces.iter().filter(|piece| piece.from <= time && time < piece.to);
            during.map(|piece| piece.rate).sum()
        };
        pieces.iter().map(|piece| at(piece.from)).fold(1.0, f64::max)
    }
}

impl PlannedSite {
    /// Not even a guess can be made.
    pub fn is_unknown(&self) -> bool {
        self.trouble.is_some()
    }
}

impl Plan {
    /// Written beside and renamed, so that a reader never sees half of one.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        replace(path, &terminated(serde_json::to_vec_pretty(self)?))
    }

    pub fn late(&self) -> impl Iterator<Item = &PlannedSite> {
        self.sites.iter().filter(|site| site.late_by_s.is_some_and(|late| late > 0.0))
    }
}

fn planned_site(task: &Task, site: &Site, plan: &Allocation, at: usize, ask: &Ask) -> PlannedSite {
    let forecast = task.forecast();
    let wire = |bytes: f64| (bytes * ask.overhead) as u64;
    let trouble = trouble(task);
    let served = || plan.pieces.iter().filter(|piece| piece.site == at && trouble.is_none());
    let start = served().map(|piece| piece.from).fold(f64::INFINITY, f64::min);
    let end = plan.end.get(at).copied().filter(|_| trouble.is_none());
    let finish = end.unwrap_or(f64::INFINITY);
    let moment = |seconds: f64| {
        let length = SignedDuration::try_from_secs_f64(seconds).ok()?;
        ask.now.checked_add(length).ok().map(text_of)
    };
    PlannedSite {
        site: task.name.clone(),
        bytes: wire(forecast.bytes),
        bytes_low: wire(forecast.low),
        bytes_high: wire(forecast.high),
        pages: forecast.pages as u64,
        basis: forecast.basis.name().to_owned(),
        max_rate: Some(site.max_rate).filter(|rate| rate.is_finite()),
        deadline: task.due.map(text_of),
        start: moment(start),
        finish: moment(finish),
        rate: if finish > start { site.size / (finish - start) } else { 0.0 },
        late_by_s: site.deadline.map(|due| (finish - due).max(0.0)).filter(|late| late.is_finite()),
        trouble,
    }
}

/// Why nothing is known of a site.
fn trouble(task: &Task) -> Option<String> {
    let known = task.seen.fetched.pages > 0.0 || task.earlier.is_some();
    let told = known || task.settings.size.is_some();
    let nothing = !told && task.asked;
    nothing.then(|| task.trouble.clone().unwrap_or_else(|| "no answer in time".to_owned()))
}

/// What would bring a site in time: the least change first.
fn suggestions(task: &Task, problem: &Problem, remedy: &Remedy, ask: &Ask) -> Vec<Suggestion> {
    let site = &problem.sites[remedy.site];
    let name = || task.name.clone();
    let due = site.due();
    let mut all = Vec::with_capacity(3);
    match ask.limit {
        Some(limit) if remedy.scale.is_finite() => all.push(Suggestion {
            site: name(),
            change: Change::Limit,
            value: Some(limit * remedy.scale),
            until: None,
            part: remedy.scale - 1.0,
        }),
        _ => all.push(Suggestion {
            site: name(),
            change: Change::Manners,
            value: Some(site.size / due.max(1e-3)),
            until: None,
            part: site.size / (site.max_rate * due.max(1e-3)) - 1.0,
        }),
    }
    let later = SignedDuration::try_from_secs_f64(remedy.due).ok();
    let until = later.and_then(|length| ask.now.checked_add(length).ok());
    if let Some(until) = until {
        all.push(Suggestion {
            site: name(),
            change: Change::Deadline,
            value: None,
            until: Some(text_of(until)),
            part: remedy.due / due.max(1e-3) - 1.0,
        });
    }
    if let Some((change, value, part)) = less(task, site, remedy) {
        all.push(Suggestion { site: name(), change, value: Some(value), until: None, part });
    }
    // What is infinite has no place in JSON.
    all.iter_mut().for_each(|one| one.part = one.part.clamp(-1.0, 1e9));
    all.sort_by(|a, b| a.part.total_cmp(&b.part));
    all
}

/// How much of the site there is time for, in pages where their number is known, and what part of it is left out.
fn less(task: &Task, site: &Site, remedy: &Remedy) -> Option<(Change, f64, f64)> {
    let forecast = task.forecast();
    let part = remedy.size / site.size.max(1.0);
    // What a sample brought is not kept, and comes once more.
    let kept = if task.came > 0.0 { task.pages as f64 } else { 0.0 };
    let (change, all, has) = match forecast.basis {
        Basis::Given => (Change::Bytes, forecast.bytes, task.came),
        _ => (Change::Pages, forecast.pages, kept),
    };
    let value = (has + (all - has) * part).floor();
    (part > 0.0 && value >= 1.0).then_some((change, value, 1.0 - value / all))
}

/// A moment as reports and plans have it.
pub fn text_of(at: Timestamp) -> String {
    let round = jiff::TimestampRound::new().smallest(jiff::Unit::Millisecond);
    at.round(round).unwrap_or(at).to_string()
}
