use url::{ParseError, Url};

use super::dialect::List;
use super::{Entry, Kind, Limits, Sitemap, date};
use crate::canonical::{MAX_URL, is_http};
use crate::standard;

/// An entry as it was written.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub loc: String,
    pub lastmod: Option<String>,
    pub changefreq: Option<String>,
    pub priority: Option<String>,
}

/// Makes entries of drafts, within the limits.
pub(super) struct Collector<'a> {
    base: &'a Url,
    limits: &'a Limits,
    /// What pages must start with if reading is strict.
    directory: String,
    out: Sitemap,
    /// Entries met, whether they were taken or not: broken ones cost as much.
    met: usize,
    /// Of all addresses that could be read.
    bytes: usize,
    untold: usize,
    cuts: Vec<String>,
}

impl<'a> Collector<'a> {
    pub fn new(base: &'a Url, limits: &'a Limits) -> Self {
        let kind = Kind::Unknown;
        let out = Sitemap { kind, urls: Vec::new(), sitemaps: Vec::new(), problems: Vec::new() };
        let mut directory = base.join(".").map_or_else(|_| base.to_string(), String::from);
        directory.truncate(directory.rfind('/').map_or(0, |at| at + 1));
        Collector { base, limits, directory, out, met: 0, bytes: 0, untold: 0, cuts: Vec::new() }
    }

    pub fn strict(&self) -> bool {
        self.limits.strict
    }

    pub fn base(&self) -> &'a Url {
        self.base
    }

    pub fn set_kind(&mut self, kind: Kind) {
        self.out.kind = kind;
    }

    pub fn problem(&mut self, told: impl FnOnce() -> String) {
        if self.out.problems.len() < self.limits.problems {
            self.out.problems.push(told());
        } else {
            self.untold += 1;
        }
    }

    /// Why a part was not read. There are few such reasons, so each is told.
    pub fn cut(&mut self, why: String) {
        self.cuts.push(why);
    }

    /// Takes an entry if its address can be read; relative ones are resolved against `base`. False
    /// when there is no room for more.
    pub fn add(&mut self, draft: Draft, list: List, base: &Url) -> bool {
        if self.met == self.limits.entries {
            self.cut(format!("more than {} entries: the rest is not read", self.limits.entries));
            return false;
        }
        self.met += 1;
        let loc = match address(&draft.loc, base) {
            Ok((loc, None)) => loc,
            Ok((loc, Some(odd))) => {
                self.problem(|| format!("{odd}: {}", shown(&draft.loc)));
                loc
            }
            Err(why) => {
                self.problem(|| format!("{why}: {}", shown(&draft.loc)));
                return true;
            }
        };
        self.bytes += loc.len();
        if self.bytes > self.limits.decoded_bytes {
            let most = self.limits.decoded_bytes;
            self.cut(format!("more than {most} bytes of addresses: the rest is not read"));
            return false;
        }
        if self.limits.strict && list == List::Urls && !loc.starts_with(&self.directory) {
            self.problem(|| format!("outside the sitemap's directory: {}", shown(&loc)));
            return true;
        }
        let entry = self.entry(loc, draft);
        match list {
            List::Urls => self.out.urls.push(entry),
            List::Sitemaps => self.out.sitemaps.push(entry),
        }
        true
    }

    fn entry(&mut self, loc: String, draft: Draft) -> Entry {
        Entry {
            loc,
            lastmod: self.value(draft.lastmod, "date", date::utc),
            changefreq: self.value(draft.changefreq, "change frequency", frequency),
            priority: self.value(draft.priority, "priority from 0 to 1", priority),
        }
    }

    fn value<T>(
        &mut self,
        text: Option<String>,
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = text?;
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let value = read(text);
        if value.is_none() {
            self.problem(|| format!("not a {what}: {}", shown(text)));
        }
        value
    }

    pub fn finish(mut self) -> Sitemap {
        if self.untold > 0 {
            self.out.problems.push(format!("and {} more problems", self.untold));
        }
        self.out.problems.append(&mut self.cuts);
        self.out
    }
}

fn frequency(text: &str) -> Option<String> {
    let known = ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"];
    let word = text.to_ascii_lowercase();
    known.contains(&word.as_str()).then_some(word)
}

/// Some write the decimal point of their own language.
fn priority(text: &str) -> Option<f64> {
    let value = text.replace(',', ".").parse().ok()?;
    (0.0..=1.0).contains(&value).then_some(value)
}

/// The URL that is meant, and what is odd about how it is written.
fn address(text: &str, base: &Url) -> Result<(String, Option<&'static str>), &'static str> {
    let text = trim(text);
    if text.is_empty() {
        return Err("an entry without an address");
    }
    if text.len() > MAX_URL {
        return Err("an address that is too long");
    }
    let (url, odd) = match Url::parse(text) {
        Ok(url) if is_http(&url) => (url, None),
        _ if names_host(text, base) => {
            let url = Url::parse(&format!("{}://{text}", base.scheme()));
            (url.map_err(|_| "not a URL")?, Some("an address without its scheme"))
        }
        Ok(_) => return Err("not an http or https URL"),
        Err(ParseError::RelativeUrlWithoutBase) => (
            standard::parse(text, Some(base)).map_err(|_| "not a URL")?,
            Some("a relative address"),
        ),
        Err(_) => return Err("not a URL"),
    };
    Ok((finished(url)?, odd))
}

fn finished(mut url: Url) -> Result<String, &'static str> {
    if !is_http(&url) {
        return Err("not an http or https URL");
    }
    url.set_fragment(None);
    match url.as_str().len() {
        0..=MAX_URL => Ok(url.into()),
        _ => Err("an address that is too long"),
    }
}

/// Whether the text starts with the host of the sitemap, or with what must be one: `www.a.b/c`.
pub(super) fn names_host(text: &str, base: &Url) -> bool {
    let end = text.find(['/', '?', '#', ':']).unwrap_or(text.len());
    let host = text[..end].to_ascii_lowercase();
    let www = host.strip_prefix("www.").is_some_and(|rest| rest.contains('.'));
    let plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    base.host_str() == Some(host.as_str()) || www && plain
}

/// White space of any kind, and marks that cannot be seen.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{FEFF}' | '\u{200B}' | '\0'))
}

/// Enough of a text for a message.
pub(super) fn shown(text: &str) -> String {
    let text = trim(text);
    match text.char_indices().nth(100) {
        Some((at, _)) => format!("{:?}...", &text[..at]),
        None => format!("{text:?}"),
    }
}
