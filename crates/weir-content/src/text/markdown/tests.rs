use url::Url;
use weir_parse::tree::Builder;

use super::super::main_text;

const LONG: &str =
    "The council met on Tuesday, and after a long debate it decided to mend the old bridge.";
const MORE: &str =
    "Work begins in spring, said the mayor, and will take two years if the river stays calm.";

fn markdown(html: &str) -> String {
    let page = Url::parse("http://a.example/news/").unwrap();
    main_text(&Builder::new().build(html)).markdown(&page)
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
        "## Why & how\n\n{LONG} **Bold** and *soft*, [the plan](http://a.example/p?a=1&b=%282%29) and `a_b*c`, and a\\_b\\*c.\n\n\
         - One\n- Two\n    1. Three\n    2. Four\n\n> {MORE}\n\n```\nif a:\n    b()\n```\n\n\
         | Year | Cost |\n| --- | --- |\n| 2020 | 1\\|2 |\n\n{LONG}  \n\\# no heading"
    );
    assert_eq!(markdown(&html), expected);
}

#[test]
fn markdown_and_plain_text_are_of_the_same_selection() {
    let html = format!("<body><nav>x</nav><p>{LONG}</p><p>{MORE}</p><footer>y</footer>");
    let plain = main_text(&Builder::new().build(&html)).plain();
    assert_eq!(markdown(&html), plain.replace('\n', "\n\n"));
}

/// What a part of an article is written as.
fn check(part: &str, expected: &str) {
    let text = markdown(&format!("<body><article><p>{LONG}</p>{part}<p>{MORE}</p></article>"));
    let rest = text.strip_prefix(LONG).and_then(|rest| rest.strip_suffix(MORE));
    assert_eq!(rest.map(str::trim), Some(expected), "{part}: {text}");
}

#[test]
fn lists_are_indented_below_what_they_stand_in() {
    check("<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>", "- a\n    - b\n        - c\n- d");
    check("<ol><li>a<li>b</ol>", "1. a\n2. b");
    check("<ul><li><p>a</p><p>b</p></ul>", "- a\n\n    b");
    // Deeper than anything before, it would be code.
    check("<ul><li><ul><li><ul><li>a</ul></ul></ul>", "- a");
}

#[test]
fn a_quote_of_several_paragraphs_is_one() {
    check("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b");
    check("<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b");
    check("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b");
}

#[test]
fn a_cell_stays_in_its_column() {
    let rule = "| --- | --- | --- |";
    check(
        "<table><tr><th>a<th>b<th>c<tr><td>1<td><td>3<tr><td><td>2</table>",
        &format!("| a | b | c |\n{rule}\n| 1 |  | 3 |\n|  | 2 |"),
    );
    check("<table><tr><td>a<td>b</table>", "| a | b |\n| --- | --- |");
    check("<table><tr><td>a</table><table><tr><td>b</table>", "| a |\n| --- |\n\n| b |\n| --- |");
}

#[test]
fn code_is_written_as_it_stands() {
    check("<p>Use <code>a &lt; b_c</code> here.</p>", "Use `a < b_c` here.");
    check("<p>Use <code>a`b</code> here.</p>", "Use a\\`b here.");
    check("<pre><code>a\n  b\n```\nc</code></pre>", "````\na\n  b\n```\nc\n````");
    check("<pre><div>a</div><div>  b</div></pre>", "```\na\n  b\n```");
}

#[test]
fn links_lead_somewhere() {
    check("<p>See <a href=x>it</a> now.</p>", "See [it](http://a.example/news/x) now.");
    check(
        "<p>See <a href='//b.example/a b'>it</a> now.</p>",
        "See [it](http://b.example/a%20b) now.",
    );
    for nowhere in ["#top", "", "javascript:go()", "http://[", "data:text/html,x"] {
        check(&format!("<p>See <a href='{nowhere}'>it</a> now.</p>"), "See it now.");
    }
    check("<p>Oh!<a href=x>it</a> is here.</p>", "Oh\\![it](http://a.example/news/x) is here.");
    let base = "<head><base href=/other/></head>";
    let text = markdown(&format!("{base}<body><p>{LONG} <a href=x>it</a></p><p>{MORE}</p>"));
    assert!(text.contains("[it](http://a.example/other/x)"), "{text}");
}

#[test]
fn text_means_nothing_in_markdown() {
    check("<p>1. is no item</p>", "1\\. is no item");
    check("<p># is no heading</p>", "\\# is no heading");
    check("<p>Write &amp;lt; for it.</p>", "Write \\&lt; for it.");
    check("<p>hy&shy;phen</p>", "hyphen");
}
