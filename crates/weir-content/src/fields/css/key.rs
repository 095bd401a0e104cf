use selectors::parser::{Combinator, Component, Selector};
use weir_parse::tree::Name;

use super::words::Words;

/// What an element has at least that a compound of a selector matches, as in `p.lead`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Id(String),
    Class(String),
    /// The name of one, in lower case.
    Attribute(String),
    Name(Name),
    Any,
}

/// What a selector asks at least.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asks {
    /// Of the element itself.
    pub subject: Key,
    /// Of one of those it stands in.
    pub ancestor: Key,
}

impl Asks {
    pub fn of(selector: &Selector<Words>) -> Asks {
        let mut compounds = selector.iter();
        let subject = best(compounds.by_ref().map(key));
        let mut ancestor = Key::Any;
        while let Some(combinator) = compounds.next_sequence() {
            let found = best(compounds.by_ref().map(key));
            // What stands in something that a sibling stands in stands in it, too.
            if matches!(combinator, Combinator::Child | Combinator::Descendant) {
                ancestor = best([ancestor, found].into_iter());
            }
        }
        Asks { subject, ancestor }
    }
}

/// The one that tells most.
fn best(keys: impl Iterator<Item = Key>) -> Key {
    let rank = |key: &Key| match key {
        Key::Id(_) => 0,
        Key::Class(_) => 1,
        Key::Attribute(_) => 2,
        Key::Name(_) => 3,
        Key::Any => 4,
    };
    keys.min_by_key(rank).unwrap_or(Key::Any)
}

fn key(component: &Component<Words>) -> Key {
    match component {
        Component::ID(id) => Key::Id(id.to_string()),
        Component::Class(class) => Key::Class(class.to_string()),
        Component::LocalName(name) => Key::Name(name.lower_name.name()),
        Component::AttributeInNoNamespaceExists { local_name_lower, .. } => {
            Key::Attribute(local_name_lower.to_string())
        }
        Component::AttributeInNoNamespace { local_name, .. } => {
            Key::Attribute(local_name.to_string())
        }
        Component::AttributeOther(other) => Key::Attribute(other.local_name_lower.to_string()),
        _ => Key::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::css::Css;

    #[test]
    fn what_tells_most_is_asked_first() {
        let class = |name: &str| Key::Class(name.to_owned());
        let id = |name: &str| Key::Id(name.to_owned());
        let attribute = |name: &str| Key::Attribute(name.to_owned());
        for (css, subject, ancestor) in [
            ("p", Key::Name(Name::P), Key::Any),
            ("p.a#b", id("b"), Key::Any),
            ("p[Data-X=y]", attribute("data-x"), Key::Any),
            ("[x]:not(.y)", attribute("x"), Key::Any),
            ("ul.a > li", Key::Name(Name::Li), class("a")),
            ("#x ul.a b li", Key::Name(Name::Li), id("x")),
            (".a + li", Key::Name(Name::Li), Key::Any),
            (".a b + li", Key::Name(Name::Li), class("a")),
            ("#s ~ ul li", Key::Name(Name::Li), Key::Name(Name::Ul)),
            (":is(.a, .b) *", Key::Any, Key::Any),
        ] {
            let asks = Css::parse(css).unwrap().asks().next().unwrap();
            assert_eq!(asks, Asks { subject, ancestor }, "{css}");
        }
    }
}
