use super::collect::Draft;
use super::dialect::{Field, List};
use crate::canonical::MAX_URL;

/// No field is longer; one byte more than a URL may have, so that a longer one is seen as such.
const MAX_TEXT: usize = MAX_URL + 1;

/// An entry that has begun.
pub(super) struct Open {
    pub list: List,
    pub loc: Option<String>,
    guid: Option<String>,
    published: Option<String>,
    draft: Draft,
    /// Text between the elements: where `loc` was forgotten it is the address.
    pub bare: String,
}

impl Open {
    pub fn new(list: List) -> Self {
        let (draft, bare) = (Draft::default(), String::new());
        Open { list, loc: None, guid: None, published: None, draft, bare }
    }

    /// Of two fields of a name the first holds.
    pub fn set(&mut self, field: Field, text: String) {
        let slot = match field {
            Field::Loc | Field::Link => &mut self.loc,
            Field::Guid => &mut self.guid,
            Field::Modified => &mut self.draft.lastmod,
            Field::Published => &mut self.published,
            Field::Changefreq => &mut self.draft.changefreq,
            Field::Priority => &mut self.draft.priority,
        };
        if slot.is_none() && !text.trim().is_empty() {
            *slot = Some(text);
        }
    }

    pub fn is_addressed(&self) -> bool {
        self.loc.is_some() || self.guid.is_some()
    }

    pub fn into_draft(self) -> Draft {
        let is_url = |text: &String| text.trim_start().starts_with("http");
        let spare = self.guid.into_iter().chain([self.bare]).find(is_url);
        let loc = self.loc.or(spare).unwrap_or_default();
        Draft { loc, lastmod: self.draft.lastmod.or(self.published), ..self.draft }
    }
}

/// Adds to a text what has room, leaving white space before it out.
pub(super) fn push(text: &mut String, more: &str) {
    let more = if text.is_empty() { more.trim_start() } else { more };
    let room = MAX_TEXT - text.len().min(MAX_TEXT);
    text.push_str(&more[..more.floor_char_boundary(room)]);
}
