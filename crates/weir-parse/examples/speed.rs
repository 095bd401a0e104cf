//! How long a page takes: `cargo run --release -p weir-parse --example speed [FILE.html ...]`.
//!
//! Prints the time a page takes in the best of many rounds (`ROUNDS`), links resolved and
//! fingerprinted, and the time of its sketch. Without files a page like those of a manual is made up: 27 KB, 33 links.

use std::time::{Duration, Instant};

use url::Url;
use weir_parse::{Ask, Finding, Parser};

fn main() {
    let files: Vec<Vec<u8>> = std::env::args()
        .skip(1)
        .map(|path| std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
        .collect();
    let pages = if files.is_empty() { vec![made_up(33).into_bytes()] } else { files };
    let url = Url::parse("http://manual.example.org/docs/15/sql-select.html").expect("is a URL");
    let bytes: usize = pages.iter().map(Vec::len).sum();
    let (time, links) = measure(&pages, &url);
    println!(
        "{} pages, {} bytes and {:.1} links a page: {:.2} us a page, {:.0} MB/s",
        pages.len(),
        bytes / pages.len(),
        links as f64 / pages.len() as f64,
        time.as_secs_f64() * 1e6 / pages.len() as f64,
        bytes as f64 / time.as_secs_f64() / 1e6,
    );
    let sketching = best(rounds(&pages), || {
        pages.iter().for_each(|page| {
            drop(std::hint::black_box(weir_parse::sketch(page, "http://a/docs/sql-select.html")))
        });
    });
    println!("a sketch: {:.2} us a page", sketching.as_secs_f64() * 1e6 / pages.len() as f64);
}

fn rounds(pages: &[Vec<u8>]) -> usize {
    let rounds = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok());
    rounds.unwrap_or(2000 / pages.len().min(1000))
}

fn best(rounds: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..rounds).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

/// The best of several rounds over all pages, and how many links one round reports.
fn measure(pages: &[Vec<u8>], url: &Url) -> (Duration, usize) {
    let mut parser = Parser::new();
    let mut links = 0;
    let time = best(rounds(pages), || {
        links = 0;
        for body in pages {
            let ask = Ask { body, url, content_type: Some("text/html"), assets: false };
            std::hint::black_box(parser.parse(ask, |finding| {
                if let Finding::Link(link) = finding {
                    std::hint::black_box(link.fingerprint);
                    links += 1;
                }
            }));
        }
    });
    (time, links)
}

fn made_up(links: usize) -> String {
    let mut page = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>SELECT</title>\
         <link rel=\"stylesheet\" href=\"style.css\"><link rel=\"next\" href=\"next.html\"></head>\
         <body id=\"docContent\" class=\"container-fluid col-10\">\n",
    );
    for number in 0..links {
        let target = match number % 4 {
            0 => format!("page-{number}.html#ID-{number}"),
            1 => format!("/docs/current/chapter-{number}.html"),
            2 => format!("../14/page-{number}.html?view=full&amp;part={number}"),
            _ => format!("https://www.example.com/news/2024/{number}/"),
        };
        page.push_str(&format!(
            "<div class=\"refsect1\" id=\"id-1.9.3.172.{number}\"><h2>Part {number}</h2>\n<p>\
             <a class=\"xref\" href=\"{target}\" title=\"Part\">Section {number}</a>, "
        ));
        while page.len() < (number + 1) * 27_000 / links {
            page.push_str(
                "<code class=\"command\">SELECT</code> retrieves rows from zero or more tables. \
                 The general processing is <em>as follows</em>: <span class=\"emphasis\">all \
                 queries</span> in the list are computed.</p>\n<p>",
            );
        }
        page.push_str("</p></div>\n");
    }
    page
}
