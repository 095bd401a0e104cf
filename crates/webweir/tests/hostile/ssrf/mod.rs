//! Seeds, links, redirects, robots.txt, sitemaps and DNS answers that lead to private addresses:
//! refused by default, so that nothing connects, and allowed with `--allow-private`.
//!
//! Each test has a network of its own, in which public and private addresses are this machine's.

mod dns;
mod inside;
mod names;
mod world;

use std::net::IpAddr;

use inside::inside;
use world::{NAME, PUBLIC, World};

#[test]
fn loopback_127_8() {
    check(
        "ssrf::loopback_127_8",
        "127.0.0.1",
        &["127.0.0.1", "localhost", "127.0.0.1.", "0.0.0.0"],
    );
}

#[test]
fn loopback_127_8_beyond_the_first_address() {
    let test = "ssrf::loopback_127_8_beyond_the_first_address";
    check(test, "127.200.3.4", &["127.200.3.4"]);
}

#[test]
fn private_10_8() {
    check("ssrf::private_10_8", "10.0.0.1", &["10.0.0.1"]);
}

#[test]
fn private_172_16_12() {
    check("ssrf::private_172_16_12", "172.16.0.1", &["172.16.0.1"]);
}

#[test]
fn private_172_16_12_its_last_address() {
    check("ssrf::private_172_16_12_its_last_address", "172.31.255.254", &["172.31.255.254"]);
}

#[test]
fn private_192_168_16() {
    check("ssrf::private_192_168_16", "192.168.0.1", &["192.168.0.1"]);
}

#[test]
fn link_local_169_254_16() {
    check("ssrf::link_local_169_254_16", "169.254.169.254", &["169.254.169.254"]);
}

#[test]
fn carrier_grade_nat_100_64_10() {
    check("ssrf::carrier_grade_nat_100_64_10", "100.64.0.1", &["100.64.0.1"]);
}

#[test]
fn loopback_of_ipv6() {
    check("ssrf::loopback_of_ipv6", "::1", &["[::1]", "[0:0:0:0:0:0:0:1]", "[::]"]);
}

#[test]
fn unique_local_fc00_7() {
    check("ssrf::unique_local_fc00_7", "fc00::1", &["[fc00::1]"]);
}

#[test]
fn unique_local_fd00_8() {
    check("ssrf::unique_local_fd00_8", "fd12:3456::1", &["[fd12:3456::1]"]);
}

/// A URL cannot tell the link, so that even with leave there is no way there.
#[test]
fn link_local_fe80_10() {
    let test = "ssrf::link_local_fe80_10";
    let private: IpAddr = "fe80::1".parse().unwrap();
    within(test, private, || {
        let world = World::new(private, &["[fe80::1]"]);
        expect_refused(&world);
        let crawled = world.crawl(&["--allow-private"]);
        crawled.expect(&world.private_urls("seed")[0], "failed:");
        assert_eq!(crawled.report["skipped"]["private"], 0);
    });
}

#[test]
fn ipv4_in_ipv6() {
    let spellings = &["[::ffff:10.0.0.1]", "[::ffff:a00:1]"];
    check("ssrf::ipv4_in_ipv6", "10.0.0.1", spellings);
}

#[test]
fn decimal_spelling() {
    check("ssrf::decimal_spelling", "10.0.0.1", &["167772161", "10.1", "10.0.1"]);
}

#[test]
fn octal_spelling() {
    check("ssrf::octal_spelling", "10.0.0.1", &["012.0.0.1", "01200000001", "0012.000.000.001"]);
}

#[test]
fn hexadecimal_spelling() {
    check("ssrf::hexadecimal_spelling", "10.0.0.1", &["0xa.0.0.1", "0x0A000001", "0xa.0x0.0x1"]);
}

#[test]
fn other_digits_and_dots_that_unicode_maps() {
    let spellings = &["１０.０.０.１", "10。0。0。1", "①⓪.0.0.1", "%31%30.0.0.1"];
    check("ssrf::other_digits_and_dots_that_unicode_maps", "10.0.0.1", spellings);
}

/// A sitemap at a private address, and a private address in a sitemap.
#[test]
fn sitemaps_that_lead_inside() {
    let private = IpAddr::from([10, 0, 0, 1]);
    within("ssrf::sitemaps_that_lead_inside", private, || {
        let world = World::new(private, &["10.0.0.1"]);
        let crawled = world.crawl(&[]);
        assert_eq!(world.private_connections(), 0, "{:?}", world.private_paths());
        crawled.expect("http://10.0.0.1/of-sitemap", "left out: its address is private");
        crawled.expect(&format!("http://{}/of-sitemap", PUBLIC[2]), "kept: status 404");
        let crawled = world.crawl(&["--allow-private"]);
        assert!(world.private_paths().contains(&"/sitemap.xml".to_owned()));
        crawled.expect("http://10.0.0.1/of-sitemap", "kept: status 200");
    });
}

fn check(test: &str, private: &str, spellings: &'static [&'static str]) {
    let private: IpAddr = private.parse().unwrap();
    within(test, private, || {
        let world = World::new(private, spellings);
        expect_refused(&world);
        expect_allowed(&world);
    });
}

fn within(test: &str, private: IpAddr, body: impl FnOnce()) {
    let addresses: Vec<IpAddr> = PUBLIC.map(IpAddr::from).into_iter().chain([private]).collect();
    inside(test, &addresses, body);
}

fn expect_refused(world: &World) {
    let crawled = world.crawl(&[]);
    assert_eq!(world.private_connections(), 0, "{:?}", world.private_paths());
    let ways = ["seed", "link", "redirect"].map(|word| world.private_urls(word));
    for url in ways.iter().flatten() {
        crawled.expect(url, "left out: its address is private");
    }
    let name = format!("http://{NAME}/");
    crawled.expect(&name, "left out: its address is private");
    let behind_robots = format!("http://{}/", PUBLIC[1]);
    crawled.expect(&behind_robots, "left out: its address is private");
    crawled.expect(&format!("http://{}/", PUBLIC[0]), "kept: status 200");
    // Every spelling of one address is one URL when it comes to count them.
    let skipped = crawled.report["skipped"]["private"].as_u64().unwrap();
    assert!(skipped >= 5, "{skipped}");
}

fn expect_allowed(world: &World) {
    let crawled = world.crawl(&["--allow-private"]);
    let ways = ["seed", "link", "redirect"].map(|word| world.private_urls(word));
    for url in ways.iter().flatten() {
        crawled.expect(url, "kept: status 200");
    }
    crawled.expect(&format!("http://{NAME}/"), "kept: status 200");
    assert!(world.private_paths().contains(&"/r".to_owned()), "robots.txt was redirected there");
    assert_eq!(crawled.report["skipped"]["private"], 0);
}
