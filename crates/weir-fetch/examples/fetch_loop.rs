//! What a fetch costs: `fetch_loop URL FETCHES CONNECTIONS` fetches one URL many times over kept
//! connections and prints the CPU time per 1,000 fetches and the memory in use.
//! Run it against a server on loopback: private addresses are accepted.

use std::rc::Rc;
use std::time::Instant;

use tokio::task::LocalSet;
use url::Url;
use weir_fetch::{FetchConfig, Fetcher};

fn main() {
    let mut args = std::env::args().skip(1);
    let usage = "usage: fetch_loop URL FETCHES CONNECTIONS";
    let url: Url = args.next().expect(usage).parse().expect("a URL");
    let fetches: usize = args.next().expect(usage).parse().expect("a number of fetches");
    let connections: usize = args.next().expect(usage).parse().expect("a number of connections");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let tasks = LocalSet::new();
    tasks.block_on(&runtime.expect("a runtime"), run(url, fetches, connections));
}

async fn run(url: Url, fetches: usize, connections: usize) {
    let config = FetchConfig {
        accept_private: true,
        idle_connections: connections,
        ..FetchConfig::new("fetch_loop")
    };
    let fetcher = Rc::new(Fetcher::new(config).expect("a fetcher"));
    let memory_before = memory_kb();
    fetch_all(&fetcher, &url, connections, connections).await; // opens the connections
    let (memory, idle) = (memory_kb(), fetcher.idle_connections());
    println!("{idle} idle connections, {} KB, {} before", memory, memory_before);
    let (cpu, start) = (cpu_ms(), Instant::now());
    let bytes = fetch_all(&fetcher, &url, fetches, connections).await;
    let (cpu, elapsed) = (cpu_ms() - cpu, start.elapsed());
    println!(
        "{fetches} fetches of {} bytes: {:.1} ms CPU per 1,000, {:.0} a second, {} KB",
        bytes / fetches,
        cpu * 1000.0 / fetches as f64,
        fetches as f64 / elapsed.as_secs_f64(),
        memory_kb(),
    );
}

async fn fetch_all(fetcher: &Rc<Fetcher>, url: &Url, fetches: usize, tasks: usize) -> usize {
    let each = fetches.div_ceil(tasks);
    let running: Vec<_> = (0..tasks)
        .map(|_| {
            let (fetcher, url) = (fetcher.clone(), url.clone());
            tokio::task::spawn_local(async move {
                let mut bytes = 0;
                for _ in 0..each {
                    bytes += fetcher.fetch(&url).await.expect("a server that answers").body.len();
                }
                bytes
            })
        })
        .collect();
    let mut bytes = 0;
    for task in running {
        bytes += task.await.expect("every fetch succeeds");
    }
    bytes
}

/// User and system time of this process, in steps of the clock tick (10 ms).
fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = stat.rsplit(") ").next().expect("a name in brackets");
    let fields: Vec<&str> = after_name.split(' ').collect();
    let ticks = |index: usize| fields[index].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) * 10.0
}

fn memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a VmRSS line");
    line.split_whitespace().nth(1).expect("a value").parse().expect("a number")
}
