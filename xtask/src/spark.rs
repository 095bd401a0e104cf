//! The crawl on Spark, tested on a real standalone cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::{JoinHandle, spawn};

use crate::needs::{apt_install, python_environment};
use crate::shell::{Job, cargo, find_program, root_of_project, target_folder};
use crate::tally::Tally;

const REQUIREMENTS: &str = "tests/spark/requirements.txt";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The same pages as on one machine, though an executor is killed.
    Short,
    All,
}

/// An environment with Spark that is being made: it is large, and there is other work to do meanwhile.
pub struct Spark(JoinHandle<Option<PathBuf>>);

impl Spark {
    /// Where there is no java, one is installed before this returns.
    pub fn install() -> Option<Spark> {
        if find_program("java").is_none() && !apt_install("openjdk-17-jre-headless") {
            return None;
        }
        Some(Spark(spawn(|| python_environment("spark", REQUIREMENTS))))
    }
}

/// Builds the core of the Python package, and runs the tests of both on a cluster.
pub fn test(spark: Option<Spark>, which: Which, tally: &mut Tally) {
    let Some(Spark(python)) = spark else {
        return tally.skip("Spark: there is no java (apt-get as root installs one here)");
    };
    let Ok(Some(python)) = python.join() else {
        return tally
            .skip("Spark: its Python environment could not be made (pip, a package index)");
    };
    let is_built = build();
    tally.step("build for Spark", is_built);
    if is_built {
        run(&python, which, tally);
    }
}

fn build() -> bool {
    let built = cargo(["build", "-p", "weir-py", "-p", "webweir", "-p", "weir-testsite"]).run();
    built && put_core_in_place().is_ok()
}

/// Where Python looks for it. A release has it in a wheel, made by maturin.
fn put_core_in_place() -> std::io::Result<()> {
    let core = target_folder().join("debug/lib_webweir.so");
    let place = root_of_project().join("python/webweir/_webweir.abi3.so");
    let new = place.with_extension("new");
    fs::copy(core, &new)?;
    fs::rename(new, place)
}

fn run(python: &Path, which: Which, tally: &mut Tally) {
    let programs: PathBuf = target_folder().join("debug");
    let job = Job::new(python)
        .args(["-m", "pytest", "-q", "--durations=5", "tests/spark"])
        .args(if which == Which::Short { &["-m", "not long"][..] } else { &[] })
        .env("PYTHONPATH", root_of_project().join("python"))
        .env("WEIR_PROGRAMS", programs);
    let good = job.run_watched(|line| tally.look_at_pytest(line));
    tally.step("tests on Spark", good);
}
