use std::fs;
use std::time::Duration;

/// What a process has used so far, as the system counts it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Highest resident memory, in bytes.
    pub memory: u64,
    /// User and system time, of all its threads.
    pub cpu: Duration,
}

/// The unit of `/proc/PID/stat`, which is the same on every Linux.
const TICK: Duration = Duration::from_millis(10);

impl Usage {
    /// Looks again. A process that is gone, or nearly, leaves what was seen last.
    pub fn look(&mut self, process: u32) {
        if let Some(memory) = peak_memory(process) {
            self.memory = self.memory.max(memory);
        }
        if let Some(cpu) = cpu_time(process) {
            self.cpu = self.cpu.max(cpu);
        }
    }
}

fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

fn cpu_time(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may contain anything; the fields are counted from behind it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u32>().ok();
    Some(TICK * (ticks(11)? + ticks(12)?))
}
