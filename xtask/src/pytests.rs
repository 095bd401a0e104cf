//! Suites of tests in Python, each with an environment of its own.

use std::path::{Path, PathBuf};
use std::thread::{JoinHandle, spawn};

use crate::needs::python_environment;
use crate::shell::{Job, built, root_of_project, target_folder};
use crate::tally::Tally;

/// An environment that is being made: some are large, and there is other work to do meanwhile.
pub struct Environment(JoinHandle<Option<PathBuf>>);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that are not marked `long`.
    Short,
    All,
}

impl Environment {
    /// For the tests in a folder of `tests/`, which says there what it requires.
    pub fn make(folder: &'static str) -> Environment {
        Environment(spawn(move || {
            python_environment(folder, &format!("tests/{folder}/requirements.txt"))
        }))
    }

    /// Its interpreter.
    pub fn python(self) -> Option<PathBuf> {
        self.0.join().ok().flatten()
    }
}

/// Where the programs are: those of whoever started this, or those of the tests.
pub fn programs() -> PathBuf {
    built().unwrap_or_else(|| target_folder().join("debug"))
}

/// Runs the tests in a folder of `tests/`, with the programs that were built. `equip` gives them what else they need.
pub fn run(
    folder: &str,
    python: &Path,
    which: Which,
    equip: impl FnOnce(Job) -> Job,
    tally: &mut Tally,
) -> bool {
    let job = Job::new(python)
        .args(["-m", "pytest", "-q", "--durations=5", &format!("tests/{folder}")])
        .args(if which == Which::Short { &["-m", "not long"][..] } else { &[] })
        .env("PYTHONPATH", root_of_project().join("python"))
        .env("WEIR_PROGRAMS", programs());
    equip(job).run_watched(|line| tally.look_at_pytest(line))
}
