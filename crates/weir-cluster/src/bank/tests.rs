//! Real sockets on loopback: a bank, tasks that claim as tasks do, and some that say whatever they like.

mod servers;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, SystemTime};

use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use super::*;
use crate::machine::machine;
use crate::security::{ClientSecurity, InitOptions, init};
use crate::wire::bank_client::BankClient;
use crate::wire::bank_word::What as Word;
use crate::wire::task_word::What;
use crate::wire::{BankWord, BucketClaim, TaskPulse, TaskWord};
use crate::{GIVE_UP, GONE, QUIET, VERSION};

const PATIENCE: Duration = Duration::from_secs(5);
const ROUND: u32 = 7;
const BUCKETS: u32 = 8;

fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

fn bank(cap: Option<f64>) -> Bank {
    let cap = cap.map(|cap| Box::new(move || cap) as Cap);
    let bank = Bank::open(loopback(), None, cap).unwrap();
    bank.begin_round(ROUND, BUCKETS);
    bank
}

fn url(bank: &Bank) -> String {
    format!("http://{}", bank.address())
}

fn claim(round: u32, bucket: u32, attempt: u8) -> Claim {
    Claim { round, bucket, attempt: [attempt; 16] }
}

fn ask(url: &str, bucket: u32, attempt: u8) -> Result<Answer, ClusterError> {
    Teller::claim(url, None, claim(ROUND, bucket, attempt), PATIENCE)
}

fn begin(url: &str, bucket: u32, attempt: u8) -> Held {
    match ask(url, bucket, attempt).unwrap() {
        Answer::Begin(held) => held,
        Answer::Done(_) => panic!("it is done already"),
    }
}

fn ask_beside(url: &str, bucket: u32, attempt: u8) -> JoinHandle<Result<Answer, ClusterError>> {
    let url = url.to_owned();
    let asking = spawn(move || ask(&url, bucket, attempt));
    sleep(Duration::from_millis(400));
    asking
}

fn refusal(answer: Result<Answer, ClusterError>) -> String {
    match answer {
        Err(why) => why.to_string(),
        Ok(_) => panic!("it was not refused"),
    }
}

/// Waits until it is so, for so long at most; how long it took.
fn wait(most: Duration, what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < most, "{what}: not within {most:?}");
        sleep(Duration::from_millis(10));
    }
    begun.elapsed()
}

/// A task that says what it is made to, and the runtime that its connection lives in.
struct Guest {
    runtime: Runtime,
    words: mpsc::Sender<TaskWord>,
    answers: Streaming<BankWord>,
}

impl Guest {
    fn says(bank: &Bank, first: What) -> Result<Guest, Status> {
        let runtime = Runtime::new().unwrap();
        let (words, sent) = mpsc::channel(16);
        words.try_send(TaskWord { what: Some(first) }).unwrap();
        let answers = runtime.block_on(async {
            let security = ClientSecurity::choose(&url(bank), None).unwrap();
            let mut client = BankClient::new(security.connect().await.unwrap());
            client.claim(ReceiverStream::new(sent)).await
        })?;
        Ok(Guest { runtime, words, answers: answers.into_inner() })
    }

    fn claims(bank: &Bank, bucket: u32, attempt: u8, machine: &[u8]) -> Result<Guest, Status> {
        Guest::says(bank, What::Claim(wire_claim(bucket, attempt, machine)))
    }

    fn say(&self, what: What) {
        self.words.try_send(TaskWord { what: Some(what) }).unwrap();
    }

    /// The next word that is not about rates; `None` at the end.
    fn hear(&mut self) -> Result<Option<Word>, Status> {
        self.runtime.block_on(async {
            loop {
                match self.answers.message().await? {
                    Some(BankWord { what: Some(Word::Rates(_)) }) => {}
                    word => return Ok(word.and_then(|word| word.what)),
                }
            }
        })
    }

    /// All sockets are closed without a word, as the kernel does it after a kill.
    fn dies(self) {
        self.runtime.shutdown_background();
    }
}

fn wire_claim(bucket: u32, attempt: u8, machine: &[u8]) -> BucketClaim {
    BucketClaim {
        version: VERSION,
        round: ROUND,
        bucket,
        attempt: vec![attempt; 16].into(),
        machine: machine.to_vec().into(),
        holds: false,
        stamp_ms: 1,
    }
}

