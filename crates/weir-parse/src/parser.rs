use encoding_rs::Encoding;
use url::Url;
use weir_types::{Fingerprint, LinkKind};

use crate::canonical::Rules;
use crate::charset::{charset, skip_bom};
use crate::facts::Facts;
use crate::finder::{Base, Encodings, Finder};
use crate::once::Once;
use crate::resolve::Resolver;
use crate::scan::{Foreign, scan};
use crate::text::Text;

/// Links reported of one page; what stands after them is left out and `Facts::links_cut` says so.
pub const MAX_LINKS: usize = 20_000;
/// The same for all their texts together, since a long `base` makes every link long: far more than a page of so many links has, and
/// less than `weir-cluster` puts into a message.
pub const MAX_LINK_BYTES: usize = 4 << 20;

/// Keeps its buffers from page to page: one per worker.
#[derive(Default)]
pub struct Parser {
    pub(crate) resolver: Resolver,
    pub(crate) once: Once,
    pub(crate) text: Text,
    foreign: Foreign,
}

pub struct Ask<'a> {
    /// The body with its content coding undone.
    pub body: &'a [u8],
    /// The URL the page came from.
    pub url: &'a Url,
    /// The `Content-Type` header.
    pub content_type: Option<&'a str>,
    /// Report images, scripts, style sheets and the like as well.
    pub assets: bool,
}

/// One link of a page.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// Canonical text; http or https.
    pub url: &'a str,
    /// The fingerprint of `url`.
    pub fingerprint: Fingerprint,
    pub kind: LinkKind,
    /// `rel` has `nofollow`. What `Facts::robots` asks for the whole page is not counted in.
    pub nofollow: bool,
}

/// What a page tells while it is read.
#[derive(Clone, Copy, Debug)]
pub enum Finding<'a> {
    Link(Link<'a>),
    /// A `base` stood behind links, and holds for them too: those told so far are void, and all are told once more.
    Rebased,
}

impl Parser {
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser whose links are made canonical by `rules`.
    pub fn with_rules(rules: Rules) -> Self {
        let mut parser = Self::default();
        parser.resolver.rules = rules;
        parser
    }

    /// Calls `found` for each link in document order, each distinct one at least once (most
    /// repetitions are dropped, but not all).
    pub fn parse(&mut self, ask: Ask<'_>, mut found: impl FnMut(Finding<'_>)) -> Facts {
        let encoding = charset(ask.body, ask.content_type, ask.url);
        let queries = encoding.output_encoding();
        let mut facts = if scannable(encoding) {
            let encodings = Encodings { bytes: encoding, queries };
            self.read(&ask, skip_bom(ask.body), encodings, &mut found)
        } else {
            let (text, _) = encoding.decode_with_bom_removal(ask.body);
            let encodings = Encodings { bytes: encoding_rs::UTF_8, queries };
            self.read(&ask, text.as_bytes(), encodings, &mut found)
        };
        facts.charset = encoding.name();
        facts
    }

    /// Once, or twice where a `base` comes late, which is rare: to look for one beforehand would cost every page.
    fn read(
        &mut self,
        ask: &Ask<'_>,
        html: &[u8],
        encodings: Encodings,
        found: &mut dyn FnMut(Finding<'_>),
    ) -> Facts {
        let mut base = Base::Assumed;
        loop {
            match self.pass(ask, html, encodings, base, found) {
                Ok(facts) => return facts,
                Err(late) => base = Base::Set(late),
            }
            found(Finding::Rebased);
        }
    }

    fn pass(
        &mut self,
        ask: &Ask<'_>,
        html: &[u8],
        encodings: Encodings,
        base: Base,
        found: &mut dyn FnMut(Finding<'_>),
    ) -> Result<Facts, Url> {
        let mut foreign = std::mem::take(&mut self.foreign);
        let mut finder = Finder::new(self, ask, encodings, base, found);
        scan(html, &mut foreign, &mut finder);
        let read = finder.end();
        self.foreign = foreign;
        read
    }
}

/// In these encodings a byte below 0x40 is always the ASCII character, so markup can be found
/// without decoding; what is found is decoded then.
fn scannable(encoding: &'static Encoding) -> bool {
    encoding.is_ascii_compatible() && encoding != encoding_rs::REPLACEMENT
}
