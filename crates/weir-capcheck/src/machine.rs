//! How busy the machine was: where others take the processors, windows may be missed by no fault of weir.

use std::fs;

/// Seconds of processor time since the machine, or the process, was started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    busy: f64,
    idle: f64,
    steal: f64,
    ours: f64,
    /// Of the process that is looked at.
    pub client: f64,
}

/// Per cent of all processor time between two readings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shares {
    /// Taken by neither the crawler, the servers, nor the meter.
    pub others: f64,
    pub steal: f64,
}

/// Ticks a second in `/proc`.
const TICKS: f64 = 100.0;

impl Load {
    pub fn read(client: u32, servers: u32) -> Load {
        let text = fs::read_to_string("/proc/stat").unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        let ticks: Vec<f64> =
            line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
        let part = |at: usize| ticks.get(at).copied().unwrap_or(0.0) / TICKS;
        let client = of_process(client);
        Load {
            busy: part(0) + part(1) + part(2) + part(5) + part(6),
            idle: part(3) + part(4),
            steal: part(7),
            ours: client + of_process(servers) + of_process(std::process::id()),
            client,
        }
    }

    pub fn shares_since(&self, before: &Load) -> Shares {
        let busy = self.busy - before.busy;
        let steal = self.steal - before.steal;
        let all = busy + steal + self.idle - before.idle;
        let others = (busy - (self.ours - before.ours)).max(0.0);
        let part = |time: f64| if all > 0.0 { 100.0 * time / all } else { 0.0 };
        Shares { others: part(others), steal: part(steal) }
    }
}

/// Processor time of a process: the 14th and 15th words of its line, of which the second is a name in
/// parentheses that may contain anything.
fn of_process(id: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let words = after_name.split_whitespace().skip(11).take(2);
    words.filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() / TICKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_processors_are_parts_of_a_whole() {
        let before = Load { busy: 10.0, idle: 10.0, steal: 1.0, ours: 4.0, client: 3.0 };
        let after = Load { busy: 14.0, idle: 15.0, steal: 2.0, ours: 7.0, client: 5.0 };
        let shares = after.shares_since(&before);
        assert_eq!((shares.others, shares.steal), (10.0, 10.0));
    }
}
