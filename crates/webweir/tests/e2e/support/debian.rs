use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cache_folder;

/// A Debian package, unpacked and not installed.
pub struct Package {
    pub folder: PathBuf,
    pub version: String,
}

impl Package {
    /// Taken from the cache, or downloaded into it. The error says what was in the way.
    pub fn get(name: &str) -> Result<Package, String> {
        let cache = cache_folder().ok_or("there is neither HOME nor XDG_CACHE_HOME")?.join("sites");
        let place = cache.join(name);
        fs::create_dir_all(&cache).map_err(|why| format!("{}: {why}", cache.display()))?;
        let lock = File::create(cache.join("lock")).map_err(|why| why.to_string())?;
        lock.lock().map_err(|why| why.to_string())?; // tests run beside each other
        if !place.is_dir() {
            fetch(name, &cache, &place)?;
        }
        let version = fs::read_to_string(place.join("version")).map_err(|why| why.to_string())?;
        Ok(Package { folder: place.join("files"), version })
    }
}

/// Builds the folder aside and moves it into place whole, so that what is there is complete.
fn fetch(name: &str, cache: &Path, place: &Path) -> Result<(), String> {
    let aside = tempfile::tempdir_in(cache).map_err(|why| why.to_string())?;
    let download = |into: &Path| run("apt-get", &["download", "-q", name], into);
    if let Err(why) = download(aside.path()) {
        // The lists may be older than the archive. Without the right to renew them, that was it.
        run("apt-get", &["update", "-q"], aside.path()).map_err(|_| why)?;
        download(aside.path())?;
    }
    let package = only_package(aside.path())?;
    let package = package.to_str().ok_or("the cache has a name that is no text")?;
    let version = run("dpkg-deb", &["-f", package, "Version"], aside.path())?;
    run("dpkg-deb", &["-x", package, "files"], aside.path())?;
    fs::remove_file(package).map_err(|why| why.to_string())?;
    fs::write(aside.path().join("version"), version.trim()).map_err(|why| why.to_string())?;
    fs::rename(aside.keep(), place).map_err(|why| why.to_string())
}

fn only_package(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|why| why.to_string())?.flatten();
    let mut packages =
        entries.map(|it| it.path()).filter(|it| it.extension() == Some("deb".as_ref()));
    packages.next().ok_or_else(|| "apt-get left no package".into())
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<String, String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|why| format!("{program}: {why}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{program} {}: {}", arguments.join(" "), said.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
