//! Readers who leave before all is said, as `| head -1` does.

use std::fs::File;
use std::io::{PipeWriter, pipe};
use std::path::Path;
use std::process::{Command, Output};

use weir_testsite::{HostSpec, Spec, Web};

/// A pipe that nobody reads any more.
fn left() -> PipeWriter {
    pipe().unwrap().1
}

fn weir(words: &[&str], out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command.args(words).args(["-o", out.to_str().unwrap()]);
    command
}

fn expect_quiet(ended: &Output, words: &[&str]) {
    assert_eq!(ended.status.code(), Some(0), "{words:?}: {ended:?}");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!said.contains("panicked") && !said.contains("pipe"), "{words:?}: {said}");
}

#[test]
fn a_reader_who_has_seen_enough_is_no_failure() {
    let web = Web::start(Spec::new(vec![HostSpec::pages(30)])).unwrap();
    let (folder, seed) = (tempfile::tempdir().unwrap(), web.seeds().remove(0));
    let out = folder.path().join("out");
    // Nobody who watches a crawl is needed for it.
    let crawl = ["crawl", &seed, "--allow-private", "--progress"];
    let json = [&crawl[..], &["json"]].concat();
    expect_quiet(&weir(&json, &out).stdout(left()).output().unwrap(), &json);
    let plain = [&crawl[..], &["plain", "--fresh", "-v"]].concat();
    let ended = weir(&plain, &out).stderr(left()).output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");

    for words in [&["status"][..], &["status", "--json"], &["why", &seed]] {
        let ended = weir(words, &out).output().unwrap();
        assert!(!ended.stdout.is_empty(), "{words:?}: {ended:?}");
        expect_quiet(&weir(words, &out).stdout(left()).output().unwrap(), words);
    }
}

#[test]
fn a_disk_that_takes_nothing_is_one() {
    let web = Web::start(Spec::new(vec![HostSpec::pages(3)])).unwrap();
    let (folder, seed) = (tempfile::tempdir().unwrap(), web.seeds().remove(0));
    let out = folder.path().join("out");
    assert!(weir(&["crawl", &seed, "--allow-private", "-q"], &out).status().unwrap().success());
    let full = File::options().write(true).open("/dev/full").unwrap();
    let ended = weir(&["status"], &out).stdout(full).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(said.contains("cannot write to standard output"), "{said}");
}
