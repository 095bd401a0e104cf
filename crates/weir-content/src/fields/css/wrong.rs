use cssparser::{BasicParseErrorKind, ParseErrorKind};
use selectors::parser::{SelectorParseError, SelectorParseErrorKind as Kind};

use crate::place::Place;

/// What is wrong with a selector, where, and what to do.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub what: String,
    pub place: Place,
    pub remedy: String,
}

const EXAMPLE: &str = "write for example \"article > p.lead\" or \"a[href^='https']\"";

impl Wrong {
    pub fn too_long(text: &str, most: usize) -> Wrong {
        let what = format!("it is longer than {most} bytes");
        Wrong { what, place: Place::new(text, 0..1), remedy: "write a shorter one".to_owned() }
    }

    pub fn too_deep(text: &str, at: usize, most: usize) -> Wrong {
        let what = format!("it is nested more than {most} deep");
        Wrong { what, place: Place::new(text, at..at + 1), remedy: EXAMPLE.to_owned() }
    }

    /// The library does not say where it stopped: that is behind the longest part from the start
    /// that is a selector. What is open at the end of one is closed by it.
    pub fn of(text: &str, why: &SelectorParseError, is_selector: impl Fn(&str) -> bool) -> Wrong {
        let ends = text.char_indices().map(|(at, _)| at).rev();
        let good = ends.into_iter().find(|end| is_selector(&text[..*end])).unwrap_or(0);
        let from = text.len() - behind_joint(&text[good..]).len();
        let rest = &text[from..];
        let to = from + rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (what, remedy) = explained(why, rest);
        Wrong {
            what: what.to_owned(),
            place: Place::new(text, from..to),
            remedy: remedy.to_owned(),
        }
    }
}

/// What stands behind the spaces, and behind one comma or combinator if something does: that alone is
/// no mistake, but no selector ends with it.
fn behind_joint(rest: &str) -> &str {
    let rest = rest.trim_start();
    match rest.strip_prefix([',', '>', '+', '~']).map(str::trim_start) {
        Some(behind) if !behind.is_empty() => behind,
        _ => rest,
    }
}

fn explained(why: &SelectorParseError, rest: &str) -> (&'static str, &'static str) {
    // The library takes `.1st` for a number.
    if rest.strip_prefix('.').is_some_and(|name| name.starts_with(|c: char| c.is_ascii_digit())) {
        return explained_kind(&Kind::ClassNeedsIdent, rest);
    }
    match &why.kind {
        ParseErrorKind::Basic(BasicParseErrorKind::EndOfInput) => ("it ends too early", EXAMPLE),
        ParseErrorKind::Basic(_) => ("this cannot stand here", EXAMPLE),
        ParseErrorKind::Custom(kind) => explained_kind(kind, rest),
    }
}

fn explained_kind(kind: &Kind, rest: &str) -> (&'static str, &'static str) {
    match kind {
        Kind::UnsupportedPseudoClassOrElement | Kind::UnexpectedIdent if rest.starts_with(':') => {
            ("this is not known", known_elsewhere(rest))
        }
        Kind::EmptySelector => ("an element is missing", EXAMPLE),
        Kind::DanglingCombinator => ("an element is missing beside `>`, `+` or `~`", EXAMPLE),
        Kind::ClassNeedsIdent => (
            "`.` needs the name of a class",
            "a name that begins with a digit is written \"[class~='123']\"",
        ),
        Kind::NoQualifiedNameInAttributeSelector | Kind::InvalidQualNameInAttr => {
            ("`[` needs the name of an attribute", "write for example \"[itemprop=price]\"")
        }
        Kind::BadValueInAttr => ("this is no value of an attribute", "write the value in quotes"),
        Kind::UnexpectedTokenInAttributeSelector => {
            ("this cannot stand in `[…]`", "the operators are =, ~=, ^=, $=, *= and |=")
        }
        Kind::ExpectedNamespace => ("there are no namespaces", "write the name without `|`"),
        Kind::NoIdentForPseudo | Kind::PseudoElementExpectedIdent => {
            ("`:` needs a name", "write for example \"li:first-child\"")
        }
        _ => ("this cannot stand here", EXAMPLE),
    }
}

/// What other tools know, and how it is said here.
fn known_elsewhere(rest: &str) -> &'static str {
    let name = rest.trim_start_matches(':');
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(name.len());
    match &name[..end] {
        "text" => "leave it out: the text of the element is what you get",
        "attr" => "leave it out, and give the field attr = \"…\"",
        "contains" | "has-text" | "icontains" => {
            "text cannot be asked for: use a class or an attribute"
        }
        "first" | "eq" => "leave it out: without many = true the first one is taken",
        "hover" | "focus" | "active" | "visited" | "checked" => {
            "leave it out: nobody uses the page"
        }
        _ => "there is :first-child, :nth-child(), :not(), :is(), :has() and so on",
    }
}
