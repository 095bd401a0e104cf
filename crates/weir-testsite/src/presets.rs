//! Webs that are often wanted.

use std::time::Duration;

use crate::spec::{HostSpec, RobotsSpec, Spec};

impl Spec {
    /// One host of small pages.
    pub fn one_site(pages: u32) -> Spec {
        Spec::many(1, pages)
    }

    /// Equal hosts of small pages.
    pub fn many(hosts: usize, pages_each: u32) -> Spec {
        Spec::new(vec![HostSpec::pages(pages_each); hosts])
    }

    /// The benchmark's one large site: 20,000 pages of about 27 KB with 33 links each.
    pub fn bench_one() -> Spec {
        Spec::one_site(20_000).each(like_the_real_web)
    }

    /// The benchmark's many sites: 200 of 100 pages, as large as those of `bench_one`.
    pub fn bench_many() -> Spec {
        Spec::many(200, 100).each(like_the_real_web)
    }

    /// The benchmark of the frontier rather than the network: 200,000 pages of about 1 KB.
    pub fn bench_small() -> Spec {
        Spec::one_site(200_000).each(|host| host.page_bytes(900..=1_100).links_per_page(6))
    }

    /// Six sites of different temper. A crawl with one connection a host and no delay of its own
    /// lasts 10 to 20 seconds, as long as its slowest site.
    pub fn demo() -> Spec {
        let ms = Duration::from_millis;
        let page = |pages| HostSpec::pages(pages).page_bytes(8_000..=24_000).links_per_page(12);
        Spec::new(vec![
            page(300).latency(ms(5)).cross_links(1),
            page(50).latency(ms(250)),
            page(40).page_bytes(400_000..=900_000).latency(ms(150)).rate(4_000_000),
            page(60).rate(100_000),
            page(80)
                .latency(ms(60))
                .robots(RobotsSpec::Private)
                .redirects(12)
                .dead_links(8)
                .files(4),
            page(120).latency(ms(40)).compressed().duplicates(10).chunked(),
        ])
    }
}

/// The sizes and links of an ordinary page: 27 KB in the mean, 33 links.
fn like_the_real_web(host: HostSpec) -> HostSpec {
    host.page_bytes(13_500..=40_500).links_per_page(33)
}
