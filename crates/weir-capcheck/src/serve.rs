//! The server process: all sites in one thread, HTTP/1.1 with keep-alive, pages without end. Each page
//! links to two more, so that no crawl runs out of work.

mod answer;
mod count;
mod pace;
mod tls;

use std::io::{BufRead, Write};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{sleep, timeout};

use crate::clock;
use crate::web::Web;
use answer::answer;
use count::Counter;
use pace::Pace;

/// A connection without a request for this long is closed.
pub const IDLE: Duration = Duration::from_secs(60);
const HANDSHAKE: Duration = Duration::from_secs(20);

/// Serves what is read as one line of JSON from standard input, until that closes. Prints `ready PORT`,
/// with TLS also the lines of the authority's certificate, then samples: `NANOSECONDS BYTES BYTES …`,
/// what each site has put on the wire so far.
pub fn run() -> Result<()> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let web: Web = serde_json::from_str(&line).context("cannot read what to serve")?;
    std::thread::spawn(leave_when_input_closes);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, serve(web))
}

fn leave_when_input_closes() {
    let mut rest = String::new();
    while std::io::stdin().lock().read_line(&mut rest).is_ok_and(|read| read > 0) {
        rest.clear();
    }
    std::process::exit(0);
}

/// What the connections of a site share.
pub struct Host {
    pub number: usize,
    pub site: crate::web::Site,
    pub pace: Pace,
    pub counter: Counter,
    pub tls: Option<tokio_rustls::TlsAcceptor>,
}

async fn serve(web: Web) -> Result<()> {
    let authority = web.tls.then(|| tls::Authority::new(&web)).transpose()?;
    let mut port = web.port;
    let mut hosts = Vec::new();
    for (number, site) in web.sites.into_iter().enumerate() {
        let listener = listen(SocketAddr::new(site.address.into(), port))?;
        port = listener.local_addr()?.port();
        let pace = Pace::new(site.speed);
        let tls = authority.as_ref().map(|authority| authority.acceptor.clone());
        let host = Rc::new(Host { number, site, pace, counter: Counter::default(), tls });
        spawn_local(accept(host.clone(), listener));
        hosts.push(host);
    }
    println!("ready {port}");
    if let Some(authority) = authority {
        println!("{}", authority.pem.trim());
    }
    sample(&hosts, Duration::from_millis(web.sample_ms)).await
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    let open = || {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(1024)
    };
    open().with_context(|| format!("cannot listen on {address}"))
}

async fn accept(host: Rc<Host>, listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(spawn_local(connection(host.clone(), stream))),
            // Out of file descriptors: the clients must close some first.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// A client that goes away is no error here, whatever its socket says.
async fn connection(host: Rc<Host>, stream: TcpStream) {
    let Ok(_counted) = host.counter.watch(&stream) else { return };
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let _ended = match &host.tls {
        None => answer(&host, stream).await,
        Some(tls) => match timeout(HANDSHAKE, tls.accept(stream)).await {
            Ok(Ok(stream)) => answer(&host, stream).await,
            Ok(Err(error)) => Err(error),
            Err(late) => Err(late.into()),
        },
    };
}

async fn sample(hosts: &[Rc<Host>], every: Duration) -> Result<()> {
    let mut output = std::io::stdout().lock();
    loop {
        sleep(every).await;
        let mut line = clock::now().to_string();
        for host in hosts {
            line += &format!(" {}", host.counter.bytes());
        }
        writeln!(output, "{line}")?;
        output.flush()?;
    }
}
