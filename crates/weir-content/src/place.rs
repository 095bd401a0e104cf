use std::fmt;
use std::ops::Range;

/// Where in a text that a user wrote something is wrong, shown as its line with a mark below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    line: String,
    before: usize,
    marked: usize,
}

/// More than this of a long line is not shown on either side of the place.
const AROUND: usize = 60;

impl Place {
    /// `range` is in bytes, and may lie anywhere.
    pub fn new(text: &str, range: Range<usize>) -> Place {
        let from = text.floor_char_boundary(range.start);
        let start = text[..from].rfind('\n').map_or(0, |at| at + 1);
        let end = text[from..].find('\n').map_or(text.len(), |at| from + at);
        let to = text.floor_char_boundary(range.end.clamp(from, end));
        let before: Vec<char> = text[start..from].chars().collect();
        let cut = before.len().saturating_sub(AROUND);
        let marked = text[from..to].chars().count().clamp(1, AROUND);
        let behind = text[from..end].chars().take(marked + AROUND);
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let mut line = String::from(if cut > 0 { "…" } else { "" });
        line.extend(before[cut..].iter().copied().chain(behind).map(plain));
        Place { line, before: before.len() - cut + usize::from(cut > 0), marked }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}", self.line.trim_end())?;
        write!(f, "  {}{}", " ".repeat(self.before), "^".repeat(self.marked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_below_the_place() {
        for (text, range, expected) in [
            ("a == b", 2..4, "  a == b\n    ^^"),
            ("a ==", 4..4, "  a ==\n      ^"),
            ("ä\nöü x\nz", 8..9, "  öü x\n     ^"),
            ("ä", 1..900, "  ä\n  ^"),
            ("", 7..9, "  \n  ^"),
        ] {
            assert_eq!(Place::new(text, range).to_string(), expected, "{text}");
        }
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let text = "x".repeat(500) + "!" + &"y".repeat(500);
        let shown = Place::new(&text, 500..501).to_string();
        let (line, mark) = shown.split_once('\n').unwrap();
        assert!(line.chars().count() < 130);
        assert_eq!(line.chars().position(|c| c == '!'), mark.chars().position(|c| c == '^'));
    }
}
