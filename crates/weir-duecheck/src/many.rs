//! What planning costs when there are very many sites.

use anyhow::{Context, Result};
use fastrand::Rng;

use crate::run::Runner;
use crate::web::Sites;

const SITES: usize = 1000;
/// Bytes a second: about half a minute for all.
const CAP: f64 = 8e6;
const SECONDS: f64 = 30.0;

/// Seconds that went into plans, and seconds of processor time of the whole crawl.
pub fn measure(runner: &Runner) -> Result<(f64, f64)> {
    let web = Sites::start_small(SITES, runner.seed).context("cannot start a thousand sites")?;
    let mut lot = Rng::with_seed(runner.seed);
    let due: Vec<f64> = (0..SITES).map(|_| SECONDS * (0.5 + lot.f64())).collect();
    runner.overhead(&web, CAP, &due)
}
