use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::KeysError;

pub(super) const AUTHORITY: &str = "ca.pem";
pub(super) const AUTHORITY_KEY: &str = "ca.key";
pub(super) const TOKEN: &str = "token";

/// Bits of a file's mode that let anyone but its owner in.
const OTHERS: u32 = 0o077;
/// No key, certificate or token comes near this; whatever does is something else.
const LONGEST: u64 = 64 * 1024;

/// A file to be written; a secret one is for its owner alone.
pub(super) struct NewFile {
    pub name: &'static str,
    pub text: String,
    pub secret: bool,
}

/// Writes a whole set of keys, or says why not. Old files in `replaced` are only touched with
/// `force`.
///
/// A crash may fall anywhere: each file comes under its name only when it is complete, all old ones
/// are gone before the first new one comes, and the token, which nothing goes without, comes last.
/// So a set that was cut short lacks a file and is refused.
pub(super) fn write_set(
    dir: &Path,
    files: &[NewFile],
    replaced: &[&str],
    force: bool,
) -> Result<(), KeysError> {
    private_folder(dir)?;
    let folder = lock(dir)?;
    if !force {
        replaced.iter().try_for_each(|name| absent(&dir.join(name)))?;
    }
    files.iter().try_for_each(|file| stage(dir, file))?;
    replaced.iter().try_for_each(|name| remove(&dir.join(name)))?;
    folder.sync_all().map_err(KeysError::io(dir, "sync"))?;
    let (tokens, others): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.name == TOKEN);
    others.into_iter().chain(tokens).try_for_each(|file| publish(dir, file.name))?;
    folder.sync_all().map_err(KeysError::io(dir, "sync"))
}

/// The text of a file that anyone may read.
pub(super) fn read(path: &Path) -> Result<String, KeysError> {
    text(path, File::open(path).map_err(KeysError::open(path))?)
}

/// The text of a file that only its owner may read; it is refused when others may.
pub(super) fn read_secret(path: &Path) -> Result<String, KeysError> {
    let file = File::open(path).map_err(KeysError::open(path))?;
    let mode = file.metadata().map_err(KeysError::io(path, "read"))?.permissions().mode();
    if mode & OTHERS != 0 {
        return Err(KeysError::Exposed { path: path.to_owned(), mode: mode & 0o777, right: 0o600 });
    }
    text(path, file)
}

fn text(path: &Path, file: File) -> Result<String, KeysError> {
    let mut text = String::new();
    match file.take(LONGEST).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(KeysError::unusable(path, "it is not text"))
        }
        Err(error) => Err(KeysError::io(path, "read")(error)),
    }
}

/// Makes the folder for its owner alone. One that is there and in use is not changed, since it may
/// be anything, but it must be closed to others, who could put keys of their own into it.
fn private_folder(dir: &Path) -> Result<(), KeysError> {
    if let Some(parent) = dir.parent() {
        fs::create_dir_all(parent).map_err(KeysError::io(parent, "create"))?;
    }
    match DirBuilder::new().mode(0o700).create(dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made.map_err(KeysError::io(dir, "create")),
    }
    let mode = fs::metadata(dir).map_err(KeysError::io(dir, "read"))?.permissions().mode();
    if mode & OTHERS == 0 {
        return Ok(());
    }
    if fs::read_dir(dir).map_err(KeysError::io(dir, "read"))?.next().is_some() {
        return Err(KeysError::Exposed { path: dir.to_owned(), mode: mode & 0o777, right: 0o700 });
    }
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
        .map_err(KeysError::io(dir, "close to others"))
}

/// Two sets at once would mix their keys.
fn lock(dir: &Path) -> Result<File, KeysError> {
    let folder = File::open(dir).map_err(KeysError::io(dir, "open"))?;
    match folder.try_lock() {
        Ok(()) => Ok(folder),
        Err(TryLockError::Error(error)) => Err(KeysError::io(dir, "lock")(error)),
        Err(TryLockError::WouldBlock) => {
            let busy = io::Error::other("another command makes keys in it; wait until it is done");
            Err(KeysError::io(dir, "lock")(busy))
        }
    }
}

fn absent(path: &Path) -> Result<(), KeysError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(KeysError::Exists { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(KeysError::io(path, "look for")(error)),
    }
}

fn stage(dir: &Path, file: &NewFile) -> Result<(), KeysError> {
    let path = staged(dir, file.name);
    // Left by a run that was cut short, maybe with a wider mode.
    remove(&path)?;
    let mode = if file.secret { 0o600 } else { 0o644 };
    let made = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
    let mut out = made.map_err(KeysError::io(&path, "create"))?;
    out.write_all(file.text.as_bytes()).map_err(KeysError::io(&path, "write"))?;
    out.sync_all().map_err(KeysError::io(&path, "sync"))
}

fn publish(dir: &Path, name: &str) -> Result<(), KeysError> {
    let path = dir.join(name);
    fs::rename(staged(dir, name), &path).map_err(KeysError::io(&path, "create"))
}

fn staged(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!(".{name}.new"))
}

fn remove(path: &Path) -> Result<(), KeysError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(KeysError::io(path, "remove")),
    }
}
