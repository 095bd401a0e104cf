use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use super::lines::{Kind, Lines};
use super::postgres::Postgres;
use super::sqlite::Sqlite;
use super::{Sink, SinkError, objects};

/// Where rows are to go, as it was written: `postgres:URL`, `sqlite:FILE`, `jsonl:FILE`, `csv:FILE`.
/// Neither of its two texts has a password in it.
#[derive(Clone)]
pub struct SinkTarget(Place);

#[derive(Clone)]
enum Place {
    Postgres(Box<tokio_postgres::Config>),
    Sqlite(PathBuf),
    Lines(Kind, PathBuf),
    /// Where files go and not rows: the address of an object store.
    Objects(String),
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum TargetError {
    #[error("write postgres:URL, sqlite:FILE, jsonl:FILE or csv:FILE")]
    Unknown,
    #[error("no file is named: write for example {0}:pages.{0}")]
    NoFile(&'static str),
    #[error("no address of a PostgreSQL database ({0}): write postgres://user@host/database")]
    Postgres(String),
    #[error("no object store ({0}): write for example s3://bucket/folder")]
    Objects(String),
    #[error("this weir was built without object stores; build it with --features objects")]
    NoObjects,
}

impl SinkTarget {
    /// A place for whole files: `s3://bucket/folder` and the like.
    pub fn objects(url: &str) -> Result<SinkTarget, TargetError> {
        objects::check(url)?;
        Ok(SinkTarget(Place::Objects(url.to_owned())))
    }

    /// Several processes may feed it at a time.
    pub fn takes_several(&self) -> bool {
        !matches!(self.0, Place::Lines(..))
    }

    /// Its address, if files go there and not rows.
    pub(super) fn as_objects(&self) -> Option<&str> {
        if let Place::Objects(url) = &self.0 { Some(url) } else { None }
    }

    /// Opens it for rows, and makes the table if there is none.
    pub(crate) fn open(&self, table: &str) -> Result<Box<dyn Sink>, SinkError> {
        Ok(match &self.0 {
            Place::Postgres(config) => Box::new(Postgres::open(config, &self.to_string(), table)?),
            Place::Sqlite(path) => Box::new(Sqlite::open(path, table)?),
            Place::Lines(kind, path) => Box::new(Lines::open(path, *kind)?),
            Place::Objects(url) => return Err(SinkError::refused(url, "it takes files, not rows")),
        })
    }
}

impl FromStr for SinkTarget {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<SinkTarget, TargetError> {
        let (scheme, rest) = text.split_once(':').ok_or(TargetError::Unknown)?;
        // As an address: `sqlite://here.db`, `sqlite:///folder/there.db`.
        let file = rest.strip_prefix("//").unwrap_or(rest);
        let path = |word| match file.is_empty() {
            true => Err(TargetError::NoFile(word)),
            false => Ok(PathBuf::from(file)),
        };
        Ok(SinkTarget(match scheme {
            "postgres" | "postgresql" => Place::Postgres(Box::new(postgres(scheme, rest)?)),
            "sqlite" => Place::Sqlite(path("sqlite")?),
            "jsonl" => Place::Lines(Kind::Jsonl, path("jsonl")?),
            "csv" => Place::Lines(Kind::Csv, path("csv")?),
            _ => return Err(TargetError::Unknown),
        }))
    }
}

/// `postgres:postgres://host/db` and `postgres://host/db` mean the same; `postgres:host=… user=…` is
/// what else PostgreSQL's own programs understand.
fn postgres(scheme: &str, rest: &str) -> Result<tokio_postgres::Config, TargetError> {
    let whole = match rest.starts_with("//") {
        true => Cow::Owned(format!("{scheme}:{rest}")),
        false => Cow::Borrowed(rest),
    };
    // The driver names the option that it cannot read, never its value.
    let wrong = |why: tokio_postgres::Error| TargetError::Postgres(super::postgres::words(&why));
    let mut config: tokio_postgres::Config = whole.parse().map_err(wrong)?;
    if config.get_hosts().is_empty() {
        return Err(TargetError::Postgres("it names no host".to_owned()));
    }
    if config.get_password().is_none()
        && let Some(password) = std::env::var_os("PGPASSWORD")
    {
        config.password(password.into_encoded_bytes());
    }
    Ok(config)
}

/// As messages and reports show it.
impl fmt::Display for SinkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Place::Lines(kind, path) => write!(f, "{}:{}", kind.word(), path.display()),
            Place::Postgres(config) => show_postgres(config, f),
            Place::Objects(url) => f.write_str(&without_password(url)),
        }
    }
}

