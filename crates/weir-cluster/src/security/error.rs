use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why keys could not be made or used.
#[derive(Debug, Error)]
pub enum KeysError {
    #[error(
        "{} exists already and is not overwritten: name another folder, or replace all keys in \
         it with --force (downloaders then need the new ones)",
        path.display()
    )]
    Exists { path: PathBuf },
    #[error("could not {what} {}: {why}", path.display())]
    Io { path: PathBuf, what: &'static str, why: io::Error },
    #[error(
        "{} is missing: make keys with `weir cluster init --keys {} --name HOST`, or copy the keys \
         folder of the scheduler to this machine",
        path.display(), folder(path).display()
    )]
    Missing { path: PathBuf },
    #[error(
        "others may open {} (mode {mode:03o}): close it with `chmod {right:03o} {}`",
        path.display(), path.display()
    )]
    Exposed { path: PathBuf, mode: u32, right: u32 },
    #[error(
        "{} cannot be used: {why}; make new keys with `weir cluster init --keys {} --name HOST \
         --force` on the machine of the scheduler and copy them to every downloader",
        path.display(), folder(path).display()
    )]
    Unusable { path: PathBuf, why: String },
    #[error("{} cannot be used: {why}; check the clock of this machine", path.display())]
    Early { path: PathBuf, why: String },
    #[error(
        "{} has no ca.key, so it can sign nothing more: make the keys anew with `weir cluster \
         init --keys {} --name HOST --keep-ca-key --force` (all machines then need the new ones)",
        dir.display(), dir.display()
    )]
    NoAuthority { dir: PathBuf },
    #[error(
        "{name:?} is not the name of a machine: give a host name or an IP address alone, such as \
         scheduler.example or 10.0.0.5, without scheme and port"
    )]
    BadName { name: String },
    #[error(
        "refused to listen on {listen} without TLS, since others than this machine may reach it: \
         make keys with `weir cluster init --keys DIR --name HOST` and start with --keys DIR, or \
         listen on 127.0.0.1"
    )]
    Open { listen: SocketAddr },
    #[error(
        "{url:?} is not the address of a scheduler: {why}; write it as \
         https://scheduler.example:7700"
    )]
    BadAddress { url: String, why: &'static str },
    #[error(
        "{url} needs keys: copy the keys folder of the scheduler to this machine and start with \
         --keys DIR"
    )]
    NeedsKeys { url: String },
    #[error(
        "refused to call {url} without TLS, since it is not this machine: write https:// instead \
         of http://, and start with --keys DIR"
    )]
    Plain { url: String },
    #[error("could not make keys: {0}")]
    Make(#[from] rcgen::Error),
    #[error("could not make keys: the system gave no random numbers")]
    Random,
    #[error("could not set up TLS with the keys in {}: {why}", dir.display())]
    Tls { dir: PathBuf, why: String },
}

impl KeysError {
    /// For `map_err`: `what` is a verb that the path completes, such as `"write"`.
    pub(super) fn io(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> KeysError {
        move |why| KeysError::Io { path: path.to_owned(), what, why }
    }

    /// For `map_err`, where a file that is not there has a remedy of its own.
    pub(super) fn open(path: &Path) -> impl FnOnce(io::Error) -> KeysError {
        move |why| match why.kind() {
            io::ErrorKind::NotFound => KeysError::Missing { path: path.to_owned() },
            _ => KeysError::io(path, "open")(why),
        }
    }

    pub(super) fn unusable(path: &Path, why: impl Into<String>) -> KeysError {
        KeysError::Unusable { path: path.to_owned(), why: why.into() }
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
