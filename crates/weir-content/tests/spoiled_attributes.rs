//! Whatever a page is made of, its attributes are read without a panic, and within bounds.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

use url::Url;
use weir_content::attributes::{Attributes, attributes};
use weir_fuzz::{Fuzz, assert_linear};
use weir_parse::tree::Builder;

const WORDS: &[&str] = &[
    "<script type=application/ld+json>",
    "</script>",
    "{\"@graph\":[",
    "\"author\":",
    "\"datePublished\":\"",
    "@type",
    "VideoObject",
    "<meta property=og:title content='",
    "article:published_time",
    "<h1>",
    "</h1>",
    "<a href=/>",
    "<i class=kicker>",
    "<ruby>",
    "<rt>",
    "<time datetime=",
    "itemprop=author",
    "class=byline",
    "<iframe src=",
    "2020-05-05",
    "5 May 2020",
    "22.12.23",
    "©",
    "&copy;",
    "Von ",
    "<footer>",
    "<html lang=",
    "twitter:label1",
    "itemtype=http://schema.org/Product",
    "\u{2028}",
    "İ",
    "ẞ",
    "年",
];

fn read(html: &str) -> Attributes {
    let url = Url::parse("http://a.example/2020/05/05/x").unwrap();
    attributes(Builder::new().build(html), &url, "2025-06-01T12:00:00Z".parse().unwrap())
}

fn seeds() -> Vec<Vec<u8>> {
    let article = "<html lang=en><head><title>A story | Acme</title><meta property=og:title content='A story'>\
        <meta property=article:published_time content=2020-05-05T10:00:00+02:00><meta name=author content='Jane Doe'>\
        <script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@graph\":[{\"@type\":\"NewsArticle\",\
        \"headline\":\"A \\u0073tory\",\"author\":[{\"@type\":\"Person\",\"name\":\"Jane Doe\"}],\
        \"datePublished\":\"2020-05-05T10:00:00Z\",\"video\":{\"@type\":\"VideoObject\",\"contentUrl\":\"/v.mp4\"}}]}</script>\
        </head><body><h1>A story</h1><p class=byline>By Jane Doe and John Roe | <time datetime=2020-05-05>5 May 2020</time>\
        <iframe src=//www.youtube.com/embed/x></iframe><footer>&copy; 2020 Acme. All rights reserved.</footer>";
    let plain = "<h2>Größe</h2><div>Von Jörg Ärger, 5. März 2020, 10:30 Uhr</div><p>2020年5月5日</p><p>05/06/20</p>\
        <div itemscope itemtype=http://schema.org/Product><b itemprop=name>Lamp</b><i itemprop=price>1.299,00 €</i></div>\
        <script>var x = {\"publishedAt\":\"2020-05-05\"}</script>";
    vec![article.into(), plain.into()]
}

#[test]
fn a_spoiled_page_never_makes_it_panic() {
    Fuzz::new("attributes", 3000).words(WORDS).run(&seeds(), |input, _| {
        let found = read(&String::from_utf8_lossy(input));
        assert!(found.authors.len() <= 20 && found.videos.len() <= 100);
    });
}

#[test]
fn reading_takes_time_in_proportion_to_the_page() {
    for unit in [
        "<h1>a</h1>",
        "<h1><a href=/>a</a></h1>",
        "<h1><i>a</i> b",
        "<h1><ruby>a<rt>b",
        "<p class=author>Jane Doe",
        "<p class=date>",
        "<time>5 May 2020</time>",
        "<div class=byline>",
        "<aside>",
        "1 ",
        "5 May ",
        "<p>©",
        "<div class=copyright>© a",
        "<meta name=author content=a>",
        "<script type=application/ld+json>{\"author\":{\"@id\":\"a\"}}</script>",
        "<iframe src=//youtube.com/embed/x></iframe>",
        "<div itemtype=http://schema.org/Product>",
        "<p itemprop=author>",
        "<h2>a",
        "a - ",
    ] {
        let page = |length: usize| unit.repeat(length / unit.len());
        assert_linear(unit, page, |html| drop(read(html)));
    }
}

fn linked(json: &str) -> String {
    format!("<script type=application/ld+json>{json}</script>")
}

/// As many of what `one` makes of 0, 1, 2 and so on as fit into so many bytes.
fn many(length: usize, one: impl Fn(usize) -> String) -> String {
    let mut out = String::new();
    for part in (0..).map(one) {
        if out.len() + part.len() > length {
            break;
        }
        out += &part;
    }
    out
}

#[test]
fn a_page_that_was_made_to_take_long_does_not() {
    let tags = |length: usize| {
        linked(&format!("{{\"@type\":\"Product\",\"name\":\"{}\"}}", "<a".repeat(length / 2)))
    };
    let nothing = |length: usize| linked(&format!("[CDATA[{}x", " ".repeat(length)));
    let names = |length: usize| {
        let meta = |one: usize| {
            let name = |two: usize| format!("ab{one}x{two},");
            format!("<meta name=author content=\"{}\">", many(900, name))
        };
        many(length, meta)
    };
    let things = |length: usize| {
        let thing = |at: usize| format!("{{\"headline\":\"a | b | c\",\"publisher\":\"p{at}\"}},");
        linked(&format!("[{}0]", many(length, thing)))
    };
    let base = |length: usize| {
        let video = "{\"@type\":\"VideoObject\",\"contentUrl\":\"x\"},".repeat(length / 100);
        format!("<base href=/{}/>", "a".repeat(length / 2)) + &linked(&format!("[{video}0]"))
    };
    let pages: [(&str, &dyn Fn(usize) -> String); 5] = [
        ("tags without end", &tags),
        ("nothing before linked data", &nothing),
        ("names", &names),
        ("titles and publishers", &things),
        ("a base without end", &base),
    ];
    for (what, page) in pages {
        assert_linear(what, page, |html| drop(read(html)));
    }
}

#[test]
fn however_many_authors_there_are_some_are_told() {
    let handles = many(900, |at| format!("ab{at},"));
    let found = read(&format!("<meta name=author content=\"{handles}\">")).authors;
    assert_eq!(found.len(), 20);
}

#[test]
fn a_long_text_is_looked_at_once_whatever_stands_around_it() {
    let around = "<h1><div class=byline><p itemprop=name>".repeat(12);
    let html = |text: usize| format!("{around}{}", "word ".repeat(text / 5));
    let start = std::time::Instant::now();
    drop(read(&html(2 << 20)));
    // It takes some milliseconds; on a busy machine, and without optimisation, some hundred times that.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}
