/// What a page says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The name `encoding_rs` gives the encoding, such as `UTF-8` or `windows-1252`.
    pub charset: &'static str,
    /// The first title that is not blank; white space collapsed, at most [`MAX_TITLE`] bytes.
    pub title: Option<String>,
    /// The `lang` of the `html` element.
    pub lang: Option<String>,
    /// The target of the first `link rel=canonical` that has a usable one, canonical itself.
    pub canonical: Option<String>,
    /// What `meta` elements ask of robots, in document order.
    pub robots: Vec<Robots>,
    /// The URL that links were resolved against, where a `base` element set it.
    pub base: Option<String>,
    /// The page has more links than [`crate::MAX_LINKS`], or longer ones than [`crate::MAX_LINK_BYTES`]; the rest was left out.
    pub links_cut: bool,
}

/// One `meta name=AGENT content=DIRECTIVES`, all in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Robots {
    /// `robots`, or the name of one robot.
    pub agent: String,
    /// `noindex`, `nofollow`, `max-snippet:50`, ...
    pub directives: Vec<String>,
}

pub(crate) const MAX_TITLE: usize = 1024;
pub(crate) const MAX_LANG: usize = 64;
/// More than this many `meta` elements for robots are not directives but noise.
pub(crate) const MAX_ROBOTS: usize = 32;
