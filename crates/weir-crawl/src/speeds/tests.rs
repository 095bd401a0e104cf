use jiff::tz::TimeZone;
use weir_fuzz::{Fuzz, Rng};

use super::*;
use crate::almanac::Holiday;

fn utc() -> Almanac {
    Almanac::new(TimeZone::UTC)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn server(number: u32) -> IpAddr {
    IpAddr::from(number.to_be_bytes())
}

/// As if a file of so many bytes had come in one second.
fn feed(speeds: &mut Speeds, number: u32, now: &str, bytes: u64) {
    speeds.observe(server(number), at(now), bytes, Duration::from_secs(1));
}

/// 2026-11-16 is a Monday.
const NOON: &str = "2026-11-16T12:00:00Z";

#[test]
fn a_server_never_seen_is_expected_to_be_as_the_others_at_that_hour() {
    let mut speeds = Speeds::new(utc(), Estimate::Ratio);
    assert_eq!(speeds.predict(server(1), at(NOON)), FIRST_GUESS);
    feed(&mut speeds, 1, NOON, 1_000);
    // However often one is seen, it is one server.
    (0..100).for_each(|_| feed(&mut speeds, 2, NOON, 5_000));
    assert!((speeds.predict(server(3), at(NOON)) - 3_000.0).abs() < 1e-6);
    assert!((speeds.predict(server(1), at(NOON)) - 1_000.0).abs() < 1e-6);
    // In the evening server 1 was slower.
    (0..100).for_each(|_| feed(&mut speeds, 1, "2026-11-16T23:00:00Z", 100));
    let guess = |now: &str| speeds.predict(server(3), at(now));
    assert!(guess("2026-11-17T23:00:00Z") < guess("2026-11-17T12:00:00Z"));
}

#[test]
fn hours_and_kinds_of_day_are_told_apart_in_the_time_zone() {
    let mut almanac = Almanac::new(TimeZone::get("Asia/Tokyo").unwrap());
    almanac.holidays.push(Holiday::parse("2026-11-23").unwrap());
    let mut speeds = Speeds::new(almanac, Estimate::Ratio);
    // Noon in Tokyo, on a Monday and on the Sunday before.
    (0..50).for_each(|_| feed(&mut speeds, 1, "2026-11-16T03:00:00Z", 1_000));
    (0..50).for_each(|_| feed(&mut speeds, 1, "2026-11-15T03:00:00Z", 9_000));
    let predicted = |now: &str| (speeds.predict(server(1), at(now)) / 1000.0).round();
    assert_eq!(predicted("2026-11-17T03:00:00Z"), 1.0);
    assert_eq!(predicted("2026-11-21T03:00:00Z"), 9.0);
    assert_eq!(predicted("2026-11-23T03:00:00Z"), 9.0, "a holiday on a Monday");
}

#[test]
fn between_full_hours_the_prediction_lies_between() {
    let mut speeds = Speeds::new(utc(), Estimate::Mean);
    (0..50).for_each(|_| feed(&mut speeds, 1, "2026-11-16T06:00:00Z", 1_000));
    (0..50).for_each(|_| feed(&mut speeds, 1, "2026-11-16T18:00:00Z", 9_000));
    let predicted = |now: &str| speeds.predict(server(1), at(now));
    let noon = predicted("2026-11-16T12:00:00Z");
    let half_past = predicted("2026-11-16T12:30:00Z");
    let one = predicted("2026-11-16T13:00:00Z");
    assert!((half_past - (noon + one) / 2.0).abs() < 1e-6, "{noon} {half_past} {one}");
}

#[test]
fn what_is_weeks_old_fades_into_what_others_do() {
    let mut speeds = Speeds::new(utc(), Estimate::Ratio);
    (0..20).for_each(|_| feed(&mut speeds, 1, "2026-01-05T12:00:00Z", 1_000));
    feed(&mut speeds, 2, "2026-01-05T12:00:00Z", 9_000);
    let predicted = |speeds: &Speeds, now| speeds.predict(server(1), at(now)).round();
    assert_eq!(predicted(&speeds, "2026-01-05T12:00:00Z"), 1_000.0);
    // Half of the way to the mean of both, 5,000, after four weeks.
    assert_eq!(predicted(&speeds, "2026-02-02T12:00:00Z"), 3_000.0);
    // After half a year two downloads say more than the twenty of old.
    feed(&mut speeds, 1, "2026-07-06T12:00:00Z", 7_000);
    feed(&mut speeds, 1, "2026-07-06T12:00:00Z", 7_000);
    assert_eq!(predicted(&speeds, "2026-07-06T12:00:00Z"), 7_000.0);
}

#[test]
fn what_is_no_download_teaches_nothing() {
    let mut speeds = Speeds::new(utc(), Estimate::Ratio);
    speeds.observe(server(1), at(NOON), 0, Duration::from_secs(1));
    speeds.observe(server(1), at(NOON), 1000, Duration::ZERO);
    assert_eq!(speeds.known(), 0);
}

#[test]
fn one_server_has_one_memory_however_its_address_is_written() {
    let mut speeds = Speeds::new(utc(), Estimate::Ratio);
    speeds.observe("192.0.2.1".parse().unwrap(), at(NOON), 700, Duration::from_secs(1));
    feed(&mut speeds, 9, NOON, 100);
    let mapped = "::ffff:192.0.2.1".parse().unwrap();
    assert!((speeds.predict(mapped, at(NOON)) - 700.0).abs() < 1e-6);
}

#[test]
fn the_longest_unseen_go_when_there_are_too_many() {
    let mut speeds = Speeds::new(utc(), Estimate::Ratio);
    speeds.most = 64;
    let start = at(NOON);
    for number in 0..1000u32 {
        let now = start + SignedDuration::from_secs(number.into());
        speeds.observe(server(number), now, 1000 + u64::from(number), Duration::from_secs(1));
        assert!(speeds.known() <= 64);
    }
    assert!(
        speeds.servers.contains_key(&server(999)) && !speeds.servers.contains_key(&server(900))
    );
    let mean = speeds.servers.values().map(|one| one.at(speeds.almanac.moment(start))).sum::<f64>()
        / speeds.known() as f64;
    assert!((speeds.predict(server(5000), start) - mean).abs() < 1e-6 * mean);
    for number in 2000..3000u32 {
        speeds.observe(server(number), start, 1000, Duration::from_secs(1));
        assert!(speeds.known() <= 64, "all at the same moment");
    }
}

/// Connections of one after the other from servers whose speed varies. What flows over a long time
/// is compared with the sum of the predictions.
fn error_of(estimate: Estimate, spread: f64) -> f64 {
    let mut random = Rng::with_seed(7);
    let mut speeds = Speeds::new(utc(), estimate);
    let now = at(NOON);
    let (mut flows, mut predictions) = (0.0, 0.0);
    for number in 0..200 {
        let typical = 20_000.0 * (random.f64() * 2.0).exp();
        let (mut bytes, mut seconds) = (0.0, 0.0);
        let mut predicted = 0.0;
        for download in 0..60 {
            // About normal, as the sum of several.
            let noise = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
            let size = 10_000.0 * (1.0 + 9.0 * random.f64());
            let took = size / (typical * (spread * noise).exp());
            if download >= 20 {
                // A connection is met at a random instant as often as it lasts long.
                predicted += took * speeds.predict(server(number), now);
                bytes += size;
                seconds += took;
            }
            speeds.observe(server(number), now, size as u64, Duration::from_secs_f64(took));
        }
        flows += bytes / seconds;
        predictions += predicted / seconds;
    }
    predictions / flows - 1.0
}

#[test]
fn bytes_by_seconds_predict_what_flows_better_than_the_mean_of_speeds() {
    for spread in [0.3, 0.6, 1.0] {
        let (ratio, mean) = (error_of(Estimate::Ratio, spread), error_of(Estimate::Mean, spread));
        println!("spread {spread}: ratio {:+.1} %, mean {:+.1} %", ratio * 100.0, mean * 100.0);
        assert!(ratio.abs() < mean.abs() * 0.75, "{ratio} {mean}");
    }
}

#[test]
fn speeds_are_kept_from_run_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let mut speeds = Speeds::new(utc(), Estimate::Ratio);
    feed(&mut speeds, 1, NOON, 1_000);
    (0..9).for_each(|_| feed(&mut speeds, 2, NOON, 70_000));
    speeds.observe("2001:db8::1".parse().unwrap(), at(NOON), 900, Duration::from_millis(1));
    speeds.save(&path).unwrap();
    let (again, notice) = Speeds::load(&path, utc(), Estimate::Ratio);
    assert_eq!((notice, again.known()), (None, 3));
    for number in [1, 2, 3] {
        let [before, after] = [&speeds, &again].map(|one| one.predict(server(number), at(NOON)));
        assert!((before - after).abs() < 1e-4 * before, "{before} {after}");
    }
    assert_eq!(again.servers[&server(2)].bytes.downloads(), 9);
}

