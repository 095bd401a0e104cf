//! A web that is away for a while, as when a line is down.

use std::thread::sleep;
use std::time::Duration;

use weir_testsite::{HostSpec, Spec, Web};

use crate::support::command::crawl;
use crate::support::outcome::report;
use crate::support::wait_until;

const PAGES: u32 = 40;
/// Longer than a host is waited for that cannot be reached while others can.
const AWAY: Duration = Duration::from_secs(16);

#[test]
fn no_host_is_given_up_because_the_line_was_down_for_a_while() {
    check(&[], |web| web.counts().total().requests > u64::from(PAGES / 2));
}

#[test]
fn nor_if_the_crawl_goes_on_while_it_is_down() {
    // One that was stopped early knows its hosts.
    check(&["--max-pages", "20"], |_| false);
}

/// The web goes once the first run has ended, or earlier if `enough` of it was seen.
fn check(first: &[&str], enough: impl Fn(&Web) -> bool) {
    let spec = || Spec::new(vec![HostSpec::pages(PAGES).latency(Duration::from_millis(60)); 2]);
    let web = Web::start(spec()).unwrap();
    let (port, seeds) = (web.port(), web.seeds());
    let out = tempfile::tempdir().unwrap();
    let mut weir = crawl(&seeds, out.path(), first);
    let mut is_over = false;
    wait_until("some pages", || {
        is_over = weir.ended().is_some();
        is_over || enough(&web)
    });
    drop(web);
    if is_over {
        weir.wait().expect_code(4);
        weir = crawl(&seeds, out.path(), &[]);
    }
    sleep(AWAY);
    assert!(weir.ended().is_none(), "nobody was to be given up");
    let _web = Web::start(spec().port(port)).unwrap();
    weir.wait().expect_code(0);
    let report = report(out.path());
    assert_eq!((&report["pages"], &report["failed"]), (&(2 * PAGES).into(), &0.into()));
}
