//! The text of one block with its links, emphasis and code.

use url::Url;
use weir_parse::standard;
use weir_parse::tree::{Id, Name, Tree};

use super::super::blocks::Block;
use super::super::plain;
use super::{LONGEST_TARGET, escape};

/// What a line is written from.
pub struct Source<'p, 't> {
    pub tree: &'p Tree<'t>,
    pub gone: &'p [bool],
    pub base: &'p Url,
}

impl Source<'_, '_> {
    pub fn write(&self, block: &Block, breaks: bool, out: &mut String) {
        let (tree, base) = (self.tree, self.base);
        let mut line = Line { tree, base, out, marks: Vec::new(), space: false };
        // What is open where the block begins, such as a link around several paragraphs.
        let around = tree.ancestors(Id(block.first)).take_while(|id| id.0 > block.owner);
        let around: Vec<Id> = around.take(MOST_MARKS).collect();
        for id in around.into_iter().rev() {
            line.open(id);
        }
        for id in block.nodes(tree, self.gone) {
            line.close_before(id.0);
            match tree.name(id) {
                Name::Text => line.text(&tree.text(id)),
                Name::Br if breaks => line.line_break(),
                Name::Br => line.space = true,
                _ => line.open(id),
            }
        }
        line.close_before(u32::MAX);
    }
}

/// The text as it stands, for code.
pub fn verbatim(tree: &Tree<'_>, block: &Block, gone: &[bool], out: &mut String) {
    for id in block.nodes(tree, gone) {
        match tree.name(id) {
            Name::Text => out.push_str(&tree.text(id)),
            Name::Br => out.push('\n'),
            _ => {}
        }
    }
}

/// Elements around a block that are looked at.
const MOST_MARKS: usize = 8;
/// Code in a line has no more nodes than this.
const MOST_CODE: u32 = 32;

/// An element that is open in the line.
struct Mark {
    end: u32,
    kind: Kind,
    /// Only what has text in it is written.
    written: bool,
}

#[derive(PartialEq, Eq)]
enum Kind {
    Strong,
    Emphasis,
    Code,
    Link(String),
}

struct Line<'p, 't, 'o> {
    tree: &'p Tree<'t>,
    base: &'p Url,
    out: &'o mut String,
    marks: Vec<Mark>,
    space: bool,
}

impl Line<'_, '_, '_> {
    fn open(&mut self, id: Id) {
        let tree = self.tree;
        let kind = match tree.name(id) {
            Name::B | Name::Strong => Kind::Strong,
            Name::I | Name::Em => Kind::Emphasis,
            Name::Code | Name::Kbd | Name::Samp | Name::Tt if self.may_be_code(id) => Kind::Code,
            Name::A => match tree.attribute(id, "href").and_then(|to| self.target(&to)) {
                Some(target) => Kind::Link(target),
                None => return,
            },
            _ => return,
        };
        let same =
            |mark: &Mark| std::mem::discriminant(&mark.kind) == std::mem::discriminant(&kind);
        let in_code = self.marks.iter().any(|mark| mark.kind == Kind::Code);
        if self.marks.len() < MOST_MARKS && !in_code && !self.marks.iter().any(same) {
            self.marks.push(Mark { end: tree.end(id).0, kind, written: false });
        }
    }

    /// What has the mark of code in it is written as text.
    fn may_be_code(&self, id: Id) -> bool {
        let size = self.tree.end(id).0 - id.0;
        size <= MOST_CODE && !self.tree.descendants(id).any(|id| self.tree.text(id).contains('`'))
    }

    /// The whole address; none for what leads nowhere but to this page.
    fn target(&self, written: &str) -> Option<String> {
        let written = written.trim();
        let target = standard::parse(written, Some(self.base)).ok()?;
        let leads = matches!(target.scheme(), "http" | "https" | "mailto" | "ftp" | "tel");
        let here = written.is_empty() || written.starts_with('#');
        let fits = target.as_str().len() <= LONGEST_TARGET;
        (leads && fits && !here).then(|| escape::target(target.as_str()))
    }

    /// Ends what does not reach to the node `at`.
    fn close_before(&mut self, at: u32) {
        while self.marks.last().is_some_and(|mark| mark.end <= at) {
            let Some(mark) = self.marks.pop() else { return };
            if !mark.written {
                continue;
            }
            match mark.kind {
                Kind::Strong => self.out.push_str("**"),
                Kind::Emphasis => self.out.push('*'),
                Kind::Code => self.out.push('`'),
                Kind::Link(target) => {
                    self.out.push_str("](");
                    self.out.push_str(&target);
                    self.out.push(')');
                }
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.space |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            if self.space && !self.out.is_empty() && !self.out.ends_with('\n') {
                self.out.push(' ');
            }
            self.begin_marks();
            self.word(word);
            self.space = true;
        }
        self.space = text.ends_with(char::is_whitespace);
    }

    fn begin_marks(&mut self) {
        for mark in self.marks.iter_mut().filter(|mark| !mark.written) {
            mark.written = true;
            // A link behind it would be a picture.
            if matches!(mark.kind, Kind::Link(_)) && self.out.ends_with('!') {
                self.out.pop();
                self.out.push_str("\\!");
            }
            self.out.push_str(match mark.kind {
                Kind::Strong => "**",
                Kind::Emphasis => "*",
                Kind::Code => "`",
                Kind::Link(_) => "[",
            });
        }
    }

    fn word(&mut self, word: &str) {
        if self.marks.iter().any(|mark| mark.kind == Kind::Code) {
            return plain::push_seen(word, self.out);
        }
        let begins = self.out.is_empty() || self.out.ends_with('\n');
        let mut seen = String::new();
        plain::push_seen(word, &mut seen);
        escape::push_word(&seen, begins, self.out);
    }

    fn line_break(&mut self) {
        // A link or emphasis does not go on behind a line break everywhere.
        if !self.marks.iter().any(|mark| mark.written) && !self.out.is_empty() {
            self.out.push_str("  \n");
            self.space = false;
        } else {
            self.space = true;
        }
    }
}
