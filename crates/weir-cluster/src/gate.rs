//! Where downloaders come in: a gRPC server on threads of its own. It reads what they say, bounds it,
//! and hands it to the crawl's thread; nothing is decided here.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::Stream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::service::Routes;
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Response, Status, Streaming};

use crate::security::{Caller, ServerSecurity};
use crate::serve::{Background, Doors, serve};
use crate::wire::order::What as Order;
use crate::wire::report::What;
use crate::wire::scheduler_server::{Scheduler, SchedulerServer};
use crate::wire::{Goodbye, Hello, Outcome, Pulse, Report};
use crate::{ClusterError, LARGEST_MESSAGE, VERSION, wire};

/// One connection, counted from 1.
pub type LinkId = u64;

/// What the crawl's thread hears of.
pub enum Arrival {
    Joined {
        link: LinkId,
        hello: Hello,
        orders: Orders,
        peer: SocketAddr,
    },
    Outcomes {
        link: LinkId,
        outcomes: Vec<Outcome>,
    },
    Pulse {
        link: LinkId,
        pulse: Pulse,
    },
    Goodbye {
        link: LinkId,
        goodbye: Goodbye,
    },
    /// `hung_up` if the downloader has ended it, by its own will or with its process.
    Gone {
        link: LinkId,
        why: Option<String>,
        hung_up: bool,
    },
    /// Somebody who was not let in.
    Refused {
        peer: SocketAddr,
        why: String,
    },
}

/// The way back to a downloader. Bounded: who does not read is not written to.
pub type Orders = mpsc::Sender<Result<wire::Order, Status>>;

/// What may wait for the crawl's thread, and for a downloader.
const ARRIVALS: usize = 64;
const ORDERS: usize = 64;
/// More than anybody has; each costs a task and some buffers.
const MOST_LINKS: usize = 1024;
/// Somebody who connects says who it is within this time.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
const MOST_SLOTS: u32 = 10_000;
const MOST_HELD: usize = 100_000;
const LONGEST_NAME: usize = 200;
const LONGEST_PATH: usize = 4096;

pub struct Gate {
    pub address: SocketAddr,
    pub arrivals: mpsc::Receiver<Arrival>,
    /// Everything in it ends with it.
    pub(crate) _runtime: Background,
}

impl Gate {
    pub fn open(listen: SocketAddr, security: &ServerSecurity) -> Result<Gate, ClusterError> {
        let (sender, arrivals) = mpsc::channel(ARRIVALS);
        let desk = Desk { arrivals: sender, links: Arc::default(), doors: Doors::new(MOST_LINKS) };
        let refused = desk.arrivals.clone();
        // A flood of the uninvited is not worth waiting for.
        let report = Arc::new(move |peer, why| {
            let _ = refused.try_send(Arrival::Refused { peer, why });
        });
        let service = SchedulerServer::new(desk)
            .max_decoding_message_size(LARGEST_MESSAGE)
            .max_encoding_message_size(LARGEST_MESSAGE);
        let service = InterceptedService::new(service, security.interceptor(report.clone()));
        let served = serve(listen, security, report, Routes::new(service), "weir-gate")?;
        Ok(Gate { address: served.address, arrivals, _runtime: served.runtime })
    }
}

struct Desk {
    arrivals: mpsc::Sender<Arrival>,
    links: Arc<AtomicU64>,
    doors: Doors,
}

type Answers = Pin<Box<dyn Stream<Item = Result<wire::Order, Status>> + Send>>;

#[tonic::async_trait]
impl Scheduler for Desk {
    type JoinStream = Answers;

    async fn join(
        &self,
        request: Request<Streaming<Report>>,
    ) -> Result<Response<Self::JoinStream>, Status> {
        let caller = Caller::of(request.extensions());
        let peer = caller.address;
        match self.let_in(caller, request.into_inner()).await {
            Ok(orders) => Ok(Response::new(Box::pin(ReceiverStream::new(orders)))),
            Err(status) => {
                let why = status.message().to_owned();
                // If the crawl has ended, nobody is left to be told.
                let _ = self.arrivals.send(Arrival::Refused { peer, why }).await;
                Err(status)
            }
        }
    }
}

impl Desk {
    async fn let_in(
        &self,
        caller: Caller,
        mut reports: Streaming<Report>,
    ) -> Result<mpsc::Receiver<Result<wire::Order, Status>>, Status> {
        let first = timeout(HELLO_WITHIN, reports.message()).await;
        let first = first.map_err(|_| Status::deadline_exceeded("no word in 10 seconds"))??;
        let hello = match first.and_then(|report| report.what) {
            Some(What::Hello(hello)) => hello,
            _ => return Err(Status::invalid_argument("a downloader says first who it is")),
        };
        check(&hello)?;
        let guard = self.doors.enter().ok_or_else(|| {
            Status::resource_exhausted(format!(
                "{MOST_LINKS} downloaders are connected already: start fewer, with more slots each"
            ))
        })?;
        let link = self.links.fetch_add(1, Ordering::Relaxed) + 1;
        let (orders, answers) = mpsc::channel(ORDERS);
        let ended = || Status::unavailable("the scheduler is ending");
        let joined = Arrival::Joined { link, hello, orders, peer: caller.address };
        self.arrivals.send(joined).await.map_err(|_| ended())?;
        let arrivals = self.arrivals.clone();
        tokio::spawn(async move {
            let why = listen(link, reports, &arrivals).await.err().map(|why| told(&why));
            // A stream that came to its end was ended by who wrote it.
            let hung_up = why.is_none() || caller.has_hung_up();
            // If the crawl has ended, nobody is left to be told.
            let _ = arrivals.send(Arrival::Gone { link, why, hung_up }).await;
            drop(guard);
        });
        Ok(answers)
    }
}

