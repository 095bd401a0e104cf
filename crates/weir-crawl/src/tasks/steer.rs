//! Who gets how much from now on: asked of the planner every second, told to the shaper and to the
//! line of hosts.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use weir_fetch::{Part, Shaper, Tier};
use weir_plan::deadline::QUICK;
use weir_plan::{
    Cap, FLOOR, Family, Goal, Known, Options, Outlook, Policy, RESERVE, Shares, Site, State,
    least_scale, replan_if_holds, replan_with,
};

use super::expect::{Expected, expect};
use super::pace::through;
use super::{Task, Tasks, Told};
use crate::line::Rank;
use crate::progress::Span;

/// The rates that hold, and what is to be expected of each site.
pub struct Steer {
    policy: Policy,
    at_once: Option<usize>,
    /// When new rates are made at the latest.
    until: Option<Timestamp>,
    /// Sites that were open when they were made, and those that nothing was known of.
    open: usize,
    strange: usize,
    pub outlook: Outlook,
    /// Small sites are served first.
    is_roomy: bool,
    /// Which of `CARE` the last plan held with; their number for none.
    care: usize,
    last_widened: Timestamp,
    rests_until: Instant,
    pub made: Timestamp,
    pub expected: Vec<Expected>,
    /// Who takes what is left over, first to last.
    order: Vec<usize>,
    /// Sites that the plan gives up for a size that is hardly known: some more pages are asked of them.
    doubted: Vec<bool>,
    doubted_in_all: usize,
    /// How much the sites that are asked could give, as a multiple of the cap.
    width: f64,
}

/// How often a plan is made that can change at any time.
const PERIOD_S: f64 = 1.0;
/// What ends in between is planned for only if plans take no more than one part in so many.
const RESTS: u32 = 400;
/// The papers' rates hold until something ends, but no longer than this.
const LONGEST_S: f64 = 600.0;
/// What sites share that have nothing to get by the plan: nothing new is asked of them unless the
/// others leave something, but what is under way is to end.
const SPARE: f64 = 0.05;
/// One that needs all of its speed while bytes come, because it is silent between.
const MOST_WEIGHT: f64 = 4.0;
/// A cap of which this part is used is used.
const WELL_USED: f64 = 0.94;
const MUCH_UNUSED: f64 = 0.85;
const WIDEN_EVERY: SignedDuration = SignedDuration::from_millis(500);
const NARROWEST: f64 = 1.1;
const WIDEST: f64 = 1e6;
/// What a site gives of which nothing is known, as a part of the cap.
const USUAL_PART: f64 = 0.1;
/// The part of the cap that goes to sites nothing is known of, until something is. (With more, and with plans five times
/// a second meanwhile, nothing was gained in real crawls that could be told from chance.)
const SURVEY: f64 = 0.35;
/// The part of the cap that goes to sites that would be given up for a size that is hardly known.
const DOUBTED: f64 = 0.1;
/// So much of the cap is used in the long run, with all the pauses of servers.
const USED: f64 = 0.985;
/// What comes of what a site could give by itself, before that is known, and the seconds of the whole line that this
/// counts for.
const USUAL_MEASURE: f64 = 0.9;
const MEASURED_S: f64 = 0.3;
/// How careful a plan is: it counts on less than is known, as long as deadlines hold even so.
struct Care {
    /// A site beside others takes so much longer than by itself at its highest rate: what they get is
    /// in its way.
    longer: f64,
    /// It is to be done so much sooner than promised, as a part of the time that is left.
    early: f64,
    /// The part of what a size may be more than expected.
    more: f64,
}

const CARE: [Care; 5] = [
    Care { longer: 1.3, early: 0.03, more: 1.0 },
    Care { longer: 1.2, early: 0.02, more: 0.3 },
    Care { longer: 1.1, early: 0.01, more: 0.1 },
    Care { longer: 1.01, early: 0.0, more: 0.0 },
    NO_CARE,
];
const NO_CARE: Care = Care { longer: 1.0, early: 0.0, more: 0.0 };
/// Where not all can be in time: what is planned to the last moment is late by a moment.
const IN_NEED: Care = Care { longer: 1.1, early: 0.015, more: 0.0 };
/// More than this is not what a site takes longer, but what went wrong.
const MOST_XI: f64 = 1.5;
/// Nobody has to be sooner than that.
const MOST_EARLY_S: f64 = 30.0;

