//! The chaos run: a crawl while everything goes wrong, and a checker that shares no code with weir (docs/reliability.md).

use crate::needs::{apt_install, python_environment};
use crate::pytests::{self, Environment, Which};
use crate::shell::{Job, build_all, build_release, find_program, target_folder};
use crate::tally::Tally;

/// In `tests/`, and in the cache.
const FOLDER: &str = "soak";
const REQUIREMENTS: &str = "tests/soak/requirements.txt";

/// With what users get. Arguments are those of the script.
pub fn run(arguments: &[String]) -> bool {
    install_programs();
    let Some(python) = python_environment(FOLDER, REQUIREMENTS) else {
        eprintln!(
            "the Python environment of {REQUIREMENTS} could not be made (python3 with venv, a package index)"
        );
        return false;
    };
    let script = Job::new(python).args(["tests/soak/soak.py"]).args(arguments);
    build_release(["webweir", "weir-testsite"])
        && script.env("WEIR_PROGRAMS", target_folder().join("release")).run()
}

pub struct Chaos(Environment);

impl Chaos {
    pub fn install() -> Chaos {
        install_programs();
        Chaos(Environment::make(FOLDER))
    }
}

/// That the checker finds what it is there to find, with what the tests have built already.
pub fn test(chaos: Chaos, which: Which, tally: &mut Tally) {
    let Some(python) = chaos.0.python() else {
        return tally
            .skip("chaos: its Python environment could not be made (pip, a package index)");
    };
    let good = build_all() && pytests::run(FOLDER, &python, which, |job| job, tally);
    tally.step("chaos", good);
}

/// What cannot be installed is left out, and the run says so.
fn install_programs() {
    for (program, package) in [("ip", "iproute2"), ("faketime", "faketime")] {
        if find_program(program).is_none() && !apt_install(package) {
            eprintln!("MISSING: {program}: install {package} (apt-get as root does it here)");
        }
    }
}
