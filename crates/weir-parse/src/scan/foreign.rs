use super::attributes::{Attr, Attributes};
use super::tag::Tag;

/// Deeper nesting than this is not followed: it would only tell how odd markup is read.
const MAX_DEPTH: usize = 256;

/// Follows SVG and MathML, where `style`, `title` or `script` hold markup and CDATA exists, and
/// the HTML within them. Only elements inside an `svg` or `math` are kept, not the whole page.
#[derive(Default)]
pub(crate) struct Foreign {
    open: Vec<Node>,
}

#[derive(Clone, Copy)]
struct Node {
    name: u128,
    space: Space,
    /// HTML may stand in it.
    point: Point,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Html,
    Svg,
    Math,
}

/// The standard's integration points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Point {
    None,
    Html,
    MathText,
    /// `annotation-xml`, which takes only an `svg`.
    Annotation,
}

impl Foreign {
    pub fn clear(&mut self) {
        self.open.clear();
    }

    /// Some `svg` or `math` is open.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The innermost open element is foreign.
    pub fn is_current(&self) -> bool {
        self.open.last().is_some_and(|node| node.space != Space::Html)
    }

    /// Takes a start tag; returns whether it is one of HTML.
    pub fn start(&mut self, name: &[u8], tag: Tag, with: &Attributes<'_>, closed: bool) -> bool {
        let name = key(name);
        if let Some(&top) = self.open.last()
            && !top.takes_html(name)
        {
            if !breaks_out(name, with) {
                self.push(Node::foreign(name, top.space, with), closed);
                return false;
            }
            self.break_out();
        }
        self.start_html(name, tag, with, closed);
        !tag.is_foreign_root()
    }

    fn start_html(&mut self, name: u128, tag: Tag, with: &Attributes<'_>, closed: bool) {
        match tag {
            Tag::Svg => self.push(Node::foreign(name, Space::Svg, with), closed),
            Tag::Math => self.push(Node::foreign(name, Space::Math, with), closed),
            // The end tags of raw text are read together with it.
            _ if tag == Tag::Script || tag.raw_text().is_some() || VOID.contains(&name) => {}
            _ if self.is_open() => {
                self.push(Node { name, space: Space::Html, point: Point::None }, false)
            }
            _ => {}
        }
    }

    fn push(&mut self, node: Node, closed: bool) {
        if !closed && self.open.len() < MAX_DEPTH {
            self.open.push(node);
        }
    }

    /// Closes foreign elements up to one that may hold HTML.
    fn break_out(&mut self) {
        while self.open.last().is_some_and(|node| !node.holds_html()) {
            self.open.pop();
        }
    }

    /// Takes an end tag; returns whether it is one of HTML.
    pub fn end(&mut self, name: &[u8]) -> bool {
        if !self.is_open() {
            return true;
        }
        let name = key(name);
        if self.is_current() && (name == key(b"br") || name == key(b"p")) {
            self.break_out();
            return true;
        }
        for at in (0..self.open.len()).rev() {
            let node = self.open[at];
            if node.space == Space::Html {
                self.end_html(name);
                return true;
            }
            if node.name == name {
                self.open.truncate(at);
                return false;
            }
        }
        // What is open around the `svg` or `math` is not known; if it may be an element of HTML it
        // most likely is, and these end with it.
        if BREAK_OUT.contains(&name) || AROUND.contains(&name) {
            self.open.clear();
        }
        true
    }

    /// An end tag of HTML reaches no further out than the integration point it stands in.
    fn end_html(&mut self, name: u128) {
        for at in (0..self.open.len()).rev() {
            let node = self.open[at];
            if node.space == Space::Html && node.name == name {
                self.open.truncate(at);
                return;
            }
            if node.point != Point::None {
                return;
            }
        }
    }
}

impl Node {
    fn foreign(name: u128, space: Space, with: &Attributes<'_>) -> Self {
        let point = match space {
            Space::Svg if SVG_POINTS.contains(&name) => Point::Html,
            Space::Math if MATH_TEXT.contains(&name) => Point::MathText,
            Space::Math if name == ANNOTATION => annotation(with),
            _ => Point::None,
        };
        Node { name, space, point }
    }

    fn takes_html(&self, name: u128) -> bool {
        match self.point {
            _ if self.space == Space::Html => true,
            Point::Html => true,
            Point::MathText => name != key(b"mglyph") && name != key(b"malignmark"),
            Point::Annotation => name == key(b"svg"),
            Point::None => false,
        }
    }

    fn holds_html(&self) -> bool {
        self.space == Space::Html || matches!(self.point, Point::Html | Point::MathText)
    }
}

fn annotation(with: &Attributes<'_>) -> Point {
    let encoding = with.get(Attr::Encoding).unwrap_or_default();
    let is = |text: &str| encoding.eq_ignore_ascii_case(text.as_bytes());
    if is("text/html") || is("application/xhtml+xml") { Point::Html } else { Point::Annotation }
}

/// The standard's list of HTML start tags that end SVG and MathML.
fn breaks_out(name: u128, with: &Attributes<'_>) -> bool {
    BREAK_OUT.contains(&name) || (name == key(b"font") && with.get(Attr::Font).is_some())
}

/// A name as a number; names longer than 16 bytes are mixed, which is enough to tell them apart.
const fn key(name: &[u8]) -> u128 {
    let mut key = 0_u128;
    let mut at = 0;
    while at < name.len() {
        key = key.rotate_left(8) ^ name[at].to_ascii_lowercase() as u128;
        at += 1;
    }
    key
}

const fn keys<const N: usize>(names: [&str; N]) -> [u128; N] {
    let mut keys = [0; N];
    let mut at = 0;
    while at < N {
        keys[at] = key(names[at].as_bytes());
        at += 1;
    }
    keys
}

const ANNOTATION: u128 = key(b"annotation-xml");
static SVG_POINTS: [u128; 3] = keys(["foreignobject", "desc", "title"]);
static MATH_TEXT: [u128; 5] = keys(["mi", "mo", "mn", "ms", "mtext"]);
static VOID: [u128; 18] = keys([
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img",
    "input", "keygen", "link", "meta", "param", "source", "track",
]);
static BREAK_OUT: [u128; 44] = keys([
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "i",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "nobr",
    "ol",
    "p",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strong",
    "strike",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
]);
/// Further elements of HTML that often stand around an `svg`.
static AROUND: [u128; 26] = keys([
    "a",
    "address",
    "article",
    "aside",
    "button",
    "details",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "html",
    "label",
    "main",
    "nav",
    "noscript",
    "section",
    "select",
    "summary",
    "tbody",
    "td",
    "template",
    "th",
    "thead",
    "tfoot",
    "tr",
]);
