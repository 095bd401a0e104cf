use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use weir_testsite::{Kind, TrueUrl, Web};

use super::python;

/// A page as an independent reader found it in the output, by its URL.
pub type Stored = BTreeMap<String, StoredPage>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPage {
    pub status: u16,
    pub bytes: usize,
    pub sha1: String,
    /// First 16 digits.
    pub sha256: String,
    pub revisit: bool,
}

/// Reads the output with warcio, pyarrow and DuckDB, and fails unless every page is in the WARC
/// and in the tables exactly once.
pub fn read_output(python: &Path, out: &Path) -> Stored {
    let told = python::run(python, "output.py", &[out.to_str().unwrap()]);
    let told = told.unwrap_or_else(|why| panic!("{why}"));
    told.lines().map(stored_page).collect()
}

fn stored_page(line: &str) -> (String, StoredPage) {
    let fields: Vec<&str> = line.split('\t').collect();
    let [url, status, bytes, sha1, sha256, kind] = fields[..] else { panic!("{line:?}") };
    let page = StoredPage {
        status: status.parse().unwrap(),
        bytes: bytes.parse().unwrap(),
        sha1: sha1.into(),
        sha256: sha256.into(),
        revisit: kind == "revisit",
    };
    (url.into(), page)
}

/// All that the web has and allows is stored as it is, and nothing else is.
pub fn expect_everything(web: &Web, stored: &Stored) {
    let truth: BTreeMap<String, TrueUrl> =
        web.truth().urls().filter(|it| it.allowed).map(|it| (it.url.clone(), it)).collect();
    let lost: Vec<_> = truth.keys().filter(|url| !stored.contains_key(*url)).collect();
    let extra: Vec<_> = stored.keys().filter(|url| !truth.contains_key(*url)).collect();
    assert!(lost.is_empty(), "{} lost, as {:?}", lost.len(), &lost[..lost.len().min(5)]);
    assert!(extra.is_empty(), "{} made up, as {:?}", extra.len(), &extra[..extra.len().min(5)]);
    for (url, page) in stored {
        let truth = &truth[url];
        let (got, want) = ((page.status, page.bytes, &page.sha1), (truth.status, truth.bytes));
        assert_eq!(got, (want.0, want.1, &truth.sha1), "{url}");
    }
    expect_each_body_once(&truth, stored);
}

/// Bodies of pages, copies and files are stored once; the others are revisits.
fn expect_each_body_once(truth: &BTreeMap<String, TrueUrl>, stored: &Stored) {
    let has_body = |kind| matches!(kind, Kind::Page | Kind::Duplicate | Kind::File);
    let bodies = stored.iter().filter(|(url, _)| has_body(truth[*url].kind));
    let bodies: Vec<&StoredPage> = bodies.map(|(_, page)| page).collect();
    let distinct: HashSet<&str> = bodies.iter().map(|page| page.sha1.as_str()).collect();
    let whole = bodies.iter().filter(|page| !page.revisit).count();
    assert_eq!(whole, distinct.len(), "bodies stored whole, and distinct bodies");
}

/// The server saw every page handed over, and none of the mistakes a crawler can make.
pub fn expect_good_manners(web: &Web) {
    let missing: Vec<String> = web.missing().take(5).collect();
    assert!(missing.is_empty(), "never handed over whole: {missing:?}");
    let total = web.counts().total();
    let mistakes = (total.violations, total.false_links, total.unknown, total.bad);
    assert_eq!(mistakes, (0, 0, 0, 0), "(violations, false links, unknown, bad)");
}

/// Requests beyond the first for the same URL, robots.txt apart.
pub fn repeats(web: &Web) -> u64 {
    let counts = web.counts();
    let repeated = counts.hosts.iter().flat_map(|host| host.repeated());
    repeated.map(|it| u64::from(it.times) - 1).sum()
}
