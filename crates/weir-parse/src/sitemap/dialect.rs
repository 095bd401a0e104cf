use super::Kind;

/// The names by which one family of sitemaps says the same things. Names are compared without
/// regard to case and without the prefix of the root element; other prefixes belong to extensions.
pub(super) struct Dialect {
    /// Elements that hold one entry each.
    pub entries: &'static [(&'static str, List)],
    /// What is directly in such an element.
    pub fields: &'static [(&'static str, Field)],
    /// The namespace, if it is worth checking.
    pub namespace: Option<&'static str>,
}

/// Where an entry goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Urls,
    Sitemaps,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Loc,
    /// The address is in `href`, or else in the text.
    Link,
    /// An address where there is no better.
    Guid,
    Modified,
    /// A date where there is no better.
    Published,
    Changefreq,
    Priority,
}

impl Dialect {
    pub fn entry(&self, name: &str) -> Option<List> {
        find(self.entries, name)
    }

    pub fn field(&self, name: &str) -> Option<Field> {
        find(self.fields, name)
    }
}

fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, value)| *value)
}

/// What a root element tells: the kind, the dialect, and whether it is an entry itself because the
/// element around it was forgotten.
pub(super) fn of_root(local: &str) -> Option<(Kind, &'static Dialect, bool)> {
    let roots: &[(&str, (Kind, &'static Dialect, bool))] = &[
        ("urlset", (Kind::Urlset, &SITEMAP, false)),
        ("sitemapindex", (Kind::Index, &SITEMAP, false)),
        ("url", (Kind::Urlset, &SITEMAP, true)),
        ("sitemap", (Kind::Index, &SITEMAP, true)),
        ("rss", (Kind::Rss, &RSS, false)),
        ("rdf", (Kind::Rss, &RSS, false)),
        ("channel", (Kind::Rss, &RSS, false)),
        ("feed", (Kind::Atom, &ATOM, false)),
    ];
    find(roots, local)
}

static SITEMAP: Dialect = Dialect {
    entries: &[("url", List::Urls), ("sitemap", List::Sitemaps)],
    fields: &[
        ("loc", Field::Loc),
        ("lastmod", Field::Modified),
        ("changefreq", Field::Changefreq),
        ("priority", Field::Priority),
    ],
    namespace: Some("http://www.sitemaps.org/schemas/sitemap/0.9"),
};

static RSS: Dialect = Dialect {
    entries: &[("item", List::Urls)],
    fields: &[
        ("link", Field::Link),
        ("guid", Field::Guid),
        ("pubdate", Field::Modified),
        ("dc:date", Field::Published),
    ],
    namespace: None,
};

static ATOM: Dialect = Dialect {
    entries: &[("entry", List::Urls)],
    fields: &[
        ("link", Field::Link),
        ("updated", Field::Modified),
        ("modified", Field::Modified), // of Atom 0.3, as is `issued`
        ("published", Field::Published),
        ("issued", Field::Published),
    ],
    namespace: None,
};
