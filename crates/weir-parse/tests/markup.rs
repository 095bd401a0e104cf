//! Markup as nasty as it comes: the links must be those that html5ever's tree has.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

mod support;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use support::{ours, theirs};
use url::Url;

fn check(html: &str) {
    let url = Url::parse("http://example.org/dir/page?q").unwrap();
    let (found, facts) = ours(html.as_bytes(), &url, false);
    let expected = theirs(html, &url);
    assert_eq!(found, expected.found, "links of {html:?}");
    let title = expected.title.filter(|title| title.len() <= 1024);
    assert_eq!(facts.title, title, "title of {html:?}");
}

#[test]
fn attributes_are_read_as_browsers_do() {
    for html in [
        "<a href=x>",
        "<a href='x y'>",
        "<a href=\"x\">",
        "<A HREF=x>",
        "<a\nhref\n=\n'x'>",
        "<a href=x href=y>",
        "<a HREF=x href=y>",
        "<a href>",
        "<a href=>",
        "<a href= >",
        "<a/href=x>",
        "<a /href=x/>",
        "<a href=x/>",
        "<a href=\"x\"class=y>",
        "<a href='x'href=y>",
        "<a =href=x>",
        "<a \"href=x>",
        "<a 'b\" href=x>",
        "<a b='>' href=x>",
        "<a b=\">\" href=x>",
        "<a b=>href=x>",
        "<a b= href=x>",
        "<a b=c=\"d href=x>",
        "<a b='<a href=y>' href=x>",
        "<a href=x",
        "<a href='x",
        "<a href='x' <a href=y>",
        "<a\0href=x>",
        "<script\0><a href=x>",
        "<a\0 href=x>",
        "<a hr\0ef=x>",
        "<a href=x\0y>",
        "<a href=\0>",
        "<a href=&amp;x>",
        "<a href='?a=1&b=2&copy=3&copy'>",
        "<a href=?a&amp=b&ampc&amp>",
        "<a href='&#x2F;x&#47y&#x80;&#0;&#xD800;&#99999999999;'>",
        "<a href='&notit;&notin;&not'>",
        "<a href=' \t\n x \r\n'>",
        "<a href='x\ny\tz'>",
        "<a href='java\nscript:x'>",
        "<a href='x\u{e9}y?\u{e9}#\u{e9}'>",
        "<abbr href=x>",
        "<a-b href=x>",
        "<ahref=x>",
        "<a\u{b}href=x>",
        "<a\x0Chref=x>",
        "<area href=x>",
        "<link rel='NEXT foo' href=x>",
        "<link rel=alternate href=x>",
        "<link rel='alternate stylesheet' href=x>",
        "<link rel=canonical href=x>",
        "<link href=x>",
        "<iframe src=x>",
        "<frameset><frame src=x>",
        "<meta http-equiv=Refresh content='1;url=x'>",
        "<a href=x//>",
        "<a href=\"x\"/>",
        "<a / href=x>",
        "< a href=x>",
        "<1 href=x><a href=y>",
    ] {
        check(html);
    }
}

#[test]
fn comments_and_declarations_hide_what_they_hide_in_browsers() {
    let link = "<a href=x>";
    for open in [
        "<!--",
        "<!-->",
        "<!--->",
        "<!---->",
        "<!----!>",
        "<!---!>",
        "<!--!>",
        "<!-- --!>",
        "<!-- -- >",
        "<!--x--",
        "<!--x-->",
        "<!--x--->",
        "<!-- <!-- -->",
        "<!--<!-->",
        "<!--<!--->",
        "<!--<!->",
        "<!-",
        "<!",
        "<!>",
        "<!x",
        "<!x>",
        "<?",
        "<?x>",
        "<?x?>",
        "<?x '>'",
        "</",
        "</>",
        "</ x>",
        "</ x",
        "</1>",
        "<!doctype",
        "<!doctype html '>'>",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD>\" '>",
        "<![CDATA[",
        "<![CDATA[x]]>",
        "<![CDATA[>]]>",
        "<![CDATA[<a href=y>]]>",
        "<!--\0--\0>-->",
        "<!-- -->-->",
    ] {
        for close in ["", "-->", "--!>", ">", "->", "]]>", "-- >"] {
            check(&format!("{open}{link}{close}<a href=z>"));
        }
    }
}

