use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Args, ManArgs};
use crate::exit::{Exit, unless_reader_left};

pub fn run(args: &ManArgs) -> Result<Exit> {
    match &args.folder {
        Some(folder) => write(folder),
        None => print(),
    }
}

fn print() -> Result<Exit> {
    let mut page = Vec::new();
    Man::new(Args::command()).render(&mut page)?;
    unless_reader_left(std::io::stdout().write_all(&page).map_err(Into::into))
}

/// `weir.1`, `weir-crawl.1`, `weir-cluster-init.1` and so on.
fn write(folder: &Path) -> Result<Exit> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Args::command(), folder))
        .with_context(|| format!("cannot write manual pages to {}", folder.display()))?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_command_has_a_page_which_names_its_flags() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        check(&Args::command(), "weir", folder.path());
    }

    fn check(command: &clap::Command, name: &str, folder: &Path) {
        let page = fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        for flag in command.get_arguments().filter(|flag| !flag.is_hide_set()) {
            // A dash is written \- in a manual page.
            let long = flag.get_long().unwrap_or_default().replace('-', "\\-");
            assert!(page.contains(&long), "{name}: {long}");
        }
        for below in command.get_subcommands() {
            check(below, &format!("{name}-{}", below.get_name()), folder);
        }
    }
}
