use crate::scan::{ends_tag_name, key};

macro_rules! names {
    ($($name:ident $text:literal,)*) => {
        /// The elements that mean something to whoever reads a page; `Text` is none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Name {
            Text,
            Other,
            $($name,)*
        }

        const NAMES: &[(&str, Name)] = &[$(($text, Name::$name),)*];

        // Long names all have the key zero, which nothing that comes here has.
        #[allow(non_upper_case_globals, unreachable_patterns)]
        fn short_name(key: u64) -> Name {
            $(const $name: u64 = key_of($text.as_bytes());)*
            match key {
                $($name => Name::$name,)*
                _ => Name::Other,
            }
        }
    };
}

names! {
    A "a", Abbr "abbr", Address "address", Area "area", Article "article", Aside "aside",
    Audio "audio", B "b", Base "base", Blockquote "blockquote", Body "body", Br "br",
    Button "button", Canvas "canvas", Caption "caption", Center "center", Cite "cite",
    Code "code", Col "col", Dd "dd", Del "del", Details "details", Dialog "dialog", Div "div",
    Dl "dl", Dt "dt", Em "em", Embed "embed", Fieldset "fieldset", Figcaption "figcaption",
    Figure "figure", Font "font", Footer "footer", Form "form", H1 "h1", H2 "h2", H3 "h3",
    H4 "h4", H5 "h5", H6 "h6", Head "head", Header "header", Hr "hr", Html "html", I "i",
    Iframe "iframe", Img "img", Input "input", Ins "ins", Kbd "kbd", Label "label",
    Legend "legend", Li "li", Link "link", Main "main", Mark "mark", Math "math", Meta "meta",
    Nav "nav", Noembed "noembed", Noframes "noframes", Noscript "noscript", Object "object",
    Ol "ol", Optgroup "optgroup", Option "option", P "p", Param "param", Picture "picture",
    Plaintext "plaintext", Pre "pre", Q "q", S "s", Samp "samp", Script "script",
    Section "section", Select "select", Small "small", Source "source", Span "span",
    Strong "strong", Style "style", Sub "sub", Summary "summary", Sup "sup", Svg "svg",
    Table "table", Tbody "tbody", Td "td", Template "template", Textarea "textarea",
    Tfoot "tfoot", Th "th", Thead "thead", Time "time", Title "title", Tr "tr", Track "track",
    Tt "tt", U "u", Ul "ul", Var "var", Video "video", Wbr "wbr", Xmp "xmp",
}

/// A name of up to eight letters as a number; zero for a longer one.
const fn key_of(name: &[u8]) -> u64 {
    if name.len() > 8 { 0 } else { key(name) }
}

/// Reads the name that starts at `at`, and where it ends.
pub fn read(html: &[u8], at: usize) -> (Name, usize) {
    let length = html[at..].iter().position(|byte| ends_tag_name(*byte));
    let end = length.map_or(html.len(), |length| at + length);
    (of(&html[at..end]), end)
}

fn of(name: &[u8]) -> Name {
    if name.len() <= 8 {
        // One of nothing but NUL would look like a long one.
        return if name.first() == Some(&0) { Name::Other } else { short_name(key_of(name)) };
    }
    let same = |(text, _): &&(&str, Name)| text.as_bytes().eq_ignore_ascii_case(name);
    NAMES
        .iter()
        .filter(|(text, _)| text.len() > 8)
        .find(same)
        .map_or(Name::Other, |(_, name)| *name)
}

impl Name {
    /// The element of this name, in lower case.
    pub fn parse(text: &str) -> Option<Name> {
        NAMES.iter().find(|(name, _)| *name == text).map(|(_, name)| *name)
    }

    pub fn is_void(self) -> bool {
        use Name::*;
        matches!(
            self,
            Area | Base
                | Br
                | Col
                | Embed
                | Hr
                | Img
                | Input
                | Link
                | Meta
                | Param
                | Source
                | Track
                | Wbr
        )
    }

    /// What is in it is text, whatever it looks like.
    pub fn is_raw_text(self) -> bool {
        use Name::*;
        matches!(self, Iframe | Noembed | Noframes | Plaintext | Script | Style | Xmp)
    }

    /// Nobody sees what is in it.
    pub fn is_hidden(self) -> bool {
        use Name::*;
        matches!(
            self,
            Canvas
                | Head
                | Iframe
                | Math
                | Noembed
                | Noframes
                | Noscript
                | Object
                | Script
                | Style
                | Svg
                | Template
                | Textarea
                | Title
        )
    }

    /// It stands in a line of text, and does not begin a new one.
    pub fn is_inline(self) -> bool {
        use Name::*;
        matches!(
            self,
            A | Abbr
                | B
                | Cite
                | Code
                | Del
                | Em
                | Font
                | I
                | Ins
                | Kbd
                | Label
                | Mark
                | Q
                | S
                | Samp
                | Small
                | Span
                | Strong
                | Sub
                | Sup
                | Text
                | Time
                | Tt
                | U
                | Var
                | Wbr
                | Other
        )
    }

    pub fn is_heading(self) -> bool {
        use Name::*;
        matches!(self, H1 | H2 | H3 | H4 | H5 | H6)
    }

    /// Its end tag ends nothing beyond the block it stands in.
    pub(super) fn is_formatting(self) -> bool {
        use Name::*;
        matches!(self, A | B | Code | Em | Font | I | S | Small | Strong | Tt | U)
    }

    /// It ends a `p` that is open.
    pub(super) fn ends_paragraph(self) -> bool {
        use Name::*;
        matches!(
            self,
            Address
                | Article
                | Aside
                | Blockquote
                | Center
                | Details
                | Dialog
                | Div
                | Dl
                | Fieldset
                | Figcaption
                | Figure
                | Footer
                | Form
                | H1
                | H2
                | H3
                | H4
                | H5
                | H6
                | Header
                | Hr
                | Li
                | Main
                | Nav
                | Ol
                | P
                | Pre
                | Section
                | Summary
                | Table
                | Ul
                | Dd
                | Dt
                | Plaintext
                | Xmp
        )
    }

    /// No end tag of something outside reaches into it.
    pub(super) fn is_boundary(self) -> bool {
        use Name::*;
        matches!(self, Table | Td | Th | Caption | Template | Object | Html)
    }
}