#[test]
fn raw_text_ends_only_at_its_own_end_tag() {
    for name in ["title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script"] {
        for end in [
            "</NAME>",
            "</NAME >",
            "</NAME/>",
            "</NAMEx>",
            "</NAME a='>'>",
            "</ NAME>",
            "</NAM",
            "</NAME",
            "<!--</NAME>-->",
            "<!-- </NAME>",
            "<NAME></NAME>",
            "</NAME\0>",
            "",
        ] {
            let end = end.replace("NAME", name);
            check(&format!("<{name}><a href=x>{end}<a href=y></{name}><a href=z>"));
            check(&format!("<p><{name}/><a href=x>{end}<a href=y>"));
        }
    }
    for html in [
        "<plaintext><a href=x></plaintext><a href=y>",
        "<noscript><a href=x></noscript><a href=y>",
        "<textarea></TEXTAREA><a href=x>",
        "<title>a</titl></title><a href=x>",
        "<style></style x=y/><a href=x>",
        "<title>&lt;a&gt; &amp;b &copy</title>",
        "<title>\n a\t b </title>",
        "<title> </title><title>b</title>",
    ] {
        check(html);
    }
}

#[test]
fn scripts_hidden_in_comments_end_where_browsers_end_them() {
    for script in [
        "<!--</script>",
        "<!--<script></script>",
        "<!--<script></script></script>",
        "<!--<script>-->",
        "<!--<script>--></script>",
        "<!-->",
        "<!--><script></script>",
        "<!---><script></script>",
        "<!--<scriptx></script>",
        "<!--<script </script>",
        "<!--<script/</script>",
        "<!--<script>--",
        "<!--<script></script>--></script>",
        "<!--<script><script></script></script>",
        "<!--<SCRIPT></ScRiPt>",
        "<!--<script></script x></script>",
        "<!--<script></scriptx></script>",
        "<!- <script></script>",
        "<!--<script>--!></script></script>",
        "<!--x--<script></script>",
        "<!--<script-->",
        "<!--</script",
        "<script></script>",
        "'</script'",
        "<!--<script",
        "<!--<script>",
        "<!--<!--<script></script>-->",
    ] {
        check(&format!("<script>{script}<a href=x></script><a href=y></script><a href=z>"));
    }
}

#[test]
fn svg_and_mathml_have_their_own_rules() {
    for html in [
        "<svg><a href=x></a></svg>",
        "<svg><style><a href=x></style></svg><a href=y>",
        "<svg><title><a href=x></title></svg>",
        "<svg><title>t</title></svg><title>u</title>",
        "<svg><script><a href=x></script></svg>",
        "<svg><![CDATA[<a href=x>]]><a href=y></svg>",
        "<svg/><style><a href=x></style>",
        "<svg></svg><style><a href=x></style>",
        "<svg><path></svg><style><a href=x></style>",
        "<svg><path><div><style><a href=x></style>",
        "<div><svg><g></div><style><a href=x></style>",
        "<svg><foreignObject><style><a href=x></style></foreignObject><style><a href=y></style></svg>",
        "<svg><foreignObject><div><style><a href=x></style></div></foreignObject></svg>",
        "<svg><foreignObject><p><![CDATA[<a href=x>]]></p></foreignObject></svg>",
        "<svg><desc><a href=x><![CDATA[<a href=y>]]></desc></svg>",
        "<svg></p><style><a href=x></style>",
        "<math><mi><style><a href=x></style></mi></math>",
        "<math><mi><mglyph><style><a href=x></style>",
        "<math><annotation-xml><style><a href=x></style>",
        "<math><annotation-xml encoding=text/html><style><a href=x></style>",
        "<math><annotation-xml><svg><style><a href=x></style>",
        "<math><mtext><svg><style><a href=x></style>",
        "<svg><font><style><a href=x></style>",
        "<svg><font color=x><style><a href=x></style>",
        "<svg><a xlink:href=x></a></svg>",
        "<svg><base href=//b/></svg><a href=x>",
        "<svg><iframe src=x></svg>",
        "<svg><textarea><a href=x></textarea></svg>",
        "<svg><template><a href=x></template></svg><a href=y>",
        "<svg><svg></svg><style><a href=x></style></svg><style><a href=y></style>",
        "<math><a href=x></math>",
        "<svg><meta http-equiv=refresh content='1;url=x'><style><a href=x></style>",
        "<svg><plaintext><a href=x>",
    ] {
        check(html);
    }
}

