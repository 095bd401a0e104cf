//! A rule that was checked, and what it says of a record.

use std::cmp::Ordering;

use jiff::{SignedDuration, Timestamp};
use regex::Regex;

use super::Record;
use super::parser::{Comparison, Sign};
use super::time;
use super::value::Value;

#[derive(Debug)]
pub(super) enum Expr {
    Constant(Value<'static>),
    Now,
    Name(Box<str>),
    Topic(Box<str>),
    Call(Function, Box<Expr>),
    List(Vec<Expr>),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    IsNull(Box<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    Matches(Box<Expr>, Box<Regex>),
    Sum(Sign, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Length,
    Lower,
    DaysSince,
}

/// One record at one time.
#[derive(Clone, Copy)]
pub(super) struct Asked<'r> {
    pub record: &'r dyn Record,
    pub now: Timestamp,
}

impl<'r> Asked<'r> {
    /// Whether `expr` is true; null is not.
    pub fn holds(self, expr: &'r Expr) -> bool {
        match expr {
            Expr::Not(what) => !self.holds(what),
            Expr::All(parts) => parts.iter().all(|part| self.holds(part)),
            Expr::Any(parts) => parts.iter().any(|part| self.holds(part)),
            Expr::IsNull(what) => self.value(what) == Value::Null,
            Expr::Compare(Comparison::In, what, list) => self.is_in(what, list),
            Expr::Compare(Comparison::Contains, left, right) => self.contains(left, right),
            Expr::Compare(how, left, right) => compare(*how, &self.value(left), &self.value(right)),
            Expr::Matches(what, regex) => matches(&self.value(what), regex),
            _ => self.value(expr) == Value::Boolean(true),
        }
    }

    fn value(self, expr: &'r Expr) -> Value<'r> {
        match expr {
            Expr::Constant(value) => value.borrowed(),
            Expr::Now => Value::Time(self.now),
            Expr::Name(name) => self.record.get(name),
            Expr::Topic(name) => self.record.topic(name).map_or(Value::Null, Value::Number),
            Expr::Call(function, of) => self.call(*function, self.value(of)),
            Expr::List(parts) => Value::List(parts.iter().map(|part| self.value(part)).collect()),
            Expr::Minus(what) => minus(self.value(what)),
            Expr::Sum(sign, left, right) => sum(*sign, self.value(left), self.value(right)),
            _ => Value::Boolean(self.holds(expr)),
        }
    }

    fn call(self, function: Function, value: Value<'r>) -> Value<'r> {
        match (function, value) {
            (Function::Length, Value::Text(text)) => Value::Number(text.chars().count() as f64),
            (Function::Length, Value::List(list)) => Value::Number(list.len() as f64),
            (Function::Lower, Value::Text(text)) => Value::text(text.to_lowercase()),
            (Function::DaysSince, value) => match time_of(&value) {
                Some(then) => Value::Number(self.now.duration_since(then).as_secs_f64() / 86_400.0),
                None => Value::Null,
            },
            _ => Value::Null,
        }
    }

    /// A list that is written in the rule is asked part by part, so that nothing is copied.
    fn is_in(self, what: &'r Expr, list: &'r Expr) -> bool {
        let what = self.value(what);
        match list {
            Expr::List(parts) => parts.iter().any(|part| equal(&what, &self.value(part))),
            _ => match self.value(list) {
                Value::List(parts) => parts.iter().any(|part| equal(&what, part)),
                _ => false,
            },
        }
    }

    fn contains(self, left: &'r Expr, right: &'r Expr) -> bool {
        match (self.value(left), self.value(right)) {
            (Value::Text(text), Value::Text(part)) => text.contains(&*part),
            (Value::List(list), part) => list.iter().any(|value| equal(value, &part)),
            _ => false,
        }
    }
}

fn matches(value: &Value<'_>, regex: &Regex) -> bool {
    match value {
        Value::Text(text) => regex.is_match(text),
        Value::List(values) => values.iter().any(|value| matches(value, regex)),
        _ => false,
    }
}

fn compare(how: Comparison, left: &Value<'_>, right: &Value<'_>) -> bool {
    let Some(order) = order(left, right) else { return false };
    match how {
        Comparison::Equal => order.is_eq(),
        Comparison::Unequal => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::AtMost => order.is_le(),
        Comparison::More => order.is_gt(),
        Comparison::AtLeast => order.is_ge(),
        Comparison::In | Comparison::Contains | Comparison::Matches => false,
    }
}

fn equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    order(left, right).is_some_and(Ordering::is_eq)
}

/// `None` if there is none, as with null, and with a number and a text.
fn order(left: &Value<'_>, right: &Value<'_>) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.partial_cmp(right),
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        (Value::Boolean(left), Value::Boolean(right)) => Some(left.cmp(right)),
        (Value::Duration(left), Value::Duration(right)) => Some(left.cmp(right)),
        (Value::Time(left), right) => Some(left.cmp(&time_of(right)?)),
        (left, Value::Time(right)) => Some(time_of(left)?.cmp(right)),
        _ => None,
    }
}

/// Fields hold times as texts.
fn time_of(value: &Value<'_>) -> Option<Timestamp> {
    match value {
        Value::Time(time) => Some(*time),
        Value::Text(text) => time::parse(text).map(|written| written.start),
        _ => None,
    }
}

fn minus(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Number(number) => Value::Number(-number),
        Value::Duration(duration) => duration.checked_neg().map_or(Value::Null, Value::Duration),
        _ => Value::Null,
    }
}

/// What has no sum, or one beyond all times, is null.
fn sum<'r>(sign: Sign, left: Value<'r>, right: Value<'r>) -> Value<'r> {
    use Value::{Duration, Number, Time};
    match (left, sign, right) {
        (Number(left), Sign::Plus, Number(right)) => Number(left + right),
        (Number(left), Sign::Minus, Number(right)) => Number(left - right),
        (Duration(left), Sign::Plus, Duration(right)) => length(left.checked_add(right)),
        (Duration(left), Sign::Minus, Duration(right)) => length(left.checked_sub(right)),
        (Time(left), Sign::Minus, Time(right)) => Duration(left.duration_since(right)),
        (left, Sign::Plus, Duration(right)) => moved(&left, Some(right)),
        (left, Sign::Minus, Duration(right)) => moved(&left, right.checked_neg()),
        (Duration(left), Sign::Plus, right) => moved(&right, Some(left)),
        _ => Value::Null,
    }
}

fn length<'r>(duration: Option<SignedDuration>) -> Value<'r> {
    duration.map_or(Value::Null, Value::Duration)
}

fn moved<'r>(time: &Value<'_>, by: Option<SignedDuration>) -> Value<'r> {
    let moved = time_of(time).zip(by).and_then(|(time, by)| time.checked_add(by).ok());
    moved.map_or(Value::Null, Value::Time)
}

impl Expr {
    /// Every part of it, itself first.
    pub fn each(&self, see: &mut dyn FnMut(&Expr)) {
        see(self);
        match self {
            Expr::Constant(_) | Expr::Now | Expr::Name(_) | Expr::Topic(_) => {}
            Expr::List(parts) | Expr::All(parts) | Expr::Any(parts) => {
                parts.iter().for_each(|part| part.each(see));
            }
            Expr::Call(_, what)
            | Expr::Not(what)
            | Expr::Minus(what)
            | Expr::IsNull(what)
            | Expr::Matches(what, _) => what.each(see),
            Expr::Compare(_, left, right) | Expr::Sum(_, left, right) => {
                left.each(see);
                right.each(see);
            }
        }
    }
}
