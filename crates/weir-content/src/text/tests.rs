use weir_parse::tree::Builder;

use super::main_text;

const LONG: &str =
    "The council met on Tuesday, and after a long debate it decided to mend the old bridge.";
const MORE: &str =
    "Work begins in spring, said the mayor, and will take two years if the river stays calm.";

fn plain(html: &str) -> String {
    main_text(&Builder::new().build(html)).plain()
}

fn markdown(html: &str) -> String {
    main_text(&Builder::new().build(html)).markdown()
}

/// A page whose article is followed by `beside`, and what is read besides the article.
fn read_beside(beside: &str) -> String {
    let html = format!(
        "<body><div><div class=x><p>{LONG}</p><p>{MORE}</p>{beside}<p>{LONG}</p></div></div>"
    );
    let text = plain(&html);
    for line in [LONG, MORE] {
        assert!(text.contains(line), "{beside}: {text}");
    }
    text.replace(LONG, "").replace(MORE, "").trim().to_owned()
}

#[test]
fn what_stands_around_the_article_is_left_out() {
    let html = format!(
        "<html><head><title>Bridge</title><style>p{{}}</style></head><body>\
         <nav><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul></nav>\
         <article><h1>Bridge</h1><p>{LONG}</p><p>{LONG}</p><h2>When</h2><p>{MORE}</p></article>\
         <aside><p>{MORE} {MORE}</p></aside>\
         <footer><p>All rights reserved, and then some more words, too.</p></footer><script>x()</script>"
    );
    assert_eq!(plain(&html), format!("{LONG}\n{LONG}\nWhen\n{MORE}"));
}

#[test]
fn what_says_that_it_is_something_else_is_left_out() {
    for beside in [
        "<div class=related-posts><p>Other things were said elsewhere, by others, at length.</p></div>",
        "<div class='relatedPosts'><p>Other things were said elsewhere, by others, at length.</p></div>",
        "<section id=comments><p>I was there, too, and saw it all with my own eyes, friends.</p></section>",
        "<div class=newsletter_signup><p>Sign up, and we will write to you each day, for free.</p></div>",
        "<div class='share-bar'>Share this on all the networks, please.</div>",
        "<div style='display: none'><p>Nobody sees this text, however long it may be, nobody.</p></div>",
        "<p hidden>Nobody sees this text, however long it may be, nobody.</p>",
        "<p aria-hidden=true>Nobody sees this text, however long it may be, nobody.</p>",
        "<aside><p>Something else, which has little to do with it, stands here.</p></aside>",
        "<form><p>Ask us whatever you like, and we will answer you, perhaps.</p></form>",
        "<ul><li><a href=1>Another story to read</a><li><a href=2>One more</a></ul>",
        "<button>Press here</button><select><option>One</select><noscript>No script</noscript>",
        "<template><p>Something that is not there yet, and may never be, at all.</p></template>",
    ] {
        assert_eq!(read_beside(beside), "", "{beside}");
    }
}

#[test]
fn what_belongs_to_the_article_is_kept() {
    for (beside, expected) in [
        ("<h2>Why</h2>", "Why"),
        ("<blockquote>It is old.</blockquote>", "It is old."),
        ("<ul><li>One<li>Two</ul>", "- One\n- Two"),
        ("<pre>let a = 1;</pre>", "let a = 1;"),
        ("<table><tr><th>Year<th>Cost<tr><td>2020<td>12</table>", "Year | Cost\n2020 | 12"),
        ("<p>See <a href=x>the plan</a> for more.</p>", "See the plan for more."),
        ("<p>one<br>two &amp;&nbsp;three</p>", "one\ntwo & three"),
        ("<div class=no-comments><p>Short.</p></div>", "Short."),
    ] {
        assert_eq!(read_beside(beside), expected, "{beside}");
    }
}

#[test]
fn an_element_that_holds_the_page_is_read_whatever_it_is_called() {
    for around in
        ["<form>", "<div class='layout has-sidebar'>", "<div class=sidebar>", "<div hidden>"]
    {
        let text = plain(&format!("<body>{around}<p>{LONG}</p><p>{MORE}</p>"));
        assert_eq!(text, format!("{LONG}\n{MORE}"), "{around}");
    }
}

#[test]
fn what_stands_between_title_and_article_is_its_lead() {
    let html = format!(
        "<body><header><h1>Bridge</h1><p>By A. Writer</p><p>The old bridge will be mended at last.</p></header>\
         <div class=article-body><p>{LONG}</p><p>{MORE}</p></div>"
    );
    assert_eq!(plain(&html), format!("The old bridge will be mended at last.\n{LONG}\n{MORE}"));
}

#[test]
fn an_article_in_several_parts_is_read_as_a_whole() {
    let part = |text: &str| format!("<div class=story-text><p>{text}</p></div>");
    let parts = part(LONG) + "<div class=ad>Buy this</div>" + &part(MORE) + &part(&LONG.repeat(9));
    let text = plain(&format!("<body><main><div>{parts}</div></main>"));
    assert_eq!(text, format!("{LONG}\n{MORE}\n{}", LONG.repeat(9)));
}

#[test]
fn pronunciation_stands_above_the_text_and_not_in_it() {
    let kanji = "<ruby>\u{6f22}\u{5b57}<rp>(</rp><rt>kanji</rt><rp>)</rp></ruby>";
    assert_eq!(read_beside(&format!("<p>{kanji}</p>")), "\u{6f22}\u{5b57}");
}

#[test]
fn a_heading_of_nothing_is_left_out() {
    let html =
        format!("<body><article><p>{LONG}</p><p>{MORE}</p><h3>Read on</h3><ul><li><a>x</a></ul>");
    assert_eq!(plain(&html), format!("{LONG}\n{MORE}"));
}

#[test]
fn a_page_without_sentences_is_read_all_the_same() {
    assert_eq!(plain("<p>Hello</p>"), "Hello");
    assert_eq!(plain(""), "");
    assert_eq!(plain("<p></p><div> </div>"), "");
}

#[test]
fn markdown_keeps_structure() {
    let html = format!(
        "<body><article><h2>Why &amp; how</h2><p>{LONG} <b>Bold </b>and <i>soft</i>, \
         <a href='/p?a=1&amp;b=(2)'>the plan</a> and <code>a_b*c</code>, and a_b*c.</p>\
         <ul><li>One<li>Two<ol><li>Three<li>Four</ol></ul>\
         <blockquote><p>{MORE}</p></blockquote><pre>if a:\n    b()</pre>\
         <table><tr><th>Year<th>Cost<tr><td>2020<td>1|2</table><p>{LONG}<br># no heading</p></article>"
    );
    let expected = format!(
        "## Why & how\n\n{LONG} **Bold** and *soft*, [the plan](/p?a=1&b=%282%29) and `a_b*c`, and a\\_b\\*c.\n\n\
         - One\n- Two\n    1. Three\n    2. Four\n\n> {MORE}\n\n```\nif a:\n    b()\n```\n\n\
         | Year | Cost |\n| --- | --- |\n| 2020 | 1\\|2 |\n\n{LONG}  \n\\# no heading"
    );
    assert_eq!(markdown(&html), expected);
}

#[test]
fn markdown_and_plain_text_are_of_the_same_selection() {
    let html = format!("<body><nav>x</nav><p>{LONG}</p><p>{MORE}</p><footer>y</footer>");
    assert_eq!(markdown(&html), plain(&html).replace('\n', "\n\n"));
}
