//! Clocks, memory and disk.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// What something took that was done many times.
#[derive(Default)]
pub struct Spent {
    wall: Duration,
    cpu: Duration,
    times: u64,
}

impl Spent {
    /// Does something that counts as so many times.
    pub fn on<T>(&mut self, times: usize, work: impl FnOnce() -> T) -> T {
        let (wall, cpu) = (Instant::now(), cpu());
        let done = work();
        self.cpu += self::cpu().saturating_sub(cpu);
        self.wall += wall.elapsed();
        self.times += times as u64;
        done
    }

    pub fn wall_s(&self) -> f64 {
        self.wall.as_secs_f64()
    }

    pub fn cpu_s(&self) -> f64 {
        self.cpu.as_secs_f64()
    }

    /// Microseconds each time.
    pub fn each(&self) -> Value {
        let each = |whole: Duration| whole.as_secs_f64() * 1e6 / self.times.max(1) as f64;
        json!({"times": self.times, "cpu_us": each(self.cpu), "wall_us": each(self.wall)})
    }
}

/// Processor time of this process, all threads.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// Resident memory in bytes: now, what of it is no file, and the most so far.
pub fn memory() -> anyhow::Result<Value> {
    let status = fs::read_to_string("/proc/self/status")?;
    let bytes = |key: &str| -> anyhow::Result<u64> {
        let line =
            status.lines().find_map(|line| line.strip_prefix(key)).context("no such line")?;
        let number = line.split_whitespace().next().unwrap_or_default();
        Ok(number.parse::<u64>()? * 1024)
    };
    Ok(json!({"rss": bytes("VmRSS:")?, "anonymous": bytes("RssAnon:")?, "peak": bytes("VmHWM:")?}))
}

/// Bytes of the log, and bytes and number of the files beside it.
pub fn disk(folder: &Path) -> anyhow::Result<Value> {
    let log = fs::metadata(folder.join("log")).map_or(0, |log| log.len());
    let (mut bytes, mut files) = (0, 0);
    for file in fs::read_dir(folder.join("queues"))? {
        bytes += file?.metadata()?.len();
        files += 1;
    }
    Ok(json!({"log": log, "queues": bytes, "queue_files": files}))
}
