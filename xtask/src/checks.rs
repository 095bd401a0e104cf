//! Programs that check the real command against real sockets: `capcheck` looks at the wire,
//! `duecheck` at the clock.

use crate::shell::{Job, build_all, build_release, target_folder};
use crate::tally::Tally;

/// Their packages are named after them.
pub const CAP: &str = "capcheck";
pub const DUE: &str = "duecheck";

/// All of it, with what users get.
pub fn run(check: &str, arguments: &[String]) -> bool {
    build_release(["webweir", &program(check)]) && job(check, "release").args(arguments).run()
}

/// The short form, with what the tests have built already: it is fast enough for low rates.
pub fn short(check: &'static str, tally: &mut Tally) {
    let good =
        build_all() && job(check, "debug").args(["--short"]).run_watched(|line| tally.look(line));
    tally.step(check, good);
}

fn program(check: &str) -> String {
    format!("weir-{check}")
}

fn job(check: &str, profile: &str) -> Job {
    let folder = target_folder();
    let built = folder.join(profile);
    let job = Job::new(built.join(program(check)));
    let paths = [("--weir", built.join("weir")), ("--folder", folder.join(check))];
    paths.into_iter().fold(job, |job, (flag, path)| job.args([flag]).args([path]))
}