#[test]
fn the_second_attempt_waits_and_gets_what_came_of_the_first() {
    let bank = bank(None);
    let url = url(&bank);
    let first = begin(&url, 3, 1);
    assert!(first.shaper().is_none() && !first.is_lost());
    let second = ask_beside(&url, 3, 2);
    let other = begin(&url, 4, 3);
    assert!(!second.is_finished(), "the first is at work");
    first.tell(11, 2200, 0);
    first.finish(b"eleven pages").unwrap();
    assert!(
        matches!(second.join().unwrap(), Ok(Answer::Done(result)) if result == b"eleven pages")
    );
    assert!(matches!(ask(&url, 3, 4), Ok(Answer::Done(result)) if result == b"eleven pages"));
    other.tell(2, 100, 0);
    wait(PATIENCE, "the other is counted", || bank.doing().pages == 13);
    let BankDoing { tasks, bytes, .. } = bank.doing();
    assert_eq!((tasks, bytes), (1, 2300.0));
}

#[test]
fn whoever_waits_begins_at_once_when_the_holder_on_this_machine_dies() {
    let bank = bank(None);
    let mut first = Guest::claims(&bank, 0, 1, &machine()).unwrap();
    assert!(matches!(first.hear(), Ok(Some(Word::Begin(_)))));
    let second = ask_beside(&url(&bank), 0, 2);
    assert!(!second.is_finished());
    first.dies();
    wait(GONE / 4, "the second begins", || second.is_finished());
    assert!(matches!(second.join().unwrap(), Ok(Answer::Begin(_))));
}

#[test]
fn a_holder_elsewhere_that_hangs_up_is_waited_for_until_it_has_given_up() {
    let bank = bank(None);
    let mut first = Guest::claims(&bank, 0, 1, b"another").unwrap();
    assert!(matches!(first.hear(), Ok(Some(Word::Begin(_)))));
    let since = Instant::now();
    let second = ask_beside(&url(&bank), 0, 2);
    first.dies();
    assert!(matches!(second.join().unwrap(), Ok(Answer::Begin(_))));
    assert!(since.elapsed() > GIVE_UP, "{:?}", since.elapsed());
}

#[test]
fn a_task_that_ends_without_a_result_leaves_its_bucket_to_whoever_waits() {
    let bank = bank(None);
    let first = begin(&url(&bank), 0, 1);
    let second = ask_beside(&url(&bank), 0, 2);
    drop(first);
    wait(GONE / 4, "the second begins", || second.is_finished());
    assert!(matches!(second.join().unwrap(), Ok(Answer::Begin(_))));
}

#[test]
fn a_claim_of_another_round_is_refused_and_results_are_forgotten() {
    let bank = bank(None);
    let url = url(&bank);
    begin(&url, 1, 1).finish(b"of round 7").unwrap();
    bank.begin_round(ROUND + 1, BUCKETS);
    assert_eq!(
        refusal(ask(&url, 1, 2)),
        "the bank of the crawl has refused this task: the task is of round 7, but the crawl is in round 8"
    );
    let next = Teller::claim(&url, None, claim(ROUND + 1, 1, 3), PATIENCE);
    assert!(matches!(next, Ok(Answer::Begin(_))), "what came in round 7 is no result of round 8");
}

#[test]
fn who_works_for_an_earlier_round_is_told_to_end_and_ends_before_another_begins() {
    let bank = bank(None);
    let url = url(&bank);
    let zombie = begin(&url, 1, 1);
    let waiter = ask_beside(&url, 1, 2);
    bank.begin_round(ROUND, BUCKETS);
    assert!(!zombie.is_lost(), "it is the same round");
    bank.begin_round(ROUND + 1, BUCKETS);
    assert!(refusal(waiter.join().unwrap()).contains("in round 8 by now"));
    wait(GONE / 4, "it is lost", || zombie.is_lost());
    assert_eq!(bank.doing(), BankDoing::default());
    let next = spawn(move || Teller::claim(&url, None, claim(ROUND + 1, 1, 3), PATIENCE));
    sleep(Duration::from_millis(400));
    assert!(!next.is_finished(), "the one before may still fetch");
    let why = zombie.finish(b"too late").unwrap_err().to_string();
    assert!(why.contains("in round 8 by now"), "{why}");
    wait(GONE / 4, "the next begins", || next.is_finished());
    assert!(matches!(next.join().unwrap(), Ok(Answer::Begin(_))));
}

/// Holders that have more to do than they ever may.
#[derive(Default)]
struct Hungry {
    helds: Vec<Held>,
}

impl Hungry {
    fn add(&mut self, bank: &Bank, number: u8) {
        let held = begin(&url(bank), number.into(), number);
        held.tell(0, 0, 1);
        self.helds.push(held);
    }

    /// The sum of what is held for certain: each rate was so or higher at one moment between two looks.
    fn sum(&self) -> f64 {
        let once: Vec<f64> = self.helds.iter().map(Held::rate).collect();
        let twice = self.helds.iter().map(Held::rate);
        once.iter().zip(twice).map(|(one, other)| one.min(other)).sum()
    }

