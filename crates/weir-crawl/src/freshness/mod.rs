//! Coming back only when it pays: what was learnt of the pages of each site, which of them a round visits,
//! and what came of that.
//!
//! `changes` is what is kept of a page, in its note; `choose` picks the pages of a round; the rates, and what
//! a visit is worth, are [`weir_plan::refresh`]. `rows` learns the same from the table of pages.

mod changes;
mod choose;
mod compare;
mod habits;
mod rows;
mod summary;

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use weir_frontier::{Frontier, FrontierError, HostId, Resting, UrlKind};
use weir_plan::refresh::{Belief, Evidence, Page, Prior};
use weir_types::Fingerprint;

use crate::report::FreshnessReport;
use crate::visit::Visit;
pub use changes::{Brought, Came, Changes, days, millis};
use choose::{Candidate, choose};
pub use compare::compared;
pub use habits::{everywhere, of_site};
pub use rows::{Learnt, VisitRow};
use summary::HEAD_BYTES;
pub use summary::{Summary, Worth};

/// What is known of the rounds of all sites; kept in the frontier.
#[derive(Default)]
pub struct Freshness {
    /// Bytes a day that may be spent on coming back, if somebody said so.
    rate: Option<f64>,
    sites: BTreeMap<String, SiteFreshness>,
    /// Pages that this round does not visit, for who hears of a change of one.
    left_out: HashMap<Fingerprint, LeftOut>,
}

/// Of the last round of one site.
#[derive(Serialize, Deserialize)]
struct SiteFreshness {
    /// Milliseconds since 1970.
    began_ms: u64,
    #[serde(flatten)]
    account: FreshnessReport,
    /// Of the pages of the site: changes in days.
    habits: Option<[f64; 2]>,
}

struct LeftOut {
    resting: Resting,
    visited_ms: u64,
    fetch: u64,
}

/// A site whose round begins.
pub struct Due {
    pub name: String,
    /// Days to the next round, if that is known.
    pub period: Option<f64>,
    /// Its part of all that is kept, in bytes: so much of the rate is its own.
    pub part: f64,
}

/// So many bytes may be spent on what sitemaps say has changed, beside the budget: as a part of it. The next
/// round has as much less.
const HINTED: f64 = 0.5;

impl Freshness {
    /// `note` is what [`Freshness::to_note`] wrote.
    pub fn open(rate: Option<f64>, note: Option<&[u8]>) -> Freshness {
        let sites = note.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
        Freshness { rate, sites, left_out: HashMap::new() }
    }

    pub fn to_note(&self) -> Vec<u8> {
        serde_json::to_vec(&self.sites).expect("texts and finite numbers always serialize")
    }

    pub fn site(&self, name: &str) -> Option<FreshnessReport> {
        self.sites.get(name).map(|site| site.account)
    }

    /// Of all sites together; `None` if none was ever come back to.
    pub fn whole(&self) -> Option<FreshnessReport> {
        self.sites.values().map(|site| site.account).reduce(FreshnessReport::and)
    }

    /// What is believed of the pages of a site.
    pub fn belief(&self, name: &str) -> Belief {
        let habits = self.sites.get(name).and_then(|site| site.habits);
        habits.and_then(sound).unwrap_or(*Prior::default().belief())
    }

    /// A page was visited, or is new.
    pub fn came(&mut self, name: &str, came: Came, bytes: u64) {
        let Some(site) = self.sites.get_mut(name) else { return };
        let account = &mut site.account;
        account.bytes = account.bytes.saturating_add(bytes);
        account.visited += u64::from(came != Came::New);
        match came {
            Came::New => account.new += 1,
            Came::Same => account.unchanged += 1,
            Came::Changed => account.changed += 1,
        }
    }

