//! What `shape` must reach.

use crate::figures::Figures;
use crate::scenario::{Aim, Scenario};

/// Multiples of the limit; seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bars {
    pub usage: f64,
    pub worst_1s: f64,
    pub worst_250ms: f64,
    pub change: f64,
    /// Of a site's share, over any 5 s.
    pub share: f64,
    /// Of what the report says of the rates.
    pub report: f64,
}

/// Below this a few packets are a large part of a window.
const LOW: u64 = 500_000;

/// Per cent of the processors' time. A virtual machine that was away for a part of each second can hold no window of milliseconds.
const STOLEN: f64 = 5.0;

impl Bars {
    pub fn of(limit: u64) -> Bars {
        let bars = Bars {
            usage: 0.98,
            worst_1s: 1.02,
            worst_250ms: 1.10,
            change: 0.25,
            share: 0.05,
            report: 0.03,
        };
        match limit < LOW {
            true => Bars { usage: 0.97, worst_1s: 1.05, worst_250ms: 1.20, change: 0.5, ..bars },
            false => bars,
        }
    }

    /// What must hold even where the machine was away: a cap that does not work misses these too.
    fn wide(self) -> Bars {
        Bars {
            usage: self.usage - 0.05,
            worst_1s: self.worst_1s + 0.05,
            worst_250ms: self.worst_250ms + 0.15,
            change: self.change * 2.0,
            share: self.share * 2.0,
            report: self.report,
        }
    }
}

/// What was missed, each as a few words.
pub fn misses(scenario: &Scenario, figures: &Figures) -> Vec<String> {
    beyond(&Bars::of(scenario.limit), scenario, figures)
}

/// A miss, but a narrow one of a machine that was not there all the time: it says nothing of weir.
pub fn is_no_evidence(scenario: &Scenario, figures: &Figures) -> bool {
    let wide = Bars::of(scenario.limit).wide();
    figures.load.steal >= STOLEN && beyond(&wide, scenario, figures).is_empty()
}

fn beyond(bars: &Bars, scenario: &Scenario, figures: &Figures) -> Vec<String> {
    let mut misses = Vec::new();
    let mut bar = |name: &str, good: bool| {
        if !good {
            misses.push(name.to_owned());
        }
    };
    let held = |worst: Option<f64>, bar: f64| worst.is_none_or(|worst| worst <= bar);
    match scenario.aim {
        Aim::Cap => bar("use", figures.usage >= bars.usage),
        Aim::Shares => {
            bar("share", figures.share.is_some_and(|share| share.error.abs() <= bars.share));
        }
        Aim::Change => bar("change", figures.change.is_some_and(|time| time <= bars.change)),
        Aim::Held(_) | Aim::SharesShown(_) | Aim::Cost => {}
    }
    // One site of a cap of its own is no crawl at its limit: its windows are shown.
    if scenario.reference() >= scenario.limit as f64 * 0.99 {
        bar("1 s", held(figures.worst_1s, bars.worst_1s));
        bar("250 ms", held(figures.worst_250ms, bars.worst_250ms));
    }
    bar("report", figures.report.is_none_or(|difference| difference.abs() <= bars.report));
    misses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::machine::Shares;

    fn missed(title: &str, figures: &Figures) -> Vec<String> {
        let all = catalogue::all();
        misses(all.iter().find(|one| one.title() == title).unwrap(), figures)
    }

    #[test]
    fn the_bars_are_looser_where_packets_are_large_beside_the_limit() {
        let figures = Figures {
            usage: 0.975,
            worst_1s: Some(1.04),
            worst_250ms: Some(1.15),
            report: Some(-0.02),
            ..Figures::default()
        };
        assert!(missed("mixed 140KB/s 0ms shape", &figures).is_empty());
        assert_eq!(missed("mixed 1MB/s 0ms shape", &figures), ["use", "1 s", "250 ms"]);
        assert_eq!(missed("tiny 20MB/s 0ms shape", &figures), ["1 s", "250 ms"]);
    }

    #[test]
    fn a_miss_is_no_evidence_only_if_it_is_narrow_and_the_machine_was_away() {
        let all = catalogue::all();
        let scenario = all.iter().find(|one| one.title() == "mixed 1MB/s 0ms shape").unwrap();
        let excused = |steal: f64, worst_1s: f64| {
            let load = Shares { steal, ..Shares::default() };
            let figures =
                Figures { usage: 0.99, worst_1s: Some(worst_1s), load, ..Figures::default() };
            assert_eq!(misses(scenario, &figures), ["1 s"], "the bar is the same for all");
            is_no_evidence(scenario, &figures)
        };
        assert!(excused(9.0, 1.03));
        assert!(!excused(2.0, 1.03), "the machine was there");
        assert!(!excused(9.0, 1.10), "that is no cap");
    }

    #[test]
    fn what_was_to_be_measured_and_was_not_is_missed() {
        assert_eq!(missed("shares 1MB/s 0ms shape", &Figures::default()), ["share"]);
        assert_eq!(missed("change 1MB/s 50-100ms shape", &Figures::default()), ["change"]);
    }
}
