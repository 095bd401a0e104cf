//! Honest and hostile hosts in one crawl. `bench/hostile` measures what the hostile ones cost.

use std::time::Duration;

use weir_testsite::{Hostile, Spec, Web};

use crate::check::{MEMORY_FOR_LARGE_BODIES, SHORT};
use crate::support::command::crawl;
use crate::support::outcome::report;

const HONEST: usize = 40;
const HOSTILE: usize = 40;
/// Waiting for silent hosts, traps and large bodies all at once; never more than this.
const BOUND: Duration = Duration::from_secs(240);

#[test]
fn honest_hosts_are_crawled_whole_beside_as_many_hostile_ones_and_the_crawl_ends() {
    let honest = Spec::many(HONEST, 10).each(|host| host.redirects(2).dead_links(1));
    let web = Web::start(honest.with_hostile(Hostile::mix(HOSTILE))).unwrap();
    let out = tempfile::tempdir().unwrap();
    let ended = crawl(&web.seeds(), out.path(), SHORT).wait_within(BOUND);
    ended.expect_code(0);
    let missing: Vec<String> = web.missing().take(5).collect();
    assert!(missing.is_empty(), "never handed over: {missing:?}");
    let report = report(out.path());
    assert_eq!((&report["outcome"], &report["urls_waiting"]), (&"complete".into(), &0.into()));
    println!("{:?}", ended.usage);
    assert!(ended.usage.memory <= MEMORY_FOR_LARGE_BODIES, "{} bytes", ended.usage.memory);
}
