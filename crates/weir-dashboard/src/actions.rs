//! What somebody wants to be done, from JSON to the crawl and back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use weir_crawl::{Action, Due, Effect, Moved, Prospect, SiteSettings};
use weir_types::Rate;

use crate::error::ApiError;
use crate::state::to_the_second;

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Wish {
    Pause { site: String },
    Resume { site: String },
    Deadline { site: String, by: Option<String>, within: Option<String> },
    Weight { site: String, weight: f64 },
    Limit { limit: String },
    Add(NewSite),
    Stop {},
    Reload {},
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSite {
    pub url: String,
    pub within: Option<String>,
    pub by: Option<String>,
    pub weight: Option<f64>,
    pub limit: Option<String>,
    pub max_pages: Option<u64>,
    pub depth: Option<u32>,
}

/// Who it is for.
pub enum Meant {
    Crawl(Action),
    Stop,
    Reload,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Answer {
    pub text: String,
    pub before: Outlook,
    pub after: Outlook,
    pub sites: Vec<MovedSite>,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Outlook {
    pub feasible: bool,
    pub late: usize,
    pub finish: Option<String>,
    pub limit: Option<f64>,
    pub needed_limit: Option<f64>,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct MovedSite {
    pub site: String,
    pub deadline: Option<String>,
    pub finish_before: Option<String>,
    pub finish_after: Option<String>,
    pub late_before_s: Option<f64>,
    pub late_after_s: Option<f64>,
}

impl Wish {
    pub fn parse(body: &[u8]) -> Result<Wish, ApiError> {
        serde_json::from_slice(body).map_err(|why| {
            ApiError::wrong(format!(
                "the body is no action: {why}; write for example {{\"do\":\"pause\",\"site\":\"example.com\"}}"
            ))
        })
    }

    pub fn meant(self) -> Result<Meant, ApiError> {
        Ok(Meant::Crawl(match self {
            Wish::Pause { site } => Action::Pause { site },
            Wish::Resume { site } => Action::Resume { site },
            Wish::Weight { site, weight } => Action::Weight { site, weight },
            Wish::Deadline { site, by, within } => Action::Deadline { site, due: due(by, within)? },
            Wish::Limit { limit } => Action::Limit { rate: rate(&limit)? },
            Wish::Add(new) => Action::Add { site: Box::new(new.settings()) },
            Wish::Stop {} => return Ok(Meant::Stop),
            Wish::Reload {} => return Ok(Meant::Reload),
        }))
    }
}

impl NewSite {
    /// As if it stood in weir.toml.
    fn settings(self) -> SiteSettings {
        SiteSettings {
            urls: Some(vec![self.url]),
            within: self.within,
            by: self.by,
            weight: self.weight,
            limit: self.limit,
            max_pages: self.max_pages,
            depth: self.depth,
            ..SiteSettings::default()
        }
    }
}

fn due(by: Option<String>, within: Option<String>) -> Result<Option<Due>, ApiError> {
    let wrong =
        |key: &str, text: &str, why: String| ApiError::wrong(format!("{key} = {text:?}: {why}"));
    match (by.as_deref(), within.as_deref()) {
        (None, None) => Ok(None),
        (Some(text), None) => Due::by(text).map(Some).map_err(|why| wrong("by", text, why)),
        (None, Some(text)) => Due::within(text).map(Some).map_err(|why| wrong("within", text, why)),
        (Some(_), Some(text)) => {
            Err(wrong("within", text, "there is a `by` as well; write one of the two".to_owned()))
        }
    }
}

fn rate(text: &str) -> Result<Rate, ApiError> {
    text.parse().map_err(|why| ApiError::wrong(format!("limit = {text:?}: {why}, or none")))
}

impl From<Effect> for Answer {
    fn from(effect: Effect) -> Answer {
        Answer {
            text: effect.text,
            before: outlook(&effect.before),
            after: outlook(&effect.after),
            sites: effect.sites.iter().map(moved).collect(),
        }
    }
}

fn outlook(prospect: &Prospect) -> Outlook {
    Outlook {
        feasible: prospect.feasible,
        late: prospect.late,
        finish: prospect.finish.map(time),
        limit: prospect.limit,
        needed_limit: prospect.needed_limit,
    }
}

fn moved(moved: &Moved) -> MovedSite {
    MovedSite {
        site: moved.site.clone(),
        deadline: moved.deadline.map(time),
        finish_before: moved.finish_before.map(time),
        finish_after: moved.finish_after.map(time),
        late_before_s: moved.late_before_s,
        late_after_s: moved.late_after_s,
    }
}

fn time(at: jiff::Timestamp) -> String {
    to_the_second(&at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str) -> String {
        match Wish::parse(body.as_bytes()).and_then(Wish::meant) {
            Ok(_) => panic!("{body} is taken"),
            Err(error) => error.why,
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_the_value_and_an_example() {
        for (body, words) in [
            ("{", "no action"),
            (r#"{"do":"dance"}"#, "dance"),
            (r#"{"do":"pause"}"#, "site"),
            (r#"{"do":"pause","site":"a","more":1}"#, "more"),
            (r#"{"do":"limit","limit":"fast"}"#, "2MB/s"),
            (r#"{"do":"deadline","site":"a","by":"soon"}"#, "18:00"),
            (r#"{"do":"deadline","site":"a","within":"2h","by":"18:00"}"#, "one of the two"),
            (r#"{"do":"weight","site":"a","weight":"much"}"#, "much"),
        ] {
            assert!(refused(body).contains(words), "{body}: {}", refused(body));
        }
    }

    #[test]
    fn what_is_right_is_taken() {
        for body in [
            r#"{"do":"pause","site":"a"}"#,
            r#"{"do":"deadline","site":"a"}"#,
            r#"{"do":"deadline","site":"a","within":"2h"}"#,
            r#"{"do":"limit","limit":"none"}"#,
            r#"{"do":"add","url":"https://a.example/","within":"2h","weight":2}"#,
            r#"{"do":"stop"}"#,
            r#"{"do":"reload"}"#,
        ] {
            assert!(Wish::parse(body.as_bytes()).and_then(Wish::meant).is_ok(), "{body}");
        }
    }
}
