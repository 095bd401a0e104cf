//! robots.txt: asked for first, believed, and remembered.

use weir_testsite::{HostSpec, RobotsSpec, Script};

use crate::site::{Site, page};
use crate::support::command::crawl;
use crate::support::wait_until;

#[test]
fn not_a_page_is_fetched_while_robots_txt_answers_503_and_the_crawl_ends_and_says_so() {
    let site = Site::new(HostSpec::pages(10).robots(RobotsSpec::Status(503)));
    let ended = site.crawl(&[]);
    assert!(site.paths().iter().all(|path| path == "/robots.txt"), "{:?}", site.paths());
    assert!(site.paths().len() > 1, "it is tried again");
    assert!(ended.stderr.contains("robots.txt"), "{}", ended.stderr);
    let report = site.report();
    assert_eq!((&report["outcome"], &report["pages"]), (&"complete".into(), &0.into()));
    assert_eq!(report["skipped"]["robots"], 1);
    let troubles = report["troubles"].to_string();
    assert!(troubles.contains("robots.txt") && troubles.contains("503"), "{troubles}");
    assert!(site.why("/").contains("robots.txt"), "{}", site.why("/"));
}

#[test]
fn all_pages_come_when_robots_txt_recovers() {
    let host = HostSpec::pages(10).robots(RobotsSpec::Private).with_play(|asked| {
        let sick = asked.path == "/robots.txt" && asked.times < 2;
        sick.then(|| Script::answer(503, "", "not now"))
    });
    let site = Site::new(host);
    site.crawl(&[]);
    site.expect_all_pages();
    assert_eq!(site.web.counts().total().violations, 0);
    assert_eq!(site.paths()[..3], ["/robots.txt"; 3]);
    assert_eq!(site.asked("/robots.txt"), 3);
}

#[test]
fn a_later_run_asks_a_host_again_that_had_no_robots_txt_to_give() {
    let host = HostSpec::pages(10).with_play(|asked| {
        let sick = asked.path == "/robots.txt" && asked.times < 3;
        sick.then(|| Script::answer(500, "", "oh"))
    });
    let site = Site::new(host);
    site.crawl(&[]);
    assert!(site.paths().iter().all(|path| path == "/robots.txt"), "{:?}", site.paths());
    site.crawl(&[]);
    site.expect_all_pages();
}

#[test]
fn a_robots_txt_that_breaks_off_gives_no_leave() {
    let host = HostSpec::pages(10).with_play(|asked| {
        let half = "HTTP/1.1 200 OK\r\ncontent-length: 300\r\n\r\nUser-agent: *\nDisallow: /no\n";
        (asked.path == "/robots.txt").then(|| Script::bytes(half.as_bytes()).close())
    });
    let site = Site::new(host);
    let ended = crawl(&site.web.seeds(), site.out.path(), &[]).wait();
    ended.expect_code(1).says(&["robots.txt did not come whole"]);
    assert!(site.paths().iter().all(|path| path == "/robots.txt"), "{:?}", site.paths());
    assert!(site.asked("/robots.txt") > 1);
}

#[test]
fn robots_txt_is_asked_for_once_and_kept_across_a_kill() {
    let site = Site::new(HostSpec::pages(200).robots(RobotsSpec::Private));
    for moment in [20, 60, 120] {
        let mut weir = crawl(&site.web.seeds(), site.out.path(), &[]);
        wait_until("the moment to kill", || {
            weir.ended().is_some() || site.visits().len() >= moment
        });
        weir.kill();
    }
    site.crawl(&[]);
    site.expect_all_pages();
    assert_eq!(site.asked("/robots.txt"), 1);
    assert_eq!(site.web.counts().total().violations, 0);
}

#[test]
fn robots_txt_is_asked_for_before_anything_else() {
    let site = Site::new(HostSpec::pages(20).robots(RobotsSpec::Private));
    site.crawl(&["--per-host", "8"]);
    assert_eq!(site.paths()[0], "/robots.txt");
    let visits = site.visits();
    assert!(visits[1].at >= visits[0].ended.unwrap());
}

#[test]
fn what_robots_txt_forbids_is_left_out_with_the_reason_said_once() {
    let site = Site::new(HostSpec::pages(20).robots(RobotsSpec::Private));
    site.crawl(&[]);
    let why = site.why("/private/0.html");
    assert!(why.trim_end().ends_with("left out: robots.txt does not allow it"), "{why}");
}

#[test]
fn robots_txt_speaks_to_the_name_that_the_user_agent_begins_with() {
    let rules = "User-agent: weir\nDisallow: /weir\n\n\
                 User-agent: mybot\nDisallow: /mybot\n\n\
                 User-agent: *\nDisallow: /\n";
    let forbidden = |flags: &[&str]| {
        let site = Site::scripted(move |asked| match asked.path {
            "/robots.txt" => Some(Script::answer(200, "", rules)),
            "/" => Some(page(["/weir", "/mybot", "/other"])),
            _ => Some(page([])),
        });
        site.crawl(flags);
        let paths = site.paths();
        let left_out = ["/weir", "/mybot", "/other"].into_iter();
        left_out.filter(|path| !paths.iter().any(|asked| asked == path)).collect::<Vec<_>>()
    };
    assert_eq!(forbidden(&[]), ["/weir"]);
    let agent = "MyBot/2.1 (+https://example.com/bot)";
    assert_eq!(forbidden(&["--user-agent", agent]), ["/mybot"]);
}

#[test]
fn every_request_says_who_asks() {
    let site = Site::new(HostSpec::pages(5));
    site.crawl(&["--user-agent", "MyBot/2.1 (+https://example.com/bot)"]);
    let agents = site.visits().into_iter().map(|visit| visit.agent);
    assert!(agents.clone().count() == 6);
    assert!(agents.into_iter().all(|agent| agent == "MyBot/2.1 (+https://example.com/bot)"));
}