    /// Begins a round of these sites: what pays waits once more. `of` tells which of them a host belongs to.
    /// Returns what each is expected to bring.
    pub fn begin(
        &mut self,
        frontier: &mut Frontier,
        due: &[Due],
        of: impl Fn(HostId) -> Option<usize>,
        now_ms: u64,
    ) -> Result<Vec<Expects>, FrontierError> {
        let resting = frontier.resting(|host| of(host).is_some())?;
        let mut known = Vec::with_capacity(resting.len());
        for resting in resting {
            let Some(site) = of(resting.host()) else { continue };
            let note = frontier.note_of(&resting)?;
            let visit = note.as_deref().and_then(Visit::from_bytes);
            known.push(Known { resting, site, visit: visit.as_ref().map(Summary::of) });
        }
        let before: Vec<Prior> = due.iter().map(|due| Prior::new(self.belief(&due.name))).collect();
        let priors = priors(before, &known);
        let rounds: Vec<SiteFreshness> = (0..due.len())
            .map(|site| self.round(&due[site], &known, site, &priors[site], now_ms))
            .collect();
        let beliefs: Vec<Belief> =
            rounds.iter().map(|round| round.habits.and_then(sound)).map(or_usual).collect();
        let candidates: Vec<Candidate> =
            known.iter().map(|one| one.candidate(&beliefs[one.site], now_ms)).collect();
        match self.rate {
            Some(_) => self.visit_what_pays(frontier, due, &known, &candidates, rounds, now_ms),
            None => self.visit_all(frontier, due, &known, &candidates, rounds),
        }
    }

    fn visit_all(
        &mut self,
        frontier: &mut Frontier,
        due: &[Due],
        known: &[Known],
        candidates: &[Candidate],
        rounds: Vec<SiteFreshness>,
    ) -> Result<Vec<Expects>, FrontierError> {
        let mut expected = vec![Expects::default(); due.len()];
        for (one, candidate) in known.iter().zip(candidates) {
            frontier.ask_again(&one.resting)?;
            expected[one.site].add(candidate);
        }
        for (due, round) in due.iter().zip(rounds) {
            self.sites.insert(due.name.clone(), round);
        }
        Ok(expected)
    }

    /// A new account, with the bytes that are due since the last round and were not used too early.
    fn round(
        &self,
        due: &Due,
        known: &[Known],
        site: usize,
        prior: &Prior,
        now_ms: u64,
    ) -> SiteFreshness {
        let last = self.sites.get(&due.name);
        let visits = known.iter().filter(|one| one.site == site).filter_map(|one| one.visit);
        let first = || visits.map(|visit| visit.visited_ms).min().unwrap_or(now_ms);
        let began_ms = last.map_or_else(first, |last| last.began_ms);
        let too_much = last.map_or(0, |last| {
            last.account.bytes.saturating_sub(last.account.budget.unwrap_or(u64::MAX))
        });
        let earned = |rate: f64| rate * due.part * days(began_ms, now_ms).max(0.0);
        let budget = self.rate.map(|rate| (earned(rate) - too_much as f64).max(0.0) as u64);
        let Belief { changes, days } = *prior.belief();
        SiteFreshness {
            began_ms: now_ms,
            account: FreshnessReport { budget, ..FreshnessReport::default() },
            habits: Some([changes, days]),
        }
    }

    /// All sites of the round have one budget, so that it goes where it brings most.
    fn visit_what_pays(
        &mut self,
        frontier: &mut Frontier,
        due: &[Due],
        known: &[Known],
        candidates: &[Candidate],
        mut rounds: Vec<SiteFreshness>,
        now_ms: u64,
    ) -> Result<Vec<Expects>, FrontierError> {
        let budget =
            rounds.iter().filter_map(|round| round.account.budget).map(|bytes| bytes as f64).sum();
        let shortest = due.iter().filter_map(|due| due.period).reduce(f64::min);
        let since = |last: &SiteFreshness| days(last.began_ms, now_ms);
        let lasts = due.iter().filter_map(|due| self.sites.get(&due.name)).map(since);
        let period = shortest.or_else(|| lasts.reduce(f64::min)).unwrap_or(1.0);
        let chosen = choose(candidates, budget, period);
        let mut expected = vec![Expects::default(); due.len()];
        self.left_out.clear();
        for ((one, candidate), visits) in known.iter().zip(candidates).zip(&chosen.visits) {
            if *visits {
                frontier.ask_again(&one.resting)?;
                expected[one.site].add(candidate);
            } else {
                rounds[one.site].account.left_out += 1;
                self.leave_out(one);
            }
        }
        for (due, mut round) in due.iter().zip(rounds) {
            round.account.expected = Some(chosen.freshness);
            self.sites.insert(due.name.clone(), round);
        }
        Ok(expected)
    }

