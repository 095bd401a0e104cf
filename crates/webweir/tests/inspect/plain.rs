//! Single questions, answered for people.

use serde_json::json;

use crate::support::inspect;

#[test]
fn a_url_is_told_in_its_canonical_form_or_with_the_reason_why_not() {
    let said =
        inspect(&["url", "HTTP://Example.com:80/a/../b#c", "mailto:a@b", "nothing"]).says("");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], "http://example.com/b");
    assert!(lines[1].starts_with("invalid: ") && lines[1].contains("mailto"), "{}", lines[1]);
    assert!(lines[2].starts_with("invalid: ") && lines[2].contains("nothing"), "{}", lines[2]);
}

#[test]
fn a_relative_url_is_resolved_against_the_base() {
    let said = inspect(&["url", "--base", "https://a.test/x/y", "../z", "?q"]).says("");
    assert_eq!(said, "https://a.test/z\nhttps://a.test/x/y?q\n");
}

const ROBOTS: &str = "Sitemap: https://a.test/1.xml\nUser-agent: *\nDisallow: /private\n\
                      Crawl-delay: 2.5\nUser-agent: other\nDisallow: /\nCrawl-delay: 7\n\
                      Sitemap: /2.xml\n";

#[test]
fn a_robots_txt_is_told_for_each_url_then_delay_and_sitemaps() {
    let sitemaps = "sitemap https://a.test/1.xml\nsitemap /2.xml\n";
    let urls = ["https://a.test/private/x?y", "https://a.test/", "/private"];
    let ask = |words: &[&str]| {
        let words: Vec<&str> = ["robots"].iter().chain(words).chain(&urls).copied().collect();
        inspect(&words).with("r.txt", ROBOTS.as_bytes()).says(ROBOTS)
    };
    let [first, second, third] = urls;
    let expected =
        format!("disallow {first}\nallow {second}\ndisallow {third}\ndelay 2.5\n{sitemaps}");
    assert_eq!(ask(&["r.txt"]), expected, "asked for weir");
    assert_eq!(ask(&["-"]), expected, "from standard input");
    let expected =
        format!("disallow {first}\ndisallow {second}\ndisallow {third}\ndelay 7\n{sitemaps}");
    assert_eq!(ask(&["--agent", "other", "r.txt"]), expected);
    let nothing = format!("allow {first}\nallow {second}\nallow {third}\n");
    assert_eq!(ask(&["--status", "404", "r.txt"]), nothing);
    assert_eq!(ask(&["--status", "503", "r.txt"]), nothing.replace("allow", "disallow"));
}

#[test]
fn a_sitemap_is_told_as_json() {
    let xml = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
               <url><loc>https://a.test/x</loc></url></urlset>";
    let answer = inspect(&["sitemap", "s.xml"]).with("s.xml", xml.as_bytes()).json();
    let entry = json!({"loc": "https://a.test/x", "lastmod": null, "changefreq": null,
                       "priority": null});
    let expected = json!({"kind": "xml", "urls": [entry], "sitemaps": [], "problems": []});
    assert_eq!(answer, expected);
}

#[test]
fn a_page_is_told_as_json() {
    let html = "<html lang=de><title> A  page </title>\
                <meta name=Robots content='NoIndex, noindex'><meta name=WEIR content=nofollow>\
                <meta name=otherbot content=none>\
                <link rel=canonical href=/c><link rel=next href=n><img src=i.png>\
                <a href=b>1</a><a href=a#x>2</a><a href=b#y>3</a><a href=mailto:x>4</a>\
                <iframe src=f></iframe><area href='?q'><meta http-equiv=refresh content='1;url=r'>";
    let words = [
        "page",
        "p.html",
        "--url",
        "https://a.test/x/",
        "--content-type",
        "text/html; charset=iso-8859-15",
    ];
    let expected = json!({
        "url": "https://a.test/x/", "charset": "ISO-8859-15", "title": "A page",
        "published": null, "author": null, "copyright": null, "lang": "de", "text": "1234",
        "videos": [],
        "links": ["https://a.test/x/b", "https://a.test/x/a", "https://a.test/x/?q"],
        "frames": ["https://a.test/x/f"], "refresh": ["https://a.test/x/r"],
        "canonical": "https://a.test/c", "robots": ["noindex", "nofollow"], "fields": {},
        "modified": null, "product": {}, "sources": { "lang": "html", "title": "title" },
    });
    assert_eq!(inspect(&words).with("p.html", html.as_bytes()).json(), expected);
}

#[test]
fn every_question_has_a_help_text_with_examples() {
    for what in ["url", "robots", "sitemap", "page"] {
        let said = inspect(&[what, "--help"]).says("");
        assert!(said.contains("Examples:") && said.contains("--jsonl"), "{said}");
    }
    assert!(inspect(&["--help"]).says("").contains("one JSON answer"));
}
