//! One downloader that fetches nothing.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::interval;
use tokio_stream::wrappers::ReceiverStream;
use weir_cluster::wire::job::What as Asked;
use weir_cluster::wire::order::What as Order;
use weir_cluster::wire::outcome::What;
use weir_cluster::wire::report::What as Told;
use weir_cluster::wire::scheduler_client::SchedulerClient;
use weir_cluster::wire::{
    Address, Answer, Goodbye, Hello, Job, Kept, Outcome, Outcomes, Pulse, Report, Resolved,
    RobotsAnswer,
};
use weir_crawl::Visit;

use crate::Tally;
use crate::web::{Dice, NEW_LINKS, Web};

type Failed = Box<dyn Error + Send + Sync>;

const PULSE: Duration = Duration::from_millis(200);
/// As a page of the other benchmarks has it.
const BODY: u64 = 27_000;
/// Pieces of text that tell pages apart, where they are asked for.
const PIECES: usize = 32;

pub async fn run(
    scheduler: String,
    number: u64,
    slots: u32,
    tally: Arc<Tally>,
) -> Result<(), Failed> {
    let (reports, sent) = mpsc::channel(16);
    let hello = Hello {
        version: 1,
        id: [number as u8 + 1; 16].to_vec().into(),
        name: format!("flood-{number}"),
        slots,
        start: 1,
        ..Hello::default()
    };
    reports.send(report(Told::Hello(hello))).await?;
    let mut client = SchedulerClient::connect(scheduler).await?;
    let joined = client.join(ReceiverStream::new(sent)).await?;
    let mut orders = joined.into_inner();
    let mut member = Member {
        web: Web::new(number),
        dice: Dice(!number),
        last: 0,
        stored: 0,
        received: 0,
        tally,
    };
    let mut pulses = interval(PULSE);
    loop {
        let told = tokio::select! {
            order = orders.message() => match order?.and_then(|order| order.what) {
                Some(Order::Jobs(all)) => Told::Outcomes(Outcomes {
                    outcomes: all.jobs.into_iter().filter_map(|job| member.answer(job)).collect(),
                }),
                Some(Order::Settled(settled)) => {
                    member.settled(settled.upto);
                    continue;
                }
                Some(Order::End(_)) | None => break,
                Some(_) => continue,
            },
            _ = pulses.tick() => Told::Pulse(member.pulse()),
        };
        reports.send(report(told)).await?;
    }
    let goodbye = Goodbye { why: String::new(), stored: member.stored };
    // The scheduler may have gone without a word.
    let _ = reports.send(report(Told::Goodbye(goodbye))).await;
    tokio::time::sleep(PULSE).await;
    Ok(())
}

fn report(what: Told) -> Report {
    Report { what: Some(what) }
}

struct Member {
    web: Web,
    dice: Dice,
    last: u64,
    stored: u64,
    received: u64,
    tally: Arc<Tally>,
}

impl Member {
    /// `None` once there are URLs enough.
    fn answer(&mut self, job: Job) -> Option<Outcome> {
        if self.tally.is_full() {
            return None;
        }
        let mut outcome = Outcome { job: job.number, ..Outcome::default() };
        outcome.what = Some(match job.what? {
            Asked::Page(page) => {
                outcome.ticket = page.ticket;
                outcome.bytes_wire = BODY;
                outcome.answer = Some(answered(page.addresses.into_iter().next()?));
                What::Kept(self.page(&job.url, page.sketch)?)
            }
            Asked::Resolve(_) => What::Resolved(Resolved { addresses: vec![self.address()] }),
            Asked::Robots(_) => {
                What::Robots(RobotsAnswer { status: 404, took_us: 1000, ..RobotsAnswer::default() })
            }
        });
        self.last += 1;
        self.received += outcome.bytes_wire;
        outcome.number = self.last;
        Some(outcome)
    }

    fn page(&mut self, url: &str, sketch: bool) -> Option<Kept> {
        let links = self.web.links(url)?;
        self.tally.answered(u64::from(NEW_LINKS));
        let near_links = links.ends.len() as u32;
        let sample = |dice: &mut Dice| -> Vec<u8> {
            (0..PIECES).flat_map(|_| (dice.roll() as u32).to_le_bytes()).collect()
        };
        Some(Kept {
            status: 200,
            bytes_body: BODY,
            links: Some(links),
            has_sketch: sketch,
            simhash: if sketch { self.dice.roll() } else { 0 },
            sample: if sketch { sample(&mut self.dice).into() } else { Bytes::new() },
            is_text: true,
            near_links,
            visit: self.visit().to_bytes().into(),
            came: 1,
            rule: 0,
        })
    }

    fn visit(&mut self) -> Visit {
        Visit {
            at_ms: now_ms(),
            etag: Some(format!("\"{:016x}\"", self.dice.roll())),
            digest: format!("xxh3:{:016x}", self.dice.roll()),
            ..Visit::default()
        }
    }

    /// Nobody is asked anything there. Each host has another one, so that none is asked too often.
    fn address(&mut self) -> Address {
        let [_, _, a, b, c, d, ..] = self.dice.roll().to_be_bytes();
        Address { ip: vec![8 + a % 2, b, c, d].into(), port: 80 }
    }

    fn settled(&mut self, upto: u64) {
        self.tally.settled(upto.saturating_sub(self.stored));
        self.stored = self.stored.max(upto);
    }

    fn pulse(&self) -> Pulse {
        Pulse {
            received: self.received as f64,
            stamp_ms: now_ms(),
            stored: self.stored,
            ..Pulse::default()
        }
    }
}

fn answered(address: Address) -> Answer {
    Answer { address: Some(address), took_us: 1000, is_whole: true, elapsed_us: 2000, held_us: 0 }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
