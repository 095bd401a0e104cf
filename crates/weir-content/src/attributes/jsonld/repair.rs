//! Makes JSON of what was meant to be JSON.

/// The same text with its usual faults put right: comments and CDATA marks around it, control
/// characters and quotes in strings, commas before a closing bracket, no end.
pub fn repaired(text: &str) -> String {
    let mut repair = Repair { out: String::with_capacity(text.len() + 16), open: Vec::new() };
    let from = text.find(['{', '[']).unwrap_or(text.len());
    // The comment or CDATA mark before may have a bracket of its own.
    let from = if text[from..].starts_with("[CDATA[") { from + 7 } else { from };
    repair.run(&text[from..]);
    repair.finish()
}

struct Repair {
    out: String,
    /// The brackets that close what is open.
    open: Vec<char>,
}

impl Repair {
    fn run(&mut self, text: &str) {
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let behind = &rest[next.len_utf8()..];
            rest = match next {
                '"' => self.string(behind),
                '/' if behind.starts_with('*') => after(behind, "*/"),
                '/' if behind.starts_with('/') => after(behind, "\n"),
                '<' | ';' => behind,
                _ => {
                    self.mark(next);
                    behind
                }
            };
            if self.open.is_empty() && !self.out.is_empty() {
                return; // what stands behind the whole is no part of it
            }
        }
    }

    fn mark(&mut self, mark: char) {
        if self.out.is_empty() && (mark.is_whitespace() || mark.is_control()) {
            return; // so that what is written begins with what counts
        }
        match mark {
            '{' => self.open.push('}'),
            '[' => self.open.push(']'),
            '}' | ']' => {
                if self.open.pop() != Some(mark) {
                    return;
                }
                self.drop_comma();
            }
            _ if mark.is_control() => return self.out.push(' '),
            _ => {}
        }
        self.out.push(mark);
    }

    fn drop_comma(&mut self) {
        let kept = self.out.trim_end().trim_end_matches(',').len();
        self.out.truncate(kept);
    }

    /// `rest` is behind the opening quote; returns what is behind the closing one.
    fn string<'a>(&mut self, rest: &'a str) -> &'a str {
        self.out.push('"');
        let mut letters = rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' if closes(&rest[at + 1..]) => {
                    self.out.push('"');
                    return &rest[at + 1..];
                }
                '"' => self.out.push_str("\\\""),
                '\\' => self.escape(letters.next().map(|(_, letter)| letter), letters.as_str()),
                _ if letter.is_control() => self.out.push(' '),
                _ => self.out.push(letter),
            }
        }
        self.out.push('"');
        ""
    }

    fn escape(&mut self, letter: Option<char>, behind: &str) {
        let hex = || behind.bytes().take(4).filter(u8::is_ascii_hexdigit).count() == 4;
        match letter {
            Some('u') if !hex() => {}
            Some(known @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u')) => {
                self.out.push('\\');
                self.out.push(known);
            }
            Some(other) if !other.is_control() => self.out.push(other),
            _ => {}
        }
    }

    fn finish(mut self) -> String {
        let close = std::mem::take(&mut self.open);
        self.drop_comma();
        if self.out.ends_with(':') {
            self.out.push_str("null");
        }
        self.out.extend(close.iter().rev());
        self.out
    }
}

/// Whether a quote before `rest` is the end of a string.
fn closes(rest: &str) -> bool {
    let next = rest.trim_start().chars().next();
    next.is_none_or(|next| matches!(next, ',' | ':' | '}' | ']'))
}

fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.find(mark).map_or("", |at| &text[at + mark.len()..])
}
