//! The HTTP API. Each handler reads the board, or asks the crawl and waits for its answer.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Path, Query, State};
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, StatusCode, Uri};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};
use weir_crawl::{PastRound, Plan, Report};

use crate::actions::{Answer, Meant, Wish};
use crate::error::{ApiError, Problem};
use crate::guard::Token;
use crate::openapi;
use crate::rates::{LONGEST_S, Told};
use crate::server::App;
use crate::state::{Phase, Role, Site, State as Whole};
use crate::{metrics, page};

/// The crawl answers with one of its next turns. Where a plan takes long, so does that.
const PATIENCE: Duration = Duration::from_secs(30);
/// No URL that somebody types is longer.
const LONGEST_URL: usize = 8_192;

pub async fn index(
    State(app): State<App>,
    Extension(role): Extension<Role>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    match page::token_of(&uri) {
        // What is no token was not checked by anybody.
        Some(token) if Token::new(&token).is_ok() => page::keep_token(&token),
        Some(_) => page::sign_in(),
        None => page::index(&app.board.state(role), &headers),
    }
}

pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    page::file(&name, &headers)
}

/// All that the page shows, at this moment.
#[utoipa::path(get, path = "/api/state", responses((status = 200, body = Whole), (status = 401, body = Problem)))]
pub async fn state(State(app): State<App>, Extension(role): Extension<Role>) -> Json<Whole> {
    Json(app.board.state(role))
}

/// The sites alone.
#[utoipa::path(get, path = "/api/sites", responses((status = 200, body = Vec<Site>), (status = 401, body = Problem)))]
pub async fn sites(State(app): State<App>, Extension(role): Extension<Role>) -> Json<Vec<Site>> {
    Json(app.board.state(role).sites)
}

