use crate::attributes::tests::{read, read_at, shown};

fn check(html: &str, expected: &str) {
    assert_eq!(shown(read(html).title.as_ref()), expected, "{html}");
}

#[test]
fn a_line_above_the_title_is_no_part_of_it() {
    let story = "<meta property=og:title content='A long story'>";
    for (heading, expected) in [
        ("<h1><span>Opinion</span> <span>A long story</span></h1>", "A long story Heading"),
        ("<h1><b><i>Local: </i>A long story</b></h1>", "A long story Heading"),
        ("<h1>A long story<br><small>5 May 2020, News</small></h1>", "A long story Heading"),
        ("<h1>A <b>long</b> story</h1>", "A long story Heading"),
        // Nothing says where the title begins here.
        ("<h1>Opinion: A long story</h1>", "Opinion: A long story Heading"),
    ] {
        check(&format!("{story}{heading}"), expected);
    }
    check(
        "<title>Life: A story</title><h1><i class=article-kicker>Life</i> A story</h1>",
        "A story Heading",
    );
    check("<h1><i class=kicker>A story</i></h1>", "A story Heading");
}

#[test]
fn readings_of_letters_are_no_part_of_a_title() {
    check("<h1><ruby>体罰<rp>(</rp><rt>たいばつ</rt></ruby>の法律</h1>", "体罰の法律 Heading");
}

#[test]
fn a_heading_that_leads_home_is_the_name_of_the_site() {
    let html = "<title>A story - Acme and Sons</title><h1><a href=/>Acme and Sons</a></h1><h2>A story</h2>";
    check(html, "A story Title");
    let linked = "<title>A story</title><h1><a href=/a>A story</a></h1>";
    check(linked, "A story Heading");
    let home = read_at("<h1><a href=/>Welcome</a></h1>", "http://news.example.org/");
    assert_eq!(shown(home.title.as_ref()), "Welcome Heading");
}

#[test]
fn the_best_source_names_a_page_without_a_heading() {
    let linked =
        r#"<script type=application/ld+json>{"@type":"Article","headline":"Linked"}</script>"#;
    let all = format!(
        "<title>Told</title><meta name=twitter:title content=Tweeted>{linked}\
         <meta property=og:title content=Graph>"
    );
    check(&all, "Graph OpenGraph");
    check(&format!("<title>Told</title>{linked}"), "Linked JsonLd");
    check("<title>Told</title><meta name=twitter:title content=Tweeted>", "Tweeted Twitter");
    check("<meta name=title content=Named>", "Named Meta");
    check("<title>Told</title><h1>One</h1><h1>Two</h1>", "Told Title");
}