impl Steer {
    pub fn new(policy: Policy, at_once: Option<usize>) -> Steer {
        Steer {
            policy,
            at_once,
            until: None,
            open: 0,
            strange: 0,
            outlook: Outlook::Unsure,
            is_roomy: false,
            care: 0,
            last_widened: Timestamp::UNIX_EPOCH,
            rests_until: Instant::now(),
            made: Timestamp::UNIX_EPOCH,
            expected: Vec::new(),
            order: Vec::new(),
            doubted: Vec::new(),
            doubted_in_all: 0,
            width: NARROWEST,
        }
    }

    /// Makes a new plan if it is time for one. `overhead` is what comes over the wire for each byte
    /// that is counted as a page's.
    pub fn look(&mut self, tasks: &mut Tasks, cap: &Cap, overhead: f64, now: Timestamp) -> bool {
        let open = tasks.all.iter().filter(|task| !task.is_done()).count();
        let strange = tasks.all.iter().filter(|task| tasks.is_new(task)).count();
        // With very many sites one ends all the time, and a plan takes a while.
        let rests = Instant::now() < self.rests_until;
        let same =
            (open, strange) == (self.open, self.strange) && self.expected.len() == tasks.all.len();
        if !self.is_due(now) && (same || rests) {
            return false;
        }
        let begun = Instant::now();
        let known: Vec<Known> =
            tasks.all.iter().map(|task| known(task, overhead, cap, now)).collect();
        let line = cap.highest() / overhead;
        let measured: Vec<Known> = known
            .iter()
            .zip(&tasks.all)
            .map(|(known, task)| measured(known, task, line, overhead))
            .collect();
        let Some(shares) = self.plan(tasks, &known, &measured, cap) else { return false };
        self.grant(tasks, overhead, line, now);
        (self.open, self.strange) = (open, strange);
        self.until = now.checked_add(SignedDuration::from_secs_f64(self.lasts(&shares))).ok();
        self.outlook = shares.outlook;
        self.is_roomy = shares.is_roomy;
        self.made = now;
        self.expected = expect(&measured, &shares, cap.at(0.0), self.period());
        self.order = shares.order;
        self.doubted = self.expected.iter().zip(&tasks.all).map(doubted(tasks)).collect();
        self.doubted_in_all = self.doubted.iter().filter(|it| **it).count();
        self.rests_until = Instant::now() + begun.elapsed() * RESTS;
        true
    }

    /// With as much care as the deadlines allow, but no more than a step more than the last time: most plans are
    /// like the one before, and each that does not hold was made for nothing.
    fn plan(
        &mut self,
        tasks: &Tasks,
        known: &[Known],
        measured: &[Known],
        cap: &Cap,
    ) -> Option<Shares> {
        let mut state = State {
            cap: cap.clone(),
            at_once: self.at_once,
            floor: FLOOR,
            // Whoever changes its mind all the time cannot be believed.
            reserve: if self.is_roomy { RESERVE / 2.0 } else { RESERVE * 2.0 },
            goal: Goal::Sum,
            effort: QUICK,
            period: PERIOD_S,
            used: USED,
            sites: Vec::new(),
        };
        let open: Vec<usize> = (0..known.len()).filter(|at| tasks.all[*at].is_open()).collect();
        // Nobody is given up for what was measured beside others: without care, rates are as they seem.
        let with = |care: &Care| -> Vec<Known> {
            let known = if care.longer > 1.0 { measured } else { known };
            open.iter().map(|at| care.of(&known[*at], &tasks.all[*at])).collect()
        };
        let all = |shares| of_all(shares, &open, known.len());
        let is_ours = self.policy == Policy::Deadline;
        let first = self.care.saturating_sub(1);
        for (step, care) in CARE.iter().enumerate().skip(first).filter(|_| is_ours) {
            self.care = step;
            state.sites = with(care);
            if let Some(shares) = replan_if_holds(&state) {
                return Some(all(shares));
            }
        }
        self.care = CARE.len();
        // The papers' policies take things as they seem to be.
        state.sites = with(if is_ours { &IN_NEED } else { &NO_CARE });
        let options = Options::default();
        replan_with(self.policy, &state, &options)
            // Constant rates that do not suffice: the default makes the best of it.
            .or_else(|_| replan_with(Policy::Deadline, &state, &options))
            .ok()
            .map(all)
    }

