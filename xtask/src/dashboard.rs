//! The dashboard, in a real browser beside real crawls.

use crate::needs::apt_install;
use crate::pytests::{self, Environment, Which};
use crate::shell::{build_all, find_program, target_folder};
use crate::tally::Tally;

/// In `tests/`, and in the cache.
const FOLDER: &str = "dashboard";

pub struct Browser(Environment);

impl Browser {
    /// Where there is no Chromium, it is installed before this returns.
    pub fn install() -> Option<Browser> {
        if find_program("chromium").is_none() && !apt_install("chromium") {
            return None;
        }
        Some(Browser(Environment::make(FOLDER)))
    }
}

/// What was on the screen is kept in the build folder.
pub fn test(browser: Option<Browser>, which: Which, tally: &mut Tally) {
    let Some(Browser(environment)) = browser else {
        return tally.skip("dashboard: there is no chromium (apt-get as root installs it here)");
    };
    let Some(python) = environment.python() else {
        return tally
            .skip("dashboard: its Python environment could not be made (pip, a package index)");
    };
    let shots = target_folder().join("dashboard");
    let good = build_all()
        && pytests::run(FOLDER, &python, which, |job| job.env("WEIR_SHOTS", &shots), tally);
    tally.step("tests of the dashboard", good);
    println!("what was on the screen: {}", shots.display());
}
