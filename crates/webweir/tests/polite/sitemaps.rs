//! Sitemaps: read where a site names them, and looked for only where that is asked for.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use weir_testsite::{Asked, Script};

use crate::site::{Site, page};

/// Pages that no page links to, each in a sitemap of another form.
const FORMS: [&str; 6] = ["urlset", "gzip", "text", "rss", "atom", "deep"];

#[test]
fn sitemaps_of_every_form_that_robots_txt_names_are_read() {
    let site = site(true);
    site.crawl(&[]);
    for form in FORMS {
        assert_eq!(site.asked(&format!("/only/{form}")), 1, "{form}: {:?}", site.paths());
    }
    assert_eq!(site.asked("/sitemap.xml"), 0, "robots.txt names others");
    let told = site.why("/maps/index.xml");
    assert!(told.contains("read:"), "a sitemap is read, not kept as a page: {told}");
}

#[test]
fn with_sitemaps_off_none_is_read() {
    let site = site(true);
    site.crawl(&["--sitemaps", "off"]);
    assert_eq!(site.paths(), ["/robots.txt", "/"]);
}

#[test]
fn a_sitemap_that_nobody_names_is_tried_only_when_asked_for() {
    let quiet = site(false);
    quiet.crawl(&[]);
    assert_eq!(quiet.paths(), ["/robots.txt", "/"]);
    let site = site(false);
    site.crawl(&["--sitemaps", "auto"]);
    assert_eq!((site.asked("/sitemap.xml"), site.asked("/only/well-known")), (1, 1));
}

#[test]
fn a_sitemap_given_on_the_command_line_is_read() {
    let site = site(false);
    site.crawl(&["--sitemap", &site.url("/maps/list.txt")]);
    assert_eq!(site.asked("/only/text"), 1, "{:?}", site.paths());
}

#[test]
fn a_sitemap_leads_neither_out_of_scope_nor_past_robots_txt() {
    let site = Site::scripted(|asked| match asked.path {
        "/robots.txt" => {
            let rules = "User-agent: *\nDisallow: /secret\n";
            let maps = "Sitemap: /map.xml\nSitemap: /secret/map.xml\n";
            Some(Script::answer(200, "", [rules, maps].concat()))
        }
        "/map.xml" => Some(xml(
            "<urlset><url><loc>http://127.0.0.1:9/</loc></url><url><loc>/secret/page</loc></url>\
             <url><loc>/only/urlset</loc></url></urlset>",
        )),
        "/secret/map.xml" => Some(xml("<urlset><url><loc>/only/secret</loc></url></urlset>")),
        _ => Some(page([])),
    });
    site.crawl(&[]);
    assert_eq!((site.asked("/only/urlset"), site.asked("/secret/page")), (1, 0));
    assert_eq!(site.asked("/secret/map.xml"), 0, "robots.txt forbids it, though it names it");
    assert_eq!(site.report()["skipped"]["scope"], 1);
}

#[test]
fn a_broken_sitemap_is_read_as_far_as_it_goes() {
    let site = Site::scripted(|asked| match asked.path {
        "/robots.txt" => {
            Some(Script::answer(200, "", "Sitemap: /cut.xml\nSitemap: /not-there.xml\n"))
        }
        "/cut.xml" => {
            let map = "<urlset><url><loc>/only/urlset</loc></url><url><loc>/only/te";
            Some(Script::answer(200, "content-type: application/xml\r\n", map))
        }
        "/" | "/only/urlset" => Some(page([])),
        _ => None,
    });
    site.crawl(&[]);
    assert_eq!(site.asked("/only/urlset"), 1, "{:?}", site.paths());
}

fn site(named: bool) -> Site {
    Site::scripted(move |asked| {
        let urls = |name: &str| format!("<urlset><url><loc>/only/{name}</loc></url></urlset>");
        match asked.path {
            "/robots.txt" if named => {
                let maps = ["/maps/index.xml", "/maps/packed.xml.gz", "/maps/list.txt"];
                let more = ["/maps/feed.rss", "/maps/feed.atom"];
                let lines = maps.iter().chain(&more).map(|map| format!("Sitemap: {map}\n"));
                Some(Script::answer(200, "", lines.collect::<String>()))
            }
            "/maps/index.xml" => {
                Some(xml("<sitemapindex><sitemap><loc>/maps/urls.xml</loc></sitemap>\
                 <sitemap><loc>/maps/deeper.xml</loc></sitemap></sitemapindex>"))
            }
            "/maps/urls.xml" => Some(xml(&urls("urlset"))),
            "/maps/deeper.xml" => Some(xml(&urls("deep"))),
            "/maps/packed.xml.gz" => {
                Some(Script::answer(200, "content-type: application/gzip\r\n", gzip(&urls("gzip"))))
            }
            "/maps/list.txt" => Some(list(asked, &["/only/text"])),
            "/maps/feed.rss" => Some(xml(
                "<rss version='2.0'><channel><item><link>/only/rss</link></item></channel></rss>",
            )),
            "/maps/feed.atom" => Some(xml(
                "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/only/atom'/>\
                 </entry></feed>",
            )),
            "/sitemap.xml" => Some(xml(&urls("well-known"))),
            "/" => Some(page([])),
            path => path.starts_with("/only/").then(|| page([])),
        }
    })
}

fn xml(body: &str) -> Script {
    Script::answer(200, "content-type: application/xml\r\n", body)
}

/// URLs, one a line: there they have to be whole.
fn list(asked: &Asked<'_>, paths: &[&str]) -> Script {
    let lines = paths.iter().map(|path| format!("{}{path}\n", asked.home));
    Script::answer(200, "content-type: text/plain\r\n", lines.collect::<String>())
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}
