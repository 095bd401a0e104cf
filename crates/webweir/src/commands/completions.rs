use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::{Args, CompletionsArgs};
use crate::exit::{Exit, unless_reader_left};

pub fn run(args: &CompletionsArgs) -> Result<Exit> {
    unless_reader_left(std::io::stdout().write_all(&script(args.shell)).map_err(Into::into))
}

fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "weir", &mut script);
    script
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_shell_completes_every_command_and_the_flags_of_crawl() {
        for shell in Shell::value_variants() {
            let script = String::from_utf8(script(*shell)).unwrap();
            for command in Args::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
            for flag in ["per-host", "max-crawl-delay", "write-off"] {
                assert!(script.contains(flag), "{shell}: {flag}");
            }
        }
    }
}