    /// Looks all the time until all have about this, which they have soon.
    fn reach(&self, each: f64, cap: f64) {
        let fits = |rate: f64| (rate - each).abs() < each * 0.05;
        let took = wait(PATIENCE, "the shares", || {
            assert!(self.sum() <= cap, "{} of {cap}", self.sum());
            self.helds.iter().all(|held| fits(held.rate()))
        });
        assert!(took < Duration::from_secs(3), "{took:?}");
    }
}

#[test]
fn the_sum_of_rates_never_passes_the_cap_while_tasks_come_and_go() {
    const CAP: f64 = 30_000.0;
    let bank = bank(Some(CAP));
    let mut tasks = Hungry::default();
    (0..3).for_each(|number| tasks.add(&bank, number));
    tasks.reach(CAP / 3.0, CAP);
    drop(tasks.helds.pop());
    tasks.reach(CAP / 2.0, CAP);
    tasks.add(&bank, 4);
    tasks.reach(CAP / 3.0, CAP);
    tasks.helds.remove(0).finish(b"").unwrap();
    tasks.reach(CAP / 2.0, CAP);
}

#[test]
fn a_lower_cap_is_held_by_all_of_them() {
    static LOW: AtomicBool = AtomicBool::new(false);
    let cap = || if LOW.load(Ordering::Relaxed) { 8_000.0 } else { 40_000.0 };
    let bank = Bank::open(loopback(), None, Some(Box::new(cap))).unwrap();
    bank.begin_round(ROUND, BUCKETS);
    let mut tasks = Hungry::default();
    (0..2).for_each(|number| tasks.add(&bank, number));
    tasks.reach(20_000.0, 40_000.0);
    LOW.store(true, Ordering::Relaxed);
    tasks.reach(4_000.0, 40_000.0);
}

#[test]
fn a_bank_that_says_nothing_is_not_drawn_from_and_then_given_up() {
    let bank = bank(Some(10_000.0));
    let mut tasks = Hungry::default();
    tasks.add(&bank, 0);
    tasks.reach(10_000.0, 10_000.0);
    // It hangs: connections stay as they are.
    let hangs = lock(&bank.desk);
    let silent = Instant::now();
    let took = wait(QUIET * 2, "nothing is held", || tasks.helds[0].rate() == 0.0);
    assert!(took > QUIET / 2 && !tasks.helds[0].is_lost(), "{took:?}");
    wait(GIVE_UP * 2, "it is lost", || tasks.helds[0].is_lost());
    assert!(silent.elapsed() > GIVE_UP - QUIET / 2 && silent.elapsed() < GONE);
    drop(hangs);
    let why = tasks.helds.remove(0).finish(b"void").unwrap_err().to_string();
    assert!(why.contains("it was not heard of for 8 s"), "{why}");
}

#[test]
fn a_bank_that_is_gone_leaves_nothing_to_hold() {
    let bank = bank(Some(10_000.0));
    let mut tasks = Hungry::default();
    tasks.add(&bank, 0);
    tasks.reach(10_000.0, 10_000.0);
    drop(bank);
    wait(QUIET, "nothing is held", || tasks.helds[0].rate() == 0.0);
    assert!(!tasks.helds[0].is_lost(), "it may come back");
    wait(GONE, "it is lost", || tasks.helds[0].is_lost());
}

#[test]
fn an_attempt_that_connects_again_keeps_its_bucket_and_its_share() {
    let bank = bank(Some(10_000.0));
    let mut tasks = Hungry::default();
    tasks.add(&bank, 0);
    tasks.reach(10_000.0, 10_000.0);
    let second = ask_beside(&url(&bank), 0, 9);
    for _ in 0..3 {
        lock(&bank.desk).cut();
        wait(QUIET, "it is back", || lock(&bank.desk).is_linked(0));
        tasks.reach(10_000.0, 10_000.0);
    }
    assert!(!tasks.helds[0].is_lost() && !second.is_finished());
    lock(&bank.desk).cut();
    tasks.helds.remove(0).finish(b"whole").unwrap();
    assert!(matches!(second.join().unwrap(), Ok(Answer::Done(result)) if result == b"whole"));
}

#[test]
fn a_holder_that_has_hung_up_may_come_back_until_another_has_begun() {
    let bank = bank(None);
    let comes_back = || {
        let claim = BucketClaim { holds: true, ..wire_claim(0, 1, &machine()) };
        Guest::says(&bank, What::Claim(claim))
    };
    let mut first = Guest::claims(&bank, 0, 1, &machine()).unwrap();
    assert!(matches!(first.hear(), Ok(Some(Word::Begin(_)))));
    first.dies();
    wait(QUIET, "it is missed", || bank.doing().tasks == 0);
    let mut first = comes_back().unwrap();
    assert!(matches!(first.hear(), Ok(Some(Word::Begin(_)))));
    first.dies();
    let _second = begin(&url(&bank), 0, 2);
    let why = comes_back().err().unwrap();
    assert_eq!(why.message(), "bucket 0 is not held by this attempt any more");
}

