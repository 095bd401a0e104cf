//! The connection to the scheduler: made, lost, and made again, while fetching goes on.

use std::rc::Rc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_local;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};

use crate::LARGEST_MESSAGE;
use crate::security::{ClientSecurity, explain};
use crate::wire::report::What;
use crate::wire::scheduler_client::SchedulerClient;
use crate::wire::{Hello, Order, Report};

/// What happens to a link. The number tells which one it is: events of an old one are nothing.
pub struct LinkEvent {
    pub link: u64,
    pub what: Happened,
}

pub enum Happened {
    Order(Order),
    /// `is_final` says that it would be the same at the next try.
    Closed {
        why: String,
        is_final: bool,
    },
}

/// The way to the scheduler. Bounded: what cannot be sent stays on the disk.
pub struct Link {
    pub number: u64,
    reports: mpsc::Sender<Report>,
    /// The connection ends with this, and not before, unless the other side ends it.
    _open: oneshot::Sender<()>,
}

const REPORTS: usize = 16;
/// A scheduler that does not answer for so long is not there.
const JOIN_WITHIN: Duration = Duration::from_secs(10);

impl Link {
    /// Begins to connect; all else is told by events.
    pub fn open(
        number: u64,
        security: &Rc<ClientSecurity>,
        hello: Hello,
        events: mpsc::Sender<LinkEvent>,
    ) -> Link {
        let (reports, sent) = mpsc::channel(REPORTS);
        let security = security.clone();
        let first = Report { what: Some(What::Hello(hello)) };
        // There is room: nothing was sent yet.
        let _ = reports.try_send(first);
        let (open, dropped) = oneshot::channel();
        spawn_local(async move {
            let mut channel = None;
            let (why, is_final) = match run(number, &security, sent, &events, &mut channel).await {
                Ok(()) => ("the scheduler has closed the connection".to_owned(), false),
                Err(told) => told,
            };
            let what = Happened::Closed { why, is_final };
            // If the downloader has ended, nobody is left to be told.
            let _ = events.send(LinkEvent { link: number, what }).await;
            // Nothing is ever sent: it ends when the link is dropped.
            let _ = dropped.await;
            drop(channel);
        });
        Link { number, reports, _open: open }
    }

    pub fn has_room(&self) -> bool {
        self.reports.capacity() > 0
    }

    /// False if it cannot be sent at the moment.
    pub fn send(&self, what: What) -> bool {
        self.reports.try_send(Report { what: Some(what) }).is_ok()
    }
}

async fn run(
    number: u64,
    security: &ClientSecurity,
    reports: mpsc::Receiver<Report>,
    events: &mpsc::Sender<LinkEvent>,
    open: &mut Option<Channel>,
) -> Result<(), (String, bool)> {
    let channel = security.connect().await.map_err(|why| (explain(&why), false))?;
    *open = Some(channel.clone());
    let mut client = SchedulerClient::with_interceptor(channel, security.interceptor())
        .max_decoding_message_size(LARGEST_MESSAGE)
        .max_encoding_message_size(LARGEST_MESSAGE);
    let join = client.join(ReceiverStream::new(reports));
    let joined = tokio::time::timeout(JOIN_WITHIN, join).await;
    let joined = joined.map_err(|_| ("the scheduler does not answer".to_owned(), false))?;
    let mut orders: Streaming<Order> = joined.map_err(told)?.into_inner();
    while let Some(order) = orders.message().await.map_err(told)? {
        let what = Happened::Order(order);
        if events.send(LinkEvent { link: number, what }).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Why a call has ended, and whether it would be the same at the next try.
pub(crate) fn told(status: Status) -> (String, bool) {
    let is_final = matches!(
        status.code(),
        Code::Unauthenticated
            | Code::PermissionDenied
            | Code::FailedPrecondition
            | Code::InvalidArgument
    );
    match status.code() {
        // What is said of a stream that broke is about HTTP/2, and nobody's business.
        Code::Unknown | Code::Internal | Code::Unavailable | Code::Cancelled => {
            ("the connection broke off".to_owned(), false)
        }
        _ => (explain(&status), is_final),
    }
}
