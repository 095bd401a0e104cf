//! A crawl with deadlines in virtual time: the real tasks and the real steering, with servers and a
//! line that do exactly as they are told. What is lost here is lost by not knowing the sites.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};
use weir_fetch::Tier;
use weir_plan::deadline::{self, Effort};
use weir_plan::size::Earlier;
use weir_plan::{Cap, Goal, Policy, Problem, Site, judge};

use super::pace::through;
use super::{Fetched, Promises, Rounds, Steer, Task, TaskId, Tasks};
use crate::config::{RobotsMode, SiteConfig, Sitemaps};
use crate::line::Rank;
use crate::pace::PaceLimits;

/// One server and what it has.
struct Host {
    pages: Vec<f64>,
    links: usize,
    listed: bool,
    latency: f64,
    rate: f64,
    due: f64,
    known: Vec<bool>,
    queue: VecDeque<usize>,
    under_way: Vec<Request>,
    /// Until when nothing of it is known but its address.
    opens_at: f64,
    settled: usize,
    finished: Option<f64>,
}

struct Request {
    page: usize,
    silent_until: f64,
    left: f64,
    /// Seconds that its bytes came at the rate of the server.
    took: f64,
}

const REQUESTS: usize = 4;
const STEP: f64 = 0.004;
const SITES: usize = 60;
const WEBS: u64 = 3;
const TICK: f64 = 0.2;
/// No server is nearer.
const ROUND_TRIP: f64 = 0.002;
const SECONDS: f64 = 60.0;

impl Host {
    fn drawn(at: usize, count: usize, lot: &mut Rng) -> Host {
        let between = |low: f64, high: f64, part: f64| low * (high / low).powf(part);
        let bytes = between(20e3, 20e6, (at as f64 + lot.f64()) / count as f64);
        let page = between(4e3, 60e3, lot.f64()).min(bytes / 2.0);
        let pages = (bytes / page).round().max(1.0) as usize;
        let least_rate = bytes / 32.0;
        let latency = (lot.f64() * 0.06).min(page / least_rate * 0.6) + ROUND_TRIP;
        let links = lot.usize(8..40).min(page as usize / 200).max(3);
        let rate = match lot.u32(..3) {
            0 => between(300e3, 3e6, lot.f64()).max(least_rate * 3.0),
            _ => 50e6,
        };
        Host {
            pages: (0..pages).map(|_| page * (0.4 + 1.2 * lot.f64())).collect(),
            links,
            listed: lot.bool(),
            latency,
            rate,
            due: 0.0,
            known: vec![false; pages],
            queue: VecDeque::new(),
            under_way: Vec::new(),
            opens_at: 2.0 * latency,
            settled: 0,
            finished: None,
        }
    }

    fn bytes(&self) -> f64 {
        self.pages.iter().sum()
    }

    /// What it can give by itself.
    fn speed(&self) -> f64 {
        let page = self.bytes() / self.pages.len() as f64;
        page / (self.latency + page / self.rate) * REQUESTS.min(self.pages.len()) as f64
    }

    fn find(&mut self, page: usize) -> bool {
        let is_new = !std::mem::replace(&mut self.known[page], true);
        if is_new {
            self.queue.push_back(page);
        }
        is_new
    }

    /// The links of a page: its children in a tree, and any others.
    fn follow(&mut self, page: usize, lot: &mut Rng) -> usize {
        let arity = (self.links / 4).clamp(1, 10);
        let children =
            (page * arity + 1..=page * arity + arity).filter(|it| *it < self.pages.len());
        let mut links: Vec<usize> = children.collect();
        while links.len() < self.links {
            links.push(lot.usize(..self.pages.len()));
        }
        links.into_iter().filter(|link| self.find(*link)).count()
    }
}

struct Played {
    hosts: Vec<Host>,
    tasks: Tasks,
    steer: Steer,
    cap: f64,
    lot: Rng,
    used: VecDeque<f64>,
    ranks: Vec<Rank>,
    weights: Vec<(f64, Tier)>,
}

/// What came of it.
struct Outcome {
    late: f64,
    least: f64,
    met: usize,
}

fn at(seconds: f64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs_f64(1e6 + seconds)
}

