//! Which records are kept: an expression that holds for them.
//!
//! ```text
//! published >= now - 7d and lang in ["en", "de"] and topic("food safety") > 0.4
//!     and not (url matches "^https://x/" or fields.price == null)
//! ```
//!
//! From weakest to tightest: `or`, `and`, `not`, comparisons (`==`, `!=`, `<`, `<=`, `>`, `>=`, `in`,
//! `contains`, `matches`; also `not in` and so on), `+` and `-`. Values are numbers (`500KB` is one),
//! texts in either kind of quotes, lists in brackets, durations (`7d`, `2h30m`), `true`, `false`,
//! `null`, the names of [`NAMES`], `fields.NAME`, `now`, and the functions `topic("name")`,
//! `length(x)`, `lower(x)` and `days_since(x)`.
//!
//! A value that is not known is null. `x == null` and `x != null` ask for it; every other comparison
//! with it is false, so that `lang != "en"` holds only where the language is known. A date in quotes
//! beside a time is the beginning of that day in UTC.
//!
//! All that can be wrong is found by [`Rule::new`]; asking a rule cannot fail. Read `parser` next,
//! then `check` (names and types) and `expr` (what a rule says of a record).

mod check;
mod error;
mod expr;
mod lexer;
mod names;
mod parser;
#[cfg(test)]
mod tests;
mod time;
mod value;
mod verdict;

use std::ops::Range;

use jiff::Timestamp;

use check::Checker;
use error::Wrong;
use expr::{Asked, Expr};
use parser::{Node, Syntax};

pub use error::RuleError;
pub use names::{Known, NAMES};
pub use value::{Type, Value};
pub use verdict::Failed;

/// What a rule is asked of.
pub trait Record {
    /// `name` is one of [`NAMES`], or `fields.` and the name of a field.
    fn get(&self, name: &str) -> Value<'_>;

    /// How much the record is about a topic, from 0 to 1; `None` if nobody knows.
    fn topic(&self, name: &str) -> Option<f64>;
}

/// A rule that was read and checked.
#[derive(Debug)]
pub struct Rule {
    text: String,
    /// What `and` joins, each of which must hold.
    parts: Vec<Part>,
    names: Vec<String>,
}

#[derive(Debug)]
struct Part {
    expr: Expr,
    /// Where it stands in the text of the rule.
    at: Range<usize>,
}

/// A longer rule is refused: it was not written by a person.
const MAX_LENGTH: usize = 16 << 10;

impl Rule {
    pub fn new(text: &str, known: &Known) -> Result<Rule, RuleError> {
        read(text, known).map_err(|wrong| wrong.shown_in(text))
    }

    /// Whether it holds for a record; `now` is what the rule calls so.
    pub fn holds(&self, record: &dyn Record, now: Timestamp) -> bool {
        self.parts.iter().all(|part| Asked { record, now }.holds(&part.expr))
    }

    /// What it asks of a record, each once, so that nobody needs to compute the rest.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

fn read(text: &str, known: &Known) -> Result<Rule, Wrong> {
    if text.len() > MAX_LENGTH {
        let what = format!("the rule is longer than {MAX_LENGTH} bytes");
        return Err(Wrong::new(0..0, what, "write a shorter one"));
    }
    let tokens = lexer::read(text)?;
    let syntax = parser::parse(&tokens)?;
    let mut joined = Vec::new();
    conjuncts(&syntax, &mut joined);
    let checker = Checker { text, known };
    let part = |syntax: &&Syntax| {
        let expr = checker.condition(syntax)?;
        Ok(Part { expr, at: syntax.at.clone() })
    };
    let parts = joined.iter().map(part).collect::<Result<Vec<Part>, Wrong>>()?;
    let mut names = Vec::new();
    for part in &parts {
        part.expr.each(&mut |expr| {
            if let Expr::Name(name) = expr {
                names.push(name.to_string());
            }
        });
    }
    names.sort();
    names.dedup();
    Ok(Rule { text: text.to_owned(), parts, names })
}

/// What `and` joins, in brackets or not.
fn conjuncts<'s>(syntax: &'s Syntax, joined: &mut Vec<&'s Syntax>) {
    match &syntax.node {
        Node::All(parts) => parts.iter().for_each(|part| conjuncts(part, joined)),
        _ => joined.push(syntax),
    }
}
