use std::path::PathBuf;

use clap_complete::Shell;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  weir completions bash > ~/.local/share/bash-completion/completions/weir
  weir completions fish > ~/.config/fish/completions/weir.fish
  weir completions zsh > ~/.zfunc/_weir      # and in ~/.zshrc, before compinit: fpath+=~/.zfunc
A package brings them along.")]
pub struct CompletionsArgs {
    /// The shell that is to complete
    pub shell: Shell,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  weir man | man -l -
  weir man ~/.local/share/man/man1     # then: man weir, man weir-crawl
A package brings them along.")]
pub struct ManArgs {
    /// Folder for the pages, one for each command; without it that of weir itself is printed
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}
