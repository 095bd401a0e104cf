//! What came in the last minutes, of all sites together and of each.

use std::collections::VecDeque;

use serde::Serialize;
use utoipa::ToSchema;

/// The largest sites that have a line of their own.
const LARGEST: usize = 12;
pub const LONGEST_S: u32 = 7_200;

/// Two records of different length: seconds, and tens of seconds.
pub struct Rates {
    fine: Record,
    coarse: Record,
    names: Vec<String>,
    /// Bytes of each site when it was last looked at, and what that makes a second by now.
    before: Vec<(u64, f64)>,
}

struct Record {
    step_s: u32,
    most: usize,
    /// The number of the last whole step.
    last: u64,
    totals: VecDeque<(f64, Option<u64>)>,
    /// Of each site, what came in the steps in which something came.
    sites: Vec<VecDeque<(u64, f64)>>,
    /// What is not a whole step yet.
    open_s: f64,
    open: Vec<f64>,
    /// How far time is ahead of the last step; below zero by a moment at times, since nobody looks to the moment.
    ahead_s: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Told {
    pub step_s: u32,
    pub limit: Vec<Option<u64>>,
    pub total: Vec<u64>,
    pub sites: Vec<OfSite>,
    pub others: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct OfSite {
    pub site: String,
    pub rates: Vec<u64>,
}

const A_MOMENT_S: f64 = 0.1;
/// How much the newest second counts in the rate that is shown.
const NEWEST: f64 = 0.4;

impl Default for Rates {
    fn default() -> Rates {
        Rates {
            fine: Record::new(1, 600),
            coarse: Record::new(10, 720),
            names: Vec::new(),
            before: Vec::new(),
        }
    }
}

impl Rates {
    /// `sites` are names and bytes until now, `seconds` have passed since the last time. Returns what comes
    /// from each a second, evened out a little.
    pub fn put<'a>(
        &mut self,
        sites: impl Iterator<Item = (&'a str, u64)>,
        limit: Option<u64>,
        total: f64,
        seconds: f64,
    ) -> Vec<f64> {
        let mut came = Vec::new();
        for (at, (name, bytes)) in sites.enumerate() {
            if self.names.get(at).is_some_and(|known| known != name) {
                *self = Rates::default();
            }
            if at >= self.names.len() {
                self.names.push(name.to_owned());
                self.before.push((bytes, 0.0));
            }
            let (before, rate) = &mut self.before[at];
            let new = bytes.saturating_sub(*before) as f64;
            if seconds > 0.0 {
                let newest = 1.0 - (1.0 - NEWEST).powf(seconds);
                *rate += (new / seconds - *rate) * newest;
            }
            *before = bytes;
            came.push(new);
        }
        if seconds > 0.0 {
            self.fine.put(&came, limit, total, seconds);
            self.coarse.put(&came, limit, total, seconds);
        }
        self.before.iter().map(|(_, rate)| *rate).collect()
    }

    pub fn tell(&self, seconds: u32) -> Told {
        let record = if seconds <= 600 { &self.fine } else { &self.coarse };
        record.tell((seconds / record.step_s).max(1) as usize, &self.names)
    }
}

impl Record {
    fn new(step_s: u32, most: usize) -> Record {
        Record {
            step_s,
            most,
            last: 0,
            totals: VecDeque::new(),
            sites: Vec::new(),
            open_s: 0.0,
            open: Vec::new(),
            ahead_s: 0.0,
        }
    }

    fn put(&mut self, came: &[f64], limit: Option<u64>, total: f64, seconds: f64) {
        self.open.resize(came.len(), 0.0);
        self.sites.resize_with(came.len(), VecDeque::new);
        self.open.iter_mut().zip(came).for_each(|(open, new)| *open += new);
        self.open_s += seconds;
        self.ahead_s += seconds;
        let step = f64::from(self.step_s);
        // Whoever was late by some steps has them all alike.
        let steps = ((self.ahead_s + A_MOMENT_S) / step) as u64;
        if steps == 0 {
            return;
        }
        self.ahead_s -= steps as f64 * step;
        for _ in 0..steps.min(self.most as u64) {
            self.last += 1;
            self.totals.push_back((total, limit));
            for (site, open) in self.sites.iter_mut().zip(&self.open) {
                if *open > 0.0 {
                    site.push_back((self.last, open / self.open_s));
                }
            }
        }
        self.forget();
        self.open_s = 0.0;
        self.open.iter_mut().for_each(|open| *open = 0.0);
    }

    fn forget(&mut self) {
        while self.totals.len() > self.most {
            self.totals.pop_front();
        }
        let first = self.last.saturating_sub(self.most as u64);
        for site in &mut self.sites {
            while site.front().is_some_and(|(step, _)| *step <= first) {
                site.pop_front();
            }
        }
    }

    fn tell(&self, steps: usize, names: &[String]) -> Told {
        let steps = steps.min(self.totals.len());
        let first = self.last - steps as u64;
        let lines: Vec<Vec<f64>> = self.sites.iter().map(|site| line(site, first, steps)).collect();
        let sum = |at: &usize| -> f64 { lines[*at].iter().sum() };
        let mut order: Vec<usize> = (0..lines.len()).filter(|at| sum(at) > 0.0).collect();
        order.sort_by(|one, other| sum(other).total_cmp(&sum(one)));
        let (largest, rest) = order.split_at(order.len().min(LARGEST));
        let mut others = vec![0.0; steps];
        for at in rest {
            others.iter_mut().zip(&lines[*at]).for_each(|(sum, rate)| *sum += rate);
        }
        let whole = |line: &[f64]| line.iter().map(|rate| rate.round() as u64).collect();
        let totals = self.totals.iter().skip(self.totals.len() - steps);
        Told {
            step_s: self.step_s,
            limit: totals.clone().map(|(_, limit)| *limit).collect(),
            total: totals.map(|(total, _)| total.round() as u64).collect(),
            sites: largest
                .iter()
                .map(|at| OfSite { site: names[*at].clone(), rates: whole(&lines[*at]) })
                .collect(),
            others: whole(&others),
        }
    }
}

fn line(site: &VecDeque<(u64, f64)>, first: u64, steps: usize) -> Vec<f64> {
    let mut line = vec![0.0; steps];
    for (step, rate) in site.iter().filter(|(step, _)| *step > first) {
        line[(step - first - 1) as usize] = *rate;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(rates: &mut Rates, bytes: &[u64], seconds: f64) -> Vec<f64> {
        let names: Vec<String> = (0..bytes.len()).map(|at| format!("s{at}")).collect();
        let sites = names.iter().map(String::as_str).zip(bytes.iter().copied());
        rates.put(sites, Some(100), 50.0, seconds)
    }

    #[test]
    fn each_second_has_what_came_in_it() {
        let mut rates = Rates::default();
        put(&mut rates, &[1000, 0], 0.0);
        put(&mut rates, &[1010, 30], 1.0);
        put(&mut rates, &[1010, 90], 2.0);
        let told = rates.tell(600);
        assert_eq!((told.step_s, told.total.as_slice()), (1, &[50, 50, 50][..]));
        assert_eq!(told.limit, [Some(100); 3]);
        let line =
            |name: &str| told.sites.iter().find(|site| site.site == name).unwrap().rates.clone();
        assert_eq!(line("s1"), [30, 30, 30], "two seconds at once are the same each");
        assert_eq!(line("s0"), [10, 0, 0], "what was there before nobody looked has not come now");
        assert_eq!(rates.tell(2).total.len(), 2);
    }

    #[test]
    fn no_more_is_kept_than_is_told_and_the_small_ones_are_others() {
        let mut rates = Rates::default();
        let many = |by: u64| -> Vec<u64> { (0..30).map(|at| by * (at + 1)).collect() };
        (0..700).for_each(|second| {
            drop(put(&mut rates, &many(second), f64::from(second.min(1) as u32)))
        });
        let told = rates.tell(600);
        assert_eq!((told.total.len(), told.sites.len()), (600, LARGEST));
        assert_eq!(told.sites[0].site, "s29");
        assert_eq!(told.others[5], (1..=18).sum::<u64>());
        assert_eq!(rates.tell(7200).total.len(), 69, "tens of seconds");
        assert!(rates.fine.sites.iter().all(|site| site.len() <= 600));
    }

    #[test]
    fn the_rate_that_is_shown_follows_within_seconds() {
        let mut rates = Rates::default();
        put(&mut rates, &[0], 0.0);
        let shown: Vec<f64> =
            (1..=8).map(|second| put(&mut rates, &[second * 100], 1.0)[0]).collect();
        assert!(shown[0] < 50.0 && shown[7] > 95.0, "{shown:?}");
    }
}
