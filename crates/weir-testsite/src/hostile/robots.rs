//! Hosts whose robots.txt is the trouble. Their pages are good; `/secret` is what a rule forbids,
//! where there is one.

use super::{ENDLESS_HEAD, Hostile, page};
use crate::script::{Asked, Script};

pub(super) const ALL: &[Hostile] = &[
    Hostile::ROBOTS_500,
    Hostile::ROBOTS_429,
    Hostile::ROBOTS_403,
    Hostile::ROBOTS_5_HOPS,
    Hostile::ROBOTS_6_HOPS,
    Hostile::ROBOTS_SILENT,
    Hostile::ROBOTS_ENDLESS,
    Hostile::ROBOTS_OF_1_MB,
    Hostile::ROBOTS_HTML,
    Hostile::ROBOTS_UTF16,
    Hostile::CRAWL_DELAY_3600,
    Hostile::CRAWL_DELAY_HUGE,
];

const RULE: &str = "User-agent: *\nDisallow: /secret\n";

impl Hostile {
    pub const ROBOTS_500: Hostile = with("robots-500", |_| Script::answer(500, "", "oh\n"));

    pub const ROBOTS_429: Hostile =
        with("robots-429", |_| Script::answer(429, "retry-after: 1\r\n", "not now\n"));

    pub const ROBOTS_403: Hostile = with("robots-403", |_| Script::answer(403, "", RULE));

    /// Five redirects are to be followed.
    pub const ROBOTS_5_HOPS: Hostile = Hostile::new("robots-5-hops", LINKS, |asked| hops(asked, 5));

    /// Six need not be: the file counts as not there.
    pub const ROBOTS_6_HOPS: Hostile = Hostile::new("robots-6-hops", LINKS, |asked| hops(asked, 6));

    pub const ROBOTS_SILENT: Hostile = with("robots-silent", |_| Script::default().stall());

    /// The rule stands at its start.
    pub const ROBOTS_ENDLESS: Hostile = with("robots-endless", |_| {
        Script::bytes(ENDLESS_HEAD).send(RULE.as_bytes()).forever(b"Disallow: /nowhere\n")
    });

    /// A rule for `/secret` at 490 KiB, and one for `/late` at 600 KiB: 500 must be read.
    pub const ROBOTS_OF_1_MB: Hostile = Hostile {
        links: &["/secret", "/late"],
        ..with("robots-of-1-mb", |_| {
            let filler = |kibibytes: usize| "# sixteen bytes\n".repeat(64 * kibibytes);
            let text = [
                "User-agent: *\n",
                &filler(490),
                "Disallow: /secret\n",
                &filler(110),
                "Disallow: /late\n",
                &filler(424),
            ];
            Script::answer(200, "content-type: text/plain\r\n", text.concat())
        })
    };

    /// A page where the file should be: it has no rules.
    pub const ROBOTS_HTML: Hostile = with("robots-html", |_| {
        Script::html("<!doctype html>\n<title>home</title>\n<p>Disallow: everything?\n")
    });

    /// The file in UTF-16, which is not what the standard asks for.
    pub const ROBOTS_UTF16: Hostile = with("robots-utf-16", |_| {
        let bytes: Vec<u8> = RULE.encode_utf16().flat_map(u16::to_le_bytes).collect();
        Script::answer(200, "content-type: text/plain\r\n", [b"\xff\xfe", &bytes[..]].concat())
    });

    pub const CRAWL_DELAY_3600: Hostile = with("crawl-delay-3600", |_| delay("3600"));

    pub const CRAWL_DELAY_HUGE: Hostile = with("crawl-delay-1e9", |_| delay("1000000000"));
}

const LINKS: &[&str] = &["/secret"];

const fn with(name: &'static str, robots: fn(&Asked<'_>) -> Script) -> Hostile {
    Hostile { robots: Some(robots), ..Hostile::new(name, LINKS, secret) }
}

fn secret(asked: &Asked<'_>) -> Option<Script> {
    matches!(asked.path, "/secret" | "/late").then(|| page(asked.path, &[]))
}

fn hops(asked: &Asked<'_>, count: usize) -> Option<Script> {
    if asked.path == "/robots.txt" {
        return Some(Script::redirect("/hop/1"));
    }
    let Some(hop) = asked.path.strip_prefix("/hop/") else { return secret(asked) };
    let hop: usize = hop.parse().ok()?;
    Some(match hop == count {
        true => Script::answer(200, "content-type: text/plain\r\n", RULE),
        false => Script::redirect(&format!("/hop/{}", hop + 1)),
    })
}

fn delay(seconds: &str) -> Script {
    Script::answer(200, "", format!("User-agent: *\nCrawl-delay: {seconds}\n"))
}
