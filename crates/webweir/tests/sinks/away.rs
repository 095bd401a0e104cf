//! A database that is not there when it should be.

use crate::place::of_postgres;
use crate::postgres::{PASSWORD, Server};
use crate::site::Site;
use crate::support::outcome::report;

#[test]
fn what_a_database_lacks_at_the_end_is_delivered_by_the_next_run() {
    let Some(mut server) = Server::start("postgres away") else { return };
    server.kill();
    let site = Site::quick(300);
    let sink = server.address();
    let crawl = || site.crawl(&["--sink", &sink, "--sink-wait", "2s"]).wait();
    let first = crawl();
    first.expect_code(4).says(&["is away", "wait", "run the same command again"]);
    assert!(!first.stderr.contains(PASSWORD), "{}", first.stderr);
    let told = report(site.out());
    assert_eq!(
        (&told["outcome"], &told["sinks"][0]["delivered"]),
        (&"complete".into(), &().into())
    );
    assert!(!told.to_string().contains(PASSWORD), "{told}");

    let asked = site.requests();
    server.up();
    crawl().expect_code(0).says(&["rows delivered"]);
    assert_eq!(site.requests(), asked, "nothing is fetched again for it");
    site.expect_each_once(&of_postgres(&server));
    let told = report(site.out());
    assert_eq!(told["sinks"][0]["waiting"], 0);
}

#[test]
fn a_sink_that_comes_later_gets_everything() {
    let Some(server) = Server::start("postgres later") else { return };
    let site = Site::quick(300);
    site.crawl(&[]).wait().expect_code(0);
    for _ in ["delivers", "has nothing left to deliver"] {
        site.crawl(&["--sink", &server.address()]).wait().expect_code(0);
        site.expect_each_once(&of_postgres(&server));
    }
}
