use weir_parse::tree::Builder;

use super::main_text;

const LONG: &str =
    "The council met on Tuesday, and after a long debate it decided to mend the old bridge.";
const MORE: &str =
    "Work begins in spring, said the mayor, and will take two years if the river stays calm.";
const LAST: &str =
    "Until then, only those who walk may use it, and carts must go round by the upper ford.";

fn plain(html: &str) -> String {
    main_text(&Builder::new().build(html)).plain()
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
         <article><h1>Bridge</h1><p>{LONG}</p><p>{LAST}</p><h2>When</h2><p>{MORE}</p></article>\
         <aside><p>{MORE} {MORE}</p></aside>\
         <footer><p>All rights reserved, and then some more words, too.</p></footer><script>x()</script>"
    );
    assert_eq!(plain(&html), format!("{LONG}\n{LAST}\nWhen\n{MORE}"));
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
        "<p>ADVERTISEMENT</p>",
        "<div>- Werbung -</div>",
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
        ("<p>hy&shy;phen\u{ad}ated zero\u{200b}width</p>", "hyphenated zerowidth"),
        (
            "<ul><li>A <a href=x>thing with a link</a> in it<li>And one that has none</ul>",
            "- A thing with a link in it\n- And one that has none",
        ),
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
fn cards_of_other_articles_are_left_out() {
    let card = "<div class=c><div><a href=1>Another story to read</a></div>\
        <div>What it is about, in a few words, so that one goes there.</div></div>";
    assert_eq!(read_beside(&format!("<div>{}</div>", card.repeat(4))), "");
    // Two are no list.
    assert_ne!(read_beside(&format!("<div>{}</div>", card.repeat(2))), "");
}

#[test]
fn an_article_about_its_links_keeps_them() {
    let item = "<li><a href=1>Something that costs less than it did yesterday</a>";
    let paragraphs = format!("<p>{LONG}</p><p>{MORE}</p>").repeat(4);
    let list = format!("<ul>{}</ul>", item.repeat(30));
    let text =
        plain(&format!("<body><div class=article-body>{paragraphs}{list}<p>{MORE}</p></div>"));
    assert_eq!(text.matches("- Something that costs less").count(), 30, "{text}");
    // Elsewhere they are what else there is to read.
    let text = plain(&format!("<body><div>{paragraphs}{list}<p>{MORE}</p></div>"));
    assert_eq!(text.matches("- Something that costs less").count(), 0, "{text}");
}

#[test]
fn a_gallery_is_read_though_one_part_of_it_is_shown_at_a_time() {
    let part = |text: &str| format!("<div style='display:none'><p>{text}</p></div>");
    let html = format!(
        "<body><main><p>{LONG}</p>{}{}{}{}</main>",
        part(MORE),
        part("The third picture shows the bridge as it was, a hundred years ago, in the snow."),
        part("The fourth picture shows the bridge as it will be, wide and white, with trees."),
        part("The fifth picture shows those who built it, in their best clothes, on a Sunday."),
    );
    let text = plain(&html);
    for word in ["council", "spring", "third", "fourth", "fifth"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_hidden_copy_of_the_article_is_left_out() {
    let article = format!("<h1>Bridge</h1><p>{LONG}</p><p>{MORE}</p><p>{LAST}</p>");
    let copy = "<div style='display: none'><div itemprop=articleBody>".to_owned() + &article;
    let html = format!("<body><div class=post-content>{article}</div>{copy}</div></div>");
    assert_eq!(plain(&html), format!("{LONG}\n{MORE}\n{LAST}"));
}

#[test]
fn comments_that_are_the_article_are_read_also_the_short_ones() {
    let comment = |text: &str| format!("<div class=comment>{text}</div>");
    let html = format!(
        "<body><div class=comments>{}{}{}{}<div class=comment-links><a href=1>older ones</a></div></div>",
        comment(LONG),
        comment("The kick leads to nothing"),
        comment(MORE),
        comment(LAST),
    );
    assert_eq!(plain(&html), format!("{LONG}\nThe kick leads to nothing\n{MORE}\n{LAST}"));
}

#[test]
fn the_title_is_no_text_but_headings_of_its_rank_are() {
    let html = format!(
        "<body><article><h1>Bridge</h1><p>{LONG}</p><h1>Second part</h1><p>{MORE}</p></article>"
    );
    assert_eq!(plain(&html), format!("{LONG}\nSecond part\n{MORE}"));
}

#[test]
fn a_last_line_that_announces_something_is_left_out() {
    for (last, expected) in [
        ("<p>More on this:</p>", ""),
        ("<h3>Elsewhere</h3><p>More on this:</p>", ""),
        ("<p>The end</p>", "\nThe end"),
    ] {
        let text = plain(&format!("<body><article><p>{LONG}</p><p>{MORE}</p>{last}</article>"));
        assert_eq!(text, format!("{LONG}\n{MORE}{expected}"), "{last}");
    }
}

#[test]
fn a_lead_that_the_article_says_again_is_read_once() {
    let article = format!("<div class=article-body><p>{LONG}</p><p>{MORE}</p></div>");
    let text = plain(&format!("<body><h1>Bridge</h1><p class=dek>{LONG}</p>{article}"));
    assert_eq!(text, format!("{LONG}\n{MORE}"));
    let summary =
        "<ul><li>The old bridge will be mended at last, in the spring of the next year.</ul>";
    let text = plain(&format!("<body><header><h1>Bridge</h1>{summary}</header>{article}"));
    assert_eq!(text, format!("{LONG}\n{MORE}"));
}

#[test]
fn sentences_are_known_in_other_scripts() {
    let japanese = "\u{6a4b}\u{306f}\u{53e4}\u{3044}\u{3002}".repeat(5);
    let persian =
        "\u{67e}\u{644} \u{642}\u{62f}\u{6cc}\u{645}\u{6cc} \u{627}\u{633}\u{62a}\u{60c} "
            .repeat(4);
    for text in [japanese.trim(), persian.trim()] {
        let html = format!("<body><div><p>Menu</p></div><div><p>{text}</p></div><p>Imprint</p>");
        assert_eq!(plain(&html), text);
    }
}
