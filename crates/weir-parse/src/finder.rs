use std::borrow::Cow;
use std::ops::ControlFlow;

use encoding_rs::Encoding;
use url::Url;
use weir_types::{Fingerprint, LinkKind};

use crate::facts::{Facts, MAX_LANG, MAX_ROBOTS, MAX_TITLE};
use crate::meta;
use crate::parser::{Ask, Finding, Link, MAX_LINK_BYTES, MAX_LINKS, Parser};
use crate::rel::Rel;
use crate::resolve::parse;
use crate::scan::{Attr, Attributes, Sink, Tag};
use crate::{srcset, text};

/// Turns the tags of one page into links and facts.
pub(crate) struct Finder<'p> {
    parser: &'p mut Parser,
    page: &'p Url,
    encodings: Encodings,
    assets: bool,
    found: &'p mut dyn FnMut(Finding<'_>),
    facts: Facts,
    reported: usize,
    reported_bytes: usize,
    base: Base,
    /// Something was resolved already.
    resolved: bool,
}

/// How bytes of the page are read, and how the queries of its links are written.
#[derive(Clone, Copy)]
pub(crate) struct Encodings {
    pub bytes: &'static Encoding,
    pub queries: &'static Encoding,
}

/// What links are resolved against. The first `base` with an `href` holds for the whole page, also for what stands before it.
pub(crate) enum Base {
    /// The page's own URL, as no `base` has come so far.
    Assumed,
    /// The same: there is one, but it has no usable URL.
    Page,
    Set(Url),
    /// It came after something was resolved: the page has to be read once more, with this one from the beginning.
    Late(Url),
}

