use super::belief::Belief;
use super::evidence::{Evidence, Seen};

/// What is kept of a page: all that its visits have shown since it has its present habits.
///
/// A page that begins to change much more or much less often is followed by a second account, which knows
/// only what came of late. When it is likelier than not that the page has begun anew at its beginning, it
/// becomes the account, and all before is forgotten (Page's test for a change, with a rate that is learnt).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Habits {
    past: Evidence,
    recent: Evidence,
    /// How much likelier the visits of late are without the past than with it: the logarithm. Where it
    /// would fall below nought, what is recent begins again.
    surprise: f64,
}

/// How long a page keeps its habits, on average in days.
pub const MEMORY: f64 = 365.0;

impl Habits {
    /// After the first visit, if the server has said how many days ago the page changed last.
    pub fn first(changed_ago: Option<f64>) -> Habits {
        Habits { past: Evidence::first(changed_ago), ..Habits::default() }
    }

    /// As they were kept: what [`Habits::numbers`] told.
    pub fn restore([changes, days, late_changes, late_days, surprise]: [f64; 5]) -> Habits {
        let sound = |x: f64| if x.is_finite() { x.max(0.0) } else { 0.0 };
        Habits {
            past: Evidence { changes: sound(changes), days: sound(days) },
            recent: Evidence { changes: sound(late_changes), days: sound(late_days) },
            surprise: sound(surprise),
        }
    }

    /// All there is to keep.
    pub fn numbers(&self) -> [f64; 5] {
        let Habits { past, recent, surprise } = self;
        [past.changes, past.days, recent.changes, recent.days, *surprise]
    }

    /// What the page's visits have shown.
    pub fn evidence(&self) -> &Evidence {
        &self.past
    }

    /// What is believed of the page, its site being like this.
    pub fn belief(&self, site: &Belief) -> Belief {
        self.past.belief(site)
    }

    /// Learns from a visit, `elapsed` days after the one before. `memory` is how long habits last
    /// ([`MEMORY`]): the longer, the more it takes to forget.
    pub fn observe(&mut self, site: &Belief, elapsed: f64, seen: Seen, memory: f64) {
        if !(elapsed.is_finite() && elapsed > 0.0) {
            return;
        }
        let without = seen.likely(&self.recent.belief(site), elapsed);
        let with = seen.likely(&self.past.belief(site), elapsed);
        self.surprise += (without / with).ln();
        self.past.observe(site, elapsed, seen);
        if self.surprise > 0.0 {
            self.recent.observe(site, elapsed, seen);
        } else {
            (self.recent, self.surprise) = (Evidence::default(), 0.0);
        }
        let beforehand = -(-elapsed / memory).exp_m1();
        if self.surprise > ((1.0 - beforehand) / beforehand).ln() {
            *self = Habits { past: self.recent, ..Habits::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: Belief = Belief { changes: 0.5, days: 5.0 };

    fn used_to(changes: f64, days: f64) -> Habits {
        Habits::restore([changes, days, 0.0, 0.0, 0.0])
    }

    #[test]
    fn a_page_that_wakes_up_is_believed_soon() {
        let (mut forgets, mut never) = (used_to(1.0, 400.0), used_to(1.0, 400.0));
        for _ in 0..6 {
            forgets.observe(&SITE, 3.0, Seen::Changed, MEMORY);
            never.observe(&SITE, 3.0, Seen::Changed, f64::INFINITY);
        }
        assert!(never.belief(&SITE).rate() < 0.03, "{never:?}");
        assert!(forgets.belief(&SITE).rate() > 0.3, "{forgets:?}");
    }

    #[test]
    fn a_page_that_falls_asleep_is_believed_soon() {
        let mut page = used_to(60.0, 20.0);
        (0..8).for_each(|_| page.observe(&SITE, 1.0, Seen::Same, MEMORY));
        assert!(page.belief(&SITE).rate() < 0.3, "{page:?}");
    }

    #[test]
    fn a_page_that_keeps_its_habits_keeps_its_past() {
        let mut page = used_to(20.0, 20.0);
        for visit in 0..20 {
            let seen = if visit % 2 == 0 { Seen::Changed } else { Seen::Same };
            page.observe(&SITE, 0.7, seen, MEMORY);
        }
        assert!(page.evidence().days > 25.0, "{page:?}");
    }

    #[test]
    fn what_is_kept_is_all_there_is() {
        let mut page = Habits::first(Some(9.0));
        page.observe(&SITE, 1.0, Seen::Changed, MEMORY);
        assert_eq!(Habits::restore(page.numbers()), page);
        let spoiled = Habits::restore([f64::NAN, f64::INFINITY, -1.0, 2.0, 3.0]);
        assert!(spoiled.belief(&SITE).rate().is_finite());
    }
}
