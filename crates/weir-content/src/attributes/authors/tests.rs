use crate::attributes::tests::{read, shown};

fn check(html: &str, expected: &str) {
    let found: Vec<String> = read(html).authors.iter().map(|one| shown(Some(one))).collect();
    assert_eq!(found.join(", "), expected, "{html}");
}

fn linked(author: &str) -> String {
    let script = "<script type=application/ld+json>";
    format!("{script}{{\"@type\":\"Article\",\"author\":{author}}}</script>")
}

#[test]
fn the_site_is_no_author_beside_others() {
    let site = "<meta property=og:site_name content='Acme &amp; Sons'>";
    let byline = "<p class=byline>By Jane Doe</p>";
    let own = linked(r#""Acme & Sons""#);
    check(&format!("{site}{own}{byline}"), "Jane Doe Markup");
    check(&format!("{site}{own}"), "Acme & Sons JsonLd");
    let place = "<meta name=author content='Acme &amp; Sons, Springfield, Shelbyville'>";
    check(&format!("<meta property=og:site_name content=Acme>{place}{byline}"), "Jane Doe Markup");
    let both = "<meta name=author content='Acme, Jane Doe'>";
    check(&format!("<meta property=og:site_name content=Acme>{both}"), "Jane Doe Meta");
}

#[test]
fn whom_somebody_works_for_is_not_the_author() {
    let both =
        r#"[{"@type":"Person","name":"Jane Doe"},{"@type":"NewsMediaOrganization","name":"Roe"}]"#;
    check(&linked(both), "Jane Doe JsonLd");
    check(&linked(r#"["Jane Doe", "Reuters"]"#), "Jane Doe JsonLd");
}

#[test]
fn a_handle_is_the_last_resort() {
    let handle = "<meta property=article:author content=jane.doe.1234>";
    check(&format!("{handle}<p class=author>Jane Doe</p>"), "Jane Doe Markup");
    check(handle, "jane.doe.1234 OpenGraph");
}

#[test]
fn names_may_be_told_in_parts_and_labels() {
    check(&linked(r#"{"givenName":"Jane","familyName":"Doe"}"#), "Jane Doe JsonLd");
    let label = "<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Jane Doe'>";
    check(label, "Jane Doe Twitter");
    let time = "<meta name=twitter:label1 content='Reading time'><meta name=twitter:data1 content='Two Minutes'>";
    check(time, "");
}

#[test]
fn authors_that_follow_each_other_are_all_told() {
    check(
        "<h1>A</h1><a class=author>Jane Doe</a>, <a class=author>John Roe</a>",
        "Jane Doe Markup, John Roe Markup",
    );
    check(
        "<h1>A</h1><p class=byline><a href=/author/jane>Jane Doe</a> <b>Senior wizard of words</b></p>",
        "Jane Doe Markup",
    );
}

#[test]
fn a_line_that_begins_with_by_may_still_be_none() {
    check("<h1>A</h1><p>By the way, this is new</p>", "");
    check("<h1>A</h1><p>Von: <b>Jane Doe</b></p>", "Jane Doe Text");
}
