//! The chores of the project, as `cargo xtask CHORE`.
//!
//! `test` installs what the tests need and runs them all; `conformance` runs the suites of others;
//! `fuzz` and `soak` run the long versions; `capcheck` looks at the wire and `duecheck` at the clock;
//! `extraction` looks at what is read in pages; `book` builds the documentation and crawls it; `dashboard` and `spark` run their tests beside a real browser
//! and a real cluster; `proof` tries all that the README claims; `package` makes what users install;
//! `bench` hands over to `bench/run`. Nothing of weir itself is here. Read next: `chores.rs`.

mod book;
mod checks;
mod chores;
mod conformance;
mod dashboard;
mod examples;
mod extraction;
mod fuzz;
#[cfg(test)]
mod layers;
mod needs;
mod package;
mod proof;
mod pytests;
mod shell;
mod soak;
mod spark;
mod suites;
mod tally;

use std::process::ExitCode;

use crate::pytests::Which;

const HELP: &str = "\
cargo xtask CHORE

  test          install what the tests need, then fmt, clippy, all tests and all examples
  conformance   the suites of others, as one table (test runs them too)
  fuzz [--seconds N]
                spoiled inputs for every parser, N seconds each (60), each time others
  capcheck [--short] [--only WORDS] [--seconds N] [--list] […]
                whether the bandwidth cap holds on the wire: weir, its controls and its peers as
                one table (half an hour; test runs the short form; docs/cap.md)
  duecheck [--short] [--policy NAME] [--load NAME] [--seed N] […]
                whether deadlines are kept: sixty sites of unknown size, each policy beside the
                best plan that knows them (half an hour; test runs the short form; docs/deadlines.md)
  extraction [--data FOLDER] [--worst N]
                what is read in articles that people marked: weir, trafilatura, readability and
                newspaper as one table (docs/extraction.md)
  book          the documentation as a site, in target/book/html; its reference is written from the code, its links are
                checked by crawling it with weir (test does all but the writing)
  dashboard [--short]
                the page in a real browser, the API and the metrics beside real crawls (test runs the short form)
  spark [--short]
                the crawl on Spark, on a real standalone cluster (ten minutes; test runs the short form)
  proof [CLAIM…]
                every claim of the README in its short form; writes PROOF.md (an hour with building)
  package [deb|wheel]
                the Debian package and the wheel for Python, each tried, in target/package (docs/install.md)
  soak          the long versions of the tests (200,000 URLs; the largest sites)
  soak --minutes N [--seed N] [--report FILE] […]
                a crawl while processes are killed, disks are full, clocks jump and wires are cut, judged by a checker
                that shares no code with weir (docs/reliability.md; test tries the checker)
  bench [ARG…]  weir beside its peers: calls bench/run with the arguments";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (chore, rest) = match arguments.split_first() {
        Some((chore, rest)) => (chore.as_str(), rest),
        None => ("help", &[][..]),
    };
    let done = match (chore, rest) {
        ("test", []) => chores::test(),
        ("conformance", []) => chores::conformance(),
        ("fuzz", rest) if let Some(seconds) = fuzz::seconds(rest) => chores::fuzz(seconds),
        (check @ (checks::CAP | checks::DUE), rest) => checks::run(check, rest),
        ("extraction", rest) => extraction::run(rest),
        ("book", []) => book::run(),
        ("dashboard", []) => chores::dashboard(Which::All),
        ("dashboard", [short]) if short == "--short" => chores::dashboard(Which::Short),
        ("spark", []) => chores::spark(Which::All),
        ("spark", [short]) if short == "--short" => chores::spark(Which::Short),
        ("proof", only) => proof::run(only),
        ("package", []) => package::run(package::Which::All),
        ("package", [which]) if which == "deb" => package::run(package::Which::Deb),
        ("package", [which]) if which == "wheel" => package::run(package::Which::Wheel),
        ("soak", []) => chores::soak(),
        ("soak", rest) => soak::run(rest),
        ("bench", rest) => chores::bench(rest),
        ("help" | "--help" | "-h", _) => {
            println!("{HELP}");
            true
        }
        (other, rest) => {
            eprintln!("unknown: {other} {}\n\n{HELP}", rest.join(" "));
            return ExitCode::from(2);
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
