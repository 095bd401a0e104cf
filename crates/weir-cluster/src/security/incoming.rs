use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::greet::Greeter;
use super::{Connection, Report, ServerSecurity};

/// How many peers may be in the middle of a handshake; more wait in the queue of the system.
const AT_ONCE: usize = 64;
/// After the system refused to take a connection, most likely for want of file handles.
const REST: Duration = Duration::from_millis(100);

/// Connections that passed the handshake, for `Router::serve_with_incoming`. It never ends and
/// never fails; dropping it closes the port.
pub struct Incoming {
    greeted: mpsc::Receiver<Connection>,
}

/// Takes connections from `listener` as `security` wants them. `report` hears of every peer that
/// was turned away, which a server of tonic with its own TLS would not tell.
///
/// Handshakes run beside each other, at most 64 at once and for at most 5 seconds, so that a slow
/// peer holds up nobody. It must be called within a tokio runtime.
pub fn incoming(listener: TcpListener, security: &ServerSecurity, report: Report) -> Incoming {
    let (sender, greeted) = mpsc::channel(AT_ONCE);
    let greeter = Greeter { tls: security.acceptor(), report };
    tokio::spawn(accept_all(listener, Arc::new(greeter), sender));
    Incoming { greeted }
}

impl Stream for Incoming {
    type Item = io::Result<Connection>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.greeted.poll_recv(cx).map(|connection| connection.map(Ok))
    }
}

async fn accept_all(
    listener: TcpListener,
    greeter: Arc<Greeter>,
    sender: mpsc::Sender<Connection>,
) {
    let mut handshakes = JoinSet::new();
    loop {
        tokio::select! {
            () = sender.closed() => return,
            Some(_) = handshakes.join_next() => {}
            accepted = listener.accept(), if handshakes.len() < AT_ONCE => match accepted {
                Ok((stream, from)) => {
                    handshakes.spawn(greet(greeter.clone(), stream, from, sender.clone()));
                }
                Err(error) => {
                    refused(&listener, &greeter.report, &error);
                    tokio::time::sleep(REST).await;
                }
            },
        }
    }
}

async fn greet(
    greeter: Arc<Greeter>,
    stream: TcpStream,
    from: SocketAddr,
    sender: mpsc::Sender<Connection>,
) {
    if let Some(connection) = greeter.greet(stream, from).await {
        // Fails only when the server is gone, and the connection with it.
        drop(sender.send(connection).await);
    }
}

fn refused(listener: &TcpListener, report: &Report, error: &io::Error) {
    if let Ok(address) = listener.local_addr() {
        report(address, format!("could not take a connection: {error}"));
    }
}