impl Played {
    fn new(seed: u64, load: f64, with_history: bool) -> (Played, f64) {
        let mut lot = Rng::with_seed(seed);
        let mut hosts: Vec<Host> = (0..SITES).map(|at| Host::drawn(at, SITES, &mut lot)).collect();
        for host in &mut hosts {
            let own = host.bytes() / host.speed() * 2.0 + 1.0;
            host.due = own.max(SECONDS * (0.15 + 0.85 * lot.f64()));
        }
        let problem = |cap: f64| Problem {
            cap: Cap::constant(cap),
            at_once: None,
            sites: hosts
                .iter()
                .map(|host| Site {
                    // Beside others a site is never as fast as by itself.
                    max_rate: 0.8 * through(cap, host.speed(), REQUESTS),
                    ..Site::new(host.bytes(), Some(host.due))
                })
                .collect(),
        };
        let mut needed = hosts.iter().map(Host::bytes).sum::<f64>() / SECONDS;
        for _ in 0..20 {
            let least = judge(&problem(needed * load)).least_cap;
            needed = least.unwrap_or(f64::INFINITY).min(needed * 2.0);
        }
        let cap = needed * load;
        let exact = problem(cap);
        let best = deadline::allocate(&exact, Goal::Sum, Effort(40_000_000));
        let least = best.score(&exact.sites).sum_tardiness;
        let tasks = Tasks {
            all: hosts.iter().map(|host| task_of(host, with_history)).collect(),
            by_name: HashMap::new(),
            asked: HashSet::new(),
            shaper: None,
            promises: Promises::default(),
            rounds: Rounds::default(),
            history: super::History::default(),
            sample: 10.0,
            is_survey: false,
            paused: HashSet::new(),
        };
        let ranks = vec![Rank::Wanted; hosts.len()];
        let weights = vec![(1.0, Tier::Shared); hosts.len()];
        let played = Played {
            hosts,
            tasks,
            steer: Steer::new(Policy::Deadline, None),
            cap,
            lot,
            used: VecDeque::new(),
            ranks,
            weights,
        };
        (played, least)
    }

    fn run(mut self, least: f64) -> Outcome {
        let mut now = 0.0;
        let mut next_tick = 0.0;
        while self.hosts.iter().any(|host| host.finished.is_none()) && now < SECONDS * 4.0 {
            if now >= next_tick {
                self.tick(now);
                next_tick += TICK;
            }
            self.ask(now);
            let used = self.serve(now);
            self.used.push_back(used);
            if self.used.len() > (1.0 / STEP) as usize {
                self.used.pop_front();
            }
            now += STEP;
        }
        let late = |host: &Host| (host.finished.unwrap_or(f64::INFINITY) - host.due).max(0.0);
        Outcome {
            late: self.hosts.iter().map(late).sum(),
            least,
            met: self.hosts.iter().filter(|host| late(host) <= 0.0).count(),
        }
    }

    fn tick(&mut self, now: f64) {
        for (host, task) in self.hosts.iter_mut().zip(&mut self.tasks.all) {
            let is_open = now >= host.opens_at;
            let known = host.known.iter().filter(|it| **it).count().max(1);
            task.open = (known - host.settled) as u64;
            task.pages = host.settled as u64;
            task.seen.known = known as f64;
            if task.open == 0 && is_open && task.finished.is_none() {
                task.finished = task.last;
            }
        }
        let cap = Cap::constant(self.cap);
        let is_new = self.steer.look(&mut self.tasks, &cap, 1.0, at(now));
        let used =
            self.used.iter().sum::<f64>() / (self.used.len().max(1) as f64 * STEP * self.cap);
        let widened = self.steer.widen(used, at(now));
        if is_new || widened {
            self.ranks = self.steer.ranks(&self.tasks, self.cap);
        }
        if is_new {
            self.weights = (0..self.hosts.len())
                .map(|at| {
                    let part = self.steer.part(at, &self.tasks, self.cap);
                    (part.weight, part.tier)
                })
                .collect();
        }
    }

    fn ask(&mut self, now: f64) {
        for (number, host) in self.hosts.iter_mut().enumerate() {
            if host.settled == 0 && host.under_way.is_empty() && now >= host.opens_at {
                host.find(0);
                if host.listed && self.tasks.all[number].seen.listed == 0.0 {
                    for page in 0..host.pages.len() {
                        host.find(page);
                    }
                    self.tasks.all[number].seen.listed = host.pages.len() as f64;
                }
            }
            if self.ranks[number] == Rank::Held || now < host.opens_at {
                continue;
            }
            while host.under_way.len() < REQUESTS
                && let Some(page) = host.queue.pop_front()
            {
                let silent_until = now + host.latency;
                host.under_way.push(Request {
                    page,
                    silent_until,
                    left: host.pages[page],
                    took: 0.0,
                });
            }
        }
    }

