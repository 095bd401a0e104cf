use anyhow::{Context, Result};
use weir_crawl::{Config, Settings};
use weir_testsite::{Spec, Web};

use crate::args::DemoArgs;
use crate::commands::crawl::crawl;
use crate::exit::Exit;
use crate::show::Screen;

/// A small web with fast, slow, large and broken sites, crawled as any other.
pub fn run(args: DemoArgs) -> Result<Exit> {
    let web = Web::start(Spec::demo()).context("cannot start the demo's web on loopback")?;
    let settings = Settings {
        urls: Some(web.seeds()),
        out: Some(args.out.clone()),
        fresh: Some(true),
        allow_private: Some(true),
        ..Settings::default()
    };
    eprintln!("A small web of {} sites runs on loopback; weir crawls it.", web.seeds().len());
    let exit = crawl(Config::try_from(settings)?, Screen::new(args.progress, false, 0))?;
    let seed = &web.seeds()[0];
    eprintln!("\nTry:  weir status -o {0}\n      weir why {seed} -o {0}", args.out.display());
    eprintln!("Your own:  weir crawl https://example.com/");
    Ok(exit)
}
