use std::borrow::Cow;

use memchr::memmem;

/// Whether `path` begins with `pattern`, in which `*` stands for anything and `$` at the end for
/// the path's end. Both must be in normal form, where such characters of the path are encoded.
pub fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, to_end) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split(|byte| *byte == b'*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let Some(mut part) = parts.next() else { return !to_end || rest.is_empty() };
    // The leftmost place is always good enough for all but the last part.
    for next in parts {
        let Some(place) = memmem::find(rest, part) else { return false };
        rest = &rest[place + part.len()..];
        part = next;
    }
    if to_end { rest.ends_with(part) } else { memmem::find(rest, part).is_some() }
}

/// One spelling for each path: what need not be percent-encoded is not, what must be is, with
/// upper-case digits; and so are `*` and `$`, which mean themselves in a path.
pub fn normal_path(path: &[u8]) -> Cow<'_, [u8]> {
    if path.iter().all(|byte| is_kept(*byte) && !matches!(byte, b'%' | b'*' | b'$')) {
        return Cow::Borrowed(path);
    }
    let mut out = Vec::with_capacity(path.len() + 16);
    normalise(path, &mut out, |byte| matches!(byte, b'*' | b'$'));
    Cow::Owned(out)
}

/// The same for a rule, where `*` is special, and `$` at the end. A second `*` right after the
/// first says nothing new; it is kept, because the length of a rule counts.
pub fn normal_pattern(pattern: &[u8]) -> Vec<u8> {
    let (pattern, to_end) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut out = Vec::with_capacity(pattern.len() + 1);
    normalise(pattern, &mut out, |byte| byte == b'$');
    out.extend(to_end.then_some(b'$'));
    out
}

fn normalise(mut text: &[u8], out: &mut Vec<u8>, encode: impl Fn(u8) -> bool) {
    while let [byte, rest @ ..] = text {
        text = rest;
        match (*byte, encoded(rest)) {
            (b'%', Some(byte)) => {
                text = &rest[2..];
                if is_unreserved(byte) { out.push(byte) } else { push_encoded(out, byte) }
            }
            (byte, _) if !is_kept(byte) || encode(byte) => push_encoded(out, byte),
            (byte, _) => out.push(byte),
        }
    }
}

/// The byte that two hexadecimal digits at the start stand for.
fn encoded(digits: &[u8]) -> Option<u8> {
    let digit = |index: usize| char::from(*digits.get(index)?).to_digit(16);
    Some((digit(0)? * 16 + digit(1)?) as u8)
}

/// What may stand in a URL as it is, and a `%` that encodes nothing.
fn is_kept(byte: u8) -> bool {
    is_unreserved(byte) || b":/?#[]@!$&'()*+,;=%".contains(&byte)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn push_encoded(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}
