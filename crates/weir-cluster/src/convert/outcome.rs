use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use url::Url;
use weir_crawl::{Answer, Came, Job, Origin, PageJob, PageWorked, RobotsReply, Visit, Worked};
use weir_store::Packed;
use weir_types::{Outcome, Sketch, Skip};

use super::links::{links, to_links};
use super::{Odd, address, addresses, bounded_ms, bounded_us, micros, to_address};
use crate::wire;
use crate::wire::failed::Kind;
use crate::wire::outcome::What;

/// The code of each is its place here, counted from 1.
const COMPARED: [Came; 3] = [Came::New, Came::Same, Came::Changed];
/// The pieces of a sample; see `weir_parse::sketch`.
const MOST_SAMPLE: usize = 4096;
const LONGEST_WHY: usize = 2000;

/// For the scheduler, and what goes to the store meanwhile.
pub fn to_outcome(job: u64, ticket: Bytes, worked: Worked) -> (wire::Outcome, Option<Packed>) {
    let mut sent = wire::Outcome { job, ticket, ..wire::Outcome::default() };
    let mut packed = None;
    sent.what = Some(match worked {
        Worked::Page(mut page) => {
            packed = page.packed.take();
            sent.answer = page.answer.as_ref().map(to_answer);
            sent.bytes_wire = page.bytes_wire;
            to_page(*page)
        }
        Worked::Resolved { answer: Ok(all), .. } => {
            What::Resolved(wire::Resolved { addresses: all.iter().map(to_address).collect() })
        }
        Worked::Resolved { answer: Err(outcome), .. } => to_failed(&outcome),
        Worked::Robots { answer, bytes_wire, .. } => {
            sent.bytes_wire = bytes_wire;
            match answer {
                Ok(reply) => What::Robots(to_robots(reply)),
                Err(outcome) => to_failed(&outcome),
            }
        }
    });
    (sent, packed)
}

fn to_page(page: PageWorked) -> What {
    match &page.outcome {
        Outcome::Kept { status, bytes_body, links, .. } => {
            let sketch = page.sketch.as_ref();
            let sample = |sketch: &Sketch| -> Vec<u8> {
                sketch.sample.iter().flat_map(|piece| piece.to_le_bytes()).collect()
            };
            What::Kept(wire::Kept {
                status: u32::from(*status),
                bytes_body: *bytes_body,
                links: Some(to_links(links)),
                has_sketch: sketch.is_some(),
                simhash: sketch.map_or(0, |sketch| sketch.simhash),
                sample: sketch.map(sample).unwrap_or_default().into(),
                is_text: page.is_text,
                near_links: page.links,
                visit: page.visit.map(|visit| visit.to_bytes()).unwrap_or_default().into(),
                came: page.came.map_or(0, came_code),
                rule: page.rule.map_or(0, |kept| 1 + u32::from(kept)),
            })
        }
        Outcome::Read { links } => What::Read(wire::Read { links: Some(to_links(links)) }),
        failed => to_failed(failed),
    }
}

fn to_failed(outcome: &Outcome) -> What {
    let mut failed = wire::Failed::default();
    match outcome {
        Outcome::Retry { why } => failed.why.clone_from(why),
        Outcome::Dropped { skip, why } => {
            failed.kind = Kind::Dropped as i32;
            failed.skip = skip.map_or(0, |skip| skip as u32);
            failed.why.clone_from(why);
        }
        Outcome::HostResting { why, rest } => {
            failed.kind = Kind::Resting as i32;
            failed.why.clone_from(why);
            failed.has_rest = rest.is_some();
            failed.rest_ms = rest.map_or(0, millis);
        }
        Outcome::Kept { .. } | Outcome::Read { .. } => unreachable!("they are no failures"),
    }
    What::Failed(failed)
}

fn to_robots(reply: RobotsReply) -> wire::RobotsAnswer {
    wire::RobotsAnswer {
        status: u32::from(reply.status),
        has_rest: reply.rest.is_some(),
        rest_ms: reply.rest.map_or(0, millis),
        took_us: micros(reply.took),
        body: reply.body.into(),
    }
}

