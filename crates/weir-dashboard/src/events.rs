//! The state as server-sent events: each has what has changed since the one before.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use tokio::sync::watch;
use utoipa::IntoParams;

use crate::api::asked;
use crate::board::Board;
use crate::error::{ApiError, Problem};
use crate::packed;
use crate::server::App;
use crate::state::Role;

/// Whoever looks from so many windows at a time has enough.
const MOST: usize = 64;
const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct From {
    /// The number of the state that is known.
    seq: Option<u64>,
}

struct Listener {
    board: Arc<Board>,
    news: watch::Receiver<u64>,
    seq: u64,
    role: Role,
    _place: Place,
}

/// Counts those who listen.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What changes, once a second, as server-sent events.
#[utoipa::path(get, path = "/api/events", params(From),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 503, body = Problem)))]
pub async fn events(
    State(app): State<App>,
    Extension(role): Extension<Role>,
    headers: HeaderMap,
    query: Result<Query<From>, QueryRejection>,
) -> Result<Response, ApiError> {
    let place = Place(app.listeners.clone());
    if app.listeners.fetch_add(1, Ordering::Relaxed) >= MOST {
        let why = format!("{MOST} windows look at this crawl already; close one of them");
        return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, why));
    }
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let seq = last.or(asked(query)?.seq).unwrap_or(0);
    let listener =
        Listener { news: app.board.news(), board: app.board.clone(), seq, role, _place: place };
    let stream = unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    let events = Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    Ok(packed::stream(&headers, events.into_response()))
}

impl Listener {
    /// None when nothing more will come.
    async fn next(&mut self) -> Option<Event> {
        while *self.news.borrow_and_update() == self.seq {
            self.news.changed().await.ok()?;
        }
        let (seq, state) = self.board.since(self.seq, self.role);
        self.seq = seq;
        Some(Event::default().event("state").id(seq.to_string()).data(state.to_string()))
    }
}
