use super::belief::Belief;
use super::evidence::Evidence;

/// What the pages of a site are like, learnt from those that were visited twice; what all sites are
/// like serves those of which little is known (empirical Bayes, in two layers).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    belief: Belief,
}

/// For how many pages of a site's own the wider belief counts.
pub const WIDER: f64 = 3.0;

impl Default for Prior {
    /// A web nobody has seen: a change in a month on average, most pages much slower and some much quicker.
    fn default() -> Prior {
        Prior { belief: Belief { changes: 0.3, days: 9.0 } }
    }
}

impl Prior {
    pub fn new(belief: Belief) -> Prior {
        Prior { belief }
    }

    pub fn belief(&self) -> &Belief {
        &self.belief
    }

    /// Comes nearer to what these pages show (one step of expectation maximisation: each page is believed
    /// as the prior and its visits say, and the prior becomes the one Gamma distribution nearest to all of
    /// them). Call it once in a while, such as daily; three or four times are enough.
    ///
    /// A site of few pages stays near to `wider`, the prior of all sites.
    pub fn learn<'a>(&mut self, pages: impl IntoIterator<Item = &'a Evidence>, wider: &Prior) {
        let (mut count, mut rates, mut logs) = (0.0, 0.0, 0.0);
        for page in pages.into_iter().filter(|page| page.days > 0.0) {
            let belief = page.belief(&self.belief);
            count += 1.0;
            rates += belief.rate();
            logs += belief.rate().ln() - belief.gap();
        }
        if count == 0.0 {
            self.belief = wider.belief;
            return;
        }
        let log = (rates / count).ln();
        let own = count / (count + WIDER);
        let mix = |own_value: f64, wide: f64| own * own_value + (1.0 - own) * wide;
        let mean = mix(log, wider.belief.rate().ln()).exp();
        let gap = mix(log - logs / count, wider.belief.gap());
        self.belief = Belief::of(mean, gap.min(WIDEST_GAP));
    }
}

/// No site is so mixed that its pages tell nothing of each other: a shape of a twentieth.
const WIDEST_GAP: f64 = 17.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of these rates, watched for so long.
    fn watched(rates: &[f64], days: f64) -> Vec<Evidence> {
        rates.iter().map(|rate| Evidence { changes: rate * days, days }).collect()
    }

    fn learnt(pages: &[Evidence], wider: &Prior) -> Prior {
        let mut prior = *wider;
        (0..30).for_each(|_| prior.learn(pages, wider));
        prior
    }

    #[test]
    fn pages_that_are_alike_make_a_sure_prior_with_their_mean() {
        let prior = learnt(&watched(&[0.5; 300], 100.0), &Prior::default());
        assert!((prior.belief().rate() / 0.5 - 1.0).abs() < 0.1, "{prior:?}");
        assert!(prior.belief().changes > 5.0, "{prior:?}");
    }

    #[test]
    fn pages_that_differ_make_a_doubtful_one() {
        let rates: Vec<f64> = (0..300).map(|n| 0.001 * 10_f64.powf(f64::from(n % 5))).collect();
        let prior = learnt(&watched(&rates, 1000.0), &Prior::default());
        assert!(prior.belief().changes < 0.5, "{prior:?}");
    }

    #[test]
    fn a_site_of_few_pages_is_like_the_others() {
        let wider = Prior::new(Belief { changes: 2.0, days: 20.0 });
        let mut none = Prior::default();
        none.learn(&[Evidence::default(); 9], &wider);
        assert_eq!(none, wider);
        let one = learnt(&watched(&[10.0], 100.0), &wider).belief().rate();
        assert!(one > 0.1 && one < 3.0, "{one}");
    }

    #[test]
    fn a_prior_is_sound_whatever_it_learns_from() {
        for changes in [0.0, 1e-9, 1e9] {
            for days in [1e-9, 1.0, 1e9] {
                let pages = [Evidence { changes, days }; 40];
                let Belief { changes, days } = *learnt(&pages, &Prior::default()).belief();
                assert!(changes > 0.0 && changes.is_finite() && days > 0.0 && days.is_finite());
            }
        }
    }
}
