//! What is read in pages, beside tools of others from the package index of Python.

use crate::needs::python_environment;
use crate::shell::{Job, build_release, target_folder};

const REQUIREMENTS: &str = "crates/weir-readcheck/peers/requirements.txt";

/// False if weir misses a bar. Without the tools of others it is measured alone.
pub fn run(arguments: &[String]) -> bool {
    if !build_release(["weir-readcheck"]) {
        return false;
    }
    let job = Job::new(target_folder().join("release/weir-readcheck")).args(arguments);
    match python_environment("readers", REQUIREMENTS) {
        Some(python) => job.args(["--peers"]).args([python]).run(),
        None => {
            println!("SKIPPED: tools of others: pip cannot install {REQUIREMENTS}");
            job.run()
        }
    }
}