#[test]
fn templates_are_no_part_of_the_document() {
    for html in [
        "<template><a href=x></template><a href=y>",
        "<template><template></template><a href=x></template><a href=y>",
        "</template><a href=x>",
        "<template><a href=x>",
        "<template><base href=//b/></template><a href=x>",
        "<template><title>x</title></template><title>y</title>",
        "<template/><a href=x>",
        "<template><svg></template><a href=x><style><a href=y></style>",
        "<template><script></template></script><a href=x></template>",
    ] {
        check(html);
    }
}

#[test]
fn the_first_base_counts_for_the_whole_page() {
    for html in [
        "<base href=//b/><a href=x>",
        "<a href=x><base href=//b/>",
        "<base href=/c/><base href=/d/><a href=x>",
        "<base><base href=/d/><a href=x>",
        "<base href='http://['><base href=/d/><a href=x>",
        "<BASE HREF=e/><A HREF=x>",
        "<base href=data:x,y><a href=x>",
        "<base href=mailto:x><a href=x><a href=http://h/>",
        "<base href=''><a href=x>",
        "<a href=x><!--<base href=/c/>--><base href=/d/>",
        "<link rel=next href=x><base href=/d/><a href=y>",
        "<link rel=canonical href=x><base href=/d/>",
        "<a href=x><Base href=/d/><a href=y><base href=/e/>",
        "<a href=x><template><base href=/c/></template><base href=data:x,y><base href=/d/><a href=y>",
        "<base href='ftp://f/'><a href=x><a href=//h/>",
        "<base href=&#x2F;c/><a href=x>",
        "<a href=x><script>'<base href=/c/>'</script>",
    ] {
        check(html);
    }
}

#[test]
fn elements_in_odd_places_are_found_where_the_tree_keeps_them() {
    for html in [
        "<table><a href=x><tr><td><a href=y></table>",
        "<select><a href=x><option><a href=y></select>",
        "<table><svg><a href=x>",
        "<head><noscript><a href=x></noscript></head>",
        "</html><a href=x>",
        "</body><a href=x>",
        "<p><a href=x><a href=y></p>",
        "<colgroup><a href=x>",
        "<table><colgroup><a href=x>",
        "<button><a href=x></button>",
        "<object><a href=x></object>",
        "<table><style><a href=x></style><a href=y>",
        "<option><a href=x>",
        "<frameset><frame src=x></frameset>",
        "<frameset><frame src=x></frameset><noframes><a href=y></noframes>",
        "<table><caption><a href=x>",
        "<ruby><rt><a href=x>",
    ] {
        check(html);
    }
}

/// What only a tree can tell; the right answer for a crawler is mostly the one we give.
#[test]
fn what_we_find_otherwise_than_a_tree_does_is_known() {
    let url = Url::parse("http://example.org/").unwrap();
    for (html, we_find, tree_has) in [
        // Outside a frameset a frame is dropped, and inside one everything else.
        ("<body><frame src=x>", 1, 0),
        ("<frameset><a href=x>", 1, 0),
        ("<frameset></frameset><a href=x>", 1, 0),
        // An end tag in SVG counts only if its element is open around the SVG; we assume it is.
        ("<svg><g></div><style><a href=x></style>", 0, 1),
        // An unknown element around MathML could be closed from within.
        ("<mi><math></mi><iframe src=x>", 0, 1),
    ] {
        let found = ours(html.as_bytes(), &url, false).0.len();
        assert_eq!((found, theirs(html, &url).found.len()), (we_find, tree_has), "{html}");
    }
}

