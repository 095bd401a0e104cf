use weir_plan::refresh::{
    Belief, Habits, Limits, MEMORY, Page, Prior, Seen, Turns, for_budget, nearer,
};

use super::run::{Policy, Visit};
use super::web::Web;

/// weir's: what is believed of each page, and the queue of those that gain most for a byte.
pub struct Ours<'a> {
    web: &'a Web,
    budget: f64,
    left_out: Option<Learns>,
    everywhere: Prior,
    sites: Vec<Prior>,
    pages: Vec<Habits>,
    visited: Vec<f64>,
    limits: Limits,
    turns: Turns,
    now: f64,
}

/// The part of what is left over that is spent a day.
const MAKES_UP: f64 = 0.3;

/// Of expectation maximisation, a day.
const STEPS: usize = 3;

/// What can be left out, to see what it is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learns {
    /// Anything: the rates are known, and only the queue is weir's.
    Anything,
    /// What pages of a site have in common.
    Sites,
    /// How unsure a rate is: its mean is taken for the truth.
    Doubt,
    /// When a server says that a page has changed.
    Dates,
    /// That habits change.
    Forgetting,
}

impl Ours<'_> {
    pub fn new(web: &Web, budget: f64, left_out: Option<Learns>) -> Ours<'_> {
        let dates = left_out != Some(Learns::Dates);
        let first = |page: &super::Page| Habits::first((page.dated && dates).then_some(page.age));
        let mut ours = Ours {
            web,
            budget,
            left_out,
            everywhere: Prior::default(),
            sites: vec![Prior::default(); web.sites],
            pages: web.pages.iter().map(first).collect(),
            visited: vec![0.0; web.pages.len()],
            limits: Limits::NONE,
            turns: Turns::new(1.0, Limits::NONE),
            now: 0.0,
        };
        ours.learn();
        let all = ours.all();
        ours.limits = Limits::within(budget, &all);
        let price = for_budget(&all, budget, ours.limits).price;
        ours.turns = Turns::new(price, ours.limits);
        ours.line_up(price);
        ours
    }

    fn all(&self) -> Vec<Page> {
        (0..self.pages.len()).map(|id| self.page(id)).collect()
    }

    fn page(&self, id: usize) -> Page {
        let page = &self.web.pages[id];
        let belief = self.pages[id].belief(self.site(id));
        let belief = match self.left_out {
            Some(Learns::Anything) => Belief::known(page.rate(self.now)),
            Some(Learns::Doubt) => Belief::known(belief.rate()),
            _ => belief,
        };
        Page { belief, weight: page.weight, check: page.check, fetch: page.fetch }
    }

    fn site(&self, id: usize) -> &Belief {
        match self.left_out {
            Some(Learns::Sites) => self.everywhere.belief(),
            _ => self.sites[self.web.pages[id].site].belief(),
        }
    }

    /// What all pages are like, and those of each site.
    fn learn(&mut self) {
        let each = self.pages.len() / self.sites.len();
        for _ in 0..STEPS {
            self.everywhere.learn(self.pages.iter().map(Habits::evidence), &Prior::default());
            for (site, pages) in self.sites.iter_mut().zip(self.pages.chunks(each)) {
                site.learn(pages.iter().map(Habits::evidence), &self.everywhere);
            }
        }
    }

    /// All pages anew, by what is known now.
    fn line_up(&mut self, price: f64) {
        self.turns.begin(price);
        for id in 0..self.pages.len() {
            self.turns.add(id, &self.page(id), self.visited[id]);
        }
    }

    fn told(&self, seen: Seen) -> Seen {
        match (seen, self.left_out) {
            (Seen::ChangedAgo(_), Some(Learns::Dates)) => Seen::Changed,
            (seen, _) => seen,
        }
    }
}

impl Policy for Ours<'_> {
    fn due(&self) -> Option<f64> {
        self.turns.due()
    }

    fn take(&mut self) -> usize {
        self.turns.take().expect("a page is due")
    }

    fn visited(&mut self, visit: &Visit) {
        let id = visit.page;
        let forgets = self.left_out != Some(Learns::Forgetting);
        let memory = if forgets { MEMORY } else { f64::INFINITY };
        let (site, seen) = (*self.site(id), self.told(visit.seen));
        self.pages[id].observe(&site, visit.elapsed, seen, memory);
        self.visited[id] = visit.now;
        self.turns.add(id, &self.page(id), visit.now);
    }

    /// What was left over or spent too much is made up for in the days to come.
    fn new_day(&mut self, now: f64, left: f64) {
        self.now = now;
        self.learn();
        let budget = self.budget + MAKES_UP * left;
        let price =
            nearer(&self.all(), self.turns.price(), budget.max(0.5 * self.budget), self.limits);
        self.line_up(price);
    }
}
