//! One server and a few attempts by hand, then whole worlds of them (`world`).

mod world;

use std::time::Duration;

use proptest::prelude::*;
use weir_crawl::{ServerManners, ServerWord};

use self::world::{Step, World};
use super::*;

const A: u64 = 1;
const B: u64 = 2;
const C: u64 = 3;

/// A bank with attempts that have nothing yet. Each has the bucket of its number.
struct Table {
    servers: Servers,
    manners: ServerManners,
    begun: Instant,
}

fn key(number: u8) -> ServerKey {
    ([192, 0, 2, number].into(), 0)
}

fn word(version: u64, slots: u32, wants: bool, rested_ms: Option<u64>) -> ServerWord {
    ServerWord { server: key(1), version, slots, wants, rested_ms }
}

impl Table {
    fn new(most: u32, delay_ms: u64, whos: &[u64]) -> Table {
        let manners = ServerManners { most, delay_ms };
        let mut table = Table { servers: Servers::default(), manners, begun: Instant::now() };
        for who in whos {
            table.servers.joined(*who, *who as u32);
            table.list(*who, &[], 0);
        }
        table
    }

    fn at(&self, ms: u64) -> Instant {
        self.begun + Duration::from_millis(ms)
    }

    fn list(&mut self, who: u64, words: &[ServerWord], ms: u64) {
        self.hear(who, words, true, ms).unwrap();
    }

    fn say(&mut self, who: u64, word: ServerWord, ms: u64) {
        self.hear(who, &[word], false, ms).unwrap();
    }

    fn hear(&mut self, who: u64, words: &[ServerWord], all: bool, ms: u64) -> Result<(), Status> {
        let words = ServerWords { manners: self.manners, words: words.to_vec() };
        let now = self.at(ms);
        self.servers.said(who, &words, all, now)
    }

    fn wants(&mut self, who: u64, ms: u64) {
        self.say(who, word(0, 0, true, None), ms);
    }

    /// Who is told what: slots, how long to wait, and whether others want it.
    fn told(&mut self, ms: u64) -> Vec<(u64, u32, u64, bool)> {
        let now = self.at(ms);
        self.servers.tick(now);
        let mut told = Vec::new();
        for (who, bucket) in self.servers.due() {
            assert_eq!(who, u64::from(bucket));
            let grants = self.servers.take(who, now);
            told.extend(
                grants.iter().map(|grant| (who, grant.slots, grant.wait_ms, grant.contested)),
            );
        }
        told
    }

    /// The last one that was told.
    fn version(&self) -> u64 {
        self.servers.version
    }
}

#[test]
fn a_server_that_nobody_else_wants_is_given_at_once_and_kept() {
    let mut table = Table::new(1, 0, &[A]);
    table.wants(A, 0);
    assert_eq!(table.told(0), [(A, 1, 0, false)]);
    assert_eq!(table.told(600_000), []);
    table.say(A, word(1, 0, false, Some(9)), 600_000);
    assert!(table.servers.servers.is_empty(), "it is forgotten");
}

#[test]
fn a_server_of_one_request_at_a_time_goes_round_by_turns() {
    let mut table = Table::new(1, 0, &[A, B, C]);
    table.wants(A, 0);
    table.told(0);
    table.wants(B, 100);
    assert_eq!(table.told(100), [(A, 1, 0, true)], "it need not keep it longer than it must");
    table.say(A, word(2, 1, false, None), 110);
    table.wants(C, 200);
    assert_eq!(table.told(2_999), []);
    assert_eq!(table.told(3_000), [(A, 0, 0, true)]);
    assert_eq!(table.told(9_000), [], "it may still be asking");
    table.say(A, word(3, 0, true, Some(0)), 9_000);
    assert_eq!(table.told(9_000), [(B, 1, 0, true)], "the longest wait is over first");
    assert_eq!(table.told(12_000), [(B, 0, 0, true)]);
    table.say(B, word(table.version(), 0, true, Some(0)), 12_010);
    assert_eq!(table.told(12_010), [(C, 1, 0, true)]);
}

