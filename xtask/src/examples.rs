use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Job, build_all, root_of_project, target_folder};
use crate::tally::Tally;

/// Runs everything in `examples/`: scripts with `weir` on the path, and programs in Rust.
pub fn all(tally: &mut Tally) {
    let examples = root_of_project().join("examples");
    if !build_all() {
        return tally.step("examples", false);
    }
    for script in files(&examples, "sh") {
        let good = Job::new("bash").args([&script]).env("PATH", path_with_weir()).run();
        note(tally, &script, good);
    }
    for program in files(&examples, "rs") {
        let name = program.file_stem().unwrap_or_default();
        let good = Job::new(target_folder().join("debug/examples").join(name)).run();
        note(tally, &program, good);
    }
}

fn note(tally: &mut Tally, example: &Path, good: bool) {
    tally.count(u64::from(good), u64::from(!good));
    let shown = example.strip_prefix(root_of_project()).unwrap_or(example);
    tally.step(&format!("example {}", shown.display()), good);
}

fn path_with_weir() -> std::ffi::OsString {
    let mut folders = vec![target_folder().join("debug")];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    std::env::join_paths(folders).expect("folders taken from PATH go back into it")
}

/// In order; nothing if the folder is not there.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let has = |path: &PathBuf| path.extension().is_some_and(|it| it == extension);
    let mut found: Vec<PathBuf> = all.filter(has).collect();
    found.sort();
    found
}
