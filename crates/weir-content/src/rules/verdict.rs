use jiff::Timestamp;

use super::expr::{Asked, Expr};
use super::{Part, Record, Rule, Value};

/// Why a rule does not hold for a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// The first of what `and` joins that does not hold, as written.
    pub part: String,
    /// What stands in it and what that is for this record, each once.
    pub values: Vec<(String, String)>,
}

/// More of a value says nothing about why.
const MOST_CHARS: usize = 80;

impl Rule {
    /// `None` if it holds.
    pub fn failed(&self, record: &dyn Record, now: Timestamp) -> Option<Failed> {
        let asked = Asked { record, now };
        let part = self.parts.iter().find(|part| !asked.holds(&part.expr))?;
        let written = self.text.get(part.at.clone()).unwrap_or_default();
        Some(Failed { part: written.to_owned(), values: values(part, record) })
    }
}

fn values(part: &Part, record: &dyn Record) -> Vec<(String, String)> {
    let mut values: Vec<(String, String)> = Vec::new();
    part.expr.each(&mut |expr| {
        let (name, value) = match expr {
            Expr::Name(name) => (name.to_string(), shown(&record.get(name))),
            Expr::Topic(name) => {
                let score = record.topic(name);
                let shown = score.map_or("null".to_owned(), |score| format!("{score:.3}"));
                (format!("topic(\"{name}\")"), shown)
            }
            _ => return,
        };
        if !values.iter().any(|(known, _)| *known == name) {
            values.push((name, value));
        }
    });
    values
}

fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Time(value) => value.to_string(),
        Value::Duration(value) => format!("{value:#}"),
        Value::Text(text) => {
            let mut first: String = text.chars().take(MOST_CHARS).collect();
            if first.len() < text.len() {
                first.push('…');
            }
            format!("{first:?}")
        }
        Value::List(values) => {
            let first: Vec<String> = values.iter().take(5).map(shown).collect();
            let more = if values.len() > first.len() { ", …" } else { "" };
            format!("[{}{more}]", first.join(", "))
        }
    }
}