fn to_answer(answer: &Answer) -> wire::Answer {
    wire::Answer {
        address: Some(to_address(&answer.address)),
        took_us: micros(answer.took),
        is_whole: answer.is_whole,
        elapsed_us: micros(answer.elapsed),
        held_us: micros(answer.held),
    }
}

/// An outcome, checked. A job is used up only with one of these, so that nobody can make it vanish by
/// saying what cannot be.
pub struct Said {
    what: SaidWhat,
    bytes_wire: u64,
}

enum SaidWhat {
    Page(Box<SaidPage>),
    Resolved(Result<Vec<SocketAddr>, Outcome>),
    Robots(Result<RobotsReply, Outcome>),
}

struct SaidPage {
    outcome: Outcome,
    answer: Option<Answer>,
    kept: Option<SaidKept>,
}

struct SaidKept {
    sketch: Option<Sketch>,
    is_text: bool,
    links: u32,
    visit: Option<Visit>,
    came: Option<Came>,
    rule: Option<bool>,
}

/// `job` is what the outcome is of. A downloader that answers something else than it was asked for
/// is odd.
pub fn said(sent: wire::Outcome, job: &Job) -> Result<Said, Odd> {
    let bytes_wire = sent.bytes_wire;
    let what = sent.what.ok_or_else(|| Odd::new("an outcome", "nothing"))?;
    let what = match (job, what) {
        (Job::Page(job), what) => {
            let answer = sent.answer.as_ref().map(answer).transpose()?;
            SaidWhat::Page(Box::new(page(&job.url, what, answer, bytes_wire)?))
        }
        (Job::Resolve { .. }, What::Resolved(resolved)) => {
            SaidWhat::Resolved(Ok(addresses(&resolved.addresses)?))
        }
        (Job::Resolve { .. }, What::Failed(sent)) => SaidWhat::Resolved(Err(failed(sent)?)),
        (Job::Robots { .. }, What::Robots(reply)) => SaidWhat::Robots(Ok(robots(reply)?)),
        (Job::Robots { .. }, What::Failed(sent)) => SaidWhat::Robots(Err(failed(sent)?)),
        _ => return Err(Odd::new("an outcome", "of another kind than the job")),
    };
    Ok(Said { what, bytes_wire })
}

impl Said {
    /// `job` is the one that it was read for; `None` if it is not.
    pub fn worked(self, job: Job, from: Origin, is_late: bool) -> Option<Worked> {
        let bytes_wire = self.bytes_wire;
        match (job, self.what) {
            (Job::Page(job), SaidWhat::Page(page)) => {
                let page = page.worked(job);
                let from = Some(from);
                Some(Worked::Page(Box::new(PageWorked { bytes_wire, from, is_late, ..page })))
            }
            (Job::Resolve { host, .. }, SaidWhat::Resolved(answer)) => {
                Some(Worked::Resolved { host, answer })
            }
            (Job::Robots { host, ticket, .. }, SaidWhat::Robots(answer)) => {
                Some(Worked::Robots { host, ticket, answer, bytes_wire })
            }
            _ => None,
        }
    }
}

impl SaidPage {
    fn worked(self, job: Box<PageJob>) -> PageWorked {
        let worked = PageWorked::of(job, self.outcome, self.answer);
        let Some(kept) = self.kept else { return worked };
        let SaidKept { sketch, is_text, links, visit, came, rule } = kept;
        PageWorked { sketch, is_text, links, visit, came, rule, ..worked }
    }
}

