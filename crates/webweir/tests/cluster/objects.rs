//! Files of all downloaders go to one folder of an object store.

use std::fs;
use std::path::Path;

use crate::run::{Cluster, sites};
use crate::s3::{BUCKET, Bucket};
use crate::team::Team;

const FLAGS: [&str; 2] = ["--per-host", "2"];

#[test]
fn every_file_of_two_downloaders_is_there_as_it_is_here_though_both_are_killed() {
    let there = tempfile::tempdir().unwrap();
    let url = format!("file://{}/some/folder", there.path().display());
    let cluster = Cluster::of(sites(6, 80), &FLAGS).with_outlets(&["--store-to", &url]);
    kill_two(&cluster);
    let there = there.path().join("some/folder");
    expect_files(&cluster, |name| fs::read(there.join(name)).unwrap());
    let copies: usize = ["warc", "pages"].map(|kind| names(&there.join(kind)).len()).iter().sum();
    let here = cluster.folders().into_iter().flat_map(|folder| files(&folder)).count();
    assert_eq!(copies, here, "nothing else is there");
}

#[test]
fn an_s3_server_has_every_file_of_two_downloaders_though_both_are_killed() {
    let Some(mut server) = Bucket::find("S3 for downloaders") else { return };
    server.up();
    let url = format!("s3://{BUCKET}/some/folder");
    let cluster = Cluster::of(sites(6, 80), &FLAGS)
        .with_outlets(&["--store-to", &url])
        .with_environment(server.environment());
    kill_two(&cluster);
    expect_files(&cluster, |name| server.get(&format!("some/folder/{name}")));
}

fn kill_two(cluster: &Cluster) {
    let mut team = Team::start(cluster, &["a", "b"]);
    for name in ["a", "b"] {
        team.wait_for(100);
        team.take(name).kill();
        team.join(name);
    }
    team.end_at_last();
    cluster.expect_each_once();
}

/// Each is at the other place as it is here.
fn expect_files(cluster: &Cluster, get: impl Fn(&str) -> Vec<u8>) {
    for folder in cluster.folders() {
        let files = files(&folder);
        assert!(files.len() >= 2, "{files:?} in {}", folder.display());
        for name in files {
            assert!(get(&name) == fs::read(folder.join(&name)).unwrap(), "{name}");
        }
    }
}

fn files(folder: &Path) -> Vec<String> {
    let of = |kind: &&str| -> Vec<String> {
        names(&folder.join(kind)).iter().map(|name| format!("{kind}/{name}")).collect()
    };
    ["warc", "pages"].iter().flat_map(of).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
