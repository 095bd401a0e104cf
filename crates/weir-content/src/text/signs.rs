//! What an element says about itself: by its name, its role, and the words in its class and id.

use weir_parse::tree::{Id, Name, Tree};

use super::words;

/// What an element says about itself; several may be true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs(u8);

impl Signs {
    /// The text of an article, and nothing else.
    pub const BODY: Signs = Signs(1);
    /// An article or the main part of a page.
    pub const CONTENT: Signs = Signs(2);
    /// Surely not the article: navigation, comments, what else there is to read.
    pub const SIDE: Signs = Signs(4);
    /// Hardly the article: shown around it, or on demand.
    pub const AROUND: Signs = Signs(8);
    /// About the article: who, when, tags, the text of a picture.
    pub const ABOUT: Signs = Signs(16);
    /// The beginning of an article: of this one, or of another that it links to.
    pub const TEASER: Signs = Signs(32);

    /// Not shown until something happens.
    pub const HIDDEN: Signs = Signs(64);

    pub fn has(self, any: Signs) -> bool {
        self.0 & any.0 != 0
    }

    pub const fn or(self, other: Signs) -> Signs {
        Signs(self.0 | other.0)
    }

    pub fn add(&mut self, other: Signs) {
        self.0 |= other.0;
    }
}

pub fn of(tree: &Tree<'_>, id: Id) -> Signs {
    let mut signs = of_name(tree.name(id));
    for (name, value) in tree.raw_attributes(id) {
        match name.len() {
            2 if name.eq_ignore_ascii_case("id") => words::read(value, &mut signs),
            4 if name.eq_ignore_ascii_case("role") => signs.add(of_role(value)),
            5 if name.eq_ignore_ascii_case("class") => words::read(value, &mut signs),
            5 if name.eq_ignore_ascii_case("style") && hides(value) => signs.add(Signs::HIDDEN),
            6 if name.eq_ignore_ascii_case("hidden") => signs.add(Signs::HIDDEN),
            8 if name.eq_ignore_ascii_case("itemprop") => signs.add(of_property(value)),
            11 if name.eq_ignore_ascii_case("aria-hidden") && value == "true" => {
                signs.add(Signs::AROUND);
            }
            _ => {}
        }
    }
    signs
}

fn of_name(name: Name) -> Signs {
    match name {
        Name::Article | Name::Main => Signs::CONTENT,
        Name::Nav | Name::Aside | Name::Footer => Signs::SIDE,
        Name::Form | Name::Dialog | Name::Figcaption => Signs::AROUND,
        _ => Signs::default(),
    }
}

fn of_role(role: &str) -> Signs {
    match role {
        "main" | "article" => Signs::CONTENT,
        "navigation" | "complementary" | "banner" | "contentinfo" | "search" | "dialog"
        | "alertdialog" | "menu" | "menubar" | "toolbar" | "tablist" => Signs::SIDE,
        _ => Signs::default(),
    }
}

fn of_property(property: &str) -> Signs {
    match property {
        "articleBody" | "reviewBody" => Signs::BODY,
        "comment" => Signs::SIDE,
        "author" | "datePublished" | "dateModified" | "keywords" | "caption" => Signs::ABOUT,
        _ => Signs::default(),
    }
}

/// `display: none` and `visibility: hidden`, with or without spaces.
fn hides(style: &str) -> bool {
    let has = |key: &str, value: &str| {
        style.split(';').filter_map(|rule| rule.split_once(':')).any(|(name, given)| {
            name.trim().eq_ignore_ascii_case(key)
                && given.trim().get(..value.len()).is_some_and(|g| g.eq_ignore_ascii_case(value))
        })
    };
    has("display", "none") || has("visibility", "hidden")
}
