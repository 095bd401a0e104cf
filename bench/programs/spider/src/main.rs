//! Spider crawls the hosts of a file of seeds. Arguments: FILE, connections a host, in all.

use std::env::args;
use std::fs::read_to_string;
use std::sync::Arc;

use spider::website::Website;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

#[tokio::main]
async fn main() {
    let seeds = read_to_string(args().nth(1).expect("a file of seeds")).expect("readable seeds");
    let number = |n| args().nth(n).and_then(|text| text.parse().ok()).expect("a number");
    let (per_host, total): (usize, usize) = (number(2), number(3));
    let hosts = Arc::new(Semaphore::new((total / per_host).max(1)));
    let mut crawls = JoinSet::new();
    for seed in seeds.lines().map(str::to_owned) {
        let hosts = hosts.clone();
        crawls.spawn(async move {
            let _turn = hosts.acquire_owned().await.expect("the semaphore is never closed");
            crawl(&seed, per_host).await;
        });
    }
    while let Some(ended) = crawls.join_next().await {
        ended.expect("a crawl that does not panic");
    }
}

async fn crawl(seed: &str, connections: usize) {
    let mut website = Website::new(seed);
    website
        .with_respect_robots_txt(true)
        .with_depth(0)
        .with_delay(0)
        .with_subdomains(false)
        .with_tld(false)
        .with_user_agent(Some("spider-peer"))
        .with_concurrency_limit(Some(connections));
    website.crawl().await;
}
