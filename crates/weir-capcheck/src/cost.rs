//! What a cap costs that nobody reaches: processor time with it, beside that without.

use anyhow::{Context, Result};

use crate::run::{self, Bench};
use crate::scenario::{Client, Control, Scenario};

/// A pair is run one after the other, and either first in turn: a machine is seldom the same for
/// minutes.
const PAIRS: u32 = 9;
const SECONDS: u64 = 4;
const MOST: f64 = 1.05;

/// Prints its line. True if it is as it should be; `number` and those after it are free.
pub fn is_small(bench: &Bench, scenario: &Scenario, number: u32) -> Result<bool> {
    let bench = Bench { seconds: SECONDS, ..bench.clone() };
    let without = Scenario { client: Client::Weir(Control::None), ..scenario.clone() };
    let mut ratios = Vec::new();
    for pair in 0..PAIRS {
        let of = |one: &Scenario, at| cpu_of_a_page(&bench, one, number + 2 * pair + at);
        let (with, without) = match pair % 2 {
            0 => {
                let with = of(scenario, 0)?;
                (with, of(&without, 1)?)
            }
            _ => {
                let without = of(&without, 0)?;
                (of(scenario, 1)?, without)
            }
        };
        ratios.push(with / without);
    }
    ratios.sort_by(f64::total_cmp);
    let [first, median, last] = [1, 2, 3].map(|quarter| ratios[(ratios.len() - 1) * quarter / 4]);
    let good = median <= MOST;
    println!(
        "{:<42} {:<9} processor time of a page: {median:.3} of that without a cap, median of \
         {PAIRS} pairs ({first:.3} to {last:.3} for half of them)  {}",
        scenario.name,
        scenario.client.name(),
        if good { "PASS" } else { "FAIL" }
    );
    Ok(good)
}

fn cpu_of_a_page(bench: &Bench, scenario: &Scenario, number: u32) -> Result<f64> {
    let figures = run::run(bench, scenario, number)?;
    let pages = figures.pages.filter(|pages| *pages > 0).context("no page was fetched")?;
    Ok(figures.cpu / pages as f64)
}
