use crate::book::Mdbook;
use crate::dashboard::Browser;
use crate::needs::Needs;
use crate::shell::{Job, cargo, root_of_project};
use crate::soak::Chaos;
use crate::spark::Spark;
use crate::suites::Which;
use crate::tally::Tally;
use crate::{book, checks, dashboard, examples, fuzz, pytests, soak, spark, suites};

/// Everything that must hold before a change goes in. A step that fails does not stop the others.
pub fn test() -> bool {
    let mut tally = Tally::new();
    let needs = Needs::install(&mut tally);
    let mdbook = Mdbook::install();
    let browser = Browser::install();
    let spark = Spark::install();
    let chaos = Chaos::install();
    tally.step("fmt", cargo(["fmt", "--all", "--check"]).run());
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    tally.step("clippy", cargo(clippy).run());
    suites::tests(Which::Usual, |job| suites::with_python(job, &needs), &mut tally);
    suites::docs(&mut tally);
    suites::checkers(&needs, &mut tally);
    examples::all(&mut tally);
    book::test(mdbook, &mut tally);
    checks::short(checks::CAP, &mut tally);
    checks::short(checks::DUE, &mut tally);
    dashboard::test(browser, pytests::Which::Short, &mut tally);
    spark::test(spark, pytests::Which::Short, &mut tally);
    soak::test(chaos, pytests::Which::Short, &mut tally);
    tally.close()
}

pub fn dashboard(which: pytests::Which) -> bool {
    let mut tally = Tally::new();
    dashboard::test(Browser::install(), which, &mut tally);
    tally.close()
}

pub fn spark(which: pytests::Which) -> bool {
    let mut tally = Tally::new();
    spark::test(Spark::install(), which, &mut tally);
    tally.close()
}

/// The suites that others wrote, as one table. `test` runs them too.
pub fn conformance() -> bool {
    let mut tally = Tally::new();
    suites::tests(Which::Conformance, |job| job, &mut tally);
    tally.close()
}

/// Spoiled inputs for every parser, for longer than `test` has time.
pub fn fuzz(seconds: u64) -> bool {
    let mut tally = Tally::new();
    fuzz::run(seconds, &mut tally);
    tally.close()
}

/// What takes too long for every change.
pub fn soak() -> bool {
    let mut tally = Tally::new();
    let needs = Needs::install(&mut tally);
    suites::tests(Which::Long, |job| suites::with_python(job, &needs), &mut tally);
    tally.close()
}

pub fn bench(arguments: &[String]) -> bool {
    let script = root_of_project().join("bench/run");
    if !script.is_file() {
        eprintln!("{} is not there: nothing to run", script.display());
        return false;
    }
    Job::new(script).args(arguments).run()
}
