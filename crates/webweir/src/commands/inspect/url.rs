use std::io::Write;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use url::Url;
use weir_parse::{canonicalize, standard};

use super::input::Text;
use super::jsonl::{answer_all, request};
use crate::args::UrlArgs;

pub fn run(args: &UrlArgs, out: &mut impl Write) -> Result<()> {
    if args.jsonl {
        return answer_all(std::io::stdin(), out, |line| answer(line, args.base.as_ref()));
    }
    for text in &args.urls {
        match canonicalize(text, args.base.as_ref()) {
            Ok(url) => writeln!(out, "{url}")?,
            Err(why) => writeln!(out, "invalid: {why}")?,
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    url: Text<'a>,
    base: Option<Text<'a>>,
}

/// A URL of another scheme has a `resolved` form and is `invalid` all the same.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Crawlable { resolved: String, canonical: String },
    NotCrawlable { resolved: String, invalid: String },
    NoUrl { invalid: String },
}

fn answer(line: &[u8], else_base: Option<&Url>) -> Result<Answer, String> {
    let request: Request<'_> = request(line)?;
    let base = match &request.base {
        None => else_base.cloned(),
        Some(Text(base)) => match standard::parse(base, None) {
            Ok(base) => Some(base),
            Err(why) => return Ok(Answer::NoUrl { invalid: format!("the base {base:?}: {why}") }),
        },
    };
    let Text(text) = &request.url;
    let resolved = standard::resolve(text, base.as_ref());
    Ok(match (resolved, canonicalize(text, base.as_ref())) {
        (Ok(resolved), Ok(canonical)) => Answer::Crawlable { resolved, canonical },
        (Ok(resolved), Err(why)) => Answer::NotCrawlable { resolved, invalid: why.to_string() },
        (Err(_), Err(why)) => Answer::NoUrl { invalid: why.to_string() },
        (Err(why), Ok(_)) => Answer::NoUrl { invalid: why.to_string() },
    })
}
