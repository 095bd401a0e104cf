use crate::near::nearest;
use crate::rules::Type;

/// What the value of a field is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// White space collapsed.
    #[default]
    Text,
    /// The first number in it: `1,234.56`, `1.234,56`, `€ 12,-`.
    Number,
    /// The same without a fraction.
    Integer,
    /// The element, or its attribute, is there.
    Boolean,
    /// A time in UTC (RFC 3339), or a day, `2026-11-01`.
    Date,
    /// Absolute.
    Url,
    /// The element and all in it.
    Html,
}

const KINDS: [(&str, Kind); 7] = [
    ("text", Kind::Text),
    ("number", Kind::Number),
    ("integer", Kind::Integer),
    ("boolean", Kind::Boolean),
    ("date", Kind::Date),
    ("url", Kind::Url),
    ("html", Kind::Html),
];

impl Kind {
    pub fn parse(text: &str) -> Option<Kind> {
        KINDS.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind)
    }

    pub(super) fn remedy(written: &str) -> String {
        let names = KINDS.map(|(name, _)| name);
        match nearest(written, names.into_iter()) {
            Some(name) => format!("did you mean \"{name}\"?"),
            None => format!("there is {}", names.join(", ")),
        }
    }

    /// What a rule may do with it.
    pub fn of_rule(self) -> Type {
        match self {
            Kind::Text | Kind::Url | Kind::Html => Type::Text,
            Kind::Number | Kind::Integer => Type::Number,
            Kind::Boolean => Type::Boolean,
            Kind::Date => Type::Time,
        }
    }
}
