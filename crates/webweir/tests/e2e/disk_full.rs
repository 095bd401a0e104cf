//! A disk that fills in the middle of a crawl: said clearly, and nothing is lost.

use std::path::Path;

use weir_testsite::{HostSpec, Spec, Web};

use crate::support::command::{Ended, crawl, weir};
use crate::support::python::python;
use crate::support::skip;
use crate::support::tmpfs::Tmpfs;
use crate::support::verdict::{expect_everything, expect_good_manners, read_output, repeats};

#[test]
fn a_full_disk_is_said_clearly_and_the_crawl_goes_on_when_there_is_room() {
    let Some(python) = python("disk_full") else { return };
    let Some(ample) = Tmpfs::mount(AMPLE) else {
        return skip("disk_full", "needs the right to mount a small tmpfs");
    };
    let whole = size_of_output(&ample);
    // In hundredths of what is needed, so that each time another file is the first in need.
    for part in [2, 15, 40, 70, 90, 99] {
        let disk = Tmpfs::mount(whole * part / 100).expect("one could be mounted before");
        println!("{part} % of {whole} bytes on {}", disk.path().display());
        check(&python, &disk);
    }
}

fn check(python: &Path, disk: &Tmpfs) {
    let web = Web::start(Spec::new(vec![site()])).unwrap();
    let out = disk.path().join("out");
    let run = || crawl(&web.seeds(), &out, &["--per-host", "4"]).wait();

    expect_full(&run(), disk);
    expect_full(&run(), disk); // Trying again without room does no harm.
    weir(&["status", "--out", out.to_str().unwrap()]).expect_code(0);

    disk.resize(AMPLE);
    run().expect_code(0);
    expect_good_manners(&web);
    expect_everything(&web, &read_output(python, &out));
    assert!(repeats(&web) <= 8, "two runs with four in flight each, but {}", repeats(&web));
}

const AMPLE: u64 = 200_000_000;

fn size_of_output(disk: &Tmpfs) -> u64 {
    let web = Web::start(Spec::new(vec![site()])).unwrap();
    crawl(&web.seeds(), &disk.path().join("out"), &["--per-host", "4"]).wait().expect_code(0);
    disk.used()
}

fn site() -> HostSpec {
    let site = HostSpec::pages(800).page_bytes(6_000..=10_000).links_per_page(10);
    site.redirects(20).dead_links(20).duplicates(40)
}

fn expect_full(ended: &Ended, disk: &Tmpfs) {
    let path = disk.path().to_str().unwrap();
    ended.expect_code(1).says(&[
        path,
        "no space|disk full|disk is full",
        "again",
        "room|free|space",
    ]);
}
