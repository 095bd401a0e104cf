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
        Figures {
            usage: (bytes.at(end) - bytes.at(busy)) / allowed(scenario, seen, busy, end),
            worst_1s: steady.then(|| worst(1.0)),
            worst_250ms: steady.then(|| worst(QUARTER)),
            share: scenario.fair().and_then(|fair| share_error(&fair, &seen.sites, busy, end)),
            change: seen.changes.iter().enumerate().map(|(at, _)| felt(seen, at)).reduce(f64::max),
            report: seen.report.as_ref().map(|report| difference(report, seen)),
            pages: seen.report.as_ref().map(|report| report.pages),
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
/// higher), in windows of 250 ms.
fn felt(seen: &Seen, change: usize) -> f64 {
    let (at, rate) = seen.changes[change];
    let before = change.checked_sub(1).map(|before| seen.changes[before].1);
    let rises = before.is_some_and(|before| before < rate);
    let end = seen.changes.get(change + 1).map_or(seen.told, |(next, _)| *next);
    let bars = Bars::of(rate);
    let mut windows = seen.wire.bytes.windows(QUARTER, at, end);
    let late = if rises {
        let reached = windows.filter(|(_, seen)| *seen >= rate as f64 / bars.worst_250ms);
        reached.map(|(begin, _)| begin - at).reduce(f64::min)
    } else {
        let above = |(_, seen): &(f64, f64)| *seen > rate as f64 * bars.worst_250ms;
        let all: Vec<_> = windows.by_ref().filter(above).map(|(begin, _)| begin - at).collect();
        Some(all.into_iter().fold(0.0, f64::max))
    };
    late.unwrap_or(end - at)
}

/// Of the mean and the highest second.
fn difference(report: &Report, seen: &Seen) -> f64 {
    let part = |told: f64, real: f64| if real > 0.0 { told / real - 1.0 } else { 0.0 };
    let bytes = &seen.wire.bytes;
    let mean = part(report.mean_rate, seen.wire.bytes_in_all() as f64 / report.elapsed_s);
    let peak = report.peak_1s.map(|peak| part(peak, bytes.worst(1.0, f64::MIN, f64::MAX)));
    [Some(mean), peak].into_iter().flatten().max_by(far).unwrap_or(0.0)
}
