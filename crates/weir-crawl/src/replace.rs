//! Files that are replaced as a whole: written beside and renamed, so that a reader or a kill finds the old one or
//! the new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A loss of power may take what was written lately, the old one too: for what can be had again.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    fs::write(&beside, bytes)?;
    fs::rename(&beside, path)
}

/// On disk when this returns, whatever happens to the machine. It waits for the disk.
pub fn replace_for_good(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// A text ends in a line feed.
pub fn terminated(mut text: Vec<u8>) -> Vec<u8> {
    text.push(b'\n');
    text
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        for replace in [replace, replace_for_good] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("some.json");
            // As a kill may have left it.
            fs::write(beside(&path), "{\"longer than the n").unwrap();
            for text in ["old", "new"] {
                replace(&path, text.as_bytes()).unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), text);
                assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
            }
        }
    }
}
