use url::Url;
use weir_parse::tree::Builder;

use super::*;

pub fn read_at(html: &str, url: &str) -> Attributes {
    let mut builder = Builder::new();
    let now = "2025-06-01T12:00:00Z".parse().unwrap();
    attributes(builder.build(html), &Url::parse(url).unwrap(), now)
}

pub fn read(html: &str) -> Attributes {
    read_at(html, "http://news.example.org/a")
}

/// Value and source, or nothing.
pub fn shown<T: std::fmt::Display>(found: Option<&Found<T>>) -> String {
    found.map_or(String::new(), |found| format!("{} {:?}", found.value, found.source))
}

pub fn published(html: &str, url: &str) -> String {
    let found = read_at(html, url).published;
    found.map_or(String::new(), |found| format!("{} {:?}", found.value.day, found.source))
}

#[test]
fn the_title_is_what_stands_above_the_text() {
    for (html, expected) in [
        ("<title>A long story | Acme</title><h1>A long story</h1>", "A long story Heading"),
        (
            "<meta property=og:title content='A long story'><h1>Acme</h1><h1>A long story</h1>",
            "A long story Heading",
        ),
        (
            "<meta property=og:site_name content=Acme><title>A long story - Acme</title>",
            "A long story Title",
        ),
        (
            "<meta property=og:site_name content=Acme><title>Acme: A long story</title>",
            "A long story Title",
        ),
        ("<title>A - B</title>", "A - B Title"),
        (
            "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"Story\"}</script>",
            "Story JsonLd",
        ),
        ("<h1> </h1>", ""),
    ] {
        assert_eq!(shown(read(html).title.as_ref()), expected, "{html}");
    }
}

#[test]
fn the_day_of_publishing_is_taken_from_the_best_source() {
    let text = "<h1>A</h1><p>5 May 2020</p>";
    let time = format!("<time datetime=2020-05-04>today</time>{text}");
    let meta = format!("<meta property=article:published_time content=2020-05-03T01:00Z>{time}");
    let linked = format!(
        "<script type=application/ld+json>{{\"@type\":\"Article\",\"datePublished\":\"2020-05-02\"}}</script>{meta}"
    );
    let plain = "http://a.example/b";
    for (html, url, expected) in [
        (linked.as_str(), plain, "2020-05-02 JsonLd"),
        (&meta, plain, "2020-05-03 OpenGraph"),
        (&time, plain, "2020-05-04 TimeElement"),
        (text, "http://a.example/2020/04/01/b", "2020-04-01 Url"),
        (text, plain, "2020-05-05 Text"),
        ("<h1>A</h1><p class=byline-date>5. Mai 2020</p>", plain, "2020-05-05 Markup"),
        ("<h1>A</h1><p itemprop=datePublished content=2020-05-05>", plain, "2020-05-05 Microdata"),
        ("<h1>A</h1><p>no day</p>", plain, ""),
        ("<meta name=date content=2035-01-01>", plain, ""),
    ] {
        assert_eq!(published(html, url), expected, "{html}");
    }
}

#[test]
fn a_moment_in_utc_is_the_day_that_readers_see() {
    let page = |moment: &str, seen: &str| {
        format!(
            "<meta property=article:published_time content={moment}><h1>A</h1><p>Updated 9 May 2020</p><p>{seen}</p>"
        )
    };
    let plain = "http://a.example/b";
    for (moment, seen, url, expected) in [
        ("2020-05-05T02:00:00Z", "4 May 2020", plain, "2020-05-04 OpenGraph"),
        ("2020-05-05T23:00:00Z", "6 May 2020", plain, "2020-05-06 OpenGraph"),
        ("2020-05-05T02:00:00Z", "today", "http://a.example/2020/05/04/b", "2020-05-04 OpenGraph"),
        ("2020-05-05T02:00:00Z", "4 May 2020</p><p>5 May 2020", plain, "2020-05-05 OpenGraph"),
        ("2020-05-05T20:00:00Z", "4 May 2020", plain, "2020-05-05 OpenGraph"), // too late for the day before
        ("2020-05-05T02:00:00+02:00", "4 May 2020", plain, "2020-05-05 OpenGraph"),
    ] {
        assert_eq!(published(&page(moment, seen), url), expected, "{moment} {seen} {url}");
    }
}

#[test]
fn publishing_and_changing_are_told_apart() {
    let html = "<meta property=article:modified_time content=2020-05-04><h1>A</h1><p class=published>3 May 2020</p>";
    let found = read(html);
    assert_eq!(found.published.unwrap().value.day.to_string(), "2020-05-03");
    assert_eq!(found.modified.unwrap().value.day.to_string(), "2020-05-04");
}

