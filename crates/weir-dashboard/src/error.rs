//! What goes wrong with a request, as the API tells it.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;
use weir_crawl::Refusal;

/// Says what failed, on which value, and what to do.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    pub error: String,
}

#[derive(Debug)]
pub struct ApiError {
    pub status: StatusCode,
    pub why: String,
}

impl ApiError {
    pub fn new(status: StatusCode, why: impl Into<String>) -> ApiError {
        ApiError { status, why: why.into() }
    }

    pub fn wrong(why: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, why)
    }

    pub fn missing(why: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, why)
    }

    /// Nobody is there who could answer.
    pub fn gone() -> ApiError {
        let why = "the crawl has just ended, or has not begun yet; try again in a moment";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, why)
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        let status = match refusal {
            Refusal::NoSite(_) => StatusCode::NOT_FOUND,
            Refusal::Wrong(_) => StatusCode::BAD_REQUEST,
            Refusal::NotNow(_) => StatusCode::CONFLICT,
        };
        ApiError::new(status, refusal.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(Problem { error: self.why })).into_response()
    }
}
