use proptest::prelude::*;
use weir_fetch::robots::Robots;
use weir_fuzz::{Fuzz, peak_of};

const FILE: &str = "\u{feff}# a comment\nSitemap: https://a.test/sitemap.xml\r\nUser-agent: weir/1.0\n\
    User-agent: other\nDisallow: /private/*.html$\nAllow: /private/index.html\nCrawl-delay: 2.5\n\n\
    User-agent: *\nDisallow: /%7Ejoe/\u{e9}*a*b*c\nDisallow:\nAllow: /$\nNoindex: /x\nDisallow /no-colon\n";

const WORDS: &[&str] = &[
    "User-agent:",
    "user agent",
    "Disallow:",
    "Allow:",
    "Crawl-delay:",
    "Sitemap:",
    "weir",
    "*",
    "$",
    "%2F",
    "%",
    "\u{feff}",
    "\r",
    "\n",
    "/*a*a*a*a*a*a*a*b",
    "index.html",
];

#[test]
fn any_robots_txt_is_read_within_bounds() {
    let mut seeds = vec![FILE.as_bytes().to_vec(), b"user-agent: *\ndisallow: /\n".to_vec()];
    seeds.push(FILE.replace('\n', "\r").into_bytes());
    let paths =
        ["/", "/private/index.html", "/%7ejoe/%C3%A9xaybzc?q=$*", "/a%", "", "%%%", "no/slash"];
    let long = format!("/{}", "a".repeat(3000));
    Fuzz::new("robots", 10_000).words(WORDS).run(&seeds, |file, random| {
        let agent = ["weir", "weir/9 (x)", "*", "", "\u{e9}"][random.usize(..5)];
        let (robots, peak) = peak_of(|| Robots::parse(file, agent));
        assert!(peak <= 64 * file.len() + 4096, "{peak} bytes for a file of {}", file.len());
        for path in paths.iter().copied().chain([&*long]) {
            robots.allows(path);
        }
        assert!(robots.allows("/robots.txt"));
        let sitemaps: usize = robots.sitemaps().map(str::len).sum();
        assert!(sitemaps <= 3 * file.len());
        assert_eq!(robots, Robots::parse(file, agent));
        let status = random.u16(..);
        Robots::for_status(status, file, agent).allows("/");
    });
}

/// What a rule means, said as simply as can be: `*` tries every length.
fn matches(rule: &[u8], path: &[u8]) -> bool {
    match rule {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|skip| matches(rest, &path[skip..])),
        [first, rest @ ..] => path.first() == Some(first) && matches(rest, &path[1..]),
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_rule_matches_what_its_simplest_reading_matches(
        rule in "/[ab/*]{0,8}[$]?",
        path in "/[ab/]{0,10}",
    ) {
        let robots = Robots::parse(format!("user-agent: *\ndisallow: {rule}").as_bytes(), "weir");
        prop_assert_eq!(robots.allows(&path), !matches(rule.as_bytes(), path.as_bytes()));
    }

    #[test]
    fn of_the_rules_that_match_the_longest_decides_and_allow_a_tie(
        rules in prop::collection::vec(("/[ab*]{0,4}[$]?", any::<bool>()), 0..8),
        path in "/[ab]{0,6}",
    ) {
        let mut file = "user-agent: *\n".to_owned();
        for (rule, allow) in &rules {
            file += &format!("{}: {rule}\n", if *allow { "allow" } else { "disallow" });
        }
        let matching = rules.iter().filter(|(rule, _)| matches(rule.as_bytes(), path.as_bytes()));
        let decisive = matching.map(|(rule, allow)| (rule.len(), *allow)).max();
        let robots = Robots::parse(file.as_bytes(), "weir");
        prop_assert_eq!(robots.allows(&path), decisive.is_none_or(|(_, allow)| allow));
    }
}
