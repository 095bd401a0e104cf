use std::path::Path;

use super::Result;
use crate::shell::Job;

/// All of these are files in a folder; or the first that is not.
pub fn has_all(folder: &Path, paths: &[&str]) -> Result<()> {
    match paths.iter().find(|path| !folder.join(path).is_file()) {
        Some(path) => Err(format!("{path} is not in it")),
        None => Ok(()),
    }
}

/// What a program prints, without the end of the line.
pub fn read(program: impl AsRef<Path>, arguments: &[&str]) -> Result<String> {
    let program = program.as_ref();
    let printed = Job::new(program).args(arguments).read();
    let printed = printed.map(|text| text.trim_end().to_owned());
    printed.ok_or_else(|| format!("{} {} failed", program.display(), arguments.join(" ")))
}

/// What was printed is what had to be.
pub fn same(what: &str, is: &str, wanted: &str) -> Result<()> {
    println!("{what}: {is}");
    if is == wanted { Ok(()) } else { Err(format!("{what} is {is:?}, not {wanted:?}")) }
}
