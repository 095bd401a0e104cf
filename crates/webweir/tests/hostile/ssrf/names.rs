//! Names whose addresses change, or are of both kinds.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use weir_testsite::{HostSpec, Script, Spec, Web};

use super::world::{Crawled, use_our_names};
use super::{dns, inside::inside};

const PUBLIC: Ipv4Addr = Ipv4Addr::new(8, 8, 4, 4);
const PRIVATE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const PAGES: usize = 6;

/// The first answers are public, all others are private. What was checked is what is connected to.
#[test]
fn a_name_that_is_bound_anew_is_never_followed_inside() {
    let test = "ssrf::names::a_name_that_is_bound_anew_is_never_followed_inside";
    inside(test, &[PUBLIC.into(), PRIVATE.into()], || {
        dns::serve(|name, times| {
            let public = name.split('.').next().and_then(|label| label.parse().ok()).unwrap_or(0);
            vec![IpAddr::from(if times < public { PUBLIC } else { PRIVATE })]
        });
        let _resolv_conf = use_our_names();
        for public in [1, 2, 3, 5] {
            let name = format!("{public}.example.com");
            let (web, crawled) = crawl(&name);
            assert_eq!(private_connections(&web), 0, "{name}");
            // What the name was when it was asked about, page by page.
            let told = crawled.why(&format!("http://{name}/"));
            assert!(told.contains("kept: status 200") || told.contains("is private"), "{told}");
        }
    });
}

#[test]
fn of_several_addresses_only_public_ones_are_used() {
    let test = "ssrf::names::of_several_addresses_only_public_ones_are_used";
    inside(test, &[PUBLIC.into(), PRIVATE.into()], || {
        dns::serve(|_, _| {
            vec![PRIVATE.into(), PUBLIC.into(), IpAddr::from([0xfc00, 0, 0, 0, 0, 0, 0, 1])]
        });
        let _resolv_conf = use_our_names();
        let (web, crawled) = crawl("both.example.com");
        assert_eq!(private_connections(&web), 0);
        for page in 0..PAGES {
            crawled.expect(&format!("http://both.example.com/{page}"), "kept: status 200");
        }
    });
}

/// Crawls a site that is at both addresses. Each of its pages needs a connection of its own.
fn crawl(name: &str) -> (Web, Crawled) {
    let at = |address: Ipv4Addr| {
        HostSpec::scripted(|asked| Some(page(asked.path))).at(SocketAddr::new(address.into(), 80))
    };
    let web = Web::start(Spec::new(vec![at(PUBLIC), at(PRIVATE)])).unwrap();
    let crawled = Crawled::of(&[format!("http://{PUBLIC}/"), format!("http://{name}/")], &[]);
    (web, crawled)
}

fn private_connections(web: &Web) -> u64 {
    web.counts().hosts[1].totals.connections
}

fn page(path: &str) -> Script {
    let links: String = (0..PAGES).map(|page| format!("<a href=/{page}></a>")).collect();
    let (status, body) = if path == "/robots.txt" { (404, "") } else { (200, links.as_str()) };
    let headers = "content-type: text/html\r\nconnection: close\r\n";
    Script::answer(status, headers, body).close()
}
