//! The text of one block with its links, emphasis and code.

use weir_parse::tree::{Id, Name, Tree};

use super::super::blocks::Block;
use super::super::plain;

pub fn write(tree: &Tree<'_>, block: &Block, gone: &[bool], breaks: bool, out: &mut String) {
    let mut line = Line { out, marks: Vec::new(), space: false };
    let mut at = block.first;
    // What is open where the block begins, such as a link around several paragraphs.
    let around: Vec<Id> =
        tree.ancestors(Id(at)).take_while(|id| id.0 > block.owner).take(MOST_MARKS).collect();
    for id in around.into_iter().rev() {
        line.open(tree, id);
    }
    while at < block.end {
        let id = Id(at);
        line.close_before(at);
        if gone[at as usize] {
            at = tree.end(id).0;
            continue;
        }
        match tree.name(id) {
            Name::Text => line.text(&tree.text(id)),
            Name::Br if breaks => line.line_break(),
            Name::Br => line.space = true,
            _ => line.open(tree, id),
        }
        at += 1;
    }
    line.close_before(u32::MAX);
}

/// The text as it stands, for code.
pub fn verbatim(tree: &Tree<'_>, block: &Block, gone: &[bool], out: &mut String) {
    let mut at = block.first;
    while at < block.end {
        let id = Id(at);
        if gone[at as usize] {
            at = tree.end(id).0;
            continue;
        }
        match tree.name(id) {
            Name::Text => out.push_str(&tree.text(id)),
            Name::Br => out.push('\n'),
            _ => {}
        }
        at += 1;
    }
}

/// Elements around a block that are looked at.
const MOST_MARKS: usize = 8;

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

struct Line<'o> {
    out: &'o mut String,
    marks: Vec<Mark>,
    space: bool,
}

impl Line<'_> {
    fn open(&mut self, tree: &Tree<'_>, id: Id) {
        let kind = match tree.name(id) {
            Name::B | Name::Strong => Kind::Strong,
            Name::I | Name::Em => Kind::Emphasis,
            Name::Code | Name::Kbd | Name::Samp | Name::Tt => Kind::Code,
            Name::A => match tree.attribute(id, "href") {
                Some(target) if is_target(&target) => Kind::Link(escaped_target(&target)),
                _ => return,
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
        if (self.out.is_empty() || self.out.ends_with('\n')) && begins_a_block(word) {
            self.out.push('\\');
        }
        for c in word.chars().filter(|c| plain::is_seen(*c)) {
            if matches!(c, '\\' | '*' | '_' | '`' | '[' | ']' | '<') {
                self.out.push('\\');
            }
            self.out.push(c);
        }
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

/// At the start of a line it would make a heading, a quote or a list.
fn begins_a_block(word: &str) -> bool {
    matches!(word, "-" | "+" | "=") || word.starts_with(['#', '>']) || word.starts_with("---")
}

fn is_target(target: &str) -> bool {
    let target = target.trim();
    let script = target.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:"));
    !target.is_empty() && !target.starts_with('#') && !script
}

fn escaped_target(target: &str) -> String {
    let mut out = String::new();
    for c in target.trim().chars() {
        match c {
            ' ' => out.push_str("%20"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            c if c.is_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}