#[test]
fn a_file_that_cannot_be_read_is_begun_anew_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    assert_eq!(Speeds::load(&path, utc(), Estimate::Ratio).1, None, "none is no harm");
    let mut speeds = Speeds::new(utc(), Estimate::Ratio);
    feed(&mut speeds, 1, NOON, 1_000);
    let good = file::encode(&speeds.servers);
    let mut flipped = good.clone();
    flipped[100] ^= 1;
    for bytes in [&good[..good.len() - 1], &flipped[..], b"", b"weirspd2", b"{\"version\":1}"] {
        std::fs::write(&path, bytes).unwrap();
        let (speeds, notice) = Speeds::load(&path, utc(), Estimate::Ratio);
        assert_eq!(speeds.known(), 0);
        assert!(notice.unwrap().contains("learnt anew"));
    }
}

#[test]
fn any_file_gives_predictions_that_are_numbers() {
    let mut speeds = Speeds::new(utc(), Estimate::Ratio);
    (1..4).for_each(|number| feed(&mut speeds, number, NOON, 1_000));
    let seeds = [file::encode(&speeds.servers), Vec::new()];
    Fuzz::new("speeds", 3_000).run(&seeds, |bytes, _| {
        file::decode(bytes);
        // As if the check at its end were right.
        let body = &bytes[..bytes.len().saturating_sub(4)];
        let mut whole = body.to_vec();
        whole.extend_from_slice(&crc32fast::hash(body).to_le_bytes());
        let Some(servers) = file::decode(&whole) else { return };
        let mut speeds = Speeds::new(utc(), Estimate::Ratio);
        speeds.servers = servers;
        speeds.bound();
        feed(&mut speeds, 1, NOON, 1_000);
        for number in 0..4 {
            let predicted = speeds.predict(server(number), at(NOON));
            assert!(predicted.is_finite() && predicted >= 0.0, "{predicted}");
        }
    });
}
