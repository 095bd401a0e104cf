//! Which encoding a page is in, in the standard's order: byte order mark, `Content-Type`, what the
//! page declares in its first 1024 bytes or further on, and last a guess from its bytes.

mod detect;
pub(crate) mod header;
mod late;
mod prescan;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

/// The encoding of a page's body. The URL only helps to guess where nothing is declared.
pub fn charset(body: &[u8], content_type: Option<&str>, url: &Url) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return encoding;
    }
    if let Some(encoding) = content_type.and_then(header::encoding) {
        return encoding;
    }
    if let Some(encoding) = prescan::encoding(&body[..body.len().min(prescan::WINDOW)]) {
        return encoding;
    }
    if let Some(encoding) = late::encoding(body) {
        return encoding;
    }
    if content_type.is_some_and(header::is_xml) {
        return UTF_8; // what XML says of itself, and it said nothing
    }
    detect::encoding(body, url)
}

/// Only UTF-8 has a byte order mark among the encodings that are scanned as they are.
pub(crate) fn skip_bom(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &[u8], content_type: Option<&str>, expected: &str) {
        let url = Url::parse("http://example.com/").unwrap();
        assert_eq!(charset(body, content_type, &url).name(), expected, "{body:?} {content_type:?}");
    }

    #[test]
    fn the_mark_comes_before_the_header_and_the_header_before_the_page() {
        check(b"\xEF\xBB\xBF<meta charset=koi8-r>", Some("text/html; charset=koi8-r"), "UTF-8");
        check(b"\xFF\xFEx\0", Some("text/html; charset=utf-8"), "UTF-16LE");
        check(b"<meta charset=koi8-r>", Some("text/html; charset=big5"), "Big5");
        check(b"<meta charset=koi8-r>", Some("text/html; charset=nonsense"), "KOI8-R");
        check(b"<meta charset=koi8-r>", None, "KOI8-R");
    }

    #[test]
    fn a_late_declaration_counts_unless_it_is_hidden() {
        let late = format!("<!--{}--><meta charset=koi8-r>", "x".repeat(2000));
        check(late.as_bytes(), None, "KOI8-R");
        let hidden = format!("<script>{}'<meta charset=koi8-r>'</script>", "x".repeat(2000));
        check(hidden.as_bytes(), None, "windows-1252");
    }

    #[test]
    fn a_page_that_declares_nothing_is_guessed() {
        check(b"plain", None, "windows-1252");
        check("\u{441}\u{43b}\u{43e}\u{432}\u{43e}".as_bytes(), None, "UTF-8");
        check(b"plain", Some("application/xhtml+xml"), "UTF-8");
        let (cyrillic, _, _) = encoding_rs::WINDOWS_1251.encode("Привет, это страница на русском");
        check(&cyrillic, None, "windows-1251");
    }
}
