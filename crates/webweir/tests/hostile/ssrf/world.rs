use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV6};

use serde_json::Value;
use tempfile::TempDir;
use weir_testsite::{HostSpec, Script, Spec, Web};

use super::{dns, inside};
use crate::support::command::Weir;
use crate::support::outcome::{report, why};

/// Public hosts that lead to a private one in every way there is.
pub struct World {
    web: Web,
    /// The private address as it may be written in a URL.
    spellings: &'static [&'static str],
    _resolv_conf: tempfile::NamedTempFile,
}

/// What a crawl of it came to.
pub struct Crawled {
    out: TempDir,
    pub report: Value,
}

/// Links and redirects; a robots.txt that redirects; a robots.txt that names a sitemap.
pub const PUBLIC: [Ipv4Addr; 3] =
    [Ipv4Addr::new(8, 8, 4, 4), Ipv4Addr::new(8, 8, 4, 5), Ipv4Addr::new(8, 8, 4, 6)];
/// A name whose only address is the private one.
pub const NAME: &str = "inside.example.com";
const PRIVATE: usize = PUBLIC.len();

impl World {
    pub fn new(private: IpAddr, spellings: &'static [&'static str]) -> World {
        let place = |address: IpAddr| SocketAddr::new(address, 80);
        let lead = spellings[0];
        let hosts = vec![
            HostSpec::scripted(move |asked| links_and_redirects(asked.path, spellings))
                .at(place(PUBLIC[0].into())),
            HostSpec::scripted(move |asked| {
                (asked.path == "/robots.txt").then(|| Script::redirect(&format!("http://{lead}/r")))
            })
            .at(place(PUBLIC[1].into())),
            HostSpec::scripted(move |asked| sitemap(asked.path, lead)).at(place(PUBLIC[2].into())),
            HostSpec::scripted(|asked| Some(private_page(asked.path))).at(reachable(private)),
        ];
        let web = Web::start(Spec::new(hosts)).unwrap();
        dns::serve(move |name, _| if name == NAME { vec![private] } else { Vec::new() });
        World { web, spellings, _resolv_conf: use_our_names() }
    }

    pub fn crawl(&self, flags: &[&str]) -> Crawled {
        let mut seeds: Vec<String> = PUBLIC.iter().map(|it| format!("http://{it}/")).collect();
        seeds.push(format!("http://{NAME}/"));
        seeds.extend(self.private_urls("seed"));
        Crawled::of(&seeds, flags)
    }

    /// `http://SPELLING/WORD-NUMBER` for each spelling.
    pub fn private_urls(&self, word: &str) -> Vec<String> {
        let each = self.spellings.iter().enumerate();
        each.map(|(n, spelling)| format!("http://{spelling}/{word}-{n}")).collect()
    }

    /// How many connections came to the private address.
    pub fn private_connections(&self) -> u64 {
        self.web.counts().hosts[PRIVATE].totals.connections
    }

    /// Paths asked for at the private address.
    pub fn private_paths(&self) -> Vec<String> {
        self.web.visits(PRIVATE).into_iter().map(|visit| visit.path).collect()
    }
}

impl Crawled {
    pub fn of(seeds: &[String], flags: &[&str]) -> Crawled {
        let out = tempfile::tempdir().unwrap();
        let mut words = vec!["crawl", "--scope", "any", "--progress", "none", "--out"];
        words.push(out.path().to_str().unwrap());
        words.extend(seeds.iter().map(String::as_str));
        words.extend_from_slice(flags);
        let ended = Weir::start(words, Some(out.path())).wait();
        ended.expect_code(0);
        Crawled { report: report(out.path()), out }
    }

    pub fn why(&self, url: &str) -> String {
        why(self.out.path(), url)
    }

    pub fn expect(&self, url: &str, words: &str) {
        let why = self.why(url);
        let told = why.lines().any(|line| line.trim().starts_with(words));
        assert!(told, "no {words:?} of {url}:\n{why}");
    }
}

/// From now on names are asked of `dns`.
pub fn use_our_names() -> tempfile::NamedTempFile {
    inside::replace("/etc/resolv.conf", "nameserver 127.0.0.1\n")
}

/// Link-local addresses need to be told which link.
fn reachable(address: IpAddr) -> SocketAddr {
    match address {
        IpAddr::V6(v6) if v6.is_unicast_link_local() => {
            SocketAddrV6::new(v6, 80, 0, LOOPBACK_INTERFACE).into()
        }
        _ => SocketAddr::new(address, 80),
    }
}

const LOOPBACK_INTERFACE: u32 = 1;

fn links_and_redirects(path: &str, spellings: &[&str]) -> Option<Script> {
    if path == "/" {
        let mut html = String::new();
        for (n, spelling) in spellings.iter().enumerate() {
            html += &format!("<a href=http://{spelling}/link-{n}></a><a href=/to-{n}></a>\n");
        }
        return Some(Script::html(html));
    }
    let number: usize = path.strip_prefix("/to-")?.parse().ok()?;
    Some(Script::redirect(&format!("http://{}/redirect-{number}", spellings[number])))
}

fn sitemap(path: &str, lead: &str) -> Option<Script> {
    let text = match path {
        "/robots.txt" => {
            format!("Sitemap: http://{lead}/sitemap.xml\nSitemap: http://{}/good.xml\n", PUBLIC[2])
        }
        "/good.xml" => format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
             <url><loc>http://{lead}/of-sitemap</loc></url>\
             <url><loc>http://{}/of-sitemap</loc></url></urlset>",
            PUBLIC[2]
        ),
        _ => return None,
    };
    Some(Script::answer(200, "content-type: text/plain\r\n", text))
}

fn private_page(path: &str) -> Script {
    match path {
        "/robots.txt" | "/r" => Script::answer(404, "", ""),
        _ => Script::html("<title>the keys to everything</title>"),
    }
}
