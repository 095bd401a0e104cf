use super::belief::Belief;

/// What visits of a page have shown.
///
/// It is kept apart from what is believed of its site and added to that when it is asked for, so a
/// page profits from whatever is learnt of its neighbours later on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    pub changes: f64,
    pub days: f64,
}

/// What a visit has found, compared with the visit before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    Same,
    /// At least once, nobody knows when.
    Changed,
    /// As often as it did, the last time was so many days ago: Last-Modified, or lastmod of a sitemap.
    ChangedAgo(f64),
}

impl Evidence {
    /// After the first visit, if the server has said how many days ago the page changed last.
    pub fn first(changed_ago: Option<f64>) -> Evidence {
        match changed_ago {
            Some(ago) if ago > JUST_NOW && ago.is_finite() => Evidence { changes: 1.0, days: ago },
            _ => Evidence::default(),
        }
    }

    /// What is believed of the page, its site being like this.
    pub fn belief(&self, site: &Belief) -> Belief {
        Belief { changes: site.changes + self.changes, days: site.days + self.days }
    }

    /// Learns from a visit, `elapsed` days after the one before.
    ///
    /// - The same: no change in so many days.
    /// - A change with a date: one change, and none in the days since. What was before the last change
    ///   is not known and tells nothing.
    /// - A change without a date: what [`Belief::changed_within`] adds, which is less than one change.
    pub fn observe(&mut self, site: &Belief, elapsed: f64, seen: Seen) {
        if !(elapsed.is_finite() && elapsed > 0.0) {
            return;
        }
        match seen.believable(elapsed) {
            Seen::Same => self.days += elapsed,
            Seen::ChangedAgo(ago) => self.add(1.0, ago),
            Seen::Changed => {
                let before = self.belief(site);
                let after = before.changed_within(elapsed);
                self.add(after.changes - before.changes, after.days - before.days);
            }
        }
    }

    /// A later change can make earlier days count for less, but never for less than nothing.
    fn add(&mut self, changes: f64, days: f64) {
        self.changes = (self.changes + changes).max(0.0);
        self.days = (self.days + days).max(0.0);
    }
}

/// A date nearer than this part of a day (about ten seconds) is that of the answer, not of the page.
const JUST_NOW: f64 = 1e-4;

impl Seen {
    /// A date before the last visit, in the future, or of this very moment is not the page's.
    pub(super) fn believable(self, elapsed: f64) -> Seen {
        match self {
            Seen::ChangedAgo(ago) if !(ago > JUST_NOW && ago <= elapsed) => Seen::Changed,
            other => other,
        }
    }

    /// How likely this is, or how dense.
    pub(super) fn likely(self, belief: &Belief, elapsed: f64) -> f64 {
        match self {
            Seen::Same => belief.same_after(elapsed),
            Seen::Changed => 1.0 - belief.same_after(elapsed),
            Seen::ChangedAgo(ago) => belief.first_change_at(ago),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: Belief = Belief { changes: 0.5, days: 5.0 };

    fn after(visits: &[(f64, Seen)]) -> Evidence {
        let mut evidence = Evidence::default();
        for &(elapsed, seen) in visits {
            evidence.observe(&SITE, elapsed, seen);
        }
        evidence
    }

    #[test]
    fn a_page_never_seen_twice_is_like_its_site() {
        assert_eq!(Evidence::default().belief(&SITE), SITE);
        assert_eq!(Evidence::first(None), Evidence::default());
        assert_eq!(Evidence::first(Some(40.0)), Evidence { changes: 1.0, days: 40.0 });
    }

    #[test]
    fn days_without_a_change_add_up_whatever_the_visits() {
        let one = after(&[(12.0, Seen::Same)]);
        let three = after(&[(1.0, Seen::Same), (10.0, Seen::Same), (1.0, Seen::Same)]);
        assert_eq!((one.changes, one.days), (three.changes, three.days));
        assert_eq!((one.changes, one.days), (0.0, 12.0));
    }

    #[test]
    fn a_date_tells_more_than_a_change() {
        let dated = after(&[(10.0, Seen::ChangedAgo(2.0))]);
        assert_eq!((dated.changes, dated.days), (1.0, 2.0));
        let undated = after(&[(10.0, Seen::Changed)]);
        assert!(undated.changes < 0.9, "{undated:?}");
    }

    #[test]
    fn a_date_that_cannot_be_is_no_date() {
        let undated = after(&[(10.0, Seen::Changed)]);
        for ago in [0.0, -3.0, 10.5, 1e-6, f64::NAN, f64::INFINITY] {
            assert_eq!(after(&[(10.0, Seen::ChangedAgo(ago))]), undated, "{ago}");
        }
    }

    #[test]
    fn a_visit_in_no_time_tells_nothing() {
        for elapsed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(after(&[(elapsed, Seen::Changed)]), Evidence::default(), "{elapsed}");
        }
    }
}
