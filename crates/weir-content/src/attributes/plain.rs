//! Texts made alike, to be compared.

/// Only letters and digits, in lower case.
pub fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Words with single spaces between, and no tags; what was escaped twice is not any more.
pub fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let text = unescaped(text);
    for word in without_tags(&text).split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().filter(|c| !is_invisible(*c)));
    }
    out
}

fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{2060}')
}

fn unescaped(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('&') { htmlize::unescape(text) } else { text.into() }
}

/// Cuts `<b>` and `</b>` from a value where somebody put markup.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Behind the last one no tag ends, and nobody looks for it again and again.
    let last = text.rfind('>').map_or("", |at| &text[at..]).len();
    while let Some(open) = rest.find('<') {
        let tag = &rest[open + 1..];
        let may_end = tag.len() >= last && last > 0;
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        let end = if may_end && is_tag { tag.find('>') } else { None };
        out.push_str(&rest[..open]);
        match end {
            Some(end) => rest = &tag[end + 1..],
            None => {
                out.push('<');
                rest = tag;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_made_tidy() {
        for (text, expected) in [
            ("  a \n b ", "a b"),
            ("a &amp; b", "a & b"),
            ("<b>a</b> < b", "a < b"),
            ("a\u{ad}b\u{200b}", "ab"),
            ("<", "<"),
        ] {
            assert_eq!(tidy(text), expected, "{text}");
        }
        assert_eq!(plain("It’s – A!"), "itsa");
    }
}
