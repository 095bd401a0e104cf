//! Numbers that JSON does not have, so that the message can say where they stand.

/// The same text with NaN, Infinity and numbers too large to hold written as strings, which no field
/// accepts. What is wrong otherwise stays wrong.
pub fn quote_impossible_numbers(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut at = 0;
    while at < text.len() {
        let end = match text[at] {
            b'"' => string_end(text, at),
            byte if is_of_a_number(byte) => word_end(text, at),
            _ => at + 1,
        };
        let part = &text[at..end];
        let number = std::str::from_utf8(part).ok().and_then(|word| word.parse::<f64>().ok());
        if part[0] != b'"' && number.is_some_and(|number| !number.is_finite()) {
            out.push(b'"');
            out.extend_from_slice(part);
            out.push(b'"');
        } else {
            out.extend_from_slice(part);
        }
        at = end;
    }
    out
}

fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn word_end(text: &[u8], start: usize) -> usize {
    let length = text[start..].iter().position(|&byte| !is_of_a_number(byte));
    length.map_or(text.len(), |length| start + length)
}

fn is_of_a_number(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_json_cannot_hold_is_quoted() {
        let quoted = |text: &str| {
            String::from_utf8(quote_impossible_numbers(text.as_bytes())).unwrap_or_default()
        };
        assert_eq!(quoted(r#"{"D":NaN,"U":1e999}"#), r#"{"D":"NaN","U":"1e999"}"#);
        assert_eq!(quoted(r#"[-Infinity, 1.5e3, true]"#), r#"["-Infinity", 1.5e3, true]"#);
        assert_eq!(quoted(r#"{"id":"NaN \" 1e999"}"#), r#"{"id":"NaN \" 1e999"}"#);
        assert_eq!(quoted(r#"{"id":"open"#), r#"{"id":"open"#);
    }
}
