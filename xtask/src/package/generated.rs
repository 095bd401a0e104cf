use std::fs;
use std::path::{Path, PathBuf};

use super::{Result, cannot, empty, must};
use crate::shell::{Job, target_folder};

/// What `weir` writes about itself, where the list of assets in Cargo.toml looks for it.
pub const FOLDER: &str = "release/packaged";

/// A shell, and what it calls the file with the completions for `weir`.
pub const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "completions/weir"), ("zsh", "completions/_weir"), ("fish", "completions/weir.fish")];

pub const MANUAL: &str = "man";

/// Completions and manual pages, written by the command that they are for.
pub fn write(weir: &Path) -> Result<()> {
    let folder = empty(&target_folder().join(FOLDER))?;
    manual(weir, &folder.join(MANUAL))?;
    COMPLETIONS.iter().try_for_each(|(shell, file)| complete(weir, shell, &folder.join(file)))
}

/// cargo-deb compresses only what it does not find in the build folder.
fn manual(weir: &Path, folder: &Path) -> Result<()> {
    must(Job::new(weir).args(["man"]).args([folder]), "weir man")?;
    // Without names and times: the same pages give the same files.
    must(Job::new("gzip").args(["-9", "--no-name", "--recursive"]).args([folder]), "gzip")
}

fn complete(weir: &Path, shell: &str, file: &PathBuf) -> Result<()> {
    let script = Job::new(weir).args(["completions", shell]).read();
    let script = script.ok_or_else(|| format!("weir completions {shell} failed"))?;
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(file, script))
        .map_err(|why| cannot("write", file, &why))
}
