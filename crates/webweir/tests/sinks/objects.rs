//! Whole files in an object store; a folder stands in for one.

#[cfg(feature = "objects")]
mod with {
    use std::fs;
    use std::path::Path;

    use crate::s3::{BUCKET, Bucket};
    use crate::site::{Site, watch};
    use crate::support::outcome::report;
    use crate::support::wait_until;

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

    /// To a server that speaks S3, and comes late; one of the files takes several parts.
    #[test]
    fn an_s3_server_has_every_file_though_weir_is_killed() {
        let Some(mut server) = Bucket::find("S3") else { return };
        let site = Site::large(600);
        let url = format!("s3://{BUCKET}/some/folder");
        let environment = server.environment();
        let crawl = || site.crawl_with(&["--store-to", &url], &environment);
        let nobody = crawl();
        wait_until("some pages", || site.requests() > 100);
        nobody.kill();
        server.up();
        let mut weir = crawl();
        watch(&mut weir, "the moment to kill", || site.requests() >= 300);
        weir.kill();
        for _ in ["sends", "has nothing to send"] {
            crawl().wait().expect_code(0).says(&["files delivered"]);
        }
        let mut longest = 0;
        for kind in ["warc", "pages"] {
            let here = site.out().join(kind);
            for name in names(&here) {
                let sent = server.get(&format!("some/folder/{kind}/{name}"));
                assert!(sent == fs::read(here.join(&name)).unwrap(), "{name}");
                longest = longest.max(sent.len());
            }
        }
        assert!(longest > 16 << 20, "{longest} bytes are not several parts");
        let other = Site::quick(5);
        let ended = other.crawl_with(&["--store-to", &url], &environment).wait();
        ended.expect_code(2).says(&["another crawl", "name another folder"]);
        let no_bucket = ["--store-to", "s3://no-such-bucket/x"];
        let ended = other.crawl_with(&no_bucket, &environment).wait();
        ended.expect_code(2).says(&["no-such-bucket", "make the bucket"]);
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