    /// Something has changed that no plan knows of.
    pub fn hurry(&mut self) {
        self.until = None;
    }

    pub fn is_due(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now >= until)
    }

    /// Books what the rates gave that held until now.
    fn grant(&self, tasks: &mut Tasks, overhead: f64, line: f64, now: Timestamp) {
        let seconds = now.duration_since(self.made).as_secs_f64().clamp(0.0, LONGEST_S);
        for (task, expected) in tasks.all.iter_mut().zip(&self.expected) {
            if expected.rate > 0.0 && expected.rate.is_finite() && !task.is_done() {
                task.granted.bytes += expected.rate * seconds;
                task.granted.seconds += seconds;
            }
            if expected.is_all_it_can() && task.open > task.manners().most as u64 {
                let planned = expected.most / measured_part(task, line) * seconds / overhead;
                task.measure.learn(planned, task.came);
            }
            task.measure.begin(task.came);
        }
    }

    /// Until the next plan, if ours is the policy; the papers' rates are taken as they are.
    fn period(&self) -> f64 {
        match self.policy.family() {
            Family::Ours => PERIOD_S,
            Family::Constant | Family::Rounds => 0.0,
        }
    }

    /// The papers' rates hold until a round ends; ours may change whenever more is known.
    fn lasts(&self, shares: &Shares) -> f64 {
        match self.policy.family() {
            Family::Ours => PERIOD_S,
            Family::Constant | Family::Rounds => shares.valid_for.clamp(PERIOD_S, LONGEST_S),
        }
    }

    /// Sites cannot all be as fast as they could be alone, so more of them are asked than would use
    /// up the cap; so many that it is used. `part_used` is of the last second.
    pub fn widen(&mut self, part_used: f64, now: Timestamp) -> bool {
        if now.duration_since(self.last_widened) < WIDEN_EVERY {
            return false;
        }
        self.last_widened = now;
        let before = self.width;
        let factor = match part_used {
            ..MUCH_UNUSED => 1.3,
            MUCH_UNUSED..WELL_USED => 1.05,
            _ => 0.9,
        };
        self.width = (self.width * factor).clamp(NARROWEST, WIDEST);
        self.width != before
    }

    /// What is asked of each site until the next plan: those that the plan has first, and as many
    /// after them, in its order, as it takes to use the cap.
    pub fn ranks(&self, tasks: &Tasks, cap: f64) -> Vec<Rank> {
        let mut ranks = vec![Rank::Held; tasks.all.len()];
        let most = self.at_once.unwrap_or(usize::MAX);
        let (mut asked, mut speed) = (0, 0.0);
        let served = |at: &usize| self.is_wanted(*at, tasks);
        let (planned, others): (Vec<usize>, Vec<usize>) =
            self.order.iter().partition(|at| served(at));
        for (at, rank) in planned
            .into_iter()
            .map(|at| (at, Rank::Wanted))
            .chain(others.into_iter().map(|at| (at, Rank::Spare)))
        {
            let task = &tasks.all[at];
            if !task.is_open() {
                continue;
            }
            let enough = rank == Rank::Spare && speed >= cap * self.width;
            if asked == most || enough {
                break;
            }
            asked += 1;
            speed += usable(task, &self.expected[at], cap);
            ranks[at] = rank;
        }
        ranks
    }

    fn is_wanted(&self, at: usize, tasks: &Tasks) -> bool {
        self.expected[at].rate > 0.0 || self.doubted[at] || tasks.is_new(&tasks.all[at])
    }

    /// Tells the shaper.
    pub fn apply(&self, tasks: &Tasks, shaper: &Shaper, cap: f64) {
        let all = tasks.all.iter().enumerate().filter(|(_, task)| !task.is_done());
        shaper.set_shares(
            all.filter_map(|(at, task)| Some((task.share?, self.part(at, tasks, cap)))),
        );
    }

    pub(super) fn part(&self, at: usize, tasks: &Tasks, cap: f64) -> Part {
        let task = &tasks.all[at];
        let rate = self.expected[at].rate;
        let needs = task.pace.while_they_come(rate, &task.manners(), task.pause);
        let by_plan = (needs / cap.max(1.0)).min(MOST_WEIGHT);
        let least = if tasks.is_new(task) {
            SURVEY / self.strange.max(1) as f64
        } else if self.doubted[at] {
            DOUBTED / self.doubted_in_all as f64
        } else {
            SPARE / tasks.all.len() as f64
        };
        let tier = match self.is_wanted(at, tasks) {
            true if self.expected[at].is_all_it_can() => Tier::First,
            true => Tier::Shared,
            false => Tier::Spare,
        };
        Part { weight: by_plan.max(least), cap: task.own_limit(), tier }
    }

    /// What is to be expected of a site, to be compared with what comes of it.
    pub fn told(&self, at: usize, task: &Task) -> Option<Told> {
        let Span { expected, low, high } = self.span(at)?;
        let forecast = task.forecast();
        Some(Told {
            made: self.made,
            bytes: forecast.bytes,
            bytes_low: forecast.low,
            bytes_high: forecast.high,
            finish: expected,
            finish_low: low,
            finish_high: high,
        })
    }

    /// Bytes of a site that are still to come, as expected, on the wire.
    pub fn left(&self, at: usize) -> f64 {
        self.expected.get(at).map_or(f64::INFINITY, |expected| expected.left)
    }

    /// When a site is done, if ever.
    pub fn span(&self, at: usize) -> Option<Span> {
        let Expected { finish, soonest, latest, .. } = self.expected.get(at)?;
        let (expected, low) = (self.moment(*finish)?, self.moment(*soonest)?);
        Some(Span { expected, low, high: self.moment(*latest)? })
    }

    /// So many seconds after the plan was made.
    pub fn moment(&self, seconds: f64) -> Option<Timestamp> {
        self.made.checked_add(SignedDuration::try_from_secs_f64(seconds).ok()?).ok()
    }
}

