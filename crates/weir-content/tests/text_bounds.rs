//! Whatever a page is made of, reading it ends, in time that grows with the page and not faster.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

use url::Url;
use weir_content::text::main_text;
use weir_fuzz::{Fuzz, assert_linear};
use weir_parse::tree::Builder;

fn read(html: &str) -> (String, String) {
    let mut builder = Builder::new();
    let tree = builder.build(html);
    let text = main_text(&tree);
    (text.plain(), text.markdown(&Url::parse("http://a.example/").unwrap()))
}

const WORDS: &[&str] = &[
    "<p>",
    "</p>",
    "<div class=content>",
    "</div>",
    "<article>",
    "<ul><li>",
    "<li>",
    "<table><tr><td>",
    "<td>",
    "<tr>",
    "<blockquote>",
    "<pre>",
    "<a href=x>",
    "</a>",
    "<b>",
    "</b>",
    "<i>",
    "<code>",
    "<br>",
    "<h1>",
    "<h2>",
    "<nav>",
    "<form>",
    "<script>",
    "</script>",
    "<svg>",
    "<style>",
    "&nbsp;",
    "&amp",
    "&#0;",
    "class=comments",
    "hidden",
    "style='display:none'",
    "<base href=/a/b/>",
    "itemprop=articleBody",
    "<footer>",
    "More on this:",
    "Advertisement",
    "\u{ad}",
    "`",
    "Many words, in a sentence, which goes on and on. ",
    "\u{e4}\u{20ac}",
    "\u{5b57}\u{3002}",
];

const SEED: &str = "<html><body class=single><nav><a href=/>Home</a></nav><article class=entry-content>\
    <h1>Title</h1><p>One sentence, and <b>another <i>one</i></b> that is <a href=x>linked</a>.</p>\
    <ul><li>Item<li>Item<ol><li>In it</ol></ul><blockquote><p>Quoted, at some length, by others.</p></blockquote>\
    <pre>code()</pre><table><tr><th>a<th>b<tr><td>c<td>d</table></article><div id=comments>No.</div></body>";

#[test]
fn spoiled_pages_are_read_without_a_panic() {
    Fuzz::new("main_text", 3000).words(WORDS).run(&[SEED.as_bytes().to_vec()], |bytes, _| {
        let html = String::from_utf8_lossy(bytes);
        let (plain, markdown) = read(&html);
        // Character references and marks may take more room than what they stand for, but not much.
        assert!(plain.len() <= 4 * html.len() + 16, "{} from {}", plain.len(), html.len());
        // An address may be added to each link, and marks to each line.
        assert!(markdown.len() <= 40 * html.len() + 16, "{} from {}", markdown.len(), html.len());
    });
}

#[test]
fn reading_takes_time_in_proportion_to_the_page() {
    for unit in WORDS.iter().chain(&[
        "<div>a",
        "<p>a, b",
        "<ul><li>a",
        "<blockquote>a",
        "<table><tr><td>a",
        "<tr><td>a<td>b",
        "<b>a<i>b<a href=x>c",
        "<h2>a</h2>",
        "<div class='a-b cD comments'>",
        "<div><p>A sentence, with words, that is long enough to be taken for prose.</p></div>",
    ]) {
        let page = |length: usize| unit.repeat(length / unit.len());
        assert_linear(unit, page, |html| drop(read(html)));
    }
}

#[test]
fn a_page_that_nests_without_end_is_read() {
    let html = "<div><b>".repeat(100_000) + "<p>Deep down there is a sentence, at last.";
    assert!(read(&html).0.contains("a sentence, at last."));
}

#[test]
fn a_base_without_end_does_not_make_every_link_long() {
    let base = format!("<base href='/{}/'>", "a".repeat(50_000));
    let link = "<p>A sentence, with <a href=x>a link</a>, that is long enough to be prose.</p>";
    let (_, markdown) = read(&(base + &link.repeat(500)));
    assert!(markdown.contains("[a link](http://a.example/x)"), "{}", &markdown[..200]);
    assert!(markdown.len() < 100_000, "{}", markdown.len());
}
