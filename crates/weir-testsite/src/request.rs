//! The head of a request, as far as the server cares.

/// Heads above this are refused.
pub(crate) const HEAD_LIMIT: usize = 16 * 1024;

pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    /// Path and query, whatever form the target had.
    pub(crate) path: &'a [u8],
    pub(crate) keep_alive: bool,
    /// HTTP/1.0 clients do not know chunks.
    pub(crate) knows_chunks: bool,
    pub(crate) accepts_gzip: bool,
    /// Empty where there is none, as is the agent.
    pub(crate) host: &'a [u8],
    pub(crate) agent: &'a [u8],
    pub(crate) if_none_match: Option<&'a [u8]>,
    pub(crate) if_modified_since: Option<&'a [u8]>,
}

/// A head that is no HTTP, or too long.
pub(crate) struct BadRequest;

/// The request at the start of `input` and its length, or `None` while it is not all there.
pub(crate) fn parse(input: &[u8]) -> Result<Option<(Request<'_>, usize)>, BadRequest> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(input) {
        Ok(httparse::Status::Complete(length)) => Ok(Some((request(&parsed), length))),
        Ok(httparse::Status::Partial) if input.len() <= HEAD_LIMIT => Ok(None),
        Ok(httparse::Status::Partial) | Err(_) => Err(BadRequest),
    }
}

fn request<'a>(parsed: &httparse::Request<'_, 'a>) -> Request<'a> {
    let newer = parsed.version == Some(1);
    let mut request = Request {
        method: parsed.method.unwrap_or(""),
        path: path(parsed.path.unwrap_or("").as_bytes()),
        keep_alive: newer,
        knows_chunks: newer,
        accepts_gzip: false,
        host: b"",
        agent: b"",
        if_none_match: None,
        if_modified_since: None,
    };
    let mut has_body = false;
    for header in parsed.headers.iter() {
        let value = header.value;
        match header.name {
            name if is(name, "connection") => {
                request.keep_alive = !has(value, b"close") && (newer || has(value, b"keep-alive"));
            }
            name if is(name, "accept-encoding") => request.accepts_gzip = has(value, b"gzip"),
            name if is(name, "host") => request.host = value,
            name if is(name, "user-agent") => request.agent = value,
            name if is(name, "if-none-match") => request.if_none_match = Some(value),
            name if is(name, "if-modified-since") => request.if_modified_since = Some(value),
            name if is(name, "content-length") => has_body |= value != b"0",
            name if is(name, "transfer-encoding") => has_body = true,
            _ => {}
        }
    }
    // A body is never read here, so what follows it could not be found either.
    request.keep_alive &= !has_body;
    request
}

fn is(name: &str, wanted: &str) -> bool {
    name.eq_ignore_ascii_case(wanted)
}

fn has(value: &[u8], word: &[u8]) -> bool {
    value.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// Drops scheme and authority of a target written for a proxy.
fn path(target: &[u8]) -> &[u8] {
    let Some(rest) = target.strip_prefix(b"http://") else { return target };
    rest.iter().position(|b| *b == b'/').map_or(b"/", |slash| &rest[slash..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_stays_open_as_the_client_asks() {
        let cases: [(&str, bool); 6] = [
            ("GET / HTTP/1.1\r\nhost: a\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n", false),
            ("GET / HTTP/1.0\r\n\r\n", false),
            ("GET / HTTP/1.0\r\nconnection: Keep-Alive\r\n\r\n", true),
            ("POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\n", false),
            ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", false),
        ];
        for (text, expected) in cases {
            let Ok(Some((request, length))) = parse(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(request.keep_alive, expected, "{text}");
            assert_eq!(length, text.len());
        }
    }

    #[test]
    fn a_half_head_waits_and_a_wrong_or_endless_one_is_refused() {
        assert!(matches!(parse(b"GET / HTT"), Ok(None)));
        assert!(parse(b"\x16\x03\x01\x02 tls?\r\n\r\n").is_err());
        let endless = [b"GET /".as_slice(), &vec![b'a'; HEAD_LIMIT]].concat();
        assert!(parse(&endless).is_err());
    }

    #[test]
    fn a_proxy_form_is_understood() {
        assert_eq!(path(b"http://127.1.0.1:80/q?id=2&x=1"), b"/q?id=2&x=1");
        assert_eq!(path(b"http://127.1.0.1:80"), b"/");
        assert_eq!(path(b"/p/4.html"), b"/p/4.html");
    }
}
