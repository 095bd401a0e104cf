/// The version, and the commit that it was built from; from sources without git the version alone.
pub const VERSION: &str = env!("WEIR_VERSION");

#[cfg(test)]
#[path = "../commit.rs"]
mod commit;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::VERSION;
    use super::commit::Commit;

    #[test]
    fn the_version_names_the_commit_it_was_built_from() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let number = env!("CARGO_PKG_VERSION");
        match Commit::of(&root) {
            Some(commit) => assert_eq!(VERSION, format!("{number} ({})", commit.hash)),
            None => assert_eq!(VERSION, number),
        }
    }

    #[test]
    fn sources_without_git_have_no_commit_also_inside_of_another_checkout() {
        let outer = tempfile::tempdir().unwrap();
        let sources = outer.path().join("weir-0.1.0");
        fs::create_dir(&sources).unwrap();
        assert!(Commit::of(&sources).is_none());
        if !make_checkout(outer.path()) {
            return println!("SKIPPED: version: there is no git");
        }
        assert!(Commit::of(&sources).is_none());
        let commit = Commit::of(outer.path()).unwrap();
        assert_eq!(commit.hash.len(), 10);
        assert!(commit.watched.iter().all(|file| file.is_file()));
    }

    #[test]
    fn another_commit_changes_a_file_that_is_watched() {
        let folder = tempfile::tempdir().unwrap();
        if !make_checkout(folder.path()) {
            return println!("SKIPPED: version: there is no git");
        }
        let look = |commit: &Commit| -> Vec<String> {
            commit.watched.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
        };
        let one = Commit::of(folder.path()).unwrap();
        let before = look(&one);
        assert!(git(folder.path(), &["commit", "--quiet", "--allow-empty", "-m", "two"]));
        assert_ne!(Commit::of(folder.path()).unwrap().hash, one.hash);
        assert_ne!(look(&one), before);
    }

    fn make_checkout(folder: &Path) -> bool {
        git(folder, &["init", "--quiet"])
            && git(folder, &["commit", "--quiet", "--allow-empty", "-m", "one"])
    }

    fn git(folder: &Path, arguments: &[&str]) -> bool {
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let mut command = Command::new("git");
        command.current_dir(folder).env_remove("GIT_DIR").env_remove("GIT_WORK_TREE");
        command.args(who).args(arguments).status().is_ok_and(|status| status.success())
    }
}