impl<'p> Finder<'p> {
    /// `base` is `Assumed`, or `Set` for a page that is read once more.
    pub fn new(
        parser: &'p mut Parser,
        ask: &Ask<'p>,
        encodings: Encodings,
        base: Base,
        found: &'p mut dyn FnMut(Finding<'_>),
    ) -> Self {
        let mut facts = Facts::default();
        parser.once.next_page();
        match &base {
            Base::Set(url) => {
                parser.resolver.set_base(url);
                facts.base = Some(url.as_str().to_owned());
            }
            _ => parser.resolver.set_base(ask.url),
        }
        Finder {
            parser,
            page: ask.url,
            encodings,
            assets: ask.assets,
            found,
            facts,
            reported: 0,
            reported_bytes: 0,
            base,
            resolved: false,
        }
    }

    /// What was read, or the `base` with which it has to be read once more.
    pub fn end(self) -> Result<Facts, Url> {
        match self.base {
            Base::Late(base) => Err(base),
            _ => Ok(self.facts),
        }
    }

    fn link(&mut self, raw: Option<&[u8]>, kind: LinkKind, nofollow: bool) {
        // To resolve the rest of them for nothing may cost more than all else in the page.
        let Some(raw) = raw.filter(|_| !self.facts.links_cut) else { return };
        self.resolved = true;
        let base = match &self.base {
            Base::Set(base) => base,
            _ => self.page,
        };
        let Parser { resolver, once, text, .. } = &mut *self.parser;
        let Some(url) = resolver.raw(raw, self.encodings, base, text) else { return };
        let fingerprint = Fingerprint::of(url);
        if !once.is_new(fingerprint, kind, nofollow) {
            return;
        }
        if self.reported == MAX_LINKS || self.reported_bytes + url.len() > MAX_LINK_BYTES {
            self.facts.links_cut = true;
            return;
        }
        self.reported += 1;
        self.reported_bytes += url.len();
        (self.found)(Finding::Link(Link { url, fingerprint, kind, nofollow }));
    }

    /// As `link`, for a part of a value, which is decoded already.
    fn link_text(&mut self, text: &str, kind: LinkKind) {
        let escaped = text.replace('&', "&amp;");
        let encodings = self.encodings;
        self.encodings.bytes = encoding_rs::UTF_8;
        self.link(Some(escaped.as_bytes()), kind, false);
        self.encodings = encodings;
    }

    fn text(&mut self, raw: &[u8]) -> String {
        self.parser.text.attribute(raw, self.encodings.bytes).to_owned()
    }

    /// A `base` that makes no sense still is the first one, and the page's own URL holds.
    fn set_base(&mut self, raw: &[u8]) -> ControlFlow<()> {
        let href = self.text(raw);
        let url = parse(&href, self.encodings.queries, self.page);
        let Some(url) = url.filter(|url| !matches!(url.scheme(), "data" | "javascript")) else {
            self.base = Base::Page;
            return ControlFlow::Continue(());
        };
        if self.resolved {
            self.base = Base::Late(url);
            return ControlFlow::Break(());
        }
        self.parser.resolver.set_base(&url);
        self.facts.base = Some(url.as_str().to_owned());
        self.base = Base::Set(url);
        ControlFlow::Continue(())
    }

    fn link_element(&mut self, attributes: &Attributes<'_>) {
        let rel = Rel::of(attributes.get(Attr::Rel).unwrap_or_default());
        let href = attributes.get(Attr::Href);
        if rel.canonical && self.facts.canonical.is_none() {
            self.canonical(href);
        }
        if rel.canonical || rel.related {
            self.link(href, LinkKind::Related, rel.nofollow);
        } else if rel.asset && self.assets {
            self.link(href, LinkKind::Asset, rel.nofollow);
        }
    }

    fn canonical(&mut self, href: Option<&[u8]>) {
        let Some(raw) = href else { return };
        self.resolved = true;
        let base = match &self.base {
            Base::Set(base) => base,
            _ => self.page,
        };
        let Parser { resolver, text, .. } = &mut *self.parser;
        self.facts.canonical = resolver.raw(raw, self.encodings, base, text).map(str::to_owned);
    }

    fn meta(&mut self, attributes: &Attributes<'_>) {
        let Some(content) = attributes.get(Attr::Content) else { return };
        let equiv = attributes.get(Attr::HttpEquiv).unwrap_or_default();
        if equiv.eq_ignore_ascii_case(b"refresh") {
            let content = self.text(content);
            if let Some(url) = meta::refresh_url(&content) {
                self.link_text(url, LinkKind::Refresh);
            }
        }
        if let Some(name) = attributes.get(Attr::Name)
            && (meta::is_for_robots(name) || meta::restricts(content))
            && self.facts.robots.len() < MAX_ROBOTS
        {
            let (name, content) = (self.text(name), self.text(content));
            self.facts.robots.push(meta::robots(&name, &content));
        }
    }

    fn asset(&mut self, tag: Tag, attributes: &Attributes<'_>) {
        let image_button = || {
            let kind = attributes.get(Attr::Type).unwrap_or_default();
            kind.eq_ignore_ascii_case(b"image")
        };
        match tag {
            Tag::Object => self.link(attributes.get(Attr::Data), LinkKind::Asset, false),
            Tag::Input if !image_button() => {}
            _ => self.link(attributes.get(Attr::Src), LinkKind::Asset, false),
        }
        if tag == Tag::Video {
            self.link(attributes.get(Attr::Poster), LinkKind::Asset, false);
        }
        if let Some(raw) = attributes.get(Attr::Srcset)
            && matches!(tag, Tag::Img | Tag::Source)
        {
            let srcset = self.text(raw);
            srcset::urls(&srcset).for_each(|url| self.link_text(url, LinkKind::Asset));
        }
    }

    fn lang(&mut self, raw: Option<&[u8]>) {
        let Some(raw) = raw else { return };
        let lang = self.text(raw);
        let lang = Cow::Borrowed(lang.trim());
        if self.facts.lang.is_none() && !lang.is_empty() && lang.len() <= MAX_LANG {
            self.facts.lang = Some(lang.into_owned());
        }
    }
}

impl<'h> Sink<'h> for Finder<'_> {
    fn wants(&self, tag: Tag) -> bool {
        match tag {
            Tag::A | Tag::Area | Tag::Base | Tag::Frame | Tag::Html => true,
            Tag::Iframe | Tag::Link | Tag::Meta => true,
            _ => self.assets && tag.is_asset(),
        }
    }

    fn start(&mut self, tag: Tag, attributes: &Attributes<'h>) -> ControlFlow<()> {
        match tag {
            Tag::A | Tag::Area => {
                let nofollow = attributes.get(Attr::Rel).is_some_and(|rel| Rel::of(rel).nofollow);
                self.link(attributes.get(Attr::Href), LinkKind::Anchor, nofollow);
            }
            Tag::Frame | Tag::Iframe => {
                self.link(attributes.get(Attr::Src), LinkKind::Frame, false);
            }
            Tag::Link => self.link_element(attributes),
            Tag::Meta => self.meta(attributes),
            Tag::Html => self.lang(attributes.get(Attr::Lang)),
            Tag::Base => {
                let is_open = matches!(self.base, Base::Assumed);
                if let Some(href) = attributes.get(Attr::Href).filter(|_| is_open) {
                    return self.set_base(href);
                }
            }
            _ => self.asset(tag, attributes),
        }
        ControlFlow::Continue(())
    }

    fn title(&mut self, raw: &'h [u8]) {
        if self.facts.title.is_none() {
            self.facts.title = text::title(raw, self.encodings.bytes, MAX_TITLE);
        }
    }
}
