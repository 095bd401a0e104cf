use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, bail};
use weir_crawl::{Finish, REPORT_FILE, Report};

use crate::args::StatusArgs;
use crate::exit::Exit;
use crate::show;

pub fn run(args: &StatusArgs) -> Result<Exit> {
    let mut report = read(&args.out)?;
    let running = weir_frontier::is_in_use(&args.out.join("frontier"))?;
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

fn read(out: &Path) -> Result<Report> {
    let path = out.join(REPORT_FILE);
    match Report::read(&path) {
        Err(why) if why.kind() == ErrorKind::NotFound => bail!(
            "no crawl in {}: there is no {REPORT_FILE}; name its folder with -o DIR",
            out.display()
        ),
        other => other.with_context(|| format!("cannot read {}", path.display())),
    }
}