#[test]
fn foreign_soup_has_nearly_always_the_links_that_html5ever_finds() {
    let url = Url::parse("http://example.org/").unwrap();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut different = 0;
    for _ in 0..cases() {
        let html = soup(FOREIGN).new_tree(&mut runner).unwrap().current();
        different += u32::from(ours(html.as_bytes(), &url, false).0 != theirs(&html, &url).found);
    }
    eprintln!("{different} of {} foreign soups differ", cases());
    assert!(different * 50 < cases(), "{different} of {} differ", cases());
}

/// Pieces that, put together, make every odd thing the tokenizer knows.
const HTML: &[&str] = &[
    "<a href=",
    "<a href='",
    "<a href=\"",
    "<a ",
    "<a",
    "<area href=a1 ",
    "<p ",
    "<div>",
    "</div>",
    "</a>",
    ">",
    "'",
    "\"",
    "/",
    "=",
    " ",
    "\n",
    "\0",
    "<",
    "</",
    "<!",
    "<!--",
    "-->",
    "--!>",
    "--",
    "-",
    "!",
    "<?",
    "]]>",
    "&",
    "&amp;",
    "&copy",
    "&#x3c;",
    ";",
    "#",
    "?",
    "x",
    "href=y",
    "HREF",
    "src=z",
    "<script>",
    "</script>",
    "<script",
    "</script",
    "<style>",
    "</style>",
    "<textarea>",
    "</textarea>",
    "<title>",
    "</title>",
    "<xmp>",
    "</xmp>",
    "<iframe src=i>",
    "</iframe>",
    "<noscript>",
    "</noscript>",
    "<link rel=next href=n>",
    "<link rel=next ",
    "<img src=s>",
    "<br/>",
    "<meta http-equiv=refresh content='0;url=r'>",
    "<b>",
    "</b>",
    "<i class='q'>",
    "<!doctype ",
    "<li>",
    "<![CDATA[",
    "<span title=\">\">",
    "../",
    "//h/",
    "http://",
    "é",
    "\u{0}\u{7f}",
];

/// As `HTML`, within and around SVG and MathML.
const FOREIGN: &[&str] = &[
    "<svg>",
    "</svg>",
    "<math>",
    "</math>",
    "<![CDATA[",
    "]]>",
    "<g>",
    "</g>",
    "<mi>",
    "</mi>",
    "<svg/>",
    "<path d='>'/>",
    "<foreignObject>",
    "</foreignObject>",
    "<desc>",
    "</desc>",
    "<title>",
    "</title>",
    "<annotation-xml encoding=text/html>",
    "<annotation-xml>",
    "</annotation-xml>",
    "<style>",
    "</style>",
    "<script>",
    "</script>",
    "<a href=u>",
    "<a href=v/>",
    "<div>",
    "<p>",
    "<font>",
    "<font size=1>",
    "<textarea>",
    "</textarea>",
    "<!--",
    "-->",
    "<mglyph>",
    "<iframe src=w>",
    "x",
];

fn soup(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => prop::sample::select(pieces).prop_map(str::to_owned),
        2 => "[a-z]{1,3}",
        1 => "[ -~]{1,4}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..Default::default() })]

    #[test]
    fn tag_soup_has_the_links_that_html5ever_finds(html in soup(HTML)) {
        check(&html);
    }

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..200), assets: bool) {
        let url = Url::parse("http://example.org/").unwrap();
        ours(&bytes, &url, assets);
        let ask = weir_parse::Ask { body: &bytes, url: &url, content_type: None, assets };
        weir_parse::Parser::new().parse(ask, |_| {});
    }
}
