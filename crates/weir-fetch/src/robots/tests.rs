use super::*;

/// What `robots` says to `agent` about each path.
fn check(robots: &str, agent: &str, cases: &[(&str, bool)]) {
    let parsed = Robots::parse(robots.as_bytes(), agent);
    for (path, allowed) in cases {
        assert_eq!(parsed.allows(path), *allowed, "{path} in {robots:?}");
    }
}

#[test]
fn the_longest_rule_decides_and_allow_wins_a_tie() {
    check(
        "user-agent: *\ndisallow: /a\nallow: /a/b\ndisallow: /a/b/c\nallow: /x\ndisallow: /x",
        "weir",
        &[("/a", false), ("/a/b", true), ("/a/b/c/d", false), ("/x", true), ("/", true)],
    );
}

#[test]
fn our_own_groups_are_joined_and_replace_those_for_everyone() {
    let robots = "User-agent: weir\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\n\
                  user-agent: other\nUSER-AGENT: Weir/2.0\nDisallow: /b\n";
    check(robots, "weir", &[("/a", false), ("/b", false), ("/c", true)]);
    check(robots, "weir/1.0 (+http://x.test/)", &[("/a", false), ("/c", true)]);
    check(robots, "weirdo", &[("/c", false)]);
    check(robots, "other", &[("/a", true), ("/b", false)]);
}

#[test]
fn wildcards_and_ends_are_understood() {
    let robots = "user-agent: *\ndisallow: /*.gif$\ndisallow: /p*q*r\ndisallow: /end$\n\
                  disallow: /a$b\ndisallow: */deep\n";
    check(
        robots,
        "weir",
        &[
            ("/x.gif", false),
            ("/x.gif?y", true),
            ("/p/q/r/s", false),
            ("/p/r/q", true),
            ("/end", false),
            ("/ends", true),
            ("/a$b", false),
            ("/ab", true),
            ("/x/y/deep/z", false),
        ],
    );
}

#[test]
fn percent_encoding_makes_no_difference() {
    let robots = "user-agent: *\ndisallow: /\u{e9}\ndisallow: /%7Ejoe\ndisallow: /a%2fb\n\
                  disallow: /star%2a\ndisallow: /100%\n";
    check(
        robots,
        "weir",
        &[
            ("/%C3%A9", false),
            ("/%c3%a9x", false),
            ("/~joe/", false),
            ("/%7ejoe/", false),
            ("/a%2Fb", false),
            ("/a/b", true),
            ("/star*", false),
            ("/starry", true),
            ("/100%", false),
        ],
    );
}

#[test]
fn line_ends_marks_comments_and_slips_are_forgiven() {
    check(
        "\u{feff}User-Agent : * # all\rDissallow /a # x\r\nDisalow:/b\n\nDisallow:\nnonsense\n",
        "weir",
        &[("/a", false), ("/b", false), ("/c", true)],
    );
    check("disallow: /\n", "weir", &[("/", true)]);
    check("user-agent: *\ndisallow: /\n", "weir", &[("/", false), ("/robots.txt", true)]);
    check("", "weir", &[("/", true)]);
}

#[test]
fn delay_and_sitemaps_are_read() {
    let robots = b"Sitemap: http://a.test/1.xml\nuser-agent: *\ncrawl-delay: 2.5\n\
                   user-agent: slow\ndisallow:\ncrawl-delay: 10\nsitemap: /2.xml\nsitemap:\n";
    let everyone = Robots::parse(robots, "weir");
    assert_eq!(everyone.crawl_delay(), Some(Duration::from_millis(2500)));
    let sitemaps: Vec<&str> = everyone.sitemaps().collect();
    assert_eq!(sitemaps, ["http://a.test/1.xml", "/2.xml"]);
    let none = None;
    let many = Some(Duration::MAX);
    for (odd, expected) in [
        ("-1", none),
        ("soon", none),
        ("NaN", none),
        ("inf", none),
        ("", none),
        ("1e300", many),
        ("99999999999999999999999999", many),
    ] {
        let robots = format!("user-agent: *\ncrawl-delay: {odd}\ndisallow: /a\n");
        assert_eq!(Robots::parse(robots.as_bytes(), "weir").crawl_delay(), expected, "{odd}");
    }
}

#[test]
fn the_status_decides_where_there_is_no_file() {
    let body = b"user-agent: *\ndisallow: /a";
    for (status, a, b) in [
        (200, false, true),
        (204, false, true),
        (404, true, true),
        (429, true, true),
        (301, true, true),
        (503, false, false),
    ] {
        let robots = Robots::for_status(status, body, "weir");
        assert_eq!((robots.allows("/a"), robots.allows("/b")), (a, b), "{status}");
    }
}

#[test]
fn hostile_files_are_bounded() {
    let many = "user-agent: *\n".to_owned() + &"disallow: /*a*a*a*a*a*a*a*b\n".repeat(100_000);
    let robots = Robots::parse(many.as_bytes(), "weir");
    assert!(robots.rules.len() <= 2, "equal rules are kept once; the last may be cut");
    assert!(robots.allows(&format!("/{}", "a".repeat(50_000))));
    for bytes in [&b"\0\xff\xfe:::"[..], b"%", b"user-agent: *\ndisallow: %\ndisallow: /%e"] {
        Robots::parse(bytes, "").allows("/%");
    }
}
