//! With a budget for coming back, only what is worth its bytes is asked for.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use tempfile::TempDir;
use weir_testsite::{HostSpec, Script, Spec, Web};

use crate::support::command::crawl;
use crate::support::nginx::{Nginx, find_nginx};
use crate::support::outcome::report;
use crate::support::{skip, wait_until};

fn come_back(seeds: &[String], out: &Path, flags: &[&str]) -> Value {
    let flags = [&["--recrawl", "--per-host", "4"], flags].concat();
    crawl(seeds, out, &flags).wait().expect_code(0);
    report(out)["freshness"].clone()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Whole pages each time, however often one asks.
fn without_validators(pages: u32) -> Web {
    let site = HostSpec::pages(pages).page_bytes(20_000..=20_000).without_validators();
    Web::start(Spec::new(vec![site])).unwrap()
}

#[test]
fn a_small_budget_leaves_pages_out_and_never_the_seed() {
    let web = without_validators(40);
    let out = TempDir::new().unwrap();
    let seeds = web.seeds();
    crawl(&seeds, out.path(), &[]).wait().expect_code(0);
    assert!(report(out.path()).get("freshness").is_none(), "nobody came back yet");
    let before = web.counts().total().requests;
    // A day of this is a page; what was earned since is next to nothing.
    let round = come_back(&seeds, out.path(), &["--freshness", "64KiB/day"]);
    assert_eq!(web.counts().total().requests - before, 1, "the seed: {round}");
    assert_eq!((number(&round["visited"]), number(&round["left_out"])), (1, 39), "{round}");
    assert_eq!((number(&round["unchanged"]), number(&round["changed"])), (1, 0), "{round}");
    let expected = round["expected"].as_f64().unwrap();
    assert!(expected > 0.5 && expected <= 1.0, "{round}");
    assert_eq!(report(out.path())["sites"][0]["pages"], 40, "those left out are still there");
    let plenty = come_back(&seeds, out.path(), &["--freshness", "5000GB/day"]);
    assert_eq!((number(&plenty["visited"]), number(&plenty["left_out"])), (40, 0), "{plenty}");
    let all = come_back(&seeds, out.path(), &[]);
    assert_eq!(number(&all["visited"]), 40, "without a budget all are visited: {all}");
    assert!(all["expected"].is_null() && all["budget"].is_null(), "{all}");
}

#[test]
fn what_was_learnt_of_a_page_outlives_a_kill() {
    let web = without_validators(40);
    let out = TempDir::new().unwrap();
    let seeds = web.seeds();
    crawl(&seeds, out.path(), &["--per-host", "4"]).wait().expect_code(0);
    let before = web.counts().total().requests;
    let flags = ["--recrawl", "--freshness", "5000GB/day", "--limit", "200KB/s", "--per-host", "4"];
    let weir = crawl(&seeds, out.path(), &flags);
    wait_until("a third of it", || web.counts().total().requests > before + 14);
    weir.kill();
    let round = come_back(&seeds, out.path(), &["--freshness", "5000GB/day"]);
    // Both runs are one round, and all of its pages are counted once.
    let visited = number(&round["visited"]);
    assert!((37..=40).contains(&visited), "what was killed in between may be missing: {round}");
    assert_eq!(number(&round["left_out"]), 0, "{round}");
    let again = come_back(&seeds, out.path(), &["--freshness", "64KiB/day"]);
    assert_eq!((number(&again["visited"]), number(&again["left_out"])), (1, 39), "{again}");
}

/// Text that is long enough to be known by its words.
fn words(salt: u32) -> String {
    let word =
        |n: u32| format!("<p>w{} of s{}", n.wrapping_mul(2_654_435_761 + salt), n * 7 + salt);
    let letters = |text: String| text.replace(|c: char| c.is_ascii_digit(), "k");
    (0..120).map(|n| letters(word(n)) + &"abcdefghijklmnop"[(n % 9) as usize..]).collect()
}

fn shop(version: &Arc<AtomicU32>) -> Web {
    let told = version.clone();
    let site = HostSpec::scripted(move |asked| {
        let now = told.load(Ordering::Relaxed);
        match asked.path {
            "/" => {
                Some(Script::html("<a href=/counter>c</a><a href=/news>n</a><a href=/price>p</a>"))
            }
            "/counter" => Some(Script::html(format!("{}<p>{} visitors", words(1), 7000 + now))),
            "/news" => {
                let news = ["cats sleep", "dogs bark loudly", "birds sing"][now as usize % 3];
                let more = (0..30).map(|n| format!("<p>{news} {}", "so ".repeat(n)));
                Some(Script::html(more.collect::<String>()))
            }
            "/price" => Some(Script::html(format!("{}<b>{}.99</b>", words(3), 10 + now))),
            _ => Some(Script::answer(404, "", "")),
        }
    });
    Web::start(Spec::new(vec![site])).unwrap()
}

#[test]
fn nearly_the_same_text_is_no_change_unless_any_byte_is() {
    let version = Arc::new(AtomicU32::new(0));
    let web = shop(&version);
    for (flags, changed) in [(&[][..], 1), (&["--changes", "any"][..], 3)] {
        let out = TempDir::new().unwrap();
        crawl(&web.seeds(), out.path(), flags).wait().expect_code(0);
        version.fetch_add(1, Ordering::Relaxed);
        let round = come_back(&web.seeds(), out.path(), flags);
        assert_eq!(number(&round["changed"]), changed, "{round}");
        assert_eq!(number(&round["unchanged"]), 4 - changed, "{round}");
    }
}

#[test]
fn a_field_counts_to_the_letter_and_what_a_rule_leaves_out_does_not() {
    let version = Arc::new(AtomicU32::new(0));
    let web = shop(&version);
    let out = TempDir::new().unwrap();
    let file = out.path().join("weir.toml");
    let site = web.seeds()[0].trim_start_matches("http://").trim_end_matches('/').to_owned();
    let fields = "price = { css = \"b\", type = \"number\" }";
    fs::write(&file, format!("[[site]]\nname = \"{site}\"\n[site.fields]\n{fields}\n")).unwrap();
    let with = |rule: &'static str| ["-c", file.to_str().unwrap(), "--keep", rule];
    crawl(&web.seeds(), out.path(), &with("fields.price > 1")).wait().expect_code(0);
    let dropped = come_back(&web.seeds(), out.path(), &with("fields.price > 1000"));
    assert_eq!((number(&dropped["changed"]), number(&dropped["unchanged"])), (0, 4), "{dropped}");
    version.fetch_add(1, Ordering::Relaxed);
    let round = come_back(&web.seeds(), out.path(), &with("fields.price > 1000"));
    assert_eq!(number(&round["changed"]), 2, "news and the price: {round}");
}

#[test]
fn a_sitemap_that_tells_of_a_change_brings_a_page_back_that_was_left_out() {
    let version = Arc::new(AtomicU32::new(0));
    let told = version.clone();
    let site = HostSpec::scripted(move |asked| {
        let now = told.load(Ordering::Relaxed);
        let lastmod = |page: u32| if page == 190 && now > 0 { "2100-01-01" } else { "2001-01-01" };
        match asked.path {
            "/robots.txt" => {
                let text = format!("Sitemap: {}/sitemap.xml\n", asked.home);
                Some(Script::answer(200, "content-type: text/plain\r\n", text))
            }
            "/sitemap.xml" => {
                let entry = |page| {
                    let (home, lastmod) = (asked.home, lastmod(page));
                    format!("<url><loc>{home}/p{page}</loc><lastmod>{lastmod}</lastmod></url>")
                };
                let list: String = (0..200).map(entry).collect();
                let text = format!("<urlset>{list}</urlset>");
                Some(Script::answer(200, "content-type: application/xml\r\n", text))
            }
            path => Some(Script::html(format!("{path} {now} {}", "word ".repeat(1000)))),
        }
    });
    let web = Web::start(Spec::new(vec![site])).unwrap();
    let out = TempDir::new().unwrap();
    let seeds = web.seeds();
    crawl(&seeds, out.path(), &[]).wait().expect_code(0);
    version.store(1, Ordering::Relaxed);
    // Enough for all pages in twenty seconds, and for the page that the sitemap tells of.
    let round = come_back(&seeds, out.path(), &["--freshness", "4GB/day"]);
    let asked = |path: &str| {
        let visits = web.visits(0);
        visits.iter().filter(|visit| visit.path == path).count()
    };
    assert_eq!(asked("/p190"), 2, "{round}");
    assert!(number(&round["left_out"]) > 0, "{round}");
}

#[test]
fn an_unchanged_site_of_nginx_costs_a_twentieth_the_second_time() {
    let suite = "nginx twice";
    let Some(nginx) = find_nginx() else { return skip(suite, "nginx is not installed") };
    let folder = TempDir::new().unwrap();
    for page in 0..100 {
        let links: String =
            (0..8).map(|n| format!("<a href=/{}.html>x</a> ", (page * 7 + n) % 100)).collect();
        let text = format!("page {page} has words of its own ").repeat(800);
        let name = if page == 0 { "index.html".to_owned() } else { format!("{page}.html") };
        fs::write(folder.path().join(name), format!("<title>{page}</title>{links}<p>{text}"))
            .unwrap();
    }
    let server = Nginx::serve(&nginx, folder.path());
    let out = TempDir::new().unwrap();
    let seeds = [format!("http://{}/", server.host)];
    crawl(&seeds, out.path(), &["--per-host", "4"]).wait().expect_code(0);
    let first = report(out.path());
    assert!(number(&first["pages"]) >= 100, "{first}");
    let round = come_back(&seeds, out.path(), &[]);
    let second = number(&report(out.path())["bytes_wire"]) - number(&first["bytes_wire"]);
    assert_eq!(number(&round["changed"]), 0, "{round}");
    assert!(number(&round["unchanged"]) >= 100, "{round}");
    assert!(second * 20 < number(&first["bytes_wire"]), "{second} of {}", first["bytes_wire"]);
    println!("nginx: {} bytes, then {second}", first["bytes_wire"]);
}