#[test]
fn the_next_holder_waits_until_the_pause_is_over() {
    let mut table = Table::new(3, 1_000, &[A, B]);
    table.wants(A, 0);
    assert_eq!(table.told(0), [(A, 3, 0, false)], "a pause is kept by one holder only");
    table.wants(B, 1);
    table.told(1);
    assert_eq!(table.told(4_999), []);
    assert_eq!(table.told(5_000), [(A, 0, 0, true)], "a turn has several pauses");
    table.say(A, word(3, 0, false, Some(250)), 6_000);
    assert_eq!(table.told(6_100), [(B, 3, 650, false)]);
    table.say(B, word(4, 0, false, None), 6_200);
    table.wants(A, 6_300);
    assert_eq!(table.told(6_300), [(A, 3, 450, false)], "as B asked for nothing");
}

#[test]
fn without_a_pause_requests_at_a_time_are_divided() {
    let mut table = Table::new(5, 0, &[A, B, C]);
    table.wants(A, 0);
    assert_eq!(table.told(0), [(A, 5, 0, false)]);
    table.wants(B, 0);
    assert_eq!(table.told(0), [(A, 3, 0, true)], "what is lowered counts until it is down to it");
    table.say(A, word(2, 3, false, None), 50);
    assert_eq!(table.told(50), [(B, 2, 0, true)]);
    table.wants(C, 60);
    assert_eq!(table.told(60), [(A, 2, 0, true)]);
    table.say(A, word(table.version(), 2, false, None), 70);
    assert_eq!(table.told(70), [(C, 1, 0, true)]);
    table.say(A, word(4, 0, false, Some(0)), 80);
    assert_eq!(table.told(80), [(B, 3, 0, true), (C, 2, 0, true)]);
}

#[test]
fn more_attempts_than_requests_at_a_time_take_turns() {
    let mut table = Table::new(2, 0, &[A, B, C]);
    table.wants(A, 0);
    table.told(0);
    table.wants(B, 0);
    assert_eq!(table.told(0), [(A, 1, 0, true)]);
    table.say(A, word(table.version(), 1, false, None), 0);
    assert_eq!(table.told(0), [(B, 1, 0, true)]);
    table.wants(C, 10);
    assert_eq!(table.told(2_990), []);
    assert_eq!(table.told(3_010), [(A, 0, 0, true)], "one is enough");
    table.say(A, word(table.version(), 0, true, Some(0)), 3_020);
    assert_eq!(table.told(3_020), [(B, 0, 0, true), (C, 1, 0, true)]);
}

#[test]
fn a_lost_attempt_keeps_what_it_held_until_it_has_stopped_for_certain() {
    let mut table = Table::new(1, 500, &[A, B]);
    table.wants(A, 0);
    table.told(0);
    table.servers.lost(A);
    table.wants(B, 100);
    assert_eq!(table.told(9_000), [], "it cannot be told, and may be asking");
    let now = table.at(10_000);
    table.servers.left(A, now);
    assert_eq!(table.told(10_000), [(B, 1, 500, false)]);
}

#[test]
fn who_comes_back_says_how_it_stands_and_what_it_does_not_name_is_free() {
    let mut table = Table::new(1, 0, &[A, B]);
    table.wants(A, 0);
    table.told(0);
    table.wants(B, 10);
    table.told(10);
    table.servers.joined(A, 1);
    assert_eq!(table.told(5_000), [], "before it has said so it is told nothing");
    table.list(A, &[word(1, 1, false, None)], 5_000);
    assert_eq!(table.told(5_000), [(A, 0, 0, true)], "its turn goes on where it was");
    table.servers.joined(A, 1);
    table.list(A, &[], 5_010);
    assert_eq!(table.told(5_010), [(B, 1, 0, false)]);
}

#[test]
fn a_grant_that_its_holder_has_never_seen_goes_to_another_when_it_is_back() {
    let mut table = Table::new(1, 0, &[A, B]);
    table.wants(A, 0);
    table.wants(B, 0);
    assert_eq!(table.told(0), [(A, 1, 0, true)]);
    table.servers.joined(A, 1);
    table.list(A, &[word(0, 0, true, None)], 10);
    assert_eq!(table.told(10), [(B, 1, 0, true)]);
}

