//! How much a site has, as far as can be told: before anything was fetched from what was fetched
//! another time, after that better and better from what is found.
//!
//! The number of pages is those known, and those that nobody has linked to yet: where one link in
//! five leads to something new, about a fifth of the pages is not known. What the pages bring is
//! taken from those that were fetched.

/// Bytes that a site brings in all, what came included. The truth is between `low` and `high` in
/// nine of ten cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    pub bytes: f64,
    pub low: f64,
    pub high: f64,
    pub pages: f64,
    pub basis: Basis,
}

/// What a forecast rests on, mainly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The user says so.
    Given,
    /// Earlier crawls of the site.
    History,
    /// What its sitemaps list.
    Sitemap,
    /// The pages fetched so far, and their links.
    Sample,
}

impl Basis {
    pub fn name(self) -> &'static str {
        match self {
            Basis::Given => "given",
            Basis::History => "history",
            Basis::Sitemap => "sitemap",
            Basis::Sample => "sample",
        }
    }
}

/// What was seen of a site so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// URLs that were asked for and settled, and what came of them.
    pub fetched: Sum,
    /// URLs found, those fetched included.
    pub known: f64,
    /// Of these, how many a sitemap lists.
    pub listed: f64,
    /// Links of the pages fetched lately, and how many of them led to something new.
    pub links: f64,
    pub new: f64,
    /// The sum over these links of how many URLs were known when each was seen.
    pub among: f64,
}

impl Seen {
    /// A page with so many links, of which so many are new. What links tell fades with each page, so
    /// that the end of a site is not hidden by its beginning.
    pub fn follow(&mut self, links: f64, new: f64) {
        self.links = self.links * FADE + links;
        self.new = self.new * FADE + new;
        self.among = self.among * FADE + links * (self.known + new / 2.0);
        self.known += new;
    }
}

const FADE: f64 = 0.95;

/// Sums over pages: their number, their bytes, and the squares of these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    pub pages: f64,
    pub bytes: f64,
    pub squares: f64,
}

/// What is known of the site from another time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Earlier {
    pub pages: f64,
    pub bytes: f64,
    /// How wrong that may be today (a standard deviation, as a part of it).
    pub doubt: f64,
    /// All of it was crawled then, rather than a sample.
    pub whole: bool,
}

impl Earlier {
    pub fn crawled(pages: f64, bytes: f64) -> Earlier {
        Earlier { pages, bytes, doubt: DRIFT, whole: true }
    }

    /// A forecast that was made from a sample.
    pub fn sampled(forecast: &Forecast) -> Earlier {
        let Forecast { bytes, low, high, pages, .. } = *forecast;
        let spread = (high / low.max(1.0)).max(1.0).ln() / (2.0 * BAND);
        Earlier { pages, bytes, doubt: spread.max(DRIFT), whole: false }
    }
}

/// What a site may bring at the most, because it was told so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Most {
    pub pages: f64,
    pub bytes: f64,
}

impl Default for Most {
    fn default() -> Most {
        Most { pages: f64::INFINITY, bytes: f64::INFINITY }
    }
}

impl Sum {
    pub fn add(&mut self, bytes: f64) {
        self.pages += 1.0;
        self.bytes += bytes;
        self.squares += bytes * bytes;
    }

    fn mean(&self) -> Option<f64> {
        (self.pages > 0.0).then(|| self.bytes / self.pages)
    }

    /// The standard deviation as a part of the mean; of few pages it says little.
    fn variation(&self) -> f64 {
        let Some(mean) = self.mean().filter(|mean| *mean > 0.0) else { return USUAL_VARIATION };
        let variance = (self.squares / self.pages - mean * mean).max(0.0);
        // A few pages seldom show how large the largest are.
        let seen = variance.sqrt() / mean * LONG_TAIL;
        (seen * self.pages + USUAL_VARIATION * FEW) / (self.pages + FEW)
    }
}

/// Nine of ten cases lie within so many standard deviations.
const BAND: f64 = 1.65;
/// Of sizes of pages, before any is known.
const USUAL_VARIATION: f64 = 1.0;
const USUAL_PAGE: f64 = 30_000.0;
const LONG_TAIL: f64 = 1.15;
/// So many pages are few.
const FEW: f64 = 8.0;
/// How much a site changes from one crawl to the next.
const DRIFT: f64 = 0.1;
/// Pages of an earlier crawl count for as much as so many of this one.
const REMEMBERED: f64 = 50.0;
/// More than so many times of what is known is not believed.
const MOST_UNKNOWN: f64 = 40.0;
/// How wrong the guess of what is not known may be, as a part of it.
const GUESS: f64 = 0.85;

