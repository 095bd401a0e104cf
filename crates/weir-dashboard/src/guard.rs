//! Who may look, and who may act.
//!
//! On loopback anybody of this machine may do both, so what must be kept out are pages that a browser of this machine has open:
//! they can send requests here, but neither with our own Host (a name that was made to lead here has another one) nor, where something
//! is changed, from our own origin and with the type of JSON. Elsewhere a token is needed for everything.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use subtle::ConstantTimeEq;

use crate::error::ApiError;
use crate::page;
use crate::state::Role;

/// A secret that is as good as a password.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The shortest that is taken.
    pub const LEAST: usize = 16;

    pub fn new(text: &str) -> Result<Token, String> {
        let is_plain =
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        match text.len() {
            ..Token::LEAST => Err(format!("a token has at least {} characters", Token::LEAST)),
            _ if !is_plain => Err("a token has letters, digits, '-', '_' and '.' only".to_owned()),
            _ => Ok(Token(text.to_owned())),
        }
    }

    /// One that nobody can guess.
    pub fn random() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

/// What is needed to be let in.
pub struct Guard {
    pub address: SocketAddr,
    pub token: Option<Token>,
    /// For those who may only look.
    pub read_token: Option<Token>,
}

/// The cookie that has the token, in a browser.
pub const COOKIE_NAME: &str = "weir_token";
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Before each request, and after it.
pub async fn watch(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let mut response = match guard.admit(&request) {
        Ok(role) => {
            request.extensions_mut().insert(role);
            next.run(request).await
        }
        Err(error) if wants_page(&request) && error.status == StatusCode::UNAUTHORIZED => {
            page::sign_in()
        }
        Err(error) => error.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn wants_page(request: &Request<Body>) -> bool {
    request.uri().path() == "/"
}

impl Guard {
    fn admit(&self, request: &Request<Body>) -> Result<Role, ApiError> {
        let headers = request.headers();
        if self.address.ip().is_loopback() && !self.is_our_host(headers) {
            return Err(ApiError::new(
                StatusCode::FORBIDDEN,
                format!("Host is none of this machine's own names; open http://{}/", self.address),
            ));
        }
        let path = request.uri().path();
        let role = match path {
            // Nothing of the crawl is in these, and a page that asks for the token needs them.
            "/healthz" => Role::Reader,
            _ if path.starts_with("/assets/") => Role::Reader,
            _ => self.role(request)?,
        };
        if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
            return Ok(role);
        }
        if role != Role::Operator {
            return Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "this token may look, and not act; use the other one",
            ));
        }
        self.check_origin(headers)?;
        Ok(role)
    }

    fn role(&self, request: &Request<Body>) -> Result<Role, ApiError> {
        if self.token.is_none() && self.read_token.is_none() {
            return Ok(Role::Operator);
        }
        let given = page::token_of(request.uri()).or_else(|| given(request.headers()));
        let is = |token: &Option<Token>| {
            token.as_ref().zip(given.as_deref()).is_some_and(|(token, given)| token.is(given))
        };
        match (is(&self.token), is(&self.read_token)) {
            (true, _) => Ok(Role::Operator),
            (false, true) => Ok(Role::Reader),
            _ => Err(ApiError::new(
                StatusCode::UNAUTHORIZED,
                "a token is needed that was shown when weir started: Authorization: Bearer TOKEN, or open /?token=TOKEN",
            )),
        }
    }

    /// A name that somebody made to lead to this machine is not one of ours.
    fn is_our_host(&self, headers: &HeaderMap) -> bool {
        let Some(host) = headers.get(HOST).and_then(|host| host.to_str().ok()) else {
            return false;
        };
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        name.eq_ignore_ascii_case("localhost")
            || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }

    /// What changes something comes from our own page, or from no page at all.
    fn check_origin(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let foreign = || {
            ApiError::new(
                StatusCode::FORBIDDEN,
                "this comes from another origin than this page's own",
            )
        };
        let host = text(HOST).unwrap_or_default();
        if let Some(origin) = headers.get(ORIGIN) {
            let ours = origin.to_str().is_ok_and(|origin| {
                origin.split_once("://").is_some_and(|(_, from)| from.eq_ignore_ascii_case(host))
            });
            if !ours {
                return Err(foreign());
            }
        }
        if headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none")
        {
            return Err(foreign());
        }
        // Of the types that any page may send without being asked, JSON is none.
        let kind = text(CONTENT_TYPE).unwrap_or_default().split(';').next().unwrap_or_default();
        match kind.trim().eq_ignore_ascii_case("application/json") {
            true => Ok(()),
            false => Err(ApiError::wrong("send it with the header Content-Type: application/json")),
        }
    }
}

fn given(headers: &HeaderMap) -> Option<String> {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some(token) = bearer.and_then(|value| value.strip_prefix("Bearer ")) {
        return Some(token.trim().to_owned());
    }
    let cookies = headers.get(COOKIE)?.to_str().ok()?;
    let mut pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, token)| token.to_owned())
}
