//! What was seen, as the numbers of one line of the table.

use crate::judge::Bars;
use crate::machine::Shares;
use crate::report::Report;
use crate::run::Seen;
use crate::scenario::Scenario;
use crate::series::Series;

/// Before that, the crawl is still looking around: it does not count as use.
const RAMP_UP: f64 = 1.0;

/// Shares are kept over any of this.
const SHARE_WINDOW: f64 = 5.0;

const QUARTER: f64 = 0.25;

/// What comes later is no matter of the change.
const AFTER_CHANGE: f64 = 2.0;

/// Rates are multiples of what can be had.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// While there was work.
    pub usage: f64,
    /// Of the whole run, from the first byte to the last. Nothing if the limit changed in it.
    pub worst_1s: Option<f64>,
    pub worst_250ms: Option<f64>,
    pub share: Option<ShareError>,
    /// The longest time until a new rate held, in seconds.
    pub change: Option<f64>,
    /// The largest difference between weir's report and the counters, as a part.
    pub report: Option<f64>,
    pub pages: Option<u64>,
    /// Seconds of processor time, and for each MB that came in.
    pub cpu: f64,
    pub cpu_per_mb: f64,
    pub load: Shares,
    /// The longest time without a reading, in seconds.
    pub gap: f64,
}

/// The worst of all sites in all windows.
#[derive(Clone, Copy, Debug)]
pub struct ShareError {
    pub site: usize,
    pub error: f64,
}

impl Figures {
    pub fn of(scenario: &Scenario, seen: &Seen) -> Figures {
        let bytes = &seen.wire.bytes;
        let begin = bytes.begin().unwrap_or(seen.told);
        let (busy, end) = (begin + RAMP_UP, seen.told);
        let reference = scenario.reference();
        let worst = |length| bytes.worst(length, f64::MIN, f64::MAX) / reference;
        let steady = scenario.changes.is_empty();
        let usage = (bytes.at(end) - bytes.at(busy)) / allowed(scenario, seen, busy, end);
        let report = seen.report.as_ref();
        Figures {
            usage,
            worst_1s: steady.then(|| worst(1.0)),
            worst_250ms: steady.then(|| worst(QUARTER)),
            share: scenario.fair().and_then(|fair| share_error(&fair, &seen.sites, busy, end)),
            change: (0..seen.changes.len()).map(|at| felt(scenario, seen, at)).reduce(f64::max),
            report: report.map(|report| difference(report, scenario, seen)),
            pages: report.map(|report| report.pages),
            cpu: seen.cpu,
            cpu_per_mb: seen.cpu / (seen.wire.bytes_in_all() as f64 / 1e6).max(1e-3),
            load: seen.load,
            gap: bytes.longest_gap(),
        }
    }
}

/// The bytes that might have come in between two moments.
fn allowed(scenario: &Scenario, seen: &Seen, from: f64, to: f64) -> f64 {
    let mut rate = scenario.reference();
    let (mut bytes, mut at) = (0.0, from);
    for (change, next) in &seen.changes {
        let until = change.clamp(from, to);
        bytes += rate * (until - at);
        (at, rate) = (until, *next as f64);
    }
    bytes + rate * (to - at)
}

fn share_error(fair: &[f64], sites: &[Series], from: f64, to: f64) -> Option<ShareError> {
    let of_site = |(site, (fair, series)): (usize, (&f64, &Series))| {
        let windows = series.windows(SHARE_WINDOW, from, to);
        let error = windows.map(|(_, rate)| rate / fair - 1.0).max_by(far)?;
        Some(ShareError { site, error })
    };
    let all = fair.iter().zip(sites).enumerate().filter_map(of_site);
    all.max_by(|a, b| far(&a.error, &b.error))
}

fn far(a: &f64, b: &f64) -> std::cmp::Ordering {
    a.abs().total_cmp(&b.abs())
}

/// How long after a change the new rate was kept from then on (if it is lower), or reached (if it is
/// higher), in windows as long as that may take.
fn felt(scenario: &Scenario, seen: &Seen, change: usize) -> f64 {
    let (at, rate) = seen.changes[change];
    let before = change.checked_sub(1).map_or(scenario.limit, |before| seen.changes[before].1);
    let next = seen.changes.get(change + 1).map_or(seen.told, |(next, _)| *next);
    let end = next.min(at + AFTER_CHANGE);
    let bars = Bars::of(rate);
    let windows = seen.wire.bytes.windows(bars.change, at, end);
    let windows = windows.map(|(begin, seen)| (begin - at, seen / rate as f64));
    if before < rate {
        let reached = windows.filter(|(_, part)| *part >= 1.0 / bars.worst_250ms);
        reached.map(|(late, _)| late).reduce(f64::min).unwrap_or(end - at)
    } else {
        let above = windows.filter(|(_, part)| *part > bars.worst_250ms);
        above.map(|(late, _)| late).fold(0.0, f64::max)
    }
}

