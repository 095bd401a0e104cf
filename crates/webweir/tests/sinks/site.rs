use std::path::Path;
use std::time::Duration;

use weir_testsite::{HostSpec, RobotsSpec, Spec, Web};

use crate::place::Rows;
use crate::support::command::{Weir, crawl_with};
use crate::support::wait_until;
use crate::support::warc::pages;

/// A web and the folder of a crawl of it.
pub struct Site {
    pub web: Web,
    pub folder: tempfile::TempDir,
}

impl Site {
    /// A bit of everything, and slow enough that a crawl of it can be watched.
    pub fn slow(pages: u32) -> Site {
        Site::new(pages, Duration::from_millis(20))
    }

    pub fn quick(pages: u32) -> Site {
        Site::new(pages, Duration::ZERO)
    }

    /// Pages of 200 kB each.
    #[cfg(feature = "objects")]
    pub fn large(pages: u32) -> Site {
        let host = HostSpec::pages(pages).page_bytes(200_000..=200_000);
        Site::of(host.latency(Duration::from_millis(20)))
    }

    fn new(pages: u32, latency: Duration) -> Site {
        let some = pages / 50;
        let host = HostSpec::pages(pages).links_per_page(12).robots(RobotsSpec::Private);
        let host = host.redirects(some).dead_links(some).duplicates(some * 2).files(some);
        Site::of(host.latency(latency))
    }

    pub fn of(host: HostSpec) -> Site {
        let web = Web::start(Spec::new(vec![host])).unwrap();
        Site { web, folder: tempfile::tempdir().unwrap() }
    }

    pub fn out(&self) -> &Path {
        self.folder.path()
    }

    pub fn crawl(&self, more: &[&str]) -> Weir {
        self.crawl_with(more, &[])
    }

    pub fn crawl_with(&self, more: &[&str], environment: &[(&str, String)]) -> Weir {
        let mut words = vec!["--per-host", "4", "--slow-down", "0"];
        words.extend_from_slice(more);
        crawl_with(&self.web.seeds(), self.out(), &words, environment)
    }

    pub fn requests(&self) -> u64 {
        self.web.counts().total().requests
    }

    /// What was stored is all there is in the web, and `rows` has each of it exactly once.
    pub fn expect_each_once(&self, rows: &Rows) {
        let stored = pages(self.out());
        let truth = self.web.truth().urls().filter(|it| it.allowed).count();
        assert_eq!(stored.len(), truth, "URLs of the web, and records in the WARC");
        expect_same(&stored, rows);
    }
}

pub fn expect_same(stored: &Rows, rows: &Rows) {
    let lacks: Vec<_> = stored.iter().filter(|row| rows.binary_search(row).is_err()).collect();
    assert!(lacks.is_empty(), "{} rows are lacking, as {:?}", lacks.len(), lacks[0]);
    assert_eq!(rows.len(), stored.len(), "rows, and records in the WARC");
    assert_eq!(rows, stored);
}

/// Waits for the moment, which must come before the crawl ends.
pub fn watch(weir: &mut Weir, what: &str, mut now: impl FnMut() -> bool) {
    wait_until(what, || {
        assert!(weir.ended().is_none(), "it ended before {what}");
        now()
    });
}