/// A plan for some of the sites, as one for all: the others are done, and last in line should something
/// new be found of them before the next plan.
fn of_all(shares: Shares, planned: &[usize], count: usize) -> Shares {
    let spread = |values: &[f64]| {
        let mut all = vec![0.0; count];
        planned.iter().zip(values).for_each(|(at, value)| all[*at] = *value);
        all
    };
    let done = (0..count).filter(|at| planned.binary_search(at).is_err());
    Shares {
        rates: spread(&shares.rates),
        finish: spread(&shares.finish),
        order: shares.order.iter().map(|at| planned[*at]).chain(done).collect(),
        ..shares
    }
}

/// Whether a site is given up though some more pages would tell whether that is right.
fn doubted(tasks: &Tasks) -> impl Fn((&Expected, &Task)) -> bool {
    |(expected, task)| expected.slack < 0.0 && expected.rate <= 0.0 && tasks.is_vague(task)
}

/// What a site takes of the cap until the next plan, if it is asked now: with fewer URLs to ask for than
/// it may be asked at a time, less than it could.
fn usable(task: &Task, expected: &Expected, cap: f64) -> f64 {
    let busy = (task.open as f64 / task.manners().most as f64).min(1.0);
    let most = if task.max_rate().is_some() { cap } else { cap * USUAL_PART };
    expected.most.min(most) * busy
}

