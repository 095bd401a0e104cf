//! What is said between one attempt and the bank, on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval, sleep};
use weir_crawl::Servers;

use super::line::{Broken, Line};
use super::{Answer, Claim, Held, State, no_bank};
use crate::convert::{server_grant, to_server_words};
use crate::downloader::holdings::{Holdings, now_ms};
use crate::machine::machine;
use crate::security::ClientSecurity;
use crate::wire::bank_word::What;
use crate::wire::{BucketClaim, ServerGrants, TaskPulse, task_word};
use crate::{ClusterError, GIVE_UP, PULSE, QUIET, VERSION};

pub struct Session {
    url: String,
    security: Arc<ClientSecurity>,
    claim: Claim,
    patience: Duration,
    state: Arc<State>,
    holdings: Option<Holdings>,
    servers: Servers,
    order: Option<Order>,
    /// The task has dropped what it held.
    is_dropped: bool,
}

/// The task has finished.
pub struct Order {
    pub result: Bytes,
    pub reply: SyncSender<Result<(), ClusterError>>,
}

pub type Reply = SyncSender<Result<Answer, ClusterError>>;

/// How asking ended.
enum Asked {
    Done(Bytes),
    Begin { line: Box<Line>, limited: bool },
}

/// How holding ended.
enum Over {
    Noted,
    /// Without a result.
    Dropped,
    Lost(ClusterError),
}

/// Between two tries to connect.
const LEAST_PAUSE: Duration = Duration::from_millis(100);
const MOST_PAUSE: Duration = Duration::from_secs(1);

impl Session {
    pub fn new(url: &str, security: ClientSecurity, claim: Claim, patience: Duration) -> Session {
        Session {
            url: url.to_owned(),
            security: Arc::new(security),
            claim,
            patience,
            state: Arc::default(),
            holdings: None,
            servers: Servers::default(),
            order: None,
            is_dropped: false,
        }
    }

