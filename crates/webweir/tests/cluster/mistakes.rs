//! What was typed wrong is told with the remedy.

use crate::run::{BOUND, Cluster, sites, write};
use crate::support::command::weir;
use crate::support::wait_until;

#[test]
fn addresses_of_schedulers_are_checked_before_anything_is_done() {
    for (url, says) in [
        ("scheduler", "https://"),
        ("ftp://127.0.0.1:7700", "https://"),
        ("http://127.0.0.1", "port"),
        ("http://127.0.0.1:7700/path", "path"),
        ("http://me@127.0.0.1:7700", "user"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let ended = weir(&["downloader", "--scheduler", url, "--out", out.to_str().unwrap()]);
        ended.expect_code(2).says(&[url, says, "write it as"]);
        assert!(!out.exists(), "{url}");
    }
}

#[test]
fn a_downloader_whose_scheduler_is_not_there_says_so_and_waits() {
    let cluster = Cluster::of(sites(1, 20), &[]);
    cluster.scheduler().kill();
    let mut downloader = cluster.downloader("a");
    wait_until("words", || {
        assert!(downloader.ended().is_none(), "{}", downloader.said());
        downloader.said().contains("nothing listens there: start the scheduler")
    });
    let scheduler = cluster.scheduler();
    scheduler.wait_within(BOUND).expect_code(0);
    downloader.wait_within(BOUND).expect_code(0);
    cluster.expect_each_once();
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let url = ["downloader", "--scheduler", "http://127.0.0.1:7700"];
    for slots in ["0", "10001"] {
        weir(&[&url[..], &["--slots", slots]].concat())
            .expect_code(2)
            .says(&[&format!("--slots {slots}"), "from 1 to"]);
    }
    let crawl = ["crawl", "http://127.0.0.1:9/", "--downloaders"];
    for count in ["0", "65"] {
        weir(&[&crawl[..], &[count]].concat())
            .expect_code(2)
            .says(&[&format!("downloaders = {count}"), "from 1 to 64"]);
    }
    weir(&["crawl", "http://127.0.0.1:9/", "--downloaders", "2", "--dispatch", "any"])
        .expect_code(2)
        .says(&["any", "host-affine or shortest-queue"]);
    weir(&["scheduler", "http://127.0.0.1:9/", "--listen", "here"])
        .expect_code(2)
        .says(&["here", "an address and a port"]);
}

#[test]
fn an_address_in_use_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = weir(&["scheduler", "http://127.0.0.1:9/", "--listen", &address]);
    ended.expect_code(1).says(&[&address, "in use", "another --listen"]);
}

#[test]
fn what_does_not_work_with_downloaders_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("weir.toml");
    let config = ["-c", file.to_str().unwrap(), "http://127.0.0.1:9/"];
    for sink in ["sqlite:pages.db", "jsonl:x"] {
        write(&file, &format!("table = 'x'\nsink = ['{sink}']"));
        let scheduler = [&["scheduler", "--listen", "127.0.0.1:0"], &config[..]].concat();
        weir(&scheduler).expect_code(2).says(&["sink", "to each `weir downloader`"]);
    }
    weir(&[&["crawl", "--downloaders", "2"], &config[..]].concat()).expect_code(2).says(&[
        "jsonl:x",
        "only one process",
        "weir export",
    ]);
    write(&file, "downloaders = 3");
    weir(&["scheduler", "-c", file.to_str().unwrap(), "http://127.0.0.1:9/"])
        .expect_code(2)
        .says(&["downloaders", "leave it out"]);
}

#[test]
fn the_folder_of_another_crawl_is_refused_on_both_sides() {
    let cluster = Cluster::of(sites(1, 30), &[]);
    let scheduler = cluster.scheduler();
    let downloader = cluster.downloader("a");
    scheduler.wait_within(BOUND).expect_code(0);
    downloader.wait_within(BOUND).expect_code(0);
    std::fs::remove_dir_all(cluster.out()).unwrap();

    let scheduler = cluster.scheduler();
    let folder = cluster.folder_of("a");
    let ended = cluster.downloader("a").wait_within(BOUND);
    ended.expect_code(1).says(&["another crawl", folder.to_str().unwrap(), "another --out"]);
    wait_until("the scheduler to say so", || scheduler.said().contains("was not let in"));
    assert!(scheduler.said().contains("another crawl"), "{}", scheduler.said());
    cluster.expect_each_once();
}

#[test]
fn two_downloaders_do_not_share_a_folder() {
    let cluster = Cluster::of(sites(2, 80), &[]);
    let mut scheduler = cluster.scheduler();
    let first = cluster.downloader("a");
    cluster.wait_for(5, &mut scheduler);
    let second = cluster.downloader("a").wait_within(BOUND);
    let folder = cluster.folder_of("a");
    second.expect_code(1).says(&[folder.to_str().unwrap(), "another|in use"]);
    scheduler.wait_within(BOUND).expect_code(0);
    first.wait_within(BOUND).expect_code(0);
    cluster.expect_each_once();
}
