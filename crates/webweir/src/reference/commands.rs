use clap::{Command, CommandFactory};

use super::{MADE, hold};
use crate::args::Args;

#[test]
fn the_commands_of_the_reference_are_those_there_are() {
    let mut weir = Args::command();
    weir.build();
    let mut page = format!(
        "# Commands\n\n{MADE}\n\nWhat `weir COMMAND --help` says. `man weir-crawl` has the same, and a shell completes it \
         (`weir completions --help`).\n"
    );
    below(&mut weir, "weir", &mut page);
    hold("commands.md", &page);
}

fn below(command: &mut Command, name: &str, page: &mut String) {
    for command in command.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        let name = format!("{name} {}", command.get_name());
        let help = command.render_long_help().to_string();
        // Some lines end in spaces, which editors take away.
        let lines: Vec<_> = help.trim_end().lines().map(str::trim_end).collect();
        page.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", lines.join("\n")));
        below(command, &name, page);
    }
}