/// The best that can be said.
pub fn forecast(seen: &Seen, earlier: Option<Earlier>, most: Most) -> Forecast {
    let fetched = seen.fetched;
    let (pages, doubt) = count(seen, earlier);
    let pages = pages.min(most.pages).max(fetched.pages);
    let left = pages - fetched.pages;
    let page = page(&fetched, earlier);
    let rest = left * page.mean;
    // Of thousands of sites this is worked out every second.
    let factor = (both(page.error(left), doubt * pages / left.max(1.0)) * BAND).exp();
    let at = |factor: f64| (fetched.bytes + rest * factor).min(most.bytes.max(fetched.bytes));
    Forecast {
        bytes: at(1.0),
        low: at(1.0 / factor),
        high: at(factor),
        pages,
        basis: basis(seen, earlier),
    }
}

/// Two errors that have nothing to do with each other, together. (`hypot` minds numbers that are out of all bounds.)
fn both(one: f64, other: f64) -> f64 {
    (one * one + other * other).sqrt()
}

/// What the user says, unless more came already.
pub fn given(bytes: f64, seen: &Seen) -> Forecast {
    let bytes = bytes.max(seen.fetched.bytes);
    Forecast { bytes, low: bytes, high: bytes, pages: seen.known, basis: Basis::Given }
}

/// The number of pages, and its standard deviation as a part of it.
fn count(seen: &Seen, earlier: Option<Earlier>) -> (f64, f64) {
    if seen.fetched.pages > 0.0 && seen.known <= seen.fetched.pages {
        return (seen.fetched.pages, 0.0);
    }
    // Before the first links are seen, as if one had been known and one new.
    let new = ((seen.new + 1.0) / (seen.links + 2.0)).min(1.0 - 1.0 / MOST_UNKNOWN);
    // That part was not known when the links were seen, which is less than is known by now.
    let knew = if seen.links > 0.0 { seen.among / seen.links } else { seen.known };
    let found = (knew / (1.0 - new)).max(seen.known);
    let chance = (new * (1.0 - new) / (seen.links + 2.0)).sqrt() / (1.0 - new);
    let doubt = both(chance, GUESS * new);
    match earlier {
        None => (found, doubt),
        Some(earlier) => {
            // The more of it is done, the more the present says.
            let past = (1.0 - seen.fetched.pages / earlier.pages.max(1.0)).clamp(0.0, 1.0);
            let pages = past * earlier.pages + (1.0 - past) * found;
            (pages.max(seen.known), past * earlier.doubt + (1.0 - past) * doubt)
        }
    }
}

/// What a page brings on average.
struct Page {
    mean: f64,
    /// Pages that this was learnt from.
    pages: f64,
    /// Their standard deviation, as a part of the mean.
    variation: f64,
}

impl Page {
    /// How far the sum of so many pages may be from what the mean says, as a part of it: because the
    /// mean is not exact, and because those to come have sizes of their own.
    fn error(&self, left: f64) -> f64 {
        self.variation * (1.0 / self.pages.max(1e-3) + 1.0 / left.max(1.0)).sqrt()
    }
}

fn page(fetched: &Sum, earlier: Option<Earlier>) -> Page {
    let before = earlier.filter(|earlier| earlier.pages > 0.0);
    let (weight, usual) = match before {
        Some(earlier) => (earlier.pages.min(REMEMBERED), earlier.bytes / earlier.pages),
        None => (1.0 / (1.0 + fetched.pages), USUAL_PAGE),
    };
    let pages = fetched.pages + weight;
    let mean = (fetched.bytes + usual * weight) / pages;
    // The sum of an earlier crawl is of all pages, whatever their sizes.
    let whole = before.is_some_and(|before| before.whole && fetched.pages < before.pages / 2.0);
    let variation = if whole { 0.0 } else { fetched.variation() };
    Page { mean, pages, variation }
}