fn page(url: &Url, what: What, answer: Option<Answer>, bytes_wire: u64) -> Result<SaidPage, Odd> {
    let mut said = None;
    let outcome = match what {
        What::Kept(kept) => {
            let sketch = match kept.has_sketch {
                true => Some(sketch(kept.simhash, &kept.sample)?),
                false => None,
            };
            said = Some(SaidKept {
                sketch,
                is_text: kept.is_text,
                links: kept.near_links,
                visit: visit(&kept.visit)?,
                came: came(kept.came)?,
                rule: rule(kept.rule)?,
            });
            Outcome::Kept {
                status: status(kept.status)?,
                bytes_wire,
                bytes_body: kept.bytes_body,
                links: links(&kept.links.unwrap_or_default(), url)?,
            }
        }
        What::Read(read) => Outcome::Read { links: links(&read.links.unwrap_or_default(), url)? },
        What::Failed(sent) => failed(sent)?,
        What::Robots(_) | What::Resolved(_) => {
            return Err(Odd::new("an outcome", "of another kind than the job"));
        }
    };
    Ok(SaidPage { outcome, answer, kept: said })
}

fn failed(sent: wire::Failed) -> Result<Outcome, Odd> {
    let why: String = sent.why.chars().take(LONGEST_WHY).collect();
    match Kind::try_from(sent.kind) {
        Ok(Kind::Retry) => Ok(Outcome::Retry { why }),
        Ok(Kind::Dropped) => Ok(Outcome::Dropped { skip: skip(sent.skip)?, why }),
        Ok(Kind::Resting) => {
            let rest = sent.has_rest.then(|| bounded_ms(sent.rest_ms));
            Ok(Outcome::HostResting { why, rest })
        }
        Err(_) => Err(Odd::new("the kind of a failure", sent.kind)),
    }
}

fn skip(code: u32) -> Result<Option<Skip>, Odd> {
    if code == 0 {
        return Ok(None);
    }
    let skip = u8::try_from(code).ok().and_then(Skip::from_code);
    skip.map(Some).ok_or_else(|| Odd::new("the reason of a skip", code))
}

fn robots(sent: wire::RobotsAnswer) -> Result<RobotsReply, Odd> {
    Ok(RobotsReply {
        status: status(sent.status)?,
        rest: sent.has_rest.then(|| bounded_ms(sent.rest_ms)),
        took: bounded_us(sent.took_us),
        body: sent.body.into(),
    })
}

fn answer(sent: &wire::Answer) -> Result<Answer, Odd> {
    let missing = || Odd::new("an answer", "without an address");
    Ok(Answer {
        address: address(sent.address.as_ref().ok_or_else(missing)?)?,
        took: bounded_us(sent.took_us),
        is_whole: sent.is_whole,
        elapsed: bounded_us(sent.elapsed_us),
        held: bounded_us(sent.held_us),
    })
}

fn status(code: u32) -> Result<u16, Odd> {
    let right = (100..1000).contains(&code);
    right.then_some(code as u16).ok_or_else(|| Odd::new("a status", code))
}

fn sketch(simhash: u64, sample: &[u8]) -> Result<Sketch, Odd> {
    if !sample.len().is_multiple_of(4) || sample.len() / 4 > MOST_SAMPLE {
        return Err(Odd::new("the length of a sample", sample.len()));
    }
    let pieces =
        sample.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    Ok(Sketch { simhash, sample: pieces.collect() })
}

fn visit(bytes: &[u8]) -> Result<Option<Visit>, Odd> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let visit = Visit::from_bytes(bytes);
    visit.map(Some).ok_or_else(|| Odd::new("what is noted of a visit", bytes.len()))
}

fn came_code(came: Came) -> u32 {
    COMPARED.iter().position(|known| *known == came).map_or(0, |at| at as u32 + 1)
}

fn came(code: u32) -> Result<Option<Came>, Odd> {
    match code {
        0 => Ok(None),
        code => match COMPARED.get(code as usize - 1) {
            Some(came) => Ok(Some(*came)),
            None => Err(Odd::new("what came of a visit", code)),
        },
    }
}

fn rule(code: u32) -> Result<Option<bool>, Odd> {
    match code {
        0 => Ok(None),
        1 => Ok(Some(false)),
        2 => Ok(Some(true)),
        _ => Err(Odd::new("what a rule says", code)),
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