#[test]
fn an_answer_that_crosses_a_recall_frees_nothing() {
    let mut table = Table::new(1, 0, &[A, B]);
    table.wants(A, 0);
    table.told(0);
    table.wants(B, 0);
    table.told(0);
    table.told(3_000);
    table.say(A, word(2, 1, false, None), 3_010);
    assert_eq!(table.told(3_010), [], "it has not heard of the recall");
    table.say(A, word(2, 0, false, Some(0)), 3_020);
    assert_eq!(table.told(3_020), [], "and may answer to it only");
    table.say(A, word(3, 0, false, Some(0)), 3_030);
    assert_eq!(table.told(3_030), [(B, 1, 0, false)]);
}

#[test]
fn the_end_of_a_request_counts_though_the_word_of_it_crosses_another() {
    let mut table = Table::new(1, 500, &[A, B]);
    table.wants(A, 0);
    table.told(0);
    table.wants(B, 1_000);
    table.told(1_000);
    table.say(A, word(1, 0, false, Some(100)), 1_100);
    table.say(A, word(2, 0, false, None), 1_200);
    assert_eq!(table.told(1_200), [(B, 1, 300, false)]);
}

#[test]
fn who_says_that_it_holds_more_than_it_was_given_holds_what_it_was_given() {
    let mut table = Table::new(2, 0, &[A, B]);
    table.say(A, word(u64::MAX, 9, true, None), 0);
    table.wants(B, 0);
    let told = table.told(0);
    assert!(told.iter().map(|(_, slots, ..)| slots).sum::<u32>() <= 2, "{told:?}");
    table.say(B, word(0, u32::MAX, false, Some(u64::MAX)), 0);
    table.servers.joined(B, 2);
    table.list(B, &[word(0, u32::MAX, true, Some(u64::MAX))], 0);
    table.told(0);
    table.say(3, word(1, 1, true, None), 0);
}

#[test]
fn words_before_a_list_a_second_list_and_too_many_servers_are_refused() {
    let mut table = Table::new(1, 0, &[A]);
    let why = table.hear(A, &[], true, 0).unwrap_err();
    assert!(why.message().contains("says once on each connection"), "{why}");
    table.servers.joined(A, 1);
    assert!(table.hear(A, &[word(0, 0, true, None)], false, 0).is_err());
    table.list(A, &[], 0);
    let many = |from: u32| -> Vec<ServerWord> {
        let server = |number: u32| (number.to_be_bytes().into(), 0);
        let wants = |number: u32| ServerWord { server: server(number), ..word(0, 0, true, None) };
        (from..from + MOST_SERVERS as u32).map(wants).collect()
    };
    for from in 0..3 {
        table.hear(A, &many(from * MOST_SERVERS as u32), false, 0).unwrap();
    }
    let why = table.hear(A, &many(0), false, 0).unwrap_err();
    assert!(why.message().contains("more servers than it may"), "{why}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Checked at each request that begins, by the world itself.
    #[test]
    fn whatever_is_late_lost_or_killed_a_server_is_asked_as_by_one(
        most in 1_u32..5,
        delay_ms in prop_oneof![Just(0_u64), 50_u64..1_500],
        steps in prop::collection::vec(Step::any(4), 1..60),
        seed in any::<u64>(),
    ) {
        let mut world = World::new(ServerManners { most, delay_ms }, 4, seed);
        steps.iter().for_each(|step| world.take(step));
    }

    #[test]
    fn nobody_starves(
        most in 1_u32..4,
        delay_ms in prop_oneof![Just(0_u64), 50_u64..600],
        steps in prop::collection::vec(Step::any(4), 0..20),
        seed in any::<u64>(),
    ) {
        let mut world = World::new(ServerManners { most, delay_ms }, 4, seed);
        steps.iter().for_each(|step| world.take(step));
        world.all_have_much_to_do();
        // A round of turns, each of which begins late and ends late, and whatever was lost before it.
        let turn_ms = 3_000.max(delay_ms * 5) + delay_ms + 2_000;
        world.run(world.alive() as u64 * turn_ms + 15_000);
        prop_assert!(world.all_were_served(), "{:?}", world.served());
        world.run(400 * (400 + delay_ms) + 60_000);
        prop_assert_eq!(world.left_to_do(), 0);
    }
}