    pub fn run(mut self, reply: &Reply) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(why) => {
                let why = no_bank(&self.url, format!("cannot start a runtime: {why}"));
                // Somebody who does not wait any more needs no answer; so it is below.
                let _ = reply.send(Err(why));
                return;
            }
        };
        runtime.block_on(async {
            let (line, limited) = match self.ask().await {
                Ok(Asked::Begin { line, limited }) => (line, limited),
                Ok(Asked::Done(result)) => {
                    let _ = reply.send(Ok(Answer::Done(result.to_vec())));
                    return;
                }
                Err(why) => {
                    let _ = reply.send(Err(why));
                    return;
                }
            };
            self.holdings = limited.then(|| Holdings::new(false));
            let (orders, ordered) = mpsc::channel(1);
            let held = Held {
                state: self.state.clone(),
                shaper: self.holdings.as_ref().map(|holdings| holdings.shaper().clone()),
                servers: self.servers.clone(),
                orders,
                url: self.url.clone(),
            };
            // If nobody takes it, it is dropped, and given back.
            let _ = reply.send(Ok(Answer::Begin(held)));
            self.hold(*line, ordered).await;
        });
    }

    async fn ask(&mut self) -> Result<Asked, ClusterError> {
        let mut heard = Instant::now();
        let mut pause = LEAST_PAUSE;
        loop {
            let why = match self.ask_once(&mut heard).await {
                Ok(asked) => return Ok(asked),
                Err(Broken::Refused(why)) => return Err(ClusterError::TaskRefused(why)),
                Err(Broken::Lost(why)) => why,
            };
            if heard.elapsed() + pause > self.patience {
                return Err(no_bank(&self.url, why));
            }
            sleep(pause).await;
            pause = (pause * 2).min(MOST_PAUSE);
        }
    }

    async fn ask_once(&mut self, heard: &mut Instant) -> Result<Asked, Broken> {
        let mut line = Line::open(&self.security, self.wire_claim(false)).await?;
        *heard = Instant::now();
        let mut ticks = ticks();
        loop {
            tokio::select! {
                word = line.hear() => {
                    *heard = Instant::now();
                    match word? {
                        What::Begin(begin) => {
                            self.state.heard(begin.heard_ms);
                            line.is_accepted = true;
                            let line = Box::new(line);
                            return Ok(Asked::Begin { line, limited: begin.limited });
                        }
                        What::Done(result) => return Ok(Asked::Done(result)),
                        What::Void(void) => return Err(Broken::Refused(void.why)),
                        What::Rates(_) | What::Noted(_) | What::Servers(_) => {}
                    }
                }
                _ = ticks.tick() => {
                    if heard.elapsed() > QUIET {
                        return Err(Broken::Lost("it is not heard of".to_owned()));
                    }
                    line.say(task_word::What::Pulse(self.pulse()));
                }
            }
        }
    }

    /// Until the task has ended. Only then are lines closed.
    async fn hold(&mut self, mut line: Line, mut orders: mpsc::Receiver<Order>) {
        let mut old = Vec::new();
        let over = loop {
            match self.talk(&mut line, &mut old, &mut orders).await {
                Ok(over) => break over,
                Err(Broken::Refused(why)) => break Over::Lost(ClusterError::TaskRefused(why)),
                Err(Broken::Lost(_)) => {}
            }
            // The bank may give to others what we held.
            self.give_back();
            match self.connect_again(&mut orders).await {
                Ok(new) => old.push(std::mem::replace(&mut line, new)),
                Err(over) => break over,
            }
        };
        self.give_back();
        match over {
            Over::Noted => self.reply(Ok(()), &mut orders).await,
            Over::Dropped => line.leave().await,
            Over::Lost(why) => {
                self.state.lost.store(true, Ordering::Relaxed);
                self.reply(Err(why), &mut orders).await;
                line.leave().await;
            }
        }
    }

    /// Answers whoever has finished or will; returns when what was held is dropped.
    async fn reply(
        &mut self,
        answer: Result<(), ClusterError>,
        orders: &mut mpsc::Receiver<Order>,
    ) {
        let order = match self.order.take() {
            Some(order) => Some(order),
            None => orders.recv().await,
        };
        if let Some(order) = order {
            // Somebody who does not wait any more needs no answer.
            let _ = order.reply.send(answer);
        }
        while orders.recv().await.is_some() {}
    }

    async fn connect_again(&mut self, orders: &mut mpsc::Receiver<Order>) -> Result<Line, Over> {
        let mut pause = LEAST_PAUSE;
        loop {
            let (security, claim) = (self.security.clone(), self.wire_claim(true));
            // What has reached the bank must not be dropped half way.
            let open = async move {
                sleep(pause).await;
                Line::open(&security, claim).await
            };
            tokio::pin!(open);
            let opened = loop {
                tokio::select! {
                    opened = &mut open => break opened,
                    order = orders.recv(), if !self.is_ordered() => self.ordered(order),
                }
            };
            let why = match opened {
                Ok(line) => return Ok(line),
                Err(Broken::Refused(why)) => {
                    return Err(Over::Lost(ClusterError::TaskRefused(why)));
                }
                Err(Broken::Lost(why)) => why,
            };
            if self.is_dropped {
                return Err(Over::Dropped);
            }
            if self.state.is_lost() {
                return Err(self.not_heard_of(&why));
            }
            pause = (pause * 2).min(MOST_PAUSE);
        }
    }

    /// As long as the line holds.
    async fn talk(
        &mut self,
        line: &mut Line,
        old: &mut Vec<Line>,
        orders: &mut mpsc::Receiver<Order>,
    ) -> Result<Over, Broken> {
        let mut ticks = ticks();
        let servers = self.servers.clone();
        loop {
            let is_ordered = self.is_ordered();
            tokio::select! {
                word = line.hear() => match word? {
                    What::Begin(begin) => {
                        self.state.heard(begin.heard_ms);
                        line.is_accepted = true;
                        old.clear();
                    }
                    What::Rates(rates) => {
                        self.state.heard(rates.heard_ms);
                        // What was given back is not taken again.
                        if let Some(holdings) = self.holdings.as_mut().filter(|_| !is_ordered) {
                            holdings.told(&rates);
                        }
                    }
                    What::Servers(grants) => self.take_servers(&grants)?,
                    What::Noted(_) => return Ok(Over::Noted),
                    What::Void(void) => return Err(Broken::Refused(void.why)),
                    What::Done(_) => {}
                },
                order = orders.recv(), if !is_ordered => self.ordered(order),
                () = servers.said() => {}
                _ = ticks.tick() => {
                    if self.state.is_lost() {
                        return Ok(self.not_heard_of("it says nothing"));
                    }
                    if let Some(holdings) = &mut self.holdings {
                        holdings.put_into_force();
                    }
                    line.say(task_word::What::Pulse(self.pulse()));
                }
            }
            if self.is_dropped {
                return Ok(Over::Dropped);
            }
            self.speak_of_servers(line);
            self.send_result(line);
            self.show_rate();
        }
    }

    fn take_servers(&self, sent: &ServerGrants) -> Result<(), Broken> {
        let grants: Result<Vec<_>, _> = sent.grants.iter().map(server_grant).collect();
        self.servers.grant(grants.map_err(|odd| Broken::Refused(odd.to_string()))?);
        Ok(())
    }

    /// First how it stands, then what has changed. What finds no room goes with the next tick.
    fn speak_of_servers(&self, line: &mut Line) {
        if !line.is_accepted || !line.has_room() {
            return;
        }
        let words = match line.has_listed {
            false => self.servers.list(),
            true => Some(self.servers.take_words()).filter(|words| !words.words.is_empty()),
        };
        let Some(words) = words else { return };
        line.say(task_word::What::Servers(to_server_words(&words, !line.has_listed)));
        line.has_listed = true;
    }

    /// The task has finished, or has dropped what it held.
    fn ordered(&mut self, order: Option<Order>) {
        self.is_dropped = order.is_none();
        self.order = order;
        self.give_back();
    }

    fn is_ordered(&self) -> bool {
        self.is_dropped || self.order.is_some()
    }

    /// The last counts go before it. What finds no room goes with the next tick. Once lost, it is not sent,
    /// though the bank might still take it: the task was told that it is void.
    fn send_result(&self, line: &mut Line) {
        let may_go = line.is_accepted && !line.has_result && !self.state.is_lost();
        let Some(order) = self.order.as_ref().filter(|_| may_go) else { return };
        let result = task_word::What::Finished(order.result.clone());
        line.has_result = line.say(task_word::What::Pulse(self.pulse())) && line.say(result);
    }

    fn pulse(&self) -> TaskPulse {
        let shaper = self.holdings.as_ref().map(Holdings::shaper);
        let told = || self.state.bytes.load(Ordering::Relaxed) as f64;
        let waiting = shaper.map_or(0, |shaper| shaper.held_back() as u32);
        TaskPulse {
            received: shaper.map_or_else(told, |shaper| shaper.rates().bytes),
            stamp_ms: now_ms(),
            waiting: waiting.max(self.state.waiting.load(Ordering::Relaxed)),
            pages: self.state.pages.load(Ordering::Relaxed),
            total: self.holdings.as_ref().map(|holdings| holdings.in_force().0),
        }
    }

    fn give_back(&mut self) {
        if let Some(holdings) = &mut self.holdings {
            holdings.give_back();
        }
        self.show_rate();
    }

    fn show_rate(&self) {
        let rate = self.holdings.as_ref().map_or(0.0, Holdings::rate);
        self.state.rate.store(rate.to_bits(), Ordering::Relaxed);
    }

    fn not_heard_of(&self, why: &str) -> Over {
        let silence = GIVE_UP.as_secs();
        let why = format!(
            "it was not heard of for {silence} s ({why}), so that the bucket may be another's"
        );
        Over::Lost(no_bank(&self.url, why))
    }

    fn wire_claim(&self, holds: bool) -> BucketClaim {
        BucketClaim {
            version: VERSION,
            round: self.claim.round,
            bucket: self.claim.bucket,
            attempt: self.claim.attempt.to_vec().into(),
            machine: machine().into(),
            holds,
            stamp_ms: now_ms(),
        }
    }
}

fn ticks() -> tokio::time::Interval {
    let mut ticks = interval(PULSE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