/// Of the mean, the highest second, and the part of the limit that was used.
fn difference(report: &Report, scenario: &Scenario, seen: &Seen) -> f64 {
    let part = |told: f64, real: f64| if real > 0.0 { told / real - 1.0 } else { 0.0 };
    let mean = seen.wire.bytes_in_all() as f64 / report.elapsed_s;
    let worst = seen.wire.bytes.worst(1.0, f64::MIN, f64::MAX);
    // Of the whole run, its beginning included.
    let could = allowed(scenario, seen, seen.told - report.elapsed_s, seen.told);
    let used =
        seen.wire.bytes_in_all() as f64 / could * scenario.reference() / scenario.limit as f64;
    let peak = report.peak_1s.map(|peak| part(peak, worst));
    let utilisation = report.utilisation.map(|told| part(told, used));
    let all = [Some(part(report.mean_rate, mean)), peak, utilisation];
    all.into_iter().flatten().max_by(far).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::meter::Counted;

    fn scenario(title: &str) -> Scenario {
        catalogue::all().into_iter().find(|one| one.title() == title).unwrap()
    }

    /// A counter that is read every 10 ms from 100 s on, for 12 s, with this rate at each moment.
    fn counter(rate: impl Fn(f64) -> f64) -> Series {
        let mut series = Series::default();
        let mut bytes = 0.0;
        for step in 0..=1200 {
            let at = f64::from(step) / 100.0;
            series.push(100.0 + at, bytes);
            bytes += rate(at) / 100.0;
        }
        series
    }

    fn seen(bytes: Series, sites: Vec<Series>, changes: &[(f64, u64)]) -> Seen {
        Seen {
            wire: Counted { bytes, packets: 0 },
            sites,
            told: 112.0,
            changes: changes.to_vec(),
            cpu: 1.0,
            load: Shares::default(),
            report: None,
        }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 0.011
    }

    #[test]
    fn the_time_until_a_change_is_felt_is_measured_both_ways() {
        let scenario = scenario("change 1MB/s 50-100ms shape");
        let changes = [(104.0, 300_000), (108.0, 1_000_000)];
        let figures = |down: f64, up: f64| {
            let rate = |at: f64| match at {
                at if at < 4.0 + down => 1e6,
                at if at < 8.0 + up => 0.3e6,
                _ => 1e6,
            };
            Figures::of(&scenario, &seen(counter(rate), Vec::new(), &changes))
        };
        let good = figures(0.0, 0.0);
        assert!(near(good.usage, 1.0), "{}", good.usage);
        assert!(good.change.unwrap() < 0.011 && good.worst_1s.is_none());
        let slow_down = figures(0.2, 0.0).change.unwrap();
        assert!((0.15..0.21).contains(&slow_down), "{slow_down}");
        let slow_up = figures(0.0, 0.6).change.unwrap();
        assert!((0.5..0.61).contains(&slow_up), "{slow_up}");
    }

    #[test]
    fn the_site_that_is_farthest_from_its_share_is_named() {
        let scenario = scenario("shares 1MB/s 0ms shape");
        let fair = scenario.fair().unwrap();
        assert!(near(fair.iter().sum::<f64>() / 1e6, 1.0) && fair[7] < 63e3, "{fair:?}");
        let starved = |at: f64| if (5.0..6.0).contains(&at) { 0.0 } else { 1.0 };
        let sites = fair.iter().enumerate();
        let sites = sites
            .map(|(site, fair)| counter(|at| fair * if site == 2 { starved(at) } else { 1.0 }));
        let figures = Figures::of(&scenario, &seen(counter(|_| 1e6), sites.collect(), &[]));
        let share = figures.share.unwrap();
        assert!(share.site == 2 && near(share.error, -0.2), "{share:?}");
    }

    #[test]
    fn a_burst_at_the_very_beginning_counts_in_windows_and_not_as_use() {
        let scenario = scenario("mixed 1MB/s 0ms shape");
        let rate = |at: f64| if at < 0.25 { 4e6 } else { 0.5e6 };
        let figures = Figures::of(&scenario, &seen(counter(rate), Vec::new(), &[]));
        assert!(near(figures.usage, 0.5), "{}", figures.usage);
        assert!(near(figures.worst_1s.unwrap(), 1.375) && near(figures.worst_250ms.unwrap(), 4.0));
    }
}
