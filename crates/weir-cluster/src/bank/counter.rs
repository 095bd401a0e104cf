//! Where tasks come in: reads what they say, bounds it, and brings it to the desk. Nothing is decided
//! here.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::Stream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::service::Routes;
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Response, Status, Streaming};

use super::desk::Desk;
use super::party::{Attempt, Link};
use super::{LARGEST_RESULT, lock};
use crate::VERSION;
use crate::machine::{is_here, machine};
use crate::security::{Caller, Report, ServerSecurity};
use crate::serve::{Doors, Guest};
use crate::wire::bank_server::{Bank, BankServer};
use crate::wire::task_word::What;
use crate::wire::{BankWord, BucketClaim, TaskWord};

pub struct Counter {
    desk: Arc<Mutex<Desk>>,
    links: AtomicU64,
    doors: Doors,
    machine: Vec<u8>,
}

/// Tasks that run or wait at a time; each costs some buffers.
const MOST_LINKS: usize = 8192;
/// What may wait for a task.
const WORDS: usize = 16;
/// Somebody who connects says what it wants within this time.
const CLAIM_WITHIN: Duration = Duration::from_secs(10);
const LONGEST_MACHINE: usize = 200;
/// A result, and what is around it.
pub const LARGEST_WORD: usize = LARGEST_RESULT + 4096;

impl Counter {
    pub fn new(desk: Arc<Mutex<Desk>>) -> Counter {
        let doors = Doors::new(MOST_LINKS);
        Counter { desk, links: AtomicU64::new(0), doors, machine: machine() }
    }

    pub fn routes(self, security: &ServerSecurity, report: Report) -> Routes {
        let service = BankServer::new(self)
            .max_decoding_message_size(LARGEST_WORD)
            .max_encoding_message_size(LARGEST_WORD);
        Routes::new(InterceptedService::new(service, security.interceptor(report)))
    }

    async fn let_in(
        &self,
        caller: Caller,
        mut words: Streaming<TaskWord>,
    ) -> Result<mpsc::Receiver<Result<BankWord, Status>>, Status> {
        let guest = self.doors.enter().ok_or_else(|| {
            Status::resource_exhausted(format!("{MOST_LINKS} tasks are connected already"))
        })?;
        let first = timeout(CLAIM_WITHIN, words.message()).await;
        let first = first.map_err(|_| Status::deadline_exceeded("no word in 10 seconds"))??;
        let Some(What::Claim(claim)) = first.and_then(|word| word.what) else {
            return Err(Status::invalid_argument("a task says first what it wants"));
        };
        let attempt = check(&claim)?;
        let id = self.links.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, answers) = mpsc::channel(WORDS);
        let is_here = is_here(caller.address, &claim.machine, &self.machine);
        let link = Link { id, words: sender, is_here };
        lock(&self.desk).claimed(&claim, attempt, link, Instant::now())?;
        tokio::spawn(attend(id, words, self.desk.clone(), caller, guest));
        Ok(answers)
    }
}

#[tonic::async_trait]
impl Bank for Counter {
    type ClaimStream = Pin<Box<dyn Stream<Item = Result<BankWord, Status>> + Send>>;

    async fn claim(
        &self,
        request: Request<Streaming<TaskWord>>,
    ) -> Result<Response<Self::ClaimStream>, Status> {
        let caller = Caller::of(request.extensions());
        let answers = self.let_in(caller, request.into_inner()).await?;
        Ok(Response::new(Box::pin(ReceiverStream::new(answers))))
    }
}

/// Listens to one task until it is gone.
async fn attend(
    link: u64,
    words: Streaming<TaskWord>,
    desk: Arc<Mutex<Desk>>,
    caller: Caller,
    guest: Guest,
) {
    let listened = listen(link, words, &desk).await;
    // A stream that came to its end was ended by who wrote it.
    let hung_up = listened.is_ok() || caller.has_hung_up();
    let mut desk = lock(&desk);
    match listened {
        // Ours, and made for the reader; the task is told, if it still listens.
        Err(why) if !hung_up => desk.refused(link, why, Instant::now()),
        _ => desk.gone(link, hung_up, Instant::now()),
    }
    drop(guest);
}

async fn listen(
    link: u64,
    mut words: Streaming<TaskWord>,
    desk: &Mutex<Desk>,
) -> Result<(), Status> {
    while let Some(word) = words.message().await? {
        let mut desk = lock(desk);
        let now = Instant::now();
        match word.what {
            Some(What::Pulse(pulse)) => desk.pulsed(link, &pulse, now),
            Some(What::Finished(result)) => desk.finished(link, result, now)?,
            Some(What::Servers(words)) => desk.spoke_of_servers(link, &words, now)?,
            Some(What::Leaves(_)) => desk.left(link, now),
            Some(What::Claim(_)) | None => {
                return Err(Status::invalid_argument("a word of a task that says nothing"));
            }
        }
    }
    Ok(())
}

fn check(claim: &BucketClaim) -> Result<Attempt, Status> {
    if claim.version != VERSION {
        return Err(Status::failed_precondition(format!(
            "the driver speaks version {VERSION} of the protocol, the task version {}: install the same webweir on all machines",
            claim.version
        )));
    }
    if claim.machine.len() > LONGEST_MACHINE {
        return Err(Status::invalid_argument("the machine of the task is wrong"));
    }
    let wrong = |_| Status::invalid_argument("the attempt of the task is not 16 bytes");
    Attempt::try_from(&claim.attempt[..]).map_err(wrong)
}
