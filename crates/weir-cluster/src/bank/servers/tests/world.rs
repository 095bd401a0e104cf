//! Attempts that share one server, and a bank: words are late, connections break, attempts are killed.
//! Whenever a request begins it is looked at whether it may.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use weir_crawl::{ServerGrant, ServerKey, ServerLease, ServerManners, ServerWords};

use crate::bank::servers::Servers;

pub struct World {
    bank: Servers,
    tasks: Vec<Task>,
    manners: ServerManners,
    begun: Instant,
    now_ms: u64,
    /// The last begin or end of any request.
    touched_ms: Option<u64>,
    seed: u64,
}

struct Task {
    who: u64,
    board: weir_crawl::Servers,
    lease: ServerLease,
    /// When the requests that are under way will end.
    under_way: Vec<u64>,
    not_before_ms: u64,
    stalls_until_ms: u64,
    to_do: u32,
    begun: u32,
    link: Link,
    has_listed: bool,
    up: VecDeque<(u64, ServerWords, bool)>,
    down: VecDeque<(u64, Vec<ServerGrant>)>,
    is_alive: bool,
}

enum Link {
    Open,
    /// Open again at this time. The bank sees that it broke at the other, if that is before.
    Broken {
        back_ms: u64,
        seen_ms: u64,
    },
    /// It was killed; the bank is certain of it at this time.
    Dead {
        certain_ms: u64,
    },
    Gone,
}

#[derive(Clone, Debug)]
pub enum Step {
    Wait(u64),
    Work(usize, u32),
    Break {
        task: usize,
        back_ms: u64,
        seen_ms: u64,
    },
    Kill {
        task: usize,
        certain_ms: u64,
    },
    /// Its crawl has something else to do, while others speak for it.
    Stall(usize, u64),
}

const STEP_MS: u64 = 10;
const TICK_MS: u64 = 200;

impl Step {
    pub fn any(tasks: usize) -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0_u64..4_000).prop_map(Step::Wait),
            4 => (0..tasks, 1_u32..40).prop_map(|(task, more)| Step::Work(task, more)),
            2 => (0..tasks, 0_u64..7_000, 0_u64..7_000)
                .prop_map(|(task, back_ms, seen_ms)| Step::Break { task, back_ms, seen_ms }),
            1 => (0..tasks, 0_u64..10_000)
                .prop_map(|(task, certain_ms)| Step::Kill { task, certain_ms }),
            2 => (0..tasks, 0_u64..5_000).prop_map(|(task, ms)| Step::Stall(task, ms)),
        ]
    }
}

fn server() -> ServerKey {
    ([192, 0, 2, 1].into(), 0)
}

impl World {
    pub fn new(manners: ServerManners, tasks: u64, seed: u64) -> World {
        let mut bank = Servers::default();
        let tasks = (0..tasks).map(|who| Task::new(who, manners, &mut bank)).collect();
        let seed = seed | 1;
        let begun = Instant::now();
        World { bank, tasks, manners, begun, now_ms: 0, touched_ms: None, seed }
    }

    pub fn take(&mut self, step: &Step) {
        let now_ms = self.now_ms;
        match step {
            Step::Wait(ms) => self.run(*ms),
            Step::Work(task, more) => self.tasks[*task].to_do += more,
            Step::Stall(task, ms) => self.tasks[*task].stalls_until_ms = now_ms + ms,
            Step::Break { task, back_ms, seen_ms } => {
                let task = &mut self.tasks[*task];
                if matches!(task.link, Link::Open) {
                    let (back_ms, seen_ms) = (now_ms + back_ms, now_ms + seen_ms);
                    task.link = Link::Broken { back_ms, seen_ms };
                    task.down.clear();
                }
            }
            Step::Kill { task, certain_ms } => {
                let task = &mut self.tasks[*task];
                if std::mem::take(&mut task.is_alive) {
                    task.link = Link::Dead { certain_ms: now_ms + certain_ms };
                    if !std::mem::take(&mut task.under_way).is_empty() {
                        self.touched_ms = Some(now_ms);
                    }
                    task.to_do = 0;
                }
            }
        }
    }

    pub fn run(&mut self, ms: u64) {
        let until_ms = self.now_ms + ms;
        while self.now_ms < until_ms {
            self.now_ms += STEP_MS;
            let now = self.now();
            for at in 0..self.tasks.len() {
                self.connect(at, now);
                self.deliver(at, now);
                self.work(at);
                self.send(at);
            }
            if self.now_ms.is_multiple_of(TICK_MS) {
                self.bank.tick(now);
            }
            self.tell(now);
        }
    }

    fn now(&self) -> Instant {
        self.begun + Duration::from_millis(self.now_ms)
    }

    fn connect(&mut self, at: usize, now: Instant) {
        let (now_ms, task) = (self.now_ms, &mut self.tasks[at]);
        match task.link {
            Link::Broken { back_ms, .. } if now_ms >= back_ms => {
                task.up.clear();
                task.has_listed = false;
                task.link = Link::Open;
                self.bank.joined(task.who, 0);
            }
            Link::Broken { seen_ms, .. } if now_ms >= seen_ms => self.bank.lost(task.who),
            Link::Dead { certain_ms } if now_ms >= certain_ms => {
                task.link = Link::Gone;
                task.up.clear();
                self.bank.left(task.who, now);
            }
            _ => {}
        }
    }

