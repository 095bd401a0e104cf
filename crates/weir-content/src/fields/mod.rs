//! Fields of a page by CSS selector, as users describe them in `weir.toml`:
//!
//! ```toml
//! [site.fields]
//! price = { css = "span.price", type = "number" }
//! images = { css = "figure img", attr = "src", type = "url", many = true }
//! ```
//!
//! Selectors are those of browsers (Selectors level 4: compounds, all combinators, attribute
//! operators, `:not`, `:is`, `:where`, `:has`, `:nth-child` and its kin). The tree has what stands
//! in the page, not what a browser adds to it: there is a `tbody` only where one is written.
//!
//! All that can be wrong with a field is found by [`Field::new`]; reading cannot fail, and is bounded
//! by [`MAX_STEPS`] and [`MAX_BYTES`] whatever the page and the selectors are. Read `search` next
//! (one pass over the page for all fields) and `finder` (what is worth a try), then `value` (from an element to a value).

pub(crate) mod css;
mod date;
mod finder;
mod html;
mod kind;
mod number;
mod page;
mod search;
#[cfg(test)]
mod tests;
mod value;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;
use url::Url;
use weir_parse::tree::Tree;

use css::Css;
use finder::Finder;
use page::Page;
use search::Search;

pub use kind::Kind;

/// The steps from element to element that are made for one page; what is not found by then is not.
pub const MAX_STEPS: u32 = 1_000_000;
/// The bytes that all fields of a page may have together.
pub const MAX_BYTES: usize = 4 << 20;

/// A field as users write it.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FieldSettings {
    pub css: String,
    /// The attribute that has the value; else it is the text, or what the element stands for: the
    /// `href` of a link for a URL, the `datetime` of a time for a date, the `content` of a `meta`.
    pub attr: Option<String>,
    /// The name of a [`Kind`]; `text` unless given.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// All elements as a list, not only the first one.
    #[serde(default)]
    pub many: bool,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FieldError {
    /// `place` is the selector with a mark below it.
    #[error("field `{field}`: the selector is wrong: {what}\n{place}\n{remedy}")]
    Selector { field: String, what: String, place: String, remedy: String },
    #[error("field `{field}`: unknown type {kind:?}: {remedy}")]
    Type { field: String, kind: String, remedy: String },
    #[error(
        "field `{field}`: {attr:?} is no name of an attribute: write for example attr = \"href\""
    )]
    Attribute { field: String, attr: String },
}

/// One field that was checked.
#[derive(Clone, Debug)]
pub struct Field {
    name: String,
    css: Css,
    attr: Option<String>,
    kind: Kind,
    many: bool,
}

impl Field {
    pub fn new(name: impl Into<String>, settings: &FieldSettings) -> Result<Field, FieldError> {
        let name = name.into();
        let kind = match &settings.kind {
            None => Kind::Text,
            Some(written) => Kind::parse(written).ok_or_else(|| FieldError::Type {
                field: name.clone(),
                kind: written.clone(),
                remedy: Kind::remedy(written),
            })?,
        };
        let css = Css::parse(&settings.css).map_err(|wrong| FieldError::Selector {
            field: name.clone(),
            what: wrong.what,
            place: wrong.place.to_string(),
            remedy: wrong.remedy,
        })?;
        let attr = settings.attr.as_ref().map(|attr| attr.trim().to_ascii_lowercase());
        if let Some(attr) = attr.as_ref().filter(|attr| !is_attribute_name(attr)) {
            return Err(FieldError::Attribute { field: name, attr: attr.clone() });
        }
        Ok(Field { name, css, attr, kind, many: settings.many })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn is_many(&self) -> bool {
        self.many
    }

    /// What a field is of which nothing was found.
    fn nothing(&self) -> Value {
        match (self.many, self.kind) {
            (true, _) => Value::Array(Vec::new()),
            (false, Kind::Boolean) => Value::Bool(false),
            (false, _) => Value::Null,
        }
    }
}

fn is_attribute_name(name: &str) -> bool {
    let cannot = |c: char| c.is_whitespace() || c.is_control() || "\"'>/=<[]".contains(c);
    !name.is_empty() && !name.contains(cannot)
}

/// All fields of a site.
#[derive(Debug, Default)]
pub struct Fields {
    fields: Vec<Field>,
    finder: Finder,
}

impl Fields {
    pub fn new(fields: Vec<Field>) -> Fields {
        Fields { finder: Finder::new(&fields), fields }
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// All fields by name. One that is not there is null, or an empty list, or false.
    pub fn read(&self, tree: &Tree<'_>, url: &Url) -> Map<String, Value> {
        let page = Page::new(tree, url);
        let found = Search::new(&self.fields, &page).run(&self.finder);
        let named = self.fields.iter().zip(found);
        named.map(|(field, values)| (field.name.clone(), joined(field, values))).collect()
    }
}

fn joined(field: &Field, values: Vec<Value>) -> Value {
    match values {
        values if values.is_empty() => field.nothing(),
        values if field.many => Value::Array(values),
        mut values => values.swap_remove(0),
    }
}
