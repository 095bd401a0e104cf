use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};

use anyhow::{Context, Result};
use weir_crawl::EXAMPLE;

use crate::args::InitArgs;
use crate::exit::{Exit, WrongUse};

pub fn run(args: &InitArgs) -> Result<Exit> {
    let path = &args.file;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(args.force).create_new(!args.force);
    let mut file = match options.open(path) {
        Err(why) if why.kind() == ErrorKind::AlreadyExists => {
            let why = format!("{} is there already; --force replaces it", path.display());
            return Err(WrongUse(why).into());
        }
        other => other.with_context(|| format!("cannot write {}", path.display()))?,
    };
    file.write_all(EXAMPLE.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {0}; set `urls` in it, then: weir crawl -c {0}", path.display());
    Ok(Exit::Done)
}
