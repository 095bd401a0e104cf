use std::borrow::Cow;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{Request, Uri};
use url::{Position, Url};

use crate::link::NoBody;
use crate::{Failure, SetupError};

const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const ACCEPT_ENCODING: &str = "gzip, deflate, br, zstd";

/// A URL that can be asked for, its credentials removed: those are never sent.
pub struct Target<'a> {
    url: Cow<'a, Url>,
    path_and_query: PathAndQuery,
    pub https: bool,
    pub port: u16,
}

impl<'a> Target<'a> {
    pub fn of(url: &'a Url) -> Result<Self, Failure> {
        let bad = |why: &str| Failure::BadUrl { url: url.to_string(), why: why.to_owned() };
        let https = match url.scheme() {
            "http" => false,
            "https" => true,
            other => return Err(bad(&format!("scheme {other} is not http or https"))),
        };
        let port = url.port_or_known_default().filter(|port| *port != 0);
        let port = port.ok_or_else(|| bad("its port is 0"))?;
        if url.host_str().is_none_or(str::is_empty) {
            return Err(bad("it has no host"));
        }
        let path_and_query = &url[Position::BeforePath..Position::AfterQuery];
        let path_and_query =
            PathAndQuery::try_from(path_and_query).map_err(|error| bad(&error.to_string()))?;
        Ok(Target { url: without_credentials(url), path_and_query, https, port })
    }

    /// `https://host:port`: what a connection can be used for.
    pub fn origin(&self) -> &str {
        &self.url[..Position::AfterPort]
    }

    pub fn host(&self) -> &str {
        self.url.host_str().expect("checked when made")
    }

    pub fn url_host(&self) -> url::Host<&str> {
        self.url.host().expect("checked when made")
    }

    fn authority(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }
}

fn without_credentials(url: &Url) -> Cow<'_, Url> {
    if url.username().is_empty() && url.password().is_none() {
        return Cow::Borrowed(url);
    }
    let mut clean = url.clone();
    clean.set_username("").expect("an http URL with a host can have none");
    clean.set_password(None).expect("an http URL with a host can have none");
    Cow::Owned(clean)
}

/// What is the same in every request of a fetcher.
pub struct Template {
    /// The host comes first and is replaced.
    headers: HeaderMap,
    /// All but the host, as text.
    text: Vec<u8>,
}

impl Template {
    pub fn new(user_agent: &str) -> Result<Self, SetupError> {
        let agent = HeaderValue::from_str(user_agent)
            .ok()
            .filter(|value| value.to_str().is_ok())
            .ok_or_else(|| SetupError::UserAgent(user_agent.to_owned()))?;
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(""));
        headers.insert(header::USER_AGENT, agent);
        headers.insert(header::ACCEPT, HeaderValue::from_static(ACCEPT));
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(ACCEPT_ENCODING));
        let mut text = Vec::new();
        headers.iter().skip(1).for_each(|(name, value)| write_line(&mut text, name, value));
        Ok(Template { headers, text })
    }

    /// The request for an HTTP/1 connection, or for an HTTP/2 one, where the host goes into the
    /// URI and not into a header.
    pub fn request(
        &self,
        target: &Target<'_>,
        extra: &HeaderMap,
        http2: bool,
    ) -> Result<Request<NoBody>, Failure> {
        let bad = |why: String| Failure::BadUrl { url: target.url.to_string(), why };
        let path = target.path_and_query.clone();
        let mut request = Request::new(NoBody);
        let mut headers = self.headers.clone();
        if http2 {
            headers.remove(header::HOST);
            let uri = Uri::builder().scheme("https").authority(target.authority());
            let uri = uri.path_and_query(path).build();
            *request.uri_mut() = uri.map_err(|error| bad(error.to_string()))?;
        } else {
            let host = HeaderValue::from_str(target.authority());
            headers.insert(header::HOST, host.map_err(|error| bad(error.to_string()))?);
            *request.uri_mut() = Uri::from(path);
        }
        headers.extend(extra.iter().map(|(name, value)| (name.clone(), value.clone())));
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// The same request as hyper writes it to an HTTP/1 connection.
    pub fn head(&self, target: &Target<'_>, extra: &HeaderMap) -> Vec<u8> {
        let parts = [
            b"GET ",
            target.path_and_query.as_str().as_bytes(),
            b" HTTP/1.1\r\nhost: ",
            target.authority().as_bytes(),
            b"\r\n",
            &self.text,
        ];
        let mut head = Vec::with_capacity(parts.iter().map(|part| part.len()).sum::<usize>() + 2);
        parts.iter().for_each(|part| head.extend_from_slice(part));
        extra.iter().for_each(|(name, value)| write_line(&mut head, name, value));
        head.extend_from_slice(b"\r\n");
        head
    }
}

/// One header as a line of a head.
pub fn write_line(text: &mut Vec<u8>, name: &HeaderName, value: &HeaderValue) {
    text.extend_from_slice(name.as_str().as_bytes());
    text.extend_from_slice(b": ");
    text.extend_from_slice(value.as_bytes());
    text.extend_from_slice(b"\r\n");
}