    fn leave_out(&mut self, one: &Known) {
        if let Some(Summary { visited_ms, fetch, .. }) = one.visit {
            let left = LeftOut { resting: one.resting, visited_ms, fetch };
            self.left_out.insert(one.resting.fingerprint, left);
        }
    }

    /// A sitemap or a feed says when a page was changed. If that was after our visit, and the page was left
    /// out, it is to be visited after all.
    pub fn hinted(&mut self, fingerprint: Fingerprint, lastmod_s: u32) -> Option<Resting> {
        let left = self.left_out.get(&fingerprint)?;
        if u64::from(lastmod_s) * 1000 <= left.visited_ms {
            return None;
        }
        let accounts = self.sites.values().map(|site| &site.account);
        let (bytes, budget) =
            accounts.fold((left.fetch as f64, 0.0), |(bytes, budget), account| {
                (bytes + account.bytes as f64, budget + account.budget.unwrap_or(0) as f64)
            });
        if bytes > (1.0 + HINTED) * budget {
            return None;
        }
        self.left_out.remove(&fingerprint).map(|left| left.resting)
    }

    /// One that was left out is visited after all.
    pub fn brought_back(&mut self, name: &str) {
        if let Some(site) = self.sites.get_mut(name) {
            site.account.left_out = site.account.left_out.saturating_sub(1);
        }
    }
}

/// What a site brings in a round, if its pages change as they did before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expects {
    pub pages: f64,
    pub bytes: f64,
}

impl Expects {
    fn add(&mut self, candidate: &Candidate) {
        self.pages += 1.0;
        self.bytes += candidate.cost();
    }
}

/// One settled URL of a site whose round begins.
struct Known {
    resting: Resting,
    site: usize,
    visit: Option<Summary>,
}

impl Known {
    /// Seeds and sitemaps lead to new pages, and of what was never seen nothing is known: they are visited
    /// in every round.
    fn candidate(&self, site: &Belief, now_ms: u64) -> Candidate {
        let named = self.resting.is_seed || self.resting.kind == UrlKind::Sitemap;
        let Some(visit) = self.visit.filter(|visit| visit.visits > 0) else {
            let page = Page { belief: *site, weight: 0.0, check: HEAD_BYTES, fetch: HEAD_BYTES };
            return Candidate { page, age: 0.0, always: true };
        };
        Candidate { page: visit.page(site), age: visit.age(now_ms), always: named }
    }
}

/// What the pages of each site are like, by what was seen of them, and was believed in the last round.
fn priors(before: Vec<Prior>, known: &[Known]) -> Vec<Prior> {
    let mut of_sites: Vec<Vec<Evidence>> = vec![Vec::new(); before.len()];
    for one in known {
        of_sites[one.site].extend(one.visit.map(|visit| visit.evidence));
    }
    let all: Vec<Evidence> = of_sites.iter().flatten().copied().collect();
    let steps = everywhere(before.first().copied().unwrap_or_default(), &all);
    let learn = |(prior, pages): (Prior, &Vec<Evidence>)| of_site(prior, pages, &steps);
    before.into_iter().zip(&of_sites).map(learn).collect()
}

fn sound([changes, days]: [f64; 2]) -> Option<Belief> {
    let is_sound = |x: f64| x.is_finite() && x > 0.0;
    (is_sound(changes) && is_sound(days)).then_some(Belief { changes, days })
}

fn or_usual(belief: Option<Belief>) -> Belief {
    belief.unwrap_or(*Prior::default().belief())
}
