//! Where the title stands that readers see: bylines and days are near it.

use weir_parse::tree::{Id, Name};

use super::page::Page;
use super::plain::plain;
use super::said::said;

pub struct Near {
    /// The heading, or the beginning of the page's own part.
    pub heading: Id,
    known: bool,
}

/// A shorter title may be a part of anything.
const TELLING: usize = 10;

impl Near {
    pub fn of(page: &Page<'_>, title: Option<&str>) -> Near {
        let title = title.map(plain).unwrap_or_default();
        let same = |id: &&Id| plain(&said(&page.tree, **id)) == title;
        let own = || page.headings.iter().filter(|id| !page.is_aside(**id));
        let has_text = |id: &&Id| !said(&page.tree, **id).is_empty();
        // A line above the title may stand in the same heading.
        let with_more =
            |id: &&Id| title.len() >= TELLING && plain(&said(&page.tree, **id)).contains(&title);
        let heading = own().find(same).or_else(|| own().find(with_more)).copied();
        let heading = heading.or_else(|| second_rank(page, &title));
        let heading = heading.or_else(|| own().find(has_text).copied());
        Near { heading: heading.unwrap_or(Id(0)), known: heading.is_some() }
    }

    /// The beginning of the page.
    pub fn top() -> Near {
        Near { heading: Id(0), known: false }
    }

    /// How far a node is from the heading; one before it is further than one behind.
    pub fn distance(&self, id: Id) -> u32 {
        match id.0.checked_sub(self.heading.0) {
            Some(behind) => behind,
            None if self.known => (self.heading.0 - id.0) * 3,
            None => id.0,
        }
    }
}

/// The title may be a heading of a lower rank.
fn second_rank(page: &Page<'_>, title: &str) -> Option<Id> {
    let headings = page.tree.descendants(weir_parse::tree::Tree::ROOT);
    let mut headings =
        headings.filter(|id| matches!(page.tree.name(*id), Name::H2 | Name::H3)).take(40);
    headings.find(|id| !title.is_empty() && plain(&said(&page.tree, *id)) == title)
}
