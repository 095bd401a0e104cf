//! From the text of a rule to its words and signs.

use std::ops::Range;

use jiff::SignedDuration;
use weir_types::{Size, parse_duration};

use super::error::Wrong;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Duration(SignedDuration),
    Text(String),
    /// A name, an operator in letters, `true`, `false` or `null`.
    Word(String),
    Sign(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub token: Token,
    pub at: Range<usize>,
}

const SIGNS: [&str; 13] = ["==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ",", "+", "-"];

/// What other languages write, and what it is here.
const FOREIGN: [(&str, &str); 9] = [
    ("=~", "matches"),
    ("===", "=="),
    ("=", "=="),
    ("<>", "!="),
    ("&&", "and"),
    ("&", "and"),
    ("||", "or"),
    ("|", "or"),
    ("!", "not"),
];

/// All of `text`, an `End` last.
pub(super) fn read(text: &str) -> Result<Vec<Placed>, Wrong> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let (token, end) = next(text, at)?;
        let is_end = token == Token::End;
        tokens.push(Placed { token, at: at..end });
        at = end;
        if is_end {
            return Ok(tokens);
        }
    }
}

fn next(text: &str, at: usize) -> Result<(Token, usize), Wrong> {
    let rest = &text[at..];
    let Some(first) = rest.chars().next() else { return Ok((Token::End, at)) };
    if first == '"' || first == '\'' {
        return quoted(text, at, first);
    }
    if first.is_ascii_digit() {
        return amount(text, at);
    }
    if starts_word(first) {
        let end = at + word_length(rest);
        return Ok((Token::Word(text[at..end].to_owned()), end));
    }
    // `===` begins with a sign of ours and is none.
    let foreign = FOREIGN.iter().find(|(sign, _)| rest.starts_with(sign));
    let known = SIGNS.iter().find(|sign| rest.starts_with(**sign));
    match (known, foreign) {
        (Some(sign), None) => Ok((Token::Sign(sign), at + sign.len())),
        (Some(sign), Some((foreign, _))) if sign.len() >= foreign.len() => {
            Ok((Token::Sign(sign), at + sign.len()))
        }
        (_, Some((foreign, ours))) => {
            let what = format!("`{foreign}` means nothing here");
            Err(Wrong::new(at..at + foreign.len(), what, format!("write `{ours}`")))
        }
        (None, None) => Err(Wrong::new(
            at..at + first.len_utf8(),
            format!("`{}` means nothing here", first.escape_debug()),
            "texts stand in quotes: \"…\"",
        )),
    }
}

/// A backslash takes the meaning from a quote and from another backslash, and stands for itself
/// before anything else, as in `"\d+"`.
fn quoted(text: &str, at: usize, quote: char) -> Result<(Token, usize), Wrong> {
    let mut out = String::new();
    let mut chars = text[at + 1..].char_indices().peekable();
    while let Some((step, c)) = chars.next() {
        match c {
            _ if c == quote => return Ok((Token::Text(out), at + 1 + step + 1)),
            '\\' => {
                let escaped = chars.next_if(|(_, next)| *next == quote || *next == '\\');
                out.push(escaped.map_or('\\', |(_, next)| next));
            }
            _ => out.push(c),
        }
    }
    Err(Wrong::new(at..text.len(), "the text has no end", format!("end it with {quote}")))
}

/// A number, a duration such as `2h30m`, or a size such as `500KB`, which is a number of bytes.
fn amount(text: &str, at: usize) -> Result<(Token, usize), Wrong> {
    let goes_on = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
    let length = text[at..].find(|c| !goes_on(c)).unwrap_or(text.len() - at);
    let end = at + length;
    let written = &text[at..end];
    let token = if written.ends_with(|c: char| c.is_ascii_digit()) {
        written.parse().ok().filter(|number: &f64| number.is_finite()).map(Token::Number)
    } else {
        duration(written).or_else(|| size(written))
    };
    token.map(|token| (token, end)).ok_or_else(|| {
        let what = format!("`{written}` is no number, no duration and no size");
        Wrong::new(at..end, what, "write for example 12.5, 90s, 2h30m, 7d or 500KB")
    })
}

fn duration(written: &str) -> Option<Token> {
    let duration = SignedDuration::try_from(parse_duration(written).ok()?).ok()?;
    Some(Token::Duration(duration))
}

fn size(written: &str) -> Option<Token> {
    written.parse().ok().map(|Size(bytes)| Token::Number(bytes as f64))
}

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// The name of a field may have a hyphen in it, as in `fields.old-price`; elsewhere it is a minus.
fn word_length(rest: &str) -> usize {
    let in_field = rest.starts_with("fields.");
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins =
            in_field && c == '-' && chars.peek().is_some_and(|(_, next)| starts_word(*next));
        if !(c.is_alphanumeric() || c == '_' || c == '.' || joins) {
            return at;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        read(text).unwrap().into_iter().map(|placed| placed.token).collect()
    }

    #[test]
    fn amounts_are_numbers_durations_or_sizes() {
        let duration = |seconds| Token::Duration(SignedDuration::from_secs(seconds));
        for (text, token) in [
            ("12.5", Token::Number(12.5)),
            ("7d", duration(7 * 86_400)),
            ("2h30m", duration(9_000)),
            ("90s", duration(90)),
            ("500KB", Token::Number(500_000.0)),
            ("1e3", Token::Number(1000.0)),
        ] {
            assert_eq!(tokens(text), [token, Token::End], "{text}");
        }
        for text in ["7x", "1.2.3", "7dd", "1e999", "99999999999999999999y"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn backslashes_of_a_regex_stand_for_themselves() {
        for (text, expected) in [
            (r#""\d+\.""#, r"\d+\."),
            (r#""a\"b""#, r#"a"b"#),
            (r"'a\\b\''", r"a\b'"),
            (r#""it's""#, "it's"),
        ] {
            assert_eq!(tokens(text), [Token::Text(expected.to_owned()), Token::End], "{text}");
        }
    }

    #[test]
    fn a_hyphen_belongs_to_a_field_and_is_a_minus_elsewhere() {
        let word = |word: &str| Token::Word(word.to_owned());
        assert_eq!(tokens("fields.old-price"), [word("fields.old-price"), Token::End]);
        assert_eq!(tokens("now-x"), [word("now"), Token::Sign("-"), word("x"), Token::End]);
    }
}
