//! The attributes of a page: title, times, authors, owner, language, videos, product.
//!
//! Everything a page tells them by is gathered in one pass (`page.rs`); then there is a file for each
//! attribute, which takes the best source that has it. Sources are linked data (`jsonld`), `meta`
//! elements (`meta.rs`), names of elements (`mark.rs`) and at last what the reader sees.

mod authors;
mod jsonld;
mod lang;
mod mark;
mod meta;
mod names;
mod near;
mod owner;
mod page;
mod plain;
mod product;
mod published;
mod said;
mod site;
mod title;
mod videos;
mod when;

use jiff::Timestamp;
use url::Url;
use weir_parse::tree::Tree;

use page::Page;
pub use product::Product;
pub use when::When;

/// What is known of a page besides its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    pub title: Option<Found<String>>,
    pub published: Option<Found<When>>,
    pub modified: Option<Found<When>>,
    /// In the order of the page; all from the same source.
    pub authors: Vec<Found<String>>,
    /// Who has the copyright.
    pub owner: Option<Found<String>>,
    /// A language tag such as `de` or `en-US`.
    pub lang: Option<Found<String>>,
    /// Whole URLs of videos and of players that show one, none twice.
    pub videos: Vec<Found<String>>,
    pub product: Option<Found<Product>>,
}

/// A value, and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    pub value: T,
    pub source: Source,
}

/// What an attribute was told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    JsonLd,
    OpenGraph,
    Twitter,
    /// Any other `meta` element.
    Meta,
    Microdata,
    Rdfa,
    /// The `lang` of `html`.
    Html,
    TimeElement,
    Heading,
    /// The `title` element.
    Title,
    /// A word in a class, an id or a relation, such as `byline`.
    Markup,
    /// A `video`, or a frame of a known player.
    Player,
    Url,
    /// Data in a script that is not linked data.
    Script,
    /// What the reader sees.
    Text,
    /// Found out, not told.
    Detected,
}

/// Reads the attributes of the page at `url`. No day after tomorrow, as seen from `now`, is believed.
pub fn attributes(tree: Tree<'_>, url: &Url, now: Timestamp) -> Attributes {
    let page = Page::gather(tree, url, now);
    let things = page.linked.ranked();
    let site = site::Site::of(&page, &things);
    let title = title::title(&page, &things, &site);
    let near = near::Near::of(&page, title.as_ref().map(|title| title.value.as_str()));
    Attributes {
        published: published::published(&page, &things, &near),
        modified: published::modified(&page, &things),
        authors: authors::authors(&page, &things, &site, &near),
        owner: owner::owner(&page, &things),
        lang: lang::lang(&page, &things),
        videos: videos::videos(&page),
        product: product::product(&page),
        title,
    }
}

impl<T> Found<T> {
    fn new(value: T, source: Source) -> Found<T> {
        Found { value, source }
    }
}

impl Attributes {
    /// When it was published; if that is not told, when it was changed.
    pub fn day(&self) -> Option<When> {
        self.published.as_ref().or(self.modified.as_ref()).map(|found| found.value)
    }
}

#[cfg(test)]
mod tests;
