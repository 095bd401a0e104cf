//! What would mean something in Markdown and is only text.

/// Adds a word of a text; `begins` says that it is the first of its line.
pub fn push_word(word: &str, begins: bool, out: &mut String) {
    let number = if begins { item_number(word) } else { None };
    if begins && begins_a_block(word) {
        out.push('\\');
    }
    for (at, c) in word.char_indices() {
        let marks = matches!(c, '\\' | '*' | '_' | '`' | '[' | ']' | '<');
        if marks || number == Some(at) || c == '&' && is_reference(&word[at..]) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// At the start of a line it would make a heading, a quote, a list, a rule or code.
fn begins_a_block(word: &str) -> bool {
    matches!(word, "-" | "+")
        || word.starts_with(['#', '>', '='])
        || word.starts_with("---")
        || word.starts_with("~~~")
}

/// Where the point of `12.` or `12)` stands, which would make an item of a list.
fn item_number(word: &str) -> Option<usize> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && matches!(&word[digits..], "." | ")")).then_some(digits)
}

/// It begins like `&amp;`.
fn is_reference(text: &str) -> bool {
    let name = text[1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#');
    let length = name.count();
    length > 0 && text.as_bytes().get(length + 1) == Some(&b';')
}

/// The target of a link, without what would end it.
pub fn target(target: &str) -> String {
    let mut out = String::with_capacity(target.len());
    for c in target.trim().chars() {
        match c {
            ' ' => out.push_str("%20"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            c if c.is_whitespace() || c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// The marks around code, longer than any in it.
pub fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_text_means_nothing() {
        for (word, begins, expected) in [
            ("a_b*c", false, "a\\_b\\*c"),
            ("[x]", false, "\\[x\\]"),
            ("#", true, "\\#"),
            ("#", false, "#"),
            (">x", true, "\\>x"),
            ("12.", true, "12\\."),
            ("1)", true, "1\\)"),
            ("12.5", true, "12.5"),
            ("12.", false, "12."),
            ("&lt;b", false, "\\&lt;b"),
            ("R&D;", false, "R\\&D;"),
            ("R&D", false, "R&D"),
            ("&;", false, "&;"),
            ("&\u{e4};", false, "&\u{e4};"),
            ("---", true, "\\---"),
            ("===", true, "\\==="),
        ] {
            let mut out = String::new();
            push_word(word, begins, &mut out);
            assert_eq!(out, expected, "{word}");
        }
    }

    #[test]
    fn a_fence_is_longer_than_what_is_in_it() {
        assert_eq!(fence("a"), "```");
        assert_eq!(fence("a `b` ``"), "```");
        assert_eq!(fence("````"), "`````");
    }
}
