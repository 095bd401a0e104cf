/// Says whether a body is worth parsing: `text/html`, `application/xhtml+xml`, or no type at all
/// and a start that looks like HTML (the table of the MIME Sniffing standard).
pub fn is_html(content_type: Option<&str>, body_start: &[u8]) -> bool {
    let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or("").trim();
    if essence.is_empty() {
        return looks_like_html(body_start);
    }
    essence.eq_ignore_ascii_case("text/html")
        || essence.eq_ignore_ascii_case("application/xhtml+xml")
}

const OPENINGS: [&[u8]; 17] = [
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
    b"<meta",
];

fn looks_like_html(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii_start();
    if body.starts_with(b"<!--") {
        return true;
    }
    if body.starts_with(b"<?xml") {
        let window = &body[..body.len().min(1024)];
        return memchr::memmem::find(window, b"<html").is_some();
    }
    OPENINGS.iter().any(|opening| {
        let ends = |byte: &u8| matches!(byte, b' ' | b'>' | b'\t' | b'\n' | b'\r' | b'\x0C');
        let (Some(start), Some(next)) = (body.get(..opening.len()), body.get(opening.len())) else {
            return false;
        };
        start.eq_ignore_ascii_case(opening) && ends(next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_decides_and_the_start_where_there_is_none() {
        for (content_type, body, expected) in [
            (Some("text/html; charset=utf-8"), "", true),
            (Some("TEXT/HTML"), "", true),
            (Some("application/xhtml+xml"), "", true),
            (Some("text/plain"), "<html>", false),
            (Some("application/pdf"), "", false),
            (None, "  <!DOCTYPE HTML><p>", true),
            (None, "<p>x", true),
            (None, "<?xml version='1.0'?><html xmlns='x'>", true),
            (None, "<?xml version='1.0'?><rss>", false),
            (None, "<paragraph>", false),
            (None, "{}", false),
            (Some(" "), "<a href=x>", true),
        ] {
            assert_eq!(is_html(content_type, body.as_bytes()), expected, "{content_type:?} {body}");
        }
    }
}
