use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use serde_json::{Map, Value};
use url::Url;

/// A page, and what people say about it.
pub struct Page {
    pub id: String,
    pub body: Vec<u8>,
    pub url: Url,
    pub truth: Value,
}

impl Page {
    /// The page as text. Collections keep no headers, so it has to say itself what it is in.
    pub fn decoded(&self) -> String {
        self.decode().into_owned()
    }

    /// The same, without a copy where none is needed.
    pub fn decode(&self) -> Cow<'_, str> {
        weir_parse::charset(&self.body, None, &self.url).decode(&self.body).0
    }

    /// A field that is a list of texts.
    pub fn list(&self, field: &str) -> Vec<&str> {
        let items = self.truth[field].as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(Value::as_str).collect()
    }
}

/// All collections by name.
pub type Corpora = BTreeMap<&'static str, Vec<Page>>;

const SETS: [&str; 4] = ["aeb", "naeb", "trafilatura", "htmldate"];

pub fn all(folder: &Path) -> Result<Corpora> {
    SETS.into_iter().map(|set| Ok((set, load(folder, set)?))).collect()
}

/// The pages of one collection in the order of their ids.
pub fn load(folder: &Path, set: &str) -> Result<Vec<Page>> {
    let path = folder.join(set).join("ground-truth.json");
    let text = std::fs::read_to_string(&path).with_context(|| {
        format!("cannot read {}: name the collections with --data", path.display())
    })?;
    let truths: Map<String, Value> = serde_json::from_str(&text)?;
    let mut pages = Vec::new();
    for (id, truth) in truths {
        let body = gunzip(&folder.join(set).join(format!("html/{id}.html.gz")))?;
        let url = truth["url"].as_str().or(truth["link"].as_str()).unwrap_or_default();
        let url = Url::parse(url).or_else(|_| Url::parse("http://page.invalid/"))?;
        pages.push(Page { id, body, url, truth });
    }
    pages.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(pages)
}

fn gunzip(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes)?;
    Ok(bytes)
}
