//! Keys: who has them is let in over TLS, and who has not is told why, on both sides.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{BOUND, Cluster, sites};
use crate::support::command::{Weir, weir};
use crate::support::wait_until;
use crate::team::Team;

#[test]
fn beyond_this_machine_a_scheduler_refuses_to_listen_without_keys() {
    let ended = weir(&["scheduler", "http://127.0.0.1:9/", "--listen", "0.0.0.0:0"]);
    ended.expect_code(2).says(&["0.0.0.0:0", "without tls", "weir cluster init", "--keys"]);
    let ended = weir(&["downloader", "--scheduler", "http://scheduler.example:7700"]);
    ended.expect_code(2).says(&["without tls", "https://", "--keys"]);
    let ended = weir(&["downloader", "--scheduler", "https://scheduler.example:7700"]);
    ended.expect_code(2).says(&["needs keys", "copy the keys folder", "--keys"]);
}

#[test]
fn with_the_keys_of_cluster_init_a_crawl_is_done_over_tls() {
    let cluster = Cluster::of(sites(3, 60), &["--per-host", "2"]).with_keys();
    Team::start(&cluster, &["a", "b"]).end();
    cluster.expect_each_once();
}

#[test]
fn keys_are_not_made_twice_by_a_slip() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    let init = |more: &[&str]| {
        let words = ["cluster", "init", "--keys", keys.to_str().unwrap(), "--name", "10.0.0.5"];
        weir(&[&words[..], more].concat())
    };
    let made = init(&[]);
    made.expect_code(0);
    for word in ["10.0.0.5", "weir scheduler", "weir downloader --scheduler https://10.0.0.5:7700"]
    {
        assert!(made.stdout.contains(word), "{}", made.stdout);
    }
    let token = fs::read(keys.join("token")).unwrap();
    init(&[]).expect_code(2).says(&["exists already", "--force"]);
    assert_eq!(fs::read(keys.join("token")).unwrap(), token);
    init(&["--force"]).expect_code(0);
    assert_ne!(fs::read(keys.join("token")).unwrap(), token);
}

#[test]
fn a_downloader_with_keys_that_were_added_is_let_in() {
    let cluster = Cluster::of(sites(2, 40), &["--per-host", "2"]).with_keys();
    let keys = cluster.path("keys").display().to_string();
    let add = |more: &[&str]| weir(&[&["cluster", "add", "--keys", &keys], more].concat());
    add(&["late"]).expect_code(2).says(&["ca.key", "--keep-ca-key"]);

    let name = cluster.url().trim_start_matches("https://").split(':').next().unwrap().to_owned();
    let init = ["cluster", "init", "--keys", &keys, "--name", &name, "--keep-ca-key", "--force"];
    weir(&init).expect_code(0);
    let scheduler = cluster.scheduler();
    let made = add(&["late", "10.0.0.7"]);
    made.expect_code(0);
    let folder = cluster.path("keys").join("late");
    for word in [folder.to_str().unwrap(), "scp -pr", "late:keys", "weir downloader --scheduler"] {
        assert!(made.stdout.contains(word), "no {word}: {}", made.stdout);
    }
    let mut files: Vec<String> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["ca.pem", "downloader.key", "downloader.pem", "token"]);

    add(&["late"]).expect_code(2).says(&["late", "exists already", "--force"]);
    add(&["late", "--force"]).expect_code(0);
    add(&["late/or/soon"]).expect_code(2).says(&["late/or/soon", "name of a machine"]);
    let copy = copied(&folder, &cluster.path("elsewhere"));
    let downloader = cluster.downloader_with("late", &["--keys", copy.to_str().unwrap()]);
    scheduler.wait_within(BOUND).expect_code(0);
    downloader.wait_within(BOUND).expect_code(0);
    cluster.expect_each_once();
}

/// A copy of the keys, closed to others as they are.
fn copied(from: &Path, to: &Path) -> PathBuf {
    let done = std::process::Command::new("cp").arg("-rp").arg(from).arg(to).status().unwrap();
    assert!(done.success());
    to.to_owned()
}

/// Waits until it says all of this, whether it ends then or tries again.
fn wait_for_words(weir: &mut Weir, words: &[&str]) {
    let mut said = String::new();
    wait_until("words", || {
        let has_ended = weir.ended().is_some();
        said = weir.said().to_lowercase();
        let is_there = words.iter().all(|word| said.contains(&word.to_lowercase()));
        assert!(is_there || !has_ended, "no word of {words:?}: {said}");
        is_there
    });
}

#[test]
fn who_has_not_the_right_keys_is_told_why_and_so_is_the_scheduler() {
    let cluster = Cluster::of(sites(2, 60), &["--per-host", "1"]).with_keys();
    let mut scheduler = cluster.scheduler();
    let keys = cluster.path("keys");

    let token = copied(&keys, &cluster.path("other-token"));
    fs::write(token.join("token"), "0".repeat(64)).unwrap();
    let ended =
        cluster.downloader_with("x", &["--keys", token.to_str().unwrap()]).wait_within(BOUND);
    ended.expect_code(1).says(&["token is wrong", "copy the keys folder of the scheduler"]);
    assert!(!ended.stderr.contains("0000"), "a token is never printed: {}", ended.stderr);
    wait_for_words(&mut scheduler, &["was not let in", "token is wrong"]);

    let other = cluster.path("other-ca");
    let name = cluster.url().trim_start_matches("https://").split(':').next().unwrap().to_owned();
    weir(&["cluster", "init", "--keys", other.to_str().unwrap(), "--name", &name]).expect_code(0);
    let mut stranger = cluster.downloader_with("y", &["--keys", other.to_str().unwrap()]);
    wait_for_words(&mut stranger, &["another authority", "copy the keys folder"]);
    wait_for_words(&mut scheduler, &["was not let in", "certificate"]);
    stranger.kill();

    let plain = cluster.url().replace("https://", "http://");
    let out = cluster.folder_of("z");
    let words = ["downloader", "--scheduler", &plain, "--out", out.to_str().unwrap()];
    let mut plain = Weir::start(words, None);
    wait_for_words(&mut plain, &["tls", "https://"]);
    wait_for_words(&mut scheduler, &["does not speak tls"]);
    plain.kill();

    // Nobody of them has got anything.
    assert_eq!(cluster.requests(), 0);
    wait_until("the status to tell of them", || cluster.status(&[]).contains("was not let in"));
    let right = cluster.downloader("right");
    scheduler.wait_within(BOUND).expect_code(0);
    right.wait_within(BOUND).expect_code(0);
}

#[test]
fn tls_to_a_scheduler_without_is_told_on_both_sides() {
    let cluster = Cluster::of(sites(1, 20), &[]);
    let mut scheduler = cluster.scheduler();
    let keys = cluster.path("keys");
    weir(&["cluster", "init", "--keys", keys.to_str().unwrap(), "--name", "127.0.0.1"])
        .expect_code(0);
    let url = cluster.url().replace("http://", "https://");
    let (out, keys) = (cluster.folder_of("x"), keys.display().to_string());
    let words =
        ["downloader", "--scheduler", &url, "--keys", &keys, "--out", out.to_str().unwrap()];
    let mut downloader = Weir::start(words, None);
    wait_for_words(&mut downloader, &["does not speak tls", "--keys"]);
    wait_for_words(&mut scheduler, &["it speaks tls, but this scheduler does not"]);
    downloader.kill();
    scheduler.kill();
}