#[test]
fn a_result_that_was_noted_and_not_heard_of_is_told_once_more() {
    let bank = bank(None);
    let mut first = Guest::claims(&bank, 0, 1, b"another").unwrap();
    assert!(matches!(first.hear(), Ok(Some(Word::Begin(_)))));
    first.say(What::Finished(b"all".to_vec().into()));
    wait(PATIENCE, "it is noted", || bank.doing().tasks == 0);
    first.dies();
    let again = |attempt| {
        let claim = BucketClaim { holds: true, ..wire_claim(0, attempt, b"another") };
        Guest::says(&bank, What::Claim(claim))
    };
    assert!(matches!(again(1).unwrap().hear(), Ok(Some(Word::Noted(_)))));
    let why = again(2).err().unwrap();
    assert_eq!(why.message(), "another attempt has finished the bucket");
}

#[test]
fn what_no_right_task_says_is_refused_with_a_reason() {
    let bank = bank(None);
    let refused = |first: What, words: &str| {
        let why = Guest::says(&bank, first).err().unwrap();
        assert!(why.message().contains(words), "{why}");
        assert!(matches!(why.code(), Code::InvalidArgument | Code::FailedPrecondition));
    };
    let good = wire_claim(0, 1, b"");
    refused(What::Pulse(TaskPulse::default()), "says first what it wants");
    refused(What::Claim(wire_claim(BUCKETS, 1, b"")), "there is no bucket 8");
    refused(What::Claim(wire_claim(0, 1, &[0; 201])), "the machine");
    refused(What::Claim(BucketClaim { version: 0, ..good.clone() }), "version 0");
    refused(What::Claim(BucketClaim { attempt: vec![1; 15].into(), ..good.clone() }), "16 bytes");
    refused(What::Claim(BucketClaim { holds: true, ..good }), "is not held by this attempt");
}

#[test]
fn a_result_from_somebody_who_waits_or_beyond_all_bounds_is_refused() {
    let bank = bank(None);
    let mut holder = Guest::claims(&bank, 0, 1, b"another").unwrap();
    assert!(matches!(holder.hear(), Ok(Some(Word::Begin(_)))));
    let mut waiter = Guest::claims(&bank, 0, 2, b"another").unwrap();
    waiter.say(What::Finished(b"false".to_vec().into()));
    assert!(waiter.hear().unwrap_err().message().contains("that it does not hold"));
    holder.say(What::Finished(vec![0; LARGEST_RESULT + 1].into()));
    assert!(holder.hear().unwrap_err().message().contains("is too large"));
    let held = begin(&url(&bank), 1, 3);
    let why = held.finish(&vec![0; LARGEST_RESULT + 1]).unwrap_err().to_string();
    assert!(why.contains("divide the crawl into more buckets"), "{why}");
    begin(&url(&bank), 2, 4).finish(&vec![0; LARGEST_RESULT]).unwrap();
}

#[test]
fn a_bank_that_is_not_there_is_given_up_in_time() {
    let gone = url(&bank(None));
    let answer = Teller::claim(&gone, None, claim(ROUND, 0, 1), Duration::from_millis(500));
    let why = refusal(answer);
    assert!(why.contains("cannot be reached: nothing listens there: start the driver"), "{why}");
}

#[test]
fn beyond_loopback_a_bank_needs_keys() {
    let beyond = SocketAddr::from(([0, 0, 0, 0], 0));
    let why = Bank::open(beyond, None, None).err().unwrap().to_string();
    assert!(why.contains("refused to listen on 0.0.0.0:0 without TLS"), "{why}");
    let dir = tempfile::tempdir().unwrap();
    let options = InitOptions { force: false, keep_ca_key: false };
    init(dir.path(), &["driver.example".to_owned()], options, SystemTime::now()).unwrap();
    let bank = Bank::open(beyond, Some(dir.path()), None).unwrap();
    bank.begin_round(ROUND, BUCKETS);
    let port = bank.address().port();
    let ask = |url: String, keys: Option<&Path>| {
        Teller::claim(&url, keys, claim(ROUND, 0, 1), Duration::from_secs(1))
    };
    let answer = ask(format!("https://localhost:{port}"), Some(dir.path()));
    assert!(matches!(answer, Ok(Answer::Begin(_))));
    let plain = refusal(ask(format!("http://127.0.0.1:{port}"), None));
    assert!(plain.contains("speaks only TLS"), "{plain}");
    let why = refusal(ask("http://10.0.0.1:7700".to_owned(), None));
    assert!(why.contains("refused to call"), "{why}");
}
