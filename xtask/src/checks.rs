//! Programs that check the real command against real sockets: `capcheck` looks at the wire,
//! `duecheck` at the clock.

use crate::shell::{Job, cargo, target_folder};
use crate::tally::Tally;

/// Their packages are named after them.
pub const CAP: &str = "capcheck";
pub const DUE: &str = "duecheck";

/// All of it, with what users get.
pub fn run(check: &str, arguments: &[String]) -> bool {
    match build(check, "release", &["--release"]) {
        Some(job) => job.args(arguments).run(),
        None => false,
    }
}

/// The short form, with what the tests have built already: it is fast enough for low rates.
pub fn short(check: &'static str, tally: &mut Tally) {
    let good = match build(check, "debug", &[]) {
        Some(job) => job.args(["--short"]).run_watched(|line| tally.look(line)),
        None => false,
    };
    tally.step(check, good);
}

/// Builds weir and the program, which is then to be run.
fn build(check: &str, profile: &str, flags: &[&str]) -> Option<Job> {
    let program = format!("weir-{check}");
    let packages = ["build", "--quiet", "--package", "webweir", "--package", &program];
    cargo(packages).args(flags).run().then_some(())?;
    let folder = target_folder();
    let built = folder.join(profile);
    let job = Job::new(built.join(&program));
    let paths = [("--weir", built.join("weir")), ("--folder", folder.join(check))];
    Some(paths.into_iter().fold(job, |job, (flag, path)| job.args([flag]).args([path])))
}
