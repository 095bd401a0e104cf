use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use url::{ParseError, Position, Url};
use weir_fetch::robots::Robots;

use super::input::{self, Text, bytes};
use super::jsonl::{answer_all, request};
use crate::args::RobotsArgs;

pub fn run(args: &RobotsArgs, out: &mut impl Write) -> Result<()> {
    match &args.file {
        Some(file) => tell(args, file, out),
        None => {
            let mut last = Last::default();
            answer_all(std::io::stdin(), out, |line| answer(line, args, &mut last))
        }
    }
}

fn tell(args: &RobotsArgs, file: &Path, out: &mut impl Write) -> Result<()> {
    let robots = Robots::for_status(args.status, &input::read(file)?, &args.agent);
    for url in &args.urls {
        match allows(&robots, url) {
            Ok(true) => writeln!(out, "allow {url}")?,
            Ok(false) => writeln!(out, "disallow {url}")?,
            Err(why) => writeln!(out, "invalid: {url:?} is not a URL: {why}")?,
        }
    }
    if let Some(delay) = delay(&robots) {
        writeln!(out, "delay {delay}")?;
    }
    for sitemap in robots.sitemaps() {
        writeln!(out, "sitemap {sitemap}")?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    robots: Option<Text<'a>>,
    robots_b64: Option<Text<'a>>,
    agent: Option<Text<'a>>,
    url: Text<'a>,
    status: Option<u16>,
}

#[derive(Serialize)]
struct Answer {
    allow: bool,
    delay: Option<Number>,
    sitemaps: Vec<String>,
}

fn answer(line: &[u8], args: &RobotsArgs, last: &mut Last) -> Result<Answer, String> {
    let request: Request<'_> = request(line)?;
    let file = bytes("robots", request.robots, request.robots_b64)?;
    let agent = request.agent.as_ref().map_or(&*args.agent, |Text(agent)| agent);
    let robots = last.robots(&file, request.status.unwrap_or(args.status), agent);
    let Text(url) = &request.url;
    Ok(Answer {
        allow: allows(robots, url).map_err(|why| format!("`url` {url:?} is not a URL: {why}"))?,
        delay: delay(robots),
        sitemaps: robots.sitemaps().map(str::to_owned).collect(),
    })
}

/// The host makes no difference, so a path alone will do.
fn allows(robots: &Robots, text: &str) -> Result<bool, ParseError> {
    let host = Url::parse("http://host.invalid/").expect("this is a URL");
    let url = host.join(text)?;
    Ok(robots.allows(&url[Position::BeforePath..Position::AfterQuery]))
}

/// In seconds, without a point where there is no part of one.
fn delay(robots: &Robots) -> Option<Number> {
    let delay = robots.crawl_delay()?;
    match delay.subsec_nanos() {
        0 => Some(delay.as_secs().into()),
        _ => Number::from_f64(delay.as_secs_f64()),
    }
}

/// The file of the last request as read for each agent, since a corpus asks many questions about
/// one file.
#[derive(Default)]
struct Last {
    file: Vec<u8>,
    status: u16,
    read: HashMap<String, Robots>,
}

impl Last {
    const MOST_AGENTS: usize = 100;

    fn robots(&mut self, file: &[u8], status: u16, agent: &str) -> &Robots {
        if (&*self.file, self.status) != (file, status) || self.read.len() >= Last::MOST_AGENTS {
            self.read.clear();
            self.file.clear();
            self.file.extend_from_slice(file);
            self.status = status;
        }
        let read = || Robots::for_status(status, file, agent);
        self.read.entry(agent.to_owned()).or_insert_with(read)
    }
}
