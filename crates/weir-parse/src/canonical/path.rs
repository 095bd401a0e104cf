use super::lists::OF_PATHS;
use super::rules::{When, is_like_session};

/// Removes session ids from the path: `/a;jsessionid=1/b`, and `/(S(...))/a` of ASP.NET.
pub(super) fn strip_sessions(text: &mut String, path_end: usize) {
    if memchr::memchr2(b';', b'(', &text.as_bytes()[..path_end]).is_none() {
        return;
    }
    let Some(start) = path_start(text) else { return };
    let path = &text[start..path_end];
    let mut kept = String::with_capacity(path.len());
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let segment = without_parameters(segment);
        let last = segments.peek().is_none();
        match is_cookieless(&segment) {
            true => {} // with the slash behind it
            false if last => kept.push_str(&segment),
            false => kept.extend([segment.as_str(), "/"]),
        }
    }
    if kept.len() < path.len() {
        text.replace_range(start..path_end, &kept);
    }
}

/// Behind the slash that every path starts with.
fn path_start(text: &str) -> Option<usize> {
    let authority = text.find("://")? + 3;
    Some(authority + text[authority..].find('/')? + 1)
}

fn without_parameters(segment: &str) -> String {
    let mut parts = segment.split(';');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for parameter in parts.filter(|parameter| !is_session(parameter)) {
        kept.push(';');
        kept.push_str(parameter);
    }
    // Dots alone would lead to another directory.
    if matches!(kept.as_str(), "." | "..") { segment.to_owned() } else { kept }
}

fn is_session(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return false };
    OF_PATHS.iter().any(|(known, when)| {
        name.eq_ignore_ascii_case(known) && (*when == When::Always || is_like_session(value))
    })
}

/// `(S(lit3py55t21z5v55vlm25s55))`, also with other letters before it: `(X(1)S(...))`.
fn is_cookieless(segment: &str) -> bool {
    let Some(inner) = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let mut rest = inner;
    let mut long = false;
    while let Some((letter, after)) = rest.split_once('(') {
        let Some((token, after)) = after.split_once(')') else { return false };
        let known = matches!(letter, "A" | "F" | "S" | "X");
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if !known || token.is_empty() || !token.bytes().all(plain) {
            return false;
        }
        long |= token.len() >= 24;
        rest = after;
    }
    long && rest.is_empty()
}
