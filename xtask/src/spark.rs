//! The crawl on Spark, tested on a real standalone cluster.

use std::fs;

use crate::needs::apt_install;
use crate::pytests::{self, Environment, Which};
use crate::shell::{build_all, built, find_program, root_of_project};
use crate::tally::Tally;

/// In `tests/`, and in the cache.
const FOLDER: &str = "spark";

pub struct Spark(Environment);

impl Spark {
    /// Where there is no java, one is installed before this returns.
    pub fn install() -> Option<Spark> {
        if find_program("java").is_none() && !apt_install("openjdk-17-jre-headless") {
            return None;
        }
        Some(Spark(Environment::make(FOLDER)))
    }
}

/// Builds the core of the Python package, and runs the tests of both on a cluster.
pub fn test(spark: Option<Spark>, which: Which, tally: &mut Tally) {
    let Some(Spark(environment)) = spark else {
        return tally.skip("Spark: there is no java (apt-get as root installs one here)");
    };
    let Some(python) = environment.python() else {
        return tally
            .skip("Spark: its Python environment could not be made (pip, a package index)");
    };
    let is_built = (built().is_some() || build_all()) && put_core_in_place().is_ok();
    tally.step("build for Spark", is_built);
    if is_built {
        let good = pytests::run(FOLDER, &python, which, |job| job, tally);
        tally.step("tests on Spark", good);
    }
}

/// Where Python looks for it. A release has it in a wheel, made by maturin.
fn put_core_in_place() -> std::io::Result<()> {
    let core = pytests::programs().join("lib_webweir.so");
    let place = root_of_project().join("python/webweir/_webweir.abi3.so");
    let new = place.with_extension("new");
    fs::copy(core, &new)?;
    fs::rename(new, place)
}
