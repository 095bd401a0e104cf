//! A machine that starts anew after weir has ended badly: what was not synced into its books does not count any more.

use std::fs;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use weir_testsite::{HostSpec, Spec, Web};

use crate::support::command::{Weir, crawl, weir};
use crate::support::{skip, wait_until, warc};

const PAGES: u32 = 70;
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// The rows of a run that ends are Parquet already when it fails to write what it has learnt, and the books go back to before that.
#[test]
fn rows_that_became_parquet_just_before_are_not_lost() {
    let scratch = tempfile::tempdir().unwrap();
    if !after_reboot(&scratch, &["true".into()]).status().is_ok_and(|status| status.success()) {
        return skip("reboot", "needs the right to mount in a namespace (unshare --user --mount)");
    }
    let web =
        Web::start(Spec::new(vec![HostSpec::pages(PAGES).latency(Duration::from_millis(100))]))
            .unwrap();
    let out = scratch.path().join("out");
    let first = crawl(&web.seeds(), &out, &[]);
    // So late that books and output were synced several times.
    wait_until("most pages", || web.counts().total().requests > u64::from(PAGES) * 3 / 4);
    // It is written with each sync. Told to stop right after one, the run ends before the next.
    let history = out.join("history.json");
    let saved = || fs::metadata(&history).unwrap().modified().unwrap();
    let before = saved();
    wait_until("it to be written once more", || saved() != before);
    fs::remove_file(&history).unwrap();
    fs::create_dir(&history).unwrap();
    first.interrupt();
    first.wait().expect_code(1).says(&["history.json"]);
    let tables = fs::read_dir(out.join("pages")).unwrap();
    assert_eq!(tables.count(), 1, "it ended earlier than was meant");
    fs::remove_dir(&history).unwrap();

    let mut words: Vec<String> = vec![env!("CARGO_BIN_EXE_weir").into(), "crawl".into()];
    words.extend(web.seeds());
    words.extend(["--allow-private", "--progress", "none", "--out"].map(String::from));
    words.push(out.to_str().unwrap().into());
    Weir::of(after_reboot(&scratch, &words)).wait().expect_code(0);
    let asked_twice = web.counts().total().requests - u64::from(PAGES) - 1;
    assert!(asked_twice > 0, "the books did not go back");
    assert!(asked_twice < u64::from(PAGES) / 2, "they were there");

    let mut urls: Vec<String> = warc::pages(&out).into_iter().map(|(url, ..)| url).collect();
    urls.sort();
    let records = urls.len();
    urls.dedup();
    assert_eq!((records, urls.len()), (PAGES as usize, PAGES as usize), "in WARC, each once");
    let rows = weir(&["export", "-q", "-o", out.to_str().unwrap(), "--to", "jsonl", "--file", "-"]);
    assert_eq!(rows.expect_code(0).stdout.lines().count(), PAGES as usize, "and in the table");
}

/// To be run as if the machine had been started once more since.
fn after_reboot(scratch: &TempDir, words: &[String]) -> Command {
    let id = scratch.path().join("boot_id");
    fs::write(&id, "11111111-2222-4333-8444-555555555555\n").unwrap();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command.arg(format!("mount --bind {} {BOOT} && exec \"$@\"", id.display()));
    command.arg("sh").args(words);
    command
}
