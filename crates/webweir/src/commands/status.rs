use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, bail};
use weir_crawl::{FRONTIER, Finish, REPORT_FILE, Report};

use crate::args::StatusArgs;
use crate::exit::Exit;
use crate::show;

pub fn run(args: &StatusArgs) -> Result<Exit> {
    let mut report = read_report(&args.out, "-o")?;
    let running = weir_frontier::is_in_use(&args.out.join(FRONTIER))?;
    let killed = report.outcome == Finish::Running && !running;
    if killed {
        report.outcome = Finish::Interrupted;
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(Exit::Done);
    }
    if killed {
        println!("not running: it ended without a word (killed?); run the same command to go on");
    }
    show::status(&report, &args.out);
    Ok(Exit::Done)
}

/// The report in a crawl's folder, which was named with `flag`.
pub fn read_report(out: &Path, flag: &str) -> Result<Report> {
    let path = out.join(REPORT_FILE);
    match Report::read(&path) {
        Err(why) if why.kind() == ErrorKind::NotFound => bail!(
            "no crawl in {}: there is no {REPORT_FILE}; name its folder with {flag} DIR",
            out.display()
        ),
        other => other.with_context(|| format!("cannot read {}", path.display())),
    }
}