fn basis(seen: &Seen, earlier: Option<Earlier>) -> Basis {
    match earlier {
        Some(earlier) if earlier.whole && seen.fetched.pages < earlier.pages / 2.0 => {
            Basis::History
        }
        _ if seen.listed > seen.known / 2.0 => Basis::Sitemap,
        _ => Basis::Sample,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of all sizes, each with links to any others.
    struct Web {
        sizes: Vec<f64>,
        links: Vec<Vec<usize>>,
    }

    fn web(lot: &mut fastrand::Rng) -> Web {
        let pages = 10f64.powf(1.5 + 2.0 * lot.f64()) as usize;
        let spread = lot.f64() * 1.2;
        let normal = |lot: &mut fastrand::Rng| (0..12).map(|_| lot.f64()).sum::<f64>() - 6.0;
        let sizes = (0..pages).map(|_| 20_000.0 * (spread * normal(lot)).exp()).collect();
        let degree = lot.usize(4..40);
        let links = (0..pages)
            .map(|page| {
                // So that all can be reached.
                let next = std::iter::once((page + 1) % pages);
                next.chain((0..degree).map(|_| lot.usize(..pages))).collect()
            })
            .collect();
        Web { sizes, links }
    }

    impl Web {
        fn bytes(&self) -> f64 {
            self.sizes.iter().sum()
        }

        /// What is seen when so many pages were fetched, breadth first.
        fn seen(&self, fetch: usize) -> Seen {
            let mut seen = Seen::default();
            let mut queue = std::collections::VecDeque::from([0]);
            let mut known = vec![false; self.sizes.len()];
            known[0] = true;
            seen.known = 1.0;
            for _ in 0..fetch {
                let Some(page) = queue.pop_front() else { break };
                seen.fetched.add(self.sizes[page]);
                let before = queue.len();
                for link in &self.links[page] {
                    if !std::mem::replace(&mut known[*link], true) {
                        queue.push_back(*link);
                    }
                }
                seen.follow(self.links[page].len() as f64, (queue.len() - before) as f64);
            }
            seen
        }
    }

    /// Errors as parts of the truth, and how often the band held it.
    fn trial(fetch: impl Fn(usize) -> usize) -> (f64, f64) {
        let mut lot = fastrand::Rng::with_seed(6);
        let mut errors = Vec::new();
        let mut held = 0;
        for _ in 0..400 {
            let web = web(&mut lot);
            let seen = web.seen(fetch(web.sizes.len()));
            let told = forecast(&seen, None, Most::default());
            assert!(told.low <= told.bytes && told.bytes <= told.high);
            errors.push((told.bytes / web.bytes() - 1.0).abs());
            held += usize::from((told.low..=told.high).contains(&web.bytes()));
        }
        errors.sort_by(f64::total_cmp);
        (errors[200], f64::from(held as u32) / 400.0)
    }

    #[test]
    fn half_of_a_site_tells_the_whole_within_a_few_percent_and_the_band_holds() {
        let (error, held) = trial(|pages| pages / 2);
        assert!(error < 0.05 && held > 0.9, "{error} {held}");
    }

    #[test]
    fn a_small_sample_is_honest_about_what_it_does_not_know() {
        for pages in [1, 3, 5, 10, 20, 60] {
            let (error, held) = trial(|_| pages);
            println!("{pages} pages: median error {error:.2}, band holds {held:.2}");
            assert!(held > 0.85, "{pages} pages: {error} {held}");
        }
    }

    #[test]
    fn twenty_pages_tell_the_whole_within_some_percent() {
        let (error, _) = trial(|_| 20);
        assert!(error < 0.15, "{error}");
    }

    #[test]
    fn what_was_crawled_before_is_the_best_guess_until_half_of_it_has_come() {
        let earlier = Some(Earlier::crawled(1000.0, 2e7));
        let seen = Seen { known: 1.0, ..Seen::default() };
        let told = forecast(&seen, earlier, Most::default());
        assert_eq!((told.bytes, told.basis), (2e7, Basis::History));
        assert!(told.low > 1.5e7 && told.high < 2.6e7, "{told:?}");
        // It has grown.
        let fetched = Sum { pages: 900.0, bytes: 1.8e7, squares: 900.0 * 4e8 };
        let seen =
            Seen { fetched, known: 2000.0, links: 300.0, new: 1.0, among: 6e5, ..Seen::default() };
        let told = forecast(&seen, earlier, Most::default());
        assert!(told.bytes > 3.5e7 && told.basis == Basis::Sample, "{told:?}");
    }

    #[test]
    fn a_sitemap_counts_what_links_have_not_shown_yet() {
        let mut fetched = Sum::default();
        (0..10).for_each(|_| fetched.add(20_000.0));
        let seen =
            Seen { fetched, known: 5000.0, listed: 4990.0, links: 300.0, new: 0.0, among: 1.5e6 };
        let told = forecast(&seen, None, Most::default());
        assert_eq!(told.basis, Basis::Sitemap);
        assert!((told.bytes / 1e8 - 1.0).abs() < 0.1, "{told:?}");
    }

    #[test]
    fn limits_bound_what_is_expected_and_nothing_known_is_no_number_gone_wrong() {
        let seen = Seen { known: 1.0, ..Seen::default() };
        let told = forecast(&seen, None, Most { pages: 10.0, bytes: 1000.0 });
        assert_eq!((told.bytes, told.high), (1000.0, 1000.0));
        let told = forecast(&Seen::default(), None, Most::default());
        assert!(told.bytes.is_finite() && told.high.is_finite(), "{told:?}");
        let told = forecast(&seen, Some(Earlier::crawled(0.0, 0.0)), Most::default());
        assert!(told.bytes.is_finite() && told.bytes >= 0.0, "{told:?}");
        assert_eq!(given(500.0, &seen).bytes, 500.0);
    }
}
