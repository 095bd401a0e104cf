use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;
use weir_crawl::{Given, Inspected, Inspector, Settings};
use weir_parse::{Ask, Facts, Finding, Parser, Rules};
use weir_types::LinkKind;

use super::input::{self, Text, bytes, url_of};
use super::jsonl::{answer_all, request};
use super::show;
use crate::args::PageArgs;

pub fn run(args: &PageArgs, out: &mut impl Write) -> Result<()> {
    let settings = match &args.config {
        Some(path) => Settings::read(path)?,
        None => Settings::default(),
    };
    let mut reading = Reading {
        // Links as the page has them: nothing that only a crawl regards as the same.
        parser: Parser::with_rules(Rules::plain()),
        inspector: Inspector::new(&settings, args.markdown)?,
    };
    let Some(file) = &args.file else {
        return answer_all(std::io::stdin(), out, |line| answer(line, args, &mut reading));
    };
    let url = args.url.as_ref().context("--url is required with a file")?;
    let body = input::read(file)?;
    let content_type = args.content_type.as_deref();
    show(out, &reading.answer(&Page { body: &body, url, content_type, is_decoded: false }))
}

struct Reading {
    parser: Parser,
    inspector: Inspector,
}

struct Page<'a> {
    body: &'a [u8],
    url: &'a Url,
    content_type: Option<&'a str>,
    /// It came as a text in JSON.
    is_decoded: bool,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    html: Option<Text<'a>>,
    html_b64: Option<Text<'a>>,
    url: Option<Text<'a>>,
    content_type: Option<Text<'a>>,
}

/// Names and order are those of the contract, and then what it does not name.
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
    fields: Map<String, Value>,
    modified: Option<String>,
    product: BTreeMap<String, String>,
    /// What each attribute was told by.
    sources: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    topics: BTreeMap<String, f32>,
    /// What the rule says, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<Why>,
}

/// The part of the rule that does not hold, and what stands in it.
#[derive(Serialize)]
struct Why {
    part: String,
    values: BTreeMap<String, String>,
}

fn answer(line: &[u8], args: &PageArgs, reading: &mut Reading) -> Result<Answer, String> {
    let request: Request<'_> = request(line)?;
    let url = url_of(request.url.as_ref(), args.url.as_ref())?;
    let is_decoded = request.html.is_some();
    let html = bytes("html", request.html, request.html_b64)?;
    let content_type = request.content_type.as_ref().map(|Text(text)| &**text);
    let content_type = content_type.or(args.content_type.as_deref());
    let page = Page { body: &html, url: &url, content_type, is_decoded };
    Ok(reading.answer(&page))
}

impl Reading {
    fn answer(&mut self, page: &Page<'_>) -> Answer {
        let Page { body, url, content_type, is_decoded } = *page;
        let mut known = HashSet::new();
        let (mut links, mut frames, mut refresh) = (Vec::new(), Vec::new(), Vec::new());
        let ask = Ask { body, url, content_type, assets: false };
        let facts = self.parser.parse(ask, |finding| {
            let Finding::Link(link) = finding else {
                known.clear();
                [&mut links, &mut frames, &mut refresh].into_iter().for_each(Vec::clear);
                return;
            };
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
        let given = Given { body, url, content_type, charset: facts.charset, is_decoded };
        let answer = Answer::of(self.inspector.inspect(&given));
        Answer {
            url: url.as_str().to_owned(),
            charset: facts.charset,
            robots: directives(&facts),
            title: answer.title.or(facts.title),
            lang: answer.lang.or(facts.lang),
            links,
            frames,
            refresh,
            canonical: facts.canonical,
            ..answer
        }
    }
}

impl Answer {
    /// What is in the content.
    fn of(inspected: Inspected) -> Answer {
        let Inspected { facts, fields, topics, kept, failed } = inspected;
        let why = |failed: weir_crawl::Failed| Why {
            part: failed.part,
            values: failed.values.into_iter().collect(),
        };
        Answer {
            title: facts.title,
            published: facts.published,
            author: facts.author,
            copyright: facts.copyright,
            lang: facts.lang,
            text: facts.text,
            videos: facts.videos,
            fields,
            modified: facts.modified,
            product: facts.product.into_iter().collect(),
            sources: facts.sources.into_iter().collect(),
            topics: topics.into_iter().collect(),
            kept,
            failed: failed.map(why),
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
