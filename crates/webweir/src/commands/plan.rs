use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use weir_crawl::{Config, FRONTIER, PLAN_FILE, Plan, Planned, survey};
use weir_plan::Cap;
use weir_sim::chart::{self, Panel};

use crate::args::PlanArgs;
use crate::commands::crawl::stop_on_interrupt;
use crate::exit::Exit;
use crate::show::{self, Screen};

/// The picture beside `plan.json`.
const PICTURE: &str = "plan.svg";

pub fn run(args: &PlanArgs) -> Result<Exit> {
    let mut settings = args.crawl.read()?;
    if args.json && settings.progress.as_deref() == Some("json") {
        // Standard output is the plan's.
        settings.progress = Some("none".to_owned());
    }
    let mut screen = Screen::of(&settings)?;
    let config = Config::try_from(settings)?;
    let frontier = config.out.join(FRONTIER);
    if frontier.exists() && weir_frontier::is_in_use(&frontier)? {
        bail!(
            "a crawl is running in {0}: `weir status -o {0}` shows what it expects",
            config.out.display()
        );
    }
    let out = config.out.clone();
    let zone = config.almanac.zone.clone();
    screen.begin_plan(&config);
    let stop = stop_on_interrupt(!screen.has_bars())?;
    let surveyed = survey(config, stop, &mut |progress| screen.show(progress));
    screen.end();
    let Some(survey) = surveyed? else {
        eprintln!("stopped before there was a plan; what was learnt is kept for the next time");
        return Ok(Exit::Resumable);
    };
    let plan = &survey.planned.plan;
    draw(&survey.planned, &out)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(plan)?);
    } else {
        print!("{}", show::plan(&survey.planned, &zone, show::width()));
        println!("Written to {} and {PICTURE}.", out.join(PLAN_FILE).display());
    }
    exit_of(plan, &survey.troubles)
}

/// A site nobody knows anything of makes every verdict a guess.
fn exit_of(plan: &Plan, troubles: &[String]) -> Result<Exit> {
    let unknown: Vec<&str> =
        plan.sites.iter().filter(|site| site.is_unknown()).map(|site| site.site.as_str()).collect();
    if !unknown.is_empty() {
        let last = troubles.last().map_or("", String::as_str);
        bail!(
            "nothing is known of {}: {last}. Check the URL and whether the site is up, or leave it out",
            unknown.join(", ")
        );
    }
    Ok(if plan.feasible { Exit::Done } else { Exit::Late })
}

fn draw(planned: &Planned, out: &Path) -> Result<()> {
    let plan = &planned.plan;
    if planned.allocation.pieces.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = plan.sites.iter().map(|site| site.site.clone()).collect();
    let mut problem = planned.problem.clone();
    if plan.limit.is_none() {
        problem.cap = Cap::constant(planned.highest_rate());
    }
    let mut picture = chart::Plan::new("", &problem, &planned.allocation, &names);
    picture.time_unit = show::time_unit(planned.last_finish());
    picture.rate_unit = show::rate_unit(problem.cap.highest());
    let title = show::verdict(plan);
    let caption = format!("Made {} with policy {}.", plan.made, plan.policy);
    let path = out.join(PICTURE);
    fs::write(&path, chart::svg(&title, &caption, &[Panel::Plan(picture)]))
        .with_context(|| format!("cannot write {}", path.display()))
}
