/// A page that is as it was another time, says the server (304).
#[derive(Clone, Debug)]
pub struct Unchanged {
    /// `sha1:BASE32` of the payload that came then, and when, in milliseconds since 1970.
    pub digest: String,
    pub since_ms: u64,
}

/// What the parser and the crawl know of a page beside the exchange itself. What is `None` or
/// empty is null in the table.
#[derive(Clone, Debug, Default)]
pub struct PageFacts {
    pub site: String,
    /// Hops from a seed.
    pub depth: u32,
    /// The URL of the page that the link stood on.
    pub parent: Option<String>,
    /// Where the exchange ended: the URL itself, or the target of its redirect.
    pub final_url: String,
    /// As the page was read; the response's header where this is `None`.
    pub content_type: Option<String>,
    pub charset: Option<String>,
    /// Length of the body with its content coding undone.
    pub bytes_body: u64,
    /// What the page itself says its URL is (`link rel=canonical`).
    pub canonical: Option<String>,
    /// The page asks not to be shown to anyone who searches.
    pub noindex: bool,
    /// Of its text, if that was looked at and there is any.
    pub simhash: Option<u64>,
    pub lang: Option<String>,
    pub title: Option<String>,
    pub published: Option<String>,
    pub modified: Option<String>,
    pub author: Option<String>,
    pub copyright: Option<String>,
    pub text: Option<String>,
    pub videos: Vec<String>,
    pub fields: Vec<(String, String)>,
    /// What the page sells: `name`, `price` and so on.
    pub product: Vec<(String, String)>,
    /// What each of the above was told by.
    pub sources: Vec<(String, String)>,
    /// How much it is about each topic.
    pub topics: Vec<(String, String)>,
    /// What the user's rule says; `None` without one. What it drops has no row.
    pub kept: Option<bool>,
    pub unchanged: Option<Unchanged>,
}
