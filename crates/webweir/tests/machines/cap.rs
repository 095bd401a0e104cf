//! The cap of a crawl on several machines, by the counters of the interfaces between them and the web.

use std::thread::sleep;
use std::time::Duration;

use weir_testsite::HostSpec;

use crate::cluster::Cluster;
use crate::lab::{Lab, with_machines};
use crate::meter::Meter;
use crate::series::Series;

const CAP: f64 = 1e6;
/// Before that the crawl is still looking around.
const RAMP_UP: f64 = 2.0;
/// What somebody who is killed held is free again after this time: nobody can know that it does not go on.
const UNTIL_FREE: f64 = 5.0;

/// When what happens, in seconds since the first byte.
#[derive(Clone, Copy)]
struct Times {
    kill: f64,
    join: f64,
    end: f64,
}

/// Multiples of the cap, and seconds.
struct Figures {
    /// Of the whole run.
    usage: f64,
    /// Apart from the time in which what the killed one held is kept for it.
    usage_apart: f64,
    /// And when each of them was.
    worst_1s: (f64, f64),
    worst_250ms: (f64, f64),
    /// From the kill until the others use what it held.
    redistributed: f64,
    /// Between two readings.
    gap: f64,
}

#[test]
fn the_sum_over_all_machines_holds_the_cap_while_one_is_killed_and_another_joins() {
    let test = "cap::the_sum_over_all_machines_holds_the_cap_while_one_is_killed_and_another_joins";
    with_machines(test, |lab| {
        let web = vec![site(); 30];
        let figures = measure(lab, web, 8, Times { kill: 4.0, join: 6.0, end: 14.0 });
        figures.print();
        // The bars proper are those of the long form, on a machine that does nothing else.
        assert!(figures.worst_1s.0 <= 1.10, "worst second");
        assert!(figures.usage_apart >= 0.5, "the cap is not used");
    });
}

/// The table: the web and the bars of one machine (`mixed` in docs/cap.md), for three.
#[test]
#[ignore = "a minute, and a machine that does nothing else: cargo xtask soak"]
fn the_cap_of_three_machines_in_full() {
    with_machines("cap::the_cap_of_three_machines_in_full", |lab| {
        let web = (0..200).map(|number| HostSpec { rate: speed(number), ..site() }).collect();
        let figures = measure(lab, web, 20, Times { kill: 15.0, join: 25.0, end: 60.0 });
        figures.print();
        assert!(figures.worst_1s.0 <= 1.02, "worst second");
        assert!(figures.worst_250ms.0 <= 1.10, "worst quarter of a second");
        assert!(figures.usage_apart >= 0.98, "use");
    });
}

fn site() -> HostSpec {
    let host = HostSpec::pages(4000).page_bytes(1_000..=60_000).links_per_page(20);
    host.latency(Duration::from_millis(30))
}

/// Three in ten are slow, four are of middling speed, three as fast as they can.
fn speed(site: usize) -> Option<u64> {
    match site % 10 {
        0..3 => Some(20_000),
        3..7 => Some(200_000),
        _ => None,
    }
}

fn measure(lab: Lab, web: Vec<HostSpec>, slots: usize, times: Times) -> Figures {
    let flags = ["--limit", "1MB/s", "--store", "none"];
    let mut cluster = Cluster::new(lab, web, slots).flags(&flags);
    let meter = Meter::start();
    sleep(Duration::from_millis(50)); // A reading of the counters before anything moves.
    cluster.run([1, 2, 3]);
    cluster.wait_for(1);
    let begin = meter.now();
    let until = |at: f64| sleep(Duration::from_secs_f64((begin + at - meter.now()).max(0.0)));
    until(times.kill);
    cluster.kill(2);
    until(times.join);
    cluster.join(4);
    until(times.end);
    let told = meter.now();
    cluster.scheduler.as_ref().unwrap().interrupt();
    sleep(Duration::from_secs(2));
    let counted = meter.counted();
    for (at, machine) in counted.to.iter().enumerate() {
        println!("d{}: {}", at + 1, seconds(machine, begin, told));
    }
    println!("all: {}", seconds(&counted.all, begin, told));
    Figures::of(&counted.all, begin, told, times)
}

/// KB in each second.
fn seconds(series: &Series, from: f64, to: f64) -> String {
    let each = (0..(to - from) as usize).map(|second| from + second as f64);
    each.map(|at| format!("{:5.0}", series.rate(at, at + 1.0) / 1e3)).collect()
}

impl Figures {
    fn of(bytes: &Series, begin: f64, end: f64, times: Times) -> Figures {
        let worst = |length| {
            let all = bytes.windows(length, f64::MIN, f64::MAX);
            let worst = all.max_by(|one, two| one.1.total_cmp(&two.1)).unwrap();
            (worst.1 / CAP, worst.0 - begin)
        };
        let (kill, free) = (begin + times.kill, begin + times.kill + UNTIL_FREE);
        let count = |from: f64, to: f64| bytes.at(to) - bytes.at(from);
        let apart = count(begin + RAMP_UP, kill) + count(free, end);
        let apart_s = kill - begin - RAMP_UP + end - free;
        // A window that begins before the kill still has some of its bytes.
        let mut used = bytes.windows(0.5, kill + 0.5, end).filter(|(_, rate)| *rate > 0.95 * CAP);
        Figures {
            usage: bytes.rate(begin + RAMP_UP, end) / CAP,
            usage_apart: apart / apart_s / CAP,
            worst_1s: worst(1.0),
            worst_250ms: worst(0.25),
            redistributed: used.next().map_or(f64::INFINITY, |(at, _)| at - kill),
            gap: bytes.longest_gap(),
        }
    }

    fn print(&self) {
        println!(
            "cluster 1MB/s 3 downloaders  use %  apart %  worst 1 s (at)   250 ms (at)     after kill  gap"
        );
        println!(
            "{:>34.1} {:>8.1} {:>10.3} {:>7} {:>8.3} {:>7} {:>8.1} s {:>4.0} ms",
            100.0 * self.usage,
            100.0 * self.usage_apart,
            self.worst_1s.0,
            format!("({:.1} s)", self.worst_1s.1),
            self.worst_250ms.0,
            format!("({:.1} s)", self.worst_250ms.1),
            self.redistributed,
            1e3 * self.gap
        );
    }
}