#[test]
fn authors_are_people_with_names() {
    let linked = |author: &str| {
        format!(
            "<script type=application/ld+json>{{\"@type\":\"Article\",\"author\":{author}}}</script>"
        )
    };
    let cases = [
        (linked(r#""Jane Doe""#), "Jane Doe JsonLd"),
        (linked(r#"{"name":"Jane Doe"}"#), "Jane Doe JsonLd"),
        (linked(r#"[{"name":"Jane Doe"},{"name":"John Roe"}]"#), "Jane Doe JsonLd, John Roe JsonLd"),
        (linked(r#"{"@id":"x"}"#) + r#"<meta name=author content="By Jane Doe and John Roe">"#, "Jane Doe Meta, John Roe Meta"),
        ("<meta property=article:author content=https://facebook.com/jane><a rel=author>Jane Doe</a>".into(), "Jane Doe Markup"),
        ("<meta property=og:site_name content=Acme><meta name=author content=Acme><p class=byline>By Jane Doe</p>".into(), "Jane Doe Markup"),
        ("<meta property=og:site_name content=Acme><meta name=author content=Acme>".into(), "Acme Meta"),
        ("<h1>A</h1><p>By Jane Doe</p>".into(), "Jane Doe Text"),
        ("<h1>A</h1><aside><p class=author>Jane Doe</p></aside>".into(), ""),
        ("<p itemprop=author><img><span itemprop=name>Jane Doe</span> 3 posts</p>".into(), "Jane Doe Microdata"),
    ];
    for (html, expected) in cases {
        let found: Vec<String> = read(&html).authors.iter().map(|one| shown(Some(one))).collect();
        assert_eq!(found.join(", "), expected, "{html}");
    }
}

#[test]
fn an_author_may_be_described_elsewhere() {
    let html = r#"<script type="application/ld+json">{"@graph":[{"@type":"Article","author":{"@id":"/#jane"}},
        {"@type":"Person","@id":"/#jane","name":"Jane Doe"}]}</script>"#;
    assert_eq!(shown(read(html).authors.first()), "Jane Doe JsonLd");
}

#[test]
fn the_owner_has_the_copyright() {
    for (html, expected) in [
        ("<meta name=copyright content='© 2024 Acme'>", "Acme Meta"),
        (
            "<p>text</p><footer><p>Copyright &copy; 2024 Acme Media. All rights reserved.</p></footer>",
            "Acme Media Text",
        ),
        ("<div class=copyright>© Acme Media</div>", "Acme Media Markup"),
        ("<p>nothing</p>", ""),
    ] {
        assert_eq!(shown(read(html).owner.as_ref()), expected, "{html}");
    }
}

#[test]
fn the_language_is_told_or_found_out() {
    let german =
        "<p>Dies ist ein längerer Satz in deutscher Sprache, an dem man sie gut erkennen kann.</p>"
            .repeat(3);
    for (html, expected) in [
        ("<html lang=de-ch><meta property=og:locale content=en_US>", "de-CH Html"),
        ("<html lang=''><meta property=og:locale content=en_US>", "en-US OpenGraph"),
        (&german, "de Detected"),
        ("<p>x</p>", ""),
    ] {
        assert_eq!(shown(read(html).lang.as_ref()), expected, "{html}");
    }
}

#[test]
fn videos_are_whole_urls_and_none_is_told_twice() {
    let html = "<base href=/v/><video src=a.mp4><source src=b.mp4></video><picture><source src=c.jpg></picture>\
        <iframe src=//www.youtube.com/embed/x></iframe><iframe src=//ads.example/></iframe>\
        <meta property=og:video content=https://a.example/b.mp4><meta property=og:video:width content=100>\
        <script type=application/ld+json>{\"x\":{\"@type\":\"VideoObject\",\"contentUrl\":\"https://a.example/b.mp4\"}}</script>";
    let found = read_at(html, "http://a.example/p").videos;
    let urls: Vec<&str> = found.iter().map(|video| video.value.as_str()).collect();
    assert_eq!(
        urls,
        [
            "http://a.example/v/a.mp4",
            "http://a.example/v/b.mp4",
            "http://www.youtube.com/embed/x",
            "https://a.example/b.mp4"
        ]
    );
}

#[test]
fn products_have_a_name_a_price_and_a_currency() {
    let linked = r#"<script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":[{"@type":"Offer",
        "price":19.5,"priceCurrency":"EUR","availability":"http://schema.org/InStock"}]}</script>"#;
    let micro = "<div itemscope itemtype=http://schema.org/Product><b itemprop=name>Lamp</b><i itemprop=offers>\
        <meta itemprop=priceCurrency content=EUR><span itemprop=price>19,50 €</span>\
        <link itemprop=availability href=http://schema.org/InStock></i></div>";
    let meta = "<meta property=og:title content=Lamp><meta property=product:price:amount content=19.50>\
        <meta property=product:price:currency content=EUR><meta property=product:availability content=InStock>";
    for (html, source, price) in [
        (linked, Source::JsonLd, "19.5"),
        (micro, Source::Microdata, "19.50"),
        (meta, Source::OpenGraph, "19.50"),
    ] {
        let found = read(html).product.unwrap();
        assert_eq!(found.source, source, "{html}");
        let expected = Product {
            name: Some("Lamp".into()),
            price: Some(price.into()),
            currency: Some("EUR".into()),
            availability: Some("InStock".into()),
        };
        assert_eq!(found.value, expected, "{html}");
    }
    assert_eq!(read("<p>5 EUR</p>").product, None);
}