    /// One step of the line: bytes by weight, those that are spare after the others.
    fn serve(&mut self, now: f64) -> f64 {
        let mut free = self.cap * STEP;
        for tier in [Tier::First, Tier::Shared, Tier::Spare] {
            let mut active: Vec<(usize, usize)> = Vec::new();
            for (number, host) in self.hosts.iter().enumerate() {
                if self.weights[number].1 == tier {
                    let busy = host.under_way.iter().enumerate();
                    active.extend(
                        busy.filter(|(_, it)| it.silent_until <= now).map(|(at, _)| (number, at)),
                    );
                }
            }
            free -= self.share(&active, free);
        }
        for number in 0..self.hosts.len() {
            self.settle(number, now + STEP);
        }
        self.cap * STEP - free
    }

    fn share(&mut self, active: &[(usize, usize)], mut free: f64) -> f64 {
        let before = free;
        let mut got = vec![0.0; active.len()];
        for _ in 0..4 {
            let wants = |at: usize| {
                let (number, request) = active[at];
                let host = &self.hosts[number];
                (host.rate * STEP).min(host.under_way[request].left) - got[at]
            };
            let hungry: Vec<usize> = (0..active.len()).filter(|at| wants(*at) > 1e-6).collect();
            let count = |number: usize| hungry.iter().filter(|at| active[**at].0 == number).count();
            let part = |at: usize| self.weights[active[at].0].0 / count(active[at].0) as f64;
            let sum: f64 = hungry.iter().map(|at| part(*at)).sum();
            if sum <= 0.0 || free < 1e-6 {
                break;
            }
            let given: Vec<(usize, f64)> =
                hungry.iter().map(|at| (*at, (free * part(*at) / sum).min(wants(*at)))).collect();
            for (at, bytes) in given {
                got[at] += bytes;
                free -= bytes;
            }
        }
        for ((number, request), bytes) in active.iter().zip(got) {
            let host = &mut self.hosts[*number];
            host.under_way[*request].took += bytes / host.rate;
            host.under_way[*request].left -= bytes;
        }
        before - free
    }

    fn settle(&mut self, number: usize, now: f64) {
        while let Some(done) = self.hosts[number].under_way.iter().position(|it| it.left <= 1e-3) {
            let host = &mut self.hosts[number];
            let request = host.under_way.swap_remove(done);
            host.settled += 1;
            let new = host.follow(request.page, &mut self.lot);
            let silent = Duration::from_secs_f64(host.latency);
            let fetched = Fetched {
                bytes: host.pages[request.page],
                took: Some(silent + Duration::from_secs_f64(request.took)),
                silent,
                links: host.links as f64,
                new: new as f64,
            };
            if host.queue.is_empty() && host.under_way.is_empty() {
                host.finished = Some(now);
            }
            self.tasks.fetched(TaskId(number as u32), &fetched, at(now));
        }
    }
}

fn task_of(host: &Host, with_history: bool) -> Task {
    let settings = SiteConfig {
        pace: PaceLimits { most: REQUESTS, delay: Duration::ZERO, slow_down: 0.0 },
        robots: RobotsMode::Obey,
        sitemaps: Sitemaps::Auto,
        limit: None,
        weight: 1.0,
        due: None,
        every: None,
        size: None,
        depth: None,
        max_pages: None,
        max_bytes: None,
        any_change: false,
    };
    let mut task = Task::new(String::new(), settings, None, true);
    task.due = Some(at(host.due));
    if with_history {
        task.earlier = Some(Earlier::crawled(host.pages.len() as f64, host.bytes()));
        task.earlier_rate = Some(host.speed());
    }
    task
}

fn play(seed: u64, load: f64, with_history: bool) -> Outcome {
    let (played, least) = Played::new(seed, load, with_history);
    played.run(least)
}

/// Of so many webs: the part of the deadlines that was met, and the lateness beside the least, on average.
fn play_all(load: f64, with_history: bool) -> (f64, f64) {
    let played: Vec<Outcome> = (1..=WEBS).map(|seed| play(seed, load, with_history)).collect();
    let mean = |of: fn(&Outcome) -> f64| played.iter().map(of).sum::<f64>() / WEBS as f64;
    (mean(|it| it.met as f64) / SITES as f64, mean(|it| it.late / it.least))
}

#[test]
fn with_a_tenth_to_spare_deadlines_are_kept() {
    let (unknown, _) = play_all(1.1, false);
    let (known, _) = play_all(1.1, true);
    assert!(unknown >= 0.93, "{unknown} of sites that nobody knows");
    assert!(known >= 0.96, "{known} of sites that are known");
}

#[test]
fn in_overload_the_sum_of_lateness_is_near_the_least() {
    let (_, unknown) = play_all(0.8, false);
    let (_, known) = play_all(0.8, true);
    assert!(unknown <= 1.7, "{unknown} of the least, of sites that nobody knows");
    assert!(known <= 1.35, "{known} of the least, of sites that are known");
}
