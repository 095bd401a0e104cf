//! The server: a task for each host's listener and one for each connection.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use crate::layout::Layout;
use crate::live::Live;
use crate::play::play;
use crate::reply::Reply;
use crate::request::{BadRequest, Request, parse};
use crate::script::{Asked, Script};
use crate::send::{last, lead};
use crate::spec::{FaultKind, HostSpec};

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
            Ok((stream, from)) => {
                let connection = Connection::new(shared.clone(), host, stream, from.ip());
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
    from: IpAddr,
    input: Vec<u8>,
    reply: Reply,
    /// Its number at this host.
    number: u32,
    /// Answers in place of the reply.
    script: Option<Script>,
    /// The request being answered, in the host's diary.
    visit: Option<usize>,
}

impl Connection {
    fn new(shared: Arc<Shared>, host: usize, stream: TcpStream, from: IpAddr) -> Connection {
        Connection {
            shared,
            host,
            stream,
            from,
            input: Vec::with_capacity(2048),
            reply: Reply::default(),
            number: 0,
            script: None,
            visit: None,
        }
    }

    /// Answers until one side closes. A client that goes away is no error here, whatever its
    /// socket says.
    async fn run(mut self) {
        let shared = self.shared.clone();
        let live = &shared.live[self.host];
        self.number = live.connect();
        let _open = live.open.enter();
        if self.stream.set_nodelay(true).is_err() || !self.greet().await {
            return;
        }
        while let Ok(true) = self.read().await {
            let _running = live.running.enter();
            if self.answer(live).await.is_err() || !self.reply.keep_alive {
                break;
            }
        }
    }

    /// False if that was already the end of it.
    async fn greet(&mut self) -> bool {
        let greeting = self.spec().play.as_ref().and_then(|play| play.greeting);
        match greeting {
            Some(greeting) => play(&mut self.stream, greeting(), || {}).await.unwrap_or(false),
            None => true,
        }
    }

    fn spec(&self) -> &HostSpec {
        &self.shared.layout.hosts[self.host].spec
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
        (self.script, self.visit) = self.direct(&request, live);
        match self.script {
            Some(_) => {
                live.ask_scripted();
                self.reply.keep_alive = request.keep_alive;
            }
            None => self.reply.to(&request, &self.shared.layout, self.host, live),
        }
        self.input.drain(..length);
        Ok(true)
    }

    /// Notes the request where the host keeps a diary, and asks its play, if it has one.
    fn direct(&self, request: &Request, live: &Live) -> (Option<Script>, Option<usize>) {
        let spec = self.spec();
        if spec.play.is_none() && !spec.watched {
            return (None, None);
        }
        let path = String::from_utf8_lossy(request.path);
        let [host, agent] = [request.host, request.agent].map(String::from_utf8_lossy);
        let earlier = live.visits.begin(&path, &host, &agent, self.from, self.number);
        let asked = Asked {
            path: &path,
            host: &host,
            nth: earlier.visit as u32,
            times: earlier.same_path,
            connection: self.number,
            home: &format!("http://{}", self.shared.layout.hosts[self.host].authority),
        };
        let script = spec.play.as_ref().and_then(|play| (play.answer)(&asked));
        (script, Some(earlier.visit))
    }

    async fn answer(&mut self, live: &Live) -> io::Result<()> {
        let spec = &self.shared.layout.hosts[self.host].spec;
        let latency = live.latency();
        if !latency.is_zero() {
            sleep(latency).await;
        }
        let visit = self.visit.take();
        let ends = || {
            visit.inspect(|visit| live.visits.end(*visit));
        };
        if let Some(script) = self.script.take() {
            self.reply.keep_alive &= play(&mut self.stream, script, ends).await?;
            return Ok(());
        }
        let led = lead(&mut self.stream, &self.reply, spec.rate).await;
        ends();
        let gone = led?;
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
