//! A web that runs: from a spec to listening sockets and back to silence.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::counts::Counts;
use crate::item::Item;
use crate::layout::{Layout, address};
use crate::live::Live;
use crate::serve::{Shared, accept};
use crate::spec::{HostSpec, Spec};
use crate::truth::Truth;
use crate::visits::Visit;

/// A running web. Dropping it closes all its sockets.
pub struct Web {
    shared: Arc<Shared>,
    port: u16,
    stop: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<()>>,
}

/// Ports tried when the system may choose: one that is free on the first address may be taken on
/// another.
const PORT_TRIES: usize = 20;
/// Connections waiting to be accepted, for each host.
const BACKLOG: u32 = 1024;
/// Dropping waits no longer than this for the server's threads.
const STOP: Duration = Duration::from_secs(1);

impl Web {
    /// Starts serving on threads of its own and returns once every host listens.
    pub fn start(spec: Spec) -> io::Result<Web> {
        if spec.hosts.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a web needs at least one host",
            ));
        }
        let runtime = runtime(spec.threads)?;
        let entered = runtime.enter();
        let (port, listeners) = listen(&spec.hosts, spec.port)?;
        drop(entered);

        let layout = Arc::new(Layout::new(spec, port));
        let start = Instant::now();
        let live = layout.hosts.iter().map(|host| Live::new(host, start)).collect();
        let shared = Arc::new(Shared { layout, live });
        for (host, listener) in listeners.into_iter().enumerate() {
            runtime.spawn(accept(shared.clone(), host, listener));
        }
        let (stop, server) = run(runtime)?;
        Ok(Web { shared, port, stop: Some(stop), server: Some(server) })
    }

    /// The first page of every host.
    pub fn seeds(&self) -> Vec<String> {
        let hosts = 0..self.shared.layout.hosts.len();
        hosts.map(|host| self.shared.layout.url(host, Item::Page(0))).collect()
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// What a crawl should find.
    pub fn truth(&self) -> Truth {
        Truth { layout: self.shared.layout.clone() }
    }

    /// What was asked so far.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.shared.layout, &self.shared.live)
    }

    /// Every request to the host with this number, in order of arrival, if it is watched or has a
    /// play; otherwise none.
    pub fn visits(&self, host: usize) -> Vec<Visit> {
        self.shared.live[host].visits.all()
    }

    /// The clock of all pages that change stands at this time since the start, until it is set again.
    pub fn set_time(&self, at: Duration) {
        self.shared.layout.clock.set(at);
    }

    /// From now on the host with this number waits so long before each answer. False if there is no such host.
    pub fn set_latency(&self, host: usize, latency: Duration) -> bool {
        let live = self.shared.live.get(host);
        live.inspect(|live| live.set_latency(latency)).is_some()
    }

    /// The part of all pages of which the last client has the edition of now.
    pub fn freshness(&self) -> f64 {
        let Shared { layout, live } = &*self.shared;
        let (mut fresh, mut pages) = (0, 0);
        for (host, live) in live.iter().enumerate() {
            for page in 0..layout.hosts[host].spec.pages {
                fresh += u32::from(live.has(page, layout.edition(host, Item::Page(page))));
                pages += 1;
            }
        }
        f64::from(fresh) / f64::from(pages)
    }

    /// Sets all counts to zero, and with them the faults to their start.
    pub fn reset(&self) {
        self.shared.live.iter().for_each(Live::reset);
    }

    /// URLs of pages, duplicates and files whose body was never handed over whole.
    pub fn missing(&self) -> impl Iterator<Item = String> {
        let Shared { layout, live } = &*self.shared;
        live.iter().enumerate().flat_map(move |(n, live)| {
            live.missing(&layout.hosts[n]).map(move |item| layout.url(n, item))
        })
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(Err(panic)) = self.server.take().map(JoinHandle::join)
            && !thread::panicking()
        {
            std::panic::resume_unwind(panic); // A fault of this crate must fail the test it serves.
        }
    }
}

fn runtime(threads: usize) -> io::Result<Runtime> {
    let mut builder =
        if threads <= 1 { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    builder.worker_threads(threads.max(1)).thread_name("weir-testsite").enable_all().build()
}

/// Runs the runtime until the sender is dropped, on a thread of its own so that a web may be
/// started and dropped in async code too.
fn run(runtime: Runtime) -> io::Result<(oneshot::Sender<()>, JoinHandle<()>)> {
    let (stop, stopping) = oneshot::channel::<()>();
    let server = thread::Builder::new().name("weir-testsite".into()).spawn(move || {
        // The only news is that the sender is gone.
        let _ = runtime.block_on(stopping);
        runtime.shutdown_timeout(STOP);
    })?;
    Ok((stop, server))
}

/// A listener for each host, all on one port unless they have a place of their own.
fn listen(hosts: &[HostSpec], port: u16) -> io::Result<(u16, Vec<TcpListener>)> {
    let mut tries = 0;
    loop {
        tries += 1;
        match listen_on(hosts, port) {
            Err(error) if may_try_again(&error, port) && tries < PORT_TRIES => {}
            done => return done,
        }
    }
}

fn may_try_again(error: &io::Error, port: u16) -> bool {
    port == 0 && error.kind() == io::ErrorKind::AddrInUse
}

fn listen_on(hosts: &[HostSpec], wanted: u16) -> io::Result<(u16, Vec<TcpListener>)> {
    let mut port = wanted;
    let mut listeners = Vec::with_capacity(hosts.len());
    for (number, host) in hosts.iter().enumerate() {
        let place = host.at.unwrap_or_else(|| (address(number), port).into());
        let listener = bind(place).map_err(|why| {
            io::Error::new(why.kind(), format!("cannot listen on {place}: {why}"))
        })?;
        if host.at.is_none() {
            port = listener.local_addr()?.port();
        }
        listeners.push(listener);
    }
    Ok((port, listeners))
}

fn bind(place: SocketAddr) -> io::Result<TcpListener> {
    let socket = if place.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A web that has just stopped leaves connections behind that would keep its port.
    socket.set_reuseaddr(true)?;
    socket.bind(place)?;
    socket.listen(BACKLOG)
}
