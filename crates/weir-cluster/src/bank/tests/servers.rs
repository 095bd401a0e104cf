//! Servers that are leased over real sockets.

use weir_crawl::{ServerGrant, ServerKey, ServerManners, ServerWord, Servers};

use super::*;
use crate::wire::{Address, ServerWord as WireWord, ServerWords};

/// The time in which nothing happens that must not.
const WHILE: Duration = Duration::from_millis(600);
const MANNERS: ServerManners = ServerManners { most: 1, delay_ms: 0 };

fn server() -> ServerKey {
    ([192, 0, 2, 7].into(), 0)
}

fn word(version: u64, slots: u32, wants: bool) -> ServerWord {
    ServerWord { server: server(), version, slots, wants, rested_ms: None }
}

/// What the crawl of a task does with it: it wants the server.
fn wanted(held: &Held) -> Servers {
    let servers = held.servers();
    servers.behave(MANNERS);
    servers.say(&[word(0, 0, true)]);
    servers
}

/// The next grant, which comes soon.
fn granted(servers: &Servers) -> ServerGrant {
    let mut grants = Vec::new();
    wait(GONE / 4, "a grant", || {
        grants.extend(servers.take_grants());
        !grants.is_empty()
    });
    assert_eq!(grants.len(), 1, "{grants:?}");
    grants[0]
}

fn nothing_is_granted(servers: &Servers) {
    sleep(WHILE);
    assert_eq!(servers.take_grants(), []);
}

fn wire_words(all: bool) -> ServerWords {
    let server = Some(Address { ip: vec![192, 0, 2, 7].into(), port: 0 });
    let wants = WireWord { server, wants: true, ..WireWord::default() };
    ServerWords { all, most: 1, delay_ms: 0, words: vec![wants] }
}

/// A task that holds bucket 0 and the server.
fn guest_with_server(bank: &Bank, machine: &[u8]) -> Guest {
    let mut guest = Guest::claims(bank, 0, 1, machine).unwrap();
    assert!(matches!(guest.hear(), Ok(Some(Word::Begin(_)))));
    guest.say(What::Servers(wire_words(true)));
    assert!(matches!(guest.hear(), Ok(Some(Word::Servers(grants))) if grants.grants[0].slots == 1));
    guest
}

#[test]
fn a_server_is_one_tasks_until_it_is_given_back_and_then_at_once_anothers() {
    let bank = bank(None);
    let (one, other) = (begin(&url(&bank), 0, 1), begin(&url(&bank), 1, 2));
    let holder = wanted(&one);
    let first = granted(&holder);
    assert_eq!((first.slots, first.contested), (1, false));
    let waiter = wanted(&other);
    let told = granted(&holder);
    assert_eq!((told.slots, told.contested), (1, true), "somebody waits");
    nothing_is_granted(&waiter);
    holder.say(&[word(told.version, 0, true)]);
    assert_eq!(granted(&waiter).slots, 1);
    drop(other);
    assert_eq!(granted(&holder).slots, 1, "who drops its bucket has given back its servers");
}

#[test]
fn a_turn_ends_although_its_holder_wants_to_go_on() {
    let bank = bank(None);
    let (one, other) = (begin(&url(&bank), 0, 1), begin(&url(&bank), 1, 2));
    let holder = wanted(&one);
    granted(&holder);
    let waiter = wanted(&other);
    assert_eq!(granted(&holder).slots, 1);
    let mut recalled = None;
    wait(PATIENCE, "the turn is over", || {
        recalled = holder.take_grants().first().copied();
        recalled.is_some()
    });
    let recalled = recalled.unwrap();
    assert_eq!(recalled.slots, 0);
    nothing_is_granted(&waiter);
    holder.say(&[word(recalled.version, 0, true)]);
    assert_eq!(granted(&waiter).slots, 1);
}

#[test]
fn a_task_that_has_finished_holds_no_server() {
    let bank = bank(None);
    let (one, other) = (begin(&url(&bank), 0, 1), begin(&url(&bank), 1, 2));
    granted(&wanted(&one));
    let waiter = wanted(&other);
    nothing_is_granted(&waiter);
    one.finish(b"all").unwrap();
    assert_eq!(granted(&waiter).slots, 1);
}

#[test]
fn a_connection_that_breaks_keeps_its_servers_and_tells_what_was_given_back() {
    let bank = bank(None);
    let (one, other) = (begin(&url(&bank), 0, 1), begin(&url(&bank), 1, 2));
    let holder = wanted(&one);
    let first = granted(&holder);
    let cut = || {
        lock(&bank.desk).cut();
        wait(QUIET, "both are back", || {
            let desk = lock(&bank.desk);
            desk.is_linked(0) && desk.is_linked(1)
        });
    };
    cut();
    let waiter = wanted(&other);
    assert!(granted(&holder).contested, "and it is heard of others");
    cut();
    nothing_is_granted(&waiter);
    holder.take_grants();
    lock(&bank.desk).cut();
    holder.say(&[word(first.version, 0, false)]);
    assert_eq!(granted(&waiter).slots, 1);
}

#[test]
fn the_servers_of_a_task_that_dies_on_this_machine_are_free_at_once() {
    let bank = bank(None);
    let guest = guest_with_server(&bank, &machine());
    let other = begin(&url(&bank), 1, 2);
    let waiter = wanted(&other);
    nothing_is_granted(&waiter);
    guest.dies();
    assert_eq!(granted(&waiter).slots, 1);
}

#[test]
fn the_servers_of_a_task_elsewhere_that_hangs_up_are_waited_for_until_it_has_given_up() {
    let bank = bank(None);
    let guest = guest_with_server(&bank, b"another");
    let other = begin(&url(&bank), 1, 2);
    let waiter = wanted(&other);
    guest.dies();
    let took = wait(GONE * 2, "it is free", || !waiter.take_grants().is_empty());
    assert!(took > GIVE_UP, "{took:?}");
}

#[test]
fn what_no_right_task_says_of_servers_is_refused() {
    let bank = bank(None);
    let refused = |all: bool, change: fn(&mut ServerWords), words: &str| {
        let mut guest = Guest::claims(&bank, 0, 1, &machine()).unwrap();
        assert!(matches!(guest.hear(), Ok(Some(Word::Begin(_)))));
        let mut said = wire_words(all);
        change(&mut said);
        guest.say(What::Servers(said));
        let why = guest.hear().unwrap_err();
        assert!(why.message().contains(words), "{why}");
        assert_eq!(why.code(), Code::InvalidArgument);
        guest.dies();
    };
    refused(false, |_| {}, "first, all that it holds of servers");
    refused(true, |words| words.most = 0, "requests at a time");
    refused(true, |words| words.words[0].server = None, "a server in a message is wrong");
    refused(true, |words| words.words = vec![words.words[0].clone(); 70_000], "number of servers");
    let _holder = begin(&url(&bank), 1, 1);
    let mut waiter = Guest::claims(&bank, 1, 2, &machine()).unwrap();
    waiter.say(What::Servers(wire_words(true)));
    assert!(waiter.hear().unwrap_err().message().contains("from who holds no bucket"));
}
