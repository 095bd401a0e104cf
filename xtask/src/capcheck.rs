use crate::shell::{Job, cargo, target_folder};
use crate::tally::Tally;

/// Whether the cap holds on the wire, by a program of its own: it needs sockets and namespaces.
pub fn run(arguments: &[String]) -> bool {
    match build("release", &["--release"]) {
        Some(job) => job.args(arguments).run(),
        None => false,
    }
}

/// The short form, with what the tests have built already: it is fast enough for low rates.
pub fn short(tally: &mut Tally) {
    let good = match build("debug", &[]) {
        Some(job) => job.args(["--short"]).run_watched(|line| tally.look(line)),
        None => false,
    };
    tally.step("capcheck", good);
}

/// Builds weir and the program, which is then to be run.
fn build(profile: &str, flags: &[&str]) -> Option<Job> {
    let packages = ["build", "--quiet", "--package", "webweir", "--package", "weir-capcheck"];
    cargo(packages).args(flags).run().then_some(())?;
    let folder = target_folder();
    let built = folder.join(profile);
    let job = Job::new(built.join("weir-capcheck"));
    let paths = [("--weir", built.join("weir")), ("--folder", folder.join("capcheck"))];
    Some(paths.into_iter().fold(job, |job, (flag, path)| job.args([flag]).args([path])))
}