/// One of them.
#[utoipa::path(get, path = "/api/sites/{site}", params(("site" = String, Path)),
    responses((status = 200, body = Site), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn site(
    State(app): State<App>,
    Extension(role): Extension<Role>,
    Path(name): Path<String>,
) -> Result<Json<Site>, ApiError> {
    let mut sites = app.board.state(role).sites.into_iter();
    let found = sites.find(|site| site.site == name).map(Json);
    found.ok_or_else(|| weir_crawl::Refusal::NoSite(name).into())
}

#[derive(Serialize, ToSchema)]
pub struct Crawl {
    pub name: String,
    pub phase: Phase,
    pub started: String,
    pub finished: Option<String>,
    pub is_service: bool,
}

/// The crawls of this service.
#[utoipa::path(get, path = "/api/crawls", responses((status = 200, body = Vec<Crawl>), (status = 401, body = Problem)))]
pub async fn crawls(State(app): State<App>, Extension(role): Extension<Role>) -> Json<Vec<Crawl>> {
    let head = app.board.state(role).head;
    Json(vec![Crawl {
        name: head.name,
        phase: head.phase,
        started: head.started,
        finished: head.finished,
        is_service: head.is_service,
    }])
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Stretch {
    /// Up to 600 in steps of 1 s, up to 7,200 in steps of 10 s.
    #[param(minimum = 1, maximum = 7200)]
    seconds: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub struct RatesTold {
    pub until: String,
    #[serde(flatten)]
    pub rates: Told,
}

/// What came in the last minutes.
#[utoipa::path(get, path = "/api/rates", params(Stretch),
    responses((status = 200, body = RatesTold), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn rates(
    State(app): State<App>,
    query: Result<Query<Stretch>, QueryRejection>,
) -> Result<Json<RatesTold>, ApiError> {
    let seconds = asked(query)?.seconds.unwrap_or(600);
    if !(1..=LONGEST_S).contains(&seconds) {
        return Err(ApiError::wrong(format!(
            "seconds = {seconds}: write a number from 1 to {LONGEST_S}"
        )));
    }
    let (rates, until) = app.board.rates(seconds);
    Ok(Json(RatesTold { until, rates }))
}

/// `plan.json` as it stands.
#[utoipa::path(get, path = "/api/plan",
    responses((status = 200, body = Object), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn plan(State(app): State<App>) -> Result<Json<Plan>, ApiError> {
    let plan = app.board.view().and_then(|view| view.plan.clone());
    let plan = plan.ok_or_else(|| {
        ApiError::missing("there is no plan: no site has a deadline, or too little is known yet")
    })?;
    Ok(Json(Plan::clone(&plan)))
}

/// `report.json` as it stands.
#[utoipa::path(get, path = "/api/report",
    responses((status = 200, body = Object), (status = 401, body = Problem), (status = 503, body = Problem)))]
pub async fn report(State(app): State<App>) -> Result<Json<Report>, ApiError> {
    app.board.view().map(|view| Json(view.report.clone())).ok_or_else(ApiError::gone)
}

/// Past rounds of recurring sites, the newest first.
#[utoipa::path(get, path = "/api/rounds", responses((status = 200, body = Vec<Object>), (status = 401, body = Problem)))]
pub async fn rounds(State(app): State<App>) -> Json<Vec<PastRound>> {
    let told = tokio::task::spawn_blocking(move || (app.hooks.rounds)()).await;
    Json(told.unwrap_or_default())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Which {
    url: String,
}

#[derive(Serialize, ToSchema)]
pub struct Why {
    pub url: String,
    pub found: bool,
    pub lines: Vec<String>,
}

/// What became of one URL.
#[utoipa::path(get, path = "/api/why", params(Which),
    responses((status = 200, body = Why), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn why(
    State(app): State<App>,
    query: Result<Query<Which>, QueryRejection>,
) -> Result<Json<Why>, ApiError> {
    let url = asked(query)?.url;
    if url.len() > LONGEST_URL {
        return Err(ApiError::wrong(format!("url: it has more than {LONGEST_URL} characters")));
    }
    // It reads the log, which may be long.
    let told = tokio::task::spawn_blocking(move || (app.hooks.why)(&url)).await;
    told.map_err(|_| ApiError::gone())?.map(Json).map_err(ApiError::wrong)
}

/// What an action would change, by the planner; nothing is done.
#[utoipa::path(post, path = "/api/preview", request_body = Wish,
    responses((status = 200, body = Answer), (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
pub async fn preview(State(app): State<App>, body: Bytes) -> Result<Json<Answer>, ApiError> {
    act(&app, &body, true).await
}

/// Does it.
#[utoipa::path(post, path = "/api/actions", request_body = Wish,
    responses((status = 200, body = Answer), (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
pub async fn actions(State(app): State<App>, body: Bytes) -> Result<Json<Answer>, ApiError> {
    act(&app, &body, false).await
}

async fn act(app: &App, body: &[u8], is_preview: bool) -> Result<Json<Answer>, ApiError> {
    let action = match Wish::parse(body)?.meant()? {
        Meant::Crawl(action) => action,
        Meant::Stop => return Ok(Json(stop(app, is_preview))),
        Meant::Reload => return reload(app, is_preview).map(Json),
    };
    let answer = app.helm.ask(action, is_preview)?;
    let answer = timeout(PATIENCE, answer).await;
    let effect = answer.map_err(|_| ApiError::gone())?.map_err(|_| ApiError::gone())??;
    Ok(Json(effect.into()))
}

fn stop(app: &App, is_preview: bool) -> Answer {
    if !is_preview {
        (app.hooks.stop)();
    }
    let text = "What is under way is finished, and nothing new is begun. Run the same command to go on: nothing is lost.";
    Answer { text: text.to_owned(), ..Answer::default() }
}

fn reload(app: &App, is_preview: bool) -> Result<Answer, ApiError> {
    let Some(reload) = &app.hooks.reload else {
        let why = "only a service (weir serve) reads its settings again; stop this crawl and start it anew";
        return Err(ApiError::new(StatusCode::CONFLICT, why));
    };
    let text = reload(is_preview).map_err(ApiError::wrong)?;
    Ok(Answer { text, ..Answer::default() })
}

/// For Prometheus.
pub async fn metrics(State(app): State<App>) -> Result<Response, ApiError> {
    let view = app.board.view().ok_or_else(ApiError::gone)?;
    let text = metrics::text(&view);
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

pub async fn healthz() -> &'static str {
    "ok\n"
}

pub async fn description() -> Response {
    ([(CONTENT_TYPE, "application/json")], openapi::text()).into_response()
}

pub async fn nothing(uri: Uri) -> ApiError {
    ApiError::missing(format!(
        "there is nothing at {}; /api/openapi.json lists what there is",
        uri.path()
    ))
}

pub async fn not_so(method: Method, uri: Uri) -> ApiError {
    let why = format!("{method} is not for {}; /api/openapi.json lists what is", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, why)
}

pub fn asked<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, ApiError> {
    query.map(|Query(query)| query).map_err(|why| ApiError::wrong(why.body_text()))
}