/// Reads until the downloader is gone. What it sends faster than it is taken stays with it.
async fn listen(
    link: LinkId,
    mut reports: Streaming<Report>,
    arrivals: &mpsc::Sender<Arrival>,
) -> Result<(), Status> {
    while let Some(report) = reports.message().await? {
        let arrival = match report.what {
            Some(What::Outcomes(all)) => Arrival::Outcomes { link, outcomes: all.outcomes },
            Some(What::Pulse(pulse)) => Arrival::Pulse { link, pulse },
            Some(What::Goodbye(goodbye)) => Arrival::Goodbye { link, goodbye },
            Some(What::Hello(_)) | None => {
                return Err(Status::invalid_argument("a report that says nothing"));
            }
        };
        if arrivals.send(arrival).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// What a stream that broke off says of itself is mostly about HTTP/2.
fn told(why: &Status) -> String {
    match why.code() {
        tonic::Code::OutOfRange => {
            format!("a message was refused for its size ({})", why.message())
        }
        tonic::Code::Unknown
        | tonic::Code::Internal
        | tonic::Code::Unavailable
        | tonic::Code::Cancelled => "it broke off".to_owned(),
        _ => why.message().to_owned(),
    }
}

fn check(hello: &Hello) -> Result<(), Status> {
    if hello.version != VERSION {
        return Err(Status::failed_precondition(format!(
            "this scheduler speaks version {VERSION} of the protocol, the downloader version {}: install the same weir on both machines",
            hello.version
        )));
    }
    let wrong =
        |what: &str| Err(Status::invalid_argument(format!("{what} of the downloader is wrong")));
    if hello.id.len() != 16 {
        return wrong("the id");
    }
    if !(1..=MOST_SLOTS).contains(&hello.slots) {
        return wrong("the number of slots");
    }
    if hello.name.len() > LONGEST_NAME || hello.out.len() > LONGEST_PATH {
        return wrong("the name");
    }
    if hello.machine.len() > LONGEST_NAME {
        return wrong("the machine");
    }
    if hello.held.len() > MOST_HELD || hello.stored > hello.last {
        return wrong("what it holds");
    }
    Ok(())
}

/// An order, as it goes out.
pub fn order(what: Order) -> Result<wire::Order, Status> {
    Ok(wire::Order { what: Some(what) })
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Runtime;

    use super::*;
    use crate::security::ClientSecurity;
    use crate::wire::scheduler_client::SchedulerClient;

    /// Somebody who has said hello, and the runtime that its connection lives in.
    struct Guest {
        runtime: Runtime,
        reports: mpsc::Sender<Report>,
        orders: Streaming<wire::Order>,
    }

    fn gate() -> Gate {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        Gate::open(listen, &ServerSecurity::choose(listen, None, false).unwrap()).unwrap()
    }

    fn join(gate: &mut Gate) -> Guest {
        let runtime = Runtime::new().unwrap();
        let url = format!("http://{}", gate.address);
        let (reports, sent) = mpsc::channel(4);
        let id = vec![1; 16].into();
        let hello = Hello { version: VERSION, id, slots: 1, ..Hello::default() };
        reports.try_send(Report { what: Some(What::Hello(hello)) }).unwrap();
        let orders = runtime.block_on(async {
            let security = ClientSecurity::choose(&url, None).unwrap();
            let mut client = SchedulerClient::new(security.connect().await.unwrap());
            client.join(ReceiverStream::new(sent)).await.unwrap().into_inner()
        });
        let joined = gate.arrivals.blocking_recv();
        assert!(matches!(joined, Some(Arrival::Joined { link: 1, .. })));
        Guest { runtime, reports, orders }
    }

    fn hung_up(mut gate: Gate) -> bool {
        match gate.arrivals.blocking_recv() {
            Some(Arrival::Gone { link: 1, hung_up, .. }) => hung_up,
            _ => panic!("something else has happened"),
        }
    }

    #[test]
    fn a_connection_that_ends_with_its_process_was_ended_by_it() {
        let mut gate = gate();
        let Guest { runtime, reports, orders } = join(&mut gate);
        // All sockets are closed without a word, as the kernel does it after a kill.
        runtime.shutdown_background();
        assert!(hung_up(gate));
        drop((reports, orders));
    }

    #[test]
    fn a_downloader_that_says_no_more_has_ended_it() {
        let mut gate = gate();
        let guest = join(&mut gate);
        drop(guest.reports);
        assert!(hung_up(gate));
        drop((guest.orders, guest.runtime));
    }

    #[test]
    fn one_that_is_sent_away_has_not_hung_up() {
        let mut gate = gate();
        let guest = join(&mut gate);
        guest.reports.try_send(Report { what: None }).unwrap();
        assert!(!hung_up(gate));
        drop((guest.orders, guest.runtime));
    }
}
