use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use url::Url;
use weir_parse::{Ask, Facts, Parser, Rules};
use weir_types::LinkKind;

use super::input::{self, Text, bytes, url_of};
use super::jsonl::{answer_all, request};
use super::show;
use crate::args::PageArgs;

pub fn run(args: &PageArgs, out: &mut impl Write) -> Result<()> {
    // Links as the page has them: nothing that only a crawl regards as the same.
    let mut parser = Parser::with_rules(Rules::plain());
    let Some(file) = &args.file else {
        return answer_all(std::io::stdin(), out, |line| answer(line, args, &mut parser));
    };
    let url = args.url.as_ref().context("--url is required with a file")?;
    let body = input::read(file)?;
    show(out, &Answer::of(&mut parser, &body, url, args.content_type.as_deref()))
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    html: Option<Text<'a>>,
    html_b64: Option<Text<'a>>,
    url: Option<Text<'a>>,
    content_type: Option<Text<'a>>,
}

/// Names and order are those of the contract. What is not found yet is there and empty.
#[derive(Default, Serialize)]
struct Answer {
    url: String,
    charset: &'static str,
    title: Option<String>,
    published: Option<String>,
    author: Option<String>,
    copyright: Option<String>,
    lang: Option<String>,
    text: Option<String>,
    videos: Vec<String>,
    links: Vec<String>,
    frames: Vec<String>,
    refresh: Vec<String>,
    canonical: Option<String>,
    robots: Vec<String>,
    fields: BTreeMap<String, String>,
}

fn answer(line: &[u8], args: &PageArgs, parser: &mut Parser) -> Result<Answer, String> {
    let request: Request<'_> = request(line)?;
    let url = url_of(request.url.as_ref(), args.url.as_ref())?;
    let html = bytes("html", request.html, request.html_b64)?;
    let content_type = request.content_type.as_ref().map(|Text(text)| &**text);
    let content_type = content_type.or(args.content_type.as_deref());
    Ok(Answer::of(parser, &html, &url, content_type))
}

impl Answer {
    fn of(parser: &mut Parser, body: &[u8], url: &Url, content_type: Option<&str>) -> Answer {
        let mut known = HashSet::new();
        let (mut links, mut frames, mut refresh) = (Vec::new(), Vec::new(), Vec::new());
        let ask = Ask { body, url, content_type, assets: false };
        let facts = parser.parse(ask, |link| {
            let list = match link.kind {
                LinkKind::Anchor => &mut links,
                LinkKind::Frame => &mut frames,
                LinkKind::Refresh => &mut refresh,
                _ => return,
            };
            if known.insert((link.kind as u8, link.fingerprint)) {
                list.push(link.url.to_owned());
            }
        });
        Answer {
            url: url.as_str().to_owned(),
            charset: facts.charset,
            robots: directives(&facts),
            title: facts.title,
            lang: facts.lang,
            links,
            frames,
            refresh,
            canonical: facts.canonical,
            ..Answer::default()
        }
    }
}

/// What the page asks of all robots and of weir, each directive once.
fn directives(facts: &Facts) -> Vec<String> {
    let mut ours = Vec::new();
    let to_us = facts.robots.iter().filter(|meta| matches!(&*meta.agent, "robots" | "weir"));
    for directive in to_us.flat_map(|meta| &meta.directives) {
        if !ours.contains(directive) {
            ours.push(directive.clone());
        }
    }
    ours
}
