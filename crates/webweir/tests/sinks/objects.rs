//! Whole files in an object store; a folder stands in for one.

#[cfg(feature = "objects")]
mod with {
    use std::fs;
    use std::path::Path;

    use crate::site::{Site, watch};
    use crate::support::outcome::report;

    #[test]
    fn every_file_is_there_as_it_is_here_though_weir_is_killed() {
        let site = Site::slow(1_000);
        let there = tempfile::tempdir().unwrap();
        let url = format!("file://{}/some/folder", there.path().display());
        for requests in [300, 600] {
            let mut weir = site.crawl(&["--store-to", &url]);
            watch(&mut weir, "the moment to kill", || site.requests() >= requests);
            weir.kill();
        }
        for _ in ["sends", "has nothing to send"] {
            site.crawl(&["--store-to", &url]).wait().expect_code(0).says(&["files delivered"]);
        }
        for kind in ["warc", "pages"] {
            let copy = there.path().join("some/folder").join(kind);
            assert_eq!(names(&copy), names(&site.out().join(kind)));
            for name in names(&copy) {
                let (sent, kept) =
                    (fs::read(copy.join(&name)), fs::read(site.out().join(kind).join(&name)));
                assert!(sent.unwrap() == kept.unwrap(), "{name}");
            }
        }
        assert_eq!(report(site.out())["sinks"][0]["waiting"], 0);
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[cfg(not(feature = "objects"))]
#[test]
fn a_weir_without_object_stores_says_how_to_get_them() {
    let site = crate::site::Site::quick(5);
    let ended = site.crawl(&["--store-to", "s3://bucket/folder"]).wait();
    ended.expect_code(2).says(&["store-to", "s3://bucket/folder", "--features objects"]);
}
