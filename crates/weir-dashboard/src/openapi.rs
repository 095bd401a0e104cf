//! The API for machines, made from the handlers themselves.

use std::sync::LazyLock;

use utoipa::OpenApi;

use crate::{api, events};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "weir",
        description = "A crawl while it runs: what it is doing, and what it is to do."
    ),
    paths(
        api::state,
        api::sites,
        api::site,
        api::crawls,
        api::rates,
        api::plan,
        api::report,
        api::rounds,
        api::why,
        api::preview,
        api::actions,
        events::events
    )
)]
struct Description;

static TEXT: LazyLock<String> =
    LazyLock::new(|| Description::openapi().to_json().expect("texts and numbers always serialize"));

pub fn text() -> &'static str {
    &TEXT
}
