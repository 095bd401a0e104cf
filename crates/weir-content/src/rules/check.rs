//! From what was written to what can be asked: names are known, types fit, regexes are compiled.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::error::Wrong;
use super::expr::{Expr, Function};
use super::names::{Known, NOW};
use super::parser::{Comparison, Node, Sign, Syntax};
use super::time;
use super::value::{Type, Value};
use crate::near::nearest;

/// A regex that is compiled to more than this is refused.
const MAX_REGEX_BYTES: usize = 1 << 20;
const FUNCTIONS: [(&str, Function); 3] =
    [("length", Function::Length), ("lower", Function::Lower), ("days_since", Function::DaysSince)];
const TOPIC: &str = "topic";

type Checked = Result<(Expr, Type), Wrong>;

pub(super) struct Checker<'k> {
    /// The rule as written, to name its parts.
    pub text: &'k str,
    pub known: &'k Known,
}

impl Checker<'_> {
    /// A part that is true or false.
    pub fn condition(&self, syntax: &Syntax) -> Result<Expr, Wrong> {
        let (expr, kind) = self.value(syntax)?;
        if matches!(kind, Type::Boolean | Type::Any) {
            return Ok(expr);
        }
        let written = self.written(syntax);
        let what = format!("`{written}` is {kind}, not a condition");
        let remedy = match kind {
            Type::Number => format!("compare it, for example `{written} > 0`"),
            _ => format!("compare it, for example `{written} != null`"),
        };
        Err(Wrong::new(syntax.at.clone(), what, remedy))
    }

    fn conditions(&self, parts: &[Syntax]) -> Result<Vec<Expr>, Wrong> {
        parts.iter().map(|part| self.condition(part)).collect()
    }

    fn value(&self, syntax: &Syntax) -> Checked {
        Ok(match &syntax.node {
            Node::Null => (Expr::Constant(Value::Null), Type::Null),
            Node::Boolean(value) => (Expr::Constant(Value::Boolean(*value)), Type::Boolean),
            Node::Number(value) => (Expr::Constant(Value::Number(*value)), Type::Number),
            Node::Duration(value) => (Expr::Constant(Value::Duration(*value)), Type::Duration),
            Node::Text(text) => (Expr::Constant(Value::text(text.clone())), Type::Text),
            Node::Name(name) => return self.name(name, &syntax.at),
            Node::Call(name, parts) => return self.call(name, parts, &syntax.at),
            Node::List(parts) => return self.list(parts),
            Node::Not(what) => (Expr::Not(Box::new(self.condition(what)?)), Type::Boolean),
            Node::All(parts) => (Expr::All(self.conditions(parts)?), Type::Boolean),
            Node::Any(parts) => (Expr::Any(self.conditions(parts)?), Type::Boolean),
            Node::Minus(what) => return self.minus(what),
            Node::Sum(sign, left, right) => return self.sum(*sign, left, right),
            Node::Compare(how, left, right) => (self.compare(*how, left, right)?, Type::Boolean),
        })
    }

    fn name(&self, name: &str, at: &Range<usize>) -> Checked {
        let unknown =
            || Wrong::new(at.clone(), format!("unknown name `{name}`"), self.known.remedy(name));
        let kind = self.known.type_of(name).ok_or_else(unknown)?;
        let expr = if name == NOW { Expr::Now } else { Expr::Name(name.into()) };
        Ok((expr, kind))
    }

    fn list(&self, parts: &[Syntax]) -> Checked {
        let values: Result<_, _> = parts.iter().map(|part| Ok(self.value(part)?.0)).collect();
        Ok((Expr::List(values?), Type::List))
    }

    fn call(&self, name: &str, parts: &[Syntax], at: &Range<usize>) -> Checked {
        if name == TOPIC {
            return self.topic(parts, at);
        }
        let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            let known = FUNCTIONS.iter().map(|(known, _)| *known).chain([TOPIC]);
            let remedy = match nearest(name, known) {
                Some(known) => format!("did you mean `{known}(…)`?"),
                None => "there is topic(\"name\"), length(x), lower(x), days_since(x)".to_owned(),
            };
            let named = at.start..at.start + name.len();
            return Err(Wrong::new(named, format!("unknown function `{name}`"), remedy));
        };
        let [part] = parts else {
            let what = format!("`{name}` takes one value, not {}", parts.len());
            return Err(Wrong::new(at.clone(), what, format!("write `{name}(title)`")));
        };
        let (of, kind) = self.value(part)?;
        let (takes, gives, example) = match function {
            Function::Length => ([Type::Text, Type::List], Type::Number, "length(text)"),
            Function::Lower => ([Type::Text, Type::Text], Type::Text, "lower(title)"),
            Function::DaysSince => {
                ([Type::Time, Type::Time], Type::Number, "days_since(published)")
            }
        };
        if kind != Type::Any && !takes.contains(&kind) {
            let what = format!("`{name}` cannot be asked of {kind}");
            return Err(Wrong::new(
                part.at.clone(),
                what,
                format!("write for example `{example}`"),
            ));
        }
        Ok((Expr::Call(*function, Box::new(of)), gives))
    }

    fn topic(&self, parts: &[Syntax], at: &Range<usize>) -> Checked {
        let [Syntax { node: Node::Text(name), at }] = parts else {
            let what = "`topic` takes the name of a topic in quotes";
            return Err(Wrong::new(at.clone(), what, "write for example `topic(\"food\") > 0.4`"));
        };
        if !self.known.topics.contains(name) {
            let what = format!("unknown topic \"{name}\"");
            return Err(Wrong::new(at.clone(), what, self.known.topic_remedy(name)));
        }
        Ok((Expr::Topic(name.as_str().into()), Type::Number))
    }

    fn minus(&self, what: &Syntax) -> Checked {
        let (expr, kind) = self.value(what)?;
        if matches!(kind, Type::Number | Type::Duration | Type::Any) {
            return Ok((Expr::Minus(Box::new(expr)), kind));
        }
        let wrong = format!("`{}` is {kind}, and has no minus", self.written(what));
        Err(Wrong::new(what.at.clone(), wrong, "only numbers and durations have one"))
    }

    fn sum(&self, sign: Sign, left: &Syntax, right: &Syntax) -> Checked {
        let (left_expr, left_kind) = self.value(left)?;
        let (right_expr, right_kind) = self.value(right)?;
        let kind = match (left_kind, sign, right_kind) {
            (Type::Number, _, Type::Number) => Type::Number,
            (Type::Time, _, Type::Duration) | (Type::Duration, Sign::Plus, Type::Time) => {
                Type::Time
            }
            (Type::Duration, _, Type::Duration) | (Type::Time, Sign::Minus, Type::Time) => {
                Type::Duration
            }
            (Type::Any, _, _) | (_, _, Type::Any) => Type::Any,
            _ => {
                let word = if sign == Sign::Plus { "and" } else { "minus" };
                let what = format!("{left_kind} {word} {right_kind} is nothing");
                let at = left.at.start..right.at.end;
                return Err(Wrong::new(at, what, "write for example `now - 7d` or `1 + 2`"));
            }
        };
        Ok((Expr::Sum(sign, Box::new(left_expr), Box::new(right_expr)), kind))
    }

    fn compare(&self, how: Comparison, left: &Syntax, right: &Syntax) -> Result<Expr, Wrong> {
        match how {
            Comparison::In => self.is_in(left, right),
            Comparison::Contains => self.contains(left, right),
            Comparison::Matches => self.matches(left, right),
            _ => self.ordered(how, left, right),
        }
    }

    fn ordered(&self, how: Comparison, left: &Syntax, right: &Syntax) -> Result<Expr, Wrong> {
        if let (Node::Null, other) | (other, Node::Null) = (&left.node, &right.node) {
            let other = if std::ptr::eq(other, &left.node) { left } else { right };
            return self.is_null(how, other, left.at.start..right.at.end);
        }
        let left_side = self.value(left)?;
        let right_side = self.value(right)?;
        let (left_kind, right_kind) = (left_side.1, right_side.1);
        let left_side = self.as_time_beside(left_side, right_kind, how, left)?;
        let right_side = self.as_time_beside(right_side, left_kind, how, right)?;
        let exact = matches!(how, Comparison::Equal | Comparison::Unequal);
        self.comparable(&left_side, &right_side, exact, left, right)?;
        Ok(Expr::Compare(how, Box::new(left_side.0), Box::new(right_side.0)))
    }

    fn is_null(&self, how: Comparison, what: &Syntax, at: Range<usize>) -> Result<Expr, Wrong> {
        let is_null = Expr::IsNull(Box::new(self.value(what)?.0));
        match how {
            Comparison::Equal => Ok(is_null),
            Comparison::Unequal => Ok(Expr::Not(Box::new(is_null))),
            _ => {
                let remedy = format!("write `{} == null` or `!= null`", self.written(what));
                Err(Wrong::new(at, "null is neither less nor more than anything", remedy))
            }
        }
    }

    /// A text that stands beside a time is a date.
    fn as_time_beside(
        &self,
        side: (Expr, Type),
        other: Type,
        how: Comparison,
        syntax: &Syntax,
    ) -> Checked {
        let (Node::Text(text), Type::Time) = (&syntax.node, other) else { return Ok(side) };
        let Some(written) = time::parse(text) else {
            let what = format!("\"{text}\" is no date, and is compared with a time");
            let remedy = "write for example \"2026-11-01\", \"2026-11-01T18:00:00Z\" or now - 7d";
            return Err(Wrong::new(syntax.at.clone(), what, remedy));
        };
        if written.is_day && matches!(how, Comparison::Equal | Comparison::Unequal) {
            let what = "a day is the moment at which it begins, which a time hardly ever is";
            let remedy = format!("write `>= \"{text}\"` and `<` the day after");
            return Err(Wrong::new(syntax.at.clone(), what, remedy));
        }
        Ok((Expr::Constant(Value::Time(written.start)), Type::Time))
    }

    fn comparable(
        &self,
        (_, left_kind): &(Expr, Type),
        (_, right_kind): &(Expr, Type),
        exact: bool,
        left: &Syntax,
        right: &Syntax,
    ) -> Result<(), Wrong> {
        let ordered = |kind| !matches!(kind, Type::Boolean | Type::List);
        let fits = match (*left_kind, *right_kind) {
            (Type::List, _) | (_, Type::List) => false,
            (Type::Any, kind) | (kind, Type::Any) => exact || ordered(kind),
            (left, right) => left == right && (exact || ordered(left)),
        };
        if fits {
            return Ok(());
        }
        let (one, other) = (self.written(left), self.written(right));
        let what = format!("`{one}` is {left_kind} and `{other}` is {right_kind}");
        let remedy = self.mismatch_remedy((*left_kind, left), (*right_kind, right));
        Err(Wrong::new(left.at.start..right.at.end, what, remedy))
    }

    fn mismatch_remedy(&self, left: (Type, &Syntax), right: (Type, &Syntax)) -> String {
        use Type::{Boolean, Duration, List, Number, Text, Time};
        let (one, other) = (self.written(left.1), self.written(right.1));
        match (left.0, right.0) {
            (Time, Duration) => format!("write `now - {other}`, or compare `now - {one}`"),
            (Duration, Time) => format!("write `now - {one}`, or compare `now - {other}`"),
            (Time, Number) => format!("write a date in quotes, or compare `days_since({one})`"),
            (Number, Time) => format!("write a date in quotes, or compare `days_since({other})`"),
            (List, Number) => format!("compare its length: `length({one})`"),
            (List, _) => format!("write `{one} contains {other}`"),
            (_, List) => format!("write `{one} in {other}`"),
            (Number, Text) | (Text, Number) => {
                "write numbers without quotes and texts in quotes".to_owned()
            }
            (Boolean, Boolean) => "use `==`, `!=`, `and`, `or`, `not`".to_owned(),
            _ => "compare values of one kind".to_owned(),
        }
    }

    fn is_in(&self, left: &Syntax, right: &Syntax) -> Result<Expr, Wrong> {
        let what = self.value(left)?;
        let list = match &right.node {
            Node::List(parts) => {
                let part = |part| self.beside(&what, left, part);
                Expr::List(parts.iter().map(part).collect::<Result<_, _>>()?)
            }
            _ => match self.value(right)? {
                (list, Type::List | Type::Any) => list,
                (_, kind) => {
                    let wrong = format!("`{}` is {kind}, not a list", self.written(right));
                    let remedy = match kind {
                        Type::Text => "write a list, [\"…\"], or turn it round with `contains`",
                        _ => "write a list, for example [\"en\", \"de\"]",
                    };
                    return Err(Wrong::new(right.at.clone(), wrong, remedy));
                }
            },
        };
        Ok(Expr::Compare(Comparison::In, Box::new(what.0), Box::new(list)))
    }

    /// A part of a list that `what` may be equal to.
    fn beside(&self, what: &(Expr, Type), left: &Syntax, part: &Syntax) -> Result<Expr, Wrong> {
        let value = self.as_time_beside(self.value(part)?, what.1, Comparison::Equal, part)?;
        if value.1 != Type::Null {
            self.comparable(what, &value, true, left, part)?;
        }
        Ok(value.0)
    }

    fn contains(&self, left: &Syntax, right: &Syntax) -> Result<Expr, Wrong> {
        let (what, kind) = self.value(left)?;
        let (part, part_kind) = self.value(right)?;
        let fits = match kind {
            Type::Text => matches!(part_kind, Type::Text | Type::Any),
            Type::List | Type::Any => true,
            _ => false,
        };
        if !fits {
            let (one, other) = (self.written(left), self.written(right));
            let what = format!("`{one}` is {kind} and cannot contain `{other}`");
            let remedy = "texts contain texts in quotes, lists contain values";
            return Err(Wrong::new(left.at.start..right.at.end, what, remedy));
        }
        Ok(Expr::Compare(Comparison::Contains, Box::new(what), Box::new(part)))
    }

    fn matches(&self, left: &Syntax, right: &Syntax) -> Result<Expr, Wrong> {
        let (what, kind) = self.value(left)?;
        if !matches!(kind, Type::Text | Type::List | Type::Any) {
            let wrong = format!("`{}` is {kind}, and only texts match", self.written(left));
            return Err(Wrong::new(left.at.clone(), wrong, "compare it with `==` or `<`"));
        }
        let Node::Text(pattern) = &right.node else {
            let wrong = format!("`{}` is no regular expression", self.written(right));
            return Err(Wrong::new(right.at.clone(), wrong, "write one in quotes: \"^https://\""));
        };
        let regex = compile(pattern).map_err(|why| {
            let wrong = format!("the regular expression is wrong: {why}");
            Wrong::new(
                right.at.clone(),
                wrong,
                "a backslash takes the meaning from a sign: \"\\(\"",
            )
        })?;
        Ok(Expr::Matches(Box::new(what), Box::new(regex)))
    }

    fn written(&self, syntax: &Syntax) -> &str {
        self.text.get(syntax.at.clone()).unwrap_or_default()
    }
}

/// The reason is the last line of what the library says.
fn compile(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).size_limit(MAX_REGEX_BYTES).build();
    built.map_err(|why| match why {
        regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
        why => {
            let why = why.to_string();
            let last = why.lines().last().unwrap_or_default();
            last.trim().trim_start_matches("error: ").to_owned()
        }
    })
}
