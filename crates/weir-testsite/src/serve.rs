//! The server: a task for each host's listener and one for each connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use crate::layout::Layout;
use crate::live::Live;
use crate::reply::Reply;
use crate::request::{BadRequest, parse};
use crate::send::{last, lead};
use crate::spec::FaultKind;

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) layout: Arc<Layout>,
    /// One for each host.
    pub(crate) live: Vec<Live>,
}

/// A connection without a request for this long is closed, and so is a stalled one.
const IDLE: Duration = Duration::from_secs(60);

/// Accepts for one host until the runtime stops.
pub(crate) async fn accept(shared: Arc<Shared>, host: usize, listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let connection = Connection::new(shared.clone(), host, stream);
                tokio::spawn(connection.run());
            }
            // Out of file descriptors, mostly: the clients must close some first.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

struct Connection {
    shared: Arc<Shared>,
    host: usize,
    stream: TcpStream,
    input: Vec<u8>,
    reply: Reply,
}

impl Connection {
    fn new(shared: Arc<Shared>, host: usize, stream: TcpStream) -> Connection {
        Connection {
            shared,
            host,
            stream,
            input: Vec::with_capacity(2048),
            reply: Reply::default(),
        }
    }

    /// Answers until one side closes. A client that goes away is no error here, whatever its
    /// socket says.
    async fn run(mut self) {
        let shared = self.shared.clone();
        let live = &shared.live[self.host];
        live.connect();
        let _open = live.open.enter();
        if self.stream.set_nodelay(true).is_err() {
            return;
        }
        while let Ok(true) = self.read().await {
            let _running = live.running.enter();
            if self.answer(live).await.is_err() || !self.reply.keep_alive {
                break;
            }
        }
    }

    /// Reads one request and makes its reply; `false` when the client has no more.
    async fn read(&mut self) -> io::Result<bool> {
        loop {
            match self.take_request() {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(BadRequest) => {
                    self.shared.live[self.host].ask_badly();
                    self.reply.refuse();
                    return Ok(true);
                }
            }
            if timeout(IDLE, self.stream.read_buf(&mut self.input)).await?? == 0 {
                return Ok(false);
            }
        }
    }

    /// Makes the reply to the request in the input, if it is all there, and removes it.
    fn take_request(&mut self) -> Result<bool, BadRequest> {
        if self.input.is_empty() {
            return Ok(false);
        }
        let Some((request, length)) = parse(&self.input)? else { return Ok(false) };
        let live = &self.shared.live[self.host];
        self.reply.to(&request, &self.shared.layout, self.host, live);
        self.input.drain(..length);
        Ok(true)
    }

    async fn answer(&mut self, live: &Live) -> io::Result<()> {
        let spec = &self.shared.layout.hosts[self.host].spec;
        if !spec.latency.is_zero() {
            sleep(spec.latency).await;
        }
        let gone = lead(&mut self.stream, &self.reply, spec.rate).await?;
        // Counted before the last bytes go, so that a client that has them finds them counted.
        live.send(self.reply.head.len() + self.reply.body.len());
        self.reply.serves.inspect(|number| live.complete(*number));
        if let Err(error) = last(&mut self.stream, &self.reply, gone).await {
            self.reply.serves.inspect(|number| live.take_back(*number));
            return Err(error);
        }
        match self.reply.broken {
            Some(kind) => self.fail(kind).await,
            None => Ok(()),
        }
    }

    /// Ends an answer that was cut in half. The connection is of no use afterwards.
    async fn fail(&mut self, kind: FaultKind) -> io::Result<()> {
        self.reply.keep_alive = false;
        match kind {
            FaultKind::Reset => self.stream.set_zero_linger(),
            FaultKind::Stall => {
                // Ends when the client closes or says anything at all.
                timeout(IDLE, self.stream.readable()).await??;
                Ok(())
            }
            FaultKind::Cut | FaultKind::Status(_) => Ok(()),
        }
    }
}
