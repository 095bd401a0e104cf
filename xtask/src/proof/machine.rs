use std::fs;

use crate::shell::Job;

/// What the figures were measured with, as pairs of a name and a value.
pub fn facts() -> Vec<(&'static str, String)> {
    let told = |program: &str, arguments: &[&str]| {
        let text = Job::new(program).args(arguments).read().unwrap_or_default();
        text.lines().next().unwrap_or("not here").trim().to_owned()
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    vec![
        ("made", told("date", &["-u", "+%Y-%m-%d %H:%M UTC"])),
        ("commit", told("git", &["describe", "--always", "--dirty", "--exclude=*"])),
        ("processor", format!("{cores} of {}", processor())),
        ("memory", memory()),
        ("kernel", told("uname", &["-sr"])),
        ("rustc", told("rustc", &["--version"])),
        ("python", told("python3", &["--version"])),
        ("java", told("java", &["--version"])),
        ("stolen", stolen()),
    ]
}

fn processor() -> String {
    line_of("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned())
}

fn memory() -> String {
    let kib = line_of("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or("unknown".to_owned(), |kib| format!("{:.0} GiB", kib / f64::from(1 << 20)))
}

/// Of the processors, what other machines on the same host have had since this one started.
fn stolen() -> String {
    let ticks: Vec<f64> = line_of("/proc/stat", "cpu ")
        .map(|text| text.split_whitespace().filter_map(|word| word.parse().ok()).collect())
        .unwrap_or_default();
    match ticks.get(7) {
        Some(stolen) => format!(
            "{:.0} % of the processors by other machines, since this one started",
            100.0 * stolen / ticks.iter().take(8).sum::<f64>()
        ),
        None => "unknown".to_owned(),
    }
}

/// What stands behind a name in a file of `/proc`.
fn line_of(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
}
