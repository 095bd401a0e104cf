use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::uri::PathAndQuery;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, InterceptedService, Service};
use tonic::server::{NamedService, UnaryService};
use tonic::transport::Server;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use crate::security::token::TokenAdd;
use crate::security::{ClientSecurity, Report, ServerSecurity, explain, incoming};

/// The longest message that the scheduler of the tests takes.
pub const LONGEST: usize = 1000;
const PATIENCE: Duration = Duration::from_secs(10);

/// A scheduler that says back what it is told.
pub struct Scheduler {
    pub address: SocketAddr,
    reports: mpsc::UnboundedReceiver<(SocketAddr, String)>,
}

impl Scheduler {
    pub async fn start(security: &ServerSecurity) -> Scheduler {
        Scheduler::start_on(super::loopback(), security).await
    }

    pub async fn start_on(listen: SocketAddr, security: &ServerSecurity) -> Scheduler {
        let listener = TcpListener::bind(listen).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, reports) = mpsc::unbounded_channel();
        let report: Report = Arc::new(move |from, why| sender.send((from, why)).unwrap_or(()));
        let checked = InterceptedService::new(Echo, security.interceptor(report.clone()));
        let connections = incoming(listener, security, report);
        let server = Server::builder().add_service(checked);
        tokio::spawn(server.serve_with_incoming(connections));
        Scheduler { address, reports }
    }

    pub async fn with_keys(dir: &std::path::Path) -> Scheduler {
        let security = ServerSecurity::choose(super::loopback(), Some(dir), false).unwrap();
        Scheduler::start(&security).await
    }

    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.address)
    }

    /// What the scheduler told of the next peer that it turned away.
    pub async fn report(&mut self) -> String {
        let report = tokio::time::timeout(PATIENCE, self.reports.recv()).await;
        let (from, why) = report.expect("nothing was reported").unwrap();
        assert!(from.ip().is_loopback() && from.port() != self.address.port(), "{from}");
        why
    }

    pub fn is_quiet(&mut self) -> bool {
        self.reports.try_recv().is_err()
    }
}

/// Says `what` to the scheduler as a downloader does; a failure is told as a user sees it.
pub async fn say(security: &ClientSecurity, what: &str) -> Result<String, String> {
    say_with(security, security.interceptor(), what).await
}

pub async fn say_with(
    security: &ClientSecurity,
    interceptor: TokenAdd,
    what: &str,
) -> Result<String, String> {
    let channel = security.connect().await.map_err(|error| explain(&error))?;
    let mut grpc = tonic::client::Grpc::new(InterceptedService::new(channel, interceptor));
    grpc.ready().await.map_err(|error| explain(&error))?;
    let path = PathAndQuery::from_static("/test.Echo/Say");
    let codec = ProstCodec::<String, String>::default();
    let answer = grpc.unary(Request::new(what.to_owned()), path, codec).await;
    answer.map(Response::into_inner).map_err(|status| explain(&status))
}

#[derive(Clone)]
struct Echo;

impl NamedService for Echo {
    const NAME: &'static str = "test.Echo";
}

impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let codec = ProstCodec::<String, String>::default();
        let mut grpc = tonic::server::Grpc::new(codec).max_decoding_message_size(LONGEST);
        Box::pin(async move { Ok(grpc.unary(Echo, request).await) })
    }
}

impl UnaryService<String> for Echo {
    type Response = String;
    type Future = BoxFuture<Response<String>, Status>;

    fn call(&mut self, request: Request<String>) -> Self::Future {
        Box::pin(async move { Ok(Response::new(request.into_inner())) })
    }
}