fn show_postgres(config: &tokio_postgres::Config, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    use tokio_postgres::config::Host;
    f.write_str("postgres://")?;
    if let Some(user) = config.get_user() {
        write!(f, "{user}@")?;
    }
    match config.get_hosts().first() {
        Some(Host::Tcp(name)) => f.write_str(name)?,
        Some(Host::Unix(path)) => write!(f, "{}", path.display())?,
        None => {}
    }
    if let Some(port) = config.get_ports().first() {
        write!(f, ":{port}")?;
    }
    match config.get_dbname() {
        Some(database) => write!(f, "/{database}"),
        None => Ok(()),
    }
}

impl fmt::Debug for SinkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that a user wrote, fit to be shown although it may be wrong: what stands between a user's
/// name and the host in an address, or behind `password=`, is left out.
pub fn without_password(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        rest = after;
        let end = rest.find(|c: char| c.is_whitespace() || "\"'`,".contains(c));
        let word = &rest[..end.unwrap_or(rest.len())];
        // A password may have a slash or another @ in it that should have been escaped.
        if let Some(host) = word.rfind('@')
            && let Some(colon) = word[..host].find(':')
        {
            shown.push_str(&word[..colon]);
            shown.push_str(":...");
            rest = &rest[host..];
        }
    }
    shown.push_str(rest);
    without_option(&shown)
}

fn without_option(text: &str) -> String {
    const OPTION: &str = "password=";
    let Some(at) = text.to_ascii_lowercase().find(OPTION) else { return text.to_owned() };
    let (before, value) = text.split_at(at + OPTION.len());
    // In quotes it may have spaces; whatever follows is not worth the risk.
    let end = match value.starts_with('\'') {
        true => None,
        false => value.find(|c: char| c.is_whitespace() || "&\"`".contains(c)),
    };
    let rest = end.map_or("", |end| &value[end..]);
    format!("{before}...{}", without_option(rest))
}

/// A name that can be quoted in any database: letters, digits and underscores, perhaps with the
/// name of a schema before it.
pub fn check_table(name: &str) -> Result<(), &'static str> {
    let good = |part: &str| {
        let letters = part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        letters && part.len() <= 60 && part.starts_with(|c: char| !c.is_ascii_digit())
    };
    match name.split('.').count() <= 2 && name.split('.').all(good) {
        true => Ok(()),
        false => Err("write letters, digits and underscores, such as pages or crawl.pages"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        text.parse::<SinkTarget>().unwrap().to_string()
    }

    #[test]
    fn a_target_is_shown_without_its_password() {
        for (text, expected) in [
            (
                "postgres:postgres://ann:secret@db.example:5433/web",
                "postgres://ann@db.example:5433/web",
            ),
            ("postgres://ann:secret@db.example/web", "postgres://ann@db.example:5432/web"),
            ("postgresql://db.example/web", "postgres://db.example:5432/web"),
            ("postgres:host=db.example user=ann password=secret", "postgres://ann@db.example"),
            ("sqlite:a b.db", "sqlite:a b.db"),
            ("sqlite://x.db", "sqlite:x.db"),
            ("sqlite:///tmp/x.db", "sqlite:/tmp/x.db"),
            ("jsonl:x.jsonl", "jsonl:x.jsonl"),
            ("csv:/tmp/x.csv", "csv:/tmp/x.csv"),
        ] {
            assert_eq!(shown(text), expected);
            assert_eq!(format!("{:?}", text.parse::<SinkTarget>().unwrap()), expected);
        }
    }

    #[test]
    fn what_is_no_target_is_refused_without_being_repeated() {
        for text in ["mysql:x", "sqlite", "sqlite:", "postgres:secret", "postgres://a:secret@h:x/"]
        {
            let why = text.parse::<SinkTarget>().unwrap_err().to_string();
            assert!(!why.contains("secret") && why.contains("write"), "{why}");
        }
    }

    #[test]
    fn no_text_is_shown_with_a_password() {
        for (text, expected) in [
            ("sink = [\"postgres://u:secret@h/d\", 3]", "sink = [\"postgres://u:...@h/d\", 3]"),
            ("postgres://u:se/cr@et@h", "postgres://u:...@h"),
            ("postgres://u@h/d http://a:secret@b", "postgres://u@h/d http://a:...@b"),
            ("host=h password=secret user=u", "host=h password=... user=u"),
            ("host=h password='se cret' user=u", "host=h password=..."),
            ("postgres://h/d?password=secret&x=1", "postgres://h/d?password=...&x=1"),
            ("nothing to hide", "nothing to hide"),
        ] {
            assert_eq!(without_password(text), expected);
        }
    }

    #[test]
    fn names_of_tables_cannot_end_a_quote() {
        for good in ["pages", "crawl.pages", "_x1"] {
            assert_eq!(check_table(good), Ok(()));
        }
        for bad in ["", "a\"b", "a.b.c", "a b", "1a", ".a", "a;drop"] {
            assert!(check_table(bad).is_err(), "{bad}");
        }
    }
}
