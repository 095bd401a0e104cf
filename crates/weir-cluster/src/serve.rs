//! How a gRPC server is opened: on a thread of its own, safe as the address demands, and for so many
//! connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tonic::service::Routes;
use tonic::transport::Server;

use crate::ClusterError;
use crate::security::{Report, ServerSecurity, incoming};

/// A server that answers, for as long as its runtime lives.
pub struct Served {
    pub address: SocketAddr,
    pub runtime: Background,
}

/// `report` hears of everybody who is not let in.
pub fn serve(
    listen: SocketAddr,
    security: &ServerSecurity,
    report: Report,
    routes: Routes,
    thread: &str,
) -> Result<Served, ClusterError> {
    let cannot = |why| ClusterError::Listen { address: listen.to_string(), why };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name(thread)
        .enable_all()
        .build()
        .map_err(cannot)?;
    let listener = runtime.block_on(TcpListener::bind(listen)).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let guard = runtime.enter();
    let connections = incoming(listener, security, report);
    drop(guard);
    let server = Server::builder()
        .http2_keepalive_interval(Some(Duration::from_secs(5)))
        .http2_keepalive_timeout(Some(Duration::from_secs(5)))
        .add_routes(routes)
        .serve_with_incoming(connections);
    runtime.spawn(server);
    Ok(Served { address, runtime: Background(Some(runtime)) })
}

/// Everything in it ends with it. A runtime must not be waited for by whoever is inside another one.
pub struct Background(Option<Runtime>);

impl Background {
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.0 {
            runtime.spawn(task);
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Lets in only so many at a time.
pub struct Doors {
    inside: Arc<AtomicUsize>,
    most: usize,
}

impl Doors {
    pub fn new(most: usize) -> Doors {
        Doors { inside: Arc::default(), most }
    }

    /// `None` if it is full. Whoever is inside is so until the guest is dropped.
    pub fn enter(&self) -> Option<Guest> {
        let guest = Guest(self.inside.clone());
        (self.inside.fetch_add(1, Ordering::Relaxed) < self.most).then_some(guest)
    }
}

pub struct Guest(Arc<AtomicUsize>);

impl Drop for Guest {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
