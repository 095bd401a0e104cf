//! What is left out of a page before anything is chosen.

use weir_parse::tree::{Id, Name, Tree};

use super::blocks::{self, Count};
use super::signs::{self, Signs};
use super::sums::{Sum, over};

/// What there is in each node.
pub struct Nodes {
    /// What every element says about itself.
    pub signs: Vec<Signs>,
    /// What is in every text.
    pub counts: Vec<Count>,
    /// Elements that hold nothing to read whatever they say.
    pub gone: Vec<bool>,
}

pub fn first(tree: &Tree<'_>) -> Nodes {
    let mut signs = vec![Signs::default(); tree.len()];
    let mut counts = vec![Count::default(); tree.len()];
    let mut gone = vec![false; tree.len()];
    let mut at = 1;
    while at < tree.len() as u32 {
        let id = Id(at);
        let name = tree.name(id);
        if is_never_read(name) || name == Name::Other && is_reading_aid(tree.written_name(id)) {
            gone[at as usize] = true;
            at = tree.end(id).0;
            continue;
        }
        if name == Name::Text {
            counts[at as usize] = blocks::count(tree.raw_text(id));
        } else if may_hold_text(name) {
            signs[at as usize] = signs::of(tree, id);
        }
        at += 1;
    }
    Nodes { signs, counts, gone }
}

fn is_never_read(name: Name) -> bool {
    use Name::*;
    name.is_hidden() || matches!(name, Select | Button | Audio | Video | Input | Link | Meta)
}

/// How characters are pronounced, which stands above them and not between them.
fn is_reading_aid(name: &str) -> bool {
    name.eq_ignore_ascii_case("rt") || name.eq_ignore_ascii_case("rp")
}

/// Not worth asking in a line of text.
fn may_hold_text(name: Name) -> bool {
    use Name::*;
    !matches!(name, A | B | I | Em | Strong | Img | Br | Hr | Source | Picture | Html | Body | U)
}

/// Leaves out what says that it is not the article, unless most of the page is in it: a page whose
/// layout is `has-sidebar` is not a sidebar, and a form may stand around everything.
pub fn second(tree: &Tree<'_>, signs: &[Signs], sums: &[Sum], gone: &mut [bool]) {
    let holders = holders(tree, signs, gone);
    let mut page = Page { all: sums[0].prose, left: sums[0].prose, kept: 0, shown_in_turn: false };
    page.shown_in_turn = page.is_shown_in_turn(tree, signs, sums, &holders);
    let mut at = 1;
    while at < tree.len() as u32 {
        let id = Id(at);
        let (own, sum) = (signs[at as usize], sums[at as usize]);
        if gone[at as usize] {
            at = tree.end(id).0;
        } else if page.does_without(id, own, sum, holders[at as usize]) {
            page.left -= sum.prose;
            gone[at as usize] = true;
            at = tree.end(id).0;
        } else {
            if own.has(Signs::SIDE) && !holders[at as usize] && sum.prose > 0 {
                page.kept = page.kept.max(tree.end(id).0);
            }
            at += 1;
        }
    }
}

/// Elements that hold the title, or what calls itself the body of an article.
fn holders(tree: &Tree<'_>, signs: &[Signs], gone: &[bool]) -> Vec<bool> {
    let mut holders = vec![false; tree.len()];
    for at in (1..tree.len() as u32).rev() {
        let id = Id(at);
        let own = tree.name(id) == Name::H1 || signs[at as usize].has(Signs::BODY);
        if (own && !gone[at as usize] || holders[at as usize])
            && let Some(parent) = tree.parent(id)
        {
            holders[at as usize] = true;
            holders[parent.0 as usize] = true;
        }
    }
    holders
}

/// So much prose is an article.
const ARTICLE: u32 = 200;

/// How much prose there is, and how much of it is left.
struct Page {
    all: u32,
    left: u32,
    /// Up to here stands something that is the article although it says it is not; then what is in
    /// it says nothing either, such as the comments of a reporter on a match.
    kept: u32,
    /// Most of the page is in parts of which only one is shown at a time, as in a gallery.
    shown_in_turn: bool,
}

impl Page {
    /// Whether parts that are each less than half of the page, and are hardly the article one by one,
    /// are most of it together.
    fn is_shown_in_turn(
        &self,
        tree: &Tree<'_>,
        signs: &[Signs],
        sums: &[Sum],
        holders: &[bool],
    ) -> bool {
        let (mut at, mut parts) = (1, 0);
        while at < tree.len() {
            let (own, prose) = (signs[at], sums[at].prose);
            let around = own.has(Signs::AROUND.or(Signs::HIDDEN)) && prose <= self.all / 2;
            if !holders[at] && (around || own.has(Signs::SIDE)) {
                parts += if own.has(Signs::SIDE) { 0 } else { prose };
                at = tree.end(Id(at as u32)).0 as usize;
            } else {
                at += 1;
            }
        }
        over(parts, self.all, 60)
    }

    fn does_without(&self, id: Id, signs: Signs, sum: Sum, holds_article: bool) -> bool {
        if signs == Signs::default() {
            return false;
        }
        let left = self.left.saturating_sub(sum.prose);
        let leaves = |percent: u64| u64::from(left) * 100 >= u64::from(self.all) * percent;
        let leaves_article = sum.prose == 0 || left > ARTICLE;
        let small = sum.prose < self.all / 10;
        let seldom = sum.prose == 0 || !self.shown_in_turn;
        if small || !holds_article {
            let others = if id.0 < self.kept { is_links(sum) } else { leaves_article };
            if signs.has(Signs::SIDE) && others
                || signs.has(Signs::AROUND.or(Signs::HIDDEN)) && leaves(40) && seldom
                || signs.has(Signs::TEASER) && sum.links_over(10) && leaves(75)
            {
                return true;
            }
        }
        // A copy of the article for others than readers is hidden, too.
        if signs.has(Signs::HIDDEN) && leaves_article && leaves(25) && seldom {
            return true;
        }
        signs.has(Signs::ABOUT) && !holds_article && is_short(sum) && sum.prose <= self.all / 4
    }
}

/// Whatever it stands in, it leads elsewhere.
fn is_links(sum: Sum) -> bool {
    sum.prose == 0 && sum.links_over(30)
}

/// Something about the article is short.
fn is_short(sum: Sum) -> bool {
    sum.letters < 1000
}
