//! A crawl with a rule and fields into PostgreSQL, both of which are killed: each record that the rule keeps
//! is there exactly once, with its fields, and no other.

use std::fs;
use std::time::Duration;

use weir_testsite::{Asked, HostSpec, Script};

use crate::postgres::Server;
use crate::site::{Site, watch};
use crate::support::command::Weir;

const GOODS: u32 = 2_500;
const ROWS: &str = "SELECT count(*) FROM pages";

#[test]
fn postgres_has_each_kept_record_once_though_it_and_weir_are_killed() {
    let Some(mut server) = Server::start("postgres with a rule, killed") else { return };
    let site = Site::of(HostSpec::scripted(good));
    let lines = site.out().join("kept.jsonl");
    let settings = settings(&site);
    let start = |server: &Server| -> Weir {
        let jsonl = format!("jsonl:{}", lines.display());
        site.crawl(&["-c", &settings, "--sink", &server.address(), "--sink", &jsonl])
    };
    let mut weir = start(&server);
    watch(&mut weir, "rows to come", || server.count(ROWS) > 0);
    server.kill();
    let moment = site.requests() + 100;
    watch(&mut weir, "the crawl to go on without it", || site.requests() >= moment);
    weir.kill();
    server.up();
    for pause in [0, 700] {
        let before = server.count(ROWS);
        let mut weir = start(&server);
        watch(&mut weir, "rows to come again", || server.count(ROWS) > before);
        std::thread::sleep(Duration::from_millis(pause));
        weir.kill();
        server.kill();
        server.up();
    }
    start(&server).wait().expect_code(0);

    let mut expected: Vec<String> = (0..GOODS).filter(|n| is_wanted(*n)).map(row).collect();
    expected.sort();
    let found = "SELECT substring(url from '[^/]*$'), fields->>'price', fields->>'sku' FROM pages";
    let mut found = server.ask(found);
    found.sort();
    assert_eq!(found, expected);
    // A file has no key that would hide a row which came twice.
    let text = fs::read_to_string(&lines).unwrap();
    let mut found: Vec<String> = text.lines().map(row_of_line).collect();
    found.sort();
    assert_eq!(found, expected);
}

fn settings(site: &Site) -> String {
    let name = site.web.seeds()[0].trim_start_matches("http://").trim_end_matches('/').to_owned();
    let path = site.out().join("weir.toml");
    let text = format!(
        "keep = 'fields.price < 3 and lang in [\"en\"]'\n[[site]]\nname = \"{name}\"\n[site.fields]\n\
         price = {{ css = \"p.price\", type = \"number\" }}\n\
         sku = {{ css = \"main\", attr = \"data-sku\" }}\n"
    );
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Each leads to two others, the first one to the second and the third.
fn good(asked: &Asked<'_>) -> Option<Script> {
    let number = match asked.path {
        "/" => 0,
        path => path[1..].parse().ok().filter(|n| *n < GOODS)?,
    };
    let more = [2 * number + 1, 2 * number + 2].into_iter().filter(|n| *n < GOODS);
    let links: String = more.map(|n| format!("<a href=/{n}>more</a>")).collect();
    let (language, price) = (language(number), price(number));
    let body = format!(
        "<html lang={language}><title>Good {number}</title><main data-sku=s{number}>\
         <p class=price>{price} EUR</p><p>{}</main>{links}",
        words(number)
    );
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    Some(Script::default().pause(Duration::from_millis(20)).send((head + &body).into_bytes()))
}

/// Pages that are all alike would be taken for a trap.
fn words(number: u32) -> String {
    let mut random = fastrand::Rng::with_seed(u64::from(number));
    let mut word = || -> String { (0..6).map(|_| random.lowercase()).collect() };
    (0..60).map(|_| word() + " ").collect()
}

fn price(number: u32) -> f64 {
    f64::from(number % 7) + 0.25
}

fn language(number: u32) -> &'static str {
    if number.is_multiple_of(10) { "de" } else { "en" }
}

fn is_wanted(number: u32) -> bool {
    price(number) < 3.0 && language(number) == "en"
}

fn row(number: u32) -> String {
    format!("{number}\t{}\ts{number}", price(number))
}

fn row_of_line(line: &str) -> String {
    let row: serde_json::Value = serde_json::from_str(line).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let (url, fields) = (text(&row["url"]), &row["fields"]);
    let number = url.rsplit('/').next().unwrap_or_default();
    format!("{number}\t{}\t{}", text(&fields["price"]), text(&fields["sku"]))
}