    /// What was sent before a connection broke may still arrive at the bank, until there is another.
    fn deliver(&mut self, at: usize, now: Instant) {
        let (now_ms, task) = (self.now_ms, &mut self.tasks[at]);
        while let Some((_, words, all)) = task.up.pop_front_if(|(at_ms, ..)| *at_ms <= now_ms) {
            let is_seen = matches!(task.link, Link::Broken { seen_ms, .. } if seen_ms <= now_ms);
            if !is_seen {
                self.bank.said(task.who, &words, all, now).expect("it is right");
            }
        }
        while let Some((_, grants)) = task.down.pop_front_if(|(at_ms, _)| *at_ms <= now_ms) {
            task.board.grant(grants);
        }
    }

    fn work(&mut self, at: usize) {
        let now_ms = self.now_ms;
        if now_ms < self.tasks[at].stalls_until_ms || !self.tasks[at].is_alive {
            return;
        }
        let delay_ms = self.manners.delay_ms;
        if self.tasks[at].end(now_ms, delay_ms) {
            self.touched_ms = Some(now_ms);
        }
        self.tasks[at].heed(now_ms);
        while self.tasks[at].may_begin(now_ms) {
            let took_ms = 20 + self.random(300);
            self.check_begin();
            self.tasks[at].begin(now_ms, took_ms, delay_ms);
            self.touched_ms = Some(now_ms);
        }
        self.tasks[at].speak(now_ms);
    }

    fn check_begin(&self) {
        let under_way: usize = self.tasks.iter().map(|task| task.under_way.len()).sum();
        assert!(under_way < self.manners.most as usize, "{under_way} are under way already");
        let rested_ms = self.touched_ms.map_or(u64::MAX, |touched_ms| self.now_ms - touched_ms);
        assert!(rested_ms >= self.manners.delay_ms, "after {rested_ms} ms");
    }

    fn send(&mut self, at: usize) {
        let late_ms = self.now_ms + self.random(400);
        let task = &mut self.tasks[at];
        if !matches!(task.link, Link::Open) {
            return;
        }
        let words = match task.has_listed {
            false => task.board.list(),
            true => Some(task.board.take_words()).filter(|words| !words.words.is_empty()),
        };
        let Some(words) = words else { return };
        let at_ms = task.up.back().map_or(late_ms, |(before_ms, ..)| late_ms.max(*before_ms));
        task.up.push_back((at_ms, words, !task.has_listed));
        task.has_listed = true;
    }

    /// The bank does not know yet of every connection that it is broken.
    fn tell(&mut self, now: Instant) {
        for (who, _) in self.bank.due() {
            let grants = self.bank.take(who, now);
            let late_ms = self.now_ms + self.random(400);
            let task = &mut self.tasks[who as usize];
            if matches!(task.link, Link::Open) {
                let at_ms = task.down.back().map_or(late_ms, |(before, _)| late_ms.max(*before));
                task.down.push_back((at_ms, grants));
            }
        }
    }

    fn random(&mut self, below: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed % below
    }

    pub fn all_have_much_to_do(&mut self) {
        for task in self.tasks.iter_mut().filter(|task| task.is_alive) {
            (task.to_do, task.begun) = (100, 0);
        }
    }

    pub fn alive(&self) -> usize {
        self.tasks.iter().filter(|task| task.is_alive).count()
    }

    pub fn all_were_served(&self) -> bool {
        self.tasks.iter().all(|task| task.begun > 0 || !task.is_alive)
    }

    pub fn served(&self) -> Vec<u32> {
        self.tasks.iter().map(|task| task.begun).collect()
    }

    pub fn left_to_do(&self) -> u32 {
        self.tasks.iter().filter(|task| task.is_alive).map(|task| task.to_do).sum()
    }
}

impl Task {
    fn new(who: u64, manners: ServerManners, bank: &mut Servers) -> Task {
        let board = weir_crawl::Servers::default();
        board.behave(manners);
        bank.joined(who, 0);
        Task {
            who,
            board,
            lease: ServerLease::new(server()),
            under_way: Vec::new(),
            not_before_ms: 0,
            stalls_until_ms: 0,
            to_do: 0,
            begun: 0,
            link: Link::Open,
            has_listed: false,
            up: VecDeque::new(),
            down: VecDeque::new(),
            is_alive: true,
        }
    }

    fn end(&mut self, now_ms: u64, delay_ms: u64) -> bool {
        let before = self.under_way.len();
        self.under_way.retain(|end_ms| *end_ms > now_ms);
        let has_ended = self.under_way.len() < before;
        if has_ended {
            self.lease.ended(now_ms);
            self.not_before_ms = self.not_before_ms.max(now_ms + delay_ms);
        }
        has_ended
    }

    fn heed(&mut self, now_ms: u64) {
        for grant in self.board.take_grants() {
            if self.lease.granted(&grant, now_ms) {
                self.not_before_ms = self.not_before_ms.max(now_ms + grant.wait_ms);
            }
        }
    }

    fn may_begin(&self, now_ms: u64) -> bool {
        let has_slot = self.under_way.len() < self.lease.slots() as usize;
        self.to_do > 0 && has_slot && now_ms >= self.not_before_ms
    }

    fn begin(&mut self, now_ms: u64, took_ms: u64, delay_ms: u64) {
        self.to_do -= 1;
        self.begun += 1;
        self.under_way.push(now_ms + took_ms);
        self.not_before_ms = self.not_before_ms.max(now_ms + delay_ms);
    }

    fn speak(&mut self, now_ms: u64) {
        let is_unused = self.under_way.is_empty() && self.to_do == 0;
        if is_unused && self.lease.is_contested() {
            self.lease.give_back();
        }
        let words = self.lease.word(self.under_way.len(), self.to_do > 0, now_ms);
        self.board.say(words.as_slice());
    }
}
