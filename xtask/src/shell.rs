use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command that says what it is before it runs, in the root folder of the project.
pub struct Job {
    command: Command,
}

pub fn cargo<const N: usize>(arguments: [&str; N]) -> Job {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Job::new(cargo).args(arguments).by_hand()
}

impl Job {
    pub fn new(program: impl AsRef<OsStr>) -> Job {
        let mut command = Command::new(program);
        command.current_dir(root_of_project()).stdin(Stdio::null());
        Job { command }
    }

    pub fn args(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Job {
        self.command.args(arguments);
        self
    }

    pub fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Job {
        self.command.env(key, value);
        self
    }

    /// For what builds: without what cargo told this process of itself. ring is built anew whenever that changes, and
    /// with it nearly everything here, each time that somebody has used cargo by hand in between.
    pub fn by_hand(mut self) -> Job {
        for (key, _) in std::env::vars_os() {
            let name = key.to_string_lossy();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                self.command.env_remove(&key);
            }
        }
        self
    }

    /// Runs it for all to see. True if it ended well.
    pub fn run(mut self) -> bool {
        self.announce();
        match self.command.status() {
            Ok(status) => status.success(),
            Err(why) => self.cannot_start(&why),
        }
    }

    /// Runs it for all to see, and hands each line of its standard output to `look` as well.
    pub fn run_watched(mut self, mut look: impl FnMut(&str)) -> bool {
        self.announce();
        let mut child = match self.command.stdout(Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(why) => return self.cannot_start(&why),
        };
        if let Some(output) = child.stdout.take() {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                println!("{line}");
                look(&line);
            }
        }
        child.wait().is_ok_and(|status| status.success())
    }

    /// What it prints, if it ends well; nothing is shown.
    pub fn read(mut self) -> Option<String> {
        let output = self.command.stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn announce(&self) {
        let program = Path::new(self.command.get_program());
        let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
        let words: Vec<_> = self.command.get_args().map(|word| word.to_string_lossy()).collect();
        println!("\n$ {name} {}", words.join(" "));
    }

    fn cannot_start(&self, why: &std::io::Error) -> bool {
        eprintln!("cannot start {}: {why}", self.command.get_program().display());
        false
    }
}

/// Builds all there is, as for the tests: of fewer packages at a time, those they share would be built once more for
/// each, with other features.
pub fn build_all() -> bool {
    cargo(["build", "--quiet", "--workspace", "--all-targets"]).run()
}

/// Builds these packages as users get them, unless whoever started this has built everything.
pub fn build_release<const N: usize>(packages: [&str; N]) -> bool {
    let packages = packages.into_iter().flat_map(|package| ["--package", package]);
    built().is_some() || cargo(["build", "--quiet", "--release"]).args(packages).run()
}

/// The folder with all programs, if whoever started this has built them: `proof` does so once for all claims.
pub fn built() -> Option<PathBuf> {
    std::env::var_os("WEIR_PROGRAMS").map(PathBuf::from)
}

pub fn root_of_project() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask is a folder in the project").to_path_buf()
}

/// Where cargo builds.
pub fn target_folder() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root_of_project().join(folder),
        None => root_of_project().join("target"),
    }
}

/// Where a program is, looking also where Debian keeps servers.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join(name)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_called_as_by_hand() {
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "cargo has told this test");
        let job = cargo(["build"]);
        let removed: Vec<_> = job.command.get_envs().filter(|(_, value)| value.is_none()).collect();
        for key in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME"] {
            assert!(removed.iter().any(|(name, _)| *name == key), "{key}");
        }
    }
}
