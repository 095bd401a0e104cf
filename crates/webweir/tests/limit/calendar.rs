//! Rates by the clock.

use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use jiff::{RoundMode, Timestamp, TimestampRound, ToSpan, Unit};

use crate::run::{BOUND, Crawl, sleep_until};
use crate::server::Server;
use crate::support::command::weir;

/// A whole second of the clock on the wall that is about to come.
struct Moment {
    wall: Timestamp,
    at: Instant,
}

impl Moment {
    /// In so many seconds, or a part of one later.
    fn after(seconds: i64) -> Moment {
        let (now, at) = (Timestamp::now(), Instant::now());
        let up = TimestampRound::new().smallest(Unit::Second).mode(RoundMode::Ceil);
        let wall = now.round(up).unwrap() + seconds.seconds();
        Moment { at: at + wall.duration_since(now).unsigned_abs(), wall }
    }

    fn text(&self, later: i64) -> String {
        let wall = (self.wall + later.seconds()).to_zoned(TimeZone::UTC);
        wall.strftime("%H:%M:%S").to_string()
    }

    fn wait(&self, later: f64) {
        sleep_until(self.at + Duration::from_secs_f64(later));
    }
}

#[test]
fn a_calendar_changes_the_rate() {
    let server = Server::of(200, 40_000);
    let crawl = Crawl::of(&[&server]);
    let change = Moment::after(3);
    let config = format!(
        "time-zone = \"UTC\"\nlimit = [{{ at = \"{}-{}\", rate = \"120KB/s\" }}, {{ rate = \"500KB/s\" }}]",
        change.text(0),
        change.text(60)
    );
    let begun = Instant::now();
    let _weir = crawl.start_with(&config, &["--per-host", "4"]);
    change.wait(0.0);
    let fast = server.payload() as f64 / begun.elapsed().as_secs_f64();
    change.wait(0.5);
    let (from, before) = (Instant::now(), server.payload());
    change.wait(3.5);
    let slow = (server.payload() - before) as f64 / from.elapsed().as_secs_f64();
    assert!(fast > 150_000.0 && fast < 500_000.0 * 1.05, "{fast} at 500 KB/s");
    assert!(slow > 0.0 && slow < 120_000.0 * 1.05, "{slow} at 120 KB/s");
}

#[test]
fn a_pause_is_a_pause() {
    let server = Server::of(40, 20_000);
    let crawl = Crawl::of(&[&server]);
    let pause = Moment::after(1);
    let config = format!(
        "time-zone = \"UTC\"\nlimit = [{{ at = \"{}-{}\", rate = \"0\" }}, {{ rate = \"250KB/s\" }}]",
        pause.text(0),
        pause.text(3)
    );
    let weir_run = crawl.start_with(&config, &["--per-host", "4", "--timeout", "2s"]);
    pause.wait(0.25);
    let (sent, requests) = (server.payload(), server.requests());
    pause.wait(1.8);
    let status = weir(&["status", "--out", crawl.out().to_str().unwrap()]).stdout;
    assert!(status.contains(&format!("paused until {}", pause.text(3))), "{status}");
    pause.wait(2.8);
    assert_eq!(server.requests(), requests);
    // What a window had room for may still come.
    assert!(server.payload() - sent < 20_000, "{} in a pause", server.payload() - sent);
    assert!(sent < 800_000, "there was nothing left to pause");
    weir_run.wait_within(BOUND).expect_code(0);
    assert_eq!(crawl.pages(), 41);
    assert_eq!(server.urls_and_repeats(), (41, 0));
}

#[test]
fn ctrl_c_does_not_wait_for_the_end_of_a_pause() {
    let server = Server::of(40, 60_000);
    let crawl = Crawl::of(&[&server]);
    let pause = Moment::after(1);
    let config = format!(
        "time-zone = \"UTC\"\nlimit = [{{ at = \"{}-{}\", rate = \"0\" }}, {{ rate = \"250KB/s\" }}]",
        pause.text(0),
        pause.text(3600)
    );
    let weir = crawl.start_with(&config, &["--per-host", "4"]);
    pause.wait(0.5);
    weir.interrupt();
    weir.wait_within(BOUND).expect_code(4);
}
