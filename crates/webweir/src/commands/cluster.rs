use std::time::SystemTime;

use anyhow::Result;
use weir_cluster::{InitOptions, add_downloader, day, init};

use crate::args::{AddKeysArgs, ClusterArgs, ClusterCommand, InitKeysArgs};
use crate::exit::Exit;

pub fn run(args: &ClusterArgs) -> Result<Exit> {
    match &args.command {
        ClusterCommand::Init(args) => make(args),
        ClusterCommand::Add(args) => add(args),
    }
}

fn make(args: &InitKeysArgs) -> Result<Exit> {
    let options = InitOptions { force: args.force, keep_ca_key: args.keep_ca_key };
    let made = init(&args.keys, &args.names, options, SystemTime::now())?;
    println!("keys made in {}: {}", made.dir.display(), made.files.join(", "));
    println!("  the scheduler is known as {}", made.names.join(", "));
    println!("  they hold until {}", day(made.until));
    if args.names.is_empty() {
        println!("no --name was given, so that only this machine can call the scheduler");
    }
    let but = if args.keep_ca_key { ", all but ca.key," } else { "" };
    println!("copy the folder{but} to each machine (`scp -pr` keeps it closed to others), then:");
    let (keys, host) = (args.keys.display(), args.names.first().map_or("127.0.0.1", |name| name));
    println!("  weir scheduler -c weir.toml --listen 0.0.0.0:7700 --keys {keys}");
    println!("  weir downloader --scheduler https://{host}:7700 --keys {keys} --slots 20");
    if args.keep_ca_key {
        println!(
            "keys of their own for downloaders, now or later: weir cluster add NAME --keys {keys}"
        );
    }
    Ok(Exit::Done)
}

fn add(args: &AddKeysArgs) -> Result<Exit> {
    for name in &args.names {
        let made = add_downloader(&args.keys, name, args.force, SystemTime::now())?;
        println!("keys of {name} made in {}: {}", made.dir.display(), made.files.join(", "));
        println!("  they hold until {}", day(made.until));
        println!("  copy them to its machine: scp -pr {} {name}:keys", made.dir.display());
    }
    println!(
        "then, there: weir downloader --scheduler https://SCHEDULER:7700 --keys keys --slots 20"
    );
    Ok(Exit::Done)
}
