use std::fs;
use std::path::PathBuf;

use crate::shell::{Job, find_program, root_of_project};
use crate::tally::Tally;

/// What the tests need beside Rust, as far as it could be had.
pub struct Needs {
    /// The interpreter of an environment that has all of `tests/python/requirements.txt`.
    pub python: Option<PathBuf>,
}

impl Needs {
    /// Installs what is missing if that is possible, and names what stays missing. The tests look
    /// for themselves and skip loudly what they cannot do; here the user learns the remedy.
    pub fn install(tally: &mut Tally) -> Needs {
        if find_program("nginx").is_none() && !apt_install("nginx-light") {
            tally.lacks("nginx", "install nginx-light (apt-get as root does it here)");
        }
        if !has_postgresql() && !apt_install("postgresql") {
            tally.lacks("PostgreSQL", "install postgresql (apt-get as root does it here)");
        }
        if find_program("ip").is_none() && !apt_install("iproute2") {
            tally.lacks("iproute2", "install iproute2 (apt-get as root does it here)");
        }
        let python = python_environment("venv", "tests/python/requirements.txt");
        if python.is_none() {
            let remedy = "needs python3 with venv and a package index for pip";
            tally.lacks("the Python checkers (tests/python/requirements.txt)", remedy);
        }
        Needs { python }
    }
}

/// Debian keeps its programs out of the way, a folder for each version.
fn has_postgresql() -> bool {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut servers = versions.map(|version| version.path().join("bin/initdb"));
    servers.any(|program| program.is_file()) || find_program("initdb").is_some()
}

pub fn apt_install(package: &str) -> bool {
    if find_program("apt-get").is_none() || !is_root() {
        return false;
    }
    let apt = |arguments: &[&str]| {
        Job::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").run()
    };
    let install = ["install", "-y", "-q", "--no-install-recommends", package];
    // Lists are fetched only if the package is unknown, or was replaced since they were fetched.
    apt(&install) || (apt(&["update", "-q"]) && apt(&install))
}

fn is_root() -> bool {
    Job::new("id").args(["-u"]).read().is_some_and(|user| user.trim() == "0")
}

/// Makes the environment in a folder of the cache, or leaves it alone if it has been made for the same
/// requirements. Its interpreter.
pub fn python_environment(name: &str, requirements: &str) -> Option<PathBuf> {
    let folder = cache_folder()?.join(name);
    let python = folder.join("bin/python");
    let wanted = root_of_project().join(requirements);
    let made_for = folder.join("requirements.txt");
    let current = || fs::read(&wanted).ok() == fs::read(&made_for).ok();
    if python.is_file() && made_for.is_file() && current() {
        return Some(python);
    }
    make_venv(&folder).then_some(())?;
    let pip = || Job::new(&python).args(["-m", "pip", "install", "--quiet", "--upgrade"]);
    // Python brings an old pip, which some packages are too new for.
    let newest = pip().args(["pip"]).run();
    if !newest || !pip().args(["-r"]).args([&wanted]).run() {
        return None;
    }
    fs::copy(&wanted, &made_for).ok().map(|_| python)
}

fn make_venv(folder: &PathBuf) -> bool {
    let venv = || Job::new("python3").args(["-m", "venv"]).args([folder]).run();
    find_program("python3").is_some() && venv() || apt_install("python3-venv") && venv()
}

/// `$XDG_CACHE_HOME/weir`, or `~/.cache/weir`. The tests keep their downloads there too.
pub fn cache_folder() -> Option<PathBuf> {
    let set = |key| std::env::var_os(key).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    let folder = cache.join("weir");
    fs::create_dir_all(&folder).ok().map(|()| folder)
}
