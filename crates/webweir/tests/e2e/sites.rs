//! Real sites, served by nginx, crawled completely: the pages stored are the link closure that an
//! independent checker computes, and the known answer where there is one for this version.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;
use std::path::Path;

use crate::support::command::crawl;
use crate::support::debian::Package;
use crate::support::nginx::{Nginx, find_nginx};
use crate::support::python::{python, run};
use crate::support::skip;
use crate::support::verdict::{Stored, read_output};

struct Site {
    package: &'static str,
    root: &'static str,
    seed: &'static str,
}

#[test]
fn postgresql_doc_is_crawled_completely() {
    check(Site {
        package: "postgresql-doc-15",
        root: "usr/share/doc/postgresql-doc-15/html",
        seed: "/index.html",
    });
}

#[test]
fn python_doc_is_crawled_completely() {
    check(Site {
        package: "python3.11-doc",
        root: "usr/share/doc/python3.11/html",
        seed: "/index.html",
    });
}

#[test]
fn apache_doc_is_crawled_completely() {
    check(Site {
        package: "apache2-doc",
        root: "usr/share/doc/apache2-doc/manual",
        seed: "/index.html",
    });
}

#[test]
#[ignore = "a minute, and its like is in the usual tests: cargo xtask soak"]
fn boost_doc_is_crawled_completely() {
    check(Site {
        package: "libboost1.81-doc",
        root: "usr/share/doc/libboost1.81-doc/doc/html",
        seed: "/index.html",
    });
}

#[test]
#[ignore = "half a minute, and its like is in the usual tests: cargo xtask soak"]
fn cppreference_is_crawled_completely() {
    check(Site {
        package: "cppreference-doc-en-html",
        root: "usr/share/cppreference/doc/html",
        seed: "/en/index.html",
    });
}

#[test]
#[ignore = "takes minutes: cargo xtask soak"]
fn rust_doc_is_crawled_completely() {
    check(Site { package: "rust-doc", root: "usr/share/doc/rust-doc/html", seed: "/index.html" });
}

#[test]
#[ignore = "takes minutes: cargo xtask soak"]
fn openjdk_doc_is_crawled_completely() {
    check(Site {
        package: "openjdk-17-doc",
        root: "usr/share/doc/openjdk-17-jre-headless",
        seed: "/api/index.html",
    });
}

fn check(site: Site) {
    let suite = format!("sites, {}", site.package);
    let Some(python) = python(&suite) else { return };
    let Some(nginx) = find_nginx() else { return skip(&suite, "nginx is not installed") };
    let package = match Package::get(site.package) {
        Ok(package) => package,
        Err(why) => return skip(&suite, &why),
    };
    let server = Nginx::serve(&nginx, &package.folder.join(site.root));
    let seed = format!("http://{}{}", server.host, site.seed);

    let out = tempfile::tempdir().unwrap();
    let weir =
        crawl(std::slice::from_ref(&seed), out.path(), &["--scope", "host", "--per-host", "8"]);
    weir.wait().expect_code(0);
    expect_each_asked_once(&server);

    let closure = run(&python, "closure.py", &[&seed, "--related"]);
    let closure = closure.unwrap_or_else(|why| panic!("{why}"));
    let stored = read_output(&python, out.path());
    expect_closure(&format!("http://{}", server.host), &closure, &stored);
    expect_each_body_once(&stored);
    compare_with_known_answer(&site, &package, &closure);
}

fn expect_each_asked_once(server: &Nginx) {
    let mut seen = HashSet::new();
    let again: Vec<String> =
        server.requests().into_iter().filter(|it| !seen.insert(it.clone())).collect();
    assert!(again.is_empty(), "asked for twice: {again:?}");
}

/// What is in one line of a closure: status, and size and digest if it is an HTML page.
type Row = (u16, Option<(usize, String)>);

fn rows(closure: &str) -> BTreeMap<&str, Row> {
    closure
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [path, status, size, digest] = fields[..] else { panic!("{line:?}") };
            let page = size.parse().ok().map(|size| (size, digest.to_owned()));
            (path, (status.parse().unwrap(), page))
        })
        .collect()
}

fn expect_closure(origin: &str, closure: &str, stored: &Stored) {
    let mut wrong = Vec::new();
    let closure = rows(closure);
    for (path, (status, page)) in &closure {
        match stored.get(&format!("{origin}{path}")) {
            None => wrong.push(format!("lost: {path} ({status})")),
            Some(got) if got.status != *status => {
                wrong.push(format!("{path}: {} instead of {status}", got.status));
            }
            Some(got) => {
                if page.as_ref().is_some_and(|page| *page != (got.bytes, got.sha256.clone())) {
                    wrong.push(format!("{path}: another body"));
                }
            }
        }
    }
    let made_up = stored
        .keys()
        .filter(|url| url.strip_prefix(origin).is_none_or(|path| !closure.contains_key(path)));
    wrong.extend(made_up.map(|url| format!("made up: {url}")));
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    let pages = closure.values().filter(|(_, page)| page.is_some()).count();
    println!("{} URLs, {pages} pages, all as they should be", closure.len());
}

/// Equal bodies under many URLs are kept once, and no URL is lost by it.
fn expect_each_body_once(stored: &Stored) {
    let good = || stored.values().filter(|page| page.status == 200);
    let distinct: BTreeSet<&str> = good().map(|page| page.sha256.as_str()).collect();
    let whole = good().filter(|page| !page.revisit).count();
    assert_eq!(whole, distinct.len(), "bodies stored whole, and distinct bodies");
}

/// The checker itself is held against a list made by others, if it lies beside the checkout and is
/// of the same version of the package.
fn compare_with_known_answer(site: &Site, package: &Package, closure: &str) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/sites"));
    let suite = format!("known answer, {}", site.package);
    let Ok(about) = std::fs::read_to_string(folder.join("sites.json")) else {
        return skip(&suite, "shared/data/sites does not lie beside this checkout");
    };
    let about: serde_json::Value = serde_json::from_str(&about).unwrap();
    let version = about[site.package]["version"].as_str().unwrap_or("none");
    if version != package.version {
        return skip(&suite, &format!("it is of {version}, the package of {}", package.version));
    }
    let list = std::fs::File::open(folder.join(format!("{}.tsv.gz", site.package))).unwrap();
    let mut known = String::new();
    flate2::read::GzDecoder::new(list).read_to_string(&mut known).unwrap();
    let sorted = |text: &str| -> BTreeSet<String> {
        text.lines().filter(|line| !is_refused(line)).map(String::from).collect()
    };
    let (known, closure) = (sorted(&known), sorted(closure));
    let differ: Vec<_> = known.symmetric_difference(&closure).take(20).collect();
    assert!(differ.is_empty(), "the closure is not the known answer: {differ:#?}");
}

/// nginx answers 400 to a path with a `%` that encodes nothing; the server of the list did not.
fn is_refused(line: &str) -> bool {
    let path = line.split('\t').next().unwrap_or_default();
    path.split('%').skip(1).any(|rest| {
        let hex = rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count();
        hex < 2
    })
}
