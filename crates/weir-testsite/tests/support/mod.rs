//! A client of its own for the tests: plain sockets, so that nothing is judged by itself.
#![allow(dead_code)] // Each test file uses a part of it.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use regex::Regex;
use url::Url;

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Without its chunks and its coding.
    pub body: Vec<u8>,
}

/// Asks for a URL on a connection of its own.
pub fn get(url: &str) -> io::Result<Response> {
    ask(url, "GET", "")
}

/// `more` are further header lines, each with its line end.
pub fn ask(url: &str, method: &str, more: &str) -> io::Result<Response> {
    let url = Url::parse(url).unwrap();
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{more}\r\n");
    response(&send(url.as_str(), head.as_bytes())?)
}

/// Writes bytes to the URL's host and reads until it closes.
pub fn send(url: &str, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = connect(url)?;
    stream.write_all(bytes)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}

pub fn connect(url: &str) -> io::Result<TcpStream> {
    let url = Url::parse(url).unwrap();
    let stream = TcpStream::connect((url.host_str().unwrap(), url.port().unwrap()))?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    Ok(stream)
}

/// Reads an answer that is there as a whole.
pub fn response(bytes: &[u8]) -> io::Result<Response> {
    let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").ok_or_else(cut)?;
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: BTreeMap<String, String> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut body = bytes[end + 4..].to_vec();
    if let Some(length) = headers.get("content-length") {
        // Shorter is a cut, but for HEAD.
        if body.len() != length.parse::<usize>().unwrap() && !body.is_empty() {
            return Err(cut());
        }
    }
    if headers.contains_key("transfer-encoding") {
        body = dechunk(&body).ok_or_else(cut)?;
    }
    if headers.contains_key("content-encoding") {
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut plain)?;
        body = plain;
    }
    Ok(Response { status, headers, body })
}

fn dechunk(mut wire: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = wire.windows(2).position(|w| w == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&wire[..line]).ok()?, 16).ok()?;
        let chunk = wire.get(line + 2..line + 2 + size)?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(chunk);
        wire = wire.get(line + 2 + size + 2..)?;
    }
}

/// What a crawl found: answers by URL, and links in the order of each page.
#[derive(Default)]
pub struct Found {
    pub answers: BTreeMap<String, Response>,
    pub links: Vec<(String, String)>,
}

/// Follows everything from `seeds`, one after another, except what contains `skip`.
pub fn crawl(seeds: &[String], more: &str, skip: &str) -> Found {
    let mut found = Found::default();
    let mut seen: HashSet<String> = seeds.iter().cloned().collect();
    let mut waiting = seeds.to_vec();
    while let Some(url) = waiting.pop() {
        let response = ask(&url, "GET", more).unwrap();
        let mut links: Vec<String> = response
            .headers
            .get("location")
            .map(|to| Url::parse(&url).unwrap().join(to).unwrap().to_string())
            .into_iter()
            .collect();
        if response.status == 200 && response.headers["content-type"].starts_with("text/html") {
            links = hrefs(&url, &response.body);
            found.links.extend(links.iter().map(|to| (url.clone(), to.clone())));
        }
        found.answers.insert(url, response);
        links.retain(|link| !link.contains(skip) && seen.insert(link.clone()));
        waiting.extend(links);
    }
    found
}

/// The links of a page by regular expressions, after taking out what is no markup.
fn hrefs(page: &str, body: &[u8]) -> Vec<String> {
    let page = Url::parse(page).unwrap();
    let text = std::str::from_utf8(body).unwrap();
    let hidden = r"(?s)<!--.*?-->|<(script|style|textarea)>.*?</(script|style|textarea)>";
    let text = Regex::new(hidden).unwrap().replace_all(text, "");
    let href = r#"(?i)<a (?:class=\S+ )?href=(?:"([^"]*)"|'([^']*)'|([^\s>]+))"#;
    let links = Regex::new(href).unwrap();
    let links = links.captures_iter(&text).map(|found| {
        let value = found.iter().skip(1).flatten().next().unwrap().as_str();
        let mut link = page.join(&value.replace("&amp;", "&")).unwrap();
        link.set_fragment(None);
        link.to_string()
    });
    links.collect()
}
