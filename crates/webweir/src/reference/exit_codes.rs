use clap::{Command, CommandFactory};

use super::{MADE, cell, hold};
use crate::args::Args;
use crate::exit::Exit;

#[test]
fn the_exit_codes_of_the_reference_are_those_there_are() {
    let mut page = format!(
        "# Exit codes\n\n{MADE}\n\nWhat every command means by them; scripts may rely on it.\n\n| code | |\n| --- | --- |\n"
    );
    for exit in Exit::ALL {
        page.push_str(&format!("| {} | {} |\n", exit as u8, exit.meaning()));
    }
    page.push_str("\nWhat some commands say more closely:\n\n| | |\n| --- | --- |\n");
    told(&Args::command(), "weir", &mut page);
    hold("exit-codes.md", &page);
}

#[test]
fn every_exit_code_is_told() {
    for (at, exit) in Exit::ALL.into_iter().enumerate() {
        assert_eq!(exit as usize, at);
        assert!(Exit::told().contains(&format!("{at} {}", exit.meaning())));
    }
}

fn told(command: &Command, name: &str, page: &mut String) {
    for command in command.get_subcommands() {
        let name = format!("{name} {}", command.get_name());
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        if let Some((_, codes)) = help.split_once("Exit codes: ") {
            let codes = codes.split(".\n").next().unwrap_or(codes);
            page.push_str(&format!("| `{name}` | {} |\n", cell(codes)));
        }
        told(command, &name, page);
    }
}
