/// Escapes in one form: digits in upper case, and no escape for a character that never needs one.
/// Nothing else is decoded, because servers may tell it apart. Returns where the path ends now.
pub(super) fn normalise(text: &mut String, path_end: usize) -> usize {
    let Some(first) = memchr::memchr(b'%', text.as_bytes()) else { return path_end };
    let mut bytes = std::mem::take(text).into_bytes();
    let mut new_end = path_end;
    let (mut from, mut to) = (first, first);
    while from < bytes.len() {
        if from == path_end {
            new_end = to;
        }
        let escaped = escape(&bytes[from..]);
        match escaped {
            Some(byte) if is_unreserved(byte) && !completes_escape(&bytes[..to], byte) => {
                bytes[to] = byte;
                (from, to) = (from + 3, to + 1);
            }
            Some(_) => {
                let digits = [bytes[from + 1], bytes[from + 2]].map(|b| b.to_ascii_uppercase());
                bytes[to] = b'%';
                bytes[to + 1..to + 3].copy_from_slice(&digits);
                (from, to) = (from + 3, to + 3);
            }
            None => {
                bytes[to] = bytes[from];
                (from, to) = (from + 1, to + 1);
            }
        }
    }
    if path_end == bytes.len() {
        new_end = to;
    }
    bytes.truncate(to);
    *text = String::from_utf8(bytes).expect("whole ASCII characters took the place of others");
    new_end
}

/// The byte that an escape at the start stands for.
fn escape(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    Some(digit(*high)? << 4 | digit(*low)?)
}

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Whether `byte` would make an escape of a stray `%` before it, which would mean something new:
/// `%%341` is not `%41`.
fn completes_escape(before: &[u8], byte: u8) -> bool {
    byte.is_ascii_hexdigit()
        && match before {
            [.., b'%'] => true,
            [.., b'%', digit] => digit.is_ascii_hexdigit(),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_have_one_form() {
        for (text, expected) in [
            ("/a%2fb%c3%A9", "/a%2Fb%C3%A9"),
            ("/%7Euser/%41%5f%2D%2E", "/~user/A_-."),
            ("/a?b=%3d&%63=%20", "/a?b=%3D&c=%20"),
            ("/%2525/%253d", "/%2525/%253d"),
            ("/%/%a/%zz/%", "/%/%a/%zz/%"),
            ("/%%341/%%34%31/%4%31/%%%34", "/%%341/%%341/%4%31/%%%34"),
            ("/%%7E/%a%7e", "/%~/%a~"),
            ("/é%7e", "/é~"),
        ] {
            let path_end = text.find('?').unwrap_or(text.len());
            let mut out = text.to_owned();
            let end = normalise(&mut out, path_end);
            assert_eq!(out, expected);
            assert_eq!(end, expected.find('?').unwrap_or(expected.len()), "{text}");
            normalise(&mut out, end);
            assert_eq!(out, expected, "again");
        }
    }
}
