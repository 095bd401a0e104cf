use std::io::Write;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use url::Url;
use weir_parse::sitemap::{self, Entry, Limits, Sitemap};

use super::input::{self, Text, bytes, url_of};
use super::jsonl::{answer_all, request};
use super::show;
use crate::args::SitemapArgs;

pub fn run(args: &SitemapArgs, out: &mut impl Write) -> Result<()> {
    let Some(file) = &args.file else {
        return answer_all(std::io::stdin(), out, |line| answer(line, args));
    };
    // Relative entries lead nowhere then.
    let nowhere = || Url::parse("file:///sitemap").expect("this is a URL");
    let url = args.url.clone().unwrap_or_else(nowhere);
    let limits = Limits { strict: args.strict, ..Limits::default() };
    let body = input::read(file)?;
    show(out, &Answer::of(sitemap::read(&body, &url, args.content_type.as_deref(), &limits)))
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    body: Option<Text<'a>>,
    body_b64: Option<Text<'a>>,
    url: Option<Text<'a>>,
    content_type: Option<Text<'a>>,
    strict: Option<bool>,
}

#[derive(Serialize)]
struct Answer {
    kind: &'static str,
    urls: Vec<Listed>,
    sitemaps: Vec<String>,
    problems: Vec<String>,
}

#[derive(Serialize)]
struct Listed {
    loc: String,
    lastmod: Option<String>,
    changefreq: Option<String>,
    priority: Option<f64>,
}

fn answer(line: &[u8], args: &SitemapArgs) -> Result<Answer, String> {
    let request: Request<'_> = request(line)?;
    let url = url_of(request.url.as_ref(), args.url.as_ref())?;
    let body = bytes("body", request.body, request.body_b64)?;
    let content_type = request.content_type.as_ref().map(|Text(text)| &**text);
    let content_type = content_type.or(args.content_type.as_deref());
    let strict = request.strict.unwrap_or(args.strict);
    let limits = Limits { strict, ..Limits::default() };
    Ok(Answer::of(sitemap::read(&body, &url, content_type, &limits)))
}

impl Answer {
    fn of(found: Sitemap) -> Answer {
        Answer {
            kind: found.kind.as_str(),
            urls: found.urls.into_iter().map(Listed::of).collect(),
            sitemaps: found.sitemaps.into_iter().map(|entry| entry.loc).collect(),
            problems: found.problems,
        }
    }
}

impl Listed {
    fn of(entry: Entry) -> Listed {
        let Entry { loc, lastmod, changefreq, priority } = entry;
        Listed { loc, lastmod, changefreq, priority }
    }
}