/// A task as the planner sees it, in bytes on the wire.
pub fn known(task: &Task, overhead: f64, cap: &Cap, now: Timestamp) -> Known {
    let deadline = task.due.map(|due| due.duration_since(now).as_secs_f64());
    if task.is_done() {
        return Known::exactly(Site::new(0.0, deadline));
    }
    let forecast = task.forecast();
    let came = task.came;
    // Something is still open, however much was expected.
    let left = |bytes: f64| (bytes - came).max(1.0) * overhead;
    let size = left(forecast.bytes);
    let part = |bytes: f64| left(bytes) / size;
    // While bytes come they come no faster than the cap, and between two pages none come.
    let highest = cap.highest().max(1.0) * task.manners().most as f64;
    let max_rate = task.max_rate().map(|rate| 1.0 / (1.0 / rate.max(1e-3) + overhead / highest));
    Known {
        site: Site {
            size,
            deadline,
            max_rate: max_rate
                .map_or(f64::INFINITY, |rate| rate * overhead)
                .min(task.own_limit().unwrap_or(f64::INFINITY)),
            weight: task.settings.weight,
            release: 0.0,
        },
        low: part(forecast.low).min(1.0),
        high: part(forecast.high).max(1.0),
        rate_is_known: task.is_rate_known(),
    }
}

/// The same with the rate that comes beside others: its answers wait for each other in the line, and for
/// those of other sites.
fn measured(known: &Known, task: &Task, line: f64, overhead: f64) -> Known {
    let mut known = known.clone();
    if let Some(rate) = task.max_rate() {
        let rate = through(line, rate, task.manners().most) * measured_part(task, line);
        known.site.max_rate = known.site.max_rate.min(rate * overhead);
    }
    known
}

fn measured_part(task: &Task, line: f64) -> f64 {
    task.measure.part(USUAL_MEASURE, line * MEASURED_S)
}

/// The cap times this would hold all deadlines; infinite if none would. What sites can give depends
/// on the cap, so it is looked for; `sites` makes them for a cap.
pub fn needed_scale(cap: &Cap, sites: impl Fn(&Cap) -> Vec<Site>) -> f64 {
    let mut scale = least_scale(cap, &sites(&cap.scaled(FAR)));
    for _ in 0..MOST_STEPS {
        let next = least_scale(cap, &sites(&cap.scaled(scale)));
        if !scale.is_finite() || scale > FAR || (next / scale - 1.0).abs() < 0.01 {
            break;
        }
        scale = next.min(scale * 2.0);
    }
    if scale > FAR { f64::INFINITY } else { scale }
}

/// No line is so much faster than the one there is.
const FAR: f64 = 1e6;
const MOST_STEPS: usize = 30;

impl Care {
    fn of(&self, known: &Known, task: &Task) -> Known {
        let mut known = known.clone();
        let early = |due: f64| due - (due * self.early).clamp(0.0, MOST_EARLY_S);
        known.site.deadline = known.site.deadline.map(early);
        // What was measured in earlier crawls counts, but nobody is given up for it.
        let measured = task.xi.filter(|_| self.longer > 1.0).unwrap_or(1.0).min(MOST_XI);
        known.site.max_rate /= self.longer.max(measured);
        known.high = 1.0 + (known.high - 1.0) * self.more;
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_for_the_open_sites_is_one_for_all_with_the_others_last() {
        let shares = Shares {
            rates: vec![3.0, 1.0],
            order: vec![1, 0],
            valid_for: 1.0,
            outlook: Outlook::Holds,
            is_roomy: false,
            finish: vec![9.0, 4.0],
        };
        let all = of_all(shares, &[1, 3], 4);
        assert_eq!(all.rates, [0.0, 3.0, 0.0, 1.0]);
        assert_eq!(all.finish, [0.0, 9.0, 0.0, 4.0]);
        assert_eq!(all.order, [3, 1, 0, 2]);
    }

    #[test]
    fn more_sites_are_asked_while_the_cap_is_not_used_and_fewer_when_it_is() {
        let mut steer = Steer::new(Policy::Deadline, None);
        let mut now = Timestamp::UNIX_EPOCH;
        let mut width_after = |used: f64| {
            now += WIDEN_EVERY;
            steer.widen(used, now);
            assert!(!steer.widen(0.5, now), "not twice at a time");
            steer.width
        };
        let (first, second) = (width_after(0.5), width_after(0.5));
        assert!(NARROWEST < first && first < second, "{first} {second}");
        assert!(width_after(0.99) < second);
        (0..20).for_each(|_| assert!(width_after(0.99) >= NARROWEST));
        assert_eq!(width_after(0.99), NARROWEST);
    }
}
