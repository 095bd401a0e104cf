//! The most that can be delivered in time, for any cap, highest rates and release times.
//!
//! A flow from sites to the intervals between releases, deadlines and changes of the cap (Horn's
//! network). Exact, and slower than the sweeps of `needed` and `level`: for release times together
//! with highest rates there is nothing simpler.

use crate::level::Interval;
use crate::{Cap, Site};

/// Reservations that deliver as much as can be by each site's `due`, and how much that is.
pub fn most_in_time(sites: &[Site], due: &[f64], cap: &Cap) -> (Vec<Interval>, f64) {
    let mut network = Network::new(sites, due, cap);
    network.set_cap(cap);
    let volume = network.fill();
    (network.intervals(), volume)
}

/// The least factor on the cap that keeps every `due`; infinite if none does.
///
/// Where a factor is too small, the cut that shows it says how large it must be for that cut; the
/// largest over all cuts is reached after a few of them.
pub fn least_scale(sites: &[Site], due: &[f64], cap: &Cap) -> f64 {
    let mut network = Network::new(sites, due, cap);
    let wanted: f64 = network.sizes.iter().sum();
    let mut scale = wanted * 1e-3 / cap.volume_until(network.edges.last().copied().unwrap_or(0.0));
    if wanted == 0.0 {
        return 0.0;
    }
    if !scale.is_finite() {
        return f64::INFINITY;
    }
    for _ in 0..200 {
        network.set_cap(&cap.scaled(scale));
        network.fill();
        let next = network.scale_of_cut(cap);
        if next <= scale * (1.0 + 1e-12) {
            return scale;
        }
        if next == f64::INFINITY {
            return next;
        }
        scale = next;
    }
    scale
}

struct Network {
    /// The sites that want something by a time, and their sizes.
    sites: Vec<usize>,
    sizes: Vec<f64>,
    edges: Vec<f64>,
    /// For each site the intervals it may use, the most it can take in each, and what it takes.
    spans: Vec<std::ops::Range<usize>>,
    rate: Vec<f64>,
    taken: Vec<Vec<f64>>,
    /// What each interval lets pass, and what passes.
    room: Vec<f64>,
    used: Vec<f64>,
    left: Vec<f64>,
    tiny: f64,
}

impl Network {
    fn new(all: &[Site], due: &[f64], cap: &Cap) -> Network {
        let sites: Vec<usize> =
            (0..all.len()).filter(|&site| all[site].size > 0.0 && due[site].is_finite()).collect();
        let times = sites.iter().flat_map(|&site| [all[site].release, due[site].max(0.0)]);
        let releases = all.iter().map(|site| site.release);
        let mut edges: Vec<f64> = times.chain(releases).chain(cap.changes()).chain([0.0]).collect();
        edges.sort_by(f64::total_cmp);
        edges.dedup();
        let at = |time: f64| edges.partition_point(|&edge| edge < time);
        let span = |&site: &usize| at(all[site].release)..at(due[site]).max(at(all[site].release));
        let spans: Vec<_> = sites.iter().map(span).collect();
        let sizes: Vec<f64> = sites.iter().map(|&site| all[site].size).collect();
        Network {
            rate: sites.iter().map(|&site| all[site].max_rate).collect(),
            taken: spans.iter().map(|span| vec![0.0; span.len()]).collect(),
            room: vec![0.0; edges.len() - 1],
            used: vec![0.0; edges.len() - 1],
            left: sizes.clone(),
            tiny: sizes.iter().sum::<f64>() * 1e-13,
            sites,
            sizes,
            edges,
            spans,
        }
    }

    /// Sets what the intervals let pass; what flows already goes on flowing, so caps may only grow.
    fn set_cap(&mut self, cap: &Cap) {
        for (room, pair) in self.room.iter_mut().zip(self.edges.windows(2)) {
            *room = cap.at(pair[0]) * (pair[1] - pair[0]);
        }
    }

    fn length(&self, interval: usize) -> f64 {
        self.edges[interval + 1] - self.edges[interval]
    }

    /// Pushes more until nothing more goes: each time along the shortest ways there are.
    fn fill(&mut self) -> f64 {
        while let Some(levels) = self.levels() {
            let mut next = vec![0; self.sites.len()];
            let mut next_back = vec![0; self.room.len()];
            for site in 0..self.sites.len() {
                while self.left[site] > self.tiny {
                    let pushed =
                        self.push(site, self.left[site], &levels, &mut next, &mut next_back);
                    if pushed <= self.tiny {
                        break;
                    }
                    self.left[site] -= pushed;
                }
            }
        }
        self.sizes.iter().sum::<f64>() - self.left.iter().sum::<f64>()
    }

