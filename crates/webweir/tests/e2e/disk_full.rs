//! A disk that fills in the middle of a crawl: said clearly, and nothing is lost.

use weir_testsite::{HostSpec, Spec, Web};

use crate::support::command::{Ended, crawl, weir};
use crate::support::python::python;
use crate::support::skip;
use crate::support::tmpfs::Tmpfs;
use crate::support::verdict::{expect_everything, expect_good_manners, read_output, repeats};

/// Sizes at which different files are the first that cannot grow.
#[test]
fn a_full_disk_is_said_clearly_and_the_crawl_goes_on_when_there_is_room() {
    let Some(python) = python("disk_full") else { return };
    for kilobytes in [300, 1_000, 2_000, 3_500] {
        let Some(disk) = Tmpfs::mount(kilobytes * 1_000) else {
            return skip("disk_full", "needs the right to mount a small tmpfs");
        };
        let web = Web::start(Spec::new(vec![site()])).unwrap();
        let out = disk.path().join("out");
        let run = || crawl(&web.seeds(), &out, &["--per-host", "4"]).wait();

        expect_full(&run(), &disk);
        expect_full(&run(), &disk); // Trying again without room does no harm.
        let status = weir(&["status", "--out", out.to_str().unwrap()]);
        assert!(status.code == Some(0), "status on a full disk: {}", status.stderr);

        disk.resize(200_000_000);
        run().expect_code(0);
        expect_good_manners(&web);
        expect_everything(&web, &read_output(&python, &out));
        println!("{kilobytes} kB: {} asked for again", repeats(&web));
    }
}

fn site() -> HostSpec {
    let site = HostSpec::pages(1_500).page_bytes(6_000..=10_000).links_per_page(10);
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
