use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rcgen::KeyPair;
use rustls::pki_types::ServerName;

use super::KeysError;
use super::certificates::{Authority, Leaf, authority_until, leaf_until};
use super::files::{AUTHORITY, AUTHORITY_KEY, NewFile, TOKEN, read, read_secret, write_set};
use super::keys::{Keys, Side};
use super::token::Token;

/// What the scheduler may be called beside the names given, so that keys work on one machine too.
const ALWAYS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// What else may be asked of [`init`].
#[derive(Debug, Clone, Copy, Default)]
pub struct InitOptions {
    /// Replaces keys that are there; downloaders then need the new ones.
    pub force: bool,
    /// Keeps the private key of the authority as `ca.key`, for [`add_downloader`]. Otherwise
    /// nobody can ever sign another certificate, which is the safer choice.
    pub keep_ca_key: bool,
}

/// What was made, for the command to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    pub dir: PathBuf,
    /// The names of the files in `dir`.
    pub files: Vec<&'static str>,
    /// Every name and address under which a downloader may call the scheduler.
    pub names: Vec<String>,
    /// When the certificates of scheduler and downloaders end, and new ones are needed.
    pub until: SystemTime,
    /// When the authority itself ends.
    pub authority_until: SystemTime,
}

/// Makes the keys of a cluster in `dir`, for a scheduler that downloaders reach under `names`.
///
/// The scheduler needs `ca.pem`, `scheduler.pem`, `scheduler.key` and `token`, a downloader
/// `ca.pem`, `downloader.pem`, `downloader.key` and `token`; a copy of the whole folder is fine
/// for both. Nothing is overwritten unless `options.force` says so.
pub fn init(
    dir: &Path,
    names: &[String],
    options: InitOptions,
    now: SystemTime,
) -> Result<Made, KeysError> {
    let names = checked(names)?;
    let authority = Authority::new()?;
    let mut files = Vec::new();
    // First, so that a crash leaves no set that seems complete but cannot sign.
    if options.keep_ca_key {
        files.push(NewFile { name: AUTHORITY_KEY, text: authority.key(), secret: true });
    }
    files.push(NewFile { name: AUTHORITY, text: authority.certificate(now)?, secret: false });
    files.extend(side_files(Side::Scheduler, authority.scheduler(&names, now)?));
    files.extend(side_files(Side::Downloader, authority.downloader("downloader", now)?));
    files.push(token_file(&Token::random()?));
    let mut replaced: Vec<&str> = files.iter().map(|file| file.name).collect();
    // A key that belongs to an older authority would sign what nobody trusts.
    replaced.push(AUTHORITY_KEY);
    write_set(dir, &files, &replaced, options.force)?;
    Ok(made(dir, &files, names, now))
}

/// Makes a certificate for one more downloader, in a folder of its name below `dir` that is ready
/// to be copied to its machine. It needs the `ca.key` that [`InitOptions::keep_ca_key`] keeps.
pub fn add_downloader(
    dir: &Path,
    name: &str,
    force: bool,
    now: SystemTime,
) -> Result<Made, KeysError> {
    let name = checked(&[name.to_owned()])?.swap_remove(0);
    let authority = kept_authority(dir)?;
    let leaf = authority.downloader(&name, now)?;
    let certificate = read(&dir.join(AUTHORITY))?;
    let token = Token::read(&dir.join(TOKEN))?;
    Keys::check_signed(dir, &certificate, Side::Downloader, &leaf.certificate, now)?;
    let mut files = vec![NewFile { name: AUTHORITY, text: certificate, secret: false }];
    files.extend(side_files(Side::Downloader, leaf));
    files.push(token_file(&token));
    let replaced: Vec<&str> = files.iter().map(|file| file.name).collect();
    let folder = dir.join(&name);
    write_set(&folder, &files, &replaced, force)?;
    Ok(made(&folder, &files, vec![name], now))
}

fn kept_authority(dir: &Path) -> Result<Authority, KeysError> {
    let path = dir.join(AUTHORITY_KEY);
    let pem = read_secret(&path).map_err(|error| match error {
        KeysError::Missing { .. } => KeysError::NoAuthority { dir: dir.to_owned() },
        other => other,
    })?;
    let key = KeyPair::from_pem(&pem);
    Ok(Authority::of(key.map_err(|_| KeysError::unusable(&path, "it is no private key"))?))
}

/// The names as given and those that always hold, each once.
fn checked(names: &[String]) -> Result<Vec<String>, KeysError> {
    let mut checked: Vec<String> = Vec::new();
    for name in names.iter().map(String::as_str).chain(ALWAYS) {
        if ServerName::try_from(name).is_err() {
            return Err(KeysError::BadName { name: name.to_owned() });
        }
        if !checked.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            checked.push(name.to_owned());
        }
    }
    Ok(checked)
}

fn side_files(side: Side, leaf: Leaf) -> [NewFile; 2] {
    [
        NewFile { name: side.certificate(), text: leaf.certificate, secret: false },
        NewFile { name: side.key(), text: leaf.key, secret: true },
    ]
}

fn token_file(token: &Token) -> NewFile {
    NewFile { name: TOKEN, text: format!("{}\n", token.text()), secret: true }
}

fn made(dir: &Path, files: &[NewFile], names: Vec<String>, now: SystemTime) -> Made {
    Made {
        dir: dir.to_owned(),
        files: files.iter().map(|file| file.name).collect(),
        names,
        until: leaf_until(now),
        authority_until: authority_until(now),
    }
}
