//! What the papers say about their figures, as statements that can be checked.
//!
//! A claim that cannot hold, or does not hold with data of our making, is kept with the reason and is
//! checked all the same: it must fail.

mod bounded;
mod check;
mod claims;
mod data;
mod mechanisms;

pub use check::{Check, Than};

use bounded::BOUNDED;
use claims::CLAIMS;

use crate::figures::Figure;
use crate::table::Table;

/// One statement about one figure.
pub struct Claim {
    pub figure: &'static str,
    pub section: &'static str,
    /// What the paper says of it, shortened.
    pub text: &'static str,
    pub expected: Expected,
    pub check: Check,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Holds,
    /// With the reason why it does not.
    Not(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Holds,
    /// With the worst counterexample.
    Not(String),
}

impl Claim {
    /// Needs the figure itself, and for a comparison of two figures the other one as well.
    pub fn verdict(&self, figures: &[Figure]) -> Verdict {
        let found = figures.iter().find(|figure| figure.name == self.figure);
        match found {
            Some(figure) => self.check.verdict(figure, figures),
            None => Verdict::Not(format!("{} was not made", self.figure)),
        }
    }
}

/// All claims, in the order of the figures.
pub fn claims() -> impl Iterator<Item = &'static Claim> {
    CLAIMS.iter().chain(BOUNDED)
}

/// All claims about these figures, and what became of each.
pub fn table(figures: &[Figure]) -> Table {
    let columns = ["figure", "section", "claim", "holds", "expected", "counterexample", "why"];
    let mut table = Table::new("claims", columns);
    let known = |claim: &&'static Claim| figures.iter().any(|figure| figure.name == claim.figure);
    for claim in claims().filter(known) {
        let verdict = claim.verdict(figures);
        let (holds, worst) = match &verdict {
            Verdict::Holds => ("yes", ""),
            Verdict::Not(worst) => ("no", worst.as_str()),
        };
        let (expected, why) = match claim.expected {
            Expected::Holds => ("yes", ""),
            Expected::Not(why) => ("no", why),
        };
        let row = [claim.figure, claim.section, claim.text, holds, expected, worst, why];
        table.push(row.map(Into::into).to_vec());
    }
    table
}
