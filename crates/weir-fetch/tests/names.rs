//! Names that no override answers: the hosts file and the name servers of the system.
#![allow(clippy::unwrap_used)]

mod server;

use std::time::Duration;

use server::{answer, config, fetcher, fetcher_with, run, serve_bytes};
use url::Url;
use weir_fetch::{Failure, FetchConfig, Fetcher, Limits, Override};

#[test]
fn a_name_in_the_hosts_file_is_found() {
    run(async {
        let server = serve_bytes(answer("x")).await;
        for host in ["localhost", "LocalHost", "localhost."] {
            let url = format!("http://{host}:{}/", server.address.port());
            let page = fetcher().fetch(&Url::parse(&url).unwrap()).await.unwrap();
            assert_eq!(page.address, server.address);
        }
    });
}

#[test]
fn a_name_that_leads_inside_is_refused_after_the_lookup() {
    run(async {
        let outside = Fetcher::new(FetchConfig { accept_private: false, ..config() }).unwrap();
        let url = Url::parse("http://localhost/").unwrap();
        let failure = outside.fetch(&url).await.unwrap_err();
        assert!(matches!(failure, Failure::Private { .. }), "{failure:?}");
    });
}

#[test]
fn addresses_that_are_handed_in_are_checked_all_the_same() {
    run(async {
        let server = serve_bytes(answer("x")).await;
        let url = Url::parse(&format!("http://name.invalid:{}/", server.address.port())).unwrap();
        let page =
            fetcher().fetch_from(&url, &[server.address], None, &Default::default()).await.unwrap();
        assert_eq!(page.address, server.address);
        let outside = Fetcher::new(FetchConfig { accept_private: false, ..config() }).unwrap();
        let failure = outside
            .fetch_from(&url, &[server.address], None, &Default::default())
            .await
            .unwrap_err();
        assert!(matches!(failure, Failure::Private { .. }), "{failure:?}");
        assert_eq!(fetcher().resolve(&server.url("/")).await.unwrap(), [server.address]);
    });
}

/// A zone is its owner's, and what it says goes on to schedulers, which take so many.
#[test]
fn of_thousands_of_addresses_the_first_few_count() {
    run(async {
        let lines: Vec<String> =
            (0..4000).map(|n| format!("10.0.{}.{}", n / 250, n % 250)).collect();
        let many: Override = format!("many.test:80:{}", lines.join(",")).parse().unwrap();
        let fetcher = Fetcher::new(FetchConfig { resolve: vec![many], ..config() }).unwrap();
        let found = fetcher.resolve(&Url::parse("http://many.test/").unwrap()).await.unwrap();
        assert!((4..=256).contains(&found.len()), "{}", found.len());
        assert_eq!(found[0].ip().to_string(), "10.0.0.0");
    });
}

#[test]
fn a_name_that_is_nowhere_fails_in_time() {
    run(async {
        let limits = Limits { connect: Duration::from_secs(2), ..Limits::default() };
        let too_long = format!("http://{}.test/", "x".repeat(64));
        for url in ["http://no-such-name.invalid/", "http://a..b/", &too_long] {
            let Ok(url) = Url::parse(url) else { continue };
            let failure = fetcher_with(limits).fetch(&url).await.unwrap_err();
            let expected = matches!(failure, Failure::NoAddress { .. } | Failure::Dns { .. });
            assert!(expected, "{failure:?}");
        }
    });
}
