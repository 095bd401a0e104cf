use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{cache_folder, skip};

/// The interpreter that has the checkers' libraries. Says so if there is none.
pub fn python(suite: &str) -> Option<PathBuf> {
    let given = std::env::var_os("WEIR_TEST_PYTHON").map(PathBuf::from);
    let made = || cache_folder().map(|folder| folder.join("venv/bin/python"));
    let found = given.or_else(made).filter(|python| python.is_file());
    if found.is_none() {
        skip(suite, "no Python with the checkers' libraries; cargo xtask test makes one");
    }
    found
}

/// What a script of `tests/python` prints. What it says on standard error is the test's too.
pub fn run(python: &Path, script: &str, arguments: &[&str]) -> Result<String, String> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/python");
    let mut command = Command::new(python);
    command.arg(scripts.join(script)).args(arguments).stdin(Stdio::null());
    let output = command.output().map_err(|why| format!("{}: {why}", python.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{script} {}: {said}", arguments.join(" ")));
    }
    String::from_utf8(output.stdout).map_err(|why| format!("{script}: {why}"))
}