    /// How far sites and intervals are from a site with something left; nothing if no interval
    /// with room can be reached.
    fn levels(&self) -> Option<Levels> {
        let mut levels = self.reach();
        let found = (0..self.room.len())
            .filter(|&interval| self.room[interval] - self.used[interval] > self.tiny)
            .map(|interval| levels.interval[interval])
            .min()?;
        levels.last = found;
        (found != FAR).then_some(levels)
    }

    fn reach(&self) -> Levels {
        let mut levels = Levels {
            site: vec![FAR; self.sites.len()],
            interval: vec![FAR; self.room.len()],
            last: FAR,
        };
        let mut front: Vec<usize> =
            (0..self.sites.len()).filter(|&site| self.left[site] > self.tiny).collect();
        for &site in &front {
            levels.site[site] = 0;
        }
        let mut depth = 0;
        while !front.is_empty() {
            let mut reached = Vec::new();
            for &site in &front {
                for interval in self.spans[site].clone() {
                    if levels.interval[interval] == FAR && self.spare(site, interval) > self.tiny {
                        levels.interval[interval] = depth + 1;
                        reached.push(interval);
                    }
                }
            }
            front.clear();
            for site in 0..self.sites.len() {
                let gives_back = |&interval: &usize| {
                    self.spans[site].contains(&interval)
                        && self.taken_at(site, interval) > self.tiny
                };
                if levels.site[site] == FAR && reached.iter().any(gives_back) {
                    levels.site[site] = depth + 2;
                    front.push(site);
                }
            }
            depth += 2;
        }
        levels
    }

    fn spare(&self, site: usize, interval: usize) -> f64 {
        self.rate[site] * self.length(interval) - self.taken_at(site, interval)
    }

    fn taken_at(&self, site: usize, interval: usize) -> f64 {
        self.taken[site][interval - self.spans[site].start]
    }

    /// Pushes up to `most` from a site along ever higher levels into an interval with room.
    fn push(
        &mut self,
        site: usize,
        most: f64,
        levels: &Levels,
        next: &mut [usize],
        next_back: &mut [usize],
    ) -> f64 {
        let span = self.spans[site].clone();
        while next[site] < span.len() {
            let interval = span.start + next[site];
            let spare = self.spare(site, interval).min(most);
            if spare > self.tiny && levels.interval[interval] == levels.site[site] + 1 {
                let pushed = self.pass(interval, spare, levels, next, next_back);
                if pushed > self.tiny {
                    self.taken[site][interval - span.start] += pushed;
                    return pushed;
                }
            }
            next[site] += 1;
        }
        0.0
    }

    fn pass(
        &mut self,
        interval: usize,
        most: f64,
        levels: &Levels,
        next: &mut [usize],
        next_back: &mut [usize],
    ) -> f64 {
        let room = self.room[interval] - self.used[interval];
        if room > self.tiny {
            let pushed = room.min(most);
            self.used[interval] += pushed;
            return pushed;
        }
        if levels.interval[interval] >= levels.last {
            return 0.0;
        }
        while next_back[interval] < self.sites.len() {
            let site = next_back[interval];
            if self.spans[site].contains(&interval)
                && levels.site[site] == levels.interval[interval] + 1
                && self.taken_at(site, interval) > self.tiny
            {
                let back = self.taken_at(site, interval).min(most);
                let pushed = self.push(site, back, levels, next, next_back);
                if pushed > self.tiny {
                    let start = self.spans[site].start;
                    self.taken[site][interval - start] -= pushed;
                    return pushed;
                }
            }
            next_back[interval] += 1;
        }
        0.0
    }

    /// The factor that the cut of the full network asks for.
    fn scale_of_cut(&self, cap: &Cap) -> f64 {
        let reach = self.reach();
        let (mut needed, mut volume) = (0.0, 0.0);
        for site in (0..self.sites.len()).filter(|&site| reach.site[site] != FAR) {
            needed += self.sizes[site];
            for interval in self.spans[site].clone().filter(|&k| reach.interval[k] == FAR) {
                needed -= self.rate[site] * self.length(interval);
            }
        }
        for interval in (0..self.room.len()).filter(|&k| reach.interval[k] != FAR) {
            volume += cap.at(self.edges[interval]) * self.length(interval);
        }
        if needed <= self.tiny * 10.0 { 0.0 } else { needed / volume }
    }

    fn intervals(&self) -> Vec<Interval> {
        let interval = |index: usize| {
            let takes = |site: usize| {
                let taken =
                    self.spans[site].contains(&index).then(|| self.taken_at(site, index))?;
                (taken > 0.0).then(|| (self.sites[site], taken / self.length(index)))
            };
            let rates = (0..self.sites.len()).filter_map(takes).collect();
            Interval { from: self.edges[index], to: self.edges[index + 1], rates }
        };
        (0..self.room.len()).map(interval).collect()
    }
}

const FAR: usize = usize::MAX;

struct Levels {
    site: Vec<usize>,
    interval: Vec<usize>,
    last: usize,
}
