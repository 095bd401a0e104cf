use std::borrow::Cow;
use std::fmt;

use jiff::{SignedDuration, Timestamp};

/// What a name stands for in one record.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'r> {
    /// Not known, or not there.
    Null,
    Boolean(bool),
    Number(f64),
    Text(Cow<'r, str>),
    Time(Timestamp),
    Duration(SignedDuration),
    List(Vec<Value<'r>>),
}

impl<'r> Value<'r> {
    pub fn text(text: impl Into<Cow<'r, str>>) -> Value<'r> {
        Value::Text(text.into())
    }

    pub fn list<'a>(texts: impl IntoIterator<Item = &'r (impl AsRef<str> + ?Sized + 'a)>) -> Self
    where
        'a: 'r,
    {
        Value::List(texts.into_iter().map(|text| Value::text(text.as_ref())).collect())
    }

    /// A value of a field. An object is not known to rules.
    pub fn of_json(value: &'r serde_json::Value) -> Value<'r> {
        match value {
            serde_json::Value::Bool(value) => Value::Boolean(*value),
            serde_json::Value::Number(value) => value.as_f64().map_or(Value::Null, Value::Number),
            serde_json::Value::String(value) => Value::text(value.as_str()),
            serde_json::Value::Array(values) => {
                Value::List(values.iter().map(Value::of_json).collect())
            }
            serde_json::Value::Null | serde_json::Value::Object(_) => Value::Null,
        }
    }

    /// The same without owning its texts.
    pub(super) fn borrowed(&self) -> Value<'_> {
        match self {
            Value::Text(text) => Value::text(&**text),
            Value::List(values) => Value::List(values.iter().map(Value::borrowed).collect()),
            Value::Null => Value::Null,
            Value::Boolean(value) => Value::Boolean(*value),
            Value::Number(value) => Value::Number(*value),
            Value::Time(value) => Value::Time(*value),
            Value::Duration(value) => Value::Duration(*value),
        }
    }
}

/// What can be said of a value before there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Nothing.
    Any,
    Null,
    Boolean,
    Number,
    Text,
    Time,
    Duration,
    List,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Any => "anything",
            Type::Null => "null",
            Type::Boolean => "true or false",
            Type::Number => "a number",
            Type::Text => "a text",
            Type::Time => "a time",
            Type::Duration => "a duration",
            Type::List => "a list",
        })
    }
}
