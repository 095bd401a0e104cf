use anyhow::{Context, Result};
use weir_crawl::{Config, Settings, SiteSettings};
use weir_testsite::{Spec, Web};

use crate::args::DemoArgs;
use crate::commands::crawl::crawl;
use crate::commands::dashboard::Place;
use crate::exit::Exit;
use crate::show::Screen;

const LIMIT: &str = "2MB/s";
/// The slow site gives 50 pages in 15 s at the best.
const HOPELESS: &str = "8s";
/// What each site is like, and how long it may take.
const SITES: [(&str, Option<&str>); 6] = [
    ("fast", Some("10s")),
    ("slow to answer", Some(HOPELESS)),
    ("large", Some("30s")),
    ("on a slow line", Some("25s")),
    ("with redirects and dead links", None),
    ("compressed, with copies", None),
];

/// A small web with fast, slow, large and late sites, crawled under a limit with deadlines.
pub fn run(args: DemoArgs) -> Result<Exit> {
    match args.web {
        Some(port) => serve(port),
        None => crawl_it(args),
    }
}

/// The web alone. It keeps nothing, so it may end as the system ends it.
fn serve(port: u16) -> Result<Exit> {
    let web = Web::start(Spec::demo().port(port)).with_context(|| {
        format!("cannot start the demo's web on port {port}; --web 0 takes a free one")
    })?;
    println!("A small web of {} sites, for --allow-private; Ctrl-C ends it.", SITES.len());
    for (seed, (what, _)) in web.seeds().iter().zip(SITES) {
        println!("  {seed}  {what}");
    }
    loop {
        std::thread::park();
    }
}

fn crawl_it(args: DemoArgs) -> Result<Exit> {
    let web = Web::start(Spec::demo()).context("cannot start the demo's web on loopback")?;
    let seeds = web.seeds();
    let settings = Settings {
        urls: Some(seeds.clone()),
        out: Some(args.out.clone()),
        fresh: Some(true),
        allow_private: Some(true),
        limit: Some(LIMIT.into()),
        site: Some(seeds.iter().zip(SITES).map(|(seed, site)| settings_of(seed, site.1)).collect()),
        ..Settings::default()
    };
    eprintln!("A small web of {} sites runs on loopback; weir crawls it at {LIMIT}.", seeds.len());
    for (seed, (what, within)) in seeds.iter().zip(SITES) {
        let deadline = match within {
            None => String::new(),
            Some(HOPELESS) => format!(", to be done within {HOPELESS}, which cannot be"),
            Some(within) => format!(", to be done within {within}"),
        };
        eprintln!("  {}  {what}{deadline}", name_of(seed));
    }
    let place = Place::of_demo()?;
    let exit =
        crawl(Config::try_from(settings)?, Some(place), Screen::new(args.progress, false, false))?;
    let seed = &seeds[0];
    eprintln!("\nTry:  weir status -o {0}\n      weir why {seed} -o {0}", args.out.display());
    eprintln!("Your own:  weir crawl https://example.com/");
    Ok(match exit {
        // One deadline is there to be missed, so that the warning is seen.
        Exit::Late => Exit::Done,
        exit => exit,
    })
}

fn name_of(seed: &str) -> &str {
    seed.trim_start_matches("http://").trim_end_matches('/')
}

fn settings_of(seed: &str, within: Option<&str>) -> SiteSettings {
    let name = Some(name_of(seed).to_owned());
    SiteSettings { name, within: within.map(str::to_owned), ..SiteSettings::default() }
}
