use std::ops::ControlFlow;

use encoding_rs::Encoding;

use super::prescan::Meta;
use crate::scan::{Attr, Attributes, Foreign, Sink, Tag, scan};

/// How far a declaration is looked for.
const WINDOW: usize = 64 * 1024;

/// A declaration behind the first 1024 bytes. Browsers come upon it while they parse and start
/// again; here it is looked for before, with the tokenizer, if nothing else was declared.
pub(crate) fn encoding(body: &[u8]) -> Option<&'static Encoding> {
    let mut search = Search { found: None };
    scan(&body[..body.len().min(WINDOW)], &mut Foreign::default(), &mut search);
    search.found
}

struct Search {
    found: Option<&'static Encoding>,
}

impl<'h> Sink<'h> for Search {
    fn wants(&self, tag: Tag) -> bool {
        tag == Tag::Meta
    }

    fn start(&mut self, _: Tag, attributes: &Attributes<'h>) -> ControlFlow<()> {
        let mut meta = Meta::default();
        let parts: [(&[u8], Attr); 3] = [
            (b"http-equiv", Attr::HttpEquiv),
            (b"content", Attr::Content),
            (b"charset", Attr::Charset),
        ];
        for (name, attr) in parts {
            if let Some(value) = attributes.get(attr) {
                meta.add(name.to_vec(), value.to_ascii_lowercase());
            }
        }
        self.found = meta.encoding();
        match self.found {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    fn title(&mut self, _: &'h [u8]) {}
}
