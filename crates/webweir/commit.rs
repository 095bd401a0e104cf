use std::path::{Path, PathBuf};
use std::process::Command;

/// What the sources in a folder are, by git.
pub struct Commit {
    pub hash: String,
    /// The files that change when another commit is checked out or made.
    pub watched: Vec<PathBuf>,
}

impl Commit {
    /// None without git, and where `root` is not the top of a checkout: sources that were unpacked from an archive may
    /// lie in a checkout of something else.
    pub fn of(root: &Path) -> Option<Commit> {
        let top = PathBuf::from(git(root, &["rev-parse", "--show-toplevel"])?);
        if top.canonicalize().ok()? != root.canonicalize().ok()? {
            return None;
        }
        let hash = git(root, &["rev-parse", "--short=10", "HEAD"])?;
        let place = |name| git(root, &["rev-parse", "--git-path", name]);
        let files = ["HEAD", "logs/HEAD"].into_iter().filter_map(place).map(|file| root.join(file));
        // One that is not there would make cargo build again each time.
        Some(Commit { hash, watched: files.filter(|file| file.is_file()).collect() })
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    // A hook of git has these set, for the repository whose hook it is.
    let mut command = Command::new("git");
    command.current_dir(folder).env_remove("GIT_DIR").env_remove("GIT_WORK_TREE");
    let output = command.args(arguments).output().ok().filter(|it| it.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
