use http::header::LOCATION;
use url::Url;
use weir_types::Page;

/// Where a redirect leads, resolved as browsers do, without its fragment; `None` if the page is no
/// redirect. The error says why the target cannot be crawled.
pub fn redirect_target(page: &Page) -> Option<Result<Url, String>> {
    if !matches!(page.status, 300..=303 | 305 | 307 | 308) {
        return None;
    }
    let mut locations = page.headers.get_all(LOCATION).iter();
    let location = locations.next().filter(|value| !value.is_empty())?;
    if locations.any(|other| other != location) {
        return Some(Err("it has more than one location".to_owned()));
    }
    Some(resolve(&page.url, location.as_bytes()))
}

fn resolve(base: &str, location: &[u8]) -> Result<Url, String> {
    let text = to_text(location);
    let base = Url::parse(base).map_err(|error| format!("base {base:?}: {error}"))?;
    let mut target = base.join(&text).map_err(|error| format!("location {text:?}: {error}"))?;
    if !matches!(target.scheme(), "http" | "https") {
        return Err(format!("location {text:?}: scheme {} is not http or https", target.scheme()));
    }
    target.set_fragment(None);
    Ok(target)
}

/// UTF-8 stays as it is; bytes that are not UTF-8 are percent-encoded one by one.
fn to_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for part in bytes.utf8_chunks() {
        text.push_str(part.valid());
        part.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use http::{HeaderMap, HeaderValue};
    use weir_types::Protocol;

    use super::*;

    fn page(status: u16, locations: &[&[u8]]) -> Page {
        let mut headers = HeaderMap::new();
        for location in locations {
            headers.append(LOCATION, HeaderValue::from_bytes(location).unwrap());
        }
        Page {
            url: "http://a.test/dir/page?q".to_owned(),
            status,
            protocol: Protocol::Http11,
            request_head: Vec::new(),
            response_head: Vec::new(),
            headers,
            body: bytes::Bytes::new(),
            cut: None,
            address: "127.0.0.1:80".parse().unwrap(),
            fetched_at: SystemTime::UNIX_EPOCH,
            elapsed: Duration::ZERO,
            held: Duration::ZERO,
            first_byte: Duration::ZERO,
            bytes_wire: 0,
        }
    }

    fn check(location: &[u8], target: &str) {
        let found = redirect_target(&page(302, &[location])).unwrap().unwrap();
        assert_eq!(found.as_str(), target, "{}", location.escape_ascii());
    }

    #[test]
    fn a_location_is_resolved_as_browsers_do() {
        check(b"http://b.test/x", "http://b.test/x");
        check(b"//b.test/x", "http://b.test/x");
        check(b"/x", "http://a.test/x");
        check(b"x", "http://a.test/dir/x");
        check(b"?y", "http://a.test/dir/page?y");
        check(b"../../../../x", "http://a.test/x");
        check(b"/a b\t", "http://a.test/a%20b");
        check("/\u{e9}?\u{e9}".as_bytes(), "http://a.test/%C3%A9?%C3%A9");
        check(b"/\xe9", "http://a.test/%E9");
        check(b"/x#part", "http://a.test/x");
        check(b"HTTPS://B.test:443", "https://b.test/");
        check(b"\\\\b.test\\x", "http://b.test/x");
    }

    #[test]
    fn what_is_not_the_web_is_refused_with_a_reason() {
        for location in ["file:///etc/passwd", "javascript:alert(1)", "data:,x", "ftp://b.test/"] {
            let why = redirect_target(&page(301, &[location.as_bytes()])).unwrap().unwrap_err();
            assert!(why.contains("not http or https"), "{why}");
        }
        assert!(redirect_target(&page(301, &[b"http://[broken"])).unwrap().is_err());
        assert!(redirect_target(&page(301, &[b"http://b.test:99999/"])).unwrap().is_err());
    }

    #[test]
    fn only_a_redirect_with_one_location_has_a_target() {
        assert!(redirect_target(&page(200, &[b"/x"])).is_none());
        assert!(redirect_target(&page(304, &[b"/x"])).is_none());
        assert!(redirect_target(&page(302, &[])).is_none());
        assert!(redirect_target(&page(302, &[b""])).is_none());
        assert!(redirect_target(&page(302, &[b"/x", b"/x"])).unwrap().is_ok());
        assert!(redirect_target(&page(302, &[b"/x", b"/y"])).unwrap().is_err());
    }
}
