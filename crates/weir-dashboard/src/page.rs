//! The page itself: what is under `ui/`, embedded, with the state of the moment put in.

use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderName, StatusCode, Uri};

use crate::error::ApiError;
use crate::guard::COOKIE_NAME;
use crate::packed;
use crate::state::{Site, State};

const INDEX: &str = include_str!("../ui/index.html");
const SIGN_IN: &str = include_str!("../ui/sign-in.html");

/// Name, type and text of each file that the page asks for.
const FILES: &[(&str, &str, &str)] = &[
    ("actions.js", SCRIPT, include_str!("../ui/actions.js")),
    ("api.js", SCRIPT, include_str!("../ui/api.js")),
    ("app.js", SCRIPT, include_str!("../ui/app.js")),
    ("below.js", SCRIPT, include_str!("../ui/below.js")),
    ("chart.js", SCRIPT, include_str!("../ui/chart.js")),
    ("dialog.css", STYLE, include_str!("../ui/dialog.css")),
    ("dialog.js", SCRIPT, include_str!("../ui/dialog.js")),
    ("dom.js", SCRIPT, include_str!("../ui/dom.js")),
    ("events.js", SCRIPT, include_str!("../ui/events.js")),
    ("format.js", SCRIPT, include_str!("../ui/format.js")),
    ("header.js", SCRIPT, include_str!("../ui/header.js")),
    ("menu.js", SCRIPT, include_str!("../ui/menu.js")),
    ("noscript.css", STYLE, include_str!("../ui/noscript.css")),
    ("order.js", SCRIPT, include_str!("../ui/order.js")),
    ("page.css", STYLE, include_str!("../ui/page.css")),
    ("preview.js", SCRIPT, include_str!("../ui/preview.js")),
    ("rates.js", SCRIPT, include_str!("../ui/rates.js")),
    ("row.js", SCRIPT, include_str!("../ui/row.js")),
    ("sites.css", STYLE, include_str!("../ui/sites.css")),
    ("sites.js", SCRIPT, include_str!("../ui/sites.js")),
    ("state.js", SCRIPT, include_str!("../ui/state.js")),
    ("theme.css", STYLE, include_str!("../ui/theme.css")),
    ("timeline.js", SCRIPT, include_str!("../ui/timeline.js")),
];
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Each file as it is sent, and a mark that changes with any of them.
static PACKED: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| FILES.iter().map(|(_, _, text)| packed::gzip(text.as_bytes())).collect());

/// The first view.
pub fn index(state: &State, headers: &HeaderMap) -> Response {
    let json = serde_json::to_string(state).unwrap_or_default().replace('<', "\\u003c");
    let page = INDEX
        .replace("<!--weir:verdict-->", &escape(&state.head.verdict.text))
        .replace("<!--weir:table-->", &table(state))
        .replace("<!--weir:state-->", &json);
    packed::answer(headers, "text/html; charset=utf-8", page.as_bytes(), None)
}

pub fn file(name: &str, headers: &HeaderMap) -> Result<Response, ApiError> {
    let at = FILES.iter().position(|(known, _, _)| *known == name);
    let at = at.ok_or_else(|| ApiError::missing(format!("there is no file {name:?}")))?;
    let (_, kind, text) = FILES[at];
    let mut response = packed::answer(headers, kind, text.as_bytes(), Some(&PACKED[at]));
    let cache = http::HeaderValue::from_static("no-cache");
    response.headers_mut().insert(CACHE_CONTROL, cache);
    Ok(response)
}

/// For whoever has no scripts.
fn table(state: &State) -> String {
    let mut text = String::from(
        "<table><thead><tr><th>Site<th>State<th>Pages<th>Done<th>Errors<th>Rate<th>Deadline<th>Finish<th>Limited by</tr></thead><tbody>",
    );
    for site in &state.sites {
        text.push_str(&format!("<tr>{}</tr>\n", cells(site)));
    }
    text.push_str("</tbody></table>");
    text
}

fn cells(site: &Site) -> String {
    let time = |at: &Option<String>| at.clone().unwrap_or_else(|| "-".to_owned());
    let finish = site.finished.clone().or_else(|| site.finish.clone());
    let cells = [
        site.site.clone(),
        site.state.to_owned(),
        site.pages.to_string(),
        format!("{} of {}", site.done, site.known),
        site.failed.to_string(),
        format!("{} B/s", site.rate),
        time(&site.deadline),
        time(&finish),
        site.why.clone(),
    ];
    cells.iter().map(|cell| format!("<td>{}", escape(cell))).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Asks for the token.
pub fn sign_in() -> Response {
    let kind: [(HeaderName, &str); 1] = [(CONTENT_TYPE, "text/html; charset=utf-8")];
    (StatusCode::UNAUTHORIZED, kind, SIGN_IN).into_response()
}

/// A token in the address, which is how a browser brings it the first time.
pub fn token_of(uri: &Uri) -> Option<String> {
    let pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(name, _)| *name == "token").map(|(_, token)| token.to_owned())
}

/// The browser keeps the token from now on, and the address has it no more.
pub fn keep_token(token: &str) -> Response {
    let cookie = format!("{COOKIE_NAME}={token}; HttpOnly; SameSite=Strict; Path=/");
    (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, "/".to_owned())]).into_response()
}
