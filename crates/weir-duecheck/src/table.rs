use crate::judge::{lateness, met};
use crate::run::Run;
use crate::task::{Task, Truth};

pub fn truth(truth: &Truth) -> String {
    let total: f64 = truth.bytes.iter().sum();
    let least = truth.bytes.iter().copied().fold(f64::INFINITY, f64::min);
    let most = truth.bytes.iter().copied().fold(0.0, f64::max);
    let slow = truth.rates.iter().copied().fold(f64::INFINITY, f64::min);
    let fast = truth.rates.iter().copied().fold(0.0, f64::max);
    format!(
        "{:.1} MB in all, from {:.0} KB to {:.1} MB a site; {:.0} KB/s to {:.1} MB/s a site; {} of them have sitemaps",
        total / 1e6,
        least / 1e3,
        most / 1e6,
        slow / 1e3,
        fast / 1e6,
        truth.listed.iter().filter(|listed| **listed).count()
    )
}

pub fn head() -> String {
    format!(
        "{:<28}{:>8}{:>12}{:>12}{:>10}{:>10}{:>9}{:>8}",
        "policy", "met", "late, sum", "of least", "worst", "mean end", "use", "CPU s"
    )
}

pub fn task(task: &Task) -> String {
    format!(
        "-- {}: cap {:.2} MB/s; a plan that knows all sizes is late by {:.1} s in all",
        task.load.name(),
        task.cap / 1e6,
        task.least_lateness
    )
}

pub fn row(task: &Task, run: &Run) -> String {
    let late = lateness(task, run);
    let worst = run.finish.iter().zip(&task.due).map(|(f, d)| f - d).fold(0.0, f64::max);
    let mean = run.finish.iter().sum::<f64>() / run.finish.len() as f64;
    let ratio = match task.least_lateness {
        least if least > 0.1 => format!("{:.3}", late / least),
        _ => "-".to_owned(),
    };
    let name = if run.with_history { "deadline, with history" } else { &run.policy };
    format!(
        "{name:<28}{:>5}/{:<2}{late:>10.1} s{ratio:>12}{worst:>8.1} s{mean:>8.1} s{:>9}{:>8.1}",
        met(task, run),
        run.finish.len(),
        run.use_of_cap.map_or("-".to_owned(), |part| format!("{:.1} %", part * 100.0)),
        run.cpu
    )
}
